"""The text index: what it lacks or has too much is found, and building it again mends it."""

from __future__ import annotations

import json
from importlib import import_module

import apsw
import pytest
from stores import META, open_store

from talebearer.errors import StoreLocked
from talebearer.errors.findings_store import INDEX_DRIFT
from talebearer.store import Call
from talebearer.store.retrieval import indexed_text
from talebearer.store.upkeep import Place, fsck
from talebearer.testing import sample_knowledge


def find(place: Place, text: str) -> list[str]:
    call = Call("patchouli.entity.retrieve@1", META, {"query": json.dumps({"text": text})})
    with open_store(place.root, prefix="f") as store:
        hits = store.call(call).data["hits"]
    return sorted(hit["variants"][0]["ref"]["id"] for hit in hits)


@pytest.fixture
def indexed(place: Place) -> Place:
    """A store whose index covers all that it holds, and one record that came afterwards."""
    with open_store(place.root, prefix="many") as store:
        for number in range(1_100):
            store.create(
                META, "knowledge", sample_knowledge(f"bell {number:04}"), id=f"b{number:04}"
            )
        store.call(Call("patchouli.entity.retrieve@1", META, {"query": '{"text": "bell"}'}))
    assert statement(place, "SELECT indexed_row > 1000 FROM patchouli_entity_fts_state") == [(1,)]
    with open_store(place.root, prefix="late") as store:
        store.create(META, "knowledge", sample_knowledge("late bell"), id="late")
    return place


def statement(place: Place, sql: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(place.database))
    rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


ROW = "(SELECT row_id FROM patchouli_entity_version WHERE entity_id = 'b0500')"


def test_an_index_that_lags_is_no_finding(indexed: Place) -> None:
    assert fsck(indexed).problems == ()


@pytest.mark.spec("KM-op-index-drift")
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (f"DELETE FROM patchouli_entity_fts WHERE rowid = {ROW}", "is not in the text index"),
        (
            f"UPDATE patchouli_entity_fts SET strings = 'another' WHERE rowid = {ROW}",
            "with 5 trigrams",
        ),
        (
            "INSERT INTO patchouli_entity_fts (rowid, strings) VALUES (999999, 'nobody')",
            "row 999999",
        ),
        ("UPDATE patchouli_entity_fts_state SET indexed_row = 999999", "says that row 999999"),
        (
            "INSERT INTO patchouli_entity_fts (patchouli_entity_fts) VALUES ('delete-all')",
            "is not in the text index",
        ),
        ("DELETE FROM patchouli_entity_fts_data WHERE id > 100", "patchouli_entity_fts"),
    ],
)
def test_drift_is_found_and_repaired_and_the_search_is_right_again(
    indexed: Place, sql: str, words: str
) -> None:
    statement(indexed, sql)
    report = fsck(indexed)
    assert set(report.counts) == {INDEX_DRIFT}
    assert words in " ".join(str(one) for one in report.problems)
    mended = fsck(indexed, repair=True)
    assert mended.problems == ()
    assert mended.repaired == ("the text index, over 1113 versions",)
    assert fsck(indexed).problems == ()
    assert find(indexed, "bell 0500") == ["b0500"]
    assert find(indexed, "LATE bell") == ["late"]
    assert find(indexed, "another") == []


OTHER = sample_knowledge("bell 0501")
"""As long as the record's own text, so that only its characters tell them apart."""


def indexed_as(place: Place, value: object) -> None:
    connection = apsw.Connection(str(place.database))
    sql = f"UPDATE patchouli_entity_fts SET strings = ? WHERE rowid = {ROW}"
    connection.execute(sql, (indexed_text(value),)).fetchall()
    connection.close()


@pytest.mark.spec("KM-op-index-drift")
def test_a_row_that_is_indexed_with_another_text_of_the_same_length_is_found(
    indexed: Place,
) -> None:
    indexed_as(indexed, OTHER)
    (found,) = fsck(indexed).problems
    assert "b0500" in str(found)
    assert "has other text" in found.message
    assert fsck(indexed, repair=True).problems == ()
    assert find(indexed, "bell 0500") == ["b0500"]


def test_a_large_index_is_looked_at_in_several_turns(
    indexed: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("talebearer.store.upkeep.fsck._index")
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 100)
    assert fsck(indexed).problems == ()
    indexed_as(indexed, OTHER)
    assert [one.code for one in fsck(indexed).problems] == [INDEX_DRIFT]


def test_repair_touches_nothing_where_nothing_is_wrong(indexed: Place) -> None:
    before = indexed.database.read_bytes()
    report = fsck(indexed, repair=True)
    assert (report.problems, report.repaired) == ((), ())
    assert indexed.database.read_bytes() == before


def test_repair_waits_for_no_writer(indexed: Place) -> None:
    statement(indexed, f"DELETE FROM patchouli_entity_fts WHERE rowid = {ROW}")
    with open_store(indexed.root, prefix="w"), pytest.raises(StoreLocked):
        fsck(indexed, repair=True)
