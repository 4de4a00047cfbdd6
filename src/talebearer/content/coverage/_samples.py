"""What can be the case, in samples: for everything that gates read, states of each kind that they tell apart.

A gate tells apart only what lies on either side of the numbers, words and ages that it names. So a
few states of one counter, one fact, one timer stand for all there are, as far as a given set of gates
can see. Two things are never the same thing under two names here, so each can be looked at alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from talebearer.content.coverage._imagined import (
    NOW,
    EntitySeen,
    FactSeen,
    Imagined,
    LastSaid,
)
from talebearer.lines import (
    AttributeGate,
    Comparison,
    CounterGate,
    EventGate,
    FactGate,
    GossipGate,
    InteractionGate,
    LineKey,
    RelationshipGate,
    ReplyGate,
    Scope,
    TimerGate,
    ValueGate,
)
from talebearer.lines.gates import Gate
from talebearer.vocabulary import Confidence, FactState, RelationshipState

Thing: TypeAlias = tuple[Any, ...]
"""What a gate reads: its kind, its name, and what else tells it from others."""

SAMPLES_MAX = 4096
FRESH = "\x00another"
"""A text that no gate names."""

ENDLESS = 1 << 62
"""A count above every count that a gate names: so many or more."""


@dataclass(slots=True)
class World:
    """What is taken to be possible.

    Everything is, unless *closed*: then only what has been written so far by lines that are said.

    Attributes:
        closed: Whether only what is listed here can be.
        free: Kind and name of what the game writes as well; these are never bounded.
        facts: Fact id to how well it can be known.
        counters: Counter to the least and the most that it can have been added to; None is no bound.
        values: Value to what it can have been set to.
        timers: Timers that can have been stamped.
        said: Lines that can have been said.
    """

    closed: bool = False
    free: Callable[[str, str], bool] = field(default=lambda _kind, _name: False)
    facts: dict[str, Confidence] = field(default_factory=dict)
    counters: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    values: dict[str, set[Any]] = field(default_factory=dict)
    timers: set[str] = field(default_factory=set)
    said: set[LineKey] = field(default_factory=set)

    def bounds(self, kind: str, name: str) -> bool:
        """Whether what can be of this thing is listed."""
        return self.closed and not self.free(kind, name)


def thing_of(gate: Gate, line: LineKey) -> Thing | None:
    """Return what the plain *gate* of *line* reads; None for one on something undeclared."""
    if isinstance(gate, FactGate):
        return ("fact", gate.fact_id)
    if isinstance(gate, RelationshipGate):
        return ("relationship", gate.target)
    if isinstance(gate, InteractionGate):
        return ("interaction", gate.target, gate.state)
    if isinstance(gate, AttributeGate):
        return ("attribute", gate.entity, gate.key)
    if isinstance(gate, GossipGate):
        return ("gossip", gate.about, gate.state, gate.target)
    if isinstance(gate, TimerGate):
        return None if gate.scope is None else ("timer", gate.timer, _own(gate.scope, line))
    if isinstance(gate, CounterGate):
        return None if gate.scope is None else ("counter", gate.counter, _own(gate.scope, line))
    if isinstance(gate, ValueGate):
        return None if gate.scope is None else ("value", gate.name, _own(gate.scope, line))
    if isinstance(gate, EventGate):
        return ("event", gate.field)
    assert isinstance(gate, ReplyGate), f"a kind of gate that nothing is known of: {gate}"
    return ("reply",)


def _own(scope: Scope, line: LineKey) -> LineKey | None:
    """Two lines have cells of their own only where the scope is the line."""
    return line if scope is Scope.LINE else None


@dataclass(frozen=True, slots=True)
class Sample:
    """One state of a thing, and how often it happened, for what is counted."""

    state: Imagined
    least: int = 0
    most: int = 0


def samples(thing: Thing, gates: Sequence[Any], world: World) -> list[Sample] | None:
    """Return states of *thing* that between them show all answers that *gates* can give together.

    None when there are too many kinds of states to try.
    """
    found: list[Sample] = []
    for sample in _KINDS[thing[0]](thing, gates, world):
        found.append(sample)
        if len(found) > SAMPLES_MAX:
            return None
    return found


def _facts(thing: Thing, _gates: Sequence[FactGate], world: World) -> Iterator[Sample]:
    yield Sample(Imagined())
    best: Confidence | None = Confidence.DIRECT
    fact_id = str(thing[1])
    if world.bounds("fact", fact_id) and not fact_id.startswith(("interaction.", "gossip.")):
        best = world.facts.get(fact_id)
    for confidence in Confidence if best is not None else ():
        if confidence.rank <= (best or Confidence.DIRECT).rank:
            for state in FactState:
                yield Sample(Imagined(known_fact=FactSeen(confidence, state)))


def _relationships(_thing: Thing, _gates: Sequence[Any], _world: World) -> Iterator[Sample]:
    for state in RelationshipState:
        yield Sample(Imagined(known_entity=EntitySeen(state, {})))


def _interactions(
    _thing: Thing, gates: Sequence[InteractionGate], _world: World
) -> Iterator[Sample]:
    numbers = sorted(
        {n for gate in gates for n in _whole_around(_numbers(gate.comparison)) if n >= 0} | {0, 1}
    )
    ages = _ages(gates)
    for number in numbers:
        most = ENDLESS if number == numbers[-1] else number
        if number == 0:
            yield Sample(Imagined(), 0, 0)
            continue
        for age in ages:
            yield Sample(Imagined(count=number, latest=NOW - age), number, most)


def _ages(gates: Iterable[Any]) -> list[int]:
    """Return ages on each side of all bounds."""
    bounds = [
        bound for gate in gates for bound in (gate.within, gate.older_than) if bound is not None
    ]
    return sorted({0, *bounds, *(bound + 1 for bound in bounds)})


def _numbers(comparison: Comparison) -> list[int | float]:
    return [
        operand
        for _, operand in comparison.terms
        if isinstance(operand, int | float) and not isinstance(operand, bool)
    ]


def _whole_around(numbers: Iterable[int | float]) -> set[int]:
    """Return whole numbers at and beside each of *numbers*."""
    found: set[int] = set()
    for number in numbers:
        low, high = math.floor(number), math.ceil(number)
        found |= {low - 1, low, high, high + 1}
    return found


def _between(numbers: Iterable[int | float]) -> list[int | float]:
    """Return numbers at, between and beyond each of *numbers*."""
    ordered = sorted(set(numbers))
    if not ordered:
        return [0]
    found: list[int | float] = [ordered[0] - 1]
    for number, after in zip(ordered, [*ordered[1:], None], strict=True):
        found += [number, number + 1 if after is None else (number + after) / 2]
    return found


def _scalars(comparisons: Sequence[Comparison]) -> list[Any]:
    """Return values of every type on each side of all operands, and nothing at all."""
    operands = [operand for one in comparisons for _, operand in one.terms]
    texts = list(dict.fromkeys(operand for operand in operands if isinstance(operand, str)))
    numbers = _between(n for one in comparisons for n in _numbers(one))
    return [None, True, False, *numbers, *texts, FRESH]


def _attributes(thing: Thing, gates: Sequence[AttributeGate], _world: World) -> Iterator[Sample]:
    comparisons = [gate.comparison for gate in gates]
    unknown = RelationshipState.UNKNOWN
    yield Sample(Imagined())
    yield Sample(Imagined(known_entity=EntitySeen(unknown, {})))  # then the profile's counts
    for value in _scalars(comparisons):
        if value is not None:
            yield Sample(Imagined(known_entity=EntitySeen(unknown, {str(thing[2]): value})))


def mixes_types(gates: Sequence[Any]) -> bool:
    """Whether numbers and texts are asked of one attribute, where a text may count as a number."""
    kinds = {
        isinstance(operand, str)
        for gate in gates
        if isinstance(gate, AttributeGate)
        for _, operand in gate.comparison.terms
    }
    return len(kinds) > 1


def _gossip(_thing: Thing, _gates: Sequence[Any], _world: World) -> Iterator[Sample]:
    yield Sample(Imagined())
    yield Sample(Imagined(stories=True))


def _timers(thing: Thing, gates: Sequence[TimerGate], world: World) -> Iterator[Sample]:
    yield Sample(Imagined())
    name = str(thing[1])
    if not world.bounds("timer", name) or name in world.timers:
        for age in _ages(gates):
            yield Sample(Imagined(stamp=NOW - age))


def _counters(thing: Thing, gates: Sequence[CounterGate], world: World) -> Iterator[Sample]:
    name, initial = str(thing[1]), gates[0].initial
    low: int | None = None
    high: int | None = None
    if world.bounds("counter", name):
        low, high = world.counters.get(name, (0, 0))
    totals = {n - initial for gate in gates for n in _whole_around(_numbers(gate.comparison))}
    totals |= {0} | ({low} if low is not None else set()) | ({high} if high is not None else set())
    for added in sorted(totals):
        if (low is None or added >= low) and (high is None or added <= high):
            yield Sample(Imagined(added=added))


def _values(thing: Thing, gates: Sequence[ValueGate], world: World) -> Iterator[Sample]:
    name = str(thing[1])
    if world.bounds("value", name):
        yield Sample(Imagined())  # as it began
        for value in sorted(world.values.get(name, ()), key=repr):
            yield Sample(Imagined(held=value))
        return
    for value in _scalars([gate.comparison for gate in gates]):
        yield Sample(Imagined(held=value))


def _events(thing: Thing, gates: Sequence[EventGate], _world: World) -> Iterator[Sample]:
    for value in _scalars([gate.comparison for gate in gates]):
        event = {} if value is None else {str(thing[1]): value}
        yield Sample(Imagined(event=event))


def _replies(_thing: Thing, gates: Sequence[ReplyGate], world: World) -> Iterator[Sample]:
    yield Sample(Imagined())
    keys = {key for gate in gates for key in gate.keys}
    if world.closed:
        keys = {key for gate in gates if (gate.pool, gate.line) in world.said for key in gate.keys}
    characters = sorted({gate.character for gate in gates if gate.character})
    bounds = {n for gate in gates for n in (gate.after, gate.within) if n is not None}
    ages = sorted({0} | {n + step for n in bounds for step in (-1, 0, 1) if n + step >= 0})
    for pool, line in [*sorted(keys), (FRESH, FRESH)]:
        for character in [*characters, FRESH]:
            for age in ages:
                yield Sample(Imagined(last_said=LastSaid(NOW - age, character, pool, line)))


_KINDS: dict[str, Callable[[Thing, Sequence[Any], World], Iterator[Sample]]] = {
    "fact": _facts,
    "relationship": _relationships,
    "interaction": _interactions,
    "attribute": _attributes,
    "gossip": _gossip,
    "timer": _timers,
    "counter": _counters,
    "value": _values,
    "event": _events,
    "reply": _replies,
}
