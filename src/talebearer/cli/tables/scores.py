"""The table of ``talebearer eval``: scores beside the baseline, names, widths."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from talebearer.cli._output import plural, print_table, say


def print_scores(
    scores: Mapping[str, Any], baseline: Mapping[str, Any], *, extractor: str, folder: Path
) -> None:
    """Print *scores* beside those of the mention baseline."""
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
