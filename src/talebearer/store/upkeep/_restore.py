"""Restoring a backup into a new place, where the change feed begins a new epoch.

Whoever followed the store that was lost may have seen changes after the backup. If the restored store
went on counting from the backup's cursor, the same cursor would come to mean another change, and
such a follower would miss it without a word. So a restored store counts on from the moment of its
restore, as milliseconds times :data:`EPOCH`, and says that everything before is pruned: every
earlier cursor is expired, also those of another restore of the same backup. No store makes
:data:`EPOCH` changes in a millisecond, so its count stays behind the clock.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from talebearer.errors import Problem, Severity, TalebearerError, UsageFault, Where
from talebearer.errors.findings_store import BACKUP_DIFFERS
from talebearer.store._engine import engine_fault
from talebearer.store._open import WriterLock, sync_folder
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._facts import facts_of
from talebearer.store.upkeep._files import (
    copy_file,
    make_folder,
    sync_file,
    sync_tree,
    write_document,
)
from talebearer.store.upkeep._manifest import DATABASE_FILE, load_manifest
from talebearer.store.upkeep._objects import hash_file, object_path
from talebearer.store.upkeep._place import CONFIG_NAME, DATABASE_NAME, PROVIDERS_NAME, Place
from talebearer.store.upkeep._progress import Progress, silent

EPOCH = 10**5
"""How far apart the cursors begin that stores restored in two neighbouring milliseconds count from."""
ALL_SCOPES = ""
"""The retention row of scopes that have no changes yet; no scope's canonical text is empty."""

_LAST_EPOCH = 9 * 10**12
"""The year 2255: cursors have up to 18 digits, and a tenth of them is left above it."""
_RESTORED_ARTIFACTS = "artifacts.restored"
_NEW_EPOCH = """
DELETE FROM patchouli_change;
DELETE FROM patchouli_change_retention;
INSERT INTO patchouli_change_retention SELECT scope_json, {base} FROM patchouli_scope_frontier;
INSERT INTO patchouli_change_retention VALUES ('', {base});
UPDATE patchouli_scope_frontier SET cursor = {base};
DELETE FROM sqlite_sequence WHERE name = 'patchouli_change';
INSERT INTO sqlite_sequence (name, seq) VALUES ('patchouli_change', {base});
UPDATE patchouli_runtime_state SET running = 0;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """What a restore did.

    Attributes:
        folder: Where the store is now; empty where nothing was put in place.
        problems: How the backup differs from its manifest; with any, nothing was put in place.
        verified: Whether database, counts, heads and bytes were looked at again in the new place.
        heads: How many heads there are.
        objects: How many artifacts' bytes there are.
        lacking: Digests whose bytes the backup never had.
        old_cursor: The last cursor that the backup knew; it and all before it are expired.
        cursor: Where the feed goes on: a follower starts there after reading the current state.
    """

    folder: str
    problems: tuple[Problem, ...]
    verified: bool
    heads: int
    objects: int
    lacking: tuple[str, ...]
    old_cursor: str
    cursor: str


def restore(
    source: Path,
    root: Path,
    *,
    now_ms: Callable[[], int],
    verify: bool = False,
    progress: Progress | None = None,
) -> RestoreReport:
    """Restore the backup in *source* into *root*, which has no store yet.

    Every file's digest is checked while it is copied. The store appears whole or not at all.

    Args:
        source: The folder of a finished backup.
        root: The new root, or for a campaign's backup the campaign's folder.
        now_ms: The clock, in Unix milliseconds; the feed's new epoch begins there.
        verify: Also look at the copy: SQLite's integrity check, references, the counts, heads and
            cursors of the manifest, and every object's digest again, from the new place.
        progress: Told (stage, done, total).

    Raises:
        UsageFault: There is a store at *root* (TB111).
        StoreUnavailable: *source* is no finished backup, or the file system refuses (TB210).
        StoreFull: There is no space; nothing is left behind (TB206).
    """
    manifest = load_manifest(source)
    told = progress or silent
    place = _new_place(root, campaign=manifest["layout"] == "campaign")
    make_folder(place.database.parent)
    lock = WriterLock(place.database.with_name(place.database.name + ".lock"))
    work = Place(
        root=place.root,
        database=place.database.with_name(place.database.name + ".new"),
        artifacts=place.artifacts.with_name(_RESTORED_ARTIFACTS),
    )
    try:
        _discard(work)
        problems = list(_fill(source, work, manifest, verify=verify, told=told))
        cursor = manifest["feed"]["cursor"]
        if not problems:
            cursor = str(_begin_epoch(work, int(cursor), now_ms=now_ms()))
            _put_in_place(source, work, place, manifest)
    finally:
        _discard(work)
        lock.release()
    return RestoreReport(
        folder="" if problems else str(root),
        problems=tuple(problems),
        verified=verify,
        heads=manifest["heads"]["count"],
        objects=len(manifest["artifacts"]),
        lacking=tuple(manifest["lacking"]),
        old_cursor=manifest["feed"]["cursor"],
        cursor=cursor,
    )


def _new_place(root: Path, *, campaign: bool) -> Place:
    if campaign:
        place = Place(root=root, database=root / DATABASE_NAME, artifacts=root / "artifacts")
    else:
        place = Place(
            root=root,
            database=root / "data" / DATABASE_NAME,
            artifacts=root / "data" / "artifacts",
            config=root / CONFIG_NAME,
            providers=root / PROVIDERS_NAME,
        )
    there = [place.database] if place.database.exists() else []
    there += (
        [place.artifacts] if place.artifacts.exists() and any(place.artifacts.iterdir()) else []
    )
    there += [
        path for path in (place.config, place.providers) if path is not None and path.exists()
    ]
    if there:
        raise UsageFault(
            f"{', '.join(map(str, there))} is there already", hint="restore into a new place"
        )
    return place


def _fill(
    source: Path, work: Place, manifest: dict[str, Any], *, verify: bool, told: Progress
) -> Iterator[Problem]:
    """Copy everything to the side of its place; yield each way in which it is not as recorded."""
    told("database", 0, 1)
    yield from _copied(source / DATABASE_FILE, work.database, manifest["database"])
    for entry in manifest["settings"]:
        yield from _as_recorded(source / entry["file"], entry)
    total = len(manifest["artifacts"])
    make_folder(work.artifacts / "objects" / "sha256")
    for done, entry in enumerate(manifest["artifacts"]):
        told("bytes", done, total)
        old = object_path(source / "artifacts", entry["digest"])
        new = object_path(work.artifacts, entry["digest"])
        assert old is not None, "the manifest's schema has looked"
        assert new is not None, "as above"
        make_folder(new.parent)
        yield from _copied(old, new, entry)
    if verify and work.database.exists():
        yield from _verified(work, manifest, told)


def _copied(old: Path, new: Path, entry: dict[str, Any]) -> Iterator[Problem]:
    if not old.is_file():
        yield _differs(old, "is missing")
        return
    yield from _unlike(old, copy_file(old, new), entry)


def _as_recorded(path: Path, entry: dict[str, Any]) -> Iterator[Problem]:
    if not path.is_file():
        yield _differs(path, "is missing")
        return
    yield from _unlike(path, hash_file(path), entry)


def _unlike(old: Path, found: tuple[str, int], entry: dict[str, Any]) -> Iterator[Problem]:
    digest, length = found
    if found != (entry["digest"], entry["byte_length"]):
        message = f"has {length} bytes of {digest}; recorded are {entry['byte_length']} of {entry['digest']}"
        yield _differs(old, message)


def _verified(work: Place, manifest: dict[str, Any], told: Progress) -> Iterator[Problem]:
    """Look at the copies in their new place, before anything about them is changed."""
    told("verifying the database", 0, 0)
    try:
        with Reading(work) as reading:
            for (text,) in reading.each("PRAGMA integrity_check(100)"):
                if text != "ok":
                    yield _differs(work.database, str(text))
            for table, row_id, parent, _ in reading.each("PRAGMA foreign_key_check"):
                yield _differs(work.database, f"{table}[{row_id}] refers to nothing in {parent}")
            for name, value in facts_of(reading).items():
                if value != manifest[name]:
                    yield _differs(
                        work.database, f"{name}: has {value}, recorded are {manifest[name]}"
                    )
    except TalebearerError as error:
        yield _differs(work.database, error.message)
    total = len(manifest["artifacts"])
    for done, entry in enumerate(manifest["artifacts"]):
        told("verifying bytes", done, total)
        path = object_path(work.artifacts, entry["digest"])
        if path is not None and path.exists() and hash_file(path)[0] != entry["digest"]:
            yield _differs(path, "is not what was written a moment ago")


def _begin_epoch(work: Place, last_cursor: int, *, now_ms: int) -> int:
    # A clock that stands before the backup's own epoch was set back.
    base = max(min(now_ms, _LAST_EPOCH), last_cursor // EPOCH + 1) * EPOCH
    connection = apsw.Connection(str(work.database), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with connection:
            connection.execute(_NEW_EPOCH.format(base=base)).fetchall()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except apsw.Error as error:
        raise engine_fault(
            error, path=work.database, system_errno=connection.system_errno
        ) from error
    finally:
        connection.close()
    for end in ("-wal", "-shm"):
        work.database.with_name(work.database.name + end).unlink(missing_ok=True)
    sync_file(work.database)
    return base


def _put_in_place(source: Path, work: Place, place: Place, manifest: dict[str, Any]) -> None:
    """Move what is complete to where it belongs; the database comes last and makes it a store."""
    make_folder(work.artifacts / "uploads")
    sync_tree(work.artifacts)
    if place.artifacts.exists():
        place.artifacts.rmdir()
    work.artifacts.rename(place.artifacts)
    for entry in manifest["settings"]:
        if entry["file"] == PROVIDERS_NAME:
            _write_providers(source / PROVIDERS_NAME, place)
        else:
            copy_file(source / entry["file"], place.root / entry["file"])
    if place.config is not None:
        make_folder(place.run)
    work.database.rename(place.database)
    sync_folder(place.database.parent)
    sync_folder(place.root)


def _write_providers(source: Path, place: Place) -> None:
    """Write the providers file so that its local database is the restored one and no other."""
    document = json.loads(source.read_text(encoding="utf-8"))
    document["providers"]["local"]["database"] = place.database.relative_to(place.root).as_posix()
    write_document(place.root / PROVIDERS_NAME, document)


def _discard(work: Place) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        work.database.with_name(work.database.name + end).unlink(missing_ok=True)
    shutil.rmtree(work.artifacts, ignore_errors=True)


def _differs(path: Path, message: str) -> Problem:
    return Problem(
        code=BACKUP_DIFFERS,
        severity=Severity.ERROR,
        where=Where(file=str(path)),
        message=message,
        hint="use another backup",
    )
