"""Checks of merge changes, from their bytes alone: the hash, and which changes they stand on.

A change is one chunk: four magic bytes, the first four bytes of its hash, a type, a length, and its
content, which begins with the hashes of its parents. The hash is the SHA-256 of type, length and
content; a chunk of the compressed type is hashed as if it were not compressed. So damage is found,
and named, where the merge engine is not installed.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import Any

import apsw

from talebearer.errors import Severity, StoreCorrupt
from talebearer.errors.findings_store import (
    DAMAGED_CHANGE,
    DAMAGED_PAGE,
    NOT_CHECKED,
    WRONG_DOCUMENT,
    WRONG_PARENTS,
)
from talebearer.store._canonical import decode
from talebearer.store._model import EntityRef
from talebearer.store.merging import Documents, MergeEngine
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep.fsck._findings import Findings, entity_name

MAGIC = b"\x85\x6f\x4a\x83"
PLAIN = 1
COMPRESSED = 2
CONTENT_BYTES_MAX = 256 * 1024 * 1024
_HASH_BYTES = 32
_COUNT = "SELECT count(*) FROM patchouli_crdt_change"
_HASHES = "SELECT change_hash FROM patchouli_crdt_change ORDER BY change_hash"
_IS_THERE = "SELECT 1 FROM patchouli_crdt_change WHERE change_hash = ?"
_BYTES = "SELECT change_bytes FROM patchouli_crdt_change WHERE change_hash = ?"
_PARENTS = """
SELECT parent_hash FROM patchouli_crdt_change_parent WHERE change_hash = ? ORDER BY parent_hash
"""
_DOCUMENTED_COUNT = """
SELECT count(*) FROM (
    SELECT DISTINCT scope_json, entity_type, entity_id, version FROM patchouli_entity_crdt_head)
"""
_DOCUMENTED = """
SELECT scope_json, entity_type, entity_id, version, value_json FROM (
    SELECT DISTINCT scope_json, entity_type, entity_id, version FROM patchouli_entity_crdt_head)
JOIN patchouli_entity_version USING (scope_json, entity_type, entity_id, version)
"""
_USERS = """
SELECT entity_type, entity_id, version, field_path FROM patchouli_entity_crdt_head
WHERE change_hash = ? LIMIT 1
"""


class DamagedChange(ValueError):
    """Bytes that are no whole change."""


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """What the bytes of a change say of it: its hash and its parents, as hex."""

    hash: str
    parents: tuple[str, ...]


def read_change(chunk: bytes) -> ChangeFacts:
    """Return hash and parents of a change.

    Raises:
        DamagedChange: The bytes are no change, or not as they were written.
    """
    if chunk[:4] != MAGIC or len(chunk) < 10:
        raise DamagedChange("the bytes do not begin as a change does")
    kind = chunk[8]
    length, start = _number(chunk, 9)
    content = chunk[start:]
    if len(content) != length:
        raise DamagedChange(f"{len(content)} bytes of content where {length} are announced")
    if kind == COMPRESSED:
        content = _inflate(content)
    elif kind != PLAIN:
        raise DamagedChange(f"a chunk of type {kind}")
    digest = hashlib.sha256(bytes([PLAIN]) + _number_bytes(len(content)) + content).digest()
    if digest[:4] != chunk[4:8]:
        raise DamagedChange("the checksum does not fit the bytes")
    return ChangeFacts(digest.hex(), _parents(content))


def check_changes(reading: Reading, findings: Findings) -> None:
    """Hash every stored change and compare its parents with the recorded ones."""
    with findings.stage("merge changes"):
        total = int(reading.value(_COUNT))
        for done, (change_hash,) in enumerate(reading.each(_HASHES)):
            if done % 500 == 0:
                findings.report("merge changes", done, total)
            _check_change(reading, findings, str(change_hash))


def check_documents(reading: Reading, findings: Findings, engine: MergeEngine | None) -> None:
    """Build every version's merge documents from their changes, and compare them with its value."""
    with findings.stage("merge documents"):
        total = int(reading.value(_DOCUMENTED_COUNT))
        if not total:
            return
        if engine is None:
            message = f"the merge documents of {total} versions: the merge engine is not installed"
            hint = "pip install 'talebearer[merge]'"
            findings.add(
                NOT_CHECKED, message, row="merge documents", severity=Severity.NOTE, hint=hint
            )
            return
        documents = Documents(reading.database, engine)
        for done, row in enumerate(reading.each(_DOCUMENTED)):
            scope_json, entity_type, entity_id, version, value_json = row
            if done % 200 == 0:
                findings.report("merge documents", done, total)
            try:
                ref = EntityRef(str(entity_type), str(entity_id))
                value = None if value_json is None else decode(str(value_json))
                documents.of_version(str(scope_json), ref, str(version), value)
            except StoreCorrupt as error:
                name = entity_name(ref.type, ref.id, str(version))
                findings.add(WRONG_DOCUMENT, error.message, row=name)


def _check_change(reading: Reading, findings: Findings, change_hash: str) -> None:
    row = f"change {change_hash}"
    try:
        chunk: Any = reading.connection.execute(_BYTES, (change_hash,)).fetchall()[0][0]
    except apsw.Error as error:
        findings.add(DAMAGED_PAGE, f"cannot be read: {error}", row=row)
        return
    try:
        facts = read_change(chunk)
    except DamagedChange as fault:
        message = f"is damaged: {fault}{_user(reading, change_hash)}"
        findings.add(DAMAGED_CHANGE, message, row=row)
        return
    if facts.hash != change_hash:
        message = f"holds the bytes of change {facts.hash}{_user(reading, change_hash)}"
        findings.add(DAMAGED_CHANGE, message, row=row)
        return
    recorded = [parent for (parent,) in reading.rows(_PARENTS, (change_hash,))]
    if recorded != sorted(facts.parents):
        findings.add(WRONG_PARENTS, f"stands on {facts.parents}, recorded are {recorded}", row=row)
    for parent in facts.parents:
        if not reading.rows(_IS_THERE, (parent,)):
            findings.add(WRONG_PARENTS, f"stands on {parent}, which is missing", row=row)


def _user(reading: Reading, change_hash: str) -> str:
    found = reading.rows(_USERS, (change_hash,))
    if not found:
        return ""
    entity_type, entity_id, version, path = found[0]
    return f"; {entity_type} {entity_id!r} version {version} has it at {path}"


def _parents(content: bytes) -> tuple[str, ...]:
    count, start = _number(content, 0)
    end = start + count * _HASH_BYTES
    if end > len(content):
        raise DamagedChange(f"{count} parents do not fit into {len(content)} bytes")
    return tuple(content[at : at + _HASH_BYTES].hex() for at in range(start, end, _HASH_BYTES))


def _inflate(content: bytes) -> bytes:
    inflater = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    try:
        plain = inflater.decompress(content, CONTENT_BYTES_MAX)
    except zlib.error as error:
        raise DamagedChange(f"the content cannot be decompressed: {error}") from None
    if not inflater.eof:
        raise DamagedChange("the compressed content is cut off, or larger than any change")
    return plain


def _number(data: bytes, start: int) -> tuple[int, int]:
    """Return the LEB128 number at *start* and where it ends."""
    value, shift = 0, 0
    for at in range(start, min(start + 10, len(data))):
        value |= (data[at] & 0x7F) << shift
        shift += 7
        if not data[at] & 0x80:
            return value, at + 1
    raise DamagedChange("a length is cut off")


def _number_bytes(value: int) -> bytes:
    out = bytearray()
    while True:
        out.append((value & 0x7F) | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)
