"""Conditions and effects as a pack has them: one form for each meaning.

Single gates become lists, counts and literals become comparisons, a chance becomes parts per
million, an answer names its line by key. Nothing that says nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from talebearer.content._keys import Former
from talebearer.vocabulary import Confidence

PARTS_PER_MILLION = 1_000_000
Resolve = Callable[[str], str]
"""From the text of ``reply_to.line`` to the key of the line."""

_PLURALS = {"relationship": "relationships", "interaction": "interactions"}


def condition(
    authored: Mapping[str, Any], resolve: Resolve, former: Former | None = None
) -> dict[str, Any]:
    """Return *authored*, a condition that was checked, as a pack has it; empty if it asks nothing.

    Args:
        authored: The condition.
        resolve: What ``reply_to.line`` means.
        former: Fact ids to their former ones.
    """
    found: dict[str, Any] = {}
    for name, part in authored.items():
        if name in ("all_of", "any_of"):
            found[name] = [condition(one, resolve, former) for one in part]
        elif name == "not":
            found[name] = condition(part, resolve, former)
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
    return _widened(found, former) if former else found


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


def _widened(compiled: dict[str, Any], former: Former) -> dict[str, Any]:
    """Return a compiled condition whose gates on facts count what is known under former ids, too.

    A fact is known as well as the best of its ids is known; it is absent while all of them are.
    """
    gates = compiled.get("facts", ())
    if not any(gate["fact_id"] in former for gate in gates):
        return compiled
    plain: list[dict[str, Any]] = []
    either: list[dict[str, Any]] = []
    for gate in gates:
        named = [
            {**gate, "fact_id": name}
            for name in (gate["fact_id"], *former.get(gate["fact_id"], ()))
        ]
        if len(named) == 1 or gate.get("absent"):
            plain += named
            continue
        either.append(_any_of(named))
        if "confidence" in gate and (better := _above(gate["confidence"])) is not None:
            bar = {name: part for name, part in gate.items() if name != "confidence"}
            known = [{**bar, "fact_id": one["fact_id"], "min_confidence": better} for one in named]
            either.append({"not": _any_of(known)})
    found = {name: part for name, part in compiled.items() if name != "facts"}
    if plain:
        found["facts"] = plain
    if either:
        found["all_of"] = [*found.get("all_of", ()), *either]
    return found


def levels(
    authored: Any, former: Former | None = None, depth: int = 1
) -> Iterator[tuple[int, str | None]]:
    """Yield how deep conditions stand in *authored* as a pack has it, and where it names others.

    Args:
        authored: A condition; what is wrong in it is passed over.
        former: As in :func:`condition`.
        depth: How deep *authored* stands itself.
    """
    if not isinstance(authored, Mapping):
        return
    yield depth + _further(authored.get("facts"), former or {}), None
    for name in _entries(authored.get("conditions")):
        if isinstance(name, str):
            yield depth, name
    for one in (*_entries(authored.get("all_of")), *_entries(authored.get("any_of"))):
        yield from levels(one, former, depth + 1)
    yield from levels(authored.get("not"), former, depth + 1)


def _further(facts: Any, former: Former) -> int:
    """Return how much deeper the gates *facts* stand once :func:`_widened` has written them out."""
    found = 0
    for gate in _entries(facts) if isinstance(facts, list) else (facts,):
        if isinstance(gate, Mapping) and gate.get("fact_id") in former and not gate.get("absent"):
            found = max(found, 3 if gate.get("confidence") in _BETTERED else 2)
    return found


def _entries(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _any_of(gates: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {"any_of": [{"facts": [gate]} for gate in gates]}


def _above(confidence: str) -> str | None:
    """Return the next better confidence, or None for the best."""
    return next(
        (one.value for one in Confidence if one.rank == Confidence(confidence).rank + 1), None
    )


_BETTERED = frozenset(one.value for one in Confidence if _above(one.value) is not None)
"""The confidences that there is a better one than."""
