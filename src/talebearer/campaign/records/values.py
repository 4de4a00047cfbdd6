"""The campaign's records: how its things are written as Knowledge and Artifacts, and read back.

Profiles: an occurrence and an event are observations, a mind's snapshot is a belief of an agent. The
store's scope is the campaign; mind and session stand in ``metadata.core.scope`` as a description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.memory import Event, Mind, SourceRef
from talebearer.store import artifact_metadata, knowledge_value, relation_value
from talebearer.vocabulary import OccurrenceKind, RelationType

ACTOR = "talebearer"
EXTRACTION_KEY = "talebearer.extraction"
TRANSCRIPT_KEY = "talebearer.transcript"
PICK_KEY = "talebearer.pick"
REVIEW_KEY = "talebearer.review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """What every record of one writing has in common.

    Attributes:
        campaign: Campaign id.
        now: When it is written, RFC 3339.
        session: The session that it is about, if any.
        mind: The mind that it is about, if any.
    """

    campaign: str
    now: str
    session: str | None = None
    mind: str | None = None

    def knowledge(
        self,
        value: Any,
        *,
        profile: Mapping[str, Any],
        kind: str = "observed",
        source: str | None = None,
        artifacts: tuple[tuple[str, str], ...] = (),
        extensions: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return a structured Knowledge value."""
        return knowledge_value(
            {"kind": "structured", "value": value},
            now=self.now,
            workspace=self.campaign,
            user=self.mind,
            session=self.session,
            provenance_kind=kind,
            actor=ACTOR,
            source=source,
            artifacts=artifacts,
            profile=profile,
            extensions=extensions or {},
        )

    def relation(self, kind: RelationType, source: str, target: str) -> dict[str, Any]:
        """Return a relation from one Knowledge record to another."""
        return relation_value(
            kind.value,
            [source],
            [target],
            now=self.now,
            workspace=self.campaign,
            user=self.mind,
            session=self.session,
            provenance_kind="derived",
            actor=ACTOR,
        )

    def artifact(self, *, kind: str, extensions: Mapping[str, Any]) -> dict[str, Any]:
        """Return an Artifact's metadata."""
        return artifact_metadata(
            now=self.now,
            workspace=self.campaign,
            session=self.session,
            provenance_kind=kind,
            actor=ACTOR,
            extensions=extensions,
        )


OBSERVATION = {"epistemic": "observation", "abstraction": "instance", "persistence": "permanent"}
BELIEF = {"epistemic": "belief", "ownership": "agent", "persistence": "long_term"}
WORLD = {"epistemic": "knowledge", "ownership": "world", "persistence": "permanent"}


OccurrenceKey = tuple[str, str, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOccurrence:
    """An occurrence as the store has it.

    Attributes:
        id: Its entity id.
        session: The session that it is from.
        name: Canonical name of the NPC, after review.
        slug: The NPC's slug.
        kind: One of the six kinds.
        source_refs: The units that prove it.
        draft: Whether no person and no model has looked at it.
        extractor: Who extracted it.
        decisions: Numbers of the decisions that are about it or its name.
        hidden: Whether a decision keeps it for the game master.
        extracted: Ids of the extracted items that became it; its own alone unless it was edited.
    """

    id: str
    session: str
    name: str
    slug: str
    kind: OccurrenceKind
    source_refs: tuple[SourceRef, ...]
    draft: bool
    extractor: str
    decisions: tuple[int, ...] = ()
    hidden: bool = False
    extracted: tuple[str, ...] = ()

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Inclusive unit ranges."""
        return tuple((ref.start_unit_id, ref.end_unit_id) for ref in self.source_refs)

    @property
    def key(self) -> OccurrenceKey:
        """What stays the same when the session is extracted again: name, kind and ranges."""
        return self.name, self.kind.value, self.ranges

    @property
    def slug_key(self) -> OccurrenceKey:
        """What stays the same when the NPC is renamed: slug, kind and ranges."""
        return self.slug, self.kind.value, self.ranges


def occurrence_value(
    writer: Writer, occurrence: StoredOccurrence, *, artifacts: tuple[tuple[str, str], ...]
) -> dict[str, Any]:
    """Return the Knowledge value of *occurrence*, citing *artifacts* as (id, role)."""
    value = {
        "name": occurrence.name,
        "slug": occurrence.slug,
        "kind": occurrence.kind.value,
        "source_refs": [ref.as_json() for ref in occurrence.source_refs],
    }
    return writer.knowledge(
        value,
        profile={**OBSERVATION, "retrieval": ["exact", "contextual"]},
        source=artifacts[0][0],
        artifacts=artifacts,
        extensions=_extensions(occurrence),
    )


def _extensions(occurrence: StoredOccurrence) -> dict[str, Any]:
    extensions: dict[str, Any] = {
        EXTRACTION_KEY: {"extractor": occurrence.extractor, "draft": occurrence.draft}
    }
    if occurrence.decisions:
        extensions[REVIEW_KEY] = {
            "decisions": list(occurrence.decisions),
            "hidden": occurrence.hidden,
            "extracted": list(occurrence.extracted),
        }
    return extensions


def read_occurrence(entity_id: str, value: Mapping[str, Any]) -> StoredOccurrence:
    """Return the occurrence that a Knowledge value holds."""
    content = value["content"]["value"]
    extraction = value["metadata"]["extensions"][EXTRACTION_KEY]
    review = value["metadata"]["extensions"].get(REVIEW_KEY, {})
    return StoredOccurrence(
        id=entity_id,
        session=value["metadata"]["core"]["scope"]["session"],
        name=content["name"],
        slug=content["slug"],
        kind=OccurrenceKind(content["kind"]),
        source_refs=tuple(SourceRef(**ref) for ref in content["source_refs"]),
        draft=extraction["draft"],
        extractor=extraction["extractor"],
        decisions=tuple(review.get("decisions", ())),
        hidden=review.get("hidden", False),
        extracted=tuple(review.get("extracted", (entity_id,))),
    )


def event_value(
    writer: Writer, event: Event, *, pick: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the Knowledge value of *event*, with what a pick rested on."""
    return writer.knowledge(
        event.as_json(),
        profile={**OBSERVATION, "ownership": "agent", "retrieval": ["exact", "causal"]},
        kind="derived" if event.provenance else "observed",
        source=event.provenance.occurrence if event.provenance else None,
        extensions={PICK_KEY: pick} if pick else {},
    )


def mind_value(writer: Writer, mind: Mind) -> dict[str, Any]:
    """Return the Knowledge value of a mind's snapshot."""
    return writer.knowledge(
        mind.snapshot(), profile={**BELIEF, "retrieval": ["exact"]}, kind="derived"
    )


def content_of(value: Mapping[str, Any]) -> Any:
    """Return the structured content of a Knowledge value."""
    return value["content"]["value"]
