"""What a campaign declares for its gates and effects: state, named conditions, fields of triggers.

Source: rule LP-L6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import shown, suggestion
from talebearer.errors import Severity
from talebearer.errors import findings_content as codes

NUMBER, TEXT, FLAG = "number", "text", "flag"
ENUM_OF_TRIGGERS = "triggers"
_SHOWN_MAX = 8
_SECTIONS = ("timers", "counters", "values", "classes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Every declared name with what is known of it.

    Attributes:
        timers: Timer to its entry.
        counters: Counter to its entry.
        values: Value to its entry.
        classes: Speaking class to its entry.
        conditions: Named condition to its entry.
        fields: Trigger to its fields, each with its type.
    """

    timers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    counters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    classes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    conditions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def fields_of(self, trigger: str | None) -> dict[str, str]:
        """Return the fields of *trigger*; for none, those of all triggers."""
        if trigger is not None:
            return dict(self.fields.get(trigger, {}))
        return {name: kind for fields in self.fields.values() for name, kind in fields.items()}


def gather(state: Any, conditions: Any, triggers: Any) -> Declared:
    """Return what the roots of the state, conditions and trigger files declare, faults apart."""
    sections = {name: _by_id(listed(state, name)) for name in _SECTIONS}
    return Declared(
        **sections,
        conditions=_by_id(listed(conditions, "conditions")),
        fields={
            str(entry.get("value")): {
                str(one.get("name")): str(one.get("type")) for one in listed(entry, "fields")
            }
            for entry in listed(triggers, "values")
        },
    )


def listed(root: Any, name: str) -> list[dict[str, Any]]:
    """Return the list *name* of the mapping *root*; what is no mapping in it is an empty one."""
    found = root.get(name) if isinstance(root, dict) else None
    return (
        [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list) else []
    )


def _by_id(entries: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if isinstance(entry.get("id"), str):
            found.setdefault(entry["id"], entry)
    return found


def type_of(value: Any) -> str:
    """Return which declared type *value* is of."""
    if isinstance(value, bool):
        return FLAG
    return NUMBER if isinstance(value, int | float) else TEXT


def undeclared(what: str, name: str, known: Iterable[str], path: ValuePath, **place: Any) -> Draft:
    """Return the finding that *name* is none of the *known* ones."""
    return Draft(
        code=codes.UNDECLARED,
        message=f"{what} {shown(name)} is declared nowhere",
        hint=suggestion(name, sorted(known)) or _WHERE.get(what, ""),
        path=path,
        **place,
    )


_WHERE = {
    "timer": "declare it in global/state.yaml",
    "counter": "declare it in global/state.yaml",
    "value": "declare it in global/state.yaml",
    "class": "declare it in global/state.yaml",
    "condition": "declare it in global/conditions.yaml",
    "event field": "declare it under its trigger in global/enums/triggers.yaml",
}


def check_state(root: Mapping[str, Any], declared: Declared) -> Iterator[Draft]:
    """Yield what a schema cannot say about the state file."""
    for section in _SECTIONS:
        yield from check_unique(root, section)
    for at, entry in enumerate(listed(root, "values")):
        initial, kind = entry.get("initial"), entry.get("type")
        if "initial" in entry and kind in (NUMBER, TEXT, FLAG) and type_of(initial) != kind:
            yield Draft(
                code=codes.WRONG_VALUE_TYPE,
                message=f"value {shown(entry.get('id'))} is a {kind}, but begins as {shown(initial)}",
                path=("values", at, "initial"),
            )
    for at, entry in enumerate(listed(root, "classes")):
        for name in ("interrupts", "excluded_by"):
            others = entry.get(name)
            for n, other in enumerate(others if isinstance(others, list) else ()):
                if isinstance(other, str) and other not in declared.classes:
                    path: ValuePath = ("classes", at, name, n)
                    yield undeclared("class", other, declared.classes, path)


def check_unique(root: Mapping[str, Any], section: str) -> Iterator[Draft]:
    """Yield the ids that *section* has twice."""
    first: dict[str, ValuePath] = {}
    for at, entry in enumerate(listed(root, section)):
        name, path = entry.get("id"), (section, at, "id")
        if isinstance(name, str) and first.setdefault(name, path) != path:
            message = f"{shown(name)} is declared twice"
            code = codes.DUPLICATE_DECLARATION
            yield Draft(code=code, message=message, path=path, first=first[name])


def check_fields(stem: str, root: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield what is wrong with the event fields in the enumeration file *stem*."""
    for at, entry in enumerate(listed(root, "values")):
        if "fields" in entry and stem != ENUM_OF_TRIGGERS:
            yield Draft(
                code=codes.UNKNOWN_FIELD,
                message=f"{stem} have no fields",
                hint="only the values of triggers.yaml have them",
                path=("values", at, "fields"),
                on_key=True,
            )
            continue
        first: dict[str, ValuePath] = {}
        for n, one in enumerate(listed(entry, "fields")):
            name, path = one.get("name"), ("values", at, "fields", n, "name")
            if isinstance(name, str) and first.setdefault(name, path) != path:
                message = f"field {shown(name)} is declared twice"
                code = codes.DUPLICATE_DECLARATION
                yield Draft(code=code, message=message, path=path, first=first[name])


def check_cycles(root: Mapping[str, Any], declared: Declared) -> Iterator[Draft]:
    """Yield every reference of the conditions file *root* that closes a circle.

    One walk, depth first and without recursion, sees each condition and each reference once.
    """
    edges = {
        name: sorted(set(_named(entry.get("when"))) & set(declared.conditions))
        for name, entry in declared.conditions.items()
    }
    place: dict[str, int] = {}
    for at, entry in enumerate(listed(root, "conditions")):
        if isinstance(entry.get("id"), str):
            place.setdefault(entry["id"], at)
    done: set[str] = set()
    for start in sorted(edges):
        way: dict[str, Iterator[str]] = {} if start in done else {start: iter(edges[start])}
        while way:
            name = next(reversed(way))
            other = next(way[name], None)
            if other is None:
                done.add(name)
                del way[name]
            elif other in way:
                circle = [*way][[*way].index(other) :]
                yield _cycle(circle, ("conditions", place[name], "when"))
            elif other not in done:
                way[other] = iter(edges[other])


def _cycle(circle: list[str], path: ValuePath) -> Draft:
    names = circle if len(circle) <= _SHOWN_MAX else [*circle[: _SHOWN_MAX - 1], "…"]
    return Draft(
        code=codes.CONDITION_CYCLE,
        message=f"condition {shown(circle[0])} rests on itself: {' > '.join([*names, circle[0]])}",
        path=path,
    )


def _named(condition: Any) -> Iterator[str]:
    """Yield the names of all conditions that *condition* refers to."""
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            names = node.get("conditions")
            yield from (n for n in (names if isinstance(names, list) else ()) if isinstance(n, str))
            pending.extend(node.get(part) for part in ("all_of", "any_of", "not"))


def note(code: str, message: str, path: ValuePath, hint: str = "") -> Draft:
    """Return advice."""
    return Draft(code=code, message=message, hint=hint, severity=Severity.NOTE, path=path)
