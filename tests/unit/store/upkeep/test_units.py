"""Work units in the eyes of upkeep: staged versions are checked, kept by gc, and not exported."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from stores import META, NOTE, SCOPE, open_store

from talebearer.store.upkeep import (
    ExportOptions,
    Place,
    Reading,
    backup,
    export,
    find_place,
    fsck,
    gc,
    history,
    import_file,
    restore,
)
from talebearer.testing import (
    SAMPLE_NOW_MS,
    sample_artifact_metadata,
    sample_knowledge,
    stepping_clock,
)

UNIT = {**META, "transaction_id": "t"}
CLOSING = {**UNIT, "transaction_state": "commit"}
STAGED_BYTES = b"staged bytes"


def stage(place: Place) -> None:
    """Stage an update, a new record and bytes in a unit that stays open."""
    with open_store(place.root, prefix="s") as store:
        base = list(store.read(META, NOTE).versions)
        store.update({**UNIT, "base_versions": base}, NOTE, sample_knowledge("staged"))
        store.create(UNIT, "knowledge", sample_knowledge("staged too"), id="unborn")
        store.upload(
            UNIT,
            STAGED_BYTES,
            media_type="a/b",
            name=None,
            metadata=sample_artifact_metadata(),
            id="staged file",
        )


def exported(place: Place) -> bytes:
    with Reading(place) as reading:
        return b"".join(export(reading, ExportOptions()))


@pytest.mark.spec("KM-op-gc")
def test_what_is_staged_is_sound_kept_and_not_exported(place: Place) -> None:
    before = exported(place)
    stage(place)
    assert fsck(place).problems == ()
    assert exported(place) == before
    for path in place.artifacts.rglob("*"):
        os.utime(path, (0, 0))
    assert gc(place, now_ms=lambda: SAMPLE_NOW_MS).removed == ()
    with Reading(place) as reading:
        assert len(history(reading, SCOPE, NOTE)) == 2


def test_a_unit_survives_backup_and_restore_and_then_closes(place: Place, tmp_path: Path) -> None:
    stage(place)
    backup(place, tmp_path / "backup", now_ms=lambda: SAMPLE_NOW_MS)
    assert (
        restore(
            tmp_path / "backup", tmp_path / "again", verify=True, now_ms=stepping_clock()
        ).problems
        == ()
    )
    again = find_place(tmp_path / "again")
    assert fsck(again).problems == ()
    with open_store(again.root, prefix="c") as store:
        base = list(store.read(UNIT, NOTE).versions)
        store.update({**CLOSING, "base_versions": base}, NOTE, sample_knowledge("closed"))
        assert store.read(META, NOTE).value["content"]["text"] == "closed"
        assert store.download(META, "staged file") == STAGED_BYTES
    assert fsck(again).problems == ()
    with Reading(again) as reading:
        entries = history(reading, SCOPE, NOTE)
    assert [one.value["content"]["text"] for one in entries] == [
        "first",
        "second",
        "staged",
        "closed",
    ]
    assert entries[-1].cursor == entries[-2].cursor
    assert [one.head for one in entries] == [False, False, False, True]


def test_a_published_unit_is_exported_and_comes_back(place: Place, tmp_path: Path) -> None:
    stage(place)
    with open_store(place.root, prefix="c") as store:
        base = list(store.read(UNIT, NOTE).versions)
        store.update({**CLOSING, "base_versions": base}, NOTE, sample_knowledge("closed"))

    path = tmp_path / "all.jsonl"
    path.write_bytes(exported(place))
    open_store(tmp_path / "empty").close()
    empty = find_place(tmp_path / "empty")
    assert import_file(empty, path, now_ms=lambda: SAMPLE_NOW_MS).problems == ()
    assert exported(empty) == path.read_bytes()
    assert fsck(empty).problems == ()
