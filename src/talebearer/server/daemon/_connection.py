"""One client's connection: bytes in, bytes out, and when to stop reading or writing.

A connection knows nothing of requests. It keeps whole lines until somebody takes them, and stops
reading while enough of them wait; it says when its client takes no output, and is dropped when
that lasts.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol, cast

from talebearer.server.daemon._lines import LineBuffer
from talebearer.server.daemon._session import Session

if TYPE_CHECKING:
    from talebearer.server.daemon._envelope import Request
    from talebearer.server.daemon._limits import Limits
    from talebearer.server.daemon._metrics import Metrics


class Host(Protocol):
    """What a connection needs of the daemon.

    Attributes:
        arrivals: Where what a socket has is put before it is looked at, one socket at a time.
    """

    limits: Limits
    metrics: Metrics
    arrivals: memoryview

    def joined(self, connection: Connection) -> None:
        """Note a new connection."""
        ...

    def left(self, connection: Connection) -> None:
        """Note that a connection is gone."""
        ...

    def arrived(self, connection: Connection) -> None:
        """Note that whole lines came."""
        ...

    def ended(self, connection: Connection) -> None:
        """Note that a client sends no more."""
        ...

    def writable(self, connection: Connection) -> None:
        """Note that a connection takes output again."""
        ...

    def stalled(self, connection: Connection) -> None:
        """Note that a connection took no output for too long and is dropped."""
        ...


class Connection(asyncio.BufferedProtocol):
    """A client's connection.

    Attributes:
        number: Which connection it is, from 1.
        lines: What came and was not taken.
        session: What was agreed with the client.
        held: A request that was taken and must be answered before any other.
        busy: Whether a request of it is answered beside the loop; the next ones wait for that.
        paused: Whether the client leaves too much output waiting.
        ended: Whether the client sends no more.
        closing: Whether no more is answered.
    """

    __slots__ = (
        "_host",
        "_loop",
        "_reading",
        "_stall",
        "_stalled_bytes",
        "_transport",
        "busy",
        "closing",
        "ended",
        "held",
        "lines",
        "number",
        "paused",
        "session",
    )

    def __init__(self, host: Host, *, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self._host = host
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._reading = True
        self._stall: asyncio.TimerHandle | None = None
        self._stalled_bytes = 0
        self.number = number
        self.lines = LineBuffer()
        self.session = Session()
        self.held: Request | None = None
        self.busy = False
        self.paused = False
        self.ended = False
        self.closing = False

    @property
    def waiting(self) -> int:
        """How many whole requests wait."""
        return self.lines.waiting + (self.held is not None)

    @property
    def blocked(self) -> bool:
        """Whether no request of it can be taken now."""
        return self.busy or self.paused

    @property
    def unsent_bytes(self) -> int:
        """How much output waits for the client."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=self._host.limits.write_buffer_bytes)
        self._host.joined(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio passes it
        """Return where to put what came.

        All connections have the same room: it is looked at before the next one reads. A buffer made
        for each read, of which a request fills little, costs more than to answer the request.
        """
        return self._host.arrivals

    def buffer_updated(self, nbytes: int) -> None:
        """Keep what came, and have whole lines taken."""
        self._host.metrics.bytes_in += nbytes
        if self.closing:
            return
        self.lines.feed(bytes(self._host.arrivals[:nbytes]))
        if self.lines.waiting:
            self._host.arrived(self)
            self.regulate()

    def eof_received(self) -> bool:
        """Answer what came, then close; the transport stays open for the answers."""
        self.ended = True
        if self.closing:
            return False
        self.lines.end()
        self._host.ended(self)
        return True

    def pause_writing(self) -> None:
        """Take no more requests while the client leaves its answers."""
        self.paused = True
        self._watch()

    def resume_writing(self) -> None:
        """Go on."""
        self.paused = False
        self._unwatch()
        self._host.writable(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio passes it
        """Forget everything."""
        self._unwatch()
        self.closing = True
        self.lines.clear()
        self.held = None
        self._host.left(self)

    def regulate(self) -> None:
        """Read on, or stop reading while enough lines wait."""
        if self._reading and not self.lines.waiting:
            return
        full = self.lines.waiting > 0 and self.lines.size_bytes > self._host.limits.read_ahead_bytes
        if full is not self._reading or self._transport is None or self._transport.is_closing():
            return
        self._reading = not full
        if full:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def write(self, data: bytes) -> None:
        """Hand *data* to the client."""
        if self._transport is not None and not self._transport.is_closing():
            self._host.metrics.bytes_out += len(data)
            self._transport.write(data)

    def close(self) -> None:
        """Close when the client has taken its output."""
        self.closing = True
        self.lines.clear()
        if self._transport is not None:
            self._transport.close()
            if self.unsent_bytes:
                self._watch()

    def close_writing(self) -> None:
        """Send the end of the stream and answer no more; the client closes.

        Source: the protocol sheet, section 1.9 (a stream that fails).
        """
        self.closing = True
        self.lines.clear()
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write_eof()
            self._watch()

    def abort(self) -> None:
        """Close now; output that waits is lost."""
        self.closing = True
        if self._transport is not None:
            self._transport.abort()

    def _watch(self) -> None:
        self._unwatch()
        self._stalled_bytes = self.unsent_bytes
        self._stall = self._loop.call_later(self._host.limits.stall_seconds, self._look)

    def _unwatch(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _look(self) -> None:
        """Drop the connection if its client took nothing since the last look."""
        if 0 < self.unsent_bytes < self._stalled_bytes:
            self._watch()
            return
        self._host.stalled(self)
        self.abort()
