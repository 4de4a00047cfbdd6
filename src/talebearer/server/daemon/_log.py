"""The structured log: one JSON object a line, about what the daemon does, never about records."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TextIO

import orjson

from talebearer.errors import StoreUnavailable

_FILE_MODE = 0o600
Field = str | int | float | bool | None


class Log:
    """Writes events. A log that cannot be written never stops what is logged.

    Attributes:
        lost: How many events could not be written.
    """

    def __init__(self, stream: TextIO | None, *, now_ms: Callable[[], int]) -> None:
        self._stream = stream
        self._now_ms = now_ms
        self.lost = 0

    @classmethod
    def open(cls, target: str | None, *, now_ms: Callable[[], int]) -> Self:
        """Open the log at *target*: a file to append to, ``-`` for standard error, None for none.

        Raises:
            StoreUnavailable: The file cannot be opened (TB210).
        """
        if target is None or target == "-":
            return cls(None if target is None else sys.stderr, now_ms=now_ms)
        path = Path(target)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY
        try:
            stream = os.fdopen(os.open(path, flags, _FILE_MODE), "a", encoding="utf-8")
        except OSError as error:
            raise StoreUnavailable(f"the log {path}: {error.strerror}") from error
        return cls(stream, now_ms=now_ms)

    def write(self, event: str, *, level: str = "info", **fields: Field) -> None:
        """Write one event with its time, level and fields."""
        if self._stream is None:
            return
        now = datetime.fromtimestamp(self._now_ms() / 1000, UTC)
        entry = {"time": now.isoformat(timespec="milliseconds"), "level": level, "event": event}
        try:
            self._stream.write(orjson.dumps({**entry, **fields}).decode() + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            self.lost += 1

    def close(self) -> None:
        """Close the file, if it is one."""
        if self._stream is not None and self._stream is not sys.stderr:
            try:
                self._stream.close()
            except OSError:
                self.lost += 1
        self._stream = None
