"""Metrics for Prometheus: ``GET /metrics`` on a port of the loopback interface, nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

HOST = "127.0.0.1"
CONNECTIONS_MAX = 32
"""Any user of the machine may connect here; none is to take the files that the daemon may open."""
_HEAD_BYTES_MAX = 8_192
_REQUEST_SECONDS = 10.0
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class MetricsProtocol(asyncio.Protocol):
    """Answers one request and closes.

    Args:
        text: Gives the metrics.
        beside: The other connections of now; one beyond the limit is closed unheard.
    """

    def __init__(self, text: Callable[[], str], beside: set[MetricsProtocol]) -> None:
        self._text = text
        self._beside = beside
        self._head = bytearray()
        self._transport: asyncio.Transport | None = None
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, with a limit on how long the client may take."""
        self._transport = cast(asyncio.Transport, transport)
        if len(self._beside) >= CONNECTIONS_MAX:
            self._transport.abort()
            return
        self._beside.add(self)
        loop = asyncio.get_running_loop()
        self._limit = loop.call_later(_REQUEST_SECONDS, self._transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio passes it
        """End."""
        self._beside.discard(self)
        if self._limit is not None:
            self._limit.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer when the head of the request is whole."""
        assert self._transport is not None, "data comes over a connection"
        if self._transport.is_closing():
            return
        self._head += data
        if b"\r\n\r\n" in self._head or b"\n\n" in self._head:
            self._transport.write(self._answer())
            self._transport.close()
        elif len(self._head) > _HEAD_BYTES_MAX:
            self._transport.write(_response("431 Request Header Fields Too Large", ""))
            self._transport.close()

    def _answer(self) -> bytes:
        words = bytes(self._head).split(b"\n", 1)[0].split()
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            return _response("400 Bad Request", "")
        method, target = words[0], words[1].partition(b"?")[0]
        if target != b"/metrics":
            return _response("404 Not Found", "metrics are at /metrics\n")
        if method != b"GET":
            return _response("405 Method Not Allowed", "", "Allow: GET\r\n")
        return _response("200 OK", self._text())


def _response(status: str, body: str, more: str = "") -> bytes:
    data = body.encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {_TYPE}\r\nContent-Length: {len(data)}\r\n"
        f"{more}Connection: close\r\n\r\n"
    )
    return head.encode() + data
