"""The channel on which open pages are told that content has changed: server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
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
        self._listeners: set[Listener] = set()
        self._is_closed = False

    def open(self) -> None:
        """Bind the channel to the running loop."""
        self._loop = asyncio.get_running_loop()

    def tell(self, news: dict[str, Any]) -> None:
        """Send *news*, a JSON object, to every listener; callable from any thread."""
        self._in_loop(_event(news))

    def close(self) -> None:
        """End every listener's stream; callable from any thread and from a signal's handler."""
        self._is_closed = True
        self._in_loop(None)

    def _in_loop(self, text: str | None) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._put, text)

    def _put(self, text: str | None) -> None:
        for listener in self._listeners:
            listener.put(text)

    @contextmanager
    def listening(self) -> Iterator[Listener | None]:
        """Keep a place for one listener meanwhile; None if all places are taken."""
        if len(self._listeners) >= LISTENERS_MAX:
            yield None
            return
        listener = Listener(is_over=self._is_closed)
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)


class Listener:
    """One open page that is told of news; the latest that it has not taken yet wait for it."""

    def __init__(self, *, is_over: bool) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._is_over = is_over

    def put(self, text: str | None) -> None:
        """Replace what waits by *text*; None ends the stream."""
        self._is_over = self._is_over or text is None
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put_nowait(text)

    async def events(self, first: dict[str, Any]) -> AsyncIterator[str]:
        """Yield events, beginning with *first*, until the channel closes."""
        yield _HELLO
        yield _event(first)
        while not self._is_over:
            text = await self._waiting.get()
            if text is None:
                return
            yield text


def _event(news: dict[str, Any]) -> str:
    return f"event: content\ndata: {json.dumps(news, sort_keys=True)}\n\n"
