"""``talebearer eval``: how well an extractor does on labelled excerpts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from talebearer.cli._models import (
    MaxCostOption,
    ModelOption,
    ProviderOption,
    WorkersOption,
    run_options,
    usage_text,
)
from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, progress, say
from talebearer.cli.tables.scores import print_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from talebearer.errors import BadModelOutput
    from talebearer.extraction import ProviderSettings

NAME = "eval"
REJECTED_SHOWN_MAX = 10
EXAMPLE = "Example: talebearer eval labelled-excerpts --html scores.html"


def run(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Labelled excerpts, a JSON file each.")
    ],
    provider: ProviderOption = None,
    model: ModelOption = None,
    workers: WorkersOption = None,
    max_cost: MaxCostOption = None,
    campaign: Annotated[
        Path | None,
        typer.Option(
            "--campaign",
            metavar="DIR",
            help="A campaign whose [provider] says who extracts; else the rules do.",
            show_default=False,
        ),
    ] = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option(
            "--checkpoints",
            metavar="DIR",
            help="Where accepted replies of a model are kept, so that they are not asked for again.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with the misses quoted, too."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score an extractor against labels, beside the baseline that takes every name as mentioned.

    The extractor is given each excerpt's names as registry, its aliases as glossary and its party
    as roster. A labelled and a found interaction pair up when name and kind are equal and a range
    overlaps, each at most once and as many as possible.
    """
    from talebearer.campaign import load_config
    from talebearer.extraction import ProviderSettings, require_provider

    base = load_config(campaign / "campaign.toml").provider if campaign else ProviderSettings()
    settings = base.choosing(provider=provider, model=model, workers=workers)
    require_provider(settings)
    done = _score(folder, settings, max_cost=max_cost, checkpoints=checkpoints, quiet=as_json)
    extractor = settings.provider + (f":{settings.model}" if settings.model else "")
    scores, baseline = done.scores, done.baseline
    if html is not None:
        _write_page(html, scores, baseline, extractor=extractor, folder=folder.name)
    if as_json:
        print_json(
            {
                "extractor": extractor,
                "scores": scores,
                "baseline": baseline["strict"],
                "baseline_by_kind": baseline["by_kind"],
                "baseline_excerpts": {one["id"]: one["strict"] for one in baseline["excerpts"]},
                "page": None if html is None else str(html),
                "rejected": done.rejected,
                "usage": done.usage,
            }
        )
        return
    print_scores(scores, baseline, extractor=extractor, folder=folder)
    _show_asking(done)
    if html is not None:
        say(f"page: {html}")


class _Scored(NamedTuple):
    """What scoring gave, and of a model also what was rejected and used."""

    scores: Mapping[str, Any]
    baseline: Mapping[str, Any]
    rejected: list[str]
    usage: Mapping[str, Any] | None


def _score(
    folder: Path,
    settings: ProviderSettings,
    *,
    max_cost: float | None,
    checkpoints: Path | None,
    quiet: bool,
) -> _Scored:
    from talebearer.campaign import model_run
    from talebearer.extraction import (
        evaluate,
        find_by,
        find_by_model,
        load_labelled,
        mention_baseline,
    )

    excerpts = load_labelled(folder)
    options = run_options(
        provider=None, model=None, pipeline=None, externals=None, max_cost=max_cost
    )
    rejected: list[str] = []
    with (
        progress("scoring", quiet=quiet) as advance,
        model_run(options, settings, checkpoints=checkpoints) as asked,
    ):

        def tell(done: int, total: int) -> None:
            if advance is not None:
                advance("excerpts", done, total)

        def refuse(excerpt: str, error: BadModelOutput) -> None:
            rejected.append(f"{excerpt}: {error}")

        find = find_by() if asked is None else find_by_model(asked, rejected=refuse)
        scores = evaluate(excerpts, find, progress=tell)
        baseline = evaluate(excerpts, mention_baseline)
        usage = None if asked is None else asked.meter.report()
    return _Scored(scores, baseline, rejected, usage)


def _show_asking(done: _Scored) -> None:
    if done.usage is not None:
        say(usage_text(done.usage))
    for line in done.rejected[:REJECTED_SHOWN_MAX]:
        say(f"  rejected, so that nothing counts as found: {line}", style="yellow")
    more = len(done.rejected) - REJECTED_SHOWN_MAX
    if more > 0:
        say(f"  … and {more} more; --json lists all", style="yellow")


def _write_page(
    path: Path,
    scores: Mapping[str, Any],
    baseline: Mapping[str, Any],
    *,
    extractor: str,
    folder: str,
) -> None:
    from talebearer.campaign import write_whole
    from talebearer.errors import UsageFault
    from talebearer.server import render_scores

    if path.is_dir() or not path.parent.is_dir():
        raise UsageFault(f"{path} cannot be a file", hint="name a file in a folder that exists")
    page = render_scores(scores, baseline, extractor=extractor, folder=folder)
    write_whole(path, page.encode("utf-8", "backslashreplace"))
