"""Changes in their tables: the dependency graph, and the frontier of each version and path.

Source: the protocol sheet, sections 4.2 and 5.5; the knowledge model, "SQLite entries".
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from talebearer.errors import StoreCorrupt
from talebearer.store._canonical import canonical_text
from talebearer.store._engine import Database
from talebearer.store._model import EntityRef
from talebearer.store.merging._engine import EngineRefusal, MergeEngine
from talebearer.store.merging._resolve import Document
from talebearer.store.policy import ABSENT, pointer_path, resolve

DOCUMENTS_CACHED = 64
_HASHED_FROM = 8  # a chunk is four bytes of magic and four of checksum, then what is hashed
_PLAIN_CHANGE, _COMPRESSED_CHANGE = 1, 2

_FRONTIER = """
SELECT field_path, change_hash FROM patchouli_entity_crdt_head
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
ORDER BY field_path, change_hash
"""
_PARENTS = "SELECT parent_hash FROM patchouli_crdt_change_parent WHERE change_hash = ?"
_BYTES = "SELECT change_bytes FROM patchouli_crdt_change WHERE change_hash = ?"
_INSERT_CHANGE = "INSERT OR IGNORE INTO patchouli_crdt_change VALUES (?, ?)"
_INSERT_PARENT = "INSERT OR IGNORE INTO patchouli_crdt_change_parent VALUES (?, ?)"
_INSERT_HEAD = "INSERT INTO patchouli_entity_crdt_head VALUES (?, ?, ?, ?, ?, ?)"
_DELETE_CHANGE = "DELETE FROM patchouli_crdt_change WHERE change_hash = ?"
_DELETE_PARENTS = "DELETE FROM patchouli_crdt_change_parent WHERE change_hash = ?"


class Documents:
    """Loads and stores documents. Loaded ones are kept for a while; nothing changes them."""

    def __init__(self, database: Database, engine: MergeEngine | None) -> None:
        self._db = database
        self._engine = engine
        self._loaded: OrderedDict[tuple[str, ...], Any] = OrderedDict()

    def of_version(
        self, scope_json: str, ref: EntityRef, version: str, value: Any
    ) -> dict[str, Document]:
        """Return the documents of a stored version whose value is *value*.

        Raises:
            StoreCorrupt: A change is missing or damaged, or the document holds another value
                (TB207); ``data`` names entity, version, path and change.
        """
        if self._engine is None:
            return {}
        paths: dict[str, list[str]] = {}
        for path, change_hash in self._db.rows(_FRONTIER, (scope_json, ref.type, ref.id, version)):
            paths.setdefault(path, []).append(change_hash)
        made = {}
        for path, heads in paths.items():
            frontier = tuple(heads)
            where = {"type": ref.type, "id": ref.id, "version": version, "path": path}
            handle = self._loaded.get(frontier)
            if handle is None:
                part = resolve(value, pointer_path(path))
                handle = self._load(self._engine, frontier, part, where)
            self._keep(frontier, handle)
            made[path] = Document(handle, frontier)
        return made

    def save(
        self,
        scope_json: str,
        ref: EntityRef,
        version: str,
        documents: Mapping[str, Document],
    ) -> None:
        """Store the changes of *documents* that are new, and the frontiers of *version*."""
        run = self._db.connection.execute
        for path, document in documents.items():
            for change in document.unstored:
                run(_INSERT_CHANGE, (change.hash, change.data))
                for parent in change.parents:
                    run(_INSERT_PARENT, (change.hash, parent))
            for head in document.heads:
                run(_INSERT_HEAD, (scope_json, ref.type, ref.id, version, path, head))

    def reachable(self, frontier: set[str]) -> set[str]:
        """Return the hashes of all changes that *frontier* rests on, itself included."""
        found: set[str] = set()
        todo = sorted(frontier)
        while todo:
            change_hash = todo.pop()
            if change_hash not in found:
                found.add(change_hash)
                todo += [parent for (parent,) in self._db.rows(_PARENTS, (change_hash,))]
        return found

    def frontier(self, scope_json: str, ref: EntityRef, version: str) -> set[str]:
        """Return the frontier of a version over all its paths."""
        rows = self._db.rows(_FRONTIER, (scope_json, ref.type, ref.id, version))
        return {change_hash for _, change_hash in rows}

    def forget(self, hashes: set[str]) -> None:
        """Delete changes that no version rests on."""
        self._loaded.clear()
        for change_hash in sorted(hashes):
            self._db.run(_DELETE_PARENTS, (change_hash,))
            self._db.run(_DELETE_CHANGE, (change_hash,))

    def _keep(self, frontier: tuple[str, ...], handle: Any) -> None:
        self._loaded[frontier] = handle
        self._loaded.move_to_end(frontier)
        if len(self._loaded) > DOCUMENTS_CACHED:
            self._loaded.popitem(last=False)

    def _load(
        self, engine: MergeEngine, frontier: tuple[str, ...], part: Any, where: dict[str, str]
    ) -> Any:
        hashes = sorted(self.reachable(set(frontier)))
        chunks = {one: self._bytes(one, where) for one in hashes}
        try:
            handle = engine.load(chunks.values())
            held, heads = engine.value(handle), engine.heads(handle)
        except EngineRefusal as refusal:
            damaged = tuple(sorted(one for one, chunk in chunks.items() if not _is(chunk, one)))
            named = f" (damaged: {', '.join(damaged)})" if damaged else ""
            what = f"cannot be loaded{named}: {refusal.reason}"
            raise _damaged(what, where, damaged or frontier) from refusal
        if heads != frontier:
            raise _damaged("has other heads than recorded", where, frontier)
        if part is ABSENT or canonical_text(held) != canonical_text(part):
            raise _damaged("holds another value than the version", where, frontier)
        return handle

    def _bytes(self, change_hash: str, where: dict[str, str]) -> bytes:
        rows = self._db.rows(_BYTES, (change_hash,))
        if not rows:
            raise _damaged(f"lacks the change {change_hash}", where, (change_hash,))
        data: bytes = rows[0][0]
        return data


def _is(chunk: bytes, change_hash: str) -> bool:
    """Whether *chunk* is the change of that hash; compressed ones cannot be told and pass."""
    if len(chunk) <= _HASHED_FROM or chunk[_HASHED_FROM] != _PLAIN_CHANGE:
        return len(chunk) > _HASHED_FROM and chunk[_HASHED_FROM] == _COMPRESSED_CHANGE
    return hashlib.sha256(chunk[_HASHED_FROM:]).hexdigest() == change_hash


def _damaged(what: str, where: dict[str, str], hashes: tuple[str, ...]) -> StoreCorrupt:
    return StoreCorrupt(
        f"the merge document {where['path']} of {where['type']} {where['id']!r} at version "
        f"{where['version']} {what}",
        hint="read the entity and write it on another strategy, or restore a backup",
        data={**where, "changes": [*hashes]},
    )
