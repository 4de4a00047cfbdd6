"""Conditions and effects as a pack has them: one form for each meaning.

Single gates become lists, counts and literals become comparisons, a chance becomes parts per
million, an answer names its line by key. Nothing that says nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

PARTS_PER_MILLION = 1_000_000
Resolve = Callable[[str], str]
"""From the text of ``reply_to.line`` to the key of the line."""

_PLURALS = {"relationship": "relationships", "interaction": "interactions"}


def condition(authored: Mapping[str, Any], resolve: Resolve) -> dict[str, Any]:
    """Return *authored*, a condition that was checked, as a pack has it; empty if it asks nothing."""
    found: dict[str, Any] = {}
    for name, part in authored.items():
        if name in ("all_of", "any_of"):
            found[name] = [condition(one, resolve) for one in part]
        elif name == "not":
            found[name] = condition(part, resolve)
        elif name == "conditions":
            found[name] = part
        elif name == "chance":
            found[name] = round(part * PARTS_PER_MILLION)
        elif name == "event":
            found[name] = {field: _event_field(wanted) for field, wanted in part.items()}
        elif name == "reply_to":
            found[name] = _reply(part, resolve)
        elif part:
            gates = part if isinstance(part, list) else [part]
            shape = _SHAPES.get(_PLURALS.get(name, name), _plain)
            found[_PLURALS.get(name, name)] = [shape(gate) for gate in gates]
    return found


def _plain(gate: Mapping[str, Any]) -> dict[str, Any]:
    return {name: whole(part) for name, part in gate.items()}


def _attribute(gate: Mapping[str, Any]) -> dict[str, Any]:
    return {"=" if name == "value" else name: whole(part) for name, part in gate.items()}


def _interaction(gate: Mapping[str, Any]) -> dict[str, Any]:
    found = _plain(gate)
    least = found.pop("min_count", 1)
    count = found.get("count", {">=": least})
    found["count"] = _plain(count) if isinstance(count, dict) else {"=": count}
    return found


def _event_field(wanted: Any) -> dict[str, Any]:
    return _plain(wanted) if isinstance(wanted, dict) else {"=": whole(wanted)}


def _reply(gate: Mapping[str, Any], resolve: Resolve) -> dict[str, Any]:
    found = _plain(gate)
    if "line" in found:
        found["line"] = resolve(found["line"])
    return found


_SHAPES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "entity_attributes": _attribute,
    "interactions": _interaction,
}


def effects(line: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all that hearing *line* does: its grant first, then its effects in order."""
    found: list[dict[str, Any]] = []
    if "knowledge_grant" in line:
        found.append({"grant": line["knowledge_grant"]})
    for effect in line.get("effects", ()):
        ((verb, part),) = effect.items()
        found.append({verb: ({"by": 1} if verb == "add" else {}) | _plain(part)})
    return found


def whole(number: Any) -> Any:
    """Return a number without fraction as an integer, however it was written; else *number*."""
    return int(number) if isinstance(number, float) and number.is_integer() else number
