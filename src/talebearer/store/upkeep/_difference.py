"""Structured difference of two JSON values, by JSON pointer.

Values are compared as JSON has them: 1, 1.0, true and "1" are four values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from talebearer.store._canonical import Path, json_pointer

Operation = Literal["add", "remove", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where two values differ.

    Attributes:
        op: ``add``, ``remove`` or ``replace``, read from the first value to the second.
        pointer: The place, a JSON pointer; an array's index is that of the value that has it.
        before: What the first value has there; absent when *op* is ``add``.
        after: What the second value has there; absent when *op* is ``remove``.
    """

    op: Operation
    pointer: str
    before: Any = None
    after: Any = None

    def as_json(self) -> dict[str, Any]:
        """Return the difference as a JSON object; what is absent has no member."""
        made: dict[str, Any] = {"op": self.op, "pointer": self.pointer}
        if self.op != "add":
            made["before"] = self.before
        if self.op != "remove":
            made["after"] = self.after
        return made


def differences(before: Any, after: Any) -> list[Difference]:
    """Return where *after* differs from *before*, in the order of keys and indexes.

    Objects are compared by key. Of arrays, what both begin with and end with is left out, and the
    rest is compared by position.
    """
    return list(_walk(before, after, ()))


def same_json(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same, types included."""
    return next(_walk(one, other, ()), None) is None


def _walk(before: Any, after: Any, path: Path) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _objects(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _arrays(before, after, path)
    elif type(before) is not type(after) or before != after or _zero_signs_differ(before, after):
        yield Difference(op="replace", pointer=json_pointer(path), before=before, after=after)


def _zero_signs_differ(before: Any, after: Any) -> bool:
    return isinstance(before, float) and str(before) != str(after)


def _objects(before: dict[str, Any], after: dict[str, Any], path: Path) -> Iterator[Difference]:
    for key in sorted(before.keys() | after.keys()):
        there = (*path, key)
        if key not in after:
            yield Difference(op="remove", pointer=json_pointer(there), before=before[key])
        elif key not in before:
            yield Difference(op="add", pointer=json_pointer(there), after=after[key])
        else:
            yield from _walk(before[key], after[key], there)


def _arrays(before: list[Any], after: list[Any], path: Path) -> Iterator[Difference]:
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    shared = min(len(old), len(new))
    for index in range(shared):
        yield from _walk(old[index], new[index], (*path, head + index))
    for index in range(shared, len(old)):
        there = json_pointer((*path, head + index))
        yield Difference(op="remove", pointer=there, before=old[index])
    for index in range(shared, len(new)):
        yield Difference(op="add", pointer=json_pointer((*path, head + index)), after=new[index])


def _common(one: list[Any], other: list[Any]) -> int:
    """Return how many items both lists begin with."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if not same_json(left, right):
            break
        count += 1
    return count
