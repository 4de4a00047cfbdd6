"""Clearing up: bytes that no stored version names, once they are old enough.

Bytes are in place before the version that names them is committed, and stay behind when that
commit never comes. They also stay when nothing names them any more because a work unit expired.
The grace period keeps what a writer may still be about to name; that, and the writer's lock, which
is held while files are removed, is why nothing that is needed can go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from talebearer.errors import StoreLocked
from talebearer.store._engine import file_fault
from talebearer.store._open import WriterLock, sync_folder
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._objects import NAMED_DIGESTS, PART, walk_files
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep._progress import Progress, silent

GRACE_SECONDS_DEFAULT = 24 * 60 * 60
REPORT_EVERY = 1_000
_NOTE_NAMES = (
    "CREATE TEMP TABLE named (digest TEXT PRIMARY KEY) WITHOUT ROWID",
    f"INSERT OR IGNORE INTO named {NAMED_DIGESTS}",
)
_IS_NAMED = "SELECT 1 FROM named WHERE digest = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class GcReport:
    """What was removed, or would be.

    Attributes:
        dry_run: Whether nothing was removed.
        removed: Names of the files, below the artifact folder, in order.
        removed_bytes: What they held together.
        young: How many more nothing names, but are inside the grace period.
        kept: How many objects are named.
    """

    dry_run: bool
    removed: tuple[str, ...]
    removed_bytes: int
    young: int
    kept: int


def gc(
    place: Place,
    *,
    now_ms: Callable[[], int],
    grace_seconds: int = GRACE_SECONDS_DEFAULT,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> GcReport:
    """Remove objects and unfinished uploads that no stored version names, published or staged.

    Args:
        place: The store.
        now_ms: The clock, Unix milliseconds; it is compared with the files' times.
        grace_seconds: Leave what was written or reused within this time.
        dry_run: Only tell; this may run beside the writer.
        progress: Told (stage, done, total).

    Raises:
        StoreLocked: A writer has the store; nothing was removed (TB203).
        StoreCorrupt: What versions name cannot be read, so nothing was removed (TB207).
        StoreUnavailable: The file system refuses (TB210).
    """
    collect = partial(
        _collect, place, grace_seconds=grace_seconds, dry_run=dry_run, told=progress or silent
    )
    if dry_run:
        return collect(now_ms=now_ms())
    try:
        lock = WriterLock(place.database.with_name(place.database.name + ".lock"))
    except StoreLocked as error:
        hint = "end it first (`talebearer stop` ends a daemon); --dry-run may run beside it"
        raise StoreLocked(error.message, hint=hint, data=error.data) from None
    try:
        return collect(now_ms=now_ms())
    finally:
        lock.release()


def _collect(
    place: Place, *, now_ms: int, grace_seconds: int, dry_run: bool, told: Progress
) -> GcReport:
    unnamed: list[Path] = []
    kept = 0
    with Reading(place) as reading, reading.snapshot():
        told("names", 0, 0)
        # Whoever holds the bytes, and whichever of digest and key is right: what is named stays.
        for statement in _NOTE_NAMES:
            reading.rows(statement)
        for done, (kind, digest, path) in enumerate(walk_files(place.artifacts)):
            if done % REPORT_EVERY == 0:
                told("files", done, 0)
            if kind == "part" or (kind == "object" and not reading.rows(_IS_NAMED, (digest,))):
                unnamed.append(path)
            kept += kind == "object"
    candidates = sorted(unnamed)
    kept -= sum(path.suffix != PART for path in candidates)
    oldest_ms = now_ms - grace_seconds * 1000
    old = [path for path in candidates if path.stat().st_mtime_ns // 1_000_000 <= oldest_ms]
    sizes = sum(path.stat().st_size for path in old)
    if not dry_run:
        _remove(old)
    return GcReport(
        dry_run=dry_run,
        removed=tuple(path.relative_to(place.artifacts).as_posix() for path in old),
        removed_bytes=sizes,
        young=len(candidates) - len(old),
        kept=kept,
    )


def _remove(paths: list[Path]) -> None:
    try:
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in sorted({path.parent for path in paths}):
            sync_folder(folder)
    except OSError as error:
        raise file_fault(error, path=paths[0]) from error
