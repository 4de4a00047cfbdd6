"""The numbers of one playthrough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from talebearer.lines import number_of

T = TypeVar("T")


_MASK = 0xFFFFFFFFFFFFFFFF


def numbers(state: int) -> Iterator[int]:
    """Yield what :class:`talebearer.lines.SplitMix64` gives; a call of it takes twice as long."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        yield mixed ^ (mixed >> 31)


class Dice:
    """What a player throws: one generator, seeded by the run's seed and the playthrough's number.

    Args:
        seed: The run's seed.
        playthrough: Which playthrough, from 1.
    """

    __slots__ = ("_next",)

    def __init__(self, seed: int, playthrough: int) -> None:
        self._next = numbers(number_of(f'["player",{seed},{playthrough}]')).__next__

    def below(self, bound: int) -> int:
        """Return a number from 0 to *bound* - 1."""
        return (self._next() * bound) >> 64

    def within(self, span: tuple[int, int]) -> int:
        """Return a number of *span*, both ends included."""
        least, most = span
        return least if least == most else least + ((self._next() * (most - least + 1)) >> 64)

    def one(self, items: Sequence[T]) -> T:
        """Return one of *items*, which are not empty."""
        return items[(self._next() * len(items)) >> 64]

    def maybe(self, chance: float, items: Sequence[T]) -> tuple[T, ...]:
        """Return one of *items* at this *chance*, or none; nothing is thrown where there are none."""
        if not items or chance <= 0 or (chance < 1 and self._next() >= chance * 2**64):
            return ()
        return (items[(self._next() * len(items)) >> 64],)

    def share(self) -> float:
        """Return a number from 0 to below 1, or to 1 as near as a float comes."""
        return self._next() / 2**64

    def happens(self, chance: float) -> bool:
        """Return whether what has this *chance*, 0 to 1, happens; nothing is thrown for 0 and 1."""
        if chance <= 0:
            return False
        return chance >= 1 or self._next() < chance * 2**64


def seed_of(seed: int, playthrough: int) -> int:
    """Return the seed of a playthrough's selector, 0 to 2**63 - 1, as a plan's case may have it."""
    return number_of(f'["lines",{seed},{playthrough}]') >> 1
