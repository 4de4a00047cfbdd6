"""The least change between two texts, row by row.

The standard library's matcher takes rows that come often, as most rows of a pool do, for noise, and then
shows far more than was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

CONTEXT_ROWS = 3
_STEPS_MAX = 600
"""Rows that come and go in one stretch, above which the standard library's matcher is asked: the work
grows with their square."""

Opcode = tuple[str, int, int, int, int]


def unified(before: Sequence[str], after: Sequence[str], old: str, new: str) -> Iterator[str]:
    """Yield a unified diff of rows that keep their line ends; nothing if they are equal."""
    matcher = _Matched(opcodes(before, after))
    if all(tag == "equal" for tag, *_ in matcher.get_opcodes()):
        return
    yield f"--- {old}\n"
    yield f"+++ {new}\n"
    for group in matcher.get_grouped_opcodes(CONTEXT_ROWS):
        first, last = group[0], group[-1]
        yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {row}" for row in before[i1:i2])
            else:
                yield from (f"-{row}" for row in before[i1:i2])
                yield from (f"+{row}" for row in after[j1:j2])


class _Matched(SequenceMatcher[str]):
    """What was matched elsewhere, for the grouping of the standard library."""

    def __init__(self, found: Iterable[Opcode]) -> None:
        super().__init__(None, (), ())
        self._found = list(found)

    def get_opcodes(self) -> list[Any]:
        return self._found


def _span(start: int, stop: int) -> str:
    length = stop - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def opcodes(before: Sequence[str], after: Sequence[str]) -> Iterator[Opcode]:
    """Yield how *before* becomes *after*, as difflib's matchers do, with as few rows as can be."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    room = min(len(before), len(after)) - head
    while tail < room and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    kept = _kept(a, b)
    if head:
        yield "equal", 0, head, 0, head
    for tag, i1, i2, j1, j2 in _between(kept, len(a), len(b)):
        yield tag, i1 + head, i2 + head, j1 + head, j2 + head
    if tail:
        yield "equal", len(before) - tail, len(before), len(after) - tail, len(after)


def _between(kept: Sequence[tuple[int, int, int]], a_size: int, b_size: int) -> Iterator[Opcode]:
    """Yield the stretches that are kept, and what comes and goes between them."""
    i = j = 0
    for at_a, at_b, length in (*kept, (a_size, b_size, 0)):
        if i < at_a or j < at_b:
            tag = "replace" if i < at_a and j < at_b else "delete" if i < at_a else "insert"
            yield tag, i, at_a, j, at_b
        if length:
            yield "equal", at_a, at_a + length, at_b, at_b + length
        i, j = at_a + length, at_b + length


def _kept(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the rows that stay, as (place in a, place in b, how many): Myers's greedy search."""
    if not a or not b:
        return []
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for steps in range(min(len(a) + len(b), _STEPS_MAX) + 1):
        trace.append(dict(furthest))
        for k in range(-steps, steps + 1, 2):
            is_down = k == -steps or (
                k != steps and furthest.get(k - 1, -1) < furthest.get(k + 1, -1)
            )
            x = furthest[k + 1] if is_down else furthest[k - 1] + 1
            y = x - k
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x, y = x + 1, y + 1
            furthest[k] = x
            if x >= len(a) and y >= len(b):
                return _stretches(_walked_back(trace, len(a), len(b)))
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return [(one.a, one.b, one.size) for one in blocks if one.size]


def _walked_back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """Return the pairs of rows that stay, in order."""
    pairs: list[tuple[int, int]] = []
    for steps in range(len(trace) - 1, -1, -1):
        furthest, k = trace[steps], x - y
        is_down = k == -steps or (k != steps and furthest.get(k - 1, -1) < furthest.get(k + 1, -1))
        before_k = k + 1 if is_down else k - 1
        before_x = furthest.get(before_k, 0) if steps else 0
        before_y = before_x - before_k if steps else 0
        while x > before_x and y > before_y:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = before_x, before_y
    return pairs[::-1]


def _stretches(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    for x, y in pairs:
        if found and found[-1][0] + found[-1][2] == x and found[-1][1] + found[-1][2] == y:
            found[-1] = (found[-1][0], found[-1][1], found[-1][2] + 1)
        else:
            found.append((x, y, 1))
    return found
