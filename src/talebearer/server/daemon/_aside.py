"""Retrievals beside the loop: a search that reads many records keeps nobody else waiting.

Each runs in a thread, on a connection of its own that only reads, and sees one moment of the
store: whatever was answered before it was sent. Its connection's next request waits for it; other
connections go on. Retrievals that belong to a work unit or move a session are the loop's.

Whoever needs the store without readers, as a checkpoint does, waits here for those that run; later
ones begin after it, so that its wait is bounded by what runs already.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING

from talebearer.errors import InternalError, TalebearerError
from talebearer.store import Call

if TYPE_CHECKING:
    from talebearer.server.daemon._answers import Answer
    from talebearer.store import Store

READERS = 2
"""So many retrievals run at once; a long one does not keep a short one from being answered."""


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
        self._quiet: deque[Callable[[], None]] = deque()
        self._later: deque[tuple[Call, Callable[[Answer], None]]] = deque()
        self._empty = asyncio.Event()
        self._empty.set()

    def takes(self, call: Call) -> bool:
        """Return whether *call* can be answered here."""
        return self._store.may_read_aside(call)

    @property
    def running(self) -> bool:
        """Whether retrievals run."""
        return self._running > 0

    def when_quiet(
        self, act: Callable[[], None], *, seconds: float, late: Callable[[], None]
    ) -> None:
        """Have *act* called as soon as no retrieval runs, or *late* if that takes *seconds*."""
        if not self._running:
            act()
            return

        def give_up() -> None:
            self._quiet.remove(when)
            late()
            self._go_on()

        timer = self._loop.call_later(seconds, give_up)

        def when() -> None:
            timer.cancel()
            act()

        self._quiet.append(when)

    def ask(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Have *call* answered; *done* gets the answer in a later turn of the loop."""
        if self._quiet:
            self._later.append((call, done))
            self._empty.clear()
            return
        self._begin(call, done)

    def _begin(self, call: Call, done: Callable[[Answer], None]) -> None:
        self._running += 1
        self._empty.clear()

        def finish(answer: Answer) -> None:
            self._running -= 1
            while self._quiet and not self._running:
                self._quiet.popleft()()
            self._go_on()
            done(answer)

        def work() -> None:
            answer = self._answer(call)
            self._loop.call_soon_threadsafe(finish, answer)

        self._threads.submit(work)

    def _go_on(self) -> None:
        """Begin what had to wait, and note when nothing is left."""
        while self._later and not self._quiet:
            self._begin(*self._later.popleft())
        if not self._running:
            self._empty.set()

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
                return reader.call_encoded(call)
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
