"""Retrievals beside the loop: a search that reads many records keeps nobody else waiting.

Each runs in a thread, on a connection of its own that only reads, and sees one moment of the
store: whatever was answered before it was sent. Its connection's next request waits for it; other
connections go on. Retrievals that belong to a work unit or move a session are the loop's.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING

from talebearer.errors import InternalError, TalebearerError
from talebearer.store import Call, Reply

if TYPE_CHECKING:
    from talebearer.store import Store

READERS = 2
"""So many retrievals run at once; a long one does not keep a short one from being answered."""

Answer = Reply | TalebearerError


class Aside:
    """Answers retrievals in threads.

    Args:
        store: Whose records; its readers are opened when they are first needed.
        loop: Where answers are handed over.
    """

    def __init__(self, store: Store, *, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._loop = loop
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="talebearer-search")
        self._idle: SimpleQueue[Store] = SimpleQueue()
        self._opened: list[Store] = []
        self._opening = threading.Lock()
        self._running = 0
        self._empty = asyncio.Event()
        self._empty.set()

    def takes(self, call: Call) -> bool:
        """Return whether *call* can be answered here."""
        return self._store.may_read_aside(call)

    def ask(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Have *call* answered; *done* gets the answer in a later turn of the loop."""
        self._running += 1
        self._empty.clear()

        def finish(answer: Answer) -> None:
            self._running -= 1
            if not self._running:
                self._empty.set()
            done(answer)

        def work() -> None:
            answer = self._answer(call)
            self._loop.call_soon_threadsafe(finish, answer)

        self._threads.submit(work)

    async def drained(self, seconds: float) -> bool:
        """Wait until everything is answered; return whether it was within *seconds*."""
        if not self._running:
            return True
        try:
            await asyncio.wait_for(self._empty.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def hurry(self) -> None:
        """Have nobody wait for what still runs."""
        self._empty.set()

    def close(self) -> None:
        """Cut off what still runs, and close the readers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for reader in self._opened:
            reader.interrupt()
        self._threads.shutdown(wait=True)
        for reader in self._opened:
            reader.close()

    def _answer(self, call: Call) -> Answer:
        try:
            reader = self._reader()
            try:
                return reader.call(call)
            finally:
                self._idle.put(reader)
        except TalebearerError as error:
            return error
        except BaseException as error:
            # Nothing may leave a client waiting for ever.
            return InternalError(f"an unforeseen fault: {type(error).__name__}")

    def _reader(self) -> Store:
        with self._opening:
            if self._idle.empty() and len(self._opened) < READERS:
                reader = self._store.reader()
                self._opened.append(reader)
                return reader
        return self._idle.get()
