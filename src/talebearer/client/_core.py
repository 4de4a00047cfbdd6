"""The client's side of the wire without a socket: requests become bytes, bytes become messages.

Source: the protocol sheet, sections 1.1 and 1.3.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from talebearer.client._faults import fault_of
from talebearer.errors import ProtocolFault, RequestTooLarge, TalebearerError, UsageFault
from talebearer.vocabulary import REQUEST_BYTES_MAX, WIRE_VERSION, WireCapability, WireMethod

HANDSHAKE = WireMethod.HANDSHAKE.value
CONNECTION = "connection_refused"
"""Set in the data of an error that refuses the connection and no single request."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request.

    Attributes:
        id: The request's number.
        result: The result, when there is one.
        error: What the daemon refused with, else None.
    """

    id: int
    result: Any
    error: TalebearerError | None


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that answers nothing."""

    method: str
    params: Any


Message = Answer | Notification


class WireCore:
    """Numbers requests, and splits and reads what comes.

    Nothing bounds the length of an answer: a page of large records is a large line.
    """

    def __init__(self) -> None:
        self._number = 0
        self._buffer = bytearray()
        self._searched = 0

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[int, bytes]:
        """Return the number of a new request and its line.

        Raises:
            RequestTooLarge: The line would be longer than the daemon reads (TB130).
            UsageFault: JSON has no form for a value in it (TB111).
        """
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        line = dump(message)
        if len(line) > REQUEST_BYTES_MAX:
            raise RequestTooLarge(
                f"the request to {method} has {len(line):,} bytes; allowed: {REQUEST_BYTES_MAX:,}",
                data={"bytes": len(line), "allowed": REQUEST_BYTES_MAX},
            )
        return self._number, line + b"\n"

    def feed(self, data: bytes | memoryview) -> list[Message]:
        """Return the messages that *data* completes; it is copied.

        Raises:
            ProtocolFault: It is no message (TB234).
            TalebearerError: The daemon refused the connection as a whole.
        """
        self._buffer += data
        messages: list[Message] = []
        start = 0
        end = self._buffer.find(b"\n", self._searched)
        while end >= 0:
            messages.append(_message(self._buffer[start:end]))
            start = end + 1
            end = self._buffer.find(b"\n", start)
        del self._buffer[:start]
        self._searched = len(self._buffer)
        return messages


def handshake_params(name: str, version: str, instance_id: str) -> dict[str, Any]:
    """Return the parameters of the handshake."""
    return {
        "client": {"name": name, "version": version, "instance_id": instance_id},
        "protocol_versions": [WIRE_VERSION],
        "capabilities": [str(one) for one in WireCapability],
    }


def dump(value: Any) -> bytes:
    """Return *value* as JSON on one line; what would change on the way is refused.

    Raises:
        UsageFault: JSON has no form for it (TB111).
    """
    try:
        line = orjson.dumps(value)
        if orjson.loads(line) != value:
            _refuse_unfaithful(value)
    except TypeError as error:
        line = _dump_slowly(value, error)
    return line


def _dump_slowly(value: Any, first: TypeError) -> bytes:
    """Return what the fast writer refuses although JSON has it: integers of any length."""
    _refuse_unfaithful(value)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise UsageFault(f"the request cannot be sent as JSON: {first}") from first


def _refuse_unfaithful(value: Any) -> None:
    """Refuse numbers and keys that are none. Tuples are no loss: they become lists."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageFault(f"the request cannot be sent as JSON: {value} is no JSON number")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise UsageFault(f"the request cannot be sent as JSON: the key {key!r} is no text")
            _refuse_unfaithful(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _refuse_unfaithful(item)


def _message(line: bytearray) -> Message:
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ProtocolFault(f"the daemon's line is no JSON: {str(error)[:120]}") from None
    if type(message) is not dict or message.get("jsonrpc") != "2.0":
        raise ProtocolFault("the daemon's line is no JSON-RPC 2.0 message")
    if "method" in message:
        return Notification(str(message["method"]), message.get("params"))
    number = message.get("id")
    if "error" in message:
        fault = fault_of(message["error"])
        if number is None:
            # No request of ours is named, so it is about the connection as a whole.
            fault.data[CONNECTION] = True
            raise fault
        return Answer(_number(number), None, fault)
    if "result" not in message:
        raise ProtocolFault("the daemon's answer has neither result nor error")
    return Answer(_number(number), message["result"], None)


def _number(value: Any) -> int:
    if type(value) is not int:
        raise ProtocolFault("the daemon's answer has an id that was never sent")
    return value
