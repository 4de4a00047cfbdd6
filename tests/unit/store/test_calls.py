"""Requests of the wire, asked of the store itself."""

from __future__ import annotations

import base64

import pytest

from talebearer.errors import (
    CursorExpired,
    DeadlineExceeded,
    InvalidRecord,
    NotFound,
    UploadNotFound,
    VersionConflict,
)
from talebearer.store import Call, Reply
from talebearer.testing import sample_artifact_metadata, sample_knowledge, sample_meta

META = sample_meta()


def call(method, data, **meta):
    return Call(f"patchouli.{method}@1", META | meta, data)


def create(name, **meta):
    return call(
        "entity.create", {"type": "knowledge", "id": name, "value": sample_knowledge()}, **meta
    )


def read(name, **meta):
    return call("entity.read", {"ref": {"type": "knowledge", "id": name}}, **meta)


def test_an_entity_goes_through_its_life(store):
    made = store.call(create("bell")).data["entity"]
    assert made["ref"] == {"type": "knowledge", "id": "bell"}
    assert store.call(read("bell")).data == {"state": "active", "variants": [made]}
    ref = {"ref": made["ref"]}
    second = store.call(
        call(
            "entity.update",
            {**ref, "value": sample_knowledge("b")},
            base_versions=[made["version"]],
        )
    ).data["entity"]
    gone = store.call(call("entity.delete", ref, base_versions=[second["version"]])).data["entity"]
    assert gone == {"ref": made["ref"], "version": gone["version"], "state": "deleted"}
    assert store.call(read("bell")).data["state"] == "deleted"


def test_many_calls_share_a_commit_and_fail_alone(store):
    answers = store.call_many([create("a"), create("a"), read("a"), create("b"), read("c")])
    kinds = [type(one) for one in answers]
    assert kinds == [Reply, VersionConflict, Reply, Reply, NotFound]
    assert len(store.changes(META)) == 2


@pytest.mark.parametrize("value", [-1, 1.5, "1", None, True])
def test_a_deadline_is_an_unsigned_integer(store, value):
    with pytest.raises(InvalidRecord):
        store.call(read("a", deadline_unix_ms=value))


def test_a_deadline_that_passes_before_the_commit_leaves_nothing(open_store):
    clock = iter(range(1_000))
    store = open_store(now_ms=lambda: next(clock) * 10)
    late = create("late", deadline_unix_ms=60)
    answers = store.call_many([create("a"), late, create("b")])
    assert [type(one) for one in answers] == [Reply, DeadlineExceeded, Reply]
    assert [one.ref.id for one in store.list(META, "knowledge")] == ["a", "b"]


def test_bytes_go_up_and_down_in_chunks(store):
    data = bytes(range(256)) * 3
    begun = store.call(
        call("artifact.upload.begin", {"media_type": "a/b", "metadata": sample_artifact_metadata()})
    ).data
    for offset in range(0, len(data), 100):
        chunk = base64.b64encode(data[offset : offset + 100]).decode()
        chunk_data = {"upload_id": begun["upload_id"], "offset": offset, "bytes_base64": chunk}
        store.call(call("artifact.upload.chunk", chunk_data))
    commit = call("artifact.upload.commit", {"upload_id": begun["upload_id"]})
    entity = store.call(commit).data["entity"]
    with pytest.raises(UploadNotFound):
        store.call(commit)
    found, offset, at_end = b"", 0, False
    while not at_end:
        wanted = {"id": entity["ref"]["id"], "offset": offset, "max_bytes": 7}
        part = store.call(call("artifact.download.chunk", wanted)).data
        found += base64.b64decode(part["bytes_base64"])
        offset, at_end = part["next_offset"], part["eof"]
    assert found == data
    assert store.download(META, entity["ref"]["id"]) == data


def test_a_feed_begins_now_and_resumes(store):
    store.call(create("a"))
    feed = store.open_feed(META, filter={"ids": ["b", "c"]})
    assert feed.next_page() == []
    store.take_changed_scopes()
    for name in ("b", "x", "c"):
        store.call(create(name))
    assert store.take_changed_scopes() == {feed.scope_json}
    events = feed.next_page()
    assert [event.change["ref"]["id"] for event in events] == ["b", "c"]
    resumed = store.open_feed(META, after_cursor=events[0].change["cursor"])
    assert [event.change["ref"]["id"] for event in resumed.next_page()] == ["x", "c"]
    with pytest.raises(CursorExpired):
        store.open_feed(META, after_cursor="99")


@pytest.mark.spec("KM-sqlite-work-unit-baseline")
def test_a_work_unit_sees_its_baseline_until_it_is_closed(open_store):
    store = open_store()
    first = store.call(create("bell")).data["entity"]
    inside = {"transaction_id": "t"}
    assert store.call(read("bell", **inside)).data["variants"] == [first]
    base = {"base_versions": [first["version"]]}
    value = {"ref": first["ref"], "value": sample_knowledge("outside")}
    outside = store.call(call("entity.update", value, **base)).data["entity"]
    store.close()
    store = open_store()
    assert store.call(read("bell", **inside)).data["variants"] == [first]
    store.call(create("drum", **inside))
    assert [one.ref.id for one in store.list(META, "knowledge")] == ["bell"]
    store.call(create("horn", **inside, transaction_state="commit"))
    assert [one.ref.id for one in store.list(META, "knowledge")] == ["bell", "drum", "horn"]
    assert store.call(read("bell")).data["variants"] == [outside]
    with pytest.raises(InvalidRecord):
        store.call(read("bell", **inside))


def test_a_sealed_unit_stays_sealed_in_a_group_and_what_was_refused_leaves_nothing(store):
    first = store.call(create("bell")).data["entity"]
    inside = {"transaction_id": "t", "conflict_strategy": "reject"}
    base = {"base_versions": [first["version"]]}
    ref = first["ref"]
    change = call("entity.update", {"ref": ref, "value": sample_knowledge("in")}, **inside, **base)
    store.call(change)
    store.call(call("entity.update", {"ref": ref, "value": sample_knowledge("out")}, **base))
    closing = create("late", **inside, transaction_state="commit")
    answers = store.call_many([closing, closing, create("other")])
    assert [type(one) for one in answers] == [VersionConflict, InvalidRecord, Reply]
    assert [one["ref"] for one in answers[0].data["conflicts"]] == [ref]
    assert [one.ref.id for one in store.list(META, "knowledge")] == ["bell", "other"]


DEEP: list[object] = []
for _ in range(10_000):
    DEEP = [DEEP]


@pytest.mark.parametrize("field", ["workspace_id", "channel_id", "transaction_id", "base_versions"])
@pytest.mark.parametrize(
    "value",
    ["\ud800", {"\udfff": 1}, ["\ud800"], {1: 2}, {"a"}, b"a", object(), float("nan"), DEEP],
)
def test_metadata_that_is_no_json_is_refused_with_its_place(store, field, value):
    """Whatever a program passes; and nobody else's request of the group suffers."""
    hostile = create("bell", **{field: value})
    for request in (hostile, read("bell", **{field: value})):
        with pytest.raises(InvalidRecord) as caught:
            store.call(request)
        assert caught.value.data["problems"][0]["pointer"].startswith(f"/{field}")
    with pytest.raises(InvalidRecord):
        store.open_feed(META | {field: value})
    answers = store.call_many([hostile, create(f"beside {field}")])
    assert [isinstance(one, Reply) for one in answers] == [False, True]
