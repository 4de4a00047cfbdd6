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
from talebearer.store.upkeep._objects import (
    Files,
    Named,
    hash_file,
    list_files,
    named_bytes,
    object_path,
)
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep.fsck._findings import Findings, entity_name

_OTHERS = 0o077
_SIDE_FILES = ("", "-wal", "-shm", ".lock")


def check_bytes(reading: Reading, findings: Findings, *, node_id: str) -> None:
    """Look for the bytes that versions name, hash every object, and list what nothing names."""
    artifacts = reading.place.artifacts
    with findings.stage("bytes"):
        named = _named(reading, findings, node_id=node_id)
        files = list_files(artifacts)
        lengths = _hash_all(files, named, findings)
        for digest, wanted in named.items():
            _check_named(digest, wanted, lengths, findings, artifacts=artifacts)
        unnamed = [digest for digest in files.objects if digest not in named]
        if unnamed:
            size = sum(files.objects[digest].stat().st_size for digest in unnamed)
            message = f"{len(unnamed)} objects of {size:,} bytes are named by no stored version"
            findings.add(UNNAMED_BYTES, message, file=str(artifacts), severity=Severity.NOTE)
        for path in files.stray:
            findings.add(
                STRAY_FILE, "is no object and no upload", file=str(path), severity=Severity.WARNING
            )


def check_modes(place: Place, findings: Findings) -> None:
    """List files of the store that others than the owner can reach."""
    names = [place.database.with_name(place.database.name + end) for end in _SIDE_FILES]
    for path in (*names, place.artifacts):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & _OTHERS:
            mode = stat.filemode(path.stat().st_mode)
            findings.add(
                OPEN_MODE,
                f"its mode is {mode}",
                file=str(path),
                severity=Severity.WARNING,
                hint=f"chmod go= {path}",
            )


def _named(reading: Reading, findings: Findings, *, node_id: str) -> dict[str, list[Named]]:
    """Return what this node should hold, by digest."""
    named: dict[str, list[Named]] = {}
    for one in named_bytes(reading):
        if one.provider != node_id:
            continue
        if object_path(
            reading.place.artifacts, one.digest
        ) is None or one.key != one.digest.replace(":", "/", 1):
            name = entity_name(one.entity_type, one.entity_id, one.version)
            message = f"names the key {one.key!r}, which is not that of {one.digest}"
            findings.add(MISSING_BYTES, message, row=name)
            continue
        named.setdefault(one.digest, []).append(one)
    return named


def _hash_all(files: Files, named: dict[str, list[Named]], findings: Findings) -> dict[str, int]:
    """Return the length of every sound object; what is damaged becomes a finding."""
    lengths: dict[str, int] = {}
    for done, (digest, path) in enumerate(files.objects.items()):
        findings.report("bytes", done, len(files.objects))
        users = _users(named.get(digest, []))
        try:
            actual, length = hash_file(path)
        except TalebearerError as error:
            findings.add(DAMAGED_BYTES, f"cannot be read: {error.message}{users}", file=str(path))
            lengths[digest] = -1
            continue
        lengths[digest] = length if actual == digest else -1
        if actual != digest:
            findings.add(DAMAGED_BYTES, f"its {length} bytes have {actual}{users}", file=str(path))
    return lengths


def _check_named(
    digest: str,
    wanted: list[Named],
    lengths: dict[str, int],
    findings: Findings,
    *,
    artifacts: Path,
) -> None:
    path = object_path(artifacts, digest)
    if digest not in lengths:
        findings.add(MISSING_BYTES, f"is missing{_users(wanted)}", file=str(path))
        return
    for one in wanted:
        if lengths[digest] >= 0 and one.byte_length != lengths[digest]:
            name = entity_name(one.entity_type, one.entity_id, one.version)
            message = f"{name} says {one.byte_length} bytes; there are {lengths[digest]}"
            findings.add(DAMAGED_BYTES, message, file=str(path))


def _users(wanted: list[Named]) -> str:
    """Return which entities need these bytes, in a few words."""
    names = sorted({entity_name(one.entity_type, one.entity_id) for one in wanted})
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"; needed by {', '.join(names[:3])}{more}"
