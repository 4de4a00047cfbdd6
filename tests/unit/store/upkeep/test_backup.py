"""Backups: whole, at one moment, beside the writer; and back again, into a new epoch."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from stores import FILES, META, NOTE, fill, open_store

from talebearer.errors import (
    CursorExpired,
    ForeignDatabase,
    InvalidRecord,
    SchemaTooNew,
    StoreCorrupt,
    StoreUnavailable,
    UsageFault,
)
from talebearer.store import EntityRef
from talebearer.store.upkeep import (
    EPOCH,
    BackupReport,
    Place,
    Reading,
    backup,
    find_place,
    fsck,
    history,
    restore,
)
from talebearer.testing import (
    SAMPLE_NOW_MS,
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    stepping_clock,
)

SCOPE = '{"user_id":"u","workspace_id":"w"}'


def save(place: Place, target: Path, **options: bool) -> BackupReport:
    return backup(place, target, now_ms=lambda: SAMPLE_NOW_MS, **options)


@pytest.fixture
def saved(place: Place, tmp_path: Path) -> Path:
    save(place, tmp_path / "backup")
    return tmp_path / "backup"


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.spec("KM-op-restore-verify")
def test_a_restored_store_is_the_one_that_was_backed_up(saved: Path, tmp_path: Path) -> None:
    report = restore(saved, tmp_path / "again", verify=True, now_ms=stepping_clock())
    assert report.problems == ()
    assert (report.heads, report.objects) == (9, 3)
    again = find_place(tmp_path / "again")
    assert fsck(again).problems == ()
    with open_store(again.root, prefix="w") as store:
        assert store.read(META, NOTE).value["content"]["text"] == "second"
        assert store.read(META, EntityRef("knowledge", "two")).state == "conflicted"
        assert [store.download(META, f"file{n}") for n in range(3)] == list(FILES)
        assert store.status()["recovered_after_unclean_shutdown"] is False
    with Reading(again) as reading:
        assert len(history(reading, SCOPE, NOTE)) == 2


def test_the_same_store_gives_the_same_bytes(place: Place, tmp_path: Path) -> None:
    save(place, tmp_path / "one")
    save(place, tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_backup_is_the_owners_only(saved: Path) -> None:
    modes = {path.stat().st_mode & 0o077 for path in [saved, *saved.rglob("*")]}
    assert modes == {0}


@pytest.mark.spec("KM-op-backup-online")
def test_a_backup_beside_a_busy_writer_has_what_was_acknowledged_before(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    begun, stop = threading.Event(), threading.Event()

    with open_store(tmp_path / "store") as store:
        fill(store)

        def write() -> None:
            while not stop.is_set():
                made = store.create(META, "knowledge", sample_knowledge("x" * 500))
                data = made.version.encode()
                store.upload(
                    META,
                    data,
                    media_type="a/b",
                    name=None,
                    metadata=sample_artifact_metadata(),
                    id=f"f{made.version}",
                )
                acknowledged.append(made.ref.id)
                if len(acknowledged) >= 50:
                    begun.set()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            assert begun.wait(30)
            before = list(acknowledged)
            save(find_place(tmp_path / "store"), tmp_path / "backup")
        finally:
            stop.set()
            writer.join()
    report = restore(tmp_path / "backup", tmp_path / "again", verify=True, now_ms=stepping_clock())
    assert report.problems == ()
    again = find_place(tmp_path / "again")
    assert fsck(again).sound
    with open_store(again.root, prefix="w") as store:
        there = [one.ref.id for one in store.list(META, "knowledge")]
    assert set(before) <= set(there)
    # What was written meanwhile is there up to one moment, and nothing after it.
    assert [one for one in acknowledged if one in there] == acknowledged[: len(set(there)) - 2]


@pytest.mark.spec("KM-op-restore-epoch")
def test_every_cursor_from_before_is_expired(saved: Path, place: Place, tmp_path: Path) -> None:
    with open_store(place.root, prefix="lost") as store:
        latest = store.changes(META)[-1].cursor
        for number in range(5):
            store.create(META, "knowledge", sample_knowledge(), id=f"lost{number}")
        lost = store.changes(META)[-1].cursor
        store.create(sample_meta("third"), "knowledge", sample_knowledge())
        elsewhere = store.changes(sample_meta("third"))[-1].cursor
    report = restore(saved, tmp_path / "again", now_ms=stepping_clock())
    assert report.cursor == str(SAMPLE_NOW_MS * EPOCH)
    with open_store(tmp_path / "again", prefix="w") as store:
        for cursor in ("0", "1", latest, lost):
            with pytest.raises(CursorExpired):
                store.changes(META, after_cursor=cursor)
        assert store.changes(META, after_cursor=report.cursor) == []
        for number in range(20):
            store.create(META, "knowledge", sample_knowledge(), id=f"new{number}")
            store.create(sample_meta("third"), "knowledge", sample_knowledge())
        for cursor in ("0", "1", latest, lost):
            with pytest.raises(CursorExpired):
                store.changes(META, after_cursor=cursor)
        with pytest.raises(CursorExpired):
            store.changes(sample_meta("third"), after_cursor=elsewhere)
        assert len(store.changes(META, after_cursor=report.cursor)) == 20
        assert store.open_feed(sample_meta("fourth")).cursor == report.cursor
    save(find_place(tmp_path / "again"), tmp_path / "second")
    assert restore(tmp_path / "second", tmp_path / "third", now_ms=stepping_clock()).cursor == str(
        (SAMPLE_NOW_MS + 1) * EPOCH
    )


@pytest.mark.spec("KM-op-restore-epoch")
def test_two_restores_of_one_backup_share_no_cursor(saved: Path, tmp_path: Path) -> None:
    """Who followed the first is told to begin anew, however much the second has written since."""
    cursors: dict[str, list[str]] = {}
    for number, name in enumerate(("first", "second")):
        clock = stepping_clock(SAMPLE_NOW_MS + number)
        restore(saved, tmp_path / name, now_ms=clock)
        with open_store(tmp_path / name, prefix=name) as store:
            for count in range(20):
                store.create(META, "knowledge", sample_knowledge(), id=f"{name}{count}")
            cursors[name] = [change.cursor for change in store.changes(META)]
            for cursor in cursors["first"] if name == "second" else ():
                with pytest.raises(CursorExpired):
                    store.changes(META, after_cursor=cursor)
    assert not set(cursors["first"]) & set(cursors["second"])


@pytest.mark.spec("KM-op-restore-epoch")
@pytest.mark.parametrize("now_ms", [0, -1, 2**63, 10**18])
def test_a_clock_beyond_reason_still_begins_a_new_epoch(
    saved: Path, tmp_path: Path, now_ms: int
) -> None:
    report = restore(saved, tmp_path / "again", now_ms=lambda: now_ms)
    with open_store(tmp_path / "again", prefix="w") as store:
        store.create(META, "knowledge", sample_knowledge(), id="new")
        (change,) = store.changes(META, after_cursor=report.cursor)
    assert int(report.old_cursor) < int(report.cursor) < int(change.cursor) < 10**18


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "talebearer.db").unlink(),
        lambda folder: flip(folder / "talebearer.db", 5_000),
        lambda folder: flip(largest(folder), 5),
        lambda folder: largest(folder).unlink(),
        lambda folder: os.truncate(largest(folder), 7),
    ],
)
def test_a_backup_that_is_not_as_recorded_is_not_restored(
    saved: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(saved)
    report = restore(saved, tmp_path / "again", verify=True, now_ms=stepping_clock())
    assert [problem.code for problem in report.problems][:1] == ["TB720"]
    assert files(tmp_path / "again").keys() <= {"talebearer.db.lock"}


def flip(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


def largest(folder: Path) -> Path:
    objects = [path for path in (folder / "artifacts").rglob("*") if path.is_file()]
    return max(objects, key=lambda path: path.stat().st_size)


def test_counts_and_heads_must_be_those_of_the_manifest(saved: Path, tmp_path: Path) -> None:
    path = saved / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["heads"]["count"] += 1
    manifest["counts"]["patchouli_change"] += 1
    path.write_text(json.dumps(manifest))
    report = restore(saved, tmp_path / "again", verify=True, now_ms=stepping_clock())
    assert [problem.message.split(":")[0] for problem in report.problems] == ["counts", "heads"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, StoreUnavailable),
        ("", ForeignDatabase),
        ("{", ForeignDatabase),
        ("[]", ForeignDatabase),
        ('{"format": "something"}', ForeignDatabase),
        ('{"format": "talebearer.backup", "version": 2}', SchemaTooNew),
        ('{"format": "talebearer.backup", "version": 1}', InvalidRecord),
    ],
)
def test_what_is_no_finished_backup_is_refused(
    saved: Path, tmp_path: Path, text: str | None, error: type[Exception]
) -> None:
    path = saved / "manifest.json"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(error):
        restore(saved, tmp_path / "again", now_ms=stepping_clock())
    assert not (tmp_path / "again").exists()


def test_nothing_is_overwritten(saved: Path, place: Place) -> None:
    before = files(place.root)
    with pytest.raises(UsageFault, match="there already"):
        restore(saved, place.root, now_ms=stepping_clock())
    with pytest.raises(UsageFault, match="there already"):
        save(place, saved)
    assert files(place.root) == before


def test_damaged_bytes_end_a_backup_unless_it_is_told_to_go_on(
    place: Place, tmp_path: Path
) -> None:
    flip(largest(place.root), 9)
    with pytest.raises(StoreCorrupt, match="1 artifacts"):
        save(place, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()
    assert len(save(place, tmp_path / "backup", damaged_too=True).lacking) == 1
    report = restore(tmp_path / "backup", tmp_path / "again", verify=True, now_ms=stepping_clock())
    assert (report.problems, len(report.lacking), report.objects) == ((), 1, 2)


def test_a_backup_that_was_cut_off_is_taken_away_by_the_next(place: Place, tmp_path: Path) -> None:
    rest = tmp_path / "backup.partial"
    rest.mkdir()
    (rest / "foreign").write_text("mine")
    with pytest.raises(UsageFault, match="in the way"):
        save(place, tmp_path / "backup")
    (rest / ".talebearer-unfinished").write_text("")
    save(place, tmp_path / "backup")
    assert not rest.exists()
    assert "foreign" not in files(tmp_path / "backup")


def test_a_root_comes_back_with_its_settings_and_its_own_database(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "data").mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere.db"
    providers = {"version": 1, "providers": {"local": {"database": str(elsewhere)}}}
    (root / "providers.json").write_text(json.dumps(providers))
    (root / "config.json").write_text("{}")
    with open_store(tmp_path / "made") as store:
        fill(store)
    (tmp_path / "made" / "talebearer.db").rename(elsewhere)
    (tmp_path / "made" / "artifacts").rename(root / "data" / "artifacts")
    save(find_place(root), tmp_path / "backup")
    assert (
        restore(
            tmp_path / "backup", tmp_path / "again", verify=True, now_ms=stepping_clock()
        ).problems
        == ()
    )
    again = find_place(tmp_path / "again")
    assert again.database == tmp_path / "again" / "data" / "talebearer.db"
    assert (again.config, again.run.is_dir()) == (tmp_path / "again" / "config.json", True)
    assert fsck(again).problems == ()
