"""Sets of lines as integers: bit *i* stands for the line at position *i*.

Python's integers do a thousand lines in a fraction of a microsecond, which is what makes a pick fast
without anything that has to be compiled.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

_WORD = 64
ROWS_KEPT = 256
ROW_LINES_MAX = 2048


def of_positions(positions: Iterable[int], size: int) -> int:
    """Return the set of *positions*, all below *size*, in time that grows with both once."""
    digits = bytearray(b"0") * size
    last = size - 1
    for position in positions:
        digits[last - position] = 49  # the digit 1
    return int(digits, 2) if size else 0


def by_value(column: Sequence[tuple[str, ...]], values: Iterable[str]) -> dict[str, int]:
    """Return for each of *values* the set of positions whose tuple in *column* has it."""
    groups = grouped(column)
    size = len(column)
    return {
        value: of_positions(
            (place for combo, places in groups.items() if value in combo for place in places), size
        )
        for value in values
    }


def grouped(column: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], list[int]]:
    """Return the positions of each different tuple of *column*."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for position, combo in enumerate(column):
        found = groups.get(combo)
        if found is None:
            groups[combo] = [position]
        else:
            found.append(position)
    return groups


def positions_of(bits: int) -> Iterator[int]:
    """Yield the positions in *bits*, ascending."""
    digits = bin(bits)[:1:-1]
    position = digits.find("1")
    while position >= 0:
        yield position
        position = digits.find("1", position + 1)


def digits(bits: int, size: int) -> str:
    """Return *bits* as ``0`` and ``1`` by position, for looking at one position after the other.

    Cutting single bits out of a large set would take a pass over it each time.
    """
    return f"{bits:0{size}b}"[::-1] if size else ""


def nth(bits: int, index: int, count: int) -> int:
    """Return the position of the set bit that has *index* of all *count* set bits below it.

    Halves the set and counts, so that all steps together cost about two passes over it.
    """
    base = 0
    width = bits.bit_length()
    while width > _WORD:
        half = width >> 1
        high = bits >> half
        above = high.bit_count()
        below = count - above
        if index < below:
            bits ^= high << half
            width = half
            count = below
        else:
            index -= below
            bits = high
            base += half
            width -= half
            count = above
    for _ in range(index):
        bits &= bits - 1
    return base + (bits & -bits).bit_length() - 1


Row = tuple["array[int]", list[int]]


class Rows:
    """The positions of sets that are asked for again and again, in a row.

    Looking a set up takes a fraction of the time that counting and cutting it takes. A set gets its row
    when it comes a second time, so that one that comes once costs next to nothing, and only when it is
    not too large: of these cutting is not the main part.

    Args:
        width: The weight of a position; None for rows without weights.
    """

    __slots__ = ("_rows", "_width")

    def __init__(self, width: Callable[[int], int] | None = None) -> None:
        self._width = width
        self._rows: dict[int, Row | bool] = {}

    def get(self, bits: int) -> Row | None:
        """Return the positions of *bits* and their cumulative weights, or None."""
        row = self._rows.get(bits)
        if row is None:
            if len(self._rows) >= ROWS_KEPT:
                self._rows.clear()
            self._rows[bits] = True
            return None
        if isinstance(row, tuple):
            return row
        return self._made(bits) if row else None

    def _made(self, bits: int) -> Row | None:
        """Return the row of a set that came a second time; False is kept for one that is too large."""
        if bits.bit_count() > ROW_LINES_MAX:
            self._rows[bits] = False
            return None
        positions = array("I", positions_of(bits))
        weights = [] if self._width is None else list(accumulate(map(self._width, positions)))
        self._rows[bits] = row = (positions, weights)
        return row


def nth_weighted(levels: Sequence[tuple[int, int]], point: int) -> int:
    """Return the position on which *point* falls when all positions stand in a row.

    Args:
        levels: Weight and set of each level; the sets do not overlap.
        point: From 0 to below the sum of all weights.
    """
    base = 0
    width = max(bits.bit_length() for _, bits in levels)
    while width > 1:
        half = width >> 1
        mask = (1 << half) - 1
        lows = [(weight, bits & mask) for weight, bits in levels]
        below = sum(weight * bits.bit_count() for weight, bits in lows)
        if point < below:
            levels = [level for level in lows if level[1]]
            width = half
        else:
            point -= below
            levels = [(weight, bits >> half) for weight, bits in levels if bits >> half]
            base += half
            width -= half
    return base


def shared_counts(masks: Sequence[int], tagged: int) -> list[tuple[int, int]]:
    """Return (how many of *masks* hold it, the set) for the positions in *tagged*, most first."""
    levels = [tagged]
    for mask in masks:
        taken = [level & mask for level in levels]
        levels.append(0)
        for place, moved in enumerate(taken):
            levels[place] ^= moved
            levels[place + 1] |= moved
    return [(count, bits) for count, bits in reversed(list(enumerate(levels))) if bits]


def at_or_below(exact: Mapping[str, int]) -> dict[str, int]:
    """Return for each tier, in the order of *exact*, the union of its set and all before it."""
    total = 0
    reached: dict[str, int] = {}
    for tier, mask in exact.items():
        total |= mask
        reached[tier] = total
    return reached
