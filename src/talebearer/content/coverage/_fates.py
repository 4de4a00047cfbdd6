"""What becomes of each line: said, never said, opened by the game only, beaten, or not decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from talebearer.content.coverage._imagined import Asking
from talebearer.content.coverage._samples import World
from talebearer.content.coverage._satisfy import Party, satisfiable
from talebearer.lines import (
    AddCounter,
    DialoguePool,
    KnowledgeGrant,
    LineKey,
    MonologuePool,
    Pack,
    ReplyGate,
    SetValue,
    StampTimer,
)
from talebearer.lines.gates import SAID, Gate, ReadKey

AnyPool: TypeAlias = DialoguePool | MonologuePool

_BLAMED_MAX = 16
"""Among so many gates those two are looked for that cannot hold together."""


def all_pools(pack: Pack) -> tuple[AnyPool, ...]:
    """Return the pools of both kinds, each kind by path."""
    return (*pack.dialogue_pools, *pack.monologue_pools)


class Fate(StrEnum):
    """What can be said of a line without playing.

    SAID: it is drawn in some scene, whatever a mind knows. NEVER: no mind and no scene bring it.
    NEEDS_GAME: nothing that lines write opens it. BEATEN: others always come first. UNDECIDED: all the
    rest, for playthroughs to find out.
    """

    SAID = "said"
    UNDECIDED = "undecided"
    NEEDS_GAME = "needs_game"
    BEATEN = "beaten"
    NEVER = "never"


class Reason(NamedTuple):
    """Why a line is closed.

    Attributes:
        gates: The gates that are to blame.
        lines: The lines that come first, or that would have to be said and are not.
    """

    gates: tuple[Gate, ...]
    lines: tuple[LineKey, ...] = ()


@dataclass(slots=True)
class Fates:
    """The fate of every line, and the reasons of those that are not said.

    Attributes:
        of: Line to fate, in the order of the pack.
        why: Line to reason.
        world: What lines can write, as far as they are said.
    """

    of: dict[LineKey, Fate] = field(default_factory=dict)
    why: dict[LineKey, Reason] = field(default_factory=dict)
    world: World = field(default_factory=World)


class _Group:
    """Lines with the same gates under the same trigger."""

    __slots__ = ("gates", "lines", "reads", "trigger")

    def __init__(self, gates: tuple[Gate, ...], trigger: str | None) -> None:
        self.gates = gates
        self.trigger = trigger
        self.lines: list[tuple[AnyPool, int]] = []
        self.reads: frozenset[ReadKey] = frozenset().union(*(gate.reads for gate in gates))


def decide(pack: Pack, world: World) -> Fates:
    """Return the fate of every line of *pack*, dominance apart.

    Lines without gates are said. From what they write, gates open; from what those lines write, more
    gates do; what is still shut at the end only the game can open.

    Args:
        pack: The content.
        world: A closed world in which nothing is written yet.
    """
    asking = Asking.of(pack)
    fates = Fates(world=world)
    waiting: list[_Group] = []
    for group in _groups(pack, fates):
        verdict = _possible(group, asking, World())
        if verdict is False:
            reason = _blame(group, asking, World())
            for key in _keys(group):
                fates.of[key], fates.why[key] = Fate.NEVER, reason
        else:
            waiting.append(group)
    _grow(waiting, asking, fates)
    return fates


def impossible(pack: Pack) -> Iterator[tuple[AnyPool, int, Reason]]:
    """Yield every line of *pack* whose gates can never all hold, with the gates to blame."""
    asking = Asking.of(pack)
    for group in _groups(pack, Fates()):
        if _possible(group, asking, World()) is False:
            reason = _blame(group, asking, World())
            yield from ((pool, position, reason) for pool, position in group.lines)


def _groups(pack: Pack, fates: Fates) -> Sequence[_Group]:
    """Return the lines with gates by their gates; note the others as said."""
    # Conditions that are nested in each other by name can be as long as one likes when written out,
    # so they are told apart by which objects they are; a pack has one object for equal gates.
    groups: dict[tuple[tuple[int, ...], str | None], _Group] = {}
    for pool in all_pools(pack):
        barred = pool.rules.barred_bits
        for position, key in enumerate(pool.keys):
            gates = pool.when[position].gates if position in pool.when else ()
            if barred >> position & 1:
                fates.of[key], fates.why[key] = Fate.NEVER, Reason(())
                continue
            fates.of[key] = Fate.UNDECIDED if gates else Fate.SAID
            if not gates:
                _write(pool, position, fates.world)
                continue
            trigger = pool.triggers[position] if isinstance(pool, MonologuePool) else None
            name = (tuple(map(id, gates)), trigger)
            group = groups.get(name)
            if group is None:
                group = groups[name] = _Group(gates, trigger)
            group.lines.append((pool, position))
    return tuple(groups.values())


def _grow(waiting: list[_Group], asking: Asking, fates: Fates) -> None:
    """Open what the lines that are said open, round by round, until nothing changes."""
    dirty: set[ReadKey] | None = None
    while waiting and dirty != set():
        opened: set[ReadKey] = set()
        shut = []
        for group in waiting:
            stale = dirty is None or not group.reads.isdisjoint(dirty | opened)
            if not stale or _possible(group, asking, fates.world) is False:
                shut.append(group)
                continue
            for pool, position in group.lines:
                opened |= _write(pool, position, fates.world)
        waiting, dirty = shut, opened
    for group in waiting:
        reason = _blame(group, asking, fates.world)
        for key in _keys(group):
            fates.of[key], fates.why[key] = Fate.NEEDS_GAME, reason


def _keys(group: _Group) -> Iterator[LineKey]:
    return ((pool.path, pool.ids[position]) for pool, position in group.lines)


def _possible(group: _Group, asking: Asking, world: World) -> bool | None:
    pool, position = group.lines[0]
    party = Party(group.gates, (pool.path, pool.ids[position]))
    return satisfiable([party], asking=asking, trigger=group.trigger, world=world)


def _blame(group: _Group, asking: Asking, world: World) -> Reason:
    """Return the first gate that cannot hold, or the first two that cannot hold together, or all."""
    pool, position = group.lines[0]
    key = (pool.path, pool.ids[position])

    def fails(*gates: Gate) -> bool:
        party = Party(gates, key)
        return satisfiable([party], asking=asking, trigger=group.trigger, world=world) is False

    alone = tuple(gate for gate in group.gates if fails(gate))
    if alone:
        replies = tuple(
            (gate.pool, gate.line) for gate in alone if isinstance(gate, ReplyGate) and gate.line
        )
        return Reason(alone, replies)
    gates = group.gates[:_BLAMED_MAX]
    for at, gate in enumerate(gates):
        for other in gates[:at]:
            if fails(other, gate):
                return Reason((other, gate))
    return Reason(group.gates)


def _write(pool: AnyPool, position: int, world: World) -> set[ReadKey]:
    """Note what a line that is said writes; return what can be now and could not be before."""
    changed: set[ReadKey] = set()
    key = (pool.path, pool.ids[position])
    if isinstance(pool, DialoguePool) and key not in world.said:  # a thought is not said
        world.said.add(key)
        changed.add(SAID)
    for effect in pool.effects.get(position, ()):
        if isinstance(effect, KnowledgeGrant):
            known = world.facts.get(effect.fact_id)
            if known is None or effect.confidence.rank > known.rank:
                world.facts[effect.fact_id] = effect.confidence
                changed.add(effect.fact_id)
        elif isinstance(effect, AddCounter):
            changed |= _count(effect, world.counters)
        elif isinstance(effect, SetValue):
            known_values = world.values.setdefault(effect.value, set())
            if effect.to not in known_values:
                known_values.add(effect.to)
                changed.add(("value", effect.value))
        else:
            assert isinstance(effect, StampTimer), "an effect of a kind that is known"
            if effect.timer not in world.timers:
                world.timers.add(effect.timer)
                changed.add(("timer", effect.timer))
    return changed


def _count(effect: AddCounter, counters: dict[str, tuple[int | None, int | None]]) -> set[ReadKey]:
    low, high = counters.get(effect.counter, (0, 0))
    after = (None if effect.by < 0 else low, None if effect.by > 0 else high)
    if after == (low, high):
        return set()
    counters[effect.counter] = after
    return {("counter", effect.counter)}
