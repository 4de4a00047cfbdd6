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
from typing import NamedTuple, TypeAlias

from talebearer.content.coverage._fates import AnyPool, Fate, Fates, Reason, all_pools
from talebearer.content.coverage._imagined import Asking
from talebearer.content.coverage._samples import World
from talebearer.content.coverage._satisfy import Party, satisfiable
from talebearer.lines import DialoguePool, LineKey, MonologuePool, Pack
from talebearer.lines.gates import ReadKey

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
        self._excluders = {
            name: one.excluded_by - one.interrupts for name, one in pack.declared.classes.items()
        }
        self._ranks = [self._rank(place) for place in range(pool.size)]
        self._reads = {
            place: frozenset[ReadKey]().union(*(gate.reads for gate in asked.gates))
            for place, asked in pool.when.items()
        }

    def losers(self, fates: Fates) -> Iterator[Beaten]:
        """Yield the beaten lines among those that nothing else bars."""
        pool = self._pool
        if isinstance(pool, DialoguePool) and not self._specific:
            return
        by_rank = self._levels([place for place in range(pool.size) if self._is_steady(place)])
        for place, key in enumerate(pool.keys):
            if fates.of[key] in (Fate.SAID, Fate.UNDECIDED):
                by = self._before(place, by_rank)
                if len(by) >= self._needed:
                    yield Beaten(key, tuple((pool.path, pool.ids[one]) for one in by))

    def _levels(self, steady: list[int]) -> list[tuple[_Rank, int]]:
        """Return each rank with those of the *steady* lines that have it, the highest first."""
        levels: dict[_Rank, int] = {}
        for place in steady:
            rank = self._ranks[place]
            levels[rank] = levels.get(rank, 0) | 1 << place
        return sorted(levels.items(), reverse=True)

    def _is_steady(self, place: int) -> bool:
        """Whether a line that was heard can be heard again at once, for ever."""
        pool = self._pool
        barred = pool.rules.barred_bits >> place & 1
        return not barred and place not in pool.once and place not in pool.cooldown

    def _rank(self, place: int) -> _Rank:
        pool = self._pool
        priority = pool.priority[place] if isinstance(pool, MonologuePool) else 0
        gates = pool.when[place].gates if place in pool.when and self._specific else ()
        return (sum(gate.count for gate in gates), priority)

    def _before(self, place: int, levels: list[tuple[_Rank, int]]) -> list[int]:
        """Return lines that always come before the one at *place*, as many as it takes."""
        found: list[int] = []
        searches = 0
        wider = self._wider(place)
        for rank, bits in levels:
            if rank <= self._ranks[place] or not wider:
                break
            for rival in _positions(bits & wider):
                if not self._is_as_audible(rival, place):
                    continue
                if rival in self._pool.when:
                    if not self._may_follow(rival, place):
                        continue
                    searches += 1
                    if searches > SEARCHES_MAX:
                        return found
                    if not self._is_implied(rival, place):
                        continue
                found.append(rival)
                if len(found) == self._needed:
                    return found
        return found

    def _wider(self, place: int) -> int:
        """Return the lines that pass the layers, or have the trigger, wherever this one does."""
        pool = self._pool
        if isinstance(pool, MonologuePool):
            return pool.trigger_bits[pool.triggers[place]]
        bits = pool.index.trust[pool.trust[place]]
        for tier in pool.access[place]:
            bits &= pool.index.access[tier]
        for situation in pool.situation[place]:
            bits &= pool.index.situation[situation]
        return bits & ~(1 << place)

    def _is_as_audible(self, rival: int, place: int) -> bool:
        """Whether what is being spoken never keeps *rival* alone from being said."""
        mine, theirs = self._pool.classes.get(rival), self._pool.classes.get(place)
        if mine is None:
            return True
        return self._excluders[mine] <= self._excluders.get(theirs or "", frozenset())

    def _may_follow(self, rival: int, place: int) -> bool:
        """Whether each gate of *rival* reads something that the other line's gates read, or nothing.

        A gate on something else could only be implied if it always held; such gates are left
        undecided, since to look for them among all pairs of lines takes too long.
        """
        reads = self._reads.get(place, frozenset())
        gates = self._pool.when[rival].gates
        return all(not gate.reads or not gate.reads.isdisjoint(reads) for gate in gates)

    def _is_implied(self, rival: int, place: int) -> bool:
        """Whether the gates of *rival* hold whenever those of the other line do."""
        pool = self._pool
        parties = [Party(pool.when[rival].gates, (pool.path, pool.ids[rival]), holds=False)]
        if place in pool.when:
            parties.append(Party(pool.when[place].gates, (pool.path, pool.ids[place])))
        trigger = pool.triggers[place] if isinstance(pool, MonologuePool) else None
        found = satisfiable(parties, asking=self._asking, trigger=trigger, world=World())
        return found is False


_Rank: TypeAlias = tuple[int, int]
"""How many gates count, and the priority."""


def _positions(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
