"""The artifact folder as files: which objects there are, which are named, and what they hold."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from talebearer.errors import StoreCorrupt
from talebearer.store._engine import file_fault
from talebearer.store.upkeep._access import Reading

CHUNK_BYTES = 1024 * 1024
PART = ".part"
FileKind = Literal["object", "part", "stray"]
_DIGEST = re.compile(r"sha256:([0-9a-f]{2})([0-9a-f]{62})")
_FIRST = re.compile(r"[0-9a-f]{2}")
_REST = re.compile(r"[0-9a-f]{62}")
_ARTIFACTS = """
FROM patchouli_entity_version AS v
WHERE entity_type = 'artifact' AND state = 'active'
    AND json_extract(value_json, '$.placement.kind') = 'managed'
"""
_KEY = "json_extract(value_json, '$.placement.key')"
NAMED_DIGESTS = f"""
SELECT json_extract(value_json, '$.digest') {_ARTIFACTS}
UNION ALL
SELECT {_KEY} {_ARTIFACTS}
UNION ALL
SELECT substr({_KEY}, 1, instr({_KEY}, '/') - 1) || ':' || substr({_KEY}, instr({_KEY}, '/') + 1)
{_ARTIFACTS}
"""
"""Every digest that a stored version names, by itself or in the key of its placement."""
_NAMED = f"""
SELECT entity_type, entity_id, version,
    json_extract(value_json, '$.digest'), json_extract(value_json, '$.byte_length'),
    json_extract(value_json, '$.placement.provider'), json_extract(value_json, '$.placement.key'),
    scope_json, published_cursor IS NOT NULL,
    EXISTS (SELECT 1 FROM patchouli_entity_head AS h
        WHERE h.scope_json = v.scope_json AND h.entity_type = v.entity_type
            AND h.entity_id = v.entity_id AND h.version = v.version)
{_ARTIFACTS}
ORDER BY row_id
"""  # noqa: S608  # made of constants


class Named(NamedTuple):
    """Bytes that a stored version names, published or staged."""

    entity_type: str
    entity_id: str
    version: str
    digest: str
    byte_length: int
    provider: str
    key: str
    scope_json: str
    published: bool
    head: bool


def named_bytes(reading: Reading) -> Iterator[Named]:
    """Yield every naming of managed bytes, of all stored versions, published or staged."""
    for row in reading.each(_NAMED):
        yield Named(*row)


def object_path(artifacts: Path, digest: str) -> Path | None:
    """Return where the bytes of *digest* stand, or None if that is no digest."""
    match = _DIGEST.fullmatch(digest)
    return artifacts / "objects" / "sha256" / match[1] / match[2] if match else None


def walk_files(artifacts: Path) -> Iterator[tuple[FileKind, str, Path]]:
    """Yield every file of the artifact folder in the order of the names.

    With each comes what it is: an object, with its digest; an unfinished upload; or anything else.
    """
    shelves = artifacts / "objects" / "sha256"
    for path in _files(artifacts):
        shelf, name = path.parent.name, path.name
        if path.parent.parent == shelves and _FIRST.fullmatch(shelf) and _REST.fullmatch(name):
            yield "object", f"sha256:{shelf}{name}", path
        elif path.parent == artifacts / "uploads" and path.suffix == PART:
            yield "part", "", path
        else:
            yield "stray", "", path


def _files(folder: Path) -> Iterator[Path]:
    """Yield all files below *folder* in the order of their names; links are not followed."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield Path(root) / name


def hash_file(path: Path) -> tuple[str, int]:
    """Return the digest and the length of a file, read in pieces.

    Raises:
        StoreCorrupt: It is missing (TB207).
        StoreUnavailable: The file system refuses (TB210).
    """
    hasher, length = hashlib.sha256(), 0
    try:
        with path.open("rb", buffering=0) as file:
            while piece := file.read(CHUNK_BYTES):
                hasher.update(piece)
                length += len(piece)
    except FileNotFoundError:
        raise StoreCorrupt(
            f"{path} is missing", hint="put it back from a backup", data={"file": str(path)}
        ) from None
    except OSError as error:
        raise file_fault(error, path=path) from error
    return f"sha256:{hasher.hexdigest()}", length
