"""Indexing texts when nobody waits, so that no search has to do it first.

The store indexes what it has written later, in its own time; a search would have to catch up. The
daemon does it a few rows at a time when it has nothing else to do, and at the latest when much
has gathered.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from talebearer.errors import TalebearerError

if TYPE_CHECKING:
    from talebearer.server.daemon._log import Log
    from talebearer.store import Store

IDLE_SECONDS = 0.1
STEP_ROWS = 64
GATHERED_ROUNDS_MAX = 1_024


class Indexing:
    """Keeps the text index near the records."""

    def __init__(self, store: Store, *, loop: asyncio.AbstractEventLoop, log: Log) -> None:
        self._store = store
        self._loop = loop
        self._log = log
        self._timer: asyncio.TimerHandle | None = None
        self._rounds = 0
        self._changed_at = 0.0

    def begin(self) -> None:
        """Index what was left unindexed by whoever had the store before."""
        self._arm(0)

    def changed(self) -> None:
        """Note that a round has changed something."""
        self._rounds += 1
        self._changed_at = self._loop.time()
        if self._rounds >= GATHERED_ROUNDS_MAX:
            self._rounds = 0
            self._index(GATHERED_ROUNDS_MAX)
        if self._timer is None:
            self._arm(IDLE_SECONDS)

    def stop(self) -> None:
        """Index no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _arm(self, seconds: float) -> None:
        self._timer = self._loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        left = self._changed_at + IDLE_SECONDS - self._loop.time()
        if left > 0:
            self._arm(left)
        elif self._index(STEP_ROWS) == STEP_ROWS:
            # Requests that came meanwhile go first: sockets are looked at before this is again.
            self._arm(0)
        else:
            self._rounds = 0

    def _index(self, rows_max: int) -> int:
        try:
            return self._store.keep_up(rows_max)
        except TalebearerError as error:
            # A full disk, say. The records are safe, and a search says what is wrong.
            self._log.write("index.failed", level="warning", code=error.code)
            return 0
