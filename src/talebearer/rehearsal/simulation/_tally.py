"""What many playthroughs come to: how often each line was heard, and where first.

A tally is a sum: those of several runs of playthroughs, joined in order, are that of all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from talebearer.rehearsal.simulation._playthrough import Asked, LineKey, Outcome

Reached = tuple[int, int]
"""Playthrough and turn, both from 1."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts over playthroughs.

    Attributes:
        window: How many lines back a line counts as heard again.
        playthroughs: How many there were.
        heard: Line to how often it was heard.
        first: Line to where it was heard first.
        within: Line to in how many playthroughs it was heard.
        asked: Who, where and upon what to how often a line was asked for, and how often none came.
        again: Lines that were among the *window* lines heard before them.
        in_a_row: Lines that the line before was already.
    """

    window: int
    playthroughs: int = 0
    heard: dict[LineKey, int] = field(default_factory=dict)
    first: dict[LineKey, Reached] = field(default_factory=dict)
    within: dict[LineKey, int] = field(default_factory=dict)
    asked: dict[Asked, tuple[int, int]] = field(default_factory=dict)
    again: int = 0
    in_a_row: int = 0

    def add(self, number: int, outcomes: Collection[Outcome]) -> None:
        """Count playthrough *number*, which comes after those that were counted."""
        self.playthroughs += 1
        heard, window = 0, self.window
        last: dict[LineKey, int] = {}
        for turn, (_, key) in enumerate(outcomes, start=1):
            if key is None:
                continue
            heard += 1
            before = last.get(key)
            if before is None:
                self.first.setdefault(key, (number, turn))
            elif heard - before <= window:
                self.again += 1
                self.in_a_row += heard - before == 1
            last[key] = heard
        self._count(Counter(outcomes))
        for key in last:
            self.within[key] = self.within.get(key, 0) + 1

    def _count(self, outcomes: Mapping[Outcome, int]) -> None:
        heard, asked = self.heard, self.asked
        for (whom, key), count in outcomes.items():
            times, silent = asked.get(whom, (0, 0))
            asked[whom] = (times + count, silent + (count if key is None else 0))
            if key is not None:
                heard[key] = heard.get(key, 0) + count

    def joined(self, later: Tally) -> Tally:
        """Return this tally with what *later* playthroughs came to; neither is changed."""
        sums = Tally(
            window=self.window,
            playthroughs=self.playthroughs + later.playthroughs,
            heard=dict(self.heard),
            first=later.first | self.first,
            within=dict(self.within),
            asked=dict(self.asked),
            again=self.again + later.again,
            in_a_row=self.in_a_row + later.in_a_row,
        )
        for key, count in later.heard.items():
            sums.heard[key] = sums.heard.get(key, 0) + count
        for key, count in later.within.items():
            sums.within[key] = sums.within.get(key, 0) + count
        for whom, (times, silent) in later.asked.items():
            before = sums.asked.get(whom, (0, 0))
            sums.asked[whom] = (before[0] + times, before[1] + silent)
        return sums
