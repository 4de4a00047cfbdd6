"""Scores of an extractor against labelled excerpts, beside the plainest baseline there is.

A pair of a labelled and a found interaction may match when the name is equal, a cited range
overlaps and, unless kinds are left aside, the kind is equal. Pairs are one-to-one and as many as
possible, so the order of records does not matter. Scores are counted, rounded and ordered the
same way always, and what is quoted is bounded.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from talebearer.extraction.scoring._found import Find
from talebearer.extraction.scoring._labelled import Cited, LabelledExcerpt
from talebearer.extraction.scoring._misses import examples_of
from talebearer.extraction.scoring._names import name_scores
from talebearer.extraction.scoring._pairing import NO_PAIRS, RATE_DIGITS, Pairing
from talebearer.extraction.scoring._rows import Row, row_of
from talebearer.vocabulary import OccurrenceKind

SCORES_VERSION = 1


def evaluate(
    excerpts: Sequence[LabelledExcerpt],
    find: Find,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Return all scores of *find* over *excerpts*, JSON-ready.

    Args:
        excerpts: From ``load_labelled`` or ``parse_labelled``.
        find: What to score; ``find_by(extractor)``, ``mention_baseline`` or any other function.
        progress: Told how many excerpts are done, and how many there are.

    Returns:
        ``version``, ``excerpt_count``, the micro scores ``strict``, ``without_kind`` and
        ``lenient``, ``by_kind`` (strict), ``names`` (None without a registry lane), ``widths``,
        and ``excerpts``: the same of each, with ``missed`` and ``false`` interactions quoted.
        At most 200 of either and 100 names are listed for an excerpt; counts are never cut.
    """
    rows: list[Row] = []
    for done, excerpt in enumerate(excerpts, 1):
        rows.append(row_of(excerpt, find(excerpt)))
        if progress is not None:
            progress(done, len(excerpts))
    return {
        "version": SCORES_VERSION,
        "excerpt_count": len(rows),
        **_scores(rows),
        "excerpts": [
            {"id": row.excerpt.excerpt_id, **_scores([row]), **examples_of(row)} for row in rows
        ],
    }


def _scores(rows: Sequence[Row]) -> dict[str, Any]:
    strict = [_counts(row, row.pairs) for row in rows]
    loose = [_counts(row, row.without_kind) for row in rows]
    return {
        "strict": _sum(strict).as_json(),
        "without_kind": _sum(loose).as_json(),
        "lenient": _sum([row.lenient for row in rows]).as_json(),
        "by_kind": {
            kind.value: _sum([_counts(row, row.pairs, kind.value) for row in rows]).as_json()
            for kind in OccurrenceKind
        },
        "names": name_scores([row.names for row in rows if row.names is not None]),
        "widths": _widths(rows),
    }


def _counts(row: Row, pairs: Mapping[int, int], kind: str | None = None) -> Pairing:
    labelled = [at for at, it in enumerate(row.excerpt.interactions) if kind in (None, it.kind)]
    matched = sum(at in pairs for at in labelled)
    found = sum(kind in (None, it.kind) for it in row.found)
    return Pairing(len(labelled), found, matched, matched)


def _sum(pairings: Iterable[Pairing]) -> Pairing:
    total = NO_PAIRS
    for pairing in pairings:
        total = total.plus(pairing)
    return total


def _widths(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how many units are cited, and what matched pairs share of what each of them cites."""
    pairs = [
        (row.excerpt.interactions[at].units, row.found[place].units)
        for row in rows
        for at, place in sorted(row.pairs.items())
    ]
    return {
        "labelled": _width([it for row in rows for it in row.excerpt.interactions]),
        "found": _width([it for row in rows for it in row.found]),
        "matched_share_of_found": _mean(len(one & two) / len(two) for one, two in pairs),
        "matched_share_of_labelled": _mean(len(one & two) / len(one) for one, two in pairs),
    }


def _width(items: Sequence[Cited]) -> dict[str, Any]:
    cited = sorted(len(item.units) for item in items)
    spans = sorted(item.ranges[-1][1] - item.start + 1 for item in items)
    return {
        "units_mean": _mean(cited),
        "units_median": statistics.median(cited) if cited else None,
        "units_max": cited[-1] if cited else None,
        "span_mean": _mean(spans),
        "span_median": statistics.median(spans) if spans else None,
        "span_max": spans[-1] if spans else None,
    }


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return round(statistics.fmean(kept), RATE_DIGITS) if kept else None
