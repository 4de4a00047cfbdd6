"""A writer killed in the middle: what was acknowledged stays, what was not is not there."""

import subprocess
import sys
from contextlib import closing

import apsw
import pytest

from talebearer.store import Store
from talebearer.testing import counting_ids, sample_meta, stepping_clock

META = sample_meta()
BATCH = 20

WRITER = """
import os, signal, sys
from pathlib import Path
from talebearer.store import Store
from talebearer.testing import (
    counting_ids, sample_artifact_metadata, sample_knowledge, sample_meta, sample_relation,
    stepping_clock,
)

folder, die_at = Path(sys.argv[1]), int(sys.argv[2])
ids, made = counting_ids(sys.argv[3]), 0

def new_id():
    global made
    made += 1
    if made == die_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return ids()

meta = sample_meta()
store = Store.open(folder / "talebearer.db", artifacts=folder / "artifacts",
                   now_ms=stepping_clock(), new_id=new_id)
for number in range(1000):
    with store.batch():
        for item in range(20):
            store.create(meta, "knowledge", sample_knowledge("x" * 700), id=f"{number}:{item}")
        store.create(meta, "knowledge_relation", sample_relation(f"{number}:0", f"{number}:1"),
                     id=str(number))
        store.upload(meta, f"bytes {number}".encode(), media_type="a/b", name=None,
                     metadata=sample_artifact_metadata(), id=str(number))
    print(number, flush=True)
"""


def open_store(folder, prefix):
    return Store.open(
        folder / "talebearer.db",
        artifacts=folder / "artifacts",
        now_ms=stepping_clock(),
        new_id=counting_ids(prefix),
    )


def start(folder, *, die_at=0, prefix="v"):
    command = [sys.executable, "-c", WRITER, str(folder), str(die_at), prefix]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def check(folder, acknowledged):
    """Every acknowledged batch is there, at most one more, and each of them whole."""
    with open_store(folder, "after") as store:
        assert store.status()["recovered_after_unclean_shutdown"] is True
        batches = {}
        for one in store.list(META, "knowledge"):
            batches.setdefault(int(one.ref.id.split(":")[0]), []).append(one)
        assert sorted(batches) == list(range(len(batches)))
        assert acknowledged <= len(batches) <= acknowledged + 1
        assert {len(records) for records in batches.values()} <= {BATCH}
        for kind in ("knowledge_relation", "artifact"):
            assert len(list(store.list(META, kind))) == len(batches)
        for number in batches:
            assert store.download(META, str(number)) == f"bytes {number}".encode()
        assert len(store.changes(META, limit=4_096)) == len(batches) * (BATCH + 2)
        assert list((folder / "artifacts" / "uploads").iterdir()) == []
    with closing(apsw.Connection(str(folder / "talebearer.db"))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.slow
@pytest.mark.spec("PP-6-crash-recovery")
@pytest.mark.parametrize("die_at", [1, 31, 66])
def test_a_writer_that_dies_inside_a_batch_leaves_none_of_it(tmp_path, die_at):
    with start(tmp_path, die_at=die_at) as writer:
        acknowledged = len(writer.stdout.readlines())
    assert writer.returncode == -9
    assert acknowledged == (die_at - 1) // (BATCH + 2)
    check(tmp_path, acknowledged)


@pytest.mark.slow
@pytest.mark.spec("PP-6-crash-recovery")
@pytest.mark.parametrize("acks", [1, 5])
def test_a_writer_killed_from_outside_keeps_its_word(tmp_path, acks):
    with start(tmp_path) as writer:
        for _ in range(acks):
            writer.stdout.readline()
        writer.kill()
        acknowledged = acks + len(writer.stdout.readlines())
    check(tmp_path, acknowledged)


@pytest.mark.slow
@pytest.mark.spec("PP-4.1-lock-dies")
def test_a_killed_writer_leaves_no_lock(tmp_path):
    with start(tmp_path, die_at=5) as writer:
        writer.wait()
    with open_store(tmp_path, "after") as store:
        assert store.status()["generation"] == 2
