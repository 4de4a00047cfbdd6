"""Options of the commands that may ask a model, and how its work is told."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from talebearer.cli._output import console, plural
from talebearer.errors import UsageFault, visible

if TYPE_CHECKING:
    from talebearer.campaign import RunOptions
    from talebearer.extraction import ModelProgress

ProviderOption = Annotated[
    str | None,
    typer.Option(
        "--provider",
        "--extractor",
        metavar="P",
        help="Who extracts: rules, openai, openai-compatible, anthropic, gemini, ollama, cassette, or a "
        "plug-in's key; P:MODEL names the model, too. Else campaign.toml's.",
        show_default=False,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help="The model's name.", show_default=False),
]
PipelineOption = Annotated[
    str | None,
    typer.Option("--pipeline", metavar="ID", help="Of pipelines.yaml; else its first."),
]
ExternalOption = Annotated[
    list[str] | None,
    typer.Option(
        "--external",
        metavar="NAME=FILE",
        help="An artifact for an external reference of the pipeline: a file, or NAME=session:ID for that "
        "of a recorded session. May be repeated.",
        show_default=False,
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, max=64, help="Requests at the same time."),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", min=0, help="Most dollars of the run; a hard limit."),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume/--no-resume",
        help="Use what a model answered in runs that did not end, or ask anew.",
    ),
]

TENTHS = 10


class Told(NamedTuple):
    """Whom a run tells how far it is; None is nobody.

    Attributes:
        stage: Called with (stage, done, total).
        model: Called at the start of each lane of a model and after each chunk.
    """

    stage: Callable[[str, int, int], None] | None
    model: Callable[[ModelProgress], None] | None


def run_options(
    *,
    provider: str | None,
    model: str | None,
    pipeline: str | None,
    externals: Sequence[str] | None,
    workers: int | None = None,
    max_cost: float | None = None,
    resume: bool = True,
    told: Told | None = None,
    report: Callable[[Mapping[str, Any]], None] | None = None,
) -> RunOptions:
    """Return the options of a run as the command line gives them."""
    from talebearer.campaign import RunOptions

    return RunOptions(
        provider=provider,
        model=model,
        pipeline=pipeline,
        externals=_named(externals or ()),
        workers=workers,
        max_cost_usd=max_cost,
        resume=resume,
        progress=told.model if told else None,
        report=report,
        clock=time.monotonic,
    )


def _named(given: Sequence[str]) -> dict[str, str]:
    named: dict[str, str] = {}
    for text in given:
        name, sign, source = text.partition("=")
        if not (name and sign and source):
            raise UsageFault(f"--external {text[:80]!r} names no artifact", hint="NAME=FILE")
        if name in named:
            raise UsageFault(f"--external {name[:60]!r} is given twice", hint="give it once")
        named[name] = source
    return named


@contextmanager
def telling(title: str, *, quiet: bool) -> Iterator[Told]:
    """Yield whom to tell: one bar on a terminal's standard error, else a line a tenth of a lane."""
    if quiet:
        yield Told(None, None)
        return
    if not sys.stderr.isatty():
        yield Told(None, Lines(title))
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.fields[detail]}"),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, detail="")

        def stage(name: str, done: int, total: int) -> None:
            described = f"{title}: {name}"
            bar.update(task, description=described, completed=done, total=total or None, detail="")

        def model(step: ModelProgress) -> None:
            bar.update(
                task,
                description=visible(step.lane),
                completed=step.chunks_done,
                total=step.chunks_total,
                detail=short_text(step),
            )

        yield Told(stage, model)


class Lines:
    """Progress as lines of text, for a log: one at the start of a lane and one a tenth of it."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._last: tuple[str, int] | None = None

    def __call__(self, step: ModelProgress) -> None:
        """Print a line if *step* is in another tenth than the last."""
        now = (step.lane, step.chunks_done * TENTHS // max(step.chunks_total, 1))
        if now != self._last:
            text = f"{self._title}: {step.lane}: {progress_text(step)}"
            print(visible(text), file=sys.stderr, flush=True)
        self._last = now


def progress_text(step: ModelProgress) -> str:
    """Return how far a lane is: chunks, tokens, cost and time left."""
    parts = [f"{step.chunks_done} of {plural(step.chunks_total, 'chunk')}"]
    if step.input_tokens or step.output_tokens:
        parts.append(f"{step.input_tokens:,} tokens in, {step.output_tokens:,} out")
    if step.cost_usd is not None:
        parts.append(dollars(step.cost_usd))
    if step.left_s is not None and step.chunks_done < step.chunks_total:
        parts.append(f"about {_duration(step.left_s)} left")
    return ", ".join(parts)


def short_text(step: ModelProgress) -> str:
    """Return the same for a bar beside it, in a line of eighty columns."""
    parts = [f"{step.chunks_done}/{step.chunks_total} chunks"]
    if step.input_tokens or step.output_tokens:
        parts.append(f"{_thousands(step.input_tokens)} in, {_thousands(step.output_tokens)} out")
    if step.cost_usd is not None:
        parts.append(dollars(step.cost_usd))
    if step.left_s is not None and step.chunks_done < step.chunks_total:
        parts.append(f"{_duration(step.left_s)} left")
    return ", ".join(parts)


def _thousands(count: int) -> str:
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count)


def usage_text(usage: Mapping[str, Any]) -> str:
    """Return the cost report of a run in one paragraph."""
    apart = {
        "requests_re_asked": "asked again after a rejected reply",
        "requests_busy": "not answered since the model was busy",
        "requests_failed": "failed",
    }
    details = [f"{usage[name]} {text}" for name, text in apart.items() if usage.get(name)]
    parts = [plural(usage.get("requests", 0), "request")]
    if details:
        parts[0] += f" ({', '.join(details)})"
    for name, text in (
        ("chunks_resumed", "kept from before"),
        ("chunks_split", "split since a reply was cut off"),
    ):
        if usage.get(name):
            parts.append(f"{plural(usage[name], 'chunk')} {text}")
    cached = f" ({usage['cached_tokens']:,} from a cache)" if usage.get("cached_tokens") else ""
    read, written = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    parts.append(f"{read:,} tokens in{cached}, {written:,} out")
    cost = usage["cost_usd"]
    if cost is None:
        parts.append("cost not known: set [provider.prices]")
    else:
        parts.append(f"{dollars(cost)} by prices of {usage['prices_as_of']}")
    return "; ".join(parts)


def unfinished_text(usage: Mapping[str, Any]) -> str:
    """Return what a run that did not end has used, and how to go on."""
    return (
        f"used until here: {usage_text(usage)}\n"
        "What the model answered and was accepted is kept; run the same command again, "
        "and only the rest is asked."
    )


def dollars(amount: float) -> str:
    """Return an amount with as many digits as a run of cents needs."""
    return f"${amount:.4f}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    return f"{round(whole / 60)} min" if whole < 5400 else f"{whole / 3600:.1f} h"
