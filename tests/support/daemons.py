"""Daemons for tests: in a thread of this process, or a process of their own."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from talebearer.server.daemon import Daemon, DaemonSettings, Identity, Limits, Log
from talebearer.store import Store
from talebearer.testing import sample_meta, stepping_clock

META = sample_meta()
SECONDS = 20.0
HANDSHAKE = {
    "client": {"name": "test", "version": "1", "instance_id": "i"},
    "protocol_versions": [1],
    "capabilities": ["artifacts", "subscriptions"],
}


class ThreadDaemon:
    """A daemon in a thread, on a real socket and a real store.

    Attributes:
        endpoint: Its socket.
        daemon: The daemon itself.
    """

    def __init__(
        self,
        folder: Path,
        *,
        limits: Limits | None = None,
        open_store: Callable[[], Store] | None = None,
        methods: Callable[[Store], Mapping[str, Any]] | None = None,
        log: str | None = None,
        metrics_port: int | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.endpoint = folder / "d.sock"
        self.said: list[str] = []
        self.fault: BaseException | None = None
        self._ready = threading.Event()
        identity = Identity(
            node_id="local",
            cluster_id="local",
            idempotency_retention_seconds=86_400,
            change_retention_seconds=604_800,
        )
        self._log = Log.open(log, now_ms=stepping_clock())
        settings = DaemonSettings(
            endpoint=self.endpoint,
            identity=identity,
            now_ms=stepping_clock(),
            log=self._log,
            metrics_port=metrics_port,
            limits=limits or Limits(),
            signals=False,
        )
        self.daemon = Daemon(
            settings,
            open_store=open_store or (lambda: open_store_at(folder)),
            methods=methods,
            announce=self._announce,
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(SECONDS), "the daemon does not start"
        if self.fault is not None:
            raise self.fault

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop it and wait; a fault of its loop is raised here."""
        if self._thread.is_alive():
            self.daemon.stop()
        self.join()

    def join(self) -> None:
        """Wait until it has ended."""
        self._thread.join(SECONDS)
        assert not self._thread.is_alive(), "the daemon does not stop"
        if self.fault is not None:
            raise self.fault

    def _announce(self, line: str) -> None:
        self.said.append(line)
        if "listening on" in line:
            self._ready.set()

    def _run(self) -> None:
        try:
            self.daemon.run()
        except BaseException as error:  # it is raised where the test waits
            self.fault = error
        finally:
            self._log.close()
            self._ready.set()


def open_store_at(
    folder: Path, *, now_ms: Callable[[], int] | None = None, read_only: bool = False
) -> Store:
    """Open the store of a thread's daemon."""
    return Store.open(
        folder / "talebearer.db",
        artifacts=folder / "artifacts",
        now_ms=now_ms or stepping_clock(),
        # Restarts come upon the ids of the run before, so these must not begin anew.
        new_id=lambda: str(uuid.uuid4()),
        read_only=read_only,
    )


class Wire:
    """A raw connection: what is sent is what the test wrote."""

    def __init__(self, endpoint: Path, *, greet: bool = True, seconds: float = SECONDS) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(seconds)
        self.socket.connect(str(endpoint))
        self._received = b""
        self._number = 0
        if greet:
            answer = self.ask("patchouli.protocol.handshake@1", params=HANDSHAKE)
            assert "result" in answer, answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def request(
        self, method: str, data: Any = None, *, meta: Any = None, params: Any = None
    ) -> bytes:
        """Return the line of a request with a new number."""
        self._number += 1
        if params is None:
            params = {"meta": META if meta is None else meta, "data": data or {}}
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        return json.dumps(message).encode() + b"\n"

    def ask(self, method: str, data: Any = None, *, meta: Any = None, params: Any = None) -> Any:
        """Send a request and return the next message."""
        self.send(self.request(method, data, meta=meta, params=params))
        return self.receive()

    def receive(self) -> Any:
        """Return the next message."""
        line = self.line()
        assert line is not None, "the daemon closed the connection"
        return json.loads(line)

    def line(self) -> bytes | None:
        """Return the next line, or None at the end."""
        while b"\n" not in self._received:
            try:
                data = self.socket.recv(65_536)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        return line

    def silent(self, seconds: float = 0.05) -> bool:
        """Return whether nothing comes for a moment."""
        return not self._received and not select.select([self.socket], [], [], seconds)[0]


class ProcessDaemon:
    """``talebearer serve`` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.endpoint = folder / "run" / "d.sock"
        self.root = folder / "root"
        command = ["-m", "talebearer", "serve", "--endpoint", str(self.endpoint)]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--root", str(self.root), *arguments],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "100", "TERM": "dumb"},
        )
        self.said: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))
            if "listening on" in line and line.startswith("Patchouli"):
                break

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


@contextmanager
def small_limits(folder: Path, **changes: Any) -> Iterator[ThreadDaemon]:
    """A daemon with some limits changed."""
    with ThreadDaemon(folder, limits=replace(Limits(), **changes)) as daemon:
        yield daemon


def wait_until(holds: Callable[[], bool], *, seconds: float = SECONDS) -> None:
    """Look until *holds*; fail when it does not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come true"
        threading.Event().wait(0.002)
