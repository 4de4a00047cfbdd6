"""Both lanes in order: extract, normalise, validate; then say what was done, without contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer._version import __version__
from talebearer.errors import (
    Problem,
    ProviderError,
    Severity,
    UsageFault,
    Where,
    findings_extraction,
)
from talebearer.extraction._artifacts import Artifact, make_artifact, names_of
from talebearer.extraction._extractors import Extractor, extractor_named
from talebearer.extraction._normalise import normalise_interactions, normalise_npcs
from talebearer.extraction._roster import Roster, SpeakerRole, unknown_speakers
from talebearer.extraction._session import Glossary, Session
from talebearer.extraction.asking import ModelRun
from talebearer.extraction.pipeline import (
    Pipeline,
    PipelineResult,
    default_pipelines,
    digest_of,
    load_pipelines,
    model_json,
    roster_json,
    run_pipeline,
)
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind

MANIFEST_VERSION = 1
LABEL_CHARS_SHOWN_MAX = 60
SEAT_HINT = "add the label to a player, a game master or a guest of the roster"
UNLABELLED_HINT = "only a transcript that names its speakers can tell who said it"

Progress = Callable[[str, int, int], None]
"""Called with the lane, how many lanes are done, and how many there are."""

NO_GLOSSARY: Glossary = {}
NO_EXTERNALS: Mapping[str, Artifact] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What one session gave.

    Attributes:
        registry: The ``dnd/npc-list`` artifact.
        interactions: The ``dnd/npc-interaction-list`` artifact.
        manifest: Identities, digests and counts, JSON-ready; no names, ranges or payload.
        problems: Warnings about the input, such as speakers that the roster does not know, and
            about results, such as evidence without the name or chunks that the model refused.
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

    Source: rules NI-reg-lookup, NI-roster.
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
    pipeline: Pipeline | None = None,
    externals: Mapping[str, Artifact] = NO_EXTERNALS,
    model: ModelRun | None = None,
) -> Extraction:
    """Extract the registry, then the interactions of the people in it.

    Args:
        transcript: The current source.
        roster: Who sits at the table.
        glossary: Other spellings, for look-up only.
        extractor: One of ``EXTRACTORS``; what ``dnd/*`` components do when no model is given.
        progress: Told after each lane.
        pipeline: What runs; by default the registry, then the interactions.
        externals: Artifacts for the pipeline's ``external:`` references.
        model: The model that ``dnd/*`` components ask, with its limits and checkpoints.

    Raises:
        UnknownProvider: There is no such extractor (TB301).
        UsageFault: The pipeline does not take this transcript, or does not make both lists (TB111).
        InvalidArtifact: An artifact is rejected; steps that need it did not run (TB110).
        ProviderError: The model gave no acceptable answer (TB3xx); what was used until then is in
            ``data["usage"]``.

    Source: the NPC-interaction artifact spec, "Production Pipeline".
    """
    extractor_named(extractor)
    session = Session(transcript=transcript, roster=roster, glossary=glossary)
    chosen = pipeline if pipeline is not None else default_pipeline()
    try:
        result = run_pipeline(chosen, session, externals=externals, model=model, progress=progress)
    except ProviderError as error:
        if model is not None:
            error.data["usage"] = model.meter.report()
        raise
    registry = _made_last(result, ArtifactKind.NPC_LIST, externals)
    interactions = _made_last(result, ArtifactKind.NPC_INTERACTION_LIST, externals)
    return Extraction(
        registry=registry,
        interactions=interactions,
        manifest=_manifest(session, result, registry, interactions, model=model),
        problems=(*_warnings(transcript, roster), *result.problems),
    )


def default_pipeline() -> Pipeline:
    """Return what runs when nothing else is said: the registry, then the interactions."""
    return next(iter(load_pipelines(default_pipelines()).values()))


def _made_last(
    result: PipelineResult, kind: ArtifactKind, externals: Mapping[str, Artifact]
) -> Artifact:
    found = [one for one in (*externals.values(), *result.artifacts.values()) if one.kind is kind]
    if not found:
        raise UsageFault(
            f"the pipeline {result.manifest['id']!r} makes no {kind.value}",
            hint="a session needs a registry and an interaction list",
        )
    return found[-1]


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
    session: Session,
    result: PipelineResult,
    registry: Artifact,
    interactions: Artifact,
    *,
    model: ModelRun | None,
) -> dict[str, Any]:
    transcript = session.transcript
    made = list(result.made.values())
    return {
        "manifest_version": MANIFEST_VERSION,
        "program": {"name": "talebearer", "version": __version__},
        "draft": any(one.draft for one in made),
        "complete": all(one.complete for one in made),
        "extractor": made[-1].extractor,
        "source": {
            "source_id": transcript.source_id,
            "digest": transcript.digest,
            "format": transcript.format,
            "unit_count": len(transcript.units),
            "files": [
                {
                    "file": one.file,
                    "digest": one.digest,
                    "first_unit_id": one.first_unit_id,
                    "last_unit_id": one.last_unit_id,
                }
                for one in transcript.files
            ],
        },
        "references": {
            "roster_digest": digest_of(roster_json(session)),
            "glossary_digest": digest_of(_glossary_json(session.glossary)),
        },
        "artifacts": {
            "npcs": _identity(registry),
            "interactions": {**_identity(interactions), "consumes": {"npcs": registry.digest}},
        },
        "pipeline": result.manifest,
        "model": None if model is None else model_json(model),
        "usage": None if model is None else model.meter.report(),
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


def _glossary_json(glossary: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {name: list(spellings) for name, spellings in glossary.items()}


def _warnings(transcript: Transcript, roster: Roster) -> tuple[Problem, ...]:
    problems = [
        Problem(
            code=findings_extraction.UNROSTERED_SPEAKER,
            severity=Severity.WARNING,
            where=Where(first_unit=speaker.longest[0].unit_id),
            message=f"{_label(speaker.label)} speaks {speaker.unit_count} units and has no role",
            hint=SEAT_HINT if speaker.label else UNLABELLED_HINT,
        )
        for speaker in unknown_speakers(transcript, roster)
    ]
    roles = {roster.role_of(label) for label in transcript.speakers}
    if SpeakerRole.GAME_MASTER not in roles and transcript.units:
        problems.append(
            Problem(
                code=findings_extraction.NO_GAME_MASTER,
                severity=Severity.WARNING,
                where=Where(file=transcript.source_id),
                message="no game master of the roster speaks in the transcript",
                hint="add the game master's speaker label to the roster"
                if transcript.speakers
                else UNLABELLED_HINT,
            )
        )
    return tuple(problems)


def _label(label: str) -> str:
    return repr(label[:LABEL_CHARS_SHOWN_MAX]) if label else "somebody without a label"
