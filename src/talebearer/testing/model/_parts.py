"""What the plain model is made of: refusals, versions, work units, canonical text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

CODES: dict[str, int] = {
    "INVALID_REQUEST": -32602,
    "UNAUTHENTICATED": -32001,
    "FORBIDDEN": -32002,
    "NOT_FOUND": -32003,
    "VERSION_CONFLICT": -32004,
    "IDEMPOTENCY_CONFLICT": -32005,
    "UNSUPPORTED_CAPABILITY": -32006,
    "DEADLINE_EXCEEDED": -32007,
    "OVERLOADED": -32009,
    "CURSOR_EXPIRED": -32010,
    "WORK_UNIT_EXPIRED": -32011,
}
"""Each reason of the wire and its number."""

Key = tuple[str, str, str]
"""Scope text, entity type, entity id."""


class Refused(Exception):
    """A request that was answered with an error, whoever answered it.

    Attributes:
        code: The JSON-RPC error number.
        reason: ``error.data.reason``, None where the protocol gives none.
        data: All of ``error.data``.
        message: The text, which no test may read.
    """

    def __init__(
        self,
        code: int,
        reason: str | None,
        data: Mapping[str, Any] | None = None,
        message: str = "",
    ) -> None:
        super().__init__(f"{code} {reason} {dict(data or {})} {message}")
        self.code = code
        self.reason = reason
        self.data = dict(data or {})
        self.message = message


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one request: its metadata and its data."""

    meta: dict[str, Any]
    data: dict[str, Any]


class Joiner(Protocol):
    """The little of a merge engine that the model needs. A document is never changed."""

    def new(self, value: Any, *, version: str) -> Any:
        """Return a document of *value* by the actor of *version*; None when it cannot hold it."""

    def edit(self, documents: Sequence[Any], value: Any, *, version: str) -> Any:
        """Return the join of *documents*, edited to *value* by the actor of *version*, or None."""

    def join(self, documents: Sequence[Any]) -> Any:
        """Return the join of *documents*."""

    def heads(self, document: Any) -> tuple[str, ...]:
        """Return what tells two documents of one history apart."""

    def json(self, document: Any) -> Any:
        """Return the value that a document holds."""


@dataclass(slots=True)
class Version:
    """One version; ``cursor`` is None while it is staged in ``unit``."""

    key: Key
    version: str
    state: str
    value: Any
    recorded_ms: int
    cursor: int | None = None
    unit: str | None = None
    documents: dict[str, Any] = field(default_factory=dict)

    def wire(self) -> dict[str, Any]:
        """Return the version as the protocol writes it."""
        ref = {"type": self.key[1], "id": self.key[2]}
        shown = {"ref": ref, "version": self.version, "state": self.state}
        return {**shown, "value": copied(self.value)} if self.state == "active" else shown


@dataclass(slots=True)
class Unit:
    """One work unit. ``touched`` holds, for each mutated entity, how its last mutation was made."""

    scope: str
    descriptor: str
    baseline: int
    expires_ms: int
    state: str = "open"
    staged: dict[Key, list[str]] = field(default_factory=dict)
    touched: dict[Key, dict[str, Any]] = field(default_factory=dict)
    replays: dict[str, tuple[str, Any, int]] = field(default_factory=dict)


def invalid(message: str) -> NoReturn:
    """Refuse a request as invalid."""
    refuse("INVALID_REQUEST", message)


def refuse(reason: str, message: str = "", **data: Any) -> NoReturn:
    """Refuse a request for *reason*."""
    raise Refused(CODES[reason], reason, {"reason": reason, **data}, message)


def text_of(value: Any) -> str:
    """Return canonical text: sorted, compact, non-ASCII as it is."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def copied(value: Any) -> Any:
    """Return a copy that shares nothing."""
    return json.loads(text_of(value))


def resolve(document: Any, pointer: str) -> tuple[bool, Any]:
    """Return whether *pointer* leads somewhere in *document*, and where."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and name in document:
            document = document[name]
        elif isinstance(document, list) and name.isdecimal() and int(name) < len(document):
            document = document[int(name)]
        else:
            return False, None
    return True, document


def replaced(document: Any, pointer: str, value: Any) -> Any:
    """Return a copy of *document* with *value* where *pointer* leads."""
    result = copied(document)
    *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    place = result
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place[part]
    if isinstance(place, list):
        place[int(last)] = copied(value)
    else:
        place[last] = copied(value)
    return result


def is_text(value: Any) -> bool:
    """Return whether *value* is non-empty text."""
    return isinstance(value, str) and bool(value)


def is_count(value: Any) -> bool:
    """Return whether *value* is an integer of at least zero, and no boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
