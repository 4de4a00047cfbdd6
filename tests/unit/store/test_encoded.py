"""Answers as JSON text: the same as the answers themselves, whichever way they come about."""

from __future__ import annotations

import orjson
import pytest

from talebearer.errors import NotFound, TalebearerError
from talebearer.store import Call
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
    recent.keep(("s", "t", "999"), b"." * 100_000)
    assert recent.get(("s", "t", "999")) is None
    for number in range(1_000):
        recent.forget(("s", "t", str(number)))
    assert recent.size_bytes == 0
