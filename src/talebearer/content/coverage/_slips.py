"""Gates that look copied: a line asks that one thing has not happened yet, and notes another.

Lines that are to come once in a while often ask for a mark and set it: not said yet, and from now on
it is. Where the lines beside it all ask for the mark that they set, and one line asks for a
neighbour's mark and sets its own, its gate was probably copied. This is a guess, and told as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from talebearer.content.coverage._fates import AnyPool
from talebearer.lines import (
    AddCounter,
    AllOf,
    AnyOf,
    CounterGate,
    Effect,
    FactGate,
    KnowledgeGrant,
    LineKey,
    Not,
    SetValue,
    TimerGate,
    ValueGate,
)
from talebearer.lines.gates import Gate

SIBLINGS_MIN = 2
"""So many lines of the pool must ask for what they set before another way looks like a slip."""

_OFTEN = 1 << 40
"""A count that has gone up many times."""

Mark: TypeAlias = tuple[str, str]
"""Kind and name of a counter, a timer, a value or a fact."""


class Slip(NamedTuple):
    """A line, the mark that it asks for, the mark that it sets, and how many siblings pair them."""

    line: LineKey
    asks: Mark
    writes: Mark
    siblings: int


def slips(pool: AnyPool) -> Iterator[Slip]:
    """Yield what looks like a slip in *pool*."""
    asked = {place: frozenset(_not_yet(pool.when[place].gates)) for place in pool.when}
    written = {place: frozenset(map(_mark, pool.effects[place])) for place in pool.effects}
    both = sorted(asked.keys() & written.keys())
    paired = [place for place in both if asked[place] & written[place]]
    if len(paired) < SIBLINGS_MIN:
        return
    owned = {mark for place in paired for mark in asked[place] & written[place]}
    for place in both:
        if asked[place] & written[place] or place in pool.once:
            continue
        for asks in sorted(asked[place] & owned):
            writes = next((one for one in sorted(written[place]) if one[0] == asks[0]), None)
            if writes is not None:
                yield Slip((pool.path, pool.ids[place]), asks, writes, len(paired))


def _mark(effect: Effect) -> Mark:
    if isinstance(effect, KnowledgeGrant):
        return ("fact", effect.fact_id)
    if isinstance(effect, AddCounter):
        return ("counter", effect.counter)
    if isinstance(effect, SetValue):
        return ("value", effect.value)
    return ("timer", effect.timer)


def _not_yet(gates: Iterable[Gate]) -> Iterator[Mark]:
    """Yield the marks of which *gates* ask that they are not set, or not lately."""
    for gate in gates:
        if isinstance(gate, AllOf | AnyOf):
            yield from _not_yet(gate.gates)
        elif isinstance(gate, Not):
            yield from _denied(gate.gate)
        elif isinstance(gate, FactGate) and gate.absent:
            yield ("fact", gate.fact_id)
        elif isinstance(gate, TimerGate) and (gate.never or gate.older_than is not None):
            yield ("timer", gate.timer)
        elif isinstance(gate, CounterGate) and _falls(gate, gate.initial, _OFTEN):
            yield ("counter", gate.counter)
        elif isinstance(gate, ValueGate) and gate.comparison.holds(gate.initial):
            yield ("value", gate.name)


def _denied(gate: Gate) -> Iterator[Mark]:
    if isinstance(gate, FactGate) and not gate.absent:
        yield ("fact", gate.fact_id)
    elif isinstance(gate, CounterGate) and _falls(gate, _OFTEN, gate.initial):
        yield ("counter", gate.counter)
    elif isinstance(gate, ValueGate):
        yield ("value", gate.name)
    elif isinstance(gate, TimerGate) and gate.within is not None:
        yield ("timer", gate.timer)


def _falls(gate: CounterGate, before: Any, after: Any) -> bool:
    """Whether the comparison holds before and no more after."""
    return gate.comparison.holds(before) and not gate.comparison.holds(after)
