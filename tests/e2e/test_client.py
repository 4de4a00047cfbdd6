"""The client library against a real daemon: typed calls, feeds that resume, clear ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from daemons import META, ProcessDaemon, ThreadDaemon, small_limits, wait_until

from talebearer.client import (
    AsyncClient,
    Client,
    Create,
    Delete,
    EntityRef,
    Follower,
    Retry,
    Update,
    Upload,
)
from talebearer.errors import (
    CallTimedOut,
    ConnectionLost,
    CursorExpired,
    DaemonUnreachable,
    InvalidRecord,
    NotFound,
    Overloaded,
    ProtocolFault,
    RequestTooLarge,
    UnknownMethod,
    UploadNotFound,
    UsageFault,
    VersionConflict,
)
from talebearer.testing import (
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    sample_relation,
)

SOON = Retry(first_seconds=0.01, longest_seconds=0.05, total_seconds=15.0)
NEVER = Retry(total_seconds=0.0)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreadDaemon]:
    with ThreadDaemon(tmp_path_factory.mktemp("daemon")) as running:
        yield running


@pytest.fixture
def client(daemon: ThreadDaemon) -> Iterator[Client]:
    with Client.connect(daemon.endpoint, timeout_seconds=10) as connected:
        yield connected


def _base(*versions: str) -> dict[str, Any]:
    return {**META, "base_versions": [*versions]}


@pytest.mark.spec("PP-7-client")
def test_records_live_through_typed_calls(client: Client) -> None:
    made = client.create(META, "knowledge", sample_knowledge("one"), id="life")
    assert made.active
    ref = EntityRef("knowledge", "life")
    assert client.read(META, ref).value == sample_knowledge("one")
    second = client.update(_base(made.version), ref, sample_knowledge("two"))
    gone = client.delete(_base(second.version), ref)
    assert (gone.state, gone.value) == ("deleted", None)
    assert client.read(META, ref).versions == [gone.version]


@pytest.mark.spec("PP-7-client")
def test_errors_are_classes_by_their_reason(client: Client) -> None:
    with pytest.raises(NotFound):
        client.read(META, EntityRef("knowledge", "nothing"))
    made = client.create(META, "knowledge", sample_knowledge("x"))
    with pytest.raises(VersionConflict) as caught:
        client.create(META, "knowledge", sample_knowledge("x"), id=made.ref.id)
    assert caught.value.data["current_versions"] == [made.version]
    with pytest.raises(InvalidRecord):
        client.create({}, "knowledge", sample_knowledge("x"))
    with pytest.raises(UnknownMethod):
        client.call("talebearer.nothing@1", {}, {})
    with pytest.raises(UploadNotFound):
        client.call("patchouli.artifact.upload.commit@1", META, {"upload_id": "none"})


def test_bytes_go_up_and_come_down_in_chunks(client: Client) -> None:
    data = os.urandom(1_200_000)
    upload = Upload(
        data=data, media_type="text/plain", name="n", metadata=sample_artifact_metadata()
    )
    made = client.upload(META, upload)
    assert made.value["byte_length"] == len(data)
    down = client.download(META, made.ref.id)
    assert (down.data, down.entity.version) == (data, made.version)
    streamed = Upload(
        data=lambda offset, size: data[offset : offset + min(size, 100_000)],
        media_type="text/plain",
        metadata=sample_artifact_metadata(),
    )
    assert client.upload(META, streamed).value["digest"] == made.value["digest"]
    empty = Upload(data=b"", media_type="text/plain", metadata=sample_artifact_metadata())
    assert client.download(META, client.upload(META, empty).ref.id).data == b""


@pytest.mark.spec("PP-7-client")
def test_a_work_unit_that_cannot_work_is_refused_before_it_is_sent(
    daemon: ThreadDaemon, client: Client
) -> None:
    before = daemon.daemon.metrics.bytes_in
    meta = {**META, "transaction_id": "t"}
    one = Create(type="knowledge", value=sample_knowledge("x"))
    close = {"transaction_state": "commit"}
    for mutations, closing in (
        ([], close),
        ([one], {}),
        ([one], {"transaction_id": "other"}),
        ([Delete(ref=EntityRef("knowledge", "k"), meta=close)], close),
    ):
        with pytest.raises(UsageFault):
            client.run_work_unit(meta, mutations, close=closing)
    assert daemon.daemon.metrics.bytes_in == before


def test_a_work_unit_becomes_visible_as_a_whole(daemon: ThreadDaemon, client: Client) -> None:
    """Created, replaced, deleted and related in one unit: the last mutation publishes it all."""
    meta = sample_meta("unit")
    bell, gone = EntityRef("knowledge", "bell"), EntityRef("knowledge", "gone")
    old = client.create(meta, "knowledge", sample_knowledge("a bell"), id="bell")
    lost = client.create(meta, "knowledge", sample_knowledge("a lamp"), id="gone")
    with Client.connect(daemon.endpoint) as other, other.follow(meta) as feed:
        made = client.run_work_unit(
            {**meta, "transaction_id": "t"},
            [
                Create(type="knowledge", value=sample_knowledge("a tower"), id="tower"),
                Update(ref=bell, value=sample_knowledge("cast"), meta=_bases(old.version)),
                Delete(ref=gone, meta=_bases(lost.version)),
                Create(type="knowledge_relation", value=sample_relation("bell", "tower"), id="in"),
            ],
            close={"transaction_state": "commit"},
        )
        assert [one.ref.id for one in made] == ["tower", "bell", "gone", "in"]
        events = [next(feed) for _ in range(4)]
        assert {(one.ref.id, one.kind) for one in events} == {
            ("tower", "created"),
            ("bell", "updated"),
            ("gone", "deleted"),
            ("in", "created"),
        }
        assert feed.wait(0.05) is None
        assert other.read(meta, bell).value == sample_knowledge("cast")
        assert other.read(meta, gone).state == "deleted"
        with pytest.raises(InvalidRecord):  # the unit is over
            client.create({**meta, "transaction_id": "t"}, "knowledge", sample_knowledge("late"))


def test_what_an_open_work_unit_holds_is_seen_by_itself_only(
    daemon: ThreadDaemon, client: Client
) -> None:
    meta, ref = sample_meta("open"), EntityRef("knowledge", "draft")
    unit = {**meta, "transaction_id": "t"}
    client.create(unit, "knowledge", sample_knowledge("a draft"), id="draft")
    assert client.read(unit, ref).value == sample_knowledge("a draft")
    assert len(client.retrieve(unit, {"text": "draft"}).hits) == 1
    with Client.connect(daemon.endpoint) as other:
        assert not other.retrieve(meta, {"text": "draft"}).hits
        with pytest.raises(NotFound):
            other.read(meta, ref)


def test_of_a_work_unit_that_others_overtook_nothing_is_published(client: Client) -> None:
    meta, ref = sample_meta("drift"), EntityRef("knowledge", "bell")
    unit = {**meta, "transaction_id": "t", "conflict_strategy": "reject"}
    old = client.create(meta, "knowledge", sample_knowledge("a bell"), id="bell")
    client.update({**unit, **_bases(old.version)}, ref, sample_knowledge("mine"))
    theirs = client.update({**meta, **_bases(old.version)}, ref, sample_knowledge("theirs"))
    with pytest.raises(VersionConflict) as conflict:
        client.run_work_unit(
            unit,
            [Create(type="knowledge", value=sample_knowledge("new"), id="new")],
            close={"transaction_state": "commit"},
        )
    ((found, versions),) = [
        (one["ref"]["id"], one["current_versions"]) for one in conflict.value.data["conflicts"]
    ]
    assert (found, versions) == ("bell", [theirs.version])
    assert client.read(meta, ref).value == sample_knowledge("theirs")
    with pytest.raises(NotFound):
        client.read(meta, EntityRef("knowledge", "new"))


def test_asyncio_publishes_work_units_too(tmp_path: Path) -> None:
    async def main(endpoint: Path) -> None:
        async with await AsyncClient.connect(endpoint) as client:
            await client.run_work_unit(
                {**META, "transaction_id": "t"},
                [Create(type="knowledge", value=sample_knowledge(one), id=one) for one in "ab"],
                close={"transaction_state": "commit"},
            )
            assert (await client.read(META, EntityRef("knowledge", "a"))).state == "active"

    with ThreadDaemon(tmp_path) as daemon:
        asyncio.run(main(daemon.endpoint))


def _bases(*versions: str) -> dict[str, Any]:
    return {"base_versions": [*versions]}


def test_a_request_above_the_limit_is_an_error_and_no_hang(client: Client) -> None:
    with pytest.raises(RequestTooLarge):
        client.create(META, "knowledge", sample_knowledge("x" * 1_100_000))
    assert client.status().ready


@pytest.mark.parametrize(
    "value", [float("nan"), {"a": [float("inf")]}, {"a": object()}, {1: 2}, "\ud800"]
)
def test_what_json_has_no_form_for_is_not_sent(client: Client, value: Any) -> None:
    with pytest.raises(UsageFault):
        client.create(META, "knowledge", value)
    assert client.status().ready


def test_large_integers_and_tuples_are_sent_as_they_are(client: Client) -> None:
    value = sample_knowledge("x")
    value["content"] = {"kind": "structured", "value": 2**80}
    with pytest.raises(InvalidRecord, match="bits"):
        client.create(META, "knowledge", value)
    value["content"]["value"] = (1, 2)
    made = client.create(META, "knowledge", value)
    assert client.read(META, made.ref).value["content"]["value"] == [1, 2]


def test_a_feed_brings_each_change_once_in_order(client: Client) -> None:
    meta = sample_meta("feed")
    with client.follow(meta, types=["knowledge"]) as feed:
        assert feed.wait(0.01) is None
        made = [client.create(meta, "knowledge", sample_knowledge(str(n))) for n in range(5)]
        changes = [next(feed) for _ in made]
        assert [change.head_versions for change in changes] == [(one.version,) for one in made]
        assert feed.cursor == changes[-1].cursor
    with client.follow(meta, after_cursor=changes[1].cursor) as rest:
        assert [next(rest).ref for _ in range(3)] == [one.ref for one in made[2:]]
    with pytest.raises(CursorExpired):
        client.follow(meta, after_cursor="999999")


def _cut_all(daemon: ThreadDaemon) -> None:
    """Cut every connection, as a network would."""
    cut = threading.Event()

    def abort() -> None:
        for connection in list(daemon.daemon._connections):
            connection.abort()
        # The sockets close in the loop's next turn.
        daemon.daemon._loop.call_soon(cut.set)

    daemon.daemon._loop.call_soon_threadsafe(abort)
    assert cut.wait(10)


@pytest.mark.spec("PP-7-client")
def test_a_feed_goes_on_after_lost_connections_without_gap_or_repeat(tmp_path: Path) -> None:
    with (
        ThreadDaemon(tmp_path) as daemon,
        Client.connect(daemon.endpoint, retry=SOON) as client,
        client.follow(META) as feed,
    ):
        made, seen = [], []
        for number in range(30):
            made.append(client.create(META, "knowledge", sample_knowledge(str(number))).ref)
            if number % 3 == 0:
                seen.append(next(feed).ref)
            if number % 4 == 0:
                _cut_all(daemon)
        seen += [next(feed).ref for _ in range(len(made) - len(seen))]
        assert seen == made
        assert feed.wait(0.01) is None


@pytest.mark.spec("PP-7-client")
def test_calls_and_feeds_survive_a_daemon_that_is_started_again(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path) as daemon:
        client = Client.connect(daemon.endpoint, retry=SOON)
        feed = client.follow(META)
        first = client.create(META, "knowledge", sample_knowledge("one"))
    assert next(feed).ref == first.ref
    with ThreadDaemon(tmp_path):
        assert client.read(META, first.ref).versions == [first.version]
        second = client.create(META, "knowledge", sample_knowledge("two"))
        assert next(feed).ref == second.ref
    feed.close()
    client.close()


def test_without_a_daemon_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(DaemonUnreachable):
        Client.connect(tmp_path / "none.sock")
    with ThreadDaemon(tmp_path) as daemon:
        client = Client.connect(daemon.endpoint, retry=NEVER)
        feed = client.follow(META)
    with pytest.raises(DaemonUnreachable):
        client.status()
    with pytest.raises(DaemonUnreachable):
        next(feed)
    client.close()
    with pytest.raises(UsageFault):
        client.status()


def test_a_client_can_wait_for_a_daemon_that_is_only_starting(tmp_path: Path) -> None:
    started: list[ThreadDaemon] = []
    timer = threading.Timer(0.1, lambda: started.append(ThreadDaemon(tmp_path)))
    timer.start()
    with Client.connect(tmp_path / "d.sock", wait_seconds=15) as client:
        assert client.status().ready
    timer.join()
    started[0].stop()


def test_a_daemon_that_is_stopped_dead_is_a_clear_error(tmp_path: Path) -> None:
    with ProcessDaemon(tmp_path) as daemon:
        client = Client.connect(daemon.endpoint, timeout_seconds=0.3, retry=NEVER)
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(CallTimedOut):
                client.status()
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        assert client.status().ready
        client.close()


class _Peer:
    """Something at a socket that is no daemon: it answers each line with what the test says."""

    def __init__(self, path: Path, *answers: bytes | None) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._answers = answers
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, connection.makefile("rb") as lines:
                    for answer in self._answers:
                        if not lines.readline() or answer is None:
                            break
                        connection.sendall(answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)


GREETING = (
    b'{"id":1,"jsonrpc":"2.0","result":{"protocol_version":1,"server":{"version":"1",'
    b'"cluster_id":"c","node_id":"n"},"capabilities":[],"limits":{}}}\n'
)


@pytest.mark.parametrize(
    "answer",
    [
        b"nonsense\n",
        b"[]\n",
        b'{"jsonrpc":"2.0","id":2}\n',
        b'{"jsonrpc":"2.0","id":"2","result":{}}\n',
        b'{"jsonrpc":"2.0","id":9,"result":{"meta":{},"data":{}}}\n',
        b'{"jsonrpc":"2.0","id":2,"result":[]}\n',
        b'{"jsonrpc":"2.0","id":2,"result":{"meta":{},"data":{"ready":1}}}\n',
        b'{"jsonrpc":"2.0","id":2,"error":7}\n',
    ],
)
def test_what_is_no_answer_is_a_protocol_fault(tmp_path: Path, answer: bytes) -> None:
    peer = _Peer(tmp_path / "p.sock", GREETING, answer)
    with Client.connect(tmp_path / "p.sock", retry=NEVER) as client, pytest.raises(ProtocolFault):
        client.status()
    peer.close()


def test_a_write_that_may_have_been_done_is_not_repeated(tmp_path: Path) -> None:
    peer = _Peer(tmp_path / "p.sock", GREETING, None)
    with Client.connect(tmp_path / "p.sock", retry=NEVER) as client:
        with pytest.raises(ConnectionLost):
            client.create(META, "knowledge", {})
        with pytest.raises(ConnectionLost):
            client.status()
    peer.close()


def test_a_full_daemon_says_so(tmp_path: Path) -> None:
    with small_limits(tmp_path, connections_max=1) as daemon:
        with Client.connect(daemon.endpoint) as client:
            for _ in range(20):
                with pytest.raises(Overloaded):
                    Client.connect(daemon.endpoint)
                with pytest.raises(Overloaded):
                    asyncio.run(AsyncClient.connect(daemon.endpoint))
            assert client.status().active_connections == 1
        wait_until(lambda: not daemon.daemon._connections)
        Client.connect(daemon.endpoint).close()


def test_a_daemon_whose_queue_of_connections_is_full_is_overloaded_and_not_away(
    tmp_path: Path,
) -> None:
    with socket.socket(socket.AF_UNIX) as listener, contextlib.ExitStack() as waiting:
        listener.bind(str(tmp_path / "d.sock"))
        listener.listen(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                one = waiting.enter_context(socket.socket(socket.AF_UNIX))
                one.setblocking(False)
                one.connect(str(tmp_path / "d.sock"))
        with pytest.raises(Overloaded):
            Client.connect(tmp_path / "d.sock")
        with pytest.raises(Overloaded):
            asyncio.run(AsyncClient.connect(tmp_path / "d.sock"))


def _run(daemon: ThreadDaemon, use: Callable[[AsyncClient], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with await AsyncClient.connect(
            daemon.endpoint, timeout_seconds=10, retry=SOON
        ) as client:
            await use(client)

    asyncio.run(main())


@pytest.mark.spec("PP-7-client")
def test_asyncio_calls_run_side_by_side(daemon: ThreadDaemon) -> None:
    async def use(client: AsyncClient) -> None:
        texts = [str(number) for number in range(64)]
        made = await asyncio.gather(
            *(client.create(META, "knowledge", sample_knowledge(text)) for text in texts)
        )
        read = await asyncio.gather(*(client.read(META, one.ref) for one in made))
        assert [one.value["content"]["text"] for one in read] == texts
        with pytest.raises(NotFound):
            await client.read(META, EntityRef("knowledge", "nothing"))
        first = made[0]
        second = await client.update(_base(first.version), first.ref, sample_knowledge("two"))
        gone = await client.delete(_base(second.version), first.ref)
        assert not gone.active
        upload = Upload(data=b"x" * 600_000, media_type="a/b", metadata=sample_artifact_metadata())
        stored = await client.upload(META, upload)
        assert (await client.download(META, stored.ref.id)).data == upload.data
        with pytest.raises(RequestTooLarge):
            await client.create(META, "knowledge", sample_knowledge("x" * 1_100_000))
        with pytest.raises(UsageFault):
            await client.run_work_unit(META, [], close={"x": 1})
        await client.checkpoint()
        assert (await client.status()).ready

    _run(daemon, use)


@pytest.mark.spec("PP-7-client")
def test_asyncio_feeds_resume(tmp_path: Path) -> None:
    with ThreadDaemon(tmp_path) as daemon:

        async def use(client: AsyncClient) -> None:
            async with await client.follow(META) as feed:
                made, seen = [], []
                for number in range(12):
                    entity = await client.create(META, "knowledge", sample_knowledge("x"))
                    made.append(entity.ref)
                    if number % 4 == 0:
                        seen.append((await anext(feed)).ref)
                        await asyncio.to_thread(_cut_all, daemon)
                        # The calls notice it as well, and go on.
                        assert (await client.status()).ready
                while len(seen) < len(made):
                    seen.append((await anext(feed)).ref)
                assert seen == made

        _run(daemon, use)


def test_asyncio_calls_end_when_the_daemon_does(tmp_path: Path) -> None:
    peer = _Peer(tmp_path / "p.sock", GREETING, b"", b"")

    async def main() -> None:
        client = await AsyncClient.connect(tmp_path / "p.sock", timeout_seconds=0.1, retry=NEVER)
        with pytest.raises(CallTimedOut):
            await client.status()
        await client.close()
        with pytest.raises(UsageFault):
            await client.status()
        with pytest.raises(DaemonUnreachable):
            await AsyncClient.connect(tmp_path / "none.sock")

    asyncio.run(main())
    peer.close()


def test_mutations_have_their_own_metadata(client: Client) -> None:
    made = client.create(META, "knowledge", sample_knowledge("x"))
    update = Update(
        ref=made.ref, value=sample_knowledge("y"), meta={"base_versions": [made.version]}
    )
    assert update.call(META).meta == {**META, "base_versions": [made.version]}


def test_a_followers_type_is_an_iterator(client: Client) -> None:
    with client.follow(META) as feed:
        assert isinstance(feed, Follower)
        assert iter(feed) is feed
    assert list(feed) == []
