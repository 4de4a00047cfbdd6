"""A plain client of the wire, and a subject that is reached over a socket.

It knows lines and nothing more, so that a case can send whatever it likes. Reading has a time
limit, so a daemon that does not answer fails a test instead of stopping it.
"""

from __future__ import annotations

import json
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from talebearer.testing.conformance._subject import Events, ManualClock, Subject
from talebearer.testing.model import Answer, Refused

LINE_BYTES_MAX = 1_048_576
READ_SECONDS_MAX = 60.0
HANDSHAKE = {
    "client": {"name": "suite", "version": "1", "instance_id": "suite-1"},
    "protocol_versions": [1],
    "capabilities": ["artifacts", "subscriptions"],
}


class Wire:
    """One connection.

    Args:
        endpoint: The socket.
        greet: Whether to shake hands at once.

    Attributes:
        events: Notifications that came before an answer that was waited for.
    """

    def __init__(self, endpoint: Path, *, greet: bool = True) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(READ_SECONDS_MAX)
        self.socket.connect(str(endpoint))
        self.events: list[dict[str, Any]] = []
        self._buffer = bytearray()
        self._ids = count(1)
        if greet:
            self.request("patchouli.protocol.handshake@1", HANDSHAKE)

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def send_message(self, message: Any) -> None:
        """Send one JSON line."""
        self.send(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def raw_line(self) -> bytes | None:
        """Return the bytes of the next line, or None when the other side has closed."""
        while b"\n" not in self._buffer:
            received = self.socket.recv(65_536)
            if not received:
                return None
            self._buffer += received
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return line

    def line(self) -> dict[str, Any] | None:
        """Return the next message, or None when the other side has closed."""
        line = self.raw_line()
        if line is None:
            return None
        message = json.loads(line)
        assert isinstance(message, dict), message
        assert message.get("jsonrpc") == "2.0", message
        return message

    def answer(self) -> dict[str, Any]:
        """Return the next response; events before it are kept."""
        while True:
            message = self.line()
            assert message is not None, "the connection was closed"
            if "method" not in message:
                return message
            self.events.append(message)

    def event(self) -> dict[str, Any]:
        """Return the next event's parameters."""
        if self.events:
            return self.events.pop(0)["params"]  # type: ignore[no-any-return]  # JSON
        message = self.line()
        assert message is not None, "the connection was closed"
        assert message.get("method") == "patchouli.changes.event@1", message
        assert "id" not in message
        return message["params"]  # type: ignore[no-any-return]  # JSON

    def request(self, method: str, params: Any) -> Any:
        """Send one request and return its result.

        Raises:
            Refused: The answer is an error.
        """
        request_id = next(self._ids)
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        self.send_message(message)
        answer = self.answer()
        assert answer["id"] == request_id, answer
        if "error" in answer:
            raise refusal_of(answer["error"])
        return answer["result"]

    def call(self, method: str, meta: Any, data: Any) -> Answer:
        """Send a request of metadata and data."""
        result = self.request(method, {"meta": meta, "data": data})
        assert set(result) == {"meta", "data"}
        return Answer(result["meta"], result["data"])


def refusal_of(error: Mapping[str, Any]) -> Refused:
    """Return an error object of the wire as the suite knows it."""
    assert set(error) <= {"code", "message", "data"}, error
    assert isinstance(error["message"], str), error
    data = error.get("data", {})
    return Refused(error["code"], data.get("reason"), data, error["message"])


class WireEvents(Events):
    """A subscription on a connection of its own."""

    def __init__(self, endpoint: Path, params: Mapping[str, Any]) -> None:
        self._wire = Wire(endpoint)
        try:
            data = self._wire.request("patchouli.changes.subscribe@1", params)["data"]
        except Refused:
            self._wire.close()
            raise
        self.cursor = data["cursor"]
        self._id = data["subscription_id"]

    def take(self, wanted: int) -> list[dict[str, Any]]:
        """Return the next events."""
        taken = []
        for _ in range(wanted):
            params = self._wire.event()
            assert params["data"]["subscription_id"] == self._id
            taken.append({"change": params["data"]["change"], "meta": params["meta"]})
        return taken

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()


class Running(ABC):
    """A started daemon."""

    endpoint: Path

    @abstractmethod
    def stop(self) -> None:
        """Stop it cleanly and wait for its end."""


class WireSubject(Subject):
    """A daemon behind its socket.

    Args:
        start: Starts the daemon on its folder; called again for each restart.
        clock: The clock that the daemon was given.
        objects: The folder of its content-addressed bytes.
        node_id: Its placement provider.
    """

    def __init__(
        self,
        start: Callable[[], Running],
        *,
        clock: ManualClock,
        objects: Path | None = None,
        node_id: str = "local",
    ) -> None:
        self.clock = clock
        self.node_id = node_id
        self._start = start
        self._objects = objects
        self._feeds: list[WireEvents] = []
        self._begin()

    def _begin(self) -> None:
        self.running = self._start()
        self._wire = Wire(self.running.endpoint)

    def call(self, method: str, meta: Any, data: Any) -> Answer:
        """Send one request."""
        return self._wire.call(method, meta, data)

    def subscribe(
        self,
        meta: Mapping[str, Any],
        *,
        filter: Any = None,
        after_cursor: Any = None,
    ) -> Events:
        """Subscribe on a connection of its own."""
        data = {"filter": filter, "after_cursor": after_cursor}
        given = {name: value for name, value in data.items() if value is not None}
        feed = WireEvents(self.running.endpoint, {"meta": dict(meta), "data": given})
        self._feeds.append(feed)
        return feed

    def hush(self) -> None:
        """Close all feeds."""
        while self._feeds:
            self._feeds.pop().close()

    def restart(self) -> None:
        """Stop and start."""
        self.close()
        self._begin()

    def close(self) -> None:
        """Stop."""
        self.hush()
        self._wire.close()
        self.running.stop()

    def object_path(self, key: str) -> Path | None:
        """Return the file of stored bytes."""
        if self._objects is None:
            return None
        digest = key.removeprefix("sha256/")
        return self._objects / "sha256" / digest[:2] / digest[2:]
