"""Lines that are never drawn because others always come first.

Only what is certain counts. Lines compete with those of all pools that somebody speaks or thinks from
at one place. Another line of these comes first when it passes every stage that the line passes, in every
scene and for every mind, never rests and is never spent, and the strategy of these pools prefers it:

- thoughts: a higher priority, where the strategy draws from the top score alone;
- ``best_specific``: more gates; among thoughts with as many gates, a higher priority.

A line is beaten where that is so with everybody who speaks it, at every place. What is said last in a
conversation steps back once, so there it takes two such lines. Scores by topic and mood never decide
this: a request may name none, and then all lines score alike. General thoughts compete with each other
alone: at a place without thoughts of its own there are no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


class Contest(NamedTuple):
    """Pools that are drawn from together, by somebody at some place.

    Attributes:
        pools: The pools.
        strategy: What decides between their lines, callers' wishes apart.
    """

    pools: tuple[AnyPool, ...]
    strategy: str

    @property
    def is_specific(self) -> bool:
        """Whether lines with more gates come first."""
        return self.strategy in _SPECIFIC

    @property
    def decides(self) -> bool:
        """Whether the strategy prefers lines for what they are, so that some are never drawn."""
        if self.is_specific:
            return True
        return self.strategy in _BY_SCORE and isinstance(self.pools[0], MonologuePool)


def contests(pack: Pack) -> Mapping[str, Sequence[Contest]]:
    """Return pool path to the contests that its lines are in, those with the fewest pools first."""
    found: dict[str, dict[tuple[tuple[str, ...], str], Contest]] = {}
    speakers = {*pack.profiles, *(pool.stem for pool in pack.dialogue_pools)}
    places = {pool.location for pool in pack.dialogue_pools}
    for speaker in sorted(speakers):
        for place in sorted(places):
            _note(pack.pools_for(speaker, place), speaker, "top_scored", found)
    anywhere = {pool.location for pool in pack.monologue_pools} | {""}
    for character in sorted(pack.characters):
        for place in sorted(anywhere):
            # The file of the place is what a speaker's own file is to a speaker.
            _note(pack.monologue_pools_for(character, place), place, "weighted", found)
    return {
        path: sorted(known.values(), key=lambda one: len(one.pools))
        for path, known in found.items()
    }


def _note(
    pools: tuple[AnyPool, ...],
    own: str,
    default: str,
    found: dict[str, dict[tuple[tuple[str, ...], str], Contest]],
) -> None:
    """Note the contest of *pools* with the strategy that the engine takes for them together."""
    named = sorted(
        (pool for pool in pools if pool.strategy is not None), key=lambda pool: pool.stem != own
    )
    strategy = (named[0].strategy if named else None) or default
    # The general pools are asked when no line of the place is left, so only their own compete.
    for is_general in (False, True):
        level = tuple(pool for pool in pools if _is_general(pool) is is_general)
        contest = Contest(level, strategy)
        name = (tuple(pool.path for pool in level), strategy)
        for pool in level:
            found.setdefault(pool.path, {}).setdefault(name, contest)


def _is_general(pool: AnyPool) -> bool:
    return isinstance(pool, MonologuePool) and pool.general


def beaten(pack: Pack, fates: Fates, found: Mapping[str, Sequence[Contest]]) -> Iterator[Beaten]:
    """Yield the lines of *pack* that are never drawn in any contest though nothing else bars them."""
    ranking = _Ranking(pack, Asking.of(pack))
    for pool in all_pools(pack):
        own = found.get(pool.path, ())
        if not own or not all(one.decides for one in own):
            continue
        for place, key in enumerate(pool.keys):
            if fates.of[key] in (Fate.SAID, Fate.UNDECIDED):
                by = ranking.before(pool, place, own)
                if by:
                    yield Beaten(key, by)


def decide_beaten(pack: Pack, fates: Fates) -> None:
    """Take the beaten lines of *pack* into *fates*, and what is no more certain because of strategies.

    A line that no gate shuts is said for certain only where it cannot be outdone by several others at
    once; where a strategy prefers some lines to others, that is left undecided.
    """
    found = contests(pack)
    for pool in all_pools(pack):
        own = found.get(pool.path, ())
        for key in pool.keys if not own or any(one.decides for one in own) else ():
            if fates.of[key] is Fate.SAID:
                fates.of[key] = Fate.UNDECIDED
    for one in beaten(pack, fates, found):
        fates.of[one.line] = Fate.BEATEN
        fates.why[one.line] = Reason((), one.by)


_Place: TypeAlias = tuple[AnyPool, int]


class _Ranking:
    """The lines of a pack in the order in which strategies prefer them."""

    def __init__(self, pack: Pack, asking: Asking) -> None:
        self._asking = asking
        self._excluders = {
            name: one.excluded_by - one.interrupts for name, one in pack.declared.classes.items()
        }
        self._columns: dict[tuple[str, bool], _Columns] = {}
        self._reads: dict[tuple[str, int], frozenset[ReadKey]] = {}

    def before(self, pool: AnyPool, place: int, contests: Sequence[Contest]) -> tuple[LineKey, ...]:
        """Return lines that come before the one at *place* in the first of *contests*, if all have some."""
        first: tuple[LineKey, ...] = ()
        for contest in contests:
            found = self._in(contest, pool, place)
            if not found:
                return ()
            first = first or found
        return first

    def _in(self, contest: Contest, pool: AnyPool, place: int) -> tuple[LineKey, ...]:
        """Return lines of *contest* that always come first, as many as it takes, or none."""
        needed = 2 if isinstance(pool, DialoguePool) else 1
        found: list[LineKey] = []
        searches = 0
        for rival in self._rivals(contest, pool, place):
            if not self._is_as_audible(rival, (pool, place)):
                continue
            if rival[1] in rival[0].when:
                if not self._may_follow(rival, (pool, place)):
                    continue
                searches += 1
                if searches > SEARCHES_MAX:
                    return ()
                if not self._is_implied(rival, (pool, place)):
                    continue
            found.append((rival[0].path, rival[0].ids[rival[1]]))
            if len(found) == needed:
                return tuple(found)
        return ()

    def _rivals(self, contest: Contest, pool: AnyPool, place: int) -> Iterator[_Place]:
        """Yield the steady lines that are preferred and pass wherever the line does, the best first."""
        rank = self._of(pool, contest).ranks[place]
        better: list[tuple[_Rank, AnyPool, int]] = []
        for other in contest.pools:
            wider = _wider(other, pool, place)
            for level, bits in self._of(other, contest).levels if wider else ():
                if level <= rank:
                    break
                if bits & wider:
                    better.append((level, other, bits & wider))
        if len(contest.pools) > 1:
            better.sort(key=lambda one: one[0], reverse=True)
        for _, other, bits in better:
            for rival in _positions(bits):
                yield other, rival

    def _of(self, pool: AnyPool, contest: Contest) -> _Columns:
        key = (pool.path, contest.is_specific)
        found = self._columns.get(key)
        if found is None:
            found = self._columns[key] = _Columns.of(pool, specific=contest.is_specific)
        return found

    def _is_as_audible(self, rival: _Place, line: _Place) -> bool:
        """Whether what is being spoken never keeps *rival* alone from being said."""
        mine, theirs = (pool.classes.get(place) for pool, place in (rival, line))
        if mine is None:
            return True
        return self._excluders[mine] <= self._excluders.get(theirs or "", frozenset())

    def _reads_of(self, line: _Place) -> frozenset[ReadKey]:
        pool, place = line
        key = (pool.path, place)
        if key not in self._reads:
            gates = pool.when[place].gates if place in pool.when else ()
            self._reads[key] = frozenset[ReadKey]().union(*(gate.reads for gate in gates))
        return self._reads[key]

    def _may_follow(self, rival: _Place, line: _Place) -> bool:
        """Whether each gate of *rival* reads something that the other line's gates read, or nothing.

        A gate on something else could only be implied if it always held; such gates are left
        undecided, since to look for them among all pairs of lines takes too long.
        """
        reads = self._reads_of(line)
        gates = rival[0].when[rival[1]].gates
        return all(not gate.reads or not gate.reads.isdisjoint(reads) for gate in gates)

    def _is_implied(self, rival: _Place, line: _Place) -> bool:
        """Whether the gates of *rival* hold whenever those of the other line do."""
        (other, at), (pool, place) = rival, line
        parties = [Party(other.when[at].gates, (other.path, other.ids[at]), holds=False)]
        if place in pool.when:
            parties.append(Party(pool.when[place].gates, (pool.path, pool.ids[place])))
        trigger = pool.triggers[place] if isinstance(pool, MonologuePool) else None
        found = satisfiable(parties, asking=self._asking, trigger=trigger, world=World())
        return found is False


def _wider(other: AnyPool, pool: AnyPool, place: int) -> int:
    """Return the lines of *other* that pass the layers, or have the trigger, wherever the line does."""
    if isinstance(pool, MonologuePool) or isinstance(other, MonologuePool):
        assert isinstance(pool, MonologuePool)
        assert isinstance(other, MonologuePool), "thoughts compete with thoughts"
        return other.trigger_bits.get(pool.triggers[place], 0)
    bits = other.index.trust[pool.trust[place]]
    for tier in pool.access[place]:
        bits &= other.index.access[tier]
    for situation in pool.situation[place]:
        bits &= other.index.situation[situation]
    return bits & ~(1 << place) if other is pool else bits


_Rank: TypeAlias = tuple[int, int]
"""How many gates count, and the priority."""


class _Columns(NamedTuple):
    """How a strategy prefers the lines of one pool.

    Attributes:
        ranks: The rank of each line.
        levels: Each rank with the lines that have it and can be heard again at once, for ever; the
            highest first.
    """

    ranks: list[_Rank]
    levels: list[tuple[_Rank, int]]

    @classmethod
    def of(cls, pool: AnyPool, *, specific: bool) -> _Columns:
        """Return the columns of *pool*; on demand by the number of gates first."""
        ranks = [_rank(pool, place, specific=specific) for place in range(pool.size)]
        levels: dict[_Rank, int] = {}
        for place, rank in enumerate(ranks):
            barred = pool.rules.barred_bits >> place & 1
            if not barred and place not in pool.once and place not in pool.cooldown:
                levels[rank] = levels.get(rank, 0) | 1 << place
        return cls(ranks, sorted(levels.items(), reverse=True))


def _rank(pool: AnyPool, place: int, *, specific: bool) -> _Rank:
    priority = pool.priority[place] if isinstance(pool, MonologuePool) else 0
    gates = pool.when[place].gates if place in pool.when and specific else ()
    return (sum(gate.count for gate in gates), priority)


def _positions(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
