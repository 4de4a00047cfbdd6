"""Checks of the artifact folder: what versions name is there, and every file is what it says."""

from __future__ import annotations

import stat
from pathlib import Path

from talebearer.errors import Severity, TalebearerError
from talebearer.errors.findings_store import (
    DAMAGED_BYTES,
    MISSING_BYTES,
    OPEN_MODE,
    STRAY_FILE,
    UNNAMED_BYTES,
)
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._objects import hash_file, named_bytes, object_path, walk_files
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep.fsck._findings import Findings, entity_name

USERS_NAMED_MAX = 3
_WANTED = (
    "CREATE TEMP TABLE wanted (digest TEXT, entity_type TEXT, entity_id TEXT, version TEXT, "
    "byte_length INTEGER)",
    "CREATE INDEX wanted_digest ON wanted (digest, entity_type, entity_id)",
)
_IS_WANTED = "SELECT 1 FROM wanted WHERE digest = ? LIMIT 1"
_OTHERS = """
SELECT entity_type, entity_id, version, byte_length FROM wanted
WHERE digest = ? AND byte_length IS NOT ? ORDER BY entity_type, entity_id, version
"""
_USERS = """
SELECT DISTINCT entity_type, entity_id FROM wanted WHERE digest = ?
ORDER BY entity_type, entity_id LIMIT ?
"""
_USERS_COUNT = """
SELECT count(*) FROM (SELECT DISTINCT entity_type, entity_id FROM wanted WHERE digest = ?)
"""
_OF_OTHERS = 0o077
_SIDE_FILES = ("", "-wal", "-shm", ".lock")


def check_bytes(reading: Reading, findings: Findings, *, node_id: str) -> None:
    """Look for the bytes that versions name, hash every object, and list what nothing names."""
    artifacts = reading.place.artifacts
    with findings.stage("bytes"):
        _note_wanted(reading, findings, node_id=node_id)
        total = sum(kind == "object" for kind, _, _ in walk_files(artifacts))
        done = unnamed = unnamed_bytes = 0
        for kind, digest, path in walk_files(artifacts):
            if kind == "stray":
                findings.add(
                    STRAY_FILE,
                    "is no object and no upload",
                    file=str(path),
                    severity=Severity.WARNING,
                )
            elif kind == "object":
                findings.report("bytes", done, total)
                done += 1
                _check_object(reading, findings, digest, path)
                if not reading.rows(_IS_WANTED, (digest,)):
                    unnamed += 1
                    unnamed_bytes += path.stat().st_size
        _find_missing(reading, findings)
        if unnamed:
            message = f"{unnamed} objects of {unnamed_bytes:,} bytes are named by no stored version"
            findings.add(UNNAMED_BYTES, message, file=str(artifacts), severity=Severity.NOTE)


def check_modes(place: Place, findings: Findings) -> None:
    """List files of the store that others than the owner can reach."""
    names = [place.database.with_name(place.database.name + end) for end in _SIDE_FILES]
    for path in (*names, place.artifacts):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & _OF_OTHERS:
            mode = stat.filemode(path.stat().st_mode)
            findings.add(
                OPEN_MODE,
                f"its mode is {mode}",
                file=str(path),
                severity=Severity.WARNING,
                hint=f"chmod go= {path}",
            )


def _note_wanted(reading: Reading, findings: Findings, *, node_id: str) -> None:
    """Note in a table beside the store which bytes this node should hold, and for whom."""
    for statement in _WANTED:
        reading.rows(statement)
    for one in named_bytes(reading):
        if one.provider != node_id:
            continue
        path = object_path(reading.place.artifacts, one.digest)
        if path is None or one.key != one.digest.replace(":", "/", 1):
            name = entity_name(one.entity_type, one.entity_id, one.version)
            message = f"names the key {one.key!r}, which is not that of {one.digest}"
            findings.add(MISSING_BYTES, message, row=name)
            continue
        row = (one.digest, one.entity_type, one.entity_id, one.version, one.byte_length)
        reading.rows("INSERT INTO wanted VALUES (?, ?, ?, ?, ?)", row)


def _check_object(reading: Reading, findings: Findings, digest: str, path: Path) -> None:
    """Hash one object, and compare its length with what versions say of it."""
    try:
        actual, length = hash_file(path)
    except TalebearerError as error:
        message = f"cannot be read: {error.message}{_users(reading, digest)}"
        findings.add(DAMAGED_BYTES, message, file=str(path))
        return
    if actual != digest:
        message = f"its {length} bytes have {actual}{_users(reading, digest)}"
        findings.add(DAMAGED_BYTES, message, file=str(path))
        return
    for entity_type, entity_id, version, byte_length in reading.each(_OTHERS, (digest, length)):
        name = entity_name(entity_type, entity_id, version)
        message = f"{name} says {byte_length} bytes; there are {length}"
        findings.add(DAMAGED_BYTES, message, file=str(path))


def _find_missing(reading: Reading, findings: Findings) -> None:
    for (digest,) in reading.each("SELECT DISTINCT digest FROM wanted ORDER BY digest"):
        path = object_path(reading.place.artifacts, str(digest))
        if path is None or not path.is_file():
            message = f"is missing{_users(reading, str(digest))}"
            findings.add(MISSING_BYTES, message, file=str(path))


def _users(reading: Reading, digest: str) -> str:
    """Return which entities need these bytes, in a few words."""
    names = [entity_name(*row) for row in reading.rows(_USERS, (digest, USERS_NAMED_MAX))]
    if not names:
        return ""
    left = int(reading.value(_USERS_COUNT, (digest,))) - len(names)
    more = f" and {left} more" if left > 0 else ""
    return f"; needed by {', '.join(names)}{more}"
