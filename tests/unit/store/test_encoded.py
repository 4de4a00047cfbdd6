"""Answers as JSON text: the same as the answers themselves, whichever way they come about."""

from __future__ import annotations

import uuid
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from talebearer._ids import random_uuid
from talebearer.errors import InternalError, InvalidRecord, NotFound, TalebearerError
from talebearer.store import Call, EntityRef, Reply
from talebearer.store._canonical import encode, encode_parsed
from talebearer.store.calls import encoded
from talebearer.store.versions._recent import RecentReads
from talebearer.testing import counting_ids, sample_knowledge, sample_meta, sample_structured

META = sample_meta()
REF = {"type": "knowledge", "id": "bell"}


def call(method, data, **meta):
    return Call(f"patchouli.{method}@1", META | meta, data)


def life():
    """Calls that make, join, replace, find and delete one record, in this order."""
    yield call("entity.create", {**REF, "value": sample_knowledge("rope é 日 \x00 \u2028 two")})
    for text, strategy in (("rope two", "mvcc"), ("a rope é", "merge"), ("late", "merge")):
        meta = {"base_versions": ["v1"], "conflict_strategy": strategy}
        yield call("entity.update", {"ref": REF, "value": sample_knowledge(text)}, **meta)
    yield call("entity.read", {"ref": REF})
    yield call("entity.read", {"ref": REF}, transaction_id="t")
    yield call("entity.retrieve", {"query": '{"text": "rope"}'})
    value = {"id": "n", "type": "knowledge", "value": sample_structured({"n": [-0.0, 2**64 - 1]})}
    yield call("entity.create", value, transaction_id="t")
    yield call("entity.create", value, transaction_id="t", transaction_state="commit")
    yield call(
        "entity.create", {**value, "id": "m"}, transaction_id="t", transaction_state="commit"
    )
    yield call("entity.delete", {"ref": REF}, base_versions=["v1"], conflict_strategy="mvcc")
    yield call("entity.read", {"ref": REF})
    yield call("entity.read", {"ref": {**REF, "id": "nobody"}})
    yield call("control.checkpoint", {})
    yield call("nothing.at.all", {})


def outcome(answer):
    try:
        return answer()
    except TalebearerError as error:
        return error.as_wire()


def test_encoded_answers_are_the_answers(open_store, tmp_path):
    plain = open_store(new_id=counting_ids())
    answers = [outcome(lambda one=one: plain.call(one)) for one in life()]
    plain.close()
    (tmp_path / "talebearer.db").unlink()
    store = open_store(new_id=counting_ids())
    for answer, one in zip(answers, life(), strict=True):
        found = outcome(lambda one=one: store.call_encoded(one))
        if isinstance(answer, dict):
            assert found == answer
        else:
            reply = {"data": answer.data, "meta": answer.meta}
            assert found == orjson.dumps(reply, option=orjson.OPT_SORT_KEYS)


def test_groups_are_answered_encoded_as_well(store):
    read = call("entity.read", {"ref": REF})
    make = call("entity.create", {**REF, "value": sample_knowledge("rope")})
    missing, made, found = store.call_many_encoded([read, make, read])
    assert isinstance(missing, NotFound)
    assert orjson.loads(found)["data"]["variants"] == [orjson.loads(made)["data"]["entity"]]


def test_a_closed_store_answers_nothing_that_it_has_at_hand(store):
    store.call_encoded(call("entity.create", {**REF, "value": sample_knowledge("rope")}))
    read = call("entity.read", {"ref": REF})
    for _ in range(2):
        store.call_encoded(read)
    store.close()
    with pytest.raises(TalebearerError, match="closed"):
        store.call_encoded(read)


def test_what_is_at_hand_is_bounded_and_the_least_used_goes_first():
    recent = RecentReads(bytes_max=10_000)
    for number in range(1_000):
        recent.keep(("s", "t", str(number)), b"." * (number % 900))
        assert recent.get(("s", "t", "0")) == b""
        assert recent.size_bytes <= 10_000
    assert recent.get(("s", "t", "1")) is None
    assert recent.get(("s", "t", "999")) is not None
    written = orjson.dumps({"text": "." * 2_000})
    recent.keep(("s", "t", "999"), written)
    assert recent.get(("s", "t", "999")) == written
    assert recent.get(("s", "t", "999")) is not written, "its writer took more room than it needs"
    recent.keep(("s", "t", "999"), b"." * 100_000)
    assert recent.get(("s", "t", "999")) is None
    for number in range(1_000):
        recent.forget(("s", "t", str(number)))
    assert recent.size_bytes == 0


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_a_parser_made_has_the_same_canonical_text(value):
    parsed = orjson.loads(orjson.dumps(value))
    ours = encode_parsed(parsed)
    assert ours.text == encode(value).text
    assert repr(ours.value) == repr(parsed)


def test_a_number_of_more_bits_is_refused_in_what_a_parser_made(store):
    value = sample_structured({"n": 2**64})
    create = call("entity.create", {**REF, "value": value})
    for one in (create, replace(create, parsed=True)):
        with pytest.raises(InvalidRecord, match="an integer of 65 bits"):
            store.call_encoded(one)


def test_random_ids_are_uuids_of_version_4():
    found = [random_uuid() for _ in range(200)]
    assert len({*found}) == 200
    for one in map(uuid.UUID, found):
        assert (one.version, one.variant) == (4, uuid.RFC_4122)
    assert [str(uuid.UUID(one)) for one in found] == found
    assert {one[19] for one in found} == {*"89ab"}


def test_the_log_is_moved_into_the_database_before_it_is_long(store, tmp_path):
    """SQLite would do it after a thousand pages; here it is later, and still done."""
    log = tmp_path / "talebearer.db-wal"
    sizes = []
    for number in range(320):
        store.create(META, "knowledge", sample_knowledge(f"rope {number} " * 90), id=f"n{number}")
        sizes.append(log.stat().st_size // 4_096)
    assert 1_500 < max(sizes) < 4_200


def test_a_deep_value_that_is_read_undoes_nobodys_write(store):
    """A text is put into an answer as it stands, however deep it is; what others wrote stays."""
    deep = []
    for _ in range(248):
        deep = [deep]
    store.create(META, "knowledge", sample_structured(deep), id="deep")
    read = call("entity.read", {"ref": {"type": "knowledge", "id": "deep"}})
    create = call("entity.create", {**REF, "id": "beside", "value": sample_structured({})})
    made, found = store.call_many_encoded([create, read])
    assert isinstance(made, bytes)
    assert orjson.loads(found)["data"]["variants"][0]["value"] == sample_structured(deep)
    assert store.read(META, EntityRef("knowledge", "beside")).state == "active"


def test_an_answer_without_a_form_in_json_fails_alone():
    with pytest.raises(InternalError, match="cannot be written as JSON"):
        encoded(Reply({}, {"n": 2**70}))
