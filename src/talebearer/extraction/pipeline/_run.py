"""Running a pipeline: step by step, each lane from accepted artifacts of earlier steps only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from talebearer.errors import InvalidArtifact, Problem, UsageFault
from talebearer.extraction._artifacts import Artifact, names_of
from talebearer.extraction._session import Session
from talebearer.extraction.asking import ModelRun
from talebearer.extraction.pipeline._components import Stage
from talebearer.extraction.pipeline._lane import LaneRun, Made
from talebearer.extraction.pipeline._load import ANY_INPUT, Binding, Lane, Pipeline, Step

Progress = Callable[[str, int, int], None]
"""Called with the lane, how many lanes are done, and how many there are."""

NO_EXTERNALS: Mapping[str, Artifact] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineResult:
    """What a pipeline gave.

    Attributes:
        artifacts: By ``step/lane``, in order of making.
        made: The same with who made it and what was noticed.
        manifest: The pipeline's part of the manifest, JSON-ready: identities, digests and
            fingerprints; no names, ranges or payload.
        problems: Warnings of all lanes.
    """

    artifacts: Mapping[str, Artifact]
    made: Mapping[str, Made]
    manifest: dict[str, Any]
    problems: tuple[Problem, ...]


def run_pipeline(
    pipeline: Pipeline,
    session: Session,
    *,
    externals: Mapping[str, Artifact] = NO_EXTERNALS,
    model: ModelRun | None = None,
    progress: Progress | None = None,
) -> PipelineResult:
    """Run every step in order.

    Args:
        pipeline: What to run; it was checked when it was loaded.
        session: The transcript and what is known beside it.
        externals: Artifacts for ``external:`` references.
        model: Whom ``dnd/*`` extractors ask; None: the embedded rules.
        progress: Told after each lane.

    Raises:
        UsageFault: The transcript's format is not the pipeline's input, or an external artifact is
            not given; nothing ran (TB111).
        InvalidArtifact: An artifact is rejected, or a bound one is of the wrong kind; the steps
            that need it do not run (TB110).
        ProviderError: The model gave no acceptable answer (TB3xx); accepted chunks are kept.

    Source: the NPC-interaction artifact spec, "Production Pipeline".
    """
    work = _Work(pipeline, session, externals, model)
    work.check()
    total = sum(len(step.lanes) for step in pipeline.steps)
    for step in pipeline.steps:
        for lane in step.lanes:
            work.make(step, lane)
            if progress is not None:
                progress(lane.name, len(work.made), total)
    return work.result()


@dataclass(slots=True)
class _Work:
    """One run of one pipeline."""

    pipeline: Pipeline
    session: Session
    externals: Mapping[str, Artifact]
    model: ModelRun | None
    made: dict[str, Made] = field(default_factory=dict)
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what cannot run, before anything does."""
        given = self.session.transcript.format
        if self.pipeline.input not in (ANY_INPUT, given):
            raise UsageFault(
                f"the pipeline {self.pipeline.id!r} takes {self.pipeline.input}, not {given}",
                hint=f"use input: {ANY_INPUT} to take every format",
            )
        missing = [name for name in self.pipeline.externals if name not in self.externals]
        if missing:
            raise UsageFault(
                f"the pipeline {self.pipeline.id!r} needs the external artifact {missing[0]!r}",
                hint="give it, or bind the slot to a lane of an earlier step",
            )
        for step in self.pipeline.steps:
            for lane in step.lanes:
                self._check_externals(lane)

    def make(self, step: Step, lane: Lane) -> None:
        """Run one lane and note what it was made of."""
        bound = {slot: self._bound(binding) for slot, binding in lane.bindings.items()}
        registry = bound.get("npcs")
        names = None if registry is None else names_of(registry)
        run = LaneRun(
            lane=lane, session=self.session, registry=registry, names=names, model=self.model
        )
        made = run.run()
        self.made[f"{step.id}/{lane.name}"] = made
        entry = self._entry(lane, made, bound)
        entry["fingerprint"] = digest_of({**entry, "inputs": self._inputs()})
        entry["artifact"] = made.artifact.digest
        self.steps.setdefault(step.id, {})[lane.name] = entry

    def result(self) -> PipelineResult:
        """Return all that was made."""
        problems = {problem: None for made in self.made.values() for problem in made.problems}
        return PipelineResult(
            artifacts={name: made.artifact for name, made in self.made.items()},
            made=self.made,
            manifest={
                "id": self.pipeline.id,
                "input": self.pipeline.input,
                "steps": [{"id": step, "lanes": lanes} for step, lanes in self.steps.items()],
            },
            problems=tuple(problems),
        )

    def _check_externals(self, lane: Lane) -> None:
        for slot, binding in lane.bindings.items():
            kind = {**lane.extract.slots, **lane.normalize.slots}[slot]
            given = self.externals.get(binding.external or "")
            if given is not None and given.kind is not kind:
                raise InvalidArtifact(
                    f"the slot {slot!r} needs {kind.value}, not {given.kind.value}",
                    hint="give the artifact that the slot needs",
                )

    def _bound(self, binding: Binding) -> Artifact:
        if binding.external is not None:
            return self.externals[binding.external]
        return self.made[f"{binding.step}/{binding.lane}"].artifact

    def _entry(self, lane: Lane, made: Made, bound: Mapping[str, Artifact]) -> dict[str, Any]:
        return {
            "kind": lane.kind.value,
            "extract": lane.extract.identity(),
            "normalize": lane.normalize.identity(),
            "validate": {
                stage.value: [component.identity() for component in lane.chains[stage]]
                for stage in Stage
            },
            "extractor": made.extractor,
            "prompt": made.prompt,
            "chunk_count": made.chunk_count,
            "complete": made.complete,
            "draft": made.draft,
            "references": {
                slot: {**_binding_json(lane.bindings[slot]), "digest": artifact.digest}
                for slot, artifact in sorted(bound.items())
            },
        }

    def _inputs(self) -> dict[str, Any]:
        """Return what else a lane's result depends on, as digests."""
        transcript = self.session.transcript
        model = self.model
        return {
            "source": [transcript.source_id, transcript.digest],
            "roster": digest_of(roster_json(self.session)),
            "glossary": digest_of({key: list(v) for key, v in self.session.glossary.items()}),
            "model": None if model is None else model_json(model),
        }


def model_json(model: ModelRun) -> dict[str, Any]:
    """Return the model and the settings that change what it may answer; no key is in it."""
    settings = model.settings
    return {
        **model.provider.identity,
        "max_output_tokens": settings.max_output_tokens,
        "chunk_tokens": settings.chunk_tokens,
        "context_units": settings.context_units,
        "tight_schema": settings.tight_schema,
    }


def digest_of(value: Any) -> str:
    """Return ``sha256:`` and 64 hex digits of *value* as canonical JSON."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def roster_json(session: Session) -> dict[str, Any]:
    """Return the roster as JSON, for digests only."""
    roster = session.roster
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


def _binding_json(binding: Binding) -> dict[str, Any]:
    if binding.external is not None:
        return {"external": binding.external}
    return {"step": binding.step, "lane": binding.lane}
