"""The wire of a real daemon: framing, handshake, order, errors, and what survives bad input."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from daemons import (
    HANDSHAKE,
    META,
    SECONDS,
    ThreadDaemon,
    Wire,
    open_store_at,
    small_limits,
    wait_until,
)

from talebearer.server.daemon import Limits, MethodRegistry
from talebearer.store import Call, Reply, Store
from talebearer.testing import sample_knowledge, stepping_clock
from talebearer.vocabulary import REQUEST_BYTES_MAX

CREATE = "patchouli.entity.create@1"
READ = "patchouli.entity.read@1"
STATUS = "patchouli.control.status@1"
NO_META: dict[str, Any] = {}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreadDaemon]:
    with ThreadDaemon(tmp_path_factory.mktemp("daemon")) as running:
        yield running


@pytest.fixture
def wire(daemon: ThreadDaemon) -> Iterator[Wire]:
    with Wire(daemon.endpoint) as connected:
        yield connected


def _knowledge(text: str) -> dict[str, Any]:
    return {"type": "knowledge", "value": sample_knowledge(text)}


def _alive(wire: Wire) -> bool:
    return bool(wire.ask(STATUS, meta=NO_META)["result"]["data"]["ready"])


@pytest.mark.spec("PP-1.3-handshake")
def test_the_handshake_tells_version_identity_capabilities_and_limits(
    daemon: ThreadDaemon,
) -> None:
    with Wire(daemon.endpoint, greet=False) as fresh:
        result = fresh.ask("patchouli.protocol.handshake@1", params=HANDSHAKE)["result"]
    assert result["protocol_version"] == 1
    assert sorted(result["server"]) == ["cluster_id", "node_id", "version"]
    assert result["capabilities"] == ["artifacts", "subscriptions"]
    assert result["limits"] == {
        "max_request_bytes": 1_048_576,
        "max_artifact_chunk_bytes": 524_288,
        "max_result_items": 100,
        "idempotency_retention_seconds": 86_400,
        "change_retention_seconds": 604_800,
    }


@pytest.mark.spec("PP-1.3-handshake")
def test_unknown_capabilities_are_left_out(daemon: ThreadDaemon) -> None:
    with Wire(daemon.endpoint, greet=False) as fresh:
        params = {**HANDSHAKE, "capabilities": ["unknown", "subscriptions"]}
        result = fresh.ask("patchouli.protocol.handshake@1", params=params)["result"]
    assert result["capabilities"] == ["subscriptions"]


@pytest.mark.spec("PP-1.3-handshake")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"protocol_versions": [2]}, -32006),
        ({"protocol_versions": []}, -32006),
        ({"protocol_versions": [1, 65_536]}, -32602),
        ({"protocol_versions": [True]}, -32602),
        ({"client": None}, -32602),
        ({"client": {"name": "n", "version": "1"}}, -32602),
        ({"capabilities": [1]}, -32602),
        ({"capabilities": None}, -32602),
    ],
)
def test_a_refused_handshake_leaves_the_connection_usable(
    daemon: ThreadDaemon, change: dict[str, Any], code: int
) -> None:
    with Wire(daemon.endpoint, greet=False) as fresh:
        method = "patchouli.protocol.handshake@1"
        assert fresh.ask(method, params={**HANDSHAKE, **change})["error"]["code"] == code
        assert "result" in fresh.ask(method, params=HANDSHAKE)
        assert "result" in fresh.ask(method, params=HANDSHAKE)


@pytest.mark.spec("PP-1.3-handshake")
@pytest.mark.parametrize("method", [STATUS, "no.such.method@1", "patchouli.changes.subscribe@1"])
def test_nothing_goes_before_the_handshake(daemon: ThreadDaemon, method: str) -> None:
    with Wire(daemon.endpoint, greet=False) as fresh:
        error = fresh.ask(method)["error"]
    assert (error["code"], error["data"]["reason"]) == (-32001, "UNAUTHENTICATED")


@pytest.mark.spec("PP-1.1-framing")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"\n", -32700),
        (b"{nonsense\n", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', -32700),
        (b"[" * 200 + b"]" * 200 + b"\n", -32700),
        (b"[]\n", -32600),
        (b'{"jsonrpc":"2.0","method":"m"}\n', -32600),
        (b"x" * (REQUEST_BYTES_MAX + 1) + b"\n", -32600),
        (b"x" * (3 * REQUEST_BYTES_MAX) + b"\n", -32600),
    ],
)
def test_what_is_no_request_is_answered_and_survived(wire: Wire, line: bytes, code: int) -> None:
    wire.send(line)
    answer = wire.receive()
    assert (answer["error"]["code"], answer["id"]) == (code, None)
    assert "data" not in answer["error"]
    assert _alive(wire)


@pytest.mark.spec("PP-1.1-framing")
def test_a_batch_is_refused_and_nothing_in_it_is_done(wire: Wire) -> None:
    inner = wire.request(CREATE, {**_knowledge("inside"), "id": "inside-a-batch"}).strip()
    wire.send(b"[" + inner + b"]\n")
    assert wire.receive()["error"]["code"] == -32600
    ref = {"ref": {"type": "knowledge", "id": "inside-a-batch"}}
    assert wire.ask(READ, ref)["error"]["code"] == -32003


@pytest.mark.spec("PP-1.1-framing")
def test_a_line_of_exactly_the_limit_is_answered(wire: Wire) -> None:
    line = wire.request(STATUS, meta=NO_META).rstrip(b"\n")
    wire.send(line[:-1] + b" " * (REQUEST_BYTES_MAX - len(line)) + b"}\n")
    assert "result" in wire.receive()


@pytest.mark.spec("PP-1.1-framing")
def test_a_request_in_single_bytes_is_put_together(wire: Wire) -> None:
    text = "Ærlig – 嵐 🌩"
    line = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": "嵐",
            "method": CREATE,
            "params": {"meta": META, "data": _knowledge(text)},
        },
        ensure_ascii=False,
    ).encode()
    for byte in line + b"\n":
        wire.send(bytes([byte]))
    answer = wire.receive()
    assert answer["id"] == "嵐"
    assert answer["result"]["data"]["entity"]["value"]["content"]["text"] == text


@pytest.mark.spec("PP-1.1-framing")
def test_the_last_line_needs_no_line_feed(daemon: ThreadDaemon) -> None:
    with Wire(daemon.endpoint) as fresh:
        fresh.send(fresh.request(STATUS, meta=NO_META).rstrip(b"\n"))
        fresh.socket.shutdown(socket.SHUT_WR)
        assert "result" in fresh.receive()
        assert fresh.line() is None


@pytest.mark.spec("PP-1.1-order")
def test_requests_of_one_connection_are_answered_in_order(wire: Wire) -> None:
    lines = []
    for number in range(40):
        lines.append(wire.request(CREATE, {**_knowledge(str(number)), "id": f"order-{number}"}))
        lines.append(wire.request(READ, {"ref": {"type": "knowledge", "id": f"order-{number}"}}))
        lines.append(wire.request("patchouli.changes.unsubscribe@1", {"subscription_id": "none"}))
        lines.append(wire.request("no.such@1"))
        lines.append(b"{}\n")
    wire.send(b"".join(lines))
    answers = [wire.receive() for _ in lines]
    numbers = [answer["id"] for answer in answers]
    expected = [json.loads(line).get("id") for line in lines]
    assert numbers == expected
    reads = [answer["result"]["data"]["state"] for answer in answers[1::5]]
    assert reads == ["active"] * 40


@pytest.mark.spec("PP-1.4-methods")
@pytest.mark.parametrize(
    "params",
    [{}, {"meta": {}}, {"data": {}}, {"meta": [], "data": {}}, {"meta": {}, "data": 1}, []],
)
def test_parameters_are_two_objects(wire: Wire, params: Any) -> None:
    error = wire.ask(STATUS, params=params)["error"]
    assert (error["code"], error["data"]["reason"]) == (-32602, "INVALID_REQUEST")


@pytest.mark.spec("PP-1.4-methods")
@pytest.mark.parametrize(
    "method",
    ["patchouli.entity.create@2", "patchouli.entity.create", "x", "", "patchouli.nothing@1"],
)
def test_methods_that_are_not_there_are_unknown(wire: Wire, method: str) -> None:
    error = wire.ask(method)["error"]
    assert error["code"] == -32601
    assert "data" not in error


@pytest.mark.spec("PP-1.4-methods")
@pytest.mark.parametrize("method", ["status", "checkpoint", "shutdown"])
def test_control_takes_no_data(wire: Wire, method: str) -> None:
    assert wire.ask(f"patchouli.control.{method}@1", {"x": 1})["error"]["code"] == -32602


@pytest.mark.spec("PP-1.2-lifecycle")
def test_every_open_connection_is_counted(daemon: ThreadDaemon, wire: Wire) -> None:
    def active() -> int:
        count = wire.ask(STATUS, meta=NO_META)["result"]["data"]["active_connections"]
        assert isinstance(count, int)
        return count

    before = active()
    with Wire(daemon.endpoint, greet=False):
        wait_until(lambda: active() == before + 1)
    wait_until(lambda: active() == before)


@pytest.mark.spec("PP-1.6-errors")
def test_errors_carry_reason_code_and_versions_only(wire: Wire) -> None:
    data = {**_knowledge("twice"), "id": "twice"}
    version = wire.ask(CREATE, data)["result"]["data"]["entity"]["version"]
    error = wire.ask(CREATE, data)["error"]
    assert error["code"] == -32004
    assert error["data"] == {
        "reason": "VERSION_CONFLICT",
        "code": "TB205",
        "current_versions": [version],
    }


@pytest.mark.spec("PP-1.8-deadlines")
@pytest.mark.parametrize("method", ["changes.subscribe", "changes.unsubscribe", "control.shutdown"])
@pytest.mark.parametrize(("deadline", "code"), [(0, -32007), (-1, -32602), ("soon", -32602)])
def test_the_loops_own_methods_have_deadlines(
    wire: Wire, method: str, deadline: Any, code: int
) -> None:
    meta = {**META, "deadline_unix_ms": deadline}
    data = {"subscription_id": "s"} if method.endswith("unsubscribe") else {}
    assert wire.ask(f"patchouli.{method}@1", data, meta=meta)["error"]["code"] == code


def test_keys_of_answers_are_sorted(wire: Wire) -> None:
    value = sample_knowledge("x")
    value["metadata"]["extensions"] = {"b.z": {"z": 1, "a": 2}, "a.a": {}}
    wire.send(wire.request(CREATE, {"value": value, "type": "knowledge"}))
    line = wire.line()
    assert line is not None
    assert line.decode() == json.dumps(
        json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


@pytest.mark.parametrize("number", ["18446744073709551616", "-9223372036854775809", "9" * 30])
def test_integers_that_cannot_be_kept_are_refused_and_not_rounded(wire: Wire, number: str) -> None:
    value = sample_knowledge("x")
    value["content"] = {"kind": "structured", "value": "NUMBER"}
    line = wire.request(CREATE, {"type": "knowledge", "value": value})
    wire.send(line.replace(b'"NUMBER"', number.encode()))
    assert wire.receive()["error"]["code"] == -32602


def test_texts_are_indexed_when_nobody_waits(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path) as daemon, Wire(daemon.endpoint) as wire:
        for number in range(100):
            wire.ask(CREATE, _knowledge(f"number {number}"))

        async def lag() -> int:
            _, rows = daemon.daemon._store._controller.retrieval.index.lag()
            return rows

        def nothing_is_left() -> bool:
            return asyncio.run_coroutine_threadsafe(lag(), daemon.daemon._loop).result(10) == 0

        wait_until(nothing_is_left)
        query = {"query": json.dumps({"text": "number 42"})}
        assert len(wire.ask("patchouli.entity.retrieve@1", query)["result"]["data"]["hits"]) == 1


class _Gate:
    """A clock that stands still for searches, until they are let go."""

    def __init__(self) -> None:
        self._clock = stepping_clock()
        self.began = threading.Event()
        self.open = threading.Event()

    def now_ms(self) -> int:
        if threading.current_thread().name.startswith("talebearer-search"):
            self.began.set()
            assert self.open.wait(SECONDS)
        return self._clock()

    def daemon(self, folder: Path, **options: Any) -> ThreadDaemon:
        return ThreadDaemon(
            folder, open_store=lambda: open_store_at(folder, now_ms=self.now_ms), **options
        )


RETRIEVE = "patchouli.entity.retrieve@1"
PATIENT = {**META, "deadline_unix_ms": 2**53}


def _search(wire: Wire, text: str) -> bytes:
    return wire.request(RETRIEVE, {"query": json.dumps({"text": text})}, meta=PATIENT)


def test_a_search_keeps_nobody_waiting_but_its_own_connection(tmp_path: Path) -> None:
    gate = _Gate()
    with gate.daemon(tmp_path) as daemon, Wire(daemon.endpoint) as wire:
        create = [
            wire.request(CREATE, _knowledge(text)) for text in ("a clapper", "a clapper again")
        ]
        wire.send(create[0] + _search(wire, "clapper") + create[1] + _search(wire, "clapper"))
        assert "entity" in wire.receive()["result"]["data"]
        assert gate.began.wait(SECONDS)
        with Wire(daemon.endpoint) as other:
            assert "result" in other.ask(CREATE, _knowledge("a lamp"))
            assert _alive(other)
        gate.open.set()
        first, second, third = (wire.receive()["result"]["data"] for _ in range(3))
        # In order, and each sees what its connection wrote before it, and not what it wrote after.
        assert [len(first["hits"]), "entity" in second, len(third["hits"])] == [1, True, 2]


def test_a_search_is_answered_before_the_end(tmp_path: Path) -> None:
    gate = _Gate()
    with gate.daemon(tmp_path) as daemon, Wire(daemon.endpoint) as wire:
        wire.ask(CREATE, _knowledge("a bell"))
        wire.send(_search(wire, "bell"))
        assert gate.began.wait(SECONDS)
        daemon.daemon.stop()
        gate.open.set()
        assert len(wire.receive()["result"]["data"]["hits"]) == 1
        assert wire.line() is None


CHECKPOINT = "patchouli.control.checkpoint@1"


def test_a_checkpoint_waits_for_searches_that_run_and_nobody_waits_for_it(tmp_path: Path) -> None:
    gate = _Gate()
    with gate.daemon(tmp_path) as daemon, Wire(daemon.endpoint) as wire:
        wire.ask(CREATE, _knowledge("a bell"))
        wire.send(_search(wire, "bell"))
        assert gate.began.wait(SECONDS)
        with Wire(daemon.endpoint) as operator, Wire(daemon.endpoint) as other:
            ask = operator.request(CHECKPOINT, {}, meta=NO_META)
            operator.send(ask + operator.request(STATUS, {}, meta=NO_META))
            wait_until(lambda: bool(daemon.daemon._aside._quiet))
            assert "result" in other.ask(CREATE, _knowledge("another bell"))
            other.send(_search(other, "bell"))
            gate.open.set()
            assert len(wire.receive()["result"]["data"]["hits"]) >= 1
            assert "result" in operator.receive()
            assert operator.receive()["result"]["data"]["ready"]
            assert len(other.receive()["result"]["data"]["hits"]) == 2


def test_a_checkpoint_gives_up_on_a_search_that_does_not_end(tmp_path: Path) -> None:
    gate = _Gate()
    limits = Limits(checkpoint_seconds=0.05)
    with gate.daemon(tmp_path, limits=limits) as daemon, Wire(daemon.endpoint) as wire:
        wire.send(_search(wire, "bell"))
        assert gate.began.wait(SECONDS)
        with Wire(daemon.endpoint) as operator:
            failed = operator.ask(CHECKPOINT, meta=NO_META)["error"]
            assert (failed["code"], "retrievals" in failed["message"]) == (-32603, True)
            gate.open.set()
            assert wire.receive()["result"]["data"] == {"hits": []}
            assert "result" in operator.ask(CHECKPOINT, meta=NO_META)


def test_a_client_that_leaves_its_search_is_forgotten(tmp_path: Path) -> None:
    gate = _Gate()
    with gate.daemon(tmp_path) as daemon, Wire(daemon.endpoint) as other:
        with Wire(daemon.endpoint) as wire:
            wire.send(_search(wire, "bell"))
            assert gate.began.wait(SECONDS)
        gate.open.set()
        wait_until(lambda: _connections(other) == 1)
        answer = other.ask(RETRIEVE, {"query": json.dumps({"text": "bell"})})
        assert answer["result"]["data"] == {"hits": []}


def _connections(wire: Wire) -> int:
    return int(wire.ask(STATUS, meta=NO_META)["result"]["data"]["active_connections"])


def test_methods_can_be_served_beside_the_stores(tmp_path: Path) -> None:
    registry = MethodRegistry()

    def methods(store: Store) -> MethodRegistry:
        def count(call: Call) -> Reply:
            return Reply({}, {"generation": store.status()["generation"], **call.data})

        def fail(call: Call) -> Reply:
            raise ZeroDivisionError(call.method)

        registry.register("talebearer.count@1", count)
        registry.register("talebearer.fail@1", fail)
        return registry

    with ThreadDaemon(tmp_path, methods=methods) as daemon, Wire(daemon.endpoint) as wire:
        create = wire.request(CREATE, _knowledge("before"))
        wire.send(create + wire.request("talebearer.count@1", {"x": 1}) + create)
        answers = [wire.receive() for _ in range(3)]
        assert [answer["id"] for answer in answers] == [2, 3, 2]
        assert answers[1]["result"]["data"] == {"generation": 1, "x": 1}
        failed = wire.ask("talebearer.fail@1")
        assert failed["error"] == {
            "code": -32603,
            "message": "an unforeseen fault: ZeroDivisionError",
        }
        late = {**META, "deadline_unix_ms": 0}
        assert wire.ask("talebearer.count@1", meta=late)["error"]["code"] == -32007
        assert _alive(wire)


def test_a_fault_of_the_daemon_ends_the_connection_and_nothing_else(tmp_path: Path) -> None:
    """A client is never left waiting for an answer that will not come."""

    def methods(_: Store) -> MethodRegistry:
        registry = MethodRegistry()
        registry.register("talebearer.wrong@1", lambda call: None)  # type: ignore[arg-type,return-value]  # the fault
        return registry

    with ThreadDaemon(tmp_path, methods=methods) as daemon, Wire(daemon.endpoint) as other:
        with Wire(daemon.endpoint) as wire:
            wire.send(wire.request("talebearer.wrong@1"))
            assert wire.line() is None
        assert _alive(other)


def test_lines_that_come_in_pieces_on_many_connections_do_not_mix(tmp_path: Path) -> None:
    """What the sockets have is put in one place, one after the other."""
    with ThreadDaemon(tmp_path) as daemon, ExitStack() as opened:
        wires = [opened.enter_context(Wire(daemon.endpoint)) for _ in range(4)]
        lines = [
            wire.request(CREATE, {**_knowledge(f"text {n} " * 30), "id": f"n{n}"})
            for n, wire in enumerate(wires)
        ]
        for start in range(0, max(map(len, lines)), 97):
            for wire, line in zip(wires, lines, strict=True):
                wire.send(line[start : start + 97])
        for number, wire in enumerate(wires):
            entity = wire.receive()["result"]["data"]["entity"]
            assert entity["ref"]["id"] == f"n{number}"
            assert wire.ask(READ, {"ref": entity["ref"]})["result"]["data"]["variants"] == [entity]


def test_a_connection_too_many_is_told_and_closed(tmp_path: Path) -> None:
    with small_limits(tmp_path, connections_max=2) as daemon:
        with Wire(daemon.endpoint) as first, Wire(daemon.endpoint):
            third = Wire(daemon.endpoint, greet=False)
            refused = third.receive()
            assert (refused["id"], refused["error"]["code"]) == (None, -32009)
            assert third.line() is None
            third.socket.close()
            assert _alive(first)
        wait_until(lambda: _can_connect(daemon))


def test_of_many_that_connect_at_once_each_is_served_or_told(tmp_path: Path) -> None:
    """Whatever the daemon is doing meanwhile, nobody finds the door shut."""
    busy, go_on = threading.Event(), threading.Event()

    def methods(_: Store) -> MethodRegistry:
        def wait(call: Call) -> Reply:
            busy.set()
            go_on.wait(SECONDS)
            return Reply({}, {})

        registry = MethodRegistry()
        registry.register("talebearer.wait@1", wait)
        return registry

    with ThreadDaemon(tmp_path, methods=methods) as daemon, Wire(daemon.endpoint) as wire:
        wire.send(wire.request("talebearer.wait@1"))
        assert busy.wait(SECONDS)
        many = [Wire(daemon.endpoint, greet=False) for _ in range(400)]
        go_on.set()
        for one in many:
            one.send(one.request("patchouli.protocol.handshake@1", params=HANDSHAKE))
        answers = [one.receive() for one in many]
        for one in many:
            one.socket.close()
    told = [answer["error"]["data"]["reason"] for answer in answers if "error" in answer]
    assert told == ["OVERLOADED"] * (401 - Limits().connections_max)


def _can_connect(daemon: ThreadDaemon) -> bool:
    with Wire(daemon.endpoint, greet=False) as wire:
        return "result" in wire.ask("patchouli.protocol.handshake@1", params=HANDSHAKE)


def test_the_longest_queue_is_shed_when_too_much_waits(tmp_path: Path) -> None:
    with small_limits(tmp_path, queued_requests_max=50) as daemon, Wire(daemon.endpoint) as wire:
        lines = [wire.request(STATUS, meta=NO_META) for _ in range(400)]
        wire.send(b"".join(lines))
        answers = [wire.receive() for _ in lines]
        assert [answer["id"] for answer in answers] == [json.loads(line)["id"] for line in lines]
        shed = [answer for answer in answers if "error" in answer]
        assert shed
        assert {answer["error"]["data"]["reason"] for answer in shed} == {"OVERLOADED"}
        assert len(answers) - len(shed) >= 50
        assert daemon.daemon.metrics.requests_shed == len(shed)
        assert _alive(wire)
