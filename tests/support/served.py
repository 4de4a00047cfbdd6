"""Daemons in processes of their own, with a clock that the test moves."""

from __future__ import annotations

import mmap
import struct
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

from subjects import store_policy

from talebearer.server.daemon import Daemon, DaemonSettings, Identity, Log
from talebearer.store import Store
from talebearer.testing import SAMPLE_NOW_MS, counting_ids
from talebearer.testing.conformance import ManualClock, Running, WireSubject

CHILD = """
import mmap, struct, sys
from itertools import count
from pathlib import Path
from talebearer.server.daemon import ServeOptions, serve

folder, endpoint, clock, config, first_id = sys.argv[1:]
with open(clock, "r+b") as file:
    shared = mmap.mmap(file.fileno(), 16)

def now_ms():
    now, step = struct.unpack("<qq", shared[:])
    if step:
        shared[:8] = struct.pack("<q", now + step)
    return now

numbers = count(int(first_id))
serve(
    ServeOptions(endpoint=Path(endpoint), root=Path(folder), config=Path(config) if config else None),
    now_ms=now_ms,
    new_id=lambda: f"v{next(numbers):012}",
)
"""
READY = "daemon listening on"


class SharedClock(ManualClock):
    """A clock in a file that the daemon reads: its time and what each reading adds."""

    def __init__(self, path, now=SAMPLE_NOW_MS):
        path.write_bytes(struct.pack("<qq", now, 0))
        self.path = path
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), 16)

    @property
    def now(self):
        return struct.unpack("<q", self._shared[:8])[0]

    @now.setter
    def now(self, value):
        self._shared[:8] = struct.pack("<q", value)

    @property
    def step(self):
        return struct.unpack("<q", self._shared[8:])[0]

    @step.setter
    def step(self, value):
        self._shared[8:] = struct.pack("<q", value)


class DaemonProcess(Running):
    """A daemon on *folder*; ready when it is made.

    The folder holds the store's root, the socket, the clock and the policy.
    """

    def __init__(self, folder, clock, *, config=None, start=0):
        self.folder = folder
        self.endpoint = folder / "s"
        command = [sys.executable, "-c", CHILD, folder / "root", self.endpoint, clock.path]
        command += [config or "", str(start * 1_000_000 + 1)]
        self.process = subprocess.Popen(
            [str(part) for part in command], stderr=subprocess.PIPE, text=True
        )
        self.said = []
        while not self.said or READY not in self.said[-1]:
            line = self.process.stderr.readline()
            assert line, f"the daemon ended: {''.join(self.said)}"
            self.said.append(line)

    def stop(self):
        self.process.terminate()
        rest = self.process.stderr.read()
        assert self.process.wait(timeout=60) == 0, rest
        self.process.stderr.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


class ThreadedDaemon(Running):
    """A daemon in a thread of this process, with the test's own clock."""

    def __init__(self, folder, clock, *, policy, new_id):
        self.endpoint = folder / "s"
        self.fault = None
        self._ready = threading.Event()
        retention = policy["retention"]
        identity = Identity(
            node_id="local",
            cluster_id="local",
            idempotency_retention_seconds=retention["idempotency_seconds"],
            change_retention_seconds=retention["changes_seconds"],
        )
        settings = DaemonSettings(
            endpoint=self.endpoint,
            identity=identity,
            now_ms=clock,
            log=Log.open(None, now_ms=clock),
            signals=False,
        )
        parsed = store_policy(policy)
        self._daemon = Daemon(
            settings,
            open_store=lambda: Store.open(
                folder / "talebearer.db",
                artifacts=folder / "artifacts",
                now_ms=clock,
                new_id=new_id,
                policy=parsed,
            ),
            announce=self._announce,
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)
        if self.fault is not None:
            raise self.fault

    def _announce(self, line):
        if READY in line:
            self._ready.set()

    def _run(self):
        try:
            self._daemon.run()
        except BaseException as error:
            self.fault = error
        finally:
            self._ready.set()

    def stop(self):
        self._daemon.stop()
        self._thread.join(60)
        assert not self._thread.is_alive()
        assert self.fault is None


class DaemonSubject(WireSubject):
    """A daemon with a policy document, for the conformance suite."""

    def __init__(self, folder, policy):
        clock, new_id = ManualClock(), counting_ids()
        super().__init__(
            lambda: ThreadedDaemon(folder, clock, policy=policy, new_id=new_id),
            clock=clock,
            objects=folder / "artifacts" / "objects",
        )


@contextmanager
def short_folder():
    """A private folder with a path short enough for a socket's name, in memory if possible."""
    base = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=base, prefix="tb-") as folder:
        yield Path(folder)
