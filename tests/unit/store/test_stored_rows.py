"""What the protocol's requests leave in the tables, as another program reads them."""

import hashlib
import json
import re
from contextlib import closing, contextmanager

import apsw
import pytest
from subjects import StoreSubject

from talebearer.testing import sample_artifact_metadata
from talebearer.testing.conformance import (
    Actor,
    causal_policy,
    default_policy,
    keyed_policy,
    refused,
)
from talebearer.testing.conformance.values import knowledge, structured

SCOPE = {"workspace_id": "w", "user_id": "u"}
HOUR_MS = 3_600_000


@contextmanager
def running(folder, policy=None):
    subject = StoreSubject(folder, policy or default_policy())
    try:
        yield subject, Actor(subject, **SCOPE)
    finally:
        subject.close()


def rows(folder, statement, *values):
    with closing(
        apsw.Connection(f"file:{folder / 'talebearer.db'}?mode=ro", flags=apsw.SQLITE_OPEN_URI
                        | apsw.SQLITE_OPEN_READONLY)
    ) as connection:  # fmt: skip
        return connection.execute(statement, values).fetchall()


def change_rows(folder):
    return dict(rows(folder, "SELECT change_hash, change_bytes FROM patchouli_crdt_change"))


def frontier(folder, version):
    found = rows(
        folder,
        "SELECT field_path, change_hash FROM patchouli_entity_crdt_head WHERE version = ?",
        version["version"],
    )
    assert {path for path, _ in found} == {"/content"}
    return {change_hash for _, change_hash in found}


@pytest.mark.spec("KM-sqlite-crdt-tables", "PP-5.5-merge-documents")
def test_a_write_on_two_heads_has_both_as_parents(tmp_path):
    with running(tmp_path) as (_, actor):
        base = actor.create(structured({}), id="k")
        left = actor.update("k", structured({"l": 1}), [base])
        right = actor.update("k", structured({"r": 1}), [base], conflict_strategy="mvcc")
        joint = actor.update("k", structured({"j": 1}), [left, right])
        (last,) = frontier(tmp_path, joint)
        parents = rows(
            tmp_path,
            "SELECT parent_hash FROM patchouli_crdt_change_parent WHERE change_hash = ?",
            last,
        )
        assert {parent for (parent,) in parents} == {
            *frontier(tmp_path, left),
            *frontier(tmp_path, right),
        }
        assert len(change_rows(tmp_path)) == 4


@pytest.mark.spec("KM-sqlite-crdt-tables")
def test_a_changes_hash_is_that_of_its_bytes(tmp_path):
    """The chunk of a change after its checksum: kind, length, content."""
    with running(tmp_path) as (_, actor):
        actor.create(knowledge("the bell"), id="k")
        for change_hash, data in change_rows(tmp_path).items():
            assert data[:4] == bytes.fromhex("856f4a83")
            assert hashlib.sha256(data[8:]).hexdigest() == change_hash


@pytest.mark.spec("KM-sqlite-crdt-tables")
def test_a_merged_head_has_a_frontier_of_both_sides(tmp_path):
    with running(tmp_path) as (_, actor):
        base = actor.create(structured({}), id="k")
        actor.update("k", structured({"l": 1}), [base])
        merged = actor.update("k", structured({"r": 1}), [base])
        assert len(frontier(tmp_path, merged)) == 2
        assert frontier(tmp_path, merged) <= set(change_rows(tmp_path))


@pytest.mark.spec("KM-sqlite-work-unit-baseline")
def test_staged_versions_are_in_no_head_and_no_view(tmp_path):
    with running(tmp_path) as (_, actor):
        base = actor.create(knowledge("a"), id="k")
        unit = actor.also(transaction_id="t")
        staged = unit.update("k", knowledge("b"), [base])
        actor.update("k", knowledge("c"), [base])
        version = staged["version"]
        for table in ("patchouli_entity_head", "patchouli_knowledge"):
            assert rows(tmp_path, f"SELECT 1 FROM {table} WHERE version = ?", version) == []
        found = "SELECT published_cursor, work_unit_json FROM patchouli_entity_version WHERE version = ?"
        ((cursor, identity),) = rows(tmp_path, found, version)
        assert cursor is None
        assert json.loads(identity)["fields"] == {"transaction_id": "t"}
        assert rows(tmp_path, "SELECT state, baseline_cursor FROM patchouli_work_unit") == [
            ("open", 1)
        ]
        history = "SELECT cursor, head_versions_json FROM patchouli_entity_head_history"
        assert rows(tmp_path, history)[0] == (1, json.dumps([base["version"]]))
        unit.create(knowledge("x"), id="l", transaction_state="commit")
        ((cursor, _),) = rows(tmp_path, found, version)
        assert cursor is not None


@pytest.mark.spec("PP-5.6-expiry")
def test_an_expired_unit_leaves_no_version_change_or_result(tmp_path):
    with running(tmp_path, keyed_policy()) as (subject, actor):
        base = actor.create(knowledge("a"), id="k", request_id="r1")
        before = change_rows(tmp_path)
        unit = actor.also(transaction_id="t")
        unit.update("k", knowledge("ab"), [base], request_id="r2")
        unit.create(knowledge("b"), id="l", request_id="r3")
        assert len(change_rows(tmp_path)) == len(before) + 2
        subject.clock.advance(ms=HOUR_MS)
        with refused("WORK_UNIT_EXPIRED"):
            unit.read("k")
        assert change_rows(tmp_path) == before
        for table in ("work_unit_entity", "work_unit_head", "work_unit_idempotency"):
            assert rows(tmp_path, f"SELECT 1 FROM patchouli_{table}") == []
        staged = "SELECT 1 FROM patchouli_entity_version WHERE published_cursor IS NULL"
        assert rows(tmp_path, staged) == []
        assert rows(tmp_path, "SELECT state FROM patchouli_work_unit") == [("expired",)]


@pytest.mark.spec("PP-5.8-sessions", "KM-sqlite-session-cursors")
@pytest.mark.parametrize(
    ("guarantee", "after_write", "after_read"),
    [("monotonic_reads", [], [(1, 0)]), ("read_your_writes", [(0, 1)], [(0, 1)])],
)
def test_each_guarantee_moves_its_own_cursor(tmp_path, guarantee, after_write, after_read):
    """Case 101: reads advance only the read cursor, publications only the write cursor."""
    policy = causal_policy(guarantees=(guarantee,))
    found = (
        "SELECT coalesce(read_cursor, 0), coalesce(write_cursor, 0) FROM patchouli_session_frontier"
    )
    with running(tmp_path, policy) as (_, actor):
        actor = actor.also(plugin_route_id="p")
        actor.create(knowledge("a"), id="k")
        assert [row for row in rows(tmp_path, found) if any(row)] == after_write
        actor.read("k")
        assert [row for row in rows(tmp_path, found) if any(row)] == after_read


@pytest.mark.spec("PP-5.7-replay")
def test_a_replayed_request_leaves_one_version_and_one_change(tmp_path):
    with running(tmp_path, keyed_policy()) as (_, actor):
        for _ in range(3):
            actor.create(knowledge("a"), id="k", request_id="r")
        for table in ("entity_version", "change", "idempotency"):
            assert rows(tmp_path, f"SELECT count(*) FROM patchouli_{table}") == [(1,)]


@pytest.mark.spec("PP-4.2-text-index")
def test_the_text_index_is_made_again_from_the_versions(tmp_path):
    """Emptied by another program, it is filled from the versions, and finds the same."""
    with running(tmp_path) as (_, actor):
        for number in range(100):
            actor.create(knowledge(f"harp {number}"), id=f"k{number}")
        gone = actor.create(knowledge("harp gone"), id="gone")
        actor.delete("gone", [gone])
        before = actor.found({"text": "harp 9", "order": "id_asc"}, limit=100)
    assert len(before) == 11
    with closing(apsw.Connection(str(tmp_path / "talebearer.db"))) as connection:
        connection.execute(
            "INSERT INTO patchouli_entity_fts (patchouli_entity_fts) VALUES ('delete-all')"
        )
        connection.execute("UPDATE patchouli_entity_fts_state SET indexed_row = 0")
    with running(tmp_path) as (_, actor):
        assert actor.found({"text": "harp 9", "order": "id_asc"}, limit=100) == before
        assert actor.found({"text": "gone"}) == []


@pytest.mark.spec("KM-artifact-own-writer-credentials")
def test_a_key_is_the_digest_whatever_the_name(tmp_path):
    with running(tmp_path) as (_, actor):
        name = "https://user:secret@example.org/bell.txt"
        upload = actor.begin(sample_artifact_metadata(), id="f", name=name)
        actor.chunk(upload, 0, b"bell")
        placement = actor.commit(upload)["value"]["placement"]
        assert set(placement) == {"kind", "provider", "key"}
        assert re.fullmatch("sha256/[0-9a-f]{64}", placement["key"])
        assert "secret" not in json.dumps(placement)
