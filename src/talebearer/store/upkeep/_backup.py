"""Online backup: a copy of the database at one moment, the bytes that it names, and a manifest.

The copy is made inside one read transaction, so a writer goes on undisturbed and the copy never has
to start again. The bytes come afterwards: what the copied versions name was in place before they
were committed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from talebearer.errors import StoreCorrupt
from talebearer.store._engine import engine_fault
from talebearer.store._schema_sql import SCHEMA_VERSION
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._facts import facts_of
from talebearer.store.upkeep._files import (
    copy_file,
    make_folder,
    new_file,
    sync_file,
    whole_folder,
    write_document,
)
from talebearer.store.upkeep._manifest import (
    DATABASE_FILE,
    MANIFEST_FORMAT,
    MANIFEST_NAME,
    MANIFEST_VERSION,
)
from talebearer.store.upkeep._objects import hash_file, named_bytes, object_path
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep._progress import Progress, silent

PAGES_PER_STEP = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """What a backup holds.

    Attributes:
        folder: Where it is.
        cursor: The feed's last cursor in it.
        heads: How many heads it has.
        objects: How many artifacts' bytes it has.
        object_bytes: What they hold together.
        lacking: Digests that are named, but damaged or missing in the store.
    """

    folder: str
    cursor: str
    heads: int
    objects: int
    object_bytes: int
    lacking: tuple[str, ...]


def backup(
    place: Place,
    target: Path,
    *,
    now_ms: Callable[[], int],
    node_id: str = "local",
    damaged_too: bool = False,
    progress: Progress | None = None,
) -> BackupReport:
    """Back the store up into a new folder; a writer may go on meanwhile.

    Args:
        place: The store.
        target: The backup's folder, new or empty; it appears when it is complete.
        now_ms: The clock, Unix milliseconds.
        node_id: The placement provider whose bytes are here.
        damaged_too: Go on where bytes are missing or damaged, and list them in the manifest.
        progress: Told (stage, done, total).

    Raises:
        UsageFault: There is something at *target* (TB111).
        StoreCorrupt: The database or bytes are damaged; ``data["files"]`` lists the bytes (TB207).
        StoreFull: There is no space; nothing is left behind (TB206).
        StoreUnavailable: The file system refuses (TB210).
    """
    told = progress or silent
    with whole_folder(target) as work, Reading(place) as reading:
        with reading.snapshot():
            _copy_database(reading, work / DATABASE_FILE, told)
            wanted = {one.digest for one in named_bytes(reading) if one.provider == node_id}
        objects, lacking = _copy_objects(place, work / "artifacts", sorted(wanted), told)
        if lacking and not damaged_too:
            raise StoreCorrupt(
                f"the bytes of {len(lacking)} artifacts are missing or damaged",
                hint="`talebearer store fsck` names them; --damaged-too backs up the rest",
                data={"files": [str(object_path(place.artifacts, one)) for one in lacking]},
            )
        manifest = {
            "format": MANIFEST_FORMAT,
            "version": MANIFEST_VERSION,
            "schema_version": SCHEMA_VERSION,
            "layout": "campaign" if place.config is None else "root",
            "created_at_unix_ms": now_ms(),
            "artifacts": objects,
            "lacking": lacking,
            "settings": _copy_settings(place, work),
            **_database_facts(work / DATABASE_FILE, told),
        }
        write_document(work / MANIFEST_NAME, manifest)
    return BackupReport(
        folder=str(target),
        cursor=manifest["feed"]["cursor"],
        heads=manifest["heads"]["count"],
        objects=len(objects),
        object_bytes=sum(one["byte_length"] for one in objects),
        lacking=tuple(lacking),
    )


def _copy_database(reading: Reading, path: Path, told: Progress) -> None:
    with new_file(path):
        pass
    copy = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with copy.backup("main", reading.connection, "main") as steps:
            while not steps.done:
                steps.step(PAGES_PER_STEP)
                told("database", steps.page_count - steps.remaining, steps.page_count)
    except apsw.Error as error:
        raise engine_fault(error, path=path, system_errno=copy.system_errno) from error
    finally:
        copy.close()


def _copy_objects(
    place: Place, target: Path, digests: list[str], told: Progress
) -> tuple[list[dict[str, Any]], list[str]]:
    """Copy objects, checked against their digest; return those that are sound, and the rest."""
    copied: list[dict[str, Any]] = []
    lacking: list[str] = []
    make_folder(target / "objects" / "sha256")
    make_folder(target / "uploads")
    for done, digest in enumerate(digests):
        told("bytes", done, len(digests))
        source, path = object_path(place.artifacts, digest), object_path(target, digest)
        if source is None or path is None or not source.is_file():
            lacking.append(digest)
            continue
        make_folder(path.parent)
        actual, length = copy_file(source, path)
        if actual != digest:
            path.unlink()
            lacking.append(digest)
        else:
            copied.append({"digest": digest, "byte_length": length})
    return copied, lacking


def _copy_settings(place: Place, work: Path) -> list[dict[str, Any]]:
    copied = []
    for source in (place.config, place.providers):
        if source is not None and source.is_file():
            digest, length = copy_file(source, work / source.name)
            copied.append({"file": source.name, "digest": digest, "byte_length": length})
    return copied


def _database_facts(path: Path, told: Progress) -> dict[str, Any]:
    """Check the copy and return what it holds; it is read from the copy, not from the store."""
    told("checking", 0, 0)
    with Reading(Place(root=path.parent, database=path, artifacts=path.parent)) as reading:
        (fault,) = reading.rows("PRAGMA quick_check(1)")[0]
        if fault != "ok":
            raise StoreCorrupt(
                f"the database is damaged: {fault}",
                hint="`talebearer store fsck` names what is damaged",
                data={"file": str(path)},
            )
        generation = reading.value("SELECT generation FROM patchouli_runtime_state")
        facts = facts_of(reading)
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    sync_file(path)
    digest, length = hash_file(path)
    entry = {"file": DATABASE_FILE, "digest": digest, "byte_length": length}
    return {**facts, "generation": generation, "database": entry}
