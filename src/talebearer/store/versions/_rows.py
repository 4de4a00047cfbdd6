"""The version, head and change tables: what is read from them, and the rows of a publication.

Every publication writes its versions, the new head set, its history and its change row in one
transaction, which the caller holds.

Source: the protocol sheet, sections 4.2, 4.5 and 5.9.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from talebearer.store._canonical import decode
from talebearer.store._engine import Database
from talebearer.store._model import EntityRef, EntityVersion, VersionState
from talebearer.store.merging import Document
from talebearer.store.versions._decide import change_kind
from talebearer.store.versions._recent import RecentReads

_HEADS = """
SELECT h.version, v.state, v.value_json
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE h.scope_json = ? AND h.entity_type = ? AND h.entity_id = ?
ORDER BY h.version
"""
_TIMED_HEADS = """
SELECT v.state, v.value_json, v.recorded_at_unix_ms
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE h.scope_json = ? AND h.entity_type = ? AND h.entity_id = ?
"""
_RECORDED = """
SELECT recorded_at_unix_ms FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_ENTITIES_AT = """
SELECT DISTINCT entity_type, entity_id FROM patchouli_entity_head_history
WHERE scope_json = ? AND cursor <= ?
"""
_PRUNED = """
SELECT 1 FROM patchouli_change_retention WHERE scope_json = ? AND pruned_through_cursor > ?
"""
_CHANGED_SINCE = """
SELECT DISTINCT entity_type, entity_id FROM patchouli_change WHERE scope_json = ? AND cursor > ?
"""
_HEAD_VERSIONS = """
SELECT version FROM patchouli_entity_head
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? ORDER BY version
"""
_ACTIVE = """
SELECT 1
FROM patchouli_entity_head AS h
CROSS JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE h.scope_json = ? AND h.entity_type = ? AND h.entity_id = ? AND v.state = 'active'
LIMIT 1
"""
_LIST = """
SELECT h.entity_id, h.version, v.value_json
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE h.scope_json = ? AND h.entity_type = ? AND v.state = 'active'
    AND h.entity_id >= ? {below}
ORDER BY h.entity_id, h.version
"""
_LIST_FROM = _LIST.format(below="")
_LIST_BETWEEN = _LIST.format(below="AND h.entity_id < ?")
_VERSION = """
SELECT state, value_json, published_cursor, work_unit_json FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_ALL_VERSIONS = """
SELECT version FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ?
"""
_INSERT_CHANGE = """
INSERT INTO patchouli_change (scope_json, entity_type, entity_id, kind, head_versions_json,
    causal_token, event_meta_json, recorded_at_unix_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_VERSION = """
INSERT INTO patchouli_entity_version (scope_json, entity_type, entity_id, version, state,
    value_json, work_unit_json, published_cursor, recorded_at_unix_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_PUBLISH_STAGED = """
UPDATE patchouli_entity_version SET published_cursor = ?, work_unit_json = NULL
WHERE work_unit_json = ? AND scope_json = ? AND entity_type = ? AND entity_id = ?
"""
_DELETE_HEAD = """
DELETE FROM patchouli_entity_head
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_INSERT_HEAD = "INSERT INTO patchouli_entity_head VALUES (?, ?, ?, ?)"
_INSERT_HISTORY = "INSERT INTO patchouli_entity_head_history VALUES (?, ?, ?, ?, ?)"
_INSERT_TOKEN = "INSERT INTO patchouli_causal_frontier VALUES (?, ?, ?)"
_SET_FRONTIER = """
INSERT INTO patchouli_scope_frontier VALUES (?, ?, ?)
ON CONFLICT (scope_json) DO UPDATE SET
    cursor = excluded.cursor, causal_token = excluded.causal_token
"""
_HEADS_AT = """
SELECT head_versions_json FROM patchouli_entity_head_history
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND cursor <= ?
ORDER BY cursor DESC LIMIT 1
"""

_CODE_POINT_MAX = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


NO_DOCUMENTS: Mapping[str, Document] = MappingProxyType({})


class Stored(NamedTuple):
    """A stored version.

    Attributes:
        state: ``active`` or ``deleted``.
        text: Canonical value; None for a tombstone.
        cursor: The cursor at which it was published; None while it is staged.
        unit: The work unit that it is staged in; None when it is published.
    """

    state: VersionState
    text: str | None
    cursor: int | None = None
    unit: str | None = None


class NewVersion(NamedTuple):
    """A version to be written: canonical value (None makes a tombstone) and its documents."""

    version: str
    text: str | None
    documents: Mapping[str, Document] = NO_DOCUMENTS


class Publication(NamedTuple):
    """A decided transition of an entity's heads, ready to become rows.

    Attributes:
        scope_json: Canonical scope.
        ref: The entity.
        token: The change's causal token, the version id of the mutation.
        made: New versions.
        before: The heads as they were read in this transaction.
        after: The heads that it leaves, sorted.
        deleted: Whether the one head that it leaves is a tombstone.
        event_meta_json: What the change feed reports of the request.
        recorded_at_ms: When, in Unix milliseconds.
        unit: The work unit whose staged versions it publishes besides.
    """

    scope_json: str
    ref: EntityRef
    token: str
    made: tuple[NewVersion, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    deleted: bool
    event_meta_json: str
    recorded_at_ms: int
    unit: str | None = None


HeadRow = tuple[str, VersionState, str | None]
"""A head as it is stored: its version, its state and its canonical text."""


class Versions:
    """The version, head and change tables.

    Attributes:
        recent: What was read of them lately; it follows the heads.
    """

    def __init__(self, database: Database) -> None:
        self._db = database
        self.recent = RecentReads()

    def heads(self, scope_json: str, ref: EntityRef) -> dict[str, Stored]:
        """Return the current heads in the order of their version text; none if never created."""
        rows = self._db.rows(_HEADS, (scope_json, ref.type, ref.id))
        return {version: Stored(state, text) for version, state, text in rows}

    def read_heads(self, scope_json: str, ref: EntityRef) -> list[HeadRow]:
        """Return version, state and text of each current head, as a query of its own."""
        return self._db.read_rows(_HEADS, (scope_json, ref.type, ref.id))

    def timed_heads(self, scope_json: str, ref: EntityRef) -> list[tuple[Stored, int]]:
        """Return the current heads of *ref*, each with when it was recorded."""
        rows = self._db.rows(_TIMED_HEADS, (scope_json, ref.type, ref.id))
        return [(Stored(state, text), recorded_ms) for state, text, recorded_ms in rows]

    def recorded_ms(self, scope_json: str, ref: EntityRef, version: str) -> int:
        """Return when a stored version was recorded."""
        ((recorded_ms,),) = self._db.rows(_RECORDED, (scope_json, ref.type, ref.id, version))
        return int(recorded_ms)

    def entities_at(self, scope_json: str, cursor: int) -> list[EntityRef]:
        """Return all entities of a scope that were there at *cursor*."""
        rows = self._db.rows(_ENTITIES_AT, (scope_json, cursor))
        return [EntityRef(entity_type, entity_id) for entity_type, entity_id in rows]

    def changed_since(self, scope_json: str, cursor: int) -> list[EntityRef] | None:
        """Return the entities of a scope that changed after *cursor*; None if the log is pruned."""
        if self._db.rows(_PRUNED, (scope_json, cursor)):
            return None
        rows = self._db.rows(_CHANGED_SINCE, (scope_json, cursor))
        return [EntityRef(entity_type, entity_id) for entity_type, entity_id in rows]

    def head_versions(self, scope_json: str, ref: EntityRef) -> tuple[str, ...]:
        """Return the current head versions, sorted."""
        rows = self._db.rows(_HEAD_VERSIONS, (scope_json, ref.type, ref.id))
        return tuple(version for (version,) in rows)

    def heads_at(self, scope_json: str, ref: EntityRef, cursor: int) -> tuple[str, ...]:
        """Return the head versions as they were at *cursor*, sorted."""
        rows = self._db.rows(_HEADS_AT, (scope_json, ref.type, ref.id, cursor))
        return tuple(decode(rows[0][0])) if rows else ()

    def version(self, scope_json: str, ref: EntityRef, version: str) -> Stored | None:
        """Return a version, published or staged, None when there is none."""
        rows = self._db.rows(_VERSION, (scope_json, ref.type, ref.id, version))
        return Stored(*rows[0]) if rows else None

    def others(self, scope_json: str, ref: EntityRef, but: Collection[str]) -> list[str]:
        """Return all versions of *ref*, published or staged, except *but*."""
        rows = self._db.rows(_ALL_VERSIONS, (scope_json, ref.type, ref.id))
        return [version for (version,) in rows if version not in but]

    def is_active(self, scope_json: str, ref: EntityRef) -> bool:
        """Return whether *ref* has a live published head."""
        return bool(self._db.rows(_ACTIVE, (scope_json, ref.type, ref.id)))

    def active(
        self, scope_json: str, entity_type: str, *, id_prefix: str
    ) -> list[tuple[str, str, str]]:
        """Return id, version and value text of every active head, in the order of the ids."""
        end = prefix_end(id_prefix)
        if end is None:
            return self._db.rows(_LIST_FROM, (scope_json, entity_type, id_prefix))
        return self._db.rows(_LIST_BETWEEN, (scope_json, entity_type, id_prefix, end))

    def stage(
        self, unit: str, scope_json: str, ref: EntityRef, made: Iterable[NewVersion], *, now_ms: int
    ) -> None:
        """Write versions that nobody outside of the work unit *unit* sees."""
        for one in made:
            state = "deleted" if one.text is None else "active"
            key = (scope_json, ref.type, ref.id)
            self._db.run(_INSERT_VERSION, (*key, one.version, state, one.text, unit, None, now_ms))

    def publish(self, publication: Publication) -> int:
        """Write the rows of *publication* and return its cursor."""
        one, run = publication, self._db.connection.execute
        key = (one.scope_json, one.ref.type, one.ref.id)
        kind = change_kind(
            heads_before=len(one.before), heads_after=len(one.after), deleted=one.deleted
        )
        heads_json, now = orjson.dumps(one.after).decode(), one.recorded_at_ms
        cursor = self._db.insert(
            _INSERT_CHANGE, (*key, kind, heads_json, one.token, one.event_meta_json, now)
        )
        for made in one.made:
            state = "deleted" if made.text is None else "active"
            run(_INSERT_VERSION, (*key, made.version, state, made.text, None, cursor, now))
        if one.unit is not None:
            run(_PUBLISH_STAGED, (cursor, one.unit, *key))
        self._move_heads(key, before=one.before, after=one.after)
        run(_INSERT_HISTORY, (*key, cursor, heads_json))
        run(_INSERT_TOKEN, (one.token, one.scope_json, cursor))
        run(_SET_FRONTIER, (one.scope_json, cursor, one.token))
        return cursor

    def _move_heads(
        self, key: tuple[str, str, str], *, before: Collection[str], after: Collection[str]
    ) -> None:
        self.recent.forget(key)
        left, known = set(after), set(before)
        for version in before:
            if version not in left:
                self._db.run(_DELETE_HEAD, (*key, version))
        for version in after:
            if version not in known:
                self._db.run(_INSERT_HEAD, (*key, version))


def entity_version(ref: EntityRef, version: str, stored: Stored) -> EntityVersion:
    """Return what a caller sees of a stored version."""
    value = None if stored.text is None else decode(stored.text)
    return EntityVersion(ref=ref, version=version, state=stored.state, value=value)


def read_data(
    ref: EntityRef, heads: Mapping[str, Stored], *, value_of: Callable[[str], Any] = decode
) -> dict[str, Any]:
    """Return what a read of the wire gives of an entity: its state, and its heads in order.

    Args:
        ref: The entity.
        heads: Its heads.
        value_of: What stands for a stored text.
    """
    ref_json = {"id": ref.id, "type": ref.type}
    variants: list[dict[str, Any]] = []
    for version, stored in heads.items():
        variant = {"ref": ref_json, "version": version, "state": stored.state}
        if stored.text is not None:
            variant["value"] = value_of(stored.text)
        variants.append(variant)
    state = variants[0]["state"] if len(variants) == 1 else "conflicted"
    return {"state": state, "variants": variants}


def prefix_end(prefix: str) -> str | None:
    """Return the least text that is after every text with *prefix*, or None if there is none."""
    for length in range(len(prefix), 0, -1):
        after = ord(prefix[length - 1]) + 1
        if after in _SURROGATES:
            after = _SURROGATES.stop
        if after <= _CODE_POINT_MAX:
            return prefix[: length - 1] + chr(after)
    return None
