"""The life of a daemon's process: cases 19 to 23, 147 and 160 to 162."""

from __future__ import annotations

import socket
import stat
import tempfile
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from talebearer.testing._samples import sample_artifact_metadata, sample_meta
from talebearer.testing.conformance._subject import MEMORY, Actor, refused
from talebearer.testing.conformance._wire import Running, Wire
from talebearer.testing.conformance.values import knowledge

spec = pytest.mark.spec
EMPTY: dict[str, Any] = {"meta": {}, "data": {}}
STATUS = "patchouli.control.status@1"
SHUTDOWN = "patchouli.control.shutdown@1"


class Spawned(Running):
    """A daemon in a process of its own, as a person starts it."""

    pid: int

    @abstractmethod
    def kill(self) -> None:
        """End it at once, without a chance to clean up, and wait."""

    @abstractmethod
    def wait(self) -> int:
        """Wait until it ends by itself, and return its exit code."""


class StartRefused(Exception):
    """What :meth:`LifecycleConformance.spawn` raises when the daemon does not start."""


class LifecycleConformance:
    """Inherit, and give :meth:`spawn`; each test gets a folder of its own."""

    def spawn(self, root: Path, endpoint: Path) -> Spawned:
        """Start a daemon on the store root *root* with the default policy; return it ready.

        Raises:
            StartRefused: It ended instead.
        """
        raise NotImplementedError

    @pytest.fixture
    def home(self) -> Iterator[Path]:
        """A private folder whose path is short enough for a socket; daemons on it end with it."""
        base = MEMORY if MEMORY.is_dir() else None
        self._started: list[Spawned] = []
        with tempfile.TemporaryDirectory(dir=base, prefix="tb-") as folder:
            yield Path(folder)
            for daemon in self._started:
                daemon.kill()

    def begin(self, root: Path, endpoint: Path) -> Spawned:
        """Start a daemon that the test's end will end, however the test ends."""
        daemon = self.spawn(root, endpoint)
        self._started.append(daemon)
        return daemon

    @pytest.fixture
    def daemon(self, home: Path) -> Spawned:
        """A running daemon on ``root`` with the socket ``run/s``."""
        return self.begin(home / "root", home / "run" / "s")

    def status(self, daemon: Spawned) -> dict[str, Any]:
        """Ask for the status on a connection of its own."""
        with Wire(daemon.endpoint) as wire:
            return wire.request(STATUS, EMPTY)["data"]  # type: ignore[no-any-return]  # JSON

    @spec("PP-1.4-controls")
    def test_018_open_connections_are_counted(self, daemon: Spawned) -> None:
        with Wire(daemon.endpoint) as first:
            with Wire(daemon.endpoint), Wire(daemon.endpoint, greet=False):
                self.wait_for_connections(first, 3)
            self.wait_for_connections(first, 1)

    def wait_for_connections(self, wire: Wire, count: int) -> None:
        """Ask until so many are open: the daemon sees others come and go at its own time."""
        for _ in range(10_000):
            if wire.request(STATUS, EMPTY)["data"]["active_connections"] == count:
                return
        pytest.fail(f"{count} connections are open, and that is not what the status says")

    @spec("PP-1.2-lifecycle")
    def test_019_the_status_of_a_first_start(self, daemon: Spawned) -> None:
        status = self.status(daemon)
        assert status["pid"] == daemon.pid
        assert status["generation"] == 1
        assert status["recovered_after_unclean_shutdown"] is False
        assert status["active_connections"] == 1

    @spec("PP-1.2-lifecycle")
    def test_021_a_shutdown_is_answered_and_leaves_no_socket(self, daemon: Spawned) -> None:
        with Wire(daemon.endpoint) as wire:
            assert wire.call(SHUTDOWN, {}, {}).data == {"accepted": True}
            assert wire.line() is None
        assert daemon.wait() == 0
        assert not daemon.endpoint.exists()

    @spec("PP-1.2-lifecycle")
    def test_021_a_shutdown_takes_no_data(self, daemon: Spawned) -> None:
        with Wire(daemon.endpoint) as wire:
            with refused("INVALID_REQUEST"):
                wire.call(SHUTDOWN, {}, {"now": True})
            assert wire.request(STATUS, EMPTY)

    @spec("PP-1.2-socket")
    def test_022_the_socket_is_the_owners_only(self, daemon: Spawned) -> None:
        assert stat.S_IMODE(daemon.endpoint.stat().st_mode) == 0o600
        assert stat.S_IMODE(daemon.endpoint.parent.stat().st_mode) == 0o700

    @spec("PP-1.2-socket")
    def test_022_a_socket_that_is_served_is_not_taken(self, daemon: Spawned, home: Path) -> None:
        with pytest.raises(StartRefused):
            self.begin(home / "other", daemon.endpoint)
        assert self.status(daemon)["generation"] == 1

    @spec("PP-1.2-socket")
    def test_022_a_dead_socket_is_replaced(self, home: Path) -> None:
        endpoint = home / "s"
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(endpoint))
        daemon = self.begin(home / "root", endpoint)
        assert self.status(daemon)["ready"] is True
        daemon.stop()
        assert not endpoint.exists()

    @spec("PP-1.2-socket")
    def test_022_a_file_is_not_replaced(self, home: Path) -> None:
        endpoint = home / "s"
        endpoint.write_text("mine")
        with pytest.raises(StartRefused):
            self.begin(home / "root", endpoint)
        assert endpoint.read_text() == "mine"

    @spec("PP-1.2-lifecycle", "PP-6-crash-recovery")
    def test_023_a_clean_stop_is_known_and_a_crash_too(self, home: Path) -> None:
        """What was acknowledged is there after either; the lock is gone after either."""
        root, endpoint = home / "root", home / "s"
        made: list[dict[str, Any]] = []
        for number, crash in enumerate((True, False, True), start=1):
            daemon = self.begin(root, endpoint)
            status = self.status(daemon)
            assert status["generation"] == number
            assert status["recovered_after_unclean_shutdown"] is (number == 2)
            with Wire(daemon.endpoint) as wire:
                actor = Actor(wire, **sample_meta())
                for earlier in made:
                    assert actor.heads(earlier["ref"]["id"]) == [earlier["version"]]
                made.append(actor.create(knowledge("a"), id=f"k{number}"))
            daemon.kill() if crash else daemon.stop()

    @spec("PP-4.1-one-writer")
    def test_161_a_second_daemon_on_one_store_is_refused(self, daemon: Spawned, home: Path) -> None:
        with pytest.raises(StartRefused) as error:
            self.begin(home / "root", home / "second")
        assert str(daemon.pid) in str(error.value)
        assert not (home / "second").exists()
        assert self.status(daemon)["ready"] is True

    @spec("PP-4.1-daemon-refuses-modes")
    def test_162_files_that_others_can_read_are_refused_untouched(self, home: Path) -> None:
        root = home / "root"
        self.begin(root, home / "s").stop()
        (database,) = root.rglob("*.db")
        before = database.read_bytes()
        database.chmod(0o644)
        with pytest.raises(StartRefused):
            self.begin(root, home / "s")
        assert stat.S_IMODE(database.stat().st_mode) == 0o644
        assert database.read_bytes() == before
        database.chmod(0o600)
        database.parent.chmod(0o755)
        self.begin(root, home / "s").stop()

    @spec("PP-4.1-files")
    def test_162_a_linked_database_is_refused(self, home: Path) -> None:
        root = home / "root"
        self.begin(root, home / "s").stop()
        (database,) = root.rglob("*.db")
        moved = home / "elsewhere"
        database.rename(moved)
        database.symlink_to(moved)
        with pytest.raises(StartRefused):
            self.begin(root, home / "s")

    @spec("PP-4.6-parts-dropped", "PP-5.11-restart")
    def test_147_a_restart_drops_unfinished_uploads(self, home: Path) -> None:
        root = home / "root"
        daemon = self.begin(root, home / "s")
        with Wire(daemon.endpoint) as wire:
            actor = Actor(wire, **sample_meta())
            upload_id = actor.begin(sample_artifact_metadata())
            actor.chunk(upload_id, 0, b"bell")
        assert len([*root.rglob("*.part")]) == 1
        daemon.kill()
        again = self.begin(root, home / "s")
        assert [*root.rglob("*.part")] == []
        with Wire(again.endpoint) as wire, refused(None, code=-32003):
            Actor(wire, **sample_meta()).commit(upload_id)
        again.stop()

    @spec("PP-4.6-daemon-stray-uploads")
    def test_147_a_stray_file_among_the_uploads_stops_the_start(self, home: Path) -> None:
        root = home / "root"
        self.begin(root, home / "s").stop()
        (uploads,) = [path for path in root.rglob("uploads") if path.is_dir()]
        (uploads / "notes.txt").write_text("mine")
        with pytest.raises(StartRefused):
            self.begin(root, home / "s")
        assert (uploads / "notes.txt").read_text() == "mine"
