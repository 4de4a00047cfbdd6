"""The envelope: which lines are requests, and how ids come back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talebearer.server.daemon._envelope import (
    DEPTH_MAX,
    BadEnvelope,
    read_json,
    read_request,
    result_line,
)

PARSE, ENVELOPE = -32700, -32600


def _refused(line: bytes) -> tuple[int, bytes]:
    with pytest.raises(BadEnvelope) as caught:
        read_request(bytearray(line))
    return caught.value.code, caught.value.id_json


@pytest.mark.spec("PP-1.1-framing")
@pytest.mark.parametrize(
    ("line", "code", "id_json"),
    [
        (b"", PARSE, b"null"),
        (b"{", PARSE, b"null"),
        (b'{"id":1}x', PARSE, b"null"),
        (b'"\xff"', PARSE, b"null"),
        (b'{"a":"\xed\xa0\x80"}', PARSE, b"null"),
        (b'{"a":"\\ud800"}', PARSE, b"null"),
        (b'{"a":NaN}', PARSE, b"null"),
        (b'{"a":1e999}', PARSE, b"null"),
        (b"[]", ENVELOPE, b"null"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"m"}]', ENVELOPE, b"null"),
        (b"1", ENVELOPE, b"null"),
        (b'"text"', ENVELOPE, b"null"),
        (b"{}", ENVELOPE, b"null"),
        (b'{"jsonrpc":"2.0","method":"m"}', ENVELOPE, b"null"),
        (b'{"jsonrpc":"2.0","id":null,"method":"m"}', ENVELOPE, b"null"),
        (b'{"jsonrpc":"2.0","id":true,"method":"m"}', ENVELOPE, b"true"),
        (b'{"jsonrpc":"2.0","id":[1],"method":"m"}', ENVELOPE, b"[1]"),
        (b'{"jsonrpc":"1.0","id":7,"method":"m"}', ENVELOPE, b"7"),
        (b'{"id":"x","method":"m"}', ENVELOPE, b'"x"'),
        (b'{"jsonrpc":"2.0","id":7}', ENVELOPE, b"7"),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', ENVELOPE, b"7"),
    ],
)
def test_what_is_no_request_is_answered_with_a_number(
    line: bytes, code: int, id_json: bytes
) -> None:
    assert _refused(line) == (code, id_json)


@pytest.mark.spec("PP-1.1-framing")
@pytest.mark.parametrize("id_json", [b'"a"', b"0", b"-1", b"1.5", b'""', b"9" * 40, b"1" * 19])
def test_ids_come_back_as_they_came(id_json: bytes) -> None:
    line = b'{"jsonrpc":"2.0","id":' + id_json + b',"method":"m"}\r'
    request = read_request(bytearray(line))
    assert request.id_json == id_json
    answer = json.loads(result_line(request.id_json, b"{}"))
    assert (answer["id"], type(answer["id"])) == (json.loads(id_json), type(json.loads(id_json)))


def test_missing_parameters_are_an_empty_object() -> None:
    assert read_request(bytearray(b'{"jsonrpc":"2.0","id":1,"method":"m"}')).params == {}


def test_of_a_repeated_key_the_last_wins() -> None:
    line = bytearray(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}')
    assert read_request(line).id_json == b"2"


@pytest.mark.spec("PP-1.1-framing")
def test_nesting_is_bounded() -> None:
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        inner = b"1"
        fits = opening * DEPTH_MAX + inner + closing * DEPTH_MAX
        assert read_json(bytearray(fits)) is not None
        with pytest.raises(BadEnvelope, match="nested"):
            read_json(bytearray(opening + fits + closing))


def test_brackets_in_text_are_no_nesting() -> None:
    text = "[" * 1_000 + '"\\' + "{" * 1_000
    assert read_json(bytearray(json.dumps([text]).encode())) == [text]


def test_many_brackets_side_by_side_are_no_nesting() -> None:
    assert read_json(bytearray(b"[" + b"[]," * 1_000 + b"[]]")) == [[]] * 1_001


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_values_are_read_exactly(value: Any) -> None:
    line = json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")
    read = read_json(bytearray(line))
    assert json.dumps(read) == json.dumps(value)
