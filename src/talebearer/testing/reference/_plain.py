"""The small parts of the plain reading: comparisons, ages, scores, texts, numbers.

What stands here a second time (operators, the order of gates, the draw) does so on purpose: the reference
shares nothing with ``talebearer.lines``, so that one is a check of the other.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from talebearer.memory import Event

OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_READ_ORDER = (
    "facts",
    "entity_attributes",
    "relationships",
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

Key = tuple[str, str]
"""Pool path and line id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    tick: int
    character: str
    key: Key
    variant: str
    round: int


@dataclass(slots=True, kw_only=True)
class Row:
    """One line with where it stands."""

    pool: Mapping[str, Any]
    line: Mapping[str, Any]

    @property
    def key(self) -> Key:
        return self.pool["path"], self.line["id"]

    @property
    def first_key(self) -> Key:
        """The pool path that draws know the line by, and its id."""
        return first_path_of(self.pool), self.line["id"]


def first_path_of(pool: Mapping[str, Any]) -> str:
    """Return the path that a pool had first."""
    return str(pool.get("first_path", pool["path"]))


@dataclass(slots=True, kw_only=True)
class Moment:
    """One question."""

    tick: int
    speaker: str
    request: str
    trigger: str | None
    event: Mapping[str, Any]
    speaking: Sequence[tuple[str, str]]
    paths: list[str] = field(default_factory=list)

    @property
    def heard_as(self) -> str:
        """Under whom a hearing is kept; thoughts are nobody's."""
        return self.speaker if self.trigger is None else ""


def places_of(condition: Mapping[str, Any]) -> dict[int, int]:
    """Number the chances of a condition in reading order, by the identity of what holds them."""
    found: dict[int, int] = {}

    def read(part: Mapping[str, Any]) -> None:
        for member in _READ_ORDER:
            if member not in part:
                continue
            if member in ("all_of", "any_of"):
                for inner in part[member]:
                    read(inner)
            elif member == "not":
                read(part["not"])
            elif member == "chance":
                found[id(part)] = len(found)

    read(condition)
    return found


def written_for(event: Event) -> Key:
    """Return under which line something was written; empty where that does not matter."""
    return event.data.get("pool", ""), event.data.get("line", "")


def compares(found: Any, bounds: Mapping[str, Any]) -> bool:
    """Return whether *found* is within all bounds; nothing compares with another type."""
    terms = [(sign, bounds[sign]) for sign in OPERATORS if sign in bounds]
    return found is not None and all(
        type_of(found) == type_of(operand) and OPERATORS[sign](found, operand)
        for sign, operand in terms
    )


def type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "flag"
    return "text" if isinstance(value, str) else "number"


def aged(age: int, gate: Mapping[str, Any]) -> bool:
    return age <= gate.get("within", age) and ("older_than" not in gate or age > gate["older_than"])


def score_of(line: Mapping[str, Any], scene: Mapping[str, Any]) -> int:
    total = 0
    for tags, asked in ((line.get("topic"), scene["topics"]), (line.get("mood"), scene["moods"])):
        if tags and asked:
            total += sum(tag in asked for tag in tags) or -1
    return total


def best(
    passed: list[Row], values: Mapping[Key, int], stage: str, fates: dict[Key, str | int]
) -> list[Row]:
    best = max(values[row.key] for row in passed)
    fates.update({row.key: stage for row in passed if values[row.key] < best})
    return [row for row in passed if values[row.key] == best]


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def number_of(array: Sequence[Any]) -> int:
    """Return the 64-bit number that *array* draws.

    Source: docs/reference/selection.md, "Draws".
    """
    text = json.dumps(array, ensure_ascii=False, separators=(",", ":"))
    mask = 2**64 - 1
    state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    state = (state + 0x9E3779B97F4A7C15) & mask
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & mask
    return state ^ (state >> 31)
