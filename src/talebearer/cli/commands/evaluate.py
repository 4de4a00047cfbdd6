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
EXAMPLE = "Example: talebearer eval labelled-excerpts --json"


def run(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Labelled excerpts, a JSON file each.")
    ],
    extractor: Annotated[str, typer.Option("--extractor", help="Who extracts.")] = "rules",
    as_json: JsonOption = False,
) -> None:
    """Score an extractor against labels, beside the baseline that takes every name as mentioned.

    The extractor is given each excerpt's names as registry, its aliases as glossary and its party
    as roster.
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
    if as_json:
        print_json({"extractor": extractor, "scores": scores, "baseline": baseline["strict"]})
        return
    say(f"{extractor} on {plural(scores['excerpt_count'], 'excerpt')} of {folder}", style="bold")
    rows: list[tuple[str, Mapping[str, Any]]] = [
        ("strict", scores["strict"]),
        ("without kind", scores["without_kind"]),
        ("lenient", scores["lenient"]),
        ("baseline, strict", baseline["strict"]),
        *((f"  {kind}", score) for kind, score in scores["by_kind"].items()),
        *((excerpt["id"], excerpt["strict"]) for excerpt in scores["excerpts"]),
    ]
    print_table(
        ("what", "F1", "precision", "recall", "matched", "labelled", "found"),
        [
            (
                name,
                *(_share(score[key]) for key in ("f1", "precision", "recall")),
                *(str(score[key]) for key in ("matched", "labelled", "found")),
            )
            for name, score in rows
        ],
    )
    names = scores["names"]
    say(
        f"names alone: {names['recalled']} of {names['labelled']} found "
        f"(recall {_share(names['recall'])}), {plural(names['false'], 'false name')}"
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
