"""The second reading of an import: its transitions become rows, in one transaction.

Version ids, values, moments and merge changes are kept; cursors are the store's own, because its
followers learn of everything that is imported as of any other change.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from talebearer.store._canonical import canonical_text
from talebearer.store._engine import Database, file_fault
from talebearer.store._model import VersionState, change_kind
from talebearer.store._open import FILE_MODE
from talebearer.store.artifacts import Blobs
from talebearer.store.upkeep._files import write_all
from talebearer.store.upkeep.fsck import read_change
from talebearer.store.upkeep.transfer._lines import Line, decode_base64
from talebearer.store.upkeep.transfer._plan import OnConflict

_PLAN = """
SELECT plan, begun FROM incoming_plan WHERE (scope_json, entity_type, entity_id) = (?, ?, ?)
"""
_BEGIN = """
UPDATE incoming_plan SET begun = 1 WHERE (scope_json, entity_type, entity_id) = (?, ?, ?)
"""
_HEADS = """
SELECT version FROM patchouli_entity_head
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? ORDER BY version
"""
_KNOWN = """
SELECT 1 FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_IN_FILE = """
SELECT 1 FROM incoming_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_TOKEN = "SELECT 1 FROM patchouli_causal_frontier WHERE causal_token = ?"
_INSERT_CHANGE = """
INSERT INTO patchouli_change (scope_json, entity_type, entity_id, kind, head_versions_json,
    causal_token, event_meta_json, recorded_at_unix_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_VERSION = """
INSERT INTO patchouli_entity_version (scope_json, entity_type, entity_id, version, state,
    value_json, published_cursor, recorded_at_unix_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_DELETE_HEADS = """
DELETE FROM patchouli_entity_head WHERE scope_json = ? AND entity_type = ? AND entity_id = ?
"""
_INSERT_HEAD = "INSERT INTO patchouli_entity_head VALUES (?, ?, ?, ?)"
_INSERT_HISTORY = "INSERT INTO patchouli_entity_head_history VALUES (?, ?, ?, ?, ?)"
_INSERT_TOKEN = "INSERT INTO patchouli_causal_frontier VALUES (?, ?, ?)"
_SET_FRONTIER = """
INSERT INTO patchouli_scope_frontier VALUES (?, ?, ?)
ON CONFLICT (scope_json) DO UPDATE SET
    cursor = excluded.cursor, causal_token = excluded.causal_token
"""
_INSERT_MERGE = "INSERT OR IGNORE INTO patchouli_crdt_change VALUES (?, ?)"
_INSERT_PARENT = "INSERT OR IGNORE INTO patchouli_crdt_change_parent VALUES (?, ?)"
_INSERT_MERGE_HEAD = "INSERT INTO patchouli_entity_crdt_head VALUES (?, ?, ?, ?, ?, ?)"

Key = tuple[str, str, str]
DIGEST_BYTES = 32


class Application:
    """Writes the lines of an import; the caller holds the transaction.

    Attributes:
        versions: How many versions were written.
        changes: How many changes the feed got.
        objects: How many artifacts' bytes were new.
    """

    def __init__(self, database: Database, blobs: Blobs, *, now_ms: Callable[[], int]) -> None:
        self._db = database
        self._blobs = blobs
        self._now_ms = now_ms
        self._part: Path | None = None
        self._digest = ""
        self._placed = bytearray()  # the digests of new objects, one after the other
        self._undone_with = False
        self.versions = self.changes = self.objects = 0

    def take(self, line: Line) -> None:
        """Write one line."""
        kind = line.document["line"]
        if kind == "bytes":
            self._bytes(line.document)
        elif kind == "transition":
            self._transition(line.document)
        elif kind == "merge_change":
            chunk = decode_base64(line.document["base64"])
            self._db.run(_INSERT_MERGE, (line.document["hash"], chunk))

    def parents(self, line: Line) -> None:
        """Write the parents of a merge change, once all changes are there."""
        if line.document["line"] == "merge_change":
            facts = read_change(decode_base64(line.document["base64"]) or b"")
            for parent in facts.parents:
                self._db.run(_INSERT_PARENT, (facts.hash, parent))

    def end_bytes(self) -> None:
        """Put the object whose pieces came last into its place; a rollback takes it away again."""
        if self._part is None:
            return
        place = self._blobs.root / "objects" / "sha256" / self._digest[7:9] / self._digest[9:]
        new = not place.exists()
        self._blobs.adopt(self._part, digest=self._digest)
        if new:
            self.objects += 1
            self._placed += bytes.fromhex(self._digest[7:])
        self._part, self._digest = None, ""

    def _take_back(self) -> None:
        """Remove the files of an import that is undone."""
        if self._part is not None:
            self._part.unlink(missing_ok=True)
        for start in range(0, len(self._placed), DIGEST_BYTES):
            digest = self._placed[start : start + DIGEST_BYTES].hex()
            self._blobs.discard(f"sha256:{digest}")

    def _transition(self, document: dict[str, Any]) -> None:
        key: Key = (canonical_text(document["scope"]), document["type"], document["id"])
        ((plan, begun),) = self._db.rows(_PLAN, key)
        if plan in ("same", OnConflict.SKIP):
            return
        new = [
            one for one in document["versions"] if not self._db.rows(_KNOWN, (*key, one["version"]))
        ]
        # What the store has already was published there; from the first news on, all is.
        if not new and not begun:
            return
        if not begun:
            self._db.run(_BEGIN, key)
        before = tuple(str(row[0]) for row in self._db.rows(_HEADS, key))
        after = set(document["heads"])
        if plan == OnConflict.KEEP_BOTH:
            after |= {one for one in before if not self._db.rows(_IN_FILE, (*key, one))}
        heads = tuple(sorted(after))
        if new or heads != before:
            self._publish(key, document, new, before=before, after=heads)

    def _publish(
        self,
        key: Key,
        document: dict[str, Any],
        new: list[dict[str, Any]],
        *,
        before: tuple[str, ...],
        after: tuple[str, ...],
    ) -> None:
        last = new[-1] if new else document["versions"][-1]
        heads_json = canonical_text(list(after))
        state: VersionState = last["state"]
        kind = change_kind(
            heads_before=len(before), heads_after=len(after), state=state, created=not before
        )
        token = last["version"]
        if self._db.rows(_TOKEN, (token,)):
            token = f"{token}@{self._now_ms()}-{self.changes}"
        meta_json = canonical_text(document.get("meta", document["scope"]))
        cursor = self._db.insert(
            _INSERT_CHANGE, (*key, kind, heads_json, token, meta_json, self._now_ms())
        )
        for version in new:
            self._version(key, version, cursor)
        self._db.run(_DELETE_HEADS, key)
        for head in after:
            self._db.run(_INSERT_HEAD, (*key, head))
        self._db.run(_INSERT_HISTORY, (*key, cursor, heads_json))
        self._db.run(_INSERT_TOKEN, (token, key[0], cursor))
        self._db.run(_SET_FRONTIER, (key[0], cursor, token))
        self.changes += 1

    def _version(self, key: Key, version: dict[str, Any], cursor: int) -> None:
        value_json = canonical_text(version["value"]) if "value" in version else None
        name, at_ms = version["version"], version["recorded_at_unix_ms"]
        self._db.run(_INSERT_VERSION, (*key, name, version["state"], value_json, cursor, at_ms))
        for path, hashes in sorted(version.get("merge", {}).items()):
            for change_hash in hashes:
                self._db.run(_INSERT_MERGE_HEAD, (*key, name, path, change_hash))
        self.versions += 1

    def _bytes(self, document: dict[str, Any]) -> None:
        piece = decode_base64(document["base64"])
        assert piece is not None, "the first reading has looked"
        if document["digest"] != self._digest:
            self.end_bytes()
            self._digest = document["digest"]
            self._part = self._blobs.uploads_folder / f"import-{self._digest[7:]}.part"
            self._part.unlink(missing_ok=True)
            if not self._undone_with:
                self._undone_with = True
                self._db.after_rollback(self._take_back)
        assert self._part is not None, "it was set with the digest"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self._part, flags, FILE_MODE)
            try:
                write_all(descriptor, piece)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise file_fault(error, path=self._part) from error
