"""One session after review, on its way into the store and into memory.

What was extracted stays as it is; the reviewed lists are derived from it, and stand beside it as
Artifacts of their own where they differ. Occurrences and events are those of the reviewed lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from talebearer.campaign.records import (
    ARTIFACT,
    KNOWLEDGE,
    Book,
    EnteringSession,
    Minds,
    SessionRecord,
    StoredOccurrence,
    drop_session_events,
    ids,
    values,
)
from talebearer.campaign.review._apply import Key, Names, Reviewed, apply_decisions
from talebearer.campaign.review._decisions import Decision
from talebearer.extraction import Artifact, decode_artifact
from talebearer.memory import SourceRef, slug_of
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

Profiles = Mapping[str, tuple[str, ...]]
"""Slug to the profile's name and aliases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A session as it was extracted.

    Attributes:
        session: What the store says of it.
        transcript: Its units.
        registry: Its names.
        interactions: Its occurrences.
        extractor: Who extracted, as ``rules/3``.
        draft: Whether no person and no model has looked at it.
    """

    session: SessionRecord
    transcript: Transcript
    registry: Artifact
    interactions: Artifact
    extractor: str
    draft: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A session after review, ready to be written.

    Attributes:
        extracted: What it is derived from.
        registry: Its names after review.
        interactions: Its occurrences after review.
        slugs: Name after review to slug.
        occurrences: In artifact order.
        stale: Numbers of the decisions on the session that match nothing in it.
        applied: Numbers of the decisions that changed or settled something.
    """

    extracted: Extracted
    registry: Artifact
    interactions: Artifact
    slugs: Mapping[str, str]
    occurrences: tuple[StoredOccurrence, ...]
    stale: tuple[int, ...]
    applied: tuple[int, ...]


def read_extracted(book: Book, session: SessionRecord) -> Extracted:
    """Return a recorded session as it was extracted."""
    version = book.find(ARTIFACT, ids.interactions_id(session.id))
    assert version is not None, "a session has its artifacts"
    made_by = version.value["metadata"]["extensions"][values.EXTRACTION_KEY]
    return Extracted(
        session=session,
        transcript=book.transcript(session.id),
        registry=book.decoded(ArtifactKind.NPC_LIST, ids.registry_id(session.id)),
        interactions=book.decoded(
            ArtifactKind.NPC_INTERACTION_LIST, ids.interactions_id(session.id)
        ),
        extractor=made_by["extractor"],
        draft=made_by["draft"],
    )


def derive(
    extracted: Extracted,
    decisions: Iterable[Decision],
    *,
    slugs: Mapping[str, tuple[str, ...]],
    profiles: Profiles,
) -> Derived:
    """Return the session after review; nothing is written.

    Args:
        extracted: The session as extracted.
        decisions: All decisions of the campaign.
        slugs: The slugs that were given, each with its names.
        profiles: The content's profiles.

    Raises:
        UsageFault: Renames and merges lead in a circle (TB111).
    """
    held = tuple(decisions)
    session = extracted.session.id
    reviewed = apply_decisions(
        session,
        npcs=extracted.registry.payload["npcs"],
        interactions=extracted.interactions.payload["interactions"],
        transcript=extracted.transcript,
        decisions=held,
    )
    registry = _artifact(ArtifactKind.NPC_LIST, {"npcs": reviewed.npcs}, extracted)
    items = [one.item for one in reviewed.occurrences]
    interactions = _artifact(
        ArtifactKind.NPC_INTERACTION_LIST, {"interactions": items}, extracted, registry=registry
    )
    given = _slugs(reviewed, known=slugs, profiles=profiles)
    return Derived(
        extracted=extracted,
        registry=registry,
        interactions=interactions,
        slugs=given,
        occurrences=_occurrences(extracted, reviewed, given),
        stale=reviewed.stale,
        applied=_applied(extracted, reviewed, Names(held)),
    )


def _artifact(
    kind: ArtifactKind,
    payload: Mapping[str, Any],
    extracted: Extracted,
    *,
    registry: Artifact | None = None,
) -> Artifact:
    data = orjson.dumps(payload)
    transcript: Transcript | None = extracted.transcript
    if kind is ArtifactKind.NPC_LIST and not _is_own(extracted):
        # Bound from outside: its ranges are provenance in another source, never evidence here.
        transcript = None
    return decode_artifact(kind, data, transcript=transcript, registry=registry)


def _is_own(extracted: Extracted) -> bool:
    """Whether the registry was made from the session's own transcript."""
    own = extracted.transcript.source_id
    return all(
        ref["source_id"] == own
        for npc in extracted.registry.payload["npcs"]
        for ref in npc["source_refs"]
    )


def _applied(extracted: Extracted, reviewed: Reviewed, names: Names) -> tuple[int, ...]:
    numbers = {number for one in reviewed.occurrences for number in one.decisions}
    for npc in extracted.registry.payload["npcs"]:
        numbers.update(names.resolve(npc["name"]).decisions)
    return tuple(sorted(numbers))


def _slugs(
    reviewed: Reviewed, *, known: Mapping[str, tuple[str, ...]], profiles: Profiles
) -> dict[str, str]:
    """Return each name's slug: its own, its profile's, that of the name it was renamed from."""
    by_name = {name: slug for slug, names in known.items() for name in names}
    by_profile = {name: slug for slug, names in profiles.items() for name in names}
    slugs: dict[str, str] = {}
    for npc in reviewed.npcs:
        name = npc["name"]
        before = [one for one in reviewed.sources.get(name, ()) if one in by_name]
        slug = by_name.get(name) or by_profile.get(name)
        if slug is None and before:
            slug = by_name[before[0]]
        if slug is None:
            # A name that was renamed before it was ever stored is spelled as it was extracted.
            sources = reviewed.sources.get(name, (name,))
            first = name if name in sources else sources[0]
            slug = slug_of(first, taken={*known, *slugs.values()}, profiles=profiles)
        slugs[name] = slug
    return slugs


def _occurrences(
    extracted: Extracted, reviewed: Reviewed, slugs: Mapping[str, str]
) -> tuple[StoredOccurrence, ...]:
    session = extracted.session.id
    return tuple(
        StoredOccurrence(
            id=item_id(session, one.item),
            session=session,
            name=one.item["name"],
            slug=slugs[one.item["name"]],
            kind=OccurrenceKind(one.item["kind"]),
            source_refs=tuple(SourceRef(**ref) for ref in one.item["source_refs"]),
            draft=extracted.draft and not one.settled,
            extractor=extracted.extractor,
            decisions=one.decisions,
            hidden=one.hidden,
            extracted=tuple(item_id(session, item_of(session, key)) for key in one.extracted),
        )
        for one in reviewed.occurrences
    )


def item_of(session: str, key: Key) -> dict[str, Any]:
    """Return the record of the contract's shape that has *key*; a session's source is its id."""
    name, kind, ranges = key
    refs = [
        {"source_id": session, "start_unit_id": first, "end_unit_id": last}
        for first, last in ranges
    ]
    return {"name": name, "kind": kind, "source_refs": refs}


def item_id(session: str, item: Mapping[str, Any]) -> str:
    """Return the entity id of an occurrence."""
    return ids.occurrence_id(session, orjson.dumps(item, option=orjson.OPT_SORT_KEYS))


# --- writing -----------------------------------------------------------------------------------


def put_session(book: Book, minds: Minds, derived: Derived, *, anew: bool) -> None:
    """Put a session after review in the place of what it was; inside a batch.

    Args:
        book: The campaign's records.
        minds: The campaign's minds.
        derived: What the session is now.
        anew: Whether its artifacts were just written, so that its events must be, too.
    """
    session = derived.extracted.session
    former = {item.key: item for item in book.occurrences(session.id)}
    was_reviewed = book.find(ARTIFACT, ids.reviewed_interactions_id(session.id)) is not None
    _put_lists(book, derived)
    for name, slug in derived.slugs.items():
        book.put_npc(slug, name)
    writer = book.writer(session=session.id)
    listed = ids.interactions_id(session.id)
    if _differs(derived):
        listed = ids.reviewed_interactions_id(session.id)
    artifacts = ((ids.transcript_id(session.id), "source"), (listed, "source"))
    before = {item.id: item for item in former.values()}
    # An occurrence cites the list that it stands in, so another list is another citation.
    anew = anew or was_reviewed != _differs(derived)
    for item in derived.occurrences:
        if anew or before.get(item.id) != item:
            value = values.occurrence_value(writer, item, artifacts=artifacts)
            book.put(KNOWLEDGE, item.id, value)
    if not anew and _same_events(derived, former.values()):
        return
    drop_session_events(book, session.id)
    kept = {item.id for item in derived.occurrences}
    for item in former.values():
        if item.id not in kept:
            book.drop(KNOWLEDGE, item.id)
    entering = EnteringSession(
        minds=minds,
        session=session.id,
        base_tick=session.base_tick,
        artifact_digest=derived.interactions.digest,
    )
    mind = entering.enter(derived.occurrences, former)
    now = book.now()
    now.tick = max(now.tick, mind.tick, session.base_tick + session.unit_count)
    book.put_now(now)


def _same_events(derived: Derived, former: Iterable[StoredOccurrence]) -> bool:
    def told(items: Iterable[StoredOccurrence]) -> list[tuple[str, str]]:
        return sorted((item.id, item.slug) for item in items)

    # An id is made of name, kind and ranges, so equal ids are equal lists of one digest.
    return told(derived.occurrences) == told(former)


def _differs(derived: Derived) -> bool:
    return derived.interactions.digest != derived.extracted.interactions.digest


def _put_lists(book: Book, derived: Derived) -> None:
    """Keep the reviewed lists where they differ from the extracted ones."""
    extracted, session = derived.extracted, derived.extracted.session.id
    writer = book.writer(session=session)
    consumed = {
        "transcript": extracted.session.digest,
        "registry": extracted.registry.digest,
        "interactions": extracted.interactions.digest,
    }
    for entity_id, before, now in (
        (ids.reviewed_registry_id(session), extracted.registry, derived.registry),
        (ids.reviewed_interactions_id(session), extracted.interactions, derived.interactions),
    ):
        if before.digest == now.digest:
            book.drop(ARTIFACT, entity_id)
            continue
        made_by = {
            "kind": now.kind.value,
            "schema_id": now.schema_id,
            "schema_name": now.schema_name,
            "schema_version": now.schema_version,
            "consumed": consumed,
            "decisions": list(derived.applied),
            **now.metadata,
        }
        book.upload(
            entity_id,
            now.encode(),
            name=f"{entity_id.replace(':', '-')}.json",
            media_type=now.media_type,
            metadata=writer.artifact(kind="derived", extensions={values.REVIEW_KEY: made_by}),
        )
