"""The page of an evaluation: scores beside the baseline, and every miss with its quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talebearer.server.pages._environment import environment_of
from talebearer.vocabulary import OccurrenceKind

Scores = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One line of a table of scores.

    Attributes:
        name: What is scored.
        score: Counts and rates.
        baseline: The same of the mention baseline.
        anchor: Where the page has more of it; empty when nowhere.
    """

    name: str
    score: Scores
    baseline: Scores
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcerptMisses:
    """What went wrong in one excerpt.

    Attributes:
        id: Of the excerpt.
        anchor: Where it stands on the page.
        score: Its strict score.
        wrong_kinds: Labelled interactions that were found there under another kind.
        missed: Labelled interactions that were not found.
        false: Found interactions that are not labelled so.
        missed_names: Labelled names that the registry lacks.
        false_names: Names of the registry that are not labelled.
    """

    id: str
    anchor: str
    score: Scores
    wrong_kinds: Sequence[Scores]
    missed: Sequence[Scores]
    false: Sequence[Scores]
    missed_names: Sequence[str]
    false_names: Sequence[str]


def render_scores(scores: Scores, baseline: Scores, *, extractor: str, folder: str) -> str:
    """Return an evaluation as one HTML document without scripts or outside requests.

    All text of excerpts and labels is escaped: it is data, never markup.

    Args:
        scores: What ``talebearer.extraction.evaluate`` gave for the extractor.
        baseline: What it gave for the mention baseline, over the same excerpts.
        extractor: Who extracted.
        folder: What the labelled folder is called.
    """
    environment = environment_of()
    environment.filters["rate"] = _rate
    environment.filters["number"] = _number
    before = {one["id"]: one["strict"] for one in baseline["excerpts"]}
    excerpts = [
        _misses(one, anchor=f"excerpt-{place}") for place, one in enumerate(scores["excerpts"], 1)
    ]
    return environment.get_template("scores.html.j2").render(
        extractor=extractor,
        folder=folder,
        count=scores["excerpt_count"],
        overall=[
            ScoreRow(name="strict", score=scores["strict"], baseline=baseline["strict"]),
            ScoreRow(
                name="without kind",
                score=scores["without_kind"],
                baseline=baseline["without_kind"],
            ),
            ScoreRow(name="lenient", score=scores["lenient"], baseline=baseline["lenient"]),
        ],
        by_kind=[
            ScoreRow(
                name=kind.value,
                score=scores["by_kind"][kind.value],
                baseline=baseline["by_kind"][kind.value],
            )
            for kind in OccurrenceKind
        ],
        by_excerpt=[
            ScoreRow(name=one.id, score=one.score, baseline=before[one.id], anchor=one.anchor)
            for one in excerpts
        ],
        names=scores["names"],
        widths=scores["widths"],
        excerpts=excerpts,
    )


def _misses(one: Scores, *, anchor: str) -> ExcerptMisses:
    return ExcerptMisses(
        id=one["id"],
        anchor=anchor,
        score=one["strict"],
        wrong_kinds=[item for item in one["missed"] if item["other_kinds_here"]],
        missed=[item for item in one["missed"] if not item["other_kinds_here"]],
        false=one["false"],
        missed_names=one["missed_names"],
        false_names=one["false_names"],
    )


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 1):g}"
