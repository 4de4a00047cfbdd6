"""Faults of the disk and of other processes: a write that fails was not there, and the rest goes on.

An fsync that fails is made by a layer between SQLite and the file system, in a process of its own,
since the layer serves every database of its process.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from stores import META, NOTE, fill, open_store

from talebearer.errors import (
    SchemaTooNew,
    SchemaTooOld,
    StoreLocked,
    StoreUnavailable,
    TalebearerError,
)
from talebearer.store.upkeep import backup, find_place, fsck, gc, import_file, restore
from talebearer.testing import SAMPLE_NOW_MS, sample_knowledge, stepping_clock

FAILING_SYNC = """
import sys
from pathlib import Path

import apsw

failing = False

class File(apsw.VFSFile):
    def xSync(self, flags):
        if failing:
            raise apsw.IOError("the disk does not take it")
        super().xSync(flags)

class Failing(apsw.VFS):
    def __init__(self):
        super().__init__("failing", "unix")
    def xOpen(self, name, flags):
        return File("unix", name, flags)

vfs = Failing()
apsw.set_default_vfs("failing")
sys.path[:0] = sys.argv[2:]
from stores import META, open_store
from talebearer.errors import StoreUnavailable
from talebearer.testing import sample_knowledge

folder = Path(sys.argv[1])
with open_store(folder) as store:
    for number in range(20):
        store.create(META, "knowledge", sample_knowledge("x" * 900), id=f"kept{number}")
    failing = True
    refused = 0
    for number in range(5):
        try:
            store.create(META, "knowledge", sample_knowledge(), id=f"lost{number}")
        except StoreUnavailable as error:
            assert str(folder) in error.message, error
            refused += 1
    assert refused == 5, refused
    assert [one.ref.id for one in store.list(META, "knowledge", id_prefix="lost")] == []
    assert len(store.changes(META)) == 20
    try:
        with store.batch():
            store.create(META, "knowledge", sample_knowledge(), id="lost in a batch")
    except StoreUnavailable:
        pass
    else:
        raise AssertionError("the batch was acknowledged")
    failing = False
print("done")
"""


@pytest.mark.spec("KM-fault-fsync")
@pytest.mark.slow
def test_a_write_whose_sync_fails_is_not_acknowledged_and_not_there(tmp_path: Path) -> None:
    support = str(Path(__file__).resolve().parents[1] / "support")
    command = [sys.executable, "-c", FAILING_SYNC, str(tmp_path / "store"), support]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr
    with open_store(tmp_path / "store", prefix="w") as store:
        ids = sorted(one.ref.id for one in store.list(META, "knowledge"))
        assert ids == sorted(f"kept{number}" for number in range(20))
        store.create(META, "knowledge", sample_knowledge(), id="after")
    assert fsck(find_place(tmp_path / "store")).problems == ()


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    """A filled store on a file system that nobody can write to, where mounting is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=32m", "tmpfs", str(disk)]
    if (
        mount is None
        or subprocess.run([mount, *options], capture_output=True, check=False).returncode
    ):
        pytest.skip("mounting is not allowed here")
    try:
        with open_store(disk / "store") as store:
            fill(store)
        subprocess.run([mount, "-o", "remount,ro", str(disk)], check=True)
        yield disk / "store"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.spec("KM-fault-read-only-disk")
@pytest.mark.slow
def test_a_read_only_disk_is_read_checked_and_backed_up_but_not_written(
    read_only_disk: Path, tmp_path: Path
) -> None:
    place = find_place(read_only_disk)
    with open_store(read_only_disk, read_only=True) as store:
        assert store.read(META, NOTE).state == "active"
    assert fsck(place).problems == ()
    backup(place, tmp_path / "backup", now_ms=lambda: SAMPLE_NOW_MS)
    assert (
        restore(
            tmp_path / "backup", tmp_path / "again", verify=True, now_ms=stepping_clock()
        ).problems
        == ()
    )
    with pytest.raises(StoreUnavailable, match="Read-only"):
        open_store(read_only_disk)
    with pytest.raises(StoreUnavailable, match="Read-only"):
        gc(place, now_ms=lambda: SAMPLE_NOW_MS)


HOLDER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from stores import open_store
with open_store(Path(sys.argv[1]), prefix="holder"):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.mark.spec("KM-fault-second-process")
@pytest.mark.slow
def test_a_second_process_is_told_who_writes_and_reads_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with open_store(folder) as store:
        fill(store)
    support = str(Path(__file__).resolve().parents[1] / "support")
    command = [sys.executable, "-c", HOLDER, str(folder), support]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        place = find_place(folder)
        export_file = tmp_path / "x.jsonl"
        export_file.write_text("{}\n")
        for write in (
            lambda: open_store(folder, prefix="second"),
            lambda: gc(place, now_ms=lambda: SAMPLE_NOW_MS),
            lambda: import_file(place, export_file, now_ms=lambda: SAMPLE_NOW_MS),
        ):
            with pytest.raises(StoreLocked) as refused:
                write()
            assert refused.value.data["pid"] == holder.pid
        with open_store(folder, read_only=True) as store:
            assert store.read(META, NOTE).state == "active"
        assert fsck(place).problems == ()
        assert holder.stdin is not None
        holder.stdin.close()
        assert holder.wait(30) == 0
    open_store(folder, prefix="second").close()


def everything(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.spec("KM-fault-other-schema")
@pytest.mark.parametrize(
    ("version", "error"), [(10, SchemaTooOld), (12, SchemaTooNew), (99, SchemaTooNew)]
)
def test_every_command_leaves_another_schema_untouched(
    tmp_path: Path, version: int, error: type[TalebearerError]
) -> None:
    folder = tmp_path / "store"
    with open_store(folder) as store:
        fill(store)
    connection = apsw.Connection(str(folder / "talebearer.db"))
    connection.pragma("user_version", version)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    before = everything(folder)
    place = find_place(folder)
    for command in (
        lambda: open_store(folder),
        lambda: open_store(folder, read_only=True),
        lambda: fsck(place),
        lambda: backup(place, tmp_path / "backup", now_ms=lambda: SAMPLE_NOW_MS),
        lambda: gc(place, now_ms=lambda: SAMPLE_NOW_MS),
        lambda: import_file(place, tmp_path / "x", now_ms=lambda: SAMPLE_NOW_MS),
    ):
        with pytest.raises(error, match=str(version)) as refused:
            command()
        assert refused.value.data["found"] == version
    assert everything(folder) == before
