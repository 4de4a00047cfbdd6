"""The envelope of JSON-RPC 2.0: a line becomes a request, a reply becomes a line.

What is checked here needs no knowledge of methods: encoding, JSON, nesting, the envelope's
members. Ids are kept as the JSON text that goes back, so that they come back as they came.

Source: the protocol sheet, sections 1.1 and 1.6.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, NamedTuple

import orjson

PARSE_ERROR = -32700
INVALID_ENVELOPE = -32600
UNKNOWN_METHOD = -32601
INTERNAL_ERROR = -32603
DEPTH_MAX = 127
"""Arrays and objects inside each other, the envelope counted."""

_NULL = b"null"
_SORTED = orjson.OPT_SORT_KEYS
# Nineteen digits in a row may be a number that 64 bits cannot hold.
_LONG_NUMBER = b"0" * 19
_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_BRACKETS = bytes(
    {ord("["): 1, ord("{"): 1, ord("]"): 2, ord("}"): 2}.get(byte, 0) for byte in range(256)
)
# Possessive, so that a hostile line costs one pass and no stack.
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
_NO_BRACKETS = bytes(byte for byte in range(256) if chr(byte) not in "[]{}")


class Request(NamedTuple):
    """One request of the wire.

    Attributes:
        id_json: The id as JSON text.
        method: What is asked for.
        params: As they came; ``{}`` when there were none.
    """

    id_json: bytes
    method: str
    params: Any


class BadEnvelope(Exception):
    """A line that is no request; it is answered with a number and no details.

    Attributes:
        id_json: The id to answer with, ``null`` when none could be read.
        code: -32700 or -32600.
        message: What is wrong.
    """

    def __init__(self, code: int, message: str, *, id_json: bytes = _NULL) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id_json = id_json


def read_request(line: bytearray) -> Request:
    """Return the request on *line*.

    Raises:
        BadEnvelope: It is none.
    """
    envelope = read_json(line)
    if type(envelope) is not dict:
        what = "a batch" if type(envelope) is list else "no object"
        raise BadEnvelope(INVALID_ENVELOPE, f"the line is {what}; send one request object a line")
    request_id = envelope.get("id")
    id_json = dump_id(request_id)
    method = envelope.get("method")
    if envelope.get("jsonrpc") != "2.0":
        raise BadEnvelope(INVALID_ENVELOPE, 'jsonrpc must be "2.0"', id_json=id_json)
    if type(request_id) not in (str, int, float):
        message = "id must be a string or a number; there are no notifications from clients"
        raise BadEnvelope(INVALID_ENVELOPE, message, id_json=id_json)
    if type(method) is not str:
        raise BadEnvelope(INVALID_ENVELOPE, "method must be a string", id_json=id_json)
    return Request(id_json, method, envelope.get("params", {}))


def read_json(line: bytearray) -> Any:
    """Return the JSON value of *line*; integers keep all their digits.

    Raises:
        BadEnvelope: It is not UTF-8, not JSON, or nested too deeply.
    """
    brackets = line.count(b"[") + line.count(b"{")
    if brackets > DEPTH_MAX and _depth(line) > DEPTH_MAX:
        raise BadEnvelope(PARSE_ERROR, f"the line is nested deeper than {DEPTH_MAX} levels")
    try:
        value = orjson.loads(line)
        if _LONG_NUMBER in line.translate(_DIGITS):
            value = json.loads(line)
    except ValueError as error:
        raise BadEnvelope(PARSE_ERROR, f"the line is no JSON: {_brief(error)}") from None
    return value


def dump_id(request_id: object) -> bytes:
    """Return an id as the JSON text that is sent back."""
    try:
        return orjson.dumps(request_id)
    except TypeError:
        # More than 64 bits; what came as JSON goes back as JSON.
        return json.dumps(request_id, ensure_ascii=False).encode()


def dump(value: Mapping[str, Any]) -> bytes:
    """Return *value* as JSON text, keys sorted."""
    return orjson.dumps(value, option=_SORTED)


def result_line(id_json: bytes, result: bytes) -> bytes:
    """Return the line that answers with *result*, which is JSON text on one line."""
    return b'{"id":%b,"jsonrpc":"2.0","result":%b}\n' % (id_json, result)


def error_line(id_json: bytes, error: Mapping[str, Any]) -> bytes:
    """Return the line that answers with *error*: ``code``, ``message`` and perhaps ``data``."""
    return b'{"error":%b,"id":%b,"jsonrpc":"2.0"}\n' % (dump(error), id_json)


def notification_line(method: str, params: Mapping[str, Any]) -> bytes:
    """Return the line of a message that nobody answers."""
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return dump(message) + b"\n"


def _depth(line: bytearray) -> int:
    """Return how deep arrays and objects stand in each other; brackets in text do not count."""
    steps = _TEXT.sub(b"", line).translate(_BRACKETS, _NO_BRACKETS)
    return max(accumulate(1 if step == 1 else -1 for step in steps), default=0)


def _brief(error: ValueError) -> str:
    return str(error)[:120]
