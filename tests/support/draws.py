"""Random numbers for tests that draw their own: same seed, same draws, everywhere."""

from __future__ import annotations

MASK = 2**64 - 1


class Draws:
    """SplitMix64."""

    def __init__(self, seed):
        self._state = seed & MASK

    def number(self, bound):
        """Return a number from 0 to *bound* - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return ((mixed ^ (mixed >> 31)) * bound) >> 64

    def pick(self, items):
        """Return one of *items*."""
        return items[self.number(len(items))]

    def bytes(self, length):
        """Return *length* bytes."""
        return bytes(self.number(256) for _ in range(length))
