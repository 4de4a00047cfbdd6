"""A full disk: what was asked for is not half stored, and goes through when there is room.

Twice: with a file size limit, which needs no rights and works everywhere, and on a real full file
system where one may be mounted.
"""

import shutil
import subprocess
import sys
from contextlib import suppress

import pytest

from talebearer.errors import StoreFull
from talebearer.store import Store
from talebearer.testing import (
    counting_ids,
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    stepping_clock,
)

META = sample_meta()
LARGE = "x" * 20_000


def open_store(folder, prefix="v"):
    return Store.open(
        folder / "talebearer.db",
        artifacts=folder / "artifacts",
        now_ms=stepping_clock(),
        new_id=counting_ids(prefix),
    )


def write_batch(store):
    with store.batch():
        for number in range(40):
            store.create(META, "knowledge", sample_knowledge(LARGE), id=f"k{number}")


def write_on_regardless(store):
    """Ignore the full disk inside a batch: the batch is lost all the same."""
    with store.batch():
        for number in range(40):
            with suppress(StoreFull):
                store.create(META, "knowledge", sample_knowledge(LARGE), id=f"k{number}")


def write_file(store):
    data = bytes(range(256)) * 4_000
    metadata = sample_artifact_metadata()
    store.upload(META, data, media_type="a/b", name=None, metadata=metadata, id="file")


def fill_disk(disk):
    """Write a file until there is no room for another byte."""
    with (disk / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4_096))


def check_nothing_half(store, folder):
    assert [one.ref.id for one in store.list(META, "knowledge")] == ["kept"]
    assert len(store.changes(META)) == 1
    assert [one for one in (folder / "artifacts").rglob("*") if one.is_file()] == []


def check_all_there(store):
    assert len(list(store.list(META, "knowledge"))) == 41
    assert len(store.download(META, "file")) == 1_024_000


def run_full(folder, fill, free):
    """Fill the disk around the same two writes, then free it and repeat them."""
    with open_store(folder) as store:
        store.create(META, "knowledge", sample_knowledge(), id="kept")
        fill()
        for write in (write_batch, write_on_regardless, write_file):
            with pytest.raises(StoreFull):
                write(store)
            check_nothing_half(store, folder)
        free()
        write_batch(store)
        write_file(store)
        check_all_there(store)
    with open_store(folder, "w") as store:
        assert store.status()["recovered_after_unclean_shutdown"] is False
        check_all_there(store)


LIMITED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_store_full as case

def limit(size):
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

folder = Path(sys.argv[1])
limit(2_000)
try:
    case.open_store(folder)
except case.StoreFull as error:
    assert not list(folder.glob("talebearer.db*[!k]")), list(folder.iterdir())
else:
    raise AssertionError("created without room")
limit(resource.RLIM_INFINITY)
case.run_full(folder, lambda: limit(150_000), lambda: limit(resource.RLIM_INFINITY))
print("done")
"""


@pytest.mark.slow
def test_a_file_size_limit_stores_nothing_by_halves(tmp_path):
    here = str(__file__).rsplit("/", 1)[0]
    command = [sys.executable, "-c", LIMITED, str(tmp_path), here]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1.5 MB, where mounting is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=1536k", "tmpfs", str(disk)]
    if mount is None or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here; the file size limit covers the case")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.slow
def test_a_full_file_system_stores_nothing_by_halves(small_disk):
    def free():
        (small_disk / "filler").unlink()
        subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)

    folder = small_disk / "campaign"
    run_full(folder, lambda: fill_disk(small_disk), free)


@pytest.mark.slow
def test_a_full_file_system_still_reads_and_closes(small_disk):
    folder = small_disk / "campaign"
    with open_store(folder) as store:
        store.create(META, "knowledge", sample_knowledge(), id="kept")
        fill_disk(small_disk)
        assert [one.ref.id for one in store.list(META, "knowledge")] == ["kept"]
    (small_disk / "filler").unlink()
    with open_store(folder, "w") as store:
        assert [one.ref.id for one in store.list(META, "knowledge")] == ["kept"]
