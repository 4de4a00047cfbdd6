"""Lines out of a byte stream: bounded, in order, and nothing else.

Bytes go in as they come; lines come out one at a time, when they are wanted. What waits inside is
bounded by whoever stops feeding; one line's part of it is bounded here: of a line that grows past
the limit only so much is kept that it can be told to be too long.

Source: the protocol sheet, section 1.1 (framing).
"""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal

from talebearer.vocabulary import REQUEST_BYTES_MAX

_COMPACT_BYTES = 65_536


class _Oversize(Enum):
    OVERSIZE = "oversize"


OVERSIZE: Final = _Oversize.OVERSIZE
"""Stands for a line that was longer than the limit; its bytes are gone."""


class LineBuffer:
    """Splits a byte stream at line feeds.

    Attributes:
        waiting: How many whole lines are inside.
    """

    __slots__ = ("_data", "_discarding", "_limit_bytes", "_start", "_tail_bytes", "waiting")

    def __init__(self, *, limit_bytes: int = REQUEST_BYTES_MAX) -> None:
        self._limit_bytes = limit_bytes
        self._data = bytearray()
        self._start = 0
        self._tail_bytes = 0
        self._discarding = False
        self.waiting = 0

    @property
    def size_bytes(self) -> int:
        """How many bytes are inside."""
        return len(self._data) - self._start

    def feed(self, data: bytes) -> None:
        """Take in the next bytes of the stream."""
        if self._discarding:
            end = data.find(b"\n")
            if end < 0:
                return
            data = data[end:]
            self._discarding = False
        self._data += data
        last = data.rfind(b"\n")
        if last < 0:
            self._tail_bytes += len(data)
        else:
            self.waiting += data.count(b"\n")
            self._tail_bytes = len(data) - last - 1
        over = self._tail_bytes - self._limit_bytes - 1
        if over >= 0:
            # One byte more than allowed stays, so that taking the line finds it too long.
            del self._data[len(self._data) - over :]
            self._tail_bytes -= over
            self._discarding = True

    def end(self) -> None:
        """Note the end of the stream: what stands behind the last line feed is a line as well."""
        if self._tail_bytes:
            self._data += b"\n"
            self._tail_bytes = 0
            self.waiting += 1
        self._discarding = False

    def take(self) -> bytearray | Literal[_Oversize.OVERSIZE] | None:
        """Return the next line without its line feed, or None when no whole line is there."""
        if not self.waiting:
            return None
        self.waiting -= 1
        end = self._data.index(b"\n", self._start)
        start, self._start = self._start, end + 1
        too_long = end - start > self._limit_bytes
        line = OVERSIZE if too_long else self._data[start:end]
        if self._start == len(self._data):
            self._data.clear()
            self._start = 0
        elif self._start >= _COMPACT_BYTES:
            del self._data[: self._start]
            self._start = 0
        return line

    def clear(self) -> None:
        """Forget everything that is inside."""
        self._data.clear()
        self._start = self._tail_bytes = self.waiting = 0
        self._discarding = False
