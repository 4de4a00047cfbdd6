"""Import: an export read twice, once to find all that is wrong, once to write it as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from talebearer.errors import Problem, StoreError, UsageFault
from talebearer.errors.findings_store import IMPORT_LACKS
from talebearer.store._engine import Database
from talebearer.store._open import open_database
from talebearer.store.artifacts import Blobs
from talebearer.store.policy import DEFAULT_POLICY, Policy
from talebearer.store.upkeep._indexing import catch_up
from talebearer.store.upkeep._objects import hash_file, object_path
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep._progress import Progress, silent
from talebearer.store.upkeep.transfer._apply import Application
from talebearer.store.upkeep.transfer._lines import Found, read_lines
from talebearer.store.upkeep.transfer._plan import OnConflict, make_plan
from talebearer.store.upkeep.transfer._survey import Survey, find_lacks

_BYTES = """
SELECT min(line), a, b, c FROM incoming_need
WHERE kind = 'bytes' AND a NOT IN (SELECT digest FROM incoming_bytes)
GROUP BY a, b, c ORDER BY min(line)
"""
REPORT_EVERY = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, or would do.

    Attributes:
        dry_run: Whether nothing was written.
        problems: Everything that is wrong, at most 1,000; with any, nothing was imported.
        more: How many further problems are not listed.
        plan: How many entities are ``new``, ``continue``, ``same``, or in conflict and ``skip``,
            ``replace``, ``keep-both`` or ``fail``.
        versions: How many versions were written.
        changes: How many changes the feed got.
        objects: How many artifacts' bytes were new.
    """

    dry_run: bool
    problems: tuple[Problem, ...]
    more: int
    plan: Mapping[str, int]
    versions: int = 0
    changes: int = 0
    objects: int = 0


def import_file(
    place: Place,
    path: Path,
    *,
    now_ms: Callable[[], int],
    on_conflict: OnConflict = OnConflict.FAIL,
    policy: Policy = DEFAULT_POLICY,
    node_id: str = "local",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import an export as a whole, or, if anything is wrong with it, not at all.

    Importing the same file again changes nothing.

    Args:
        place: The store.
        path: The file; it is read twice, so it cannot be a pipe.
        now_ms: The clock, Unix milliseconds: when the changes entered this store.
        on_conflict: What holds where both sides changed an entity.
        policy: The store's types and scope fields.
        node_id: The placement provider whose bytes are kept here.
        dry_run: Find all problems and tell the plan; this may run beside a writer.
        progress: Told (stage, done, total).

    Raises:
        UsageFault: *path* is a pipe, a folder, or ``-`` (TB111).
        ForeignDatabase: The file is no export, or the database is another program's (TB202).
        SchemaTooNew: One of them is of a newer version (TB201).
        StoreLocked: A writer has the store (TB203).
        StoreFull: There is no space; nothing was imported (TB206).
        StoreUnavailable: The file system refuses (TB210).
    """
    _check_readable_twice(path)
    told = progress or silent
    opened = open_database(place.database, read_only=dry_run)
    try:
        found = Found(path)
        plan = _survey(opened.database, place, path, found, on_conflict, policy, node_id, told)
        problems, more = tuple(found.problems), found.more
        if problems or dry_run:
            return ImportReport(dry_run=dry_run, problems=problems, more=more, plan=plan)
        blobs = Blobs(place.artifacts)
        blobs.prepare()
        done = _apply(opened.database, blobs, path, now_ms, told)
        with suppress(StoreError):
            # All is imported; what a full disk leaves unindexed, a search looks at.
            catch_up(opened.database, told)
        return ImportReport(
            dry_run=False,
            problems=(),
            more=0,
            plan=plan,
            versions=done.versions,
            changes=done.changes,
            objects=done.objects,
        )
    finally:
        opened.database.close()
        if opened.lock is not None:
            opened.lock.release()


def _survey(
    database: Database,
    place: Place,
    path: Path,
    found: Found,
    choice: OnConflict,
    policy: Policy,
    node_id: str,
    told: Progress,
) -> dict[str, int]:
    survey = Survey(database, policy, found)
    with database.reading():
        database.run("BEGIN")
        try:
            number = 0
            for line in read_lines(path, found):
                survey.take(line)
                number = line.number
                if number % REPORT_EVERY == 0:
                    told("reading", number, 0)
            survey.end_bytes(number + 1)
            told("comparing", 0, 0)
            find_lacks(database, found, whole_history=survey.whole_history)
            _find_lacking_bytes(database, place, found, node_id)
            return make_plan(database, choice, found)
        finally:
            # The temporary tables are kept, and nothing else was written.
            database.run("COMMIT")


def _find_lacking_bytes(database: Database, place: Place, found: Found, node_id: str) -> None:
    for line, digest, provider, key in database.each(_BYTES):
        stands = object_path(place.artifacts, str(digest))
        there = stands is not None and stands.is_file() and hash_file(stands)[0] == digest
        if provider == node_id and not there:
            found.add(IMPORT_LACKS, f"the bytes {digest} ({key}) are nowhere", line=line)


def _apply(
    database: Database, blobs: Blobs, path: Path, now_ms: Callable[[], int], told: Progress
) -> Application:
    """Write it all in one transaction; a file that changed meanwhile is refused as a whole."""
    application = Application(database, blobs, now_ms=now_ms)
    again = Found(path)
    with database.batch():
        database.run("PRAGMA defer_foreign_keys = ON")
        for line in read_lines(path, again):
            application.take(line)
            if line.number % REPORT_EVERY == 0:
                told("writing", line.number, 0)
        application.end_bytes()
        for line in read_lines(path, again):
            if line.document["line"] == "transition":
                break
            application.parents(line)
        assert not again.problems, f"{path} was changed while it was imported"
        told("committing", 0, 0)
    return application


def _check_readable_twice(path: Path) -> None:
    if str(path) == "-" or (path.exists() and not path.is_file()):
        raise UsageFault(
            f"an import is read twice, so it cannot come from {path}",
            hint="write the export into a file first",
        )
