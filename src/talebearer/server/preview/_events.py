"""The channel on which open pages are told that content has changed: server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

LISTENERS_MAX = 32
RETRY_MS = 1_000
_HELLO = f"retry: {RETRY_MS}\n\n"


class Channel:
    """Tells every listener the latest news; news that nobody took yet are replaced by newer ones.

    It belongs to one event loop, in which all but :meth:`tell` are called.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Queue[str | None]] = set()
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether no more listeners are taken."""
        return len(self._listeners) >= LISTENERS_MAX

    def open(self) -> None:
        """Bind the channel to the running loop."""
        self._loop = asyncio.get_running_loop()

    def tell(self, news: dict[str, Any]) -> None:
        """Send *news*, a JSON object, to every listener; callable from any thread."""
        text = f"event: content\ndata: {json.dumps(news, sort_keys=True)}\n\n"
        self._in_loop(text)

    def close(self) -> None:
        """End every listener's stream; callable from any thread and from a signal's handler."""
        self._is_closed = True
        self._in_loop(None)

    def _in_loop(self, text: str | None) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._put, text)

    def _put(self, text: str | None) -> None:
        for queue in self._listeners:
            while not queue.empty():
                queue.get_nowait()
            queue.put_nowait(text)

    async def listen(self, first: dict[str, Any]) -> AsyncIterator[str]:
        """Yield the events of one listener, beginning with *first*, until the channel closes."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            yield _HELLO
            yield f"event: content\ndata: {json.dumps(first, sort_keys=True)}\n\n"
            while not self._is_closed:
                text = await queue.get()
                if text is None:
                    return
                yield text
        finally:
            self._listeners.discard(queue)
