"""Both lanes in order: extract, normalise, validate; then say what was done, without contents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer._version import __version__
from talebearer.errors import Problem, Severity, Where, findings_extraction
from talebearer.extraction._artifacts import Artifact, make_artifact, names_of
from talebearer.extraction._extractors import Extractor, extractor_named
from talebearer.extraction._normalise import normalise_interactions, normalise_npcs
from talebearer.extraction._roster import Roster, SpeakerRole, unknown_speakers
from talebearer.extraction._session import Glossary, Session
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind

MANIFEST_VERSION = 1
LABEL_CHARS_SHOWN_MAX = 60
STAGES = ("npcs", "interactions")

Progress = Callable[[str, int, int], None]
"""Called with the stage, how many stages are done, and how many there are."""

NO_GLOSSARY: Glossary = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What one session gave.

    Attributes:
        registry: The ``dnd/npc-list`` artifact.
        interactions: The ``dnd/npc-interaction-list`` artifact.
        manifest: Identities, digests and counts, JSON-ready; no names, ranges or payload.
        problems: Warnings about the input, such as speakers that the roster does not know.
    """

    registry: Artifact
    interactions: Artifact
    manifest: dict[str, Any]
    problems: tuple[Problem, ...]


def extract_npcs(
    transcript: Transcript,
    roster: Roster,
    *,
    glossary: Glossary = NO_GLOSSARY,
    extractor: str = "rules",
) -> Artifact:
    """Return the registry of *transcript*: who of the story is named in it.

    Args:
        transcript: The current source.
        roster: Nobody of it is ever an NPC.
        glossary: Canonical names that are found wherever one of their spellings occurs.
        extractor: One of ``EXTRACTORS``.

    Raises:
        UnknownProvider: There is no such extractor (TB301).

    Source: design E3, E4.
    """
    chosen = extractor_named(extractor)
    return _npcs(chosen, Session(transcript=transcript, roster=roster, glossary=glossary))


def extract_interactions(
    transcript: Transcript,
    roster: Roster,
    registry: Artifact,
    *,
    glossary: Glossary = NO_GLOSSARY,
    extractor: str = "rules",
) -> Artifact:
    """Return the occurrences of registered people in *transcript*.

    Only the registry's names are used: its ids and ranges are never read, let alone copied.

    Raises:
        UnknownProvider: There is no such extractor (TB301).
        InvalidArtifact: *registry* is no registry (TB110).

    Source: the NPC-interaction artifact spec, "Evidence, Registry, And Normalization".
    """
    chosen = extractor_named(extractor)
    session = Session(transcript=transcript, roster=roster, glossary=glossary)
    return _interactions(chosen, session, registry)


def run(
    transcript: Transcript,
    roster: Roster,
    *,
    glossary: Glossary = NO_GLOSSARY,
    extractor: str = "rules",
    progress: Progress | None = None,
) -> Extraction:
    """Extract the registry, then the interactions of the people in it.

    Args:
        transcript: The current source.
        roster: Who sits at the table.
        glossary: Other spellings, for look-up only.
        extractor: One of ``EXTRACTORS``.
        progress: Told after each stage.

    Raises:
        UnknownProvider: There is no such extractor (TB301).

    Source: the NPC-interaction artifact spec, "Production Pipeline".
    """
    chosen = extractor_named(extractor)
    tell = progress if progress is not None else _silent
    session = Session(transcript=transcript, roster=roster, glossary=glossary)
    registry = _npcs(chosen, session)
    tell(STAGES[0], 1, len(STAGES))
    interactions = _interactions(chosen, session, registry)
    tell(STAGES[1], 2, len(STAGES))
    return Extraction(
        registry=registry,
        interactions=interactions,
        manifest=_manifest(chosen, session, registry, interactions),
        problems=_warnings(transcript, roster),
    )


def _silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


def _npcs(extractor: Extractor, session: Session) -> Artifact:
    items = normalise_npcs(extractor.npcs(session))
    return make_artifact(ArtifactKind.NPC_LIST, items, transcript=session.transcript)


def _interactions(extractor: Extractor, session: Session, registry: Artifact) -> Artifact:
    names = names_of(registry)
    items = normalise_interactions(extractor.interactions(session, names), names=names)
    return make_artifact(
        ArtifactKind.NPC_INTERACTION_LIST,
        items,
        transcript=session.transcript,
        registry=registry,
    )


def _manifest(
    extractor: Extractor, session: Session, registry: Artifact, interactions: Artifact
) -> dict[str, Any]:
    transcript = session.transcript
    return {
        "manifest_version": MANIFEST_VERSION,
        "program": {"name": "talebearer", "version": __version__},
        "draft": extractor.draft,
        "extractor": {"name": extractor.name, "version": extractor.version},
        "source": {
            "source_id": transcript.source_id,
            "digest": transcript.digest,
            "format": transcript.format,
            "unit_count": len(transcript.units),
        },
        "references": {
            "roster_digest": _digest(_roster_json(session.roster)),
            "glossary_digest": _digest(_glossary_json(session.glossary)),
        },
        "artifacts": {
            "npcs": _identity(registry),
            "interactions": {**_identity(interactions), "consumes": {"npcs": registry.digest}},
        },
    }


def _identity(artifact: Artifact) -> dict[str, Any]:
    return {
        "kind": artifact.kind.value,
        "schema_id": artifact.schema_id,
        "schema_name": artifact.schema_name,
        "schema_version": artifact.schema_version,
        "media_type": artifact.media_type,
        "digest": artifact.digest,
        "metadata": dict(artifact.metadata),
    }


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _roster_json(roster: Roster) -> dict[str, Any]:
    groups = {
        "players": roster.players,
        "game_masters": roster.game_masters,
        "guests": roster.guests,
    }
    return {
        group: [
            {"name": one.name, "labels": list(one.labels), "characters": list(one.characters)}
            for one in people
        ]
        for group, people in groups.items()
    }


def _glossary_json(glossary: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {name: list(spellings) for name, spellings in glossary.items()}


def _warnings(transcript: Transcript, roster: Roster) -> tuple[Problem, ...]:
    problems = [
        Problem(
            code=findings_extraction.UNROSTERED_SPEAKER,
            severity=Severity.WARNING,
            where=Where(first_unit=speaker.longest[0].unit_id),
            message=f"{_label(speaker.label)} speaks {speaker.unit_count} units and has no role",
            hint="add the label to a player, a game master or a guest of the roster",
        )
        for speaker in unknown_speakers(transcript, roster)
    ]
    roles = {roster.role_of(label) for label in transcript.speakers}
    if SpeakerRole.GAME_MASTER not in roles and transcript.units:
        problems.append(
            Problem(
                code=findings_extraction.NO_GAME_MASTER,
                severity=Severity.WARNING,
                message="no game master of the roster speaks in the transcript",
                hint="add the game master's speaker label to the roster",
            )
        )
    return tuple(problems)


def _label(label: str) -> str:
    return repr(label[:LABEL_CHARS_SHOWN_MAX]) if label else "somebody without a label"
