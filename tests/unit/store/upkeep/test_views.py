"""The database in other programs: Python's own SQLite, which is older, stands for any browser."""

from __future__ import annotations

import json
import sqlite3  # noqa: TID251 - it stands for a program that is not ours, and only reads
from collections.abc import Iterator

import pytest
from stores import FILES, META, open_store

from talebearer.store.upkeep import Place, Reading
from talebearer.testing import sample_knowledge


@pytest.fixture
def browser(place: Place) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{place.database}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    yield connection
    connection.close()


@pytest.mark.spec("KM-op-views-elsewhere")
def test_every_view_reads_as_a_table_with_typed_columns(
    place: Place, browser: sqlite3.Connection
) -> None:
    with Reading(place) as reading:
        for view in ("artifact", "knowledge", "knowledge_relation"):
            columns = reading.rows(f"PRAGMA table_info(patchouli_{view})")
            assert {kind for _, _, kind, *_ in columns} <= {"TEXT", "INT", "INTEGER"}, view
            # An older SQLite names no types of such columns, and reads them all the same.
            assert browser.execute(f"SELECT * FROM patchouli_{view}").fetchall(), view


@pytest.mark.spec("KM-op-views-elsewhere")
def test_files_are_listed_with_their_sizes_as_numbers(browser: sqlite3.Connection) -> None:
    rows = browser.execute(
        "SELECT artifact_id, name, byte_length, typeof(byte_length), placement_kind "
        "FROM patchouli_artifact WHERE byte_length < 100 ORDER BY byte_length DESC"
    ).fetchall()
    assert [tuple(row) for row in rows] == [
        ("file0", "file 0", len(FILES[0]), "integer", "managed"),
        ("file1", "file 1", 0, "integer", "managed"),
    ]


@pytest.mark.spec("KM-op-views-elsewhere")
def test_relations_join_the_knowledge_that_they_name(browser: sqlite3.Connection) -> None:
    rows = browser.execute(
        "SELECT r.relation_type, k.knowledge_id, k.content_json "
        "FROM patchouli_knowledge_relation AS r, json_each(r.from_knowledge_refs_json) AS f "
        "JOIN patchouli_knowledge AS k "
        "ON k.scope_json = r.scope_json AND k.knowledge_id = f.value ->> 'id'"
    ).fetchall()
    assert [(row[0], row[1], json.loads(row[2])["text"]) for row in rows] == [
        ("derived_from", "note", "second")
    ]


def test_a_browser_reads_beside_a_writer(place: Place, browser: sqlite3.Connection) -> None:
    with open_store(place.root, prefix="w") as store:
        store.create(META, "knowledge", sample_knowledge("news"), id="news")
        ids = {row[0] for row in browser.execute("SELECT knowledge_id FROM patchouli_knowledge")}
        assert ids == {"note", "two", "news"}
