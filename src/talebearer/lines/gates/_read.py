"""A condition of a pack to gates, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from talebearer.lines import _reader as read
from talebearer.lines._declared import Declared, DeclaredCounter, DeclaredValue
from talebearer.lines.gates._base import Gate
from talebearer.lines.gates._cells import CounterGate, TimerGate, ValueGate
from talebearer.lines.gates._compare import AT_LEAST_ONE, OPERATORS, ORDERINGS, Comparison
from talebearer.lines.gates._facts import FactGate, GossipGate
from talebearer.lines.gates._logic import AllOf, AnyOf, Named, Not
from talebearer.lines.gates._moment import MILLION, ChanceGate, EventGate, ReplyGate
from talebearer.lines.gates._people import AttributeGate, InteractionGate, RelationshipGate
from talebearer.vocabulary import (
    ENTITY_REF,
    FACT_ID,
    SLUG,
    Confidence,
    FactState,
    InteractionState,
    RelationshipState,
)

NAME = "[a-z][a-z0-9_-]*"
"""The id of a timer, counter, value, class, condition or event field."""

TICKS_MAX = 2**32 - 1
COUNT_MAX = 2**32 - 1
NUMBER_MAX = 2**53 - 1
DEPTH_MAX = 64
"""How deep conditions may stand inside each other, named ones counted along."""

_OPERATORS = tuple(OPERATORS)
_MEMBERS = (
    "facts",
    "entity_attributes",
    "relationship",
    "relationships",
    "interaction",
    "interactions",
    "gossip",
    "timers",
    "counters",
    "values",
    "event",
    "reply_to",
    "conditions",
    "all_of",
    "any_of",
    "not",
    "chance",
)
_EITHER = (("relationship", "relationships"), ("interaction", "interactions"))
LineNames = Callable[[tuple[str, str]], tuple[tuple[str, str], ...]]
"""From a line's key to its former ones."""


class ConditionReader:
    """Reads the conditions of one pack; equal ones become one object.

    Args:
        declared: What the campaign declares.
        named: The named conditions, as the pack has them.
        names: The former names of a line.
    """

    def __init__(self, declared: Declared, named: Mapping[str, Any], names: LineNames) -> None:
        self._declared = declared
        self._raw = named
        self._names = names
        self._named: dict[str, Named] = {}
        self._open: list[str] = []
        self._leaves: dict[str, Gate] = {}
        self._chances = 0
        self._depth = 0
        self._deepest = 0
        self._levels: dict[str, int] = {}
        """Named condition to how deep conditions stand in each other in it."""

    def named(self, name: str, at: str) -> Named:
        """Return the named condition; one that is not declared never holds."""
        found = self._named.get(name)
        if found is None:
            if name in self._open:
                circle = " -> ".join([*self._open[self._open.index(name) :], name])
                read.refuse(at, f"the named conditions go round in a circle: {circle}")
            gate: Gate | None = None
            deepest, self._deepest = self._deepest, self._depth
            if name in self._raw:
                self._open.append(name)
                chances, self._chances = self._chances, 0
                gates = self.gates(self._raw[name], f"$.conditions.{name}")
                gate = gates[0] if len(gates) == 1 else AllOf(gates)
                self._chances = chances
                self._open.pop()
            self._levels[name] = self._deepest - self._depth
            self._deepest = deepest
            found = self._named[name] = Named(name, gate)
        # Whoever was read first, what stands in it counts wherever it is named.
        self._reach(self._depth + self._levels[name], at)
        return found

    def _reach(self, depth: int, at: str) -> None:
        if depth > DEPTH_MAX:
            read.refuse(at, f"conditions stand more than {DEPTH_MAX} deep in each other")
        self._deepest = max(self._deepest, depth)

    def line(self, value: Any, at: str) -> tuple[Gate, ...]:
        """Return the gates of a line's condition, all of which must hold."""
        self._chances = 0
        return self.gates(value, at)

    def gates(self, value: Any, at: str) -> tuple[Gate, ...]:
        """Return the gates of the condition *value*, all of which must hold."""
        found = read.members(value, at, required=(), optional=_MEMBERS)
        for single, several in _EITHER:
            if single in found and several in found:
                read.refuse(at, f"expected one of {single!r} and {several!r}")
        self._depth += 1
        self._reach(self._depth, at)
        gates = [
            gate
            for name in _MEMBERS
            if name in found
            for gate in self._member(name, found[name], f"{at}.{name}")
        ]
        self._depth -= 1
        return tuple(gates)

    def _member(self, name: str, value: Any, at: str) -> Iterator[Gate]:
        if name in _LEAVES:
            single = name in ("relationship", "interaction") or isinstance(value, dict)
            entries = [(at, value)] if single else _numbered(value, at)
            for place, entry in entries:
                yield self._leaf(name, entry, place)
        elif name == "event":
            for field, wanted in read.mapping(value, at).items():
                read.matching(field, f"{at}.{field}", NAME)
                yield EventGate(field=field, comparison=_literal(wanted, f"{at}.{field}"))
        elif name == "reply_to":
            yield self._reply(value, at)
        elif name == "conditions":
            for place, entry in _numbered(value, at):
                yield self.named(read.matching(entry, place, NAME), place)
        elif name == "chance":
            parts = read.integer(value, at, minimum=1, maximum=MILLION)
            inside = self._open[-1] if self._open else ""
            yield ChanceGate(parts_per_million=parts, condition=inside, place=self._chances)
            self._chances += 1
        elif name == "not":
            yield Not(self._one(value, at))
        else:
            yield self._several(name, value, at)

    def _several(self, name: str, value: Any, at: str) -> Gate:
        gates = tuple(self._one(entry, place) for place, entry in _numbered(value, at))
        if not gates:
            read.refuse(at, "expected at least 1 item(s)")
        return AllOf(gates) if name == "all_of" else AnyOf(gates)

    def _one(self, value: Any, at: str) -> Gate:
        gates = self.gates(value, at)
        return gates[0] if len(gates) == 1 else AllOf(gates)

    def _leaf(self, name: str, value: Any, at: str) -> Gate:
        key = f"{name} {value!r}"
        found = self._leaves.get(key)
        if found is None:
            found = self._leaves[key] = _LEAVES[name](self, value, at)
        return found

    def _fact(self, value: Any, at: str) -> Gate:
        ways = ("min_confidence", "confidence", "absent")
        found = read.members(value, at, required=("fact_id",), optional=(*ways, "fact_state"))
        _one_of(found, ways, at)
        if "absent" in found and found["absent"] is not True:
            read.refuse(f"{at}.absent", f"expected true, found {read.shown(found['absent'])}")
        states = {
            name: read.member_of(found[name], f"{at}.{name}", Confidence)
            for name in ways[:2]
            if name in found
        }
        state = found.get("fact_state", "active")
        return FactGate(
            fact_id=read.matching(found["fact_id"], f"{at}.fact_id", FACT_ID),
            absent="absent" in found,
            fact_state=read.member_of(state, f"{at}.fact_state", FactState),
            **states,
        )

    def _gossip(self, value: Any, at: str) -> Gate:
        found = read.members(value, at, required=("about",), optional=("state", "target"))
        target = found.get("target")
        return GossipGate(
            about=read.matching(found["about"], f"{at}.about", ENTITY_REF),
            state=_state(found, at),
            target=None if target is None else read.matching(target, f"{at}.target", ENTITY_REF),
        )

    def _attribute(self, value: Any, at: str) -> Gate:
        found = read.members(value, at, required=("entity", "key"), optional=("value", *_OPERATORS))
        if "value" in found:
            if any(sign in found for sign in _OPERATORS):
                read.refuse(at, "expected one of 'value' and a comparison")
            word = read.string(found["value"], f"{at}.value", empty=True)
            comparison = Comparison((("=", word),))
        else:
            comparison = _comparison(found, at)
        return AttributeGate(
            entity=read.matching(found["entity"], f"{at}.entity", ENTITY_REF),
            key=read.string(found["key"], f"{at}.key"),
            comparison=comparison,
        )

    def _relationship(self, value: Any, at: str) -> Gate:
        found = read.members(value, at, required=("target",), optional=("state", "states"))
        _one_of(found, ("state", "states"), at)
        target = read.matching(found["target"], f"{at}.target", ENTITY_REF)
        if "state" in found:
            state = read.member_of(found["state"], f"{at}.state", RelationshipState)
            return RelationshipGate(target=target, state=state)
        known = [state.value for state in RelationshipState]
        states = read.chosen(found["states"], f"{at}.states", allowed=known, count_min=1)
        return RelationshipGate(target=target, states=tuple(map(RelationshipState, states)))

    def _interaction(self, value: Any, at: str) -> Gate:
        optional = ("state", "min_count", "count", "within", "older_than")
        found = read.members(value, at, required=("target",), optional=optional)
        if "min_count" in found and "count" in found:
            read.refuse(at, "expected one of 'min_count' and 'count'")
        comparison = AT_LEAST_ONE
        if "min_count" in found:
            least = read.integer(
                found["min_count"], f"{at}.min_count", minimum=1, maximum=COUNT_MAX
            )
            # The one object, by which the gate knows that it has nothing to compare.
            comparison = AT_LEAST_ONE if least == 1 else Comparison(((">=", least),))
        elif "count" in found:
            comparison = _count(found["count"], f"{at}.count")
        return InteractionGate(
            target=read.matching(found["target"], f"{at}.target", ENTITY_REF),
            state=_state(found, at),
            comparison=comparison,
            within=_ticks(found, "within", at),
            older_than=_ticks(found, "older_than", at),
        )

    def _timer(self, value: Any, at: str) -> Gate:
        found = read.members(
            value, at, required=("timer",), optional=("within", "older_than", "never")
        )
        if "never" in found and found["never"] is not True:
            read.refuse(f"{at}.never", f"expected true, found {read.shown(found['never'])}")
        ages = "within" in found or "older_than" in found
        if ages is ("never" in found):
            read.refuse(at, "expected 'never', or 'within' or 'older_than'")
        name = read.matching(found["timer"], f"{at}.timer", NAME)
        return TimerGate(
            timer=name,
            scope=self._declared.timers.get(name),
            within=_ticks(found, "within", at),
            older_than=_ticks(found, "older_than", at),
            never="never" in found,
        )

    def _counter(self, value: Any, at: str) -> Gate:
        found = read.members(value, at, required=("counter",), optional=_OPERATORS)
        name = read.matching(found["counter"], f"{at}.counter", NAME)
        known: DeclaredCounter | None = self._declared.counters.get(name)
        return CounterGate(
            counter=name,
            scope=None if known is None else known.scope,
            initial=0 if known is None else known.initial,
            comparison=_comparison(found, at),
        )

    def _value(self, value: Any, at: str) -> Gate:
        found = read.members(value, at, required=("value",), optional=_OPERATORS)
        name = read.matching(found["value"], f"{at}.value", NAME)
        known: DeclaredValue | None = self._declared.values.get(name)
        return ValueGate(
            name=name,
            scope=None if known is None else known.scope,
            initial=None if known is None else known.initial,
            comparison=_comparison(found, at),
        )

    def _reply(self, value: Any, at: str) -> Gate:
        optional = ("line", "character", "after", "within")
        found = read.members(value, at, required=(), optional=optional)
        _one_of(found, ("line", "character"), at)
        after, within = _ticks(found, "after", at) or 0, _ticks(found, "within", at)
        if "character" in found:
            slug = read.matching(found["character"], f"{at}.character", SLUG)
            return ReplyGate(character=slug, after=after, within=within)
        pool, line = read.line_key(found["line"], f"{at}.line")
        keys = frozenset(((pool, line), *self._names((pool, line))))
        return ReplyGate(pool=pool, line=line, keys=keys, after=after, within=within)


_LEAVES: Mapping[str, Callable[[ConditionReader, Any, str], Gate]] = {
    "facts": ConditionReader._fact,
    "gossip": ConditionReader._gossip,
    "entity_attributes": ConditionReader._attribute,
    "relationship": ConditionReader._relationship,
    "relationships": ConditionReader._relationship,
    "interaction": ConditionReader._interaction,
    "interactions": ConditionReader._interaction,
    "timers": ConditionReader._timer,
    "counters": ConditionReader._counter,
    "values": ConditionReader._value,
}


def _numbered(value: Any, at: str) -> list[tuple[str, Any]]:
    return [(f"{at}[{n}]", entry) for n, entry in enumerate(read.items(value, at))]


def _one_of(found: Mapping[str, Any], ways: tuple[str, ...], at: str) -> None:
    if sum(name in found for name in ways) != 1:
        listed = " and ".join(repr(name) for name in ways)
        read.refuse(at, f"expected one of {listed}")


def _state(found: Mapping[str, Any], at: str) -> InteractionState | None:
    if "state" not in found:
        return None
    return read.member_of(found["state"], f"{at}.state", InteractionState)


def _ticks(found: Mapping[str, Any], name: str, at: str) -> int | None:
    if name not in found:
        return None
    return read.integer(found[name], f"{at}.{name}", minimum=0, maximum=TICKS_MAX)


def _count(value: Any, at: str) -> Comparison:
    if not isinstance(value, dict):
        return Comparison((("=", read.integer(value, at, minimum=0, maximum=COUNT_MAX)),))
    found = read.members(value, at, required=(), optional=_OPERATORS)
    for sign, operand in found.items():
        read.integer(operand, f"{at}.{sign}", minimum=0, maximum=COUNT_MAX)
    return _comparison(found, at)


def _literal(value: Any, at: str) -> Comparison:
    if isinstance(value, dict):
        return _comparison(read.members(value, at, required=(), optional=_OPERATORS), at)
    return _comparison({"=": value}, at)


def _comparison(found: Mapping[str, Any], at: str) -> Comparison:
    terms = tuple(
        (sign, _operand(sign, found[sign], f"{at}.{sign}")) for sign in _OPERATORS if sign in found
    )
    if not terms:
        read.refuse(at, "expected a comparison", hint=f"one or more of {' '.join(_OPERATORS)}")
    return Comparison(terms)


def _operand(sign: str, value: Any, at: str) -> str | int | float | bool:
    if sign in ORDERINGS and (isinstance(value, bool) or not isinstance(value, int | float)):
        read.refuse(at, f"expected a number, found {read.shown(value)}")
    return read.scalar(value, at, number_max=NUMBER_MAX)
