"""Running the extraction of one session: which pipeline, whom it asks, what it keeps and costs.

All that can be wrong without asking anybody is found by :func:`prepare`, before a transcript is read.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talebearer.campaign._config import CampaignConfig
from talebearer.campaign._layout import Layout
from talebearer.errors import StoreUnavailable, TalebearerError, UsageFault, did_you_mean
from talebearer.extraction import (
    Artifact,
    Estimate,
    Extraction,
    Glossary,
    ModelProgress,
    ModelRun,
    Pipeline,
    ProviderSettings,
    Roster,
    decode_artifact,
    default_pipelines,
    estimate,
    load_pipelines,
    open_provider,
    require_provider,
    run,
)
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind

EXTERNAL_BYTES_MAX = 16 * 1024 * 1024
SESSION_PREFIX = "session:"

StageProgress = Callable[[str, int, int], None]
ReadArtifact = Callable[[str, ArtifactKind], bytes]
"""From a session's id and a kind to the bytes of its recorded artifact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a recording is made, beyond what campaign.toml and pipelines.yaml say.

    Attributes:
        provider: Who extracts, such as ``rules`` or ``anthropic:claude-haiku-4-5``.
        model: Which model of the provider.
        workers: Requests at the same time, 1 to 64.
        max_cost_usd: Most dollars that the run may cost; None: no limit.
        resume: Whether replies that earlier runs accepted are used.
        pipeline: Which pipeline of pipelines.yaml; by default its first.
        externals: For each ``external:`` name of the pipeline a file with the artifact, or
            ``session:ID`` for that of a recorded session.
        environ: Where keys are; by default the process's environment.
        progress: Told how far the model is.
        report: Told what a model run used, also when it fails or is interrupted.
        clock: Seconds that only grow, for the time left; None: no estimate.
        sleep: Waits some seconds; by default a wait that ends when the run does.
    """

    provider: str | None = None
    model: str | None = None
    workers: int | None = None
    max_cost_usd: float | None = None
    resume: bool = True
    pipeline: str | None = None
    externals: Mapping[str, str] = field(default_factory=dict)
    environ: Mapping[str, str] | None = None
    progress: Callable[[ModelProgress], None] | None = None
    report: Callable[[Mapping[str, Any]], None] | None = None
    clock: Callable[[], float] | None = None
    sleep: Callable[[float], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """An extraction that was checked and can run.

    Attributes:
        layout: The campaign's folder.
        options: How to run.
        settings: Whom to ask, and how.
        pipeline: What runs.
        externals: What fills its ``external:`` references.
    """

    layout: Layout
    options: RunOptions
    settings: ProviderSettings
    pipeline: Pipeline
    externals: Mapping[str, Artifact]

    def estimate(self, transcript: Transcript, roster: Roster, glossary: Glossary) -> Estimate:
        """Return what the run would take; nobody is asked."""
        return estimate(
            transcript,
            roster,
            settings=self.settings,
            glossary=glossary,
            pipeline=self.pipeline,
            externals=self.externals,
        )

    def run(
        self,
        transcript: Transcript,
        roster: Roster,
        glossary: Glossary,
        *,
        at: str,
        progress: StageProgress | None,
    ) -> Extraction:
        """Return what the transcript gave.

        Args:
            transcript: The session.
            roster: Who sits at the table.
            glossary: Known spellings.
            at: The moment, for the line of costs.
            progress: Told after each lane.

        Raises:
            ProviderError: The model gave no acceptable answer (TB3xx); what was accepted is kept.
            InvalidArtifact: An artifact is rejected (TB110).
        """
        options = self.options
        folder = self.layout.checkpoints(transcript.source_id)
        with model_run(options, self.settings, checkpoints=folder) as model:
            if model is None:
                return self._run(transcript, roster, glossary, None, progress)
            outcome = "failed"
            try:
                extraction = self._run(transcript, roster, glossary, model, progress)
                outcome = "accepted"
            except KeyboardInterrupt:
                outcome = "interrupted"
                raise
            except TalebearerError as error:
                outcome = error.code
                raise
            finally:
                self._report(transcript.source_id, model, {"at": at, "outcome": outcome})
        return extraction

    def _run(
        self,
        transcript: Transcript,
        roster: Roster,
        glossary: Glossary,
        model: ModelRun | None,
        progress: StageProgress | None,
    ) -> Extraction:
        return run(
            transcript,
            roster,
            glossary=glossary,
            progress=progress,
            pipeline=self.pipeline,
            externals=self.externals,
            model=model,
        )

    def _report(self, session: str, model: ModelRun, facts: Mapping[str, str]) -> None:
        """Tell what the run used, and keep a line of it."""
        usage = model.meter.report()
        if self.options.report is not None:
            self.options.report(usage)
        identity = {name: model.provider.identity[name] for name in ("provider", "model")}
        line = json.dumps({**facts, **identity, "usage": usage}, sort_keys=True) + "\n"
        # The caller was told, and an accepted run has it in its manifest: a disk that is full must
        # not hide what ended the run.
        with suppress(OSError):
            path = self.layout.costs(session)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(line)


@contextmanager
def model_run(
    options: RunOptions, settings: ProviderSettings, *, checkpoints: Path | None
) -> Iterator[ModelRun | None]:
    """Open the provider of *settings* and yield a run that asks it; None for the embedded rules.

    Args:
        options: Limits, and whom to tell.
        settings: Whom to ask, and how.
        checkpoints: Folder of accepted replies; None keeps nothing.

    Raises:
        ProviderError: The provider cannot be opened, or has no price for the limit (TB3xx).
    """
    environ = os.environ if options.environ is None else options.environ
    provider = open_provider(settings, environ=environ)
    if provider is None:
        yield None
        return
    try:
        yield ModelRun(
            provider=provider,
            settings=settings,
            max_cost=options.max_cost_usd,
            checkpoints=checkpoints,
            resume=options.resume,
            progress=options.progress,
            sleep=options.sleep,
            clock=options.clock,
        )
    finally:
        provider.close()


def prepare(
    options: RunOptions, *, config: CampaignConfig, layout: Layout, read_artifact: ReadArtifact
) -> Runner:
    """Return the extraction that *options* ask for, checked as far as that needs no model.

    Raises:
        UnknownProvider: There is no such provider (TB301).
        InvalidProvider: A setting is missing or wrong (TB303).
        InvalidCampaign: pipelines.yaml cannot be used (TB107); all problems are listed.
        UsageFault: There is no such pipeline, or its external artifacts are not those given (TB111).
        InvalidArtifact: An external artifact breaks its contract (TB110).
    """
    settings = config.provider.choosing(
        provider=options.provider, model=options.model, workers=options.workers
    )
    require_provider(settings)
    cost = options.max_cost_usd
    if cost is not None and not (math.isfinite(cost) and cost >= 0):
        raise UsageFault(f"the largest cost is {cost}", hint="dollars, 0 or more")
    pipeline = _pipeline(layout, options.pipeline)
    return Runner(
        layout=layout,
        options=options,
        settings=settings,
        pipeline=pipeline,
        externals=_externals(pipeline, options.externals, read_artifact),
    )


def _pipeline(layout: Layout, name: str | None) -> Pipeline:
    path = layout.pipelines
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        # A campaign without the file runs what a new one gets.
        data = default_pipelines()
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be read: {error.strerror}") from error
    pipelines = load_pipelines(data, file=path.name)
    if name is None:
        return next(iter(pipelines.values()))
    if name not in pipelines:
        hint = did_you_mean(name, tuple(pipelines))
        raise UsageFault(f"{path.name} has no pipeline {name[:60]!r}", hint=hint)
    return pipelines[name]


def _externals(
    pipeline: Pipeline, given: Mapping[str, str], read_artifact: ReadArtifact
) -> dict[str, Artifact]:
    wanted = pipeline.external_kinds
    missing = sorted(set(wanted) - set(given))
    if missing:
        raise UsageFault(
            f"the pipeline {pipeline.id!r} needs the external artifact {missing[0]!r}",
            hint=f"give --external {missing[0]}=FILE, or {missing[0]}={SESSION_PREFIX}ID",
        )
    for name in given:
        if name not in wanted:
            known = ", ".join(sorted(wanted)) or "none"
            raise UsageFault(
                f"the pipeline {pipeline.id!r} takes no external artifact {name[:60]!r}",
                hint=f"it takes: {known}",
            )
    return {
        name: decode_artifact(kind, _external_bytes(given[name], kind, read_artifact))
        for name, kind in sorted(wanted.items())
    }


def _external_bytes(source: str, kind: ArtifactKind, read_artifact: ReadArtifact) -> bytes:
    if source.startswith(SESSION_PREFIX):
        return read_artifact(source.removeprefix(SESSION_PREFIX), kind)
    path = Path(source)
    try:
        with path.open("rb") as file:
            data = file.read(EXTERNAL_BYTES_MAX + 1)
    except OSError as error:
        raise UsageFault(
            f"the external artifact {path} cannot be read: {error.strerror}",
            hint=f"give a file with a {kind.value}, or {SESSION_PREFIX}ID",
        ) from error
    if len(data) > EXTERNAL_BYTES_MAX:
        raise UsageFault(
            f"the external artifact {path} has more than {EXTERNAL_BYTES_MAX} bytes",
            hint="an artifact of a session is far smaller",
        )
    return data
