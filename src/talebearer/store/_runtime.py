"""The runtime row: how often the store was opened for writing, and whether it ended well.

Source: the protocol sheet, section 4.1 and the table ``patchouli_runtime_state``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from talebearer.errors import CheckpointFailed
from talebearer.store._engine import Database

_STATE = "SELECT generation, running, started_at_unix_ms FROM patchouli_runtime_state"
_START = """
UPDATE patchouli_runtime_state
SET generation = generation + 1, running = 1, started_at_unix_ms = ?
"""
_STOP = "UPDATE patchouli_runtime_state SET running = 0, clean_shutdown_at_unix_ms = ?"


class Runtime:
    """The life of an open store."""

    def __init__(self, database: Database, *, now_ms: Callable[[], int]) -> None:
        self._db = database
        self.now_ms = now_ms
        self.recovered = False

    def start(self) -> None:
        """Count this opening, and notice whether the last writer ended without closing."""
        with self._db.writing():
            ((_, running, _),) = self._db.rows(_STATE)
            self.recovered = bool(running)
            self._db.run(_START, (self.now_ms(),))

    def stop(self) -> None:
        """Mark the end as clean and empty the write-ahead log where no reader needs it."""
        with self._db.writing():
            self._db.run(_STOP, (self.now_ms(),))
        with self._db.reading():
            self._db.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def checkpoint(self) -> None:
        """Move the whole write-ahead log into the database file."""
        with self._db.reading():
            ((busy, logged, moved),) = self._db.rows("PRAGMA wal_checkpoint(FULL)")
        if busy or logged != moved:
            raise CheckpointFailed(
                f"a reader of {self._db.path} stands in the way of the checkpoint",
                hint="try again when it is done",
            )

    def status(self) -> dict[str, Any]:
        """Return generation, recovery flag and start time."""
        with self._db.reading():
            ((generation, running, started_at_ms),) = self._db.rows(_STATE)
        return {
            "generation": generation,
            "running": bool(running),
            "recovered_after_unclean_shutdown": self.recovered,
            "started_at_unix_ms": started_at_ms,
        }
