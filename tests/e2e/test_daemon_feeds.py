"""Subscriptions of a real daemon: order, filters, slow and dead subscribers, pruned cursors."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from daemons import META, ThreadDaemon, Wire, small_limits, wait_until

from talebearer.testing import sample_knowledge, sample_meta

CREATE = "patchouli.entity.create@1"
STATUS = "patchouli.control.status@1"
SUBSCRIBE = "patchouli.changes.subscribe@1"
UNSUBSCRIBE = "patchouli.changes.unsubscribe@1"


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ThreadDaemon]:
    with ThreadDaemon(tmp_path / "daemon") as running:
        yield running


def _create(wire: Wire, number: int, *, text: str = "x", meta: Any = None) -> None:
    data = {"type": "knowledge", "id": f"k-{number}", "value": sample_knowledge(text)}
    assert "result" in wire.ask(CREATE, data, meta=meta)


def _create_many(wire: Wire, numbers: range, *, tagged: bool = False) -> None:
    """Create in one go; with *tagged*, each change's event is a large one."""
    lines = []
    for number in numbers:
        data = {"type": "knowledge", "id": f"k-{number}", "value": sample_knowledge("x")}
        lines.append(wire.request(CREATE, data, meta=_tag(number) if tagged else None))
    wire.send(b"".join(lines))
    assert all("result" in wire.receive() for _ in numbers)


def _event_ids(wire: Wire, count: int) -> list[str]:
    events = [wire.receive() for _ in range(count)]
    assert all(event["method"] == "patchouli.changes.event@1" for event in events)
    return [event["params"]["data"]["change"]["ref"]["id"] for event in events]


@pytest.mark.spec("PP-1.9-feed-order")
def test_the_answer_comes_before_the_events_which_follow_the_log(daemon: ThreadDaemon) -> None:
    with Wire(daemon.endpoint) as writer, Wire(daemon.endpoint) as reader:
        _create_many(writer, range(3))
        subscribed = reader.ask(SUBSCRIBE, {"after_cursor": "0"})["result"]["data"]
        assert subscribed == {"subscription_id": "subscription-1", "cursor": "0"}
        _create_many(writer, range(3, 600))
        events = [reader.receive()["params"] for _ in range(600)]
        cursors = [int(event["data"]["change"]["cursor"]) for event in events]
        assert cursors == sorted(set(cursors))
        assert [event["data"]["change"]["ref"]["id"] for event in events] == [
            f"k-{number}" for number in range(600)
        ]
        assert events[0]["meta"] == {"user_id": "u", "workspace_id": "w"}


@pytest.mark.spec("PP-1.9-feed-order")
def test_without_a_cursor_nothing_older_is_delivered(daemon: ThreadDaemon) -> None:
    with Wire(daemon.endpoint) as wire:
        _create(wire, 1)
        cursor = wire.ask(SUBSCRIBE)["result"]["data"]["cursor"]
        assert cursor != "0"
        with Wire(daemon.endpoint) as writer:
            _create(writer, 2)
        assert _event_ids(wire, 1) == ["k-2"]
        assert wire.silent()


def test_filters_and_scopes_hold(daemon: ThreadDaemon) -> None:
    with Wire(daemon.endpoint) as wire, Wire(daemon.endpoint) as writer:
        wire.ask(SUBSCRIBE, {"filter": {"types": ["knowledge"], "ids": ["k-2", "k-4"]}})
        _create(writer, 2, meta=sample_meta("elsewhere"))
        for number in range(1, 6):
            _create(writer, number)
        assert _event_ids(wire, 2) == ["k-2", "k-4"]
        assert wire.silent()


@pytest.mark.spec("PP-1.9-feed-order")
def test_unsubscribing_ends_it_once_and_only_ones_own(daemon: ThreadDaemon) -> None:
    with Wire(daemon.endpoint) as wire, Wire(daemon.endpoint) as other:
        ids = [wire.ask(SUBSCRIBE)["result"]["data"]["subscription_id"] for _ in range(2)]
        assert ids == ["subscription-1", "subscription-2"]
        data = {"subscription_id": ids[0]}
        assert other.ask(UNSUBSCRIBE, data)["result"]["data"] == {"removed": False}
        assert wire.ask(UNSUBSCRIBE, data)["result"]["data"] == {"removed": True}
        assert wire.ask(UNSUBSCRIBE, data)["result"]["data"] == {"removed": False}
        assert wire.ask(UNSUBSCRIBE, {})["error"]["code"] == -32602
        _create(other, 1)
        event = wire.receive()
        assert event["params"]["data"]["subscription_id"] == ids[1]
        assert wire.silent()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"after_cursor": "999"}, -32010),
        ({"after_cursor": "soon"}, -32602),
        ({"after_cursor": ""}, -32602),
        ({"filter": []}, -32602),
    ],
)
def test_what_cannot_be_resumed_is_refused_and_never_replayed(
    daemon: ThreadDaemon, data: Any, code: int
) -> None:
    with Wire(daemon.endpoint) as wire:
        _create(wire, 1)
        assert wire.ask(SUBSCRIBE, data)["error"]["code"] == code
        assert wire.silent()


def test_subscriptions_of_one_connection_are_bounded(tmp_path: Path) -> None:
    with small_limits(tmp_path, subscriptions_max=2) as daemon, Wire(daemon.endpoint) as wire:
        answers = [wire.ask(SUBSCRIBE) for _ in range(3)]
        assert answers[2]["error"]["data"]["reason"] == "OVERLOADED"
        wire.ask(UNSUBSCRIBE, {"subscription_id": "subscription-1"})
        assert wire.ask(SUBSCRIBE)["result"]["data"]["subscription_id"] == "subscription-3"


def _subscriber_that_reads_nothing(daemon: ThreadDaemon) -> Wire:
    wire = Wire(daemon.endpoint, greet=False)
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    handshake = wire.request(
        "patchouli.protocol.handshake@1",
        params={
            "client": {"name": "slow", "version": "1", "instance_id": "i"},
            "protocol_versions": [1],
            "capabilities": [],
        },
    )
    wire.send(handshake + wire.request(SUBSCRIBE, {"after_cursor": "0"}))
    return wire


def _tag(number: int) -> dict[str, Any]:
    """Metadata that makes a change's event a large one."""
    return {**META, "channel_id": f"{number}" + "c" * 8_000}


def test_a_subscriber_that_reads_nothing_holds_nobody_up_and_goes_on_where_it_was(
    tmp_path: Path,
) -> None:
    with (
        small_limits(tmp_path, write_buffer_bytes=65_536) as daemon,
        Wire(daemon.endpoint) as writer,
        Wire(daemon.endpoint) as quick,
    ):
        quick.ask(SUBSCRIBE)
        slow = _subscriber_that_reads_nothing(daemon)
        for number in range(0, 900, 100):
            _create_many(writer, range(number, number + 100), tagged=True)
            assert _event_ids(quick, 100) == [f"k-{number + n}" for n in range(100)]
        unsent = max(one.unsent_bytes for one in daemon.daemon._connections)
        assert 0 < unsent < 65_536 + 256 * 10_000
        # The answers to the handshake and the subscription, then every event, in order.
        slow.receive()
        slow.receive()
        assert _event_ids(slow, 900) == [f"k-{number}" for number in range(900)]
        slow.socket.close()


def test_a_dead_subscriber_is_dropped_and_resumes_from_its_cursor(tmp_path: Path) -> None:
    folder = tmp_path
    with (
        small_limits(folder, write_buffer_bytes=16_384, stall_seconds=0.05) as daemon,
        Wire(daemon.endpoint) as writer,
    ):
        dead = _subscriber_that_reads_nothing(daemon)
        _create_many(writer, range(120), tagged=True)
        wait_until(lambda: daemon.daemon.metrics.subscribers_dropped.get("stalled") == 1)
        got = [json.loads(line) for line in iter(dead.line, None) if line.endswith(b"}")]
        cursors = [one["params"]["data"]["change"]["cursor"] for one in got if "params" in one]
        dead.socket.close()
        with Wire(daemon.endpoint) as again:
            after = cursors[-1] if cursors else "0"
            again.ask(SUBSCRIBE, {"after_cursor": after})
            rest = [f"k-{number}" for number in range(len(cursors), 120)]
            assert _event_ids(again, len(rest)) == rest


def test_a_client_that_takes_no_answers_is_not_read_further(tmp_path: Path) -> None:
    with (
        small_limits(tmp_path, write_buffer_bytes=16_384, read_ahead_bytes=16_384) as daemon,
        Wire(daemon.endpoint) as other,
    ):
        flood = Wire(daemon.endpoint)
        flood.socket.setblocking(False)
        lines = b"".join(flood.request(STATUS, meta={}) for _ in range(500))
        sent = 0
        while True:
            try:
                sent += flood.socket.send(lines[sent % len(lines) :])
            except BlockingIOError:
                if _settled(flood):
                    break
            assert sent < 64 * 1_024 * 1_024, "the daemon reads without end"
        assert "result" in other.ask(STATUS, meta={})
        assert sum(one.lines.size_bytes for one in daemon.daemon._connections) < 2_000_000
        flood.socket.close()


def _settled(wire: Wire) -> bool:
    """Whether the daemon really takes nothing more."""
    import select

    return not select.select([], [wire.socket], [], 0.1)[1]


def test_a_stream_whose_cursor_is_pruned_under_it_ends(tmp_path: Path) -> None:
    with (
        small_limits(tmp_path, write_buffer_bytes=16_384) as daemon,
        Wire(daemon.endpoint) as writer,
    ):
        slow = _subscriber_that_reads_nothing(daemon)
        _create_many(writer, range(120), tagged=True)
        wait_until(lambda: any(one.paused for one in daemon.daemon._connections))
        _prune(tmp_path / "talebearer.db")
        _create(writer, 120)
        lines = list(iter(slow.line, None))
        assert json.loads(lines[1])["result"]["data"]["cursor"] == "0"
        assert len(lines) < 122
        slow.socket.close()
        assert "result" in writer.ask(STATUS, meta={})
        assert daemon.daemon.metrics.subscribers_dropped == {"feed_failed": 1}
        last = json.loads(lines[-1])["params"]["data"]["change"]["cursor"]
        with Wire(daemon.endpoint) as again:
            refused = again.ask(SUBSCRIBE, {"after_cursor": last})["error"]
        assert refused["data"]["reason"] == "CURSOR_EXPIRED"


def _prune(path: Path) -> None:
    """Take the oldest changes away, as the retention does."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(5_000)
    with connection:
        ((scope, last),) = connection.execute(
            "SELECT scope_json, max(cursor) FROM patchouli_change GROUP BY scope_json"
        ).fetchall()
        connection.execute("DELETE FROM patchouli_change WHERE cursor < ?", (last,))
        connection.execute(
            "INSERT INTO patchouli_change_retention VALUES (?, ?)", (scope, last - 1)
        )
    connection.close()
