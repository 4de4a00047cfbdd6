"""What stands in the database: tables, checks, rows and views."""

import json
from contextlib import closing

import apsw
import pytest

from talebearer.store import EntityRef, canonical_text
from talebearer.testing import (
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    sample_relation,
)

META = sample_meta()
SCOPE = '{"user_id":"u","workspace_id":"w"}'
TABLES = [
    "patchouli_causal_frontier",
    "patchouli_change",
    "patchouli_change_retention",
    "patchouli_crdt_change",
    "patchouli_crdt_change_parent",
    "patchouli_entity_crdt_head",
    "patchouli_entity_head",
    "patchouli_entity_head_history",
    "patchouli_entity_version",
    "patchouli_idempotency",
    "patchouli_runtime_state",
    "patchouli_scope_frontier",
    "patchouli_session_frontier",
    "patchouli_work_unit",
    "patchouli_work_unit_base_version",
    "patchouli_work_unit_entity",
    "patchouli_work_unit_head",
    "patchouli_work_unit_idempotency",
]
VIEWS = {
    "patchouli_artifact": "scope_json artifact_id version media_type name byte_length digest "
    "placement_kind placement_json metadata_json recorded_at_unix_ms",
    "patchouli_knowledge": "scope_json knowledge_id version content_json metadata_json "
    "artifact_json profile_json recorded_at_unix_ms",
    "patchouli_knowledge_relation": "scope_json relation_id version relation_type "
    "from_knowledge_refs_json to_knowledge_refs_json metadata_json recorded_at_unix_ms",
}


@pytest.fixture
def query(tmp_path, store):
    with closing(apsw.Connection(str(tmp_path / "talebearer.db"))) as connection:
        yield lambda sql, bindings=(): connection.execute(sql, bindings).fetchall()


@pytest.mark.spec("PP-4.2-tables")
def test_all_tables_are_there_and_strict(query):
    rows = query("SELECT name, wr, strict FROM pragma_table_list WHERE name LIKE 'patchouli%'")
    found = {
        name: (wr, strict)
        for name, wr, strict in rows
        if name not in VIEWS and not name.startswith("patchouli_entity_fts")
    }
    assert sorted(found) == TABLES
    assert {strict for _, strict in found.values()} == {1}
    with_row_ids = {name for name, (wr, _) in found.items() if not wr}
    assert with_row_ids == {
        "patchouli_change",
        "patchouli_entity_version",
        "patchouli_runtime_state",
    }


@pytest.mark.spec("PP-4.2-tables")
def test_there_is_no_index_beyond_the_keys_but_two_on_versions(query):
    rows = query("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    assert sorted(name for (name,) in rows) == [
        "patchouli_entity_version_recorded",
        "patchouli_entity_version_staged",
    ]


@pytest.mark.spec("KM-sqlite-session-cursors")
def test_session_progress_has_two_cursors(query):
    names = [row[1] for row in query("PRAGMA table_info(patchouli_session_frontier)")]
    assert names == ["scope_json", "session_key_json", "read_cursor", "write_cursor"]


@pytest.mark.spec("PP-4.2-version-checks")
@pytest.mark.parametrize(
    ("state", "value", "scope", "entity_id", "cursor"),
    [
        ("active", None, SCOPE, "a", 1),
        ("active", "{not json", SCOPE, "a", 1),
        ("deleted", "{}", SCOPE, "a", 1),
        ("gone", None, SCOPE, "a", 1),
        ("active", "{}", "[]", "a", 1),
        ("active", "{}", "text", "a", 1),
        ("active", "{}", SCOPE, "", 1),
        ("active", "{}", SCOPE, "a", 0),
        ("active", "{}", SCOPE, "a", None),
    ],
)
def test_the_version_table_refuses_what_cannot_be(query, state, value, scope, entity_id, cursor):
    sql = """INSERT INTO patchouli_entity_version (scope_json, entity_type, entity_id, version,
        state, value_json, published_cursor, recorded_at_unix_ms)
        VALUES (?, 'knowledge', ?, 'v', ?, ?, ?, 1)"""
    with pytest.raises(apsw.ConstraintError):
        query(sql, (scope, entity_id, state, value, cursor))


@pytest.mark.spec("PP-6-create-update-delete-rows")
def test_create_update_delete_leave_their_rows(store, query):
    made = store.create(META, "knowledge", sample_knowledge(), id="bell")
    second = store.update(
        sample_meta(base_versions=[made.version]), made.ref, sample_knowledge("x")
    )
    gone = store.delete(sample_meta(base_versions=[second.version]), made.ref)
    versions = query("SELECT version, state, published_cursor FROM patchouli_entity_version")
    assert versions == [
        (made.version, "active", 1),
        (second.version, "active", 2),
        (gone.version, "deleted", 3),
    ]
    assert query("SELECT version FROM patchouli_entity_head") == [(gone.version,)]
    history = query("SELECT cursor, head_versions_json FROM patchouli_entity_head_history")
    assert history == [
        (number, canonical_text([one.version]))
        for number, one in enumerate((made, second, gone), start=1)
    ]


@pytest.mark.spec("PP-4.4-causal-token")
def test_the_causal_token_is_the_version_id(store, query):
    made = store.create(META, "knowledge", sample_knowledge())
    other = store.create(META, "knowledge", sample_knowledge())
    assert query("SELECT causal_token FROM patchouli_change ORDER BY cursor") == [
        (made.version,),
        (other.version,),
    ]
    assert query("SELECT * FROM patchouli_scope_frontier") == [(SCOPE, 2, other.version)]
    frontier = query("SELECT causal_token, scope_json, cursor FROM patchouli_causal_frontier")
    assert sorted(frontier) == [(made.version, SCOPE, 1), (other.version, SCOPE, 2)]


@pytest.mark.spec("KM-sqlite-change-same-transaction")
def test_a_batch_writes_values_and_changes_together(store, query):
    with store.batch():
        store.create(META, "knowledge", sample_knowledge())
        assert query("SELECT count(*) FROM patchouli_change") == [(0,)]
        assert query("SELECT count(*) FROM patchouli_entity_version") == [(0,)]
    assert query("SELECT count(*) FROM patchouli_change") == [(1,)]
    assert query("SELECT count(*) FROM patchouli_entity_version") == [(1,)]


@pytest.mark.spec("PP-4.3-views")
def test_the_views_have_their_columns(query):
    for name, columns in VIEWS.items():
        assert [row[1] for row in query(f"PRAGMA table_info({name})")] == columns.split()


@pytest.mark.spec("PP-4.3-views")
def test_the_views_show_active_heads_as_they_are(store, query):
    made = store.create(META, "knowledge", sample_knowledge("rung"), id="a\x00b")
    store.create(META, "knowledge_relation", sample_relation("a\x00b", "a\x00b"), id="r")
    file = store.upload(
        META, b"bell", media_type="a/b", name="n", metadata=sample_artifact_metadata(), id="f"
    )
    ((entity_id, version, content),) = query(
        "SELECT knowledge_id, version, content_json FROM patchouli_knowledge"
    )
    assert (entity_id, version) == ("a\x00b", made.version)
    assert json.loads(content) == {"kind": "text", "text": "rung"}
    assert query("SELECT relation_type, json_array_length(to_knowledge_refs_json) "
                 "FROM patchouli_knowledge_relation") == [("derived_from", 1)]  # fmt: skip
    assert query("SELECT media_type, name, byte_length, digest, placement_kind "
                 "FROM patchouli_artifact") == [
        ("a/b", "n", 4, file.value["digest"], "managed")
    ]  # fmt: skip


@pytest.mark.spec("PP-4.3-views")
def test_a_conflict_is_several_rows_and_a_tombstone_none(store, query):
    made = store.create(META, "knowledge", sample_knowledge(), id="bell")
    bell = EntityRef("knowledge", "bell")
    stale = sample_meta(base_versions=[made.version], conflict_strategy="mvcc")
    store.update(stale, bell, sample_knowledge("one"))
    store.update(stale, bell, sample_knowledge("two"))
    assert query("SELECT count(*) FROM patchouli_knowledge") == [(2,)]
    store.delete(sample_meta(base_versions=list(store.read(META, bell).versions)), bell)
    assert query("SELECT count(*) FROM patchouli_knowledge") == [(0,)]


@pytest.mark.spec("KM-sqlite-views-read-only")
def test_the_views_cannot_be_written(query):
    for name in VIEWS:
        with pytest.raises(apsw.SQLError):
            query(f"DELETE FROM {name}")


@pytest.mark.spec("KM-sqlite-versions-immutable")
def test_old_versions_stay_as_they_were(store, query):
    made = store.create(META, "knowledge", sample_knowledge("first"), id="bell")
    before = query("SELECT * FROM patchouli_entity_version")
    store.upsert(META, made.ref, sample_knowledge("second"))
    assert query("SELECT * FROM patchouli_entity_version")[:1] == before
