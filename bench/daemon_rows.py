"""The daemon's promises: creating and reading over the socket, beside R and beside an echo.

R and the daemon take turns, so that what else the machine does meets both. The clients here only
send lines that were made before, and count what comes back, so that they cost little.
"""

from __future__ import annotations

import json
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bare_rows
from rows import Row, limit, ratio

CLIENTS = 8
OUTSTANDING = 8
SECONDS = 30.0
ECHO = """
import asyncio, sys
answer = open(sys.argv[2], "rb").read()
class Echo(asyncio.Protocol):
    def connection_made(self, transport): self.transport = transport
    def data_received(self, data): self.transport.write(answer * data.count(b"\\n"))
async def main():
    server = await asyncio.get_running_loop().create_unix_server(Echo, sys.argv[1])
    print("listening on", file=sys.stderr, flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def rows(*, small: bool) -> list[Row]:
    """Return all rows of the daemon."""
    with tempfile.TemporaryDirectory(prefix="tb-") as folder:
        work = Path(folder)
        return [
            *creates(work, rounds=1 if small else 5, count=128 if small else 1_024),
            *reads(work, rounds=1 if small else 5, count=200 if small else 4_000),
        ]


def creates(work: Path, *, rounds: int, count: int) -> Iterator[Row]:
    """Creating knowledge at FULL, search included, beside a bare loop that writes the same rows."""
    recording = bare_rows.record(work / "recorded", bare_rows.create, count=min(count, 400))
    bare, many, one, latencies = [], [], [], []
    with daemon(work / "creates") as (endpoint, _):
        for number in range(rounds):
            bare.append(
                bare_rows.replay(
                    work / f"bare-{number}", recording, bare_rows.create, synchronous="FULL"
                )
            )
            lines = [create_line(number * 10_000_000 + n) for n in range(count)]
            many.append(together(endpoint, lines) / count)
            lines = [create_line(number * 10_000_000 + 5_000_000 + n) for n in range(count // 4)]
            times = _alone(endpoint, lines)
            one.append(statistics.median(times))
            latencies += times
    r = statistics.median(bare)
    yield ratio(
        f"daemon create, {CLIENTS} clients with {OUTSTANDING} outstanding, beside R",
        statistics.median(many),
        r,
        "s",
        least=0.6,
    )
    yield ratio("daemon create, one client, beside R", statistics.median(one), r, "s", least=0.35)
    p99 = sorted(latencies)[int(len(latencies) * 0.99)] * 1_000
    yield limit("daemon create, one client, p99", p99, 10, "ms")


def reads(work: Path, *, rounds: int, count: int) -> Iterator[Row]:
    """Reading one record with one client, beside an echo of the answer's bytes."""
    ours, echoes = [], []
    with daemon(work / "reads") as (endpoint, _):
        together(endpoint, [create_line(number) for number in range(100)])
        line = request("patchouli.entity.read@1", {"ref": _ref(7)})
        answer = work / "answer"
        with connect(endpoint, greet=True) as connection:
            answer.write_bytes(exchange(connection, line))
        arguments = ["-c", ECHO, str(work / "echo.sock"), str(answer)]
        with _process(arguments):
            for _ in range(rounds):
                lines = [
                    request("patchouli.entity.read@1", {"ref": _ref(n % 100)}) for n in range(count)
                ]
                ours.append(statistics.median(_alone(endpoint, lines)))
                echoes.append(statistics.median(_alone(work / "echo.sock", lines, greet=False)))
    yield ratio(
        "daemon read, one client, beside an echo",
        statistics.median(ours),
        statistics.median(echoes),
        "s",
        least=0.35,
    )


@contextmanager
def daemon(
    root: Path, *, made: bool = False, ends: signal.Signals = signal.SIGTERM
) -> Iterator[tuple[Path, int]]:
    """Run a daemon in a process of its own, which *ends* it."""
    if not made:
        root.mkdir()
    endpoint = root.with_suffix(".sock")
    arguments = ["-m", "talebearer", "serve", "--endpoint", str(endpoint), "--root", str(root)]
    with _process(arguments, ends=ends) as process:
        yield endpoint, process.pid


@contextmanager
def _process(
    arguments: Sequence[str], *, ends: signal.Signals = signal.SIGTERM
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, *arguments], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if b"listening on" in line:
                break
        else:
            raise RuntimeError(f"{arguments} ended with {process.wait()} before it was ready")
        yield process
    finally:
        process.send_signal(ends)
        process.communicate()


def read_line(number: int) -> bytes:
    """Return the request that reads a benchmark record."""
    return request("patchouli.entity.read@1", {"ref": _ref(number)})


def request(method: str, data: object, *, params: object = None) -> bytes:
    """Return the line of a request."""
    if params is None:
        params = {"meta": bare_rows.META, "data": data}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def create_line(number: int) -> bytes:
    """Return the request that creates a benchmark record."""
    data = {
        "type": "knowledge",
        "id": bare_rows.entity_id(number),
        "value": bare_rows.occurrence(number),
    }
    return request("patchouli.entity.create@1", data)


def _ref(number: int) -> dict[str, str]:
    return {"type": "knowledge", "id": bare_rows.entity_id(number)}


def connect(endpoint: Path, *, greet: bool = True) -> socket.socket:
    """Return a connection to what listens at *endpoint*, after the handshake if it is a daemon."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(SECONDS)
    connection.connect(str(endpoint))
    if greet:
        params = {
            "client": {"name": "bench", "version": "1", "instance_id": "1"},
            "protocol_versions": [1],
            "capabilities": ["subscriptions"],
        }
        exchange(connection, request("patchouli.protocol.handshake@1", None, params=params))
    return connection


def exchange(connection: socket.socket, line: bytes) -> bytes:
    """Send a request and return its answer, which is no error."""
    connection.sendall(line)
    answer = connection.recv(65_536)
    while not answer.endswith(b"\n"):
        answer += connection.recv(65_536)
    assert b'"error"' not in answer, answer
    return answer


def _alone(endpoint: Path, lines: Sequence[bytes], *, greet: bool = True) -> list[float]:
    """Return the seconds of each exchange, one after the other."""
    times = []
    with connect(endpoint, greet=greet) as connection:
        for line in lines:
            began = time.perf_counter()
            exchange(connection, line)
            times.append(time.perf_counter() - began)
    return times


def together(endpoint: Path, lines: Sequence[bytes]) -> float:
    """Return the seconds for all *lines*, over several connections with several outstanding."""
    shares = [list(lines[n::CLIENTS]) for n in range(CLIENTS)]
    selector = selectors.DefaultSelector()
    connections = [connect(endpoint, greet=True) for _ in shares]
    left = len(lines)
    began = time.perf_counter()
    for connection, share in zip(connections, shares, strict=True):
        selector.register(connection, selectors.EVENT_READ, share)
        _send(connection, share, OUTSTANDING)
    while left:
        for key, _ in selector.select(SECONDS):
            data = key.fileobj.recv(262_144)  # type: ignore[union-attr]  # registered sockets
            assert data, "the daemon is gone"
            assert b'"error"' not in data, data
            done = data.count(b"\n")
            left -= done
            _send(key.fileobj, key.data, done)  # type: ignore[arg-type]  # registered sockets
    seconds = time.perf_counter() - began
    selector.close()
    for connection in connections:
        connection.close()
    return seconds


def _send(connection: socket.socket, share: list[bytes], count: int) -> None:
    if share and count:
        connection.sendall(b"".join(share[:count]))
        del share[:count]


def followed(endpoint: Path, *, count: int) -> float:
    """Return the seconds in which a daemon sends the first *count* events of its feed."""
    with connect(endpoint) as connection:
        began = time.perf_counter()
        connection.sendall(request("patchouli.changes.subscribe@1", {"after_cursor": "0"}))
        left = count + 1
        while left > 0:
            data = connection.recv(1_048_576)
            assert data, "the daemon is gone"
            left -= data.count(b"\n")
        return time.perf_counter() - began


def memory_bytes(pid: int) -> int:
    """Return how much a process has had in memory at most."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (peak,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) * 1_024


if __name__ == "__main__":
    for row in rows(small="--small" in sys.argv):
        print(json.dumps(row))
