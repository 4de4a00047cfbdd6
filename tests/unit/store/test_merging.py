"""Merging as the store does it: documents, damage, fallbacks, many heads."""

from __future__ import annotations

from contextlib import closing

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from talebearer.errors import StoreCorrupt
from talebearer.store import Call, EntityRef, automerge_engine
from talebearer.store.merging import EngineRefusal, clusters, text_edits
from talebearer.testing import sample_knowledge, sample_meta

META = sample_meta()
NOTE = EntityRef("knowledge", "note")
TEXTS = st.text(alphabet=st.sampled_from("ab \u0301\r\n\u200d👧🏽🇩🇪한ᅡ"), max_size=24)


def structured(value):
    record = sample_knowledge()
    record["content"] = {"kind": "structured", "value": value}
    return record


def on(*versions, **meta):
    return sample_meta(base_versions=[one.version for one in versions], **meta)


@given(TEXTS, TEXTS)
def test_edits_turn_one_text_into_the_other(before, after):
    text = before
    for position, removed, inserted in text_edits(before, after):
        text = text[:position] + inserted + text[position + removed :]
    assert text == after


@given(TEXTS)
def test_clusters_are_the_text_in_pieces(text):
    assert "".join(clusters(text)) == text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("e\u0301a", ["e\u0301", "a"]),
        ("\r\n\n", ["\r\n", "\n"]),
        ("👩\u200d👩\u200d👧!", ["👩\u200d👩\u200d👧", "!"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("👧🏽x", ["👧🏽", "x"]),
    ],
)
def test_what_people_see_as_one_character_stays_whole(text, pieces):
    assert clusters(text) == pieces


def test_very_different_texts_are_replaced_as_a_whole():
    before, after = "ab" * 2_000, "cd" * 2_000
    assert [edit.removed for edit in text_edits(before, after)] == [4_000]


@pytest.mark.parametrize(
    "value",
    [
        {"": 1},
        "x" * 20_000,
        {"deep": [{"": None}]},
    ],
)
def test_the_engine_refuses_what_a_document_cannot_hold(value):
    for write in (automerge_engine().new, automerge_engine().typed):
        with pytest.raises(EngineRefusal):
            write(value, actor=b"a" * 16)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.sampled_from("aab é日🔔\x00"), max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(alphabet="abé", min_size=1, max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES, st.binary(min_size=16, max_size=16))
def test_a_first_change_is_byte_for_byte_what_the_engine_writes(value, actor):
    engine = automerge_engine()
    made, typed = engine.new(value, actor=actor), engine.typed(value, actor=actor)
    assert engine.changes(made) == engine.changes(typed)
    assert engine.heads(made) == engine.heads(typed)
    assert repr(engine.value(made)) == repr(engine.value(typed))


ALIKE = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.0, -0.0, 1.0, "", "a", "b", "é", "aé", "éa"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["{", "[", '"', "'", "#", "é"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.lists(ALIKE, min_size=2, max_size=6))
def test_a_first_change_owes_nothing_to_those_of_values_that_look_alike(values):
    engine, actor = automerge_engine(), b"a" * 16
    for value in values:
        made, typed = engine.new(value, actor=actor), engine.typed(value, actor=actor)
        assert engine.changes(made) == engine.changes(typed), value


@pytest.mark.parametrize("count", [30, 31, 32, 200])
def test_a_first_change_of_many_parts_is_what_the_engine_writes(count):
    engine, actor = automerge_engine(), b"a" * 16
    for value in ([*range(count)], {f"k{n}": "é" * n for n in range(count // 2)}):
        made, typed = engine.new(value, actor=actor), engine.typed(value, actor=actor)
        assert engine.changes(made) == engine.changes(typed)


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -(2**63), 2**64 - 1, 0.5, -0.0, 1e300, "", "🔔", [], {}, [[{"a": [None]}]]],
)
def test_json_types_come_back_from_a_document(value):
    engine = automerge_engine()
    document = engine.new(value, actor=b"a" * 16)
    loaded = engine.load([change.data for change in engine.changes(document)])
    assert repr(engine.value(loaded)) == repr(value)
    assert engine.heads(loaded) == engine.heads(document)


def test_an_empty_key_keeps_versions_apart_and_says_so(store):
    first = store.create(META, "knowledge", structured({"": 1}), id="note")
    store.update(on(first), NOTE, structured({"": 2}))
    value = structured({"": 3})
    call = Call(
        "patchouli.entity.update@1",
        on(first),
        {"ref": {"type": "knowledge", "id": "note"}, "value": value},
    )
    reply = store.call(call)
    assert "an empty key" in reply.meta["merge_fallback"]
    assert store.read(META, NOTE).state == "conflicted"
    assert store.status()["merge"]["fallbacks"]["an empty key"] == 1


def test_without_an_engine_a_merge_keeps_versions_apart(open_store):
    store = open_store(engine=None)
    assert store.status()["merge"]["engine"] is None
    first = store.create(META, "knowledge", sample_knowledge("a"), id="note")
    store.update(on(first), NOTE, sample_knowledge("b"))
    store.update(on(first), NOTE, sample_knowledge("c"))
    assert len(store.read(META, NOTE).variants) == 2


def damage(folder, sql):
    with closing(apsw.Connection(str(folder / "talebearer.db"))) as connection:
        connection.execute(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE patchouli_crdt_change SET change_bytes = zeroblob(length(change_bytes))",
        "UPDATE patchouli_crdt_change SET change_bytes = substr(change_bytes, 1, 40)",
        "DELETE FROM patchouli_crdt_change",
        "UPDATE patchouli_entity_version SET value_json = replace(value_json, 'old', 'odd')",
    ],
)
def test_a_damaged_change_is_named_and_the_rest_is_served(open_store, tmp_path, sql):
    store = open_store()
    first = store.create(META, "knowledge", sample_knowledge("old"), id="note")
    store.close()
    damage(tmp_path, sql)
    store = open_store()
    with pytest.raises(StoreCorrupt) as error:
        store.update(on(first), NOTE, sample_knowledge("new"))
    data = error.value.data
    assert (data["type"], data["id"], data["version"]) == ("knowledge", "note", first.version)
    assert data["path"] == "/content"
    assert data["changes"]
    assert error.value.as_wire()["data"]["reason"] == "OVERLOADED"
    assert store.read(META, NOTE).variants[0].version == first.version
    store.create(META, "knowledge", sample_knowledge("other"))
    # Another strategy needs no document of the past, and begins a history of its own.
    assert store.update(on(first, conflict_strategy="mvcc"), NOTE, sample_knowledge("new")).active


@pytest.mark.spec("KM-sqlite-crdt-tables")
def test_changes_parents_and_frontiers_are_recorded(store, tmp_path):
    first = store.create(META, "knowledge", structured({"a": 1}), id="note")
    left = store.update(on(first), NOTE, structured({"a": 2}))
    both = store.update(on(first), NOTE, structured({"a": 1, "b": 3}))
    last = store.update(on(both), NOTE, structured({"c": 4}))
    with closing(apsw.Connection(str(tmp_path / "talebearer.db"))) as connection:
        rows = connection.execute(
            "SELECT version, change_hash FROM patchouli_entity_crdt_head WHERE field_path = '/content'"
        ).fetchall()
        frontier = {}
        for version, change_hash in rows:
            frontier.setdefault(version, set()).add(change_hash)
        parents = connection.execute(
            "SELECT parent_hash FROM patchouli_crdt_change_parent WHERE change_hash IN "
            "(SELECT change_hash FROM patchouli_entity_crdt_head WHERE version = ?)",
            (last.version,),
        ).fetchall()
        ((changes,),) = connection.execute("SELECT count(*) FROM patchouli_crdt_change")
    assert [len(frontier[one.version]) for one in (first, left, both, last)] == [1, 1, 2, 1]
    assert {parent for (parent,) in parents} == frontier[both.version]
    assert changes == 4


def test_documents_survive_many_edits_and_a_restart(open_store):
    store = open_store()
    made = store.create(META, "knowledge", sample_knowledge("start"), id="note")
    for number in range(20):
        made = store.update(on(made), NOTE, sample_knowledge(f"start {number} and on"))
    store.close()
    store = open_store()
    left = store.update(on(made), NOTE, sample_knowledge("start 19 and left"))
    merged = store.update(on(made), NOTE, sample_knowledge("first start 19 and on"))
    assert merged.value["content"]["text"] == "first start 19 and left"
    assert store.read(META, NOTE).variants == (merged,)
    assert left.version != merged.version
