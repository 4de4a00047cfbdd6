"""From an error of the wire to an error class.

The daemon of this project adds its own code to ``error.data``; it names the class exactly. From
other daemons the reason is known, or the number alone. Message texts are never looked at.

Source: the protocol sheet, section 1.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from talebearer.errors import (
    CursorExpired,
    DeadlineExceeded,
    Forbidden,
    IdempotencyConflict,
    InvalidRecord,
    NotFound,
    Overloaded,
    ProtocolFault,
    RemoteFault,
    TalebearerError,
    Unauthenticated,
    UnknownMethod,
    UnsupportedCapability,
    UploadNotFound,
    VersionConflict,
    WorkUnitExpired,
)

_BY_REASON: dict[str, type[TalebearerError]] = {
    "INVALID_REQUEST": InvalidRecord,
    "UNAUTHENTICATED": Unauthenticated,
    "FORBIDDEN": Forbidden,
    "NOT_FOUND": NotFound,
    "VERSION_CONFLICT": VersionConflict,
    "IDEMPOTENCY_CONFLICT": IdempotencyConflict,
    "UNSUPPORTED_CAPABILITY": UnsupportedCapability,
    "DEADLINE_EXCEEDED": DeadlineExceeded,
    "OVERLOADED": Overloaded,
    "CURSOR_EXPIRED": CursorExpired,
    "WORK_UNIT_EXPIRED": WorkUnitExpired,
}
_BY_NUMBER: dict[int, type[TalebearerError]] = {
    -32700: ProtocolFault,
    -32600: ProtocolFault,
    -32601: UnknownMethod,
    -32003: UploadNotFound,
}


def fault_of(error: Any) -> TalebearerError:
    """Return the error that an error object of the wire stands for."""
    if type(error) is not dict or type(error.get("code")) is not int:
        return ProtocolFault("the daemon answered with an error that has no number")
    data = error.get("data")
    details: dict[str, Any] = dict(data) if type(data) is dict else {}
    details["wire_code"] = error["code"]
    kind = _kind(error["code"], details.get("reason"), details.get("code"))
    return kind(str(error.get("message", "")), data=details)


def _kind(number: int, reason: object, code: object) -> type[TalebearerError]:
    exact = _by_code().get(code) if isinstance(code, str) else None
    if exact is not None and exact.wire_reason == reason:
        return exact
    if isinstance(reason, str) and reason in _BY_REASON:
        return _BY_REASON[reason]
    return _BY_NUMBER.get(number, RemoteFault)


@cache
def _by_code() -> dict[str, type[TalebearerError]]:
    return {kind.code: kind for kind in _kinds(TalebearerError) if "code" in vars(kind)}


def _kinds(kind: type[TalebearerError]) -> Iterator[type[TalebearerError]]:
    for one in kind.__subclasses__():
        yield one
        yield from _kinds(one)
