"""Export: one moment of a store as JSON Lines."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer.errors import StoreCorrupt
from talebearer.store._canonical import canonical_text, decode
from talebearer.store._engine import Row, file_fault
from talebearer.store._schema_sql import SCHEMA_VERSION
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._objects import hash_file, named_bytes, object_path
from talebearer.store.upkeep._progress import Progress, silent
from talebearer.store.upkeep.transfer._format import EXPORT_FORMAT, EXPORT_VERSION, PIECE_BYTES

_WANTED = """
(?1 IS NULL OR scope_json = ?1) AND (?2 IS NULL OR entity_type = ?2)
"""
_HISTORY = f"""
SELECT scope_json, entity_type, entity_id, cursor, head_versions_json
FROM patchouli_entity_head_history WHERE {_WANTED}
ORDER BY cursor, scope_json, entity_type, entity_id
"""  # noqa: S608 - the condition is a constant of this module
_PUBLISHED = f"""
SELECT published_cursor, row_id FROM patchouli_entity_version
WHERE published_cursor IS NOT NULL AND {_WANTED}
ORDER BY published_cursor, scope_json, entity_type, entity_id, recorded_at_unix_ms, row_id
"""  # noqa: S608 - likewise
_HEADS = f"""
SELECT scope_json, entity_type, entity_id, json_group_array(version) FROM (
    SELECT * FROM patchouli_entity_head WHERE {_WANTED}
    ORDER BY scope_json, entity_type, entity_id, version)
GROUP BY scope_json, entity_type, entity_id
ORDER BY scope_json, entity_type, entity_id
"""  # noqa: S608 - likewise
_ROW = """
SELECT version, state, value_json, recorded_at_unix_ms FROM patchouli_entity_version
WHERE row_id = ?
"""
_BY_KEY = """
SELECT version, state, value_json, recorded_at_unix_ms FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_META = "SELECT event_meta_json FROM patchouli_change WHERE cursor = ? AND scope_json = ?"
_FRONTIER = """
SELECT field_path, change_hash FROM patchouli_entity_crdt_head
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
ORDER BY field_path, change_hash
"""
_MERGE_CHANGES = """
WITH RECURSIVE wanted (change_hash) AS (
    SELECT change_hash FROM patchouli_entity_crdt_head AS c
    WHERE (?1 IS NULL OR scope_json = ?1) AND (?2 IS NULL OR entity_type = ?2) AND EXISTS (
        SELECT 1 FROM patchouli_entity_version AS v
        WHERE v.scope_json = c.scope_json AND v.entity_type = c.entity_type
            AND v.entity_id = c.entity_id AND v.version = c.version
            AND v.published_cursor IS NOT NULL
            AND (?3 OR EXISTS (
                SELECT 1 FROM patchouli_entity_head AS h
                WHERE h.scope_json = c.scope_json AND h.entity_type = c.entity_type
                    AND h.entity_id = c.entity_id AND h.version = c.version)))
    UNION
    SELECT p.parent_hash FROM wanted JOIN patchouli_crdt_change_parent AS p USING (change_hash)
)
SELECT change_hash, change_bytes FROM patchouli_crdt_change
WHERE change_hash IN (SELECT change_hash FROM wanted)
ORDER BY change_hash
"""
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What is exported.

    Attributes:
        heads_only: Only the current heads; else every published version, in order.
        scope_json: Only this scope, its canonical text; None takes all.
        type: Only this type; None takes all.
        with_bytes: Also the bytes of artifacts.
        node_id: The placement provider whose bytes are here.
    """

    heads_only: bool = False
    scope_json: str | None = None
    type: str | None = None
    with_bytes: bool = True
    node_id: str = "local"


def export(
    reading: Reading,
    options: ExportOptions = ExportOptions(),
    *,
    progress: Progress | None = None,
) -> Iterator[bytes]:
    """Yield the lines of an export of one moment; a writer may go on meanwhile.

    What is staged in work units, and what belongs to sessions and retries, is not exported.

    Args:
        reading: The store.
        options: What is exported.
        progress: Told (stage, done, total).

    Raises:
        StoreCorrupt: A version or bytes are damaged or missing; ``data["file"]`` says where (TB207).
    """
    hasher, lines = hashlib.sha256(), 0
    with reading.snapshot():
        for document in _documents(reading, options, progress or silent):
            line = (canonical_text(document) + "\n").encode()
            hasher.update(line)
            lines += 1
            yield line
    end = {"line": "end", "lines": lines, "digest": f"sha256:{hasher.hexdigest()}"}
    yield (canonical_text(end) + "\n").encode()


def _documents(
    reading: Reading, options: ExportOptions, told: Progress
) -> Iterator[dict[str, Any]]:
    yield {
        "line": "header",
        "format": EXPORT_FORMAT,
        "version": EXPORT_VERSION,
        "schema_version": SCHEMA_VERSION,
        "content": "heads" if options.heads_only else "history",
    }
    asked = (options.scope_json, options.type)
    for change_hash, chunk in reading.each(_MERGE_CHANGES, (*asked, not options.heads_only)):
        encoded = base64.b64encode(chunk).decode()
        yield {"line": "merge_change", "hash": change_hash, "base64": encoded}
    yield from _heads(reading, asked) if options.heads_only else _history(reading, asked, told)
    if options.with_bytes:
        yield from _bytes(reading, options, told)


def _heads(reading: Reading, asked: tuple[str | None, str | None]) -> Iterator[dict[str, Any]]:
    for scope_json, entity_type, entity_id, heads_json in reading.each(_HEADS, asked):
        key = (scope_json, entity_type, entity_id)
        heads = decode(heads_json)
        rows = [_row(reading, reading.rows(_BY_KEY, (*key, version)), key) for version in heads]
        yield _transition(key, heads, [_version(reading, key, row) for row in rows])


def _history(
    reading: Reading, asked: tuple[str | None, str | None], told: Progress
) -> Iterator[dict[str, Any]]:
    """Yield the transitions in the order of their cursors, each with what it published.

    Both tables are walked side by side in that order, so nothing is looked up twice.
    """
    published = reading.each(_PUBLISHED, asked)
    waiting = next(published, None)
    for done, (*parts, cursor, heads_json) in enumerate(reading.each(_HISTORY, asked)):
        scope_json, entity_type, entity_id = parts
        key = (str(scope_json), str(entity_type), str(entity_id))
        versions = []
        while waiting is not None and waiting[0] == cursor:
            row = _row(reading, reading.rows(_ROW, (waiting[1],)), key)
            versions.append(_version(reading, key, row))
            waiting = next(published, None)
        if done % 1_000 == 0:
            told("history", done, 0)
        meta = reading.rows(_META, (cursor, scope_json))
        yield _transition(
            key, decode(heads_json), versions, meta=decode(meta[0][0]) if meta else None
        )


def _transition(
    key: Key,
    heads: list[str],
    versions: list[dict[str, Any]],
    *,
    meta: dict[str, Any] | None = None,
) -> dict[str, Any]:
    scope_json, entity_type, entity_id = key
    made = {
        "line": "transition",
        "scope": decode(scope_json),
        "type": entity_type,
        "id": entity_id,
        "heads": heads,
        "versions": versions,
    }
    return made if meta is None else {**made, "meta": meta}


def _row(reading: Reading, found: list[Row], key: Key) -> Row:
    if not found:
        raise StoreCorrupt(
            f"{key[1]} {key[2]!r} lacks a version",
            hint="`talebearer store fsck` lists all that is damaged",
            data={"file": str(reading.place.database)},
        )
    return found[0]


def _version(reading: Reading, key: Key, row: Row) -> dict[str, Any]:
    version, state, value_json, recorded_at_ms = row
    made: dict[str, Any] = {
        "version": version,
        "state": state,
        "recorded_at_unix_ms": recorded_at_ms,
    }
    if value_json is not None:
        made["value"] = decode(value_json)
    frontier: dict[str, list[str]] = {}
    for path, change_hash in reading.rows(_FRONTIER, (*key, version)):
        frontier.setdefault(path, []).append(change_hash)
    return {**made, "merge": frontier} if frontier else made


def _bytes(reading: Reading, options: ExportOptions, told: Progress) -> Iterator[dict[str, Any]]:
    digests = sorted(_wanted_digests(reading, options))
    for done, digest in enumerate(digests):
        told("bytes", done, len(digests))
        path = object_path(reading.place.artifacts, digest)
        if path is None or hash_file(path)[0] != digest:
            raise StoreCorrupt(
                f"{path} does not match its digest {digest}",
                hint="restore this file from a backup, or export without bytes",
                data={"file": str(path)},
            )
        yield from _pieces(path, digest)


def _wanted_digests(reading: Reading, options: ExportOptions) -> set[str]:
    if options.type not in (None, "artifact"):
        return set()
    return {
        one.digest
        for one in named_bytes(reading)
        if one.provider == options.node_id
        and one.published
        and options.scope_json in (None, one.scope_json)
        and (one.head or not options.heads_only)
    }


def _pieces(path: Path, digest: str) -> Iterator[dict[str, Any]]:
    offset = 0
    try:
        with path.open("rb") as file:
            while True:
                piece = file.read(PIECE_BYTES)
                if piece or not offset:
                    encoded = base64.b64encode(piece).decode()
                    yield {"line": "bytes", "digest": digest, "offset": offset, "base64": encoded}
                offset += len(piece)
                if not piece:
                    return
    except OSError as error:
        raise file_fault(error, path=path) from error
