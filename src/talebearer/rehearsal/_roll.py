"""The same question a hundred times: what comes, how often, and what comes again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from talebearer.campaign.plans import MadeUpMinds
from talebearer.errors import UsageFault
from talebearer.lines import LineKey, Selector
from talebearer.rehearsal._ask import judged, picked
from talebearer.rehearsal._setup import Setup

DRAWS_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolled:
    """One line among the draws.

    Attributes:
        pool: The pool path.
        line_id: The line's id there.
        text: The line's first text.
        count: How often it came.
        odds: Its exact chance in the first draw; None when it could not come there.
        first: The number of the draw in which it came first, from 1; None when it never came.
        gap: The fewest draws between two times that it came, 1 for at once; None without two.
    """

    pool: str
    line_id: str
    text: str
    count: int
    odds: Fraction | None
    first: int | None
    gap: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the line as a JSON object."""
        return {
            "pool": self.pool,
            "line_id": self.line_id,
            "text": self.text,
            "count": self.count,
            "odds": None if self.odds is None else float(self.odds),
            "odds_ratio": None if self.odds is None else str(self.odds),
            "first": self.first,
            "gap": self.gap,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolls:
    """What came of many draws.

    Attributes:
        draws: How many there were.
        nothing: In how many no line was left.
        repeats: How many brought the line of the draw before.
        heard_again: How many brought a line that had come before.
        lines: Every line that came or could have come in the first draw: most often first, then by
            pool and id.
        order: What came in each draw, as (pool, line id); None for nothing.
    """

    draws: int
    nothing: int
    repeats: int
    heard_again: int
    lines: tuple[Rolled, ...]
    order: tuple[LineKey | None, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the rolls as a JSON object."""
        return {
            "draws": self.draws,
            "nothing": self.nothing,
            "repeats": self.repeats,
            "heard_again": self.heard_again,
            "lines": [line.as_json() for line in self.lines],
            "order": [None if key is None else list(key) for key in self.order],
        }


def roll(minds: MadeUpMinds, setup: Setup, draws: int, *, remember: bool, wait: int) -> Rolls:
    """Draw *draws* times in *setup*.

    Args:
        minds: What is known; with *remember* they hear every line that comes.
        setup: The scene; its seed is the first draw's.
        draws: How often, 1 to 10,000.
        remember: Whether what comes is heard, and *wait* ticks pass to the next draw, as in play.
            Otherwise every draw is the first one over again, with the next seed.
        wait: The ticks between two draws.

    Raises:
        UsageFault: *draws* or *wait* is out of bounds (TB111).
    """
    if type(draws) is not int or not 1 <= draws <= DRAWS_MAX:
        raise UsageFault(f"cannot draw {draws!r} times", hint=f"1 to {DRAWS_MAX}")
    if type(wait) is not int or not 0 <= wait <= 10**9:
        raise UsageFault(f"cannot wait {wait!r} ticks", hint="0 to 1000000000")
    selector = minds.selector(setup.seed)
    odds = _odds(selector, setup)
    order: list[LineKey | None] = []
    for number in range(draws):
        tick = setup.tick + (wait * number if remember else 0)
        if not remember:
            selector.reseed(setup.seed + number)
        pick = picked(selector, setup.but(tick=tick))
        order.append(None if pick is None else (pick.pool, pick.line_id))
        for draft in pick.effects if pick is not None and remember else ():
            minds.apply(draft, tick)
    return _rolls(order, odds, _texts(minds, order, odds))


def _odds(selector: Selector, setup: Setup) -> dict[LineKey, Fraction]:
    verdicts = judged(selector, setup)
    found = (verdicts[index] for index in verdicts.dropped_by(None))
    return {(one.pool, one.line_id): one.probability or Fraction(0) for one in found}


def _texts(
    minds: MadeUpMinds, order: list[LineKey | None], odds: dict[LineKey, Fraction]
) -> dict[LineKey, str]:
    keys = {key for key in order if key is not None} | odds.keys()
    return {key: minds.pack.line(*key).text for key in sorted(keys)}


def _rolls(
    order: list[LineKey | None], odds: dict[LineKey, Fraction], texts: dict[LineKey, str]
) -> Rolls:
    counts = Counter(key for key in order if key is not None)
    first: dict[LineKey, int] = {}
    last: dict[LineKey, int] = {}
    gaps: dict[LineKey, int] = {}
    for number, key in enumerate(order, start=1):
        if key is None:
            continue
        first.setdefault(key, number)
        if key in last:
            gaps[key] = min(gaps.get(key, number), number - last[key])
        last[key] = number
    lines = [
        Rolled(
            pool=key[0],
            line_id=key[1],
            text=text,
            count=counts[key],
            odds=odds.get(key),
            first=first.get(key),
            gap=gaps.get(key),
        )
        for key, text in texts.items()
    ]
    pairs = pairwise(order)
    return Rolls(
        draws=len(order),
        nothing=order.count(None),
        repeats=sum(one is not None and one == other for one, other in pairs),
        heard_again=sum(counts.values()) - len(counts),
        lines=tuple(sorted(lines, key=lambda one: (-one.count, one.pool, one.line_id))),
        order=tuple(order),
    )
