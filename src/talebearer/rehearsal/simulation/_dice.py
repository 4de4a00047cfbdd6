"""The numbers of one playthrough."""

from __future__ import annotations

from collections.abc import Sequence
from struct import unpack
from typing import TypeVar

from talebearer.lines import number_of

T = TypeVar("T")


_MASK = 0xFFFFFFFFFFFFFFFF
_STEP = 0x9E3779B97F4A7C15
_AHEAD = 128
"""Numbers that are thrown at once."""

# One integer holds all of them, each in the lower half of 128 bits of its own: so a product stays where
# it belongs, and what a shift brings along from the next one falls into the upper half.
_LANE_BITS = 128
_ONES = sum(1 << _LANE_BITS * place for place in range(_AHEAD))
_MASKS = _MASK * _ONES
_STEPS = sum(
    ((place + 1) * _STEP & _MASK) << _LANE_BITS * (_AHEAD - 1 - place) for place in range(_AHEAD)
)


def numbers(state: int) -> list[int]:
    """Return what as many calls of :class:`talebearer.lines.SplitMix64` give, the first one last."""
    lanes = (_STEPS + state * _ONES) & _MASKS
    lanes = ((lanes ^ (lanes >> 30)) & _MASKS) * 0xBF58476D1CE4E5B9 & _MASKS
    lanes = ((lanes ^ (lanes >> 27)) & _MASKS) * 0x94D049BB133111EB & _MASKS
    lanes = (lanes ^ (lanes >> 31)) & _MASKS
    halves = unpack(f"<{2 * _AHEAD}Q", lanes.to_bytes(_AHEAD * _LANE_BITS // 8, "little"))
    return list(halves[::2])


class Dice:
    """What a player throws: one generator, seeded by the run's seed and the playthrough's number.

    Args:
        seed: The run's seed.
        playthrough: Which playthrough, from 1.
    """

    __slots__ = ("_state", "_thrown")

    def __init__(self, seed: int, playthrough: int) -> None:
        self._state = number_of(f'["player",{seed},{playthrough}]')
        # Thrown ahead, many at once, and taken from the end.
        self._thrown: list[int] = []

    def _throw(self) -> list[int]:
        self._thrown = numbers(self._state)
        self._state = (self._state + _AHEAD * _STEP) & _MASK
        return self._thrown

    def below(self, bound: int) -> int:
        """Return a number from 0 to *bound* - 1."""
        return ((self._thrown or self._throw()).pop() * bound) >> 64

    def within(self, span: tuple[int, int]) -> int:
        """Return a number of *span*, both ends included."""
        least, most = span
        if least == most:
            return least
        return least + (((self._thrown or self._throw()).pop() * (most - least + 1)) >> 64)

    def one(self, items: Sequence[T]) -> T:
        """Return one of *items*, which are not empty."""
        return items[((self._thrown or self._throw()).pop() * len(items)) >> 64]

    def maybe(self, chance: float, items: Sequence[T]) -> tuple[T, ...]:
        """Return one of *items* at this *chance*, or none; nothing is thrown where there are none."""
        if not items or chance <= 0:
            return ()
        if chance < 1 and (self._thrown or self._throw()).pop() >= chance * 2**64:
            return ()
        return (items[((self._thrown or self._throw()).pop() * len(items)) >> 64],)

    def share(self) -> float:
        """Return a number from 0 to below 1, or to 1 as near as a float comes."""
        return (self._thrown or self._throw()).pop() / 2**64

    def happens(self, chance: float) -> bool:
        """Return whether what has this *chance*, 0 to 1, happens; nothing is thrown for 0 and 1."""
        if chance <= 0:
            return False
        return chance >= 1 or (self._thrown or self._throw()).pop() < chance * 2**64


def seed_of(seed: int, playthrough: int) -> int:
    """Return the seed of a playthrough's selector, 0 to 2**63 - 1, as a plan's case may have it."""
    return number_of(f'["lines",{seed},{playthrough}]') >> 1
