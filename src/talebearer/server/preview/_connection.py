"""One connection to the page's server: bounded in time and in number, whoever is at its other end.

Any program on this machine can connect. What it does not send or does not read keeps nobody else
out: a head has to be there in time, an answer has to be taken in time, and of those that have sent
no head yet only the newest few are kept.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS_MAX = 10.0
"""From the connection, or the first byte of a further request, to the end of the request's head."""

STALLED_SECONDS_MAX = 30.0
"""How long the other end may take nothing of an answer."""

WAITING_MAX = 64
"""How many connections may have sent no whole head; beyond that the oldest one is let go."""


class Connection(H11Protocol):
    """The library's connection with those bounds."""

    head_seconds_max = HEAD_SECONDS_MAX
    stalled_seconds_max = STALLED_SECONDS_MAX
    _deadline: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    @property
    def waiting_since(self) -> float | None:
        """When a head began to be due, by the loop's clock; None if none is."""
        return None if self._deadline is None else self._deadline.when() - self.head_seconds_max

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the library has it
        """Begin to wait for a head, and let go of the oldest that waits if there are too many."""
        super().connection_made(transport)
        self._wait()
        waiting = [
            (since, one)
            for one in self.connections
            if isinstance(one, Connection) and (since := one.waiting_since) is not None
        ]
        if len(waiting) > WAITING_MAX:
            min(waiting, key=lambda pair: pair[0])[1].drop()

    def data_received(self, data: bytes) -> None:
        """Take *data* in; between two requests the next head is due from its first byte on."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait()
        else:
            self._head_is_here()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._head_is_here()
        self._is_read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the other end has taken what was sent, for some time."""
        self._stall = self._stall or self.loop.call_later(self.stalled_seconds_max, self.drop)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Go on: the other end reads."""
        self._is_read()
        super().resume_writing()

    def drop(self) -> None:
        """End the connection at once; what was not taken is lost."""
        self._head_is_here()
        self.transport.abort()

    def _wait(self) -> None:
        if self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.head_seconds_max, self.drop)

    def _head_is_here(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_read(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None
