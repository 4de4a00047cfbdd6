"""The life of a daemon: its socket's file, signals, a drained stop, a kill, and the commands."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import stat
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from campaigns import talebearer
from daemons import (
    HANDSHAKE,
    META,
    ProcessDaemon,
    ThreadDaemon,
    Wire,
    open_store_at,
    small_limits,
    wait_until,
)

from talebearer.errors import EndpointUnusable, StoreLocked
from talebearer.store import Store, shipped_document
from talebearer.testing import counting_ids, sample_knowledge, stepping_clock

CREATE = "patchouli.entity.create@1"
READ = "patchouli.entity.read@1"
STATUS = "patchouli.control.status@1"
SHUTDOWN = "patchouli.control.shutdown@1"


def _status(endpoint: Path) -> dict[str, Any]:
    with Wire(endpoint) as wire:
        status = wire.ask(STATUS, meta={})["result"]["data"]
        assert isinstance(status, dict)
        return status


@pytest.mark.spec("PP-1.2-lifecycle")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with ProcessDaemon(tmp_path) as daemon:
        assert daemon.said == [f"Patchouli daemon listening on {daemon.endpoint}"]
        status = _status(daemon.endpoint)
        assert status["pid"] == daemon.process.pid
        assert (status["generation"], status["provider"]) == (1, "sqlite")
        with Wire(daemon.endpoint) as idle:
            assert daemon.end(number) == 0
            assert idle.line() is None
        assert not daemon.endpoint.exists()
    with ProcessDaemon(tmp_path) as again:
        status = _status(again.endpoint)
        assert (status["generation"], status["recovered_after_unclean_shutdown"]) == (2, False)


def test_what_was_left_unindexed_is_indexed_when_nobody_waits(tmp_path: Path) -> None:
    """Searches run beside the loop and only read, so that nobody else would do it."""
    with open_store_at(tmp_path) as store:
        for number in range(200):
            store.create(META, "knowledge", sample_knowledge(f"bell {number}"))

    def lag() -> int:
        with open_store_at(tmp_path, read_only=True) as reader:
            return reader._controller.retrieval.index.lag()[1]

    assert lag() == 200
    with ThreadDaemon(tmp_path):
        wait_until(lambda: lag() == 0)


@pytest.mark.spec("PP-1.2-lifecycle")
def test_a_kill_is_recovered_from_and_reported(tmp_path: Path) -> None:
    with ProcessDaemon(tmp_path) as daemon:
        with Wire(daemon.endpoint) as wire:
            data = {"type": "knowledge", "id": "kept", "value": sample_knowledge("kept")}
            assert "result" in wire.ask(CREATE, data)
        daemon.end(signal.SIGKILL)
        assert daemon.endpoint.exists()
    with ProcessDaemon(tmp_path, "--log", str(tmp_path / "log")) as again:
        assert "ended without closing" in again.said[0]
        assert _status(again.endpoint)["recovered_after_unclean_shutdown"] is True
        with Wire(again.endpoint) as wire:
            ref = {"ref": {"type": "knowledge", "id": "kept"}}
            assert wire.ask(READ, ref)["result"]["data"]["state"] == "active"
    events = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    listening = next(one for one in events if one["event"] == "listening")
    assert (listening["level"], listening["generation"]) == ("warning", 2)


@pytest.mark.spec("PP-1.2-lifecycle")
def test_a_client_can_stop_it(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path) as daemon, Wire(daemon.endpoint) as wire:
        assert wire.ask(SHUTDOWN, meta={})["result"]["data"] == {"accepted": True}
        assert wire.line() is None
        daemon.join()
        assert not daemon.endpoint.exists()
    with Store.open(
        tmp_path / "talebearer.db",
        artifacts=tmp_path / "artifacts",
        now_ms=stepping_clock(),
        new_id=counting_ids(),
    ) as store:
        assert store.status()["recovered_after_unclean_shutdown"] is False


@pytest.mark.spec("PP-1.2-lifecycle")
def test_a_request_that_has_come_is_answered_before_the_end(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path) as daemon:
        waiting = [Wire(daemon.endpoint) for _ in range(4)]
        last = Wire(daemon.endpoint)
        for number, wire in enumerate(waiting):
            data = {"type": "knowledge", "id": f"k-{number}", "value": sample_knowledge("x")}
            wire.send(wire.request(CREATE, data))
        last.send(last.request(SHUTDOWN, meta={}))
        assert all("result" in wire.receive() for wire in [*waiting, last])
        for wire in [*waiting, last]:
            assert wire.line() is None
            wire.socket.close()


def test_a_client_that_takes_nothing_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    with small_limits(tmp_path, drain_seconds=0.05) as daemon:
        wire = Wire(daemon.endpoint)
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        wire.send(b"".join(wire.request(STATUS, meta={}) for _ in range(4_000)))
        wait_until(lambda: any(one.unsent_bytes for one in daemon.daemon._connections))
        daemon.stop()
        wire.socket.close()


@pytest.mark.spec("PP-1.2-lifecycle")
def test_a_live_socket_and_a_file_are_left_alone(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path / "a") as daemon:
        inode = daemon.endpoint.stat().st_ino
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "d.sock").symlink_to(daemon.endpoint)
        with pytest.raises(EndpointUnusable, match="no socket"):
            ThreadDaemon(tmp_path / "b")
        with pytest.raises(EndpointUnusable, match="already listening"):
            ThreadDaemon(tmp_path / "a")
        assert daemon.endpoint.stat().st_ino == inode
        assert _status(daemon.endpoint)["ready"]
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "d.sock").write_text("mine")
    with pytest.raises(EndpointUnusable, match="no socket"):
        ThreadDaemon(tmp_path / "c")
    assert (tmp_path / "c" / "d.sock").read_text() == "mine"


@pytest.mark.spec("PP-1.2-lifecycle")
def test_a_dead_socket_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "d.sock"))
    with ThreadDaemon(tmp_path) as daemon:
        assert _status(daemon.endpoint)["ready"]


@pytest.mark.spec("PP-1.2-lifecycle")
def test_only_its_own_socket_is_removed(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path) as daemon:
        daemon.endpoint.unlink()
        daemon.endpoint.write_text("another's")
    assert (tmp_path / "d.sock").read_text() == "another's"


@pytest.mark.spec("PP-1.2-lifecycle")
def test_the_socket_is_the_owners_only_from_its_first_moment(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with ThreadDaemon(tmp_path) as daemon:
            assert stat.S_IMODE(daemon.endpoint.stat().st_mode) == 0o600
    finally:
        os.umask(before)


@pytest.mark.spec("PP-1.2-lifecycle")
def test_missing_folders_are_made_for_the_owner_only(tmp_path: Path) -> None:
    from talebearer.server.daemon._endpoint import Endpoint

    path = tmp_path / "x" / "y" / "d.sock"
    Endpoint(path).remove()
    for folder in (path.parent, path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_others_may_change_and_a_long_path_are_refused(tmp_path: Path) -> None:
    from talebearer.server.daemon._endpoint import Endpoint

    tmp_path.chmod(0o777)
    with pytest.raises(EndpointUnusable, match="others"):
        Endpoint(tmp_path / "d.sock")
    tmp_path.chmod(0o1777)
    Endpoint(tmp_path / "d.sock").remove()
    with pytest.raises(EndpointUnusable, match="107 bytes"):
        Endpoint(tmp_path / ("d" * 120))


def test_of_many_that_start_at_once_one_listens(tmp_path: Path) -> None:
    from talebearer.server.daemon._endpoint import Endpoint

    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "d.sock"))
    made: list[Endpoint] = []
    refused: list[EndpointUnusable] = []

    def start() -> None:
        try:
            made.append(Endpoint(tmp_path / "d.sock"))
        except EndpointUnusable as error:
            refused.append(error)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (1, 7)
    made[0].remove()


def test_a_store_in_use_is_refused_and_the_socket_goes(tmp_path: Path) -> None:
    with (
        Store.open(
            tmp_path / "talebearer.db",
            artifacts=tmp_path / "artifacts",
            now_ms=stepping_clock(),
            new_id=counting_ids(),
        ),
        pytest.raises(StoreLocked),
    ):
        ThreadDaemon(tmp_path)
    assert not (tmp_path / "d.sock").exists()


def test_connections_for_metrics_are_bounded_in_number(tmp_path: Path) -> None:
    """Any user of the machine may open some, and none of them may use up the daemon's files."""
    with ThreadDaemon(tmp_path, metrics_port=0) as daemon, contextlib.ExitStack() as open_ones:
        url = daemon.said[0].removeprefix("metrics on ")
        port = int(url.split(":")[2].split("/")[0])
        many = [
            open_ones.enter_context(socket.create_connection(("127.0.0.1", port), 20))
            for _ in range(100)
        ]
        for refused in many[32:]:
            with contextlib.suppress(ConnectionResetError):
                assert refused.recv(1) == b""
        many[0].sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        assert many[0].recv(15) == b"HTTP/1.1 200 OK"
        open_ones.close()
        wait_until(lambda: _scraped(url))


def _scraped(url: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(url) as answer:
        return bool(answer.read())
    return False


def test_metrics_are_served_on_the_loopback_interface(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path, metrics_port=0) as daemon, Wire(daemon.endpoint) as wire:
        url = daemon.said[0].removeprefix("metrics on ")
        assert url.startswith("http://127.0.0.1:")
        wire.ask(CREATE, {"type": "knowledge", "id": "k", "value": sample_knowledge("secret")})
        wire.ask(READ, {"ref": {"type": "knowledge", "id": "none"}})
        wire.ask("made.up.by.a.client@1")
        wire.ask("patchouli.changes.subscribe@1", {"after_cursor": "0"})
        wire.receive()
        with urllib.request.urlopen(url) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            text = answer.read().decode()
        lines = text.splitlines()
        for line in (
            'talebearer_requests_total{method="patchouli.entity.create@1",outcome="ok"} 1',
            'talebearer_requests_total{method="patchouli.entity.read@1",outcome="NOT_FOUND"} 1',
            'talebearer_requests_total{method="unknown",outcome="-32601"} 1',
            'talebearer_request_seconds_count{method="patchouli.entity.create@1"} 1',
            "talebearer_group_size_count 2",
            "talebearer_feed_events_total 1",
            "talebearer_connections 1",
            "talebearer_subscriptions 1",
            "talebearer_store_generation 1",
            "talebearer_queue_depth 0",
        ):
            assert line in lines
        assert "secret" not in text
        assert "made.up" not in text
        names = {line.split("{")[0].split()[0] for line in lines if not line.startswith("#")}
        described = {line.split()[2] for line in lines if line.startswith("# TYPE")}
        ends = ("_bucket", "_sum", "_count")
        assert {n.removesuffix(next((e for e in ends if n.endswith(e)), "")) for n in names} <= {
            *described
        }
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(url + "/x")
        _refuses_nonsense(url)


def _refuses_nonsense(url: str) -> None:
    port = int(url.rsplit(":", 1)[1].split("/")[0])
    for request, status in (
        (b"nonsense\r\n\r\n", b"400"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", b"405"),
        (b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 9_000, b"431"),
    ):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(request)
            assert connection.recv(64).split()[1] == status


def test_the_log_tells_what_happens_and_no_contents(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with ThreadDaemon(tmp_path / "d", log=str(log)) as daemon, Wire(daemon.endpoint) as wire:
        wire.ask(CREATE, {"type": "knowledge", "id": "k", "value": sample_knowledge("secret")})
    events = [json.loads(line) for line in log.read_text().splitlines()]
    names = [event["event"] for event in events]
    # The client leaves while the stop is asked for: either is noticed first.
    assert names[:2] == ["listening", "connection.opened"]
    assert sorted(names[2:4]) == ["connection.closed", "draining"]
    assert names[4:] == ["stopped"]
    assert all({"time", "level"} <= set(event) for event in events)
    assert "secret" not in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_full_disk_under_the_log_stops_nothing(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path, log="/dev/full") as daemon:
        assert _status(daemon.endpoint)["ready"]
        assert "talebearer_log_lost_total 0" not in daemon.daemon.metrics_text()


def test_the_commands_talk_to_it(tmp_path: Path) -> None:
    with ProcessDaemon(tmp_path, "--node-id", "n1", "--cluster-id", "c1") as daemon:
        at = ("--endpoint", str(daemon.endpoint))
        status = talebearer("status", *at, "--json", cwd=tmp_path).json
        assert (status["pid"], status["node_id"]) == (daemon.process.pid, "n1")
        assert status["cluster_id"] == "c1"
        assert "generation" in talebearer("status", *at, cwd=tmp_path).out
        done = talebearer("checkpoint", *at, "--json", cwd=tmp_path)
        assert done.json == {"endpoint": str(daemon.endpoint), "completed": True}
        second = talebearer("serve", *at, "--root", str(tmp_path / "other"), cwd=tmp_path)
        assert (second.code, "TB230" in second.err) == (3, True)
        stopped = talebearer(
            "stop", "--json", cwd=tmp_path, environment={"TALEBEARER_ENDPOINT": at[1]}
        )
        assert stopped.json["stopped"] is True
        assert daemon.process.wait(10) == 0
        gone = talebearer("status", *at, "--json", cwd=tmp_path)
        assert (gone.code, gone.json["error"]["code"]) == (3, "TB231")


@pytest.mark.spec("PP-3.6-cli")
def test_a_policy_file_and_a_providers_file_are_taken(tmp_path: Path) -> None:
    document = shipped_document("causal_session")
    document["retention"] = {"idempotency_seconds": 5, "changes_seconds": 7}
    (tmp_path / "policy.json").write_text(json.dumps(document))
    providers = {
        "$schema": "x",
        "version": 1,
        "providers": {"local": {"kind": "local", "database": "elsewhere/my.db"}},
        "routing": {"default": "local", "rules": []},
    }
    (tmp_path / "p.json").write_text(json.dumps(providers))
    files = ("--config", str(tmp_path / "policy.json"), "--providers", str(tmp_path / "p.json"))
    with (
        ProcessDaemon(tmp_path, *files, "--artifacts", str(tmp_path / "bytes")) as daemon,
        Wire(daemon.endpoint, greet=False) as wire,
    ):
        greeting = wire.ask("patchouli.protocol.handshake@1", params=HANDSHAKE)["result"]
        assert greeting["limits"]["idempotency_retention_seconds"] == 5
        assert greeting["limits"]["change_retention_seconds"] == 7
        data = {"type": "knowledge", "value": sample_knowledge("x")}
        meta = {**META, "plugin_route_id": "r"}
        assert "causal_token" in wire.ask(CREATE, data, meta=meta)["result"]["meta"]
    assert (tmp_path / "elsewhere" / "my.db").exists()
    assert (tmp_path / "bytes").is_dir()


@pytest.mark.spec("PP-3.6-cli")
def test_a_roots_own_policy_is_taken(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    document = shipped_document()
    document["retention"]["changes_seconds"] = 7
    (root / "config.json").write_text(json.dumps(document))
    with ProcessDaemon(tmp_path) as daemon, Wire(daemon.endpoint, greet=False) as wire:
        greeting = wire.ask("patchouli.protocol.handshake@1", params=HANDSHAKE)["result"]
        assert greeting["limits"]["change_retention_seconds"] == 7
    assert (root / "data" / "talebearer.db").exists()
    (root / "config.json").write_text("{}")
    (root / "config.json").chmod(0o600)
    at = ("--endpoint", str(tmp_path / "d.sock"), "--root", str(root))
    refused = talebearer("serve", *at, "--json", cwd=tmp_path)
    assert (refused.code, refused.json["error"]["code"]) == (2, "TB117")


def test_a_wrong_node_id_is_refused(tmp_path: Path) -> None:
    at = ("--endpoint", "d.sock", "--root", "new")
    refused = talebearer("serve", *at, "--node-id", "a b", cwd=tmp_path)
    assert (refused.code, "TB109" in refused.err) == (2, True)
    assert not (tmp_path / "new").exists()


def test_a_campaigns_folder_can_be_served(tmp_path: Path, recorded: Path) -> None:
    from talebearer.store import campaign_meta

    with (
        ThreadDaemon(tmp_path / "d", open_store=lambda: _campaign_store(recorded)) as daemon,
        Wire(daemon.endpoint) as wire,
    ):
        ref = {"ref": {"type": "knowledge", "id": "mind:party"}}
        answer = wire.ask(READ, ref, meta=campaign_meta("drowned-bell"))
        assert answer["result"]["data"]["state"] == "active"
        assert wire.ask(READ, ref, meta=META)["error"]["code"] == -32003


def _campaign_store(folder: Path) -> Store:
    return Store.open(
        folder / "talebearer.db",
        artifacts=folder / "artifacts",
        now_ms=stepping_clock(),
        new_id=counting_ids(),
    )
