"""Lines that are never drawn because others always come first.

Only what is certain counts. Another line of the same pool comes first when it passes every stage
that the line passes, in every scene and for every mind, never rests and is never spent, and the
pool's strategy prefers it:

- thoughts: a higher priority, where the strategy draws from the top score alone;
- ``best_specific``: more gates; among thoughts with as many gates, a higher priority.

What is said last in a conversation steps back once, so there it takes two such lines. Scores by topic
and mood never decide this: a request may name none, and then all lines score alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from talebearer.content.coverage._fates import AnyPool, Fate, Fates, Reason, all_pools
from talebearer.content.coverage._imagined import Asking
from talebearer.content.coverage._samples import World
from talebearer.content.coverage._satisfy import Party, satisfiable
from talebearer.lines import DialoguePool, LineKey, MonologuePool, Pack

SEARCHES_MAX = 64
"""How many lines with gates are compared with one line before it is left undecided."""

_BY_SCORE = frozenset({"top_scored", "least_recent", "bag"})
_SPECIFIC = frozenset({"best_specific"})


class Beaten(NamedTuple):
    """A line and those that always come before it."""

    line: LineKey
    by: tuple[LineKey, ...]


def strategies(pack: Pack) -> Mapping[str, frozenset[str]]:
    """Return pool path to the strategies with which its lines may be drawn, callers' wishes apart.

    The strategy is that of all pools together that somebody speaks or thinks from, so a pool may be
    drawn from in more than one way. Pools of one strategy alone are decided on here.
    """
    found: dict[str, set[str]] = {}
    speakers = {*pack.profiles, *(pool.stem for pool in pack.dialogue_pools)}
    places = {pool.location for pool in pack.dialogue_pools}
    for speaker in speakers:
        for place in places:
            _note(pack.pools_for(speaker, place), speaker, "top_scored", found)
    for character in pack.characters:
        anywhere = {pool.location for pool in pack.monologue_pools} | {""}
        for place in anywhere:
            _note(pack.monologue_pools_for(character, place), character, "weighted", found)
    return {path: frozenset(names) for path, names in found.items()}


def _note(pools: tuple[AnyPool, ...], own: str, default: str, found: dict[str, set[str]]) -> None:
    """Note the strategy that the engine takes for *pools* together."""
    named = sorted(
        (pool for pool in pools if pool.strategy is not None), key=lambda pool: pool.stem != own
    )
    strategy = (named[0].strategy if named else None) or default
    for pool in pools:
        found.setdefault(pool.path, set()).add(strategy)


def beaten(pack: Pack, fates: Fates) -> Iterator[Beaten]:
    """Yield the lines of *pack* that are never drawn though nothing else bars them."""
    ways = strategies(pack)
    asking = Asking.of(pack)
    for pool in all_pools(pack):
        how = ways.get(pool.path, frozenset())
        if how and (how <= _BY_SCORE or how <= _SPECIFIC):
            yield from _Ranking(pool, pack, asking, specific=how <= _SPECIFIC).losers(fates)


def decide_beaten(pack: Pack, fates: Fates) -> None:
    """Take the beaten lines of *pack* into *fates*, and what is no more certain because of strategies.

    A line that no gate shuts is said for certain only where it cannot be outdone by several others at
    once; where a strategy prefers some lines to others, that is left undecided.
    """
    ways = strategies(pack)
    for pool in all_pools(pack):
        how = ways.get(pool.path, frozenset())
        prefers = bool(
            how & (_SPECIFIC if isinstance(pool, DialoguePool) else _BY_SCORE | _SPECIFIC)
        )
        for key in pool.keys if prefers or not how else ():
            if fates.of[key] is Fate.SAID:
                fates.of[key] = Fate.UNDECIDED
    for one in beaten(pack, fates):
        fates.of[one.line] = Fate.BEATEN
        fates.why[one.line] = Reason((), one.by)


class _Ranking:
    """The lines of one pool in the order in which its strategy prefers them."""

    def __init__(self, pool: AnyPool, pack: Pack, asking: Asking, *, specific: bool) -> None:
        self._pool = pool
        self._asking = asking
        self._specific = specific
        self._needed = 2 if isinstance(pool, DialoguePool) else 1
        self._trust = {tier: rank for rank, tier in enumerate(pack.enums.trust)}
        self._classes = pack.declared.classes
        self._excluders = {
            name: one.excluded_by - one.interrupts for name, one in self._classes.items()
        }

    def losers(self, fates: Fates) -> Iterator[Beaten]:
        """Yield the beaten lines among those that nothing else bars."""
        pool = self._pool
        if isinstance(pool, DialoguePool) and not self._specific:
            return
        steady = [place for place in range(pool.size) if self._is_steady(place)]
        ranked: dict[str | None, list[int]] = {}
        for place in steady:
            ranked.setdefault(self._heading(place), []).append(place)
        for places in ranked.values():
            places.sort(key=lambda place: (place in pool.when, self._negated(place)))
        for place, key in enumerate(pool.keys):
            if fates.of[key] in (Fate.SAID, Fate.UNDECIDED):
                by = self._before(place, ranked.get(self._heading(place), []))
                if len(by) >= self._needed:
                    yield Beaten(key, tuple((pool.path, pool.ids[one]) for one in by))

    def _heading(self, place: int) -> str | None:
        return self._pool.triggers[place] if isinstance(self._pool, MonologuePool) else None

    def _is_steady(self, place: int) -> bool:
        """Whether a line that was heard can be heard again at once, for ever."""
        pool = self._pool
        barred = pool.rules.barred_bits >> place & 1
        return not barred and place not in pool.once and place not in pool.cooldown

    def _rank(self, place: int) -> tuple[int, int]:
        pool = self._pool
        priority = pool.priority[place] if isinstance(pool, MonologuePool) else 0
        gates = pool.when[place].gates if place in pool.when else ()
        return (sum(gate.count for gate in gates) if self._specific else 0, priority)

    def _negated(self, place: int) -> tuple[int, int]:
        gates, priority = self._rank(place)
        return (-gates, -priority)

    def _before(self, place: int, rivals: list[int]) -> list[int]:
        """Return lines of *rivals* that always come before the one at *place*, as many as it takes."""
        found: list[int] = []
        searches = 0
        rank = self._rank(place)
        for rival in rivals:
            if rival == place or self._rank(rival) <= rank or not self._passes(rival, place):
                continue
            if rival in self._pool.when:
                searches += 1
                if searches > SEARCHES_MAX:
                    break
                if not self._is_implied(rival, place):
                    continue
            found.append(rival)
            if len(found) == self._needed:
                break
        return found

    def _passes(self, rival: int, place: int) -> bool:
        """Whether *rival* passes layers and classes wherever the other line does."""
        pool = self._pool
        if isinstance(pool, DialoguePool):
            wider = set(pool.access[place]) <= set(pool.access[rival])
            wider = wider and set(pool.situation[place]) <= set(pool.situation[rival])
            if not wider or self._trust[pool.trust[rival]] > self._trust[pool.trust[place]]:
                return False
        mine, theirs = pool.classes.get(rival), pool.classes.get(place)
        return mine is None or self._excluders[mine] <= self._excluders.get(
            theirs or "", frozenset()
        )

    def _is_implied(self, rival: int, place: int) -> bool:
        """Whether the gates of *rival* hold whenever those of the other line do."""
        pool = self._pool
        parties = [Party(pool.when[rival].gates, (pool.path, pool.ids[rival]), holds=False)]
        if place in pool.when:
            parties.append(Party(pool.when[place].gates, (pool.path, pool.ids[place])))
        found = satisfiable(
            parties, asking=self._asking, trigger=self._heading(place), world=World()
        )
        return found is False
