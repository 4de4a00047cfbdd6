"""Rules about gates and effects: what they name exists, and what they ask for can be.

Source: rule LP-L6; the line-pool spec section 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from talebearer.content import _declared
from talebearer.content._declared import FLAG, NUMBER, Declared, type_of, undeclared
from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import likeliest, shown, suggestion
from talebearer.errors import Severity
from talebearer.errors import findings_content as codes
from talebearer.vocabulary import ENTITY_REF, FACT_ID, SLUG, fullmatch

RESERVED_CATEGORY = "interaction"
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_ORDERINGS = ("<", "<=", ">", ">=")
_PARTS_PER_MILLION = 1_000_000


@dataclass(slots=True, kw_only=True)
class Surroundings:
    """What gates may name, and what they have named.

    Attributes:
        facts: Every declared fact id.
        speakers: Slugs of everybody with a profile or lines.
        declared: State, conditions and event fields.
        resolve: From a ``reply_to`` text and a pool to the line's key, or the reason why not.
        read: (kind, name) of all state and facts that a gate read.
        written: (kind, name) of all state and facts that an effect wrote.
        wanted: The facts that a gate wants to be known.
    """

    facts: frozenset[str]
    speakers: frozenset[str]
    declared: Declared
    resolve: Callable[[str, str], tuple[str | None, str]]
    read: set[tuple[str, str]] = field(default_factory=set)
    written: set[tuple[str, str]] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)
    _suggestions: dict[str, str] = field(default_factory=dict)

    def apart(self) -> Surroundings:
        """Return these surroundings with nothing named yet."""
        return replace(self, read=set(), written=set(), wanted=set())

    @property
    def named(self) -> tuple[frozenset[Any], ...]:
        """What has been named so far, for :meth:`take`."""
        return frozenset(self.read), frozenset(self.written), frozenset(self.wanted)

    def take(self, named: tuple[frozenset[Any], ...]) -> None:
        """Take in what has been named in other surroundings."""
        read, written, wanted = named
        self.read |= read
        self.written |= written
        self.wanted |= wanted

    def fact(self, fact_id: Any, path: ValuePath) -> Iterator[Draft]:
        """Yield a warning if *fact_id* is well-formed and in no catalogue."""
        if not isinstance(fact_id, str) or fact_id in self.facts or not fullmatch(FACT_ID, fact_id):
            return
        category = fact_id.partition(".")[0]
        if category == RESERVED_CATEGORY or category == "gossip":
            return
        if fact_id not in self._suggestions:
            close = likeliest(fact_id, tuple(sorted(self.facts)))
            home = f"global/knowledge/{category}.yaml"
            self._suggestions[fact_id] = f"did you mean {close}?" if close else home
        yield Draft(
            code=codes.UNKNOWN_FACT,
            message=f"fact {shown(fact_id)} is in no catalogue",
            hint=self._suggestions[fact_id],
            severity=Severity.WARNING,
            path=path,
        )

    def entity(self, entity: Any, path: ValuePath) -> Iterator[Draft]:
        """Yield a warning if *entity* is well-formed and nobody that is known."""
        if not isinstance(entity, str) or not fullmatch(ENTITY_REF, entity):
            return
        yield from self.character(entity.partition(":")[2], path)

    def character(self, slug: Any, path: ValuePath) -> Iterator[Draft]:
        """Yield a warning if *slug* is well-formed and nobody's."""
        if not isinstance(slug, str) or slug in self.speakers or not fullmatch(SLUG, slug):
            return
        yield Draft(
            code=codes.UNKNOWN_ENTITY,
            message=f"npc:{slug} has neither profile nor lines",
            hint=suggestion(slug, sorted(self.speakers)),
            severity=Severity.WARNING,
            path=path,
        )


class Conditions:
    """The check of one condition with all that is in it."""

    def __init__(self, around: Surroundings, *, pool: str, trigger: str | None) -> None:
        self.around = around
        self.pool = pool
        self.trigger = trigger
        self.fields = around.declared.fields_of(trigger)

    def check(self, condition: Any, path: ValuePath, *, nested: bool = False) -> Iterator[Draft]:
        """Yield what is wrong with *condition*; what the schema refused is passed over."""
        pending: list[tuple[Any, ValuePath, bool]] = [(condition, path, nested)]
        while pending:
            node, place, must_say = pending.pop()
            if not isinstance(node, dict):
                continue
            if must_say and node and all(part == [] for part in node.values()):
                message = "a condition without a gate always holds"
                yield Draft(code=codes.EMPTY_CONDITION, message=message, path=place)
            for name in ("all_of", "any_of"):
                pending += [(one, (*place, name, at), True) for at, one in _items(node.get(name))]
            if "not" in node:
                pending.append((node["not"], (*place, "not"), True))
            yield from self._gates(node, place)

    def _gates(self, node: Mapping[str, Any], place: ValuePath) -> Iterator[Draft]:
        for name, part in node.items():
            check = _CHECKS.get(name)
            if check is not None:
                single = name in _SINGLE or (name == "gossip" and isinstance(part, dict))
                entries = [((), part)] if single else [((at,), one) for at, one in _items(part)]
                for at, gate in entries:
                    if isinstance(gate, dict):
                        yield from check(self, gate, (*place, name, *at))
        yield from self._names(node.get("conditions"), (*place, "conditions"))
        yield from _chance(node.get("chance"), (*place, "chance"))

    def _names(self, names: Any, path: ValuePath) -> Iterator[Draft]:
        known = self.around.declared.conditions
        for at, name in _items(names):
            if isinstance(name, str):
                self.around.read.add(("condition", name))
                if name not in known:
                    yield undeclared("condition", name, known, (*path, at))

    def _fact(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        if isinstance(gate.get("fact_id"), str):
            self.around.read.add(("fact", gate["fact_id"]))
            if "absent" not in gate:
                self.around.wanted.add(gate["fact_id"])
        yield from self.around.fact(gate.get("fact_id"), (*path, "fact_id"))

    def _attribute(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        yield from self.around.entity(gate.get("entity"), (*path, "entity"))
        yield from _bounds(gate, path)

    def _target(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        yield from self.around.entity(gate.get("target"), (*path, "target"))
        yield from _bounds(gate.get("count"), (*path, "count"), least=0)
        yield from _ages(gate, path)

    def _gossip(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        for name in ("about", "target"):
            yield from self.around.entity(gate.get(name), (*path, name))

    def _timer(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        yield from self._state("timer", gate, path)
        yield from _ages(gate, path)

    def _counter(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        yield from self._state("counter", gate, path)
        yield from _bounds(gate, path)

    def _value(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        yield from self._state("value", gate, path)
        entry = self.around.declared.values.get(str(gate.get("value")))
        if entry is not None:
            yield from _types(f"value {shown(gate['value'])}", gate, entry.get("type"), path)
        yield from _bounds(gate, path)

    def _state(self, kind: str, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        name, known = gate.get(kind), _known(self.around.declared, kind)
        if isinstance(name, str):
            self.around.read.add((kind, name))
            if name not in known:
                yield undeclared(kind, name, known, (*path, kind))

    def _event(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        for name, wanted in gate.items():
            if name not in self.fields:
                yield undeclared("event field", name, self.fields, (*path, name), on_key=True)
                continue
            comparison = wanted if isinstance(wanted, dict) else {"=": wanted}
            here = (*path, name)
            inline = not isinstance(wanted, dict)
            what = f"event field {shown(name)}"
            yield from _types(what, comparison, self.fields[name], here, inline=inline)
            yield from _bounds(comparison, here)

    def _reply(self, gate: dict[str, Any], path: ValuePath) -> Iterator[Draft]:
        line = gate.get("line")
        if isinstance(line, str) and line.strip():
            key, hint = self.around.resolve(line, self.pool)
            if key is None:
                message = f"line {shown(line)} is in no pool or in several"
                yield Draft(
                    code=codes.UNKNOWN_LINE, message=message, hint=hint, path=(*path, "line")
                )
        yield from self.around.character(gate.get("character"), (*path, "character"))
        after, within = gate.get("after"), gate.get("within")
        if isinstance(after, int) and isinstance(within, int) and within < after:
            yield _impossible(f"after {after} and within {within} ticks", (*path, "within"))


_SINGLE = ("relationship", "interaction", "event", "reply_to")
_CHECKS: Mapping[str, Callable[[Conditions, dict[str, Any], ValuePath], Iterator[Draft]]] = {
    "facts": Conditions._fact,
    "gossip": Conditions._gossip,
    "entity_attributes": Conditions._attribute,
    "relationship": Conditions._target,
    "relationships": Conditions._target,
    "interaction": Conditions._target,
    "interactions": Conditions._target,
    "timers": Conditions._timer,
    "counters": Conditions._counter,
    "values": Conditions._value,
    "event": Conditions._event,
    "reply_to": Conditions._reply,
}


def _items(value: Any) -> Iterator[tuple[int, Any]]:
    yield from enumerate(value if isinstance(value, list) else ())


def _known(declared: Declared, kind: str) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = getattr(declared, f"{kind}s")
    return found


def _chance(chance: Any, path: ValuePath) -> Iterator[Draft]:
    if type_of(chance) != NUMBER or not 0 < chance <= 1:
        return
    if round(chance * _PARTS_PER_MILLION) / _PARTS_PER_MILLION != chance:
        message = f"chance {shown(chance)} has more than six decimals"
        yield Draft(code=codes.OUT_OF_RANGE, message=message, path=path)


def _types(
    what: str, comparison: Mapping[str, Any], kind: Any, path: ValuePath, *, inline: bool = False
) -> Iterator[Draft]:
    """Yield the operands of *comparison* that are of another type than *kind*."""
    for operator in OPERATORS:
        if operator not in comparison:
            continue
        operand = comparison[operator]
        if operator in _ORDERINGS and kind != NUMBER:
            message = f"{what} is a {kind}, which {operator} cannot order"
        elif type_of(operand) != kind and isinstance(operand, str | int | float):
            message = f"{what} is a {kind}, but is compared with {shown(operand)}"
        else:
            continue
        place = path if inline else (*path, operator)
        yield Draft(code=codes.WRONG_VALUE_TYPE, message=message, path=place)


def _bounds(comparison: Any, path: ValuePath, *, least: float | None = None) -> Iterator[Draft]:
    """Yield a finding if the bounds of *comparison* leave nothing."""
    if not isinstance(comparison, dict):
        return
    numbers = {
        operator: comparison[operator]
        for operator in OPERATORS
        if type_of(comparison.get(operator)) == NUMBER
    }
    lows = [(numbers[op], op == ">") for op in (">", ">=") if op in numbers]
    highs = [(-numbers[op], op == "<") for op in ("<", "<=") if op in numbers]
    if least is not None:
        lows.append((least, False))
    low, high = max(lows, default=None), max(highs, default=None)
    exact = numbers.get("=")
    fails = low and high and (low[0] > -high[0] or (low[0] == -high[0] and (low[1] or high[1])))
    if exact is not None:
        fails = fails or (low and (exact < low[0] or (exact == low[0] and low[1])))
        fails = fails or (high and (exact > -high[0] or (exact == -high[0] and high[1])))
        fails = fails or numbers.get("!=") == exact
    if fails:
        given = ", ".join(f"{operator} {shown(n)}" for operator, n in numbers.items())
        yield _impossible(given, path)


def _ages(gate: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
    within, older = gate.get("within"), gate.get("older_than")
    if isinstance(within, int) and isinstance(older, int) and within <= older:
        yield _impossible(f"within {within} and older than {older} ticks", (*path, "older_than"))


def _impossible(what: str, path: ValuePath) -> Draft:
    message = f"nothing is {what}"
    return Draft(code=codes.IMPOSSIBLE, message=message, severity=Severity.WARNING, path=path)


def check_effects(
    line: Mapping[str, Any], path: ValuePath, around: Surroundings
) -> Iterator[Draft]:
    """Yield what is wrong with the grant and the effects of *line*."""
    granted: dict[Any, ValuePath] = {}
    grants: list[tuple[Any, ValuePath]] = [
        (line.get("knowledge_grant"), (*path, "knowledge_grant"))
    ]
    for at, effect in _items(line.get("effects")):
        if not isinstance(effect, dict):
            continue
        here: ValuePath = (*path, "effects", at)
        grants.append((effect.get("grant"), (*here, "grant")))
        for verb, kind in (("set", "value"), ("add", "counter"), ("stamp", "timer")):
            part = effect.get(verb)
            if isinstance(part, dict):
                yield from _write(verb, kind, part, (*here, verb), around)
    for grant, place in grants:
        if not isinstance(grant, dict):
            continue
        fact_id = grant.get("fact_id")
        yield from _check_grant(fact_id, (*place, "fact_id"), around)
        if isinstance(fact_id, str) and granted.setdefault(fact_id, place) != place:
            yield Draft(
                code=codes.WRONG_COMBINATION,
                message=f"the line grants {shown(fact_id)} twice",
                path=(*place, "fact_id"),
                first=granted[fact_id],
            )


def _check_grant(fact_id: Any, path: ValuePath, around: Surroundings) -> Iterator[Draft]:
    category = fact_id.partition(".")[0] if isinstance(fact_id, str) else ""
    if category == RESERVED_CATEGORY:
        message = f"a line cannot grant {shown(fact_id)}: conversations come from play"
        yield Draft(code=codes.RESERVED_CATEGORY, message=message, path=path)
    else:
        if isinstance(fact_id, str):
            around.written.add(("fact", fact_id))
        yield from around.fact(fact_id, path)


def _write(
    verb: str, kind: str, part: Mapping[str, Any], path: ValuePath, around: Surroundings
) -> Iterator[Draft]:
    name, known = part.get(kind), _known(around.declared, kind)
    if not isinstance(name, str):
        return
    around.written.add((kind, name))
    if name not in known:
        yield undeclared(kind, name, known, (*path, kind))
    elif verb == "set" and isinstance(part.get("to"), str | int | float):
        wanted = known[name].get("type")
        if wanted in (NUMBER, FLAG, _declared.TEXT) and type_of(part["to"]) != wanted:
            message = f"value {shown(name)} is a {wanted}, but is set to {shown(part['to'])}"
            yield Draft(code=codes.WRONG_VALUE_TYPE, message=message, path=(*path, "to"))
