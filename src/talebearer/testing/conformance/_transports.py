"""The socket: framing, handshake, order, subscriptions: cases 1 to 18, 122 and 132."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from talebearer.testing._samples import sample_meta
from talebearer.testing.conformance._policies import default_policy, keyed_policy
from talebearer.testing.conformance._subject import SCOPES, Conformance, House, refused
from talebearer.testing.conformance._wire import HANDSHAKE, LINE_BYTES_MAX, Wire, WireSubject
from talebearer.testing.conformance.values import knowledge

spec = pytest.mark.spec
HELLO = "patchouli.protocol.handshake@1"
STATUS = "patchouli.control.status@1"
SUBSCRIBE = "patchouli.changes.subscribe@1"
UNSUBSCRIBE = "patchouli.changes.unsubscribe@1"
CREATE = "patchouli.entity.create@1"
EMPTY: dict[str, Any] = {"meta": {}, "data": {}}


def request(method: str, params: Any, request_id: Any) -> dict[str, Any]:
    """Return one request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def creation(meta: dict[str, Any], entity_id: str, text: str = "a") -> dict[str, Any]:
    """Return the parameters of a creation."""
    return {
        "meta": meta,
        "data": {"type": "knowledge", "id": entity_id, "value": knowledge(text)},
    }


class TransportConformance(Conformance):
    """What every daemon does with lines; ``open_subject`` gives a :class:`WireSubject`."""

    @pytest.fixture
    def endpoint(self, house: House) -> Path:
        """The socket of a running daemon."""
        subject = house.subject(default_policy())
        assert isinstance(subject, WireSubject)
        return subject.running.endpoint

    @pytest.fixture
    def wire(self, endpoint: Path) -> Iterator[Wire]:
        """A connection after its handshake."""
        with Wire(endpoint) as wire:
            yield wire

    @pytest.fixture
    def stranger(self, endpoint: Path) -> Iterator[Wire]:
        """A connection before its handshake."""
        with Wire(endpoint, greet=False) as wire:
            yield wire

    @pytest.fixture
    def meta(self) -> dict[str, Any]:
        """Metadata of a scope that nobody used before."""
        return sample_meta(f"w{next(SCOPES)}")

    # --- handshake -----------------------------------------------------------------------------

    @spec("PP-1.3-handshake")
    def test_001_the_handshake_tells_version_server_capabilities_and_limits(
        self, stranger: Wire
    ) -> None:
        result = stranger.request(HELLO, HANDSHAKE)
        assert set(result) == {"protocol_version", "server", "capabilities", "limits"}
        assert result["protocol_version"] == 1
        assert set(result["server"]) == {"version", "cluster_id", "node_id"}
        assert result["capabilities"] == ["artifacts", "subscriptions"]
        assert result["limits"] == {
            "max_request_bytes": LINE_BYTES_MAX,
            "max_artifact_chunk_bytes": 524_288,
            "max_result_items": 100,
            "idempotency_retention_seconds": 86_400,
            "change_retention_seconds": 604_800,
        }

    @spec("PP-1.3-handshake")
    def test_002_only_known_capabilities_are_negotiated(self, stranger: Wire) -> None:
        wanted = {**HANDSHAKE, "capabilities": ["unknown", "subscriptions"]}
        assert stranger.request(HELLO, wanted)["capabilities"] == ["subscriptions"]
        assert stranger.request(HELLO, {**HANDSHAKE, "capabilities": []})["capabilities"] == []

    @pytest.mark.parametrize("versions", [[2], [0], [2, 3]])
    @spec("PP-1.3-handshake")
    def test_003_another_version_is_refused_and_may_try_again(
        self, stranger: Wire, versions: list[int]
    ) -> None:
        with refused("UNSUPPORTED_CAPABILITY"):
            stranger.request(HELLO, {**HANDSHAKE, "protocol_versions": versions})
        with refused("UNAUTHENTICATED"):
            stranger.request(STATUS, EMPTY)
        stranger.request(HELLO, HANDSHAKE)
        stranger.request(STATUS, EMPTY)
        stranger.request(HELLO, HANDSHAKE)

    @pytest.mark.parametrize("method", [STATUS, CREATE, SUBSCRIBE, "patchouli.never@1", ""])
    @spec("PP-1.3-handshake")
    def test_004_nothing_goes_before_the_handshake(self, stranger: Wire, method: str) -> None:
        with refused("UNAUTHENTICATED"):
            stranger.request(method, EMPTY)

    @pytest.mark.parametrize(
        "params",
        [
            {},
            None,
            [],
            {name: value for name, value in HANDSHAKE.items() if name != "client"},
            {**HANDSHAKE, "client": "suite"},
            {**HANDSHAKE, "client": {"name": "suite"}},
            {**HANDSHAKE, "protocol_versions": "1"},
            {**HANDSHAKE, "protocol_versions": ["1"]},
            {**HANDSHAKE, "protocol_versions": [-1]},
            {**HANDSHAKE, "protocol_versions": [1.5]},
            {**HANDSHAKE, "protocol_versions": [70_000]},
            {**HANDSHAKE, "capabilities": "artifacts"},
            {**HANDSHAKE, "capabilities": [1]},
        ],
    )
    @spec("PP-1.3-handshake")
    def test_005_a_handshake_of_another_shape_is_refused(self, stranger: Wire, params: Any) -> None:
        with refused("INVALID_REQUEST"):
            stranger.request(HELLO, params)
        with refused("UNAUTHENTICATED"):
            stranger.request(STATUS, EMPTY)

    # --- framing -------------------------------------------------------------------------------

    def after(self, wire: Wire, code: int) -> None:
        """Expect an error without an id, and a connection that goes on."""
        answer = wire.answer()
        assert answer["id"] is None
        assert answer["error"]["code"] == code
        assert "data" not in answer["error"]
        assert wire.request(STATUS, EMPTY)["data"]["ready"] is True

    @pytest.mark.parametrize("more", [1, 2, 65_536, 3_000_000])
    @spec("PP-1.1-framing")
    def test_006_a_longer_line_is_dropped_and_answered(self, wire: Wire, more: int) -> None:
        wire.send(b"x" * (LINE_BYTES_MAX + more))
        wire.send(b"\n")
        self.after(wire, -32600)

    @spec("PP-1.1-framing")
    def test_007_a_line_of_exactly_the_limit_is_served(self, wire: Wire) -> None:
        line = json.dumps(request(STATUS, EMPTY, "long")).encode()
        wire.send(line + b" " * (LINE_BYTES_MAX - len(line)) + b"\n")
        assert wire.answer()["result"]["data"]["ready"] is True

    @pytest.mark.parametrize(
        "line",
        [b"", b"   ", b"{", b"nul", b"{'a': 1}", b'{"a":1} x', b'{"a":NaN}', b'{"a":01}',
         b"[" * 100_000, b'{"a":' * 50_000, b'"\\ud800', b"\x00", b'{"a":"\n'],
    )  # fmt: skip
    @spec("PP-1.1-framing")
    def test_008_what_is_no_json_is_answered(self, wire: Wire, line: bytes) -> None:
        wire.send(line.replace(b"\n", b"\x01") + b"\n")
        self.after(wire, -32700)

    @pytest.mark.parametrize(
        "line", [b"\xff", b'{"id":"\xc3\x28"}', b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80"]
    )
    @spec("PP-1.1-framing")
    def test_009_what_is_no_utf8_is_answered(self, wire: Wire, line: bytes) -> None:
        wire.send(line + b"\n")
        self.after(wire, -32700)

    @pytest.mark.parametrize("value", [3, "text", None, True, 1.5])
    @spec("PP-1.1-framing")
    def test_010_what_is_no_object_is_answered(self, wire: Wire, value: Any) -> None:
        wire.send_message(value)
        self.after(wire, -32600)

    @spec("PP-1.1-framing")
    def test_010_a_batch_is_refused_and_nothing_in_it_is_done(
        self, wire: Wire, meta: dict[str, Any]
    ) -> None:
        for batch in ([], [request(CREATE, creation(meta, "k"), 1)]):
            wire.send_message(batch)
            self.after(wire, -32600)
        ref = {"ref": {"type": "knowledge", "id": "k"}}
        with refused("NOT_FOUND"):
            wire.call("patchouli.entity.read@1", meta, ref)

    @pytest.mark.parametrize("wrong", [{}, {"id": None}, {"id": True}, {"id": []}, {"id": {}}])
    @spec("PP-1.1-framing")
    def test_011_a_request_has_an_id(self, wire: Wire, wrong: dict[str, Any]) -> None:
        wire.send_message({"jsonrpc": "2.0", "method": STATUS, "params": EMPTY, **wrong})
        answer = wire.answer()
        assert answer["error"]["code"] == -32600
        assert wire.request(STATUS, EMPTY)

    @pytest.mark.parametrize(
        "wrong", [{"jsonrpc": "1.0"}, {"jsonrpc": 2.0}, {"jsonrpc": None}, {"method": 3},
                  {"method": None}],
    )  # fmt: skip
    @spec("PP-1.1-framing")
    def test_011_an_envelope_of_another_shape_echoes_its_id(
        self, wire: Wire, wrong: dict[str, Any]
    ) -> None:
        wire.send_message({**request(STATUS, EMPTY, "mine"), **wrong})
        answer = wire.answer()
        assert (answer["id"], answer["error"]["code"]) == ("mine", -32600)
        assert "data" not in answer["error"]

    @pytest.mark.parametrize("request_id", ["", "x", "\u9418\x00", 0, -1, 2**53, 2**63, -(2**63)])
    @spec("PP-1.1-framing")
    def test_012_an_id_comes_back_in_its_type(self, wire: Wire, request_id: Any) -> None:
        wire.send_message(request(STATUS, EMPTY, request_id))
        answer = wire.answer()
        assert answer["id"] == request_id
        assert type(answer["id"]) is type(request_id)

    @pytest.mark.parametrize(
        "method",
        ["patchouli.control.status@2", "patchouli.control.status", "control.status@1", "", "status",
         "patchouli.changes.event@1"],
    )  # fmt: skip
    @spec("PP-1.4-methods")
    def test_013_an_unknown_method(self, wire: Wire, method: str) -> None:
        with refused(None, code=-32601) as error:
            wire.request(method, EMPTY)
        assert error.value.data == {}

    @spec("PP-1.1-order")
    def test_014_pipelined_requests_are_answered_in_order(
        self, wire: Wire, meta: dict[str, Any]
    ) -> None:
        lines = [request(CREATE, creation(meta, f"k{n}"), n) for n in range(10)]
        lines += [request(STATUS, EMPTY, n) for n in range(10, 15)]
        lines += [request("patchouli.never@1", EMPTY, n) for n in range(15, 20)]
        wire.send(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        assert [wire.answer()["id"] for _ in lines] == list(range(20))

    @spec("PP-1.1-order")
    def test_014_a_pipelined_read_sees_the_writes_before_it(
        self, wire: Wire, meta: dict[str, Any]
    ) -> None:
        ref = {"ref": {"type": "knowledge", "id": "k"}}
        read = request("patchouli.entity.read@1", {"meta": meta, "data": ref}, 0)
        lines = [read, request(CREATE, creation(meta, "k"), 1), {**read, "id": 2}]
        wire.send(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        answers = [wire.answer() for _ in lines]
        assert answers[0]["error"]["code"] == -32003
        made = answers[1]["result"]["data"]["entity"]
        assert answers[2]["result"]["data"]["variants"] == [made]

    @spec("PP-1.1-framing")
    def test_015_a_request_in_pieces_is_put_together(
        self, wire: Wire, meta: dict[str, Any]
    ) -> None:
        params = creation(meta, "\u9418\U0001f514", "\u53e4\u3044\u9418\U0001f514")
        line = json.dumps(request(CREATE, params, "\u9418"), ensure_ascii=False).encode() + b"\r\n"
        for start in range(0, len(line), 7):
            wire.send(line[start : start + 7])
        answer = wire.answer()
        assert answer["id"] == "\u9418"
        assert answer["result"]["data"]["entity"]["value"] == params["data"]["value"]

    @spec("PP-1.1-framing")
    def test_015_a_last_line_without_an_end_is_served(self, wire: Wire) -> None:
        import socket

        wire.send(json.dumps(request(STATUS, EMPTY, 1)).encode())
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.answer()["result"]["data"]["ready"] is True
        assert wire.line() is None

    @pytest.mark.parametrize(
        "params",
        [None, [], {}, {"meta": {}}, {"data": {}}, {"meta": None, "data": {}},
         {"meta": {}, "data": []}, "text"],
    )  # fmt: skip
    @spec("PP-1.4-methods")
    def test_016_parameters_are_meta_and_data(self, wire: Wire, params: Any) -> None:
        for method in (STATUS, CREATE, SUBSCRIBE, "patchouli.entity.read@1"):
            with refused("INVALID_REQUEST"):
                wire.request(method, params)

    @spec("PP-1.4-methods")
    def test_016_absent_parameters_are_empty_ones(self, wire: Wire) -> None:
        wire.send_message({"jsonrpc": "2.0", "id": 1, "method": STATUS})
        assert wire.answer()["error"]["data"]["reason"] == "INVALID_REQUEST"

    @spec("PP-1.4-controls")
    def test_019_status_has_its_members(self, wire: Wire) -> None:
        data = wire.request(STATUS, EMPTY)["data"]
        assert {
            "ready", "provider", "generation", "recovered_after_unclean_shutdown", "pid",
            "started_at_unix_ms", "active_connections",
        } <= set(data)  # fmt: skip
        assert data["ready"] is True
        assert data["generation"] >= 1
        assert data["pid"] >= 1

    @spec("PP-1.6-errors")
    def test_022_an_error_has_number_message_reason_and_nothing_else(
        self, wire: Wire, meta: dict[str, Any]
    ) -> None:
        made = wire.call(CREATE, **creation(meta, "k")).data["entity"]
        wire.send_message(request(CREATE, creation(meta, "k"), 1))
        error = wire.answer()["error"]
        assert set(error) == {"code", "message", "data"}
        assert error["code"] == -32004
        assert error["data"]["reason"] == "VERSION_CONFLICT"
        assert error["data"]["current_versions"] == [made["version"]]
        assert set(error["data"]) <= {"reason", "current_versions", "code"}

    @spec("PP-1.1-keys-sorted")
    def test_001_duplicate_members_the_last_one_wins(
        self, wire: Wire, meta: dict[str, Any]
    ) -> None:
        text = json.dumps(request(CREATE, creation(meta, "second"), 1))
        wire.send(text.replace('"id": "second"', '"id": "first", "id": "second"').encode() + b"\n")
        assert wire.answer()["result"]["data"]["entity"]["ref"]["id"] == "second"

    @spec("PP-5.7-restart")
    def test_091_a_replay_is_the_same_bytes_also_after_a_restart(
        self, house: House, meta: dict[str, Any]
    ) -> None:
        subject = house.subject(keyed_policy())
        assert isinstance(subject, WireSubject)
        params = creation({**meta, "request_id": "r"}, "k", "\u9418 \x00 1e-7")
        params["data"]["value"]["content"] = {"kind": "structured", "value": [1.0, 1e-7, -0.0]}
        line = json.dumps(request(CREATE, params, 1)).encode() + b"\n"
        answers = []
        for _ in range(2):
            with Wire(subject.running.endpoint) as wire:
                for _ in range(2):
                    wire.send(line)
                    answers.append(wire.raw_line())
            subject.restart()
        assert b"result" in (answers[0] or b"")
        assert answers == answers[:1] * 4

    # --- subscriptions -------------------------------------------------------------------------

    def listen(self, wire: Wire, meta: dict[str, Any], **data: Any) -> dict[str, Any]:
        """Subscribe and return the answer's data."""
        return wire.call(SUBSCRIBE, meta, data).data

    @spec("PP-1.9-feed-order")
    def test_122_the_answer_comes_before_its_events(
        self, wire: Wire, endpoint: Path, meta: dict[str, Any]
    ) -> None:
        """Even when there is much to replay, and while others write."""
        with Wire(endpoint) as writer:
            for number in range(50):
                writer.call(CREATE, **creation(meta, f"k{number}"))
            wire.send_message(request(SUBSCRIBE, {"meta": meta, "data": {"after_cursor": "0"}}, 7))
            writer.call(CREATE, **creation(meta, "last"))
            first = wire.line()
            assert first is not None
            assert first["id"] == 7
            events = [wire.event() for _ in range(51)]
        ids = [event["data"]["change"]["ref"]["id"] for event in events]
        assert ids == [*(f"k{number}" for number in range(50)), "last"]
        assert {event["data"]["subscription_id"] for event in events} == {
            first["result"]["data"]["subscription_id"]
        }

    @spec("PP-1.9-feed-order")
    def test_122_one_connection_hears_its_own_writes(
        self, wire: Wire, meta: dict[str, Any]
    ) -> None:
        name = self.listen(wire, meta)["subscription_id"]
        made = wire.call(CREATE, **creation(meta, "k")).data["entity"]
        params = wire.event()
        assert params["data"]["subscription_id"] == name
        assert params["data"]["change"]["head_versions"] == [made["version"]]
        assert params["meta"] == meta

    @spec("PP-1.9-subscription-ids")
    def test_132_subscriptions_are_numbered_and_end_once(
        self, wire: Wire, endpoint: Path, meta: dict[str, Any]
    ) -> None:
        names = [self.listen(wire, meta)["subscription_id"] for _ in range(2)]
        assert names == ["subscription-1", "subscription-2"]
        with Wire(endpoint) as other:
            assert self.listen(other, meta)["subscription_id"] == "subscription-1"
            gone = {"subscription_id": "subscription-2"}
            assert other.call(UNSUBSCRIBE, {}, gone).data == {"removed": False}
        assert wire.call(UNSUBSCRIBE, {}, gone).data == {"removed": True}
        assert wire.call(UNSUBSCRIBE, {}, gone).data == {"removed": False}
        wire.call(CREATE, **creation(meta, "k"))
        assert wire.event()["data"]["subscription_id"] == "subscription-1"
        assert self.listen(wire, meta)["subscription_id"] == "subscription-3"

    @spec("PP-1.9-subscription-ids")
    def test_132_a_slow_listener_blocks_nobody(
        self, wire: Wire, endpoint: Path, meta: dict[str, Any]
    ) -> None:
        """It never reads; others write and read on."""
        self.listen(wire, meta)
        with Wire(endpoint) as writer:
            for number in range(300):
                params = creation(meta, f"k{number}")
                params["meta"] = {**meta, "channel_id": "c" * 20_000}
                writer.call(CREATE, **params)
            assert writer.request(STATUS, EMPTY)["data"]["ready"] is True

    @spec("PP-1.8-deadlines")
    def test_153_subscriptions_have_deadlines(self, wire: Wire, meta: dict[str, Any]) -> None:
        late = {**meta, "deadline_unix_ms": 1}
        with refused("DEADLINE_EXCEEDED"):
            wire.call(SUBSCRIBE, late, {})
        with refused("DEADLINE_EXCEEDED"):
            wire.call(UNSUBSCRIBE, late, {"subscription_id": "subscription-1"})
