"""Strategies: how a draw is made of the lines that pass.

- ``top_scored``: one of the lines with the top score, all equally likely.
- ``weighted``: any line; in a conversation twice as likely for each point of score, in a monologue
  for each point of priority.
- ``best_specific``: of the lines with the most gates, one with the top score.
- ``least_recent``: of the lines with the top score, one never heard, or else heard longest ago.
- ``bag``: of the lines with the top score, each once before any comes again.

The score of a thought is its priority. In a bag, every line remembers the turn in which it was drawn
last, 0 before the first. While some of the lines are behind the others, one of these is drawn, and it
gets the turn of those in front; when all are level, any is, and the next turn begins.

Source: rules LP-L2, LP-L3, LP-L4.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from talebearer.lines import _bits
from talebearer.lines._view import View

STRATEGIES = ("top_scored", "weighted", "best_specific", "least_recent", "bag")
"""The names, see the module's text."""

_FEW = 12
"""Lines up to which counting them off is faster than any look-up; most draws are from fewer."""

SCORE_MIN = -2
"""The lowest score in a conversation: all tags differ on both axes."""

Found: TypeAlias = list[tuple[View, int]]
"""Lines as (view, set), in the order of the draw; no set is empty."""


class Scoring(Protocol):
    """How the lines of one request score."""

    def top(self, view: View, mask: int) -> tuple[int, int]:
        """Return the top score of *mask* and the lines that have it."""

    def levels(self, view: View, mask: int) -> list[tuple[int, int]]:
        """Return each score with its lines, most first."""

    def weight(self, score: int) -> int:
        """Return the weight of a score in a weighted draw, at least 1."""


class Group(NamedTuple):
    """Lines of one weight and score in a draw."""

    weight: int
    score: int
    lines: Found


class Drawn(NamedTuple):
    """What is drawn from.

    Attributes:
        groups: By weight.
        round: The turn of the bag that the drawn line gets; 0 without a bag.
    """

    groups: list[Group]
    round: int = 0


class Step(NamedTuple):
    """What one stage of a strategy left over, for explanations: its name and the lines after it."""

    stage: str
    left: Found


Steps: TypeAlias = list[Step]


def _best(found: Found, scoring: Scoring) -> tuple[int, Found]:
    """Return the top score over all views and the lines that have it."""
    best, kept = 0, _NONE
    for view, mask in found:
        score, bits = scoring.top(view, mask)
        if kept is _NONE or score > best:
            best, kept = score, [(view, bits)]
        elif score == best:
            kept.append((view, bits))
    return best, kept


_NONE: Found = []


def top_scored(found: Found, scoring: Scoring, steps: Steps | None = None) -> Drawn:
    """Draw from the lines with the top score."""
    score, kept = _best(found, scoring)
    if steps is not None:
        steps.append(Step("score", kept))
    return Drawn([Group(1, score, kept)])


def weighted(
    found: Found,
    scoring: Scoring,
    steps: Steps | None = None,  # noqa: ARG001  # reason: all strategies are called alike
) -> Drawn:
    """Draw from all lines, by weight."""
    groups: dict[int, Found] = {}
    for view, mask in found:
        for score, bits in scoring.levels(view, mask):
            groups.setdefault(score, []).append((view, bits))
    return Drawn(
        [Group(scoring.weight(score), score, groups[score]) for score in sorted(groups)[::-1]]
    )


def best_specific(found: Found, scoring: Scoring, steps: Steps | None = None) -> Drawn:
    """Draw from the lines with the most gates, of these with the top score."""
    best, kept = -1, _NONE
    for view, mask in found:
        for count, level in view.rules.specificity:
            bits = mask & level
            if bits:
                if count > best:
                    best, kept = count, [(view, bits)]
                elif count == best:
                    kept.append((view, bits))
                break
    if steps is not None:
        steps.append(Step("specificity", kept))
    return top_scored(kept, scoring, steps)


def least_recent(found: Found, scoring: Scoring, steps: Steps | None = None) -> Drawn:
    """Draw from the top-scored lines those never heard, or else those heard longest ago."""
    score, kept = _best(found, scoring)
    fresh = [(view, bits) for view, mask in kept if (bits := mask & ~view.heard_bits)]
    if not fresh:
        oldest = min(
            view.heard_at(position) for view, mask in kept for position in _bits.positions_of(mask)
        )
        fresh = [
            (view, bits) for view, mask in kept if (bits := mask & view.heard_in(oldest, mask))
        ]
    if steps is not None:
        steps.extend((Step("score", kept), Step("recency", fresh)))
    return Drawn([Group(1, score, fresh)])


def bag(found: Found, scoring: Scoring, steps: Steps | None = None) -> Drawn:
    """Draw from the top-scored lines those that are behind in their turn, or else any."""
    score, kept = _best(found, scoring)
    front = max(view.round_of(mask) for view, mask in kept)
    behind = [
        (view, bits) for view, mask in kept if (bits := mask & ~view.round_bits.get(front, 0))
    ]
    if front == 0 or not behind:
        behind, front = kept, front + 1
    if steps is not None:
        steps.extend((Step("score", kept), Step("bag", behind)))
    return Drawn([Group(1, score, behind)], front)


NARROW: dict[str, Callable[[Found, Scoring, Steps | None], Drawn]] = {
    "top_scored": top_scored,
    "weighted": weighted,
    "best_specific": best_specific,
    "least_recent": least_recent,
    "bag": bag,
}

STAGES: dict[str, tuple[str, ...]] = {
    "top_scored": ("score",),
    "weighted": (),
    "best_specific": ("specificity", "score"),
    "least_recent": ("score", "recency"),
    "bag": ("score", "bag"),
}
"""The stages of each strategy, in the order in which they drop lines."""


class Drawing(NamedTuple):
    """A finished draw: the line, and the odds that it had.

    Attributes:
        view: Where the line stands.
        position: Its position there.
        score: Its score.
        weight: Its weight.
        total: The sum of all weights.
        number: How many lines were in the draw.
    """

    view: View
    position: int
    score: int
    weight: int
    total: int
    number: int


def draw(groups: Sequence[Group], number: Callable[[], int]) -> Drawing:
    """Return the line on which the 64-bit *number* falls; it is not asked for when there is one.

    The lines stand in a row by view, and in file order in each, each as wide as its weight.

    Source: rule LP-L5.
    """
    if len(groups) == 1:
        return _evenly(groups[0], number)
    return _by_weight(groups, number)


def draw_evenly(view: View, bits: int, score: int, number: Callable[[], int]) -> Drawing:
    """Return what is drawn from one set of equally likely lines."""
    count = bits.bit_count()
    if count == 1:
        position = bits.bit_length() - 1
    elif count <= _FEW:
        left = bits
        for _ in range((number() * count) >> 64):
            left &= left - 1
        position = (left & -left).bit_length() - 1
    else:
        point = (number() * count) >> 64
        row = view.pool.rows.get(bits)
        position = _bits.nth(bits, point, count) if row is None else row[0][point]
    # What the constructor comes to, without a call in between.
    return tuple.__new__(Drawing, (view, position, score, 1, count, count))


def _evenly(group: Group, number: Callable[[], int]) -> Drawing:
    lines = group.lines
    if len(lines) == 1 and group.weight == 1:
        return draw_evenly(*lines[0], group.score, number)
    counts = [bits.bit_count() for _, bits in lines]
    count = sum(counts)
    point = (number() * count) >> 64 if count > 1 else 0
    place = 0
    while point >= counts[place]:
        point -= counts[place]
        place += 1
    view, bits = lines[place]
    weight = group.weight
    position = _bits.nth(bits, point, counts[place])
    return Drawing(view, position, group.score, weight, weight * count, count)


def draw_by_priority(found: Found, number: Callable[[], int]) -> Drawing | None:
    """Return what ``weighted`` draws from thoughts that were drawn from before, or None.

    The same draw as through groups, from rows that stand ready.
    """
    if len(found) == 1:
        ((view, mask),) = found
        row = view.pool.ranked.get(mask)
        return None if row is None else _by_rank(view, row, number)
    rows = [(view, view.pool.ranked.get(mask)) for view, mask in found]
    ready = [(view, *row) for view, row in rows if row is not None]
    if len(ready) < len(rows):
        return None
    total = sum(weights[-1] for _, _, weights in ready)
    count = sum(len(positions) for _, positions, _ in ready)
    point = (number() * total) >> 64 if count > 1 else 0
    for view, positions, weights in ready:
        if point < weights[-1]:
            position = positions[bisect_right(weights, point)]
            score = view.pool.priority[position]
            return Drawing(view, position, score, 1 << score, total, count)
        point -= weights[-1]
    raise AssertionError("a point below the total falls on a line")


def _by_rank(view: View, row: _bits.Row, number: Callable[[], int]) -> Drawing:
    """Return what is drawn from one view."""
    positions, weights = row
    total, count = weights[-1], len(positions)
    point = (number() * total) >> 64 if count > 1 else 0
    position = positions[bisect_right(weights, point)]
    score = view.pool.priority[position]
    return Drawing(view, position, score, 1 << score, total, count)


def _by_weight(groups: Sequence[Group], number: Callable[[], int]) -> Drawing:
    rows: dict[str, tuple[View, list[tuple[int, int]]]] = {}
    for group in groups:
        for view, bits in group.lines:
            rows.setdefault(view.pool.path, (view, []))[1].append((group.weight, bits))
    order = [rows[path] for path in sorted(rows)]
    widths = [sum(weight * bits.bit_count() for weight, bits in row) for _, row in order]
    total = sum(widths)
    point = (number() * total) >> 64
    place = 0
    while point >= widths[place]:
        point -= widths[place]
        place += 1
    view, row = order[place]
    position = _bits.nth_weighted(row, point)
    bit = 1 << position
    chosen = next(
        group for group in groups for one, bits in group.lines if one is view and bits & bit
    )
    count = sum(bits.bit_count() for _, row in order for _, bits in row)
    return Drawing(view, position, chosen.score, chosen.weight, total, count)
