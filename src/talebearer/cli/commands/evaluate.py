"""``talebearer eval``: how well an extractor does on labelled excerpts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_table, progress, say

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "eval"
EXAMPLE = "Example: talebearer eval labelled-excerpts --html scores.html"


def run(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Labelled excerpts, a JSON file each.")
    ],
    extractor: Annotated[str, typer.Option("--extractor", help="Who extracts.")] = "rules",
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
    from talebearer.errors import UsageFault, did_you_mean
    from talebearer.extraction import EXTRACTORS, evaluate, find_by, load_labelled, mention_baseline

    if extractor not in EXTRACTORS:
        hint = did_you_mean(extractor, EXTRACTORS)
        raise UsageFault(f"there is no extractor {extractor!r}", hint=hint)
    excerpts = load_labelled(folder)
    with progress("scoring", quiet=as_json) as advance:

        def tell(done: int, total: int) -> None:
            if advance is not None:
                advance("excerpts", done, total)

        scores = evaluate(excerpts, find_by(extractor), progress=tell)
        baseline = evaluate(excerpts, mention_baseline)
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
            }
        )
        return
    _show(scores, baseline, extractor=extractor, folder=folder)
    if html is not None:
        say(f"page: {html}")


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


def _show(
    scores: Mapping[str, Any], baseline: Mapping[str, Any], *, extractor: str, folder: Path
) -> None:
    say(f"{extractor} on {plural(scores['excerpt_count'], 'excerpt')} of {folder}", style="bold")
    before = {one["id"]: one["strict"] for one in baseline["excerpts"]}
    rows: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = [
        ("strict", scores["strict"], baseline["strict"]),
        ("without kind", scores["without_kind"], baseline["without_kind"]),
        ("lenient", scores["lenient"], baseline["lenient"]),
        *(
            (f"  {kind}", score, baseline["by_kind"][kind])
            for kind, score in scores["by_kind"].items()
        ),
        *((one["id"], one["strict"], before[one["id"]]) for one in scores["excerpts"]),
    ]
    print_table(
        ("what", "F1", "baseline", "precision", "recall", "matched", "labelled", "found"),
        [
            (
                name,
                _share(score["f1"]),
                _share(other["f1"]),
                *(_share(score[key]) for key in ("precision", "recall")),
                *(str(score[key]) for key in ("matched", "labelled", "found")),
            )
            for name, score, other in rows
        ],
        wrap=("what",),
    )
    names = scores["names"]
    if names is not None:
        say(
            f"names alone: {names['recalled']} of {names['labelled']} found "
            f"(recall {_share(names['recall'])}), {plural(names['false'], 'false name')}"
        )
    widths = scores["widths"]
    for key in ("labelled", "found"):
        width = widths[key]
        say(
            f"units cited, {key}: median {_number(width['units_median'])}, "
            f"mean {_number(width['units_mean'])}, most {_number(width['units_max'])}; from first "
            f"to last: median {_number(width['span_median'])}, most {_number(width['span_max'])}"
        )
    say(
        f"where both agree, {_share(widths['matched_share_of_found'])} of the units found are "
        f"labelled, and {_share(widths['matched_share_of_labelled'])} the other way round"
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{round(value, 1):g}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
