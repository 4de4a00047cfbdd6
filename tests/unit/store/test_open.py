"""Opening: whose file it is, who writes, modes, and what is left behind."""

import os
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from talebearer.errors import (
    ForeignDatabase,
    SchemaTooNew,
    SchemaTooOld,
    StoreCorrupt,
    StoreLocked,
    StoreUnavailable,
    UnsafeSqlite,
    UsageFault,
)
from talebearer.store import APPLICATION_ID, SCHEMA_VERSION, EntityRef, Store, check_sqlite
from talebearer.testing import sample_artifact_metadata, sample_knowledge, sample_meta

META = sample_meta()


def make_database(path, sql):
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(sql).fetchall()


def snapshot(folder):
    """Return every file of *folder* with its bytes."""
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir()) if one.is_file()}


def refused(open_store, folder, error_class):
    """Open in both ways, expect *error_class*, and expect every byte as it was."""
    before = snapshot(folder)
    for read_only in (False, True):
        with pytest.raises(error_class) as error:
            open_store(read_only=read_only)
        assert snapshot(folder) == before
    return error.value


@pytest.mark.spec("PP-4.1-version-gate")
def test_a_newer_schema_is_refused_with_both_numbers(open_store, tmp_path):
    sql = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 12; CREATE TABLE t (x)"
    make_database(tmp_path / "talebearer.db", sql)
    error = refused(open_store, tmp_path, SchemaTooNew)
    assert "12" in error.message
    assert str(SCHEMA_VERSION) in error.message
    assert error.data["found"] == 12
    assert error.data["supported"] == SCHEMA_VERSION


@pytest.mark.spec("KM-sqlite-older-rejected")
def test_an_older_schema_is_refused_with_both_numbers(open_store, tmp_path):
    sql = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 10; CREATE TABLE t (x)"
    make_database(tmp_path / "talebearer.db", sql)
    error = refused(open_store, tmp_path, SchemaTooOld)
    assert "10" in error.message
    assert "11" in error.message


@pytest.mark.spec("PP-4.1-version-gate")
@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (x)",
        "PRAGMA journal_mode = WAL; CREATE TABLE t (x)",
        "PRAGMA user_version = 11; CREATE TABLE t (x)",
        "PRAGMA application_id = 7; PRAGMA user_version = 11; CREATE TABLE t (x)",
    ],
)
def test_another_programs_database_is_refused_untouched(open_store, tmp_path, sql):
    make_database(tmp_path / "talebearer.db", sql)
    refused(open_store, tmp_path, ForeignDatabase)


@pytest.mark.parametrize("data", [b"x", b"# notes\n" * 1_000, bytes(4_096)])
def test_a_file_that_is_no_database_is_refused_untouched(open_store, tmp_path, data):
    (tmp_path / "talebearer.db").write_bytes(data)
    refused(open_store, tmp_path, ForeignDatabase)


def test_an_empty_file_is_no_database_yet(open_store, tmp_path):
    (tmp_path / "talebearer.db").touch()
    assert open_store().status()["generation"] == 1


@pytest.mark.spec("PP-4.1-files")
def test_a_link_or_a_folder_is_refused(open_store, tmp_path):
    (tmp_path / "elsewhere.db").touch()
    (tmp_path / "talebearer.db").symlink_to(tmp_path / "elsewhere.db")
    refused(open_store, tmp_path, StoreUnavailable)
    (tmp_path / "talebearer.db").unlink()
    (tmp_path / "talebearer.db").mkdir()
    refused(open_store, tmp_path, StoreUnavailable)


def test_reading_wants_a_database(open_store, tmp_path):
    with pytest.raises(StoreUnavailable):
        open_store(read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_half_made_database_is_made_again(open_store, tmp_path):
    (tmp_path / "talebearer.db.new").write_bytes(b"SQLite format 3\x00 half")
    assert open_store().status()["generation"] == 1
    assert not (tmp_path / "talebearer.db.new").exists()


def test_a_damaged_page_is_named(open_store, tmp_path):
    store = open_store()
    with store.batch():
        for number in range(50):
            store.create(META, "knowledge", sample_knowledge("x" * 500), id=f"k{number}")
    store.close()
    path = tmp_path / "talebearer.db"
    data = bytearray(path.read_bytes())
    data[4_096:] = b"\xa5" * (len(data) - 4_096)
    path.write_bytes(data)
    with pytest.raises(StoreCorrupt) as error:
        open_store()
    assert error.value.data["file"] == str(path)


@pytest.mark.parametrize(
    ("number", "safe"),
    [
        (3_006_023, True),
        (3_007_000, False),
        (3_040_001, False),
        (3_050_006, False),
        (3_050_007, True),
        (3_051_000, False),
        (3_051_002, False),
        (3_051_003, True),
        (3_054_001, True),
    ],
)
def test_sqlite_inside_the_corruption_range_is_refused(number, safe):
    if safe:
        check_sqlite(number)
    else:
        with pytest.raises(UnsafeSqlite):
            check_sqlite(number)


@pytest.mark.spec("PP-4.1-pragmas")
def test_the_database_says_whose_it_is_and_keeps_a_log(store, tmp_path):
    with closing(apsw.Connection(str(tmp_path / "talebearer.db"))) as connection:
        assert connection.pragma("journal_mode") == "wal"
        assert connection.pragma("application_id") == APPLICATION_ID
        assert connection.pragma("user_version") == SCHEMA_VERSION


@pytest.mark.spec("PP-4.1-one-writer")
def test_a_second_writer_is_refused_with_the_pid(open_store, tmp_path):
    store = open_store()
    store.create(META, "knowledge", sample_knowledge(), id="bell")
    script = (
        "import sys; from pathlib import Path; from talebearer.store import Store\n"
        "from talebearer.errors import StoreLocked\n"
        "folder = Path(sys.argv[1])\n"
        "try:\n"
        "    Store.open(folder / 'talebearer.db', artifacts=folder / 'artifacts',\n"
        "        now_ms=lambda: 1, new_id=lambda: 'x')\n"
        "except StoreLocked as error:\n"
        "    print(error.data['pid'])\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(os.getpid())
    assert store.read(META, EntityRef("knowledge", "bell")).state == "active"


def test_the_same_process_cannot_write_twice(open_store):
    open_store()
    with pytest.raises(StoreLocked) as error:
        open_store()
    assert error.value.data["pid"] == os.getpid()


def test_the_lock_ends_with_the_store(open_store):
    open_store().close()
    open_store().close()


def test_readers_go_on_beside_a_writer(open_store):
    writer = open_store()
    writer.create(META, "knowledge", sample_knowledge(), id="a")
    reader = open_store(read_only=True)
    with writer.batch():
        writer.create(META, "knowledge", sample_knowledge(), id="b")
        assert [one.ref.id for one in reader.list(META, "knowledge")] == ["a"]
        assert len(reader.changes(META)) == 1
    assert [one.ref.id for one in reader.list(META, "knowledge")] == ["a", "b"]
    reader.close()
    writer.create(META, "knowledge", sample_knowledge(), id="c")
    assert len(writer.changes(META)) == 3


def test_a_reader_changes_nothing(open_store, tmp_path):
    writer = open_store()
    made = writer.create(META, "knowledge", sample_knowledge(), id="a")
    writer.close()
    before = (tmp_path / "talebearer.db").read_bytes()
    reader = open_store(read_only=True)
    for attempt in (
        lambda: reader.create(META, "knowledge", sample_knowledge()),
        lambda: reader.upsert(META, made.ref, sample_knowledge("b")),
        lambda: reader.batch().__enter__(),
    ):
        with pytest.raises(UsageFault):
            attempt()
    assert reader.read(META, made.ref).variants == (made,)
    assert reader.status()["read_only"] is True
    reader.close()
    assert (tmp_path / "talebearer.db").read_bytes() == before


def test_a_closed_store_says_so(open_store):
    store = open_store()
    store.close()
    store.close()
    with pytest.raises(UsageFault):
        store.read(META, EntityRef("knowledge", "a"))


@pytest.mark.spec("PP-4.1-generation")
def test_each_opening_counts_and_a_clean_end_is_known(open_store):
    for generation in (1, 2, 3):
        with open_store() as store:
            status = store.status()
            assert status["generation"] == generation
            assert status["recovered_after_unclean_shutdown"] is False
            assert status["pid"] == os.getpid()


@pytest.mark.spec("PP-4.1-modes")
def test_files_are_the_owners_only(open_store, tmp_path):
    store = open_store()
    store.upload(META, b"x", media_type="a/b", name=None, metadata=sample_artifact_metadata())
    for path in (one for one in tmp_path.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_open_modes_are_tightened_and_reported(open_store, tmp_path):
    open_store().close()
    for name in ("talebearer.db", "talebearer.db.lock", "artifacts"):
        (tmp_path / name).chmod(0o755)
    store = open_store()
    names = {Path(one).name for one in store.status()["tightened"]}
    assert names == {"talebearer.db", "talebearer.db.lock", "artifacts"}
    assert stat.S_IMODE((tmp_path / "talebearer.db").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "artifacts").stat().st_mode) == 0o700


def test_odd_paths_are_taken_literally(tmp_path, open_store):
    folder = tmp_path / "a b?mode=memory#%20é'"
    with Store.open(
        folder / "x.db", artifacts=folder / "art", now_ms=lambda: 1, new_id=lambda: "x"
    ):
        assert (folder / "x.db").is_file()


def test_checkpoint_moves_the_log_into_the_file(store, tmp_path):
    store.create(META, "knowledge", sample_knowledge())
    store.checkpoint()
    with closing(
        apsw.Connection(
            f"file:{tmp_path}/talebearer.db?immutable=1",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
    ) as connection:
        sql = "SELECT count(*) FROM patchouli_entity_version"
        assert connection.execute(sql).fetchall() == [(1,)]
