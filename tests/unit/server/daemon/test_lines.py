"""Lines out of a byte stream."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talebearer.server.daemon._lines import OVERSIZE, LineBuffer

LIMIT = 8


def _taken(buffer: LineBuffer) -> list[object]:
    lines: list[object] = []
    while (line := buffer.take()) is not None:
        lines.append(line if line is OVERSIZE else bytes(line))
    return lines


def _expected(stream: bytes) -> list[object]:
    *whole, rest = stream.split(b"\n")
    lines = [*whole, rest] if rest else whole
    return [OVERSIZE if len(line) > LIMIT else line for line in lines]


@pytest.mark.spec("PP-1.1-framing")
@given(st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\0", b"\n")), max_size=12))
def test_lines_are_the_streams_whatever_the_chunks(chunks: list[bytes]) -> None:
    buffer = LineBuffer(limit_bytes=LIMIT)
    for chunk in chunks:
        buffer.feed(chunk)
    buffer.end()
    assert _taken(buffer) == _expected(b"".join(chunks))


@given(st.lists(st.binary(max_size=20), max_size=12))
def test_lines_taken_at_once_are_the_same(chunks: list[bytes]) -> None:
    buffer = LineBuffer(limit_bytes=LIMIT)
    lines = []
    for chunk in chunks:
        buffer.feed(chunk)
        lines += _taken(buffer)
    buffer.end()
    assert lines + _taken(buffer) == _expected(b"".join(chunks))


def test_of_a_line_without_end_only_the_limit_is_kept() -> None:
    buffer = LineBuffer(limit_bytes=LIMIT)
    for _ in range(1_000):
        buffer.feed(b"x" * 1_000)
        assert buffer.size_bytes <= LIMIT + 1
    buffer.feed(b"x\nnext\n")
    assert _taken(buffer) == [OVERSIZE, b"next"]


def test_a_line_of_exactly_the_limit_is_a_line() -> None:
    buffer = LineBuffer(limit_bytes=LIMIT)
    buffer.feed(b"x" * LIMIT + b"\n" + b"x" * (LIMIT + 1) + b"\n")
    assert _taken(buffer) == [b"x" * LIMIT, OVERSIZE]
