"""Versions and heads: what is current, what a write replaces, and the rows that say so.

:func:`heads_after` decides; :class:`Versions` reads and writes. Every mutation writes its
version, the new head set, its history and its change row in one transaction.

Source: the protocol sheet, sections 4.5, 5.1 to 5.4 and 5.9.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from talebearer.errors import VersionConflict
from talebearer.store._canonical import canonical_text, decode
from talebearer.store._engine import Database
from talebearer.store._model import EntityRef, EntityVersion, VersionState, change_kind
from talebearer.store._policy import ConflictStrategy

_HEADS = """
SELECT h.version, v.state, v.value_json
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE h.scope_json = ? AND h.entity_type = ? AND h.entity_id = ?
ORDER BY h.version
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
_PUBLISHED = """
SELECT 1 FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
    AND published_cursor IS NOT NULL
"""
_INSERT_CHANGE = """
INSERT INTO patchouli_change (scope_json, entity_type, entity_id, kind, head_versions_json,
    causal_token, event_meta_json, recorded_at_unix_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_VERSION = """
INSERT INTO patchouli_entity_version (scope_json, entity_type, entity_id, version, state,
    value_json, published_cursor, recorded_at_unix_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
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

_CODE_POINT_MAX = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A decided mutation, ready to become rows.

    Attributes:
        scope_json: Canonical scope.
        ref: The entity.
        version: Id of the new version, also the change's causal token.
        value_json: Canonical value; None makes a tombstone.
        before: The heads as they were read in this transaction.
        replaced: Those of them that the new version takes the place of.
        event_meta_json: What the change feed reports of the request.
        recorded_at_ms: When, in Unix milliseconds.
    """

    scope_json: str
    ref: EntityRef
    version: str
    value_json: str | None
    before: tuple[str, ...]
    replaced: tuple[str, ...]
    event_meta_json: str
    recorded_at_ms: int

    @property
    def after(self) -> tuple[str, ...]:
        """The head set that the write leaves, in the order of its text."""
        kept = [version for version in self.before if version not in self.replaced]
        return tuple(sorted([*kept, self.version]))

    @property
    def state(self) -> VersionState:
        """What the new version is."""
        return "deleted" if self.value_json is None else "active"


def check_bases(
    heads: Collection[str], bases: Collection[str], *, strategy: ConflictStrategy, ref: EntityRef
) -> None:
    """Refuse a write whose *bases* the *strategy* does not accept on top of *heads*.

    ``reject`` wants exactly the heads; the others take any published versions.

    Source: the protocol sheet, section 5.3.
    """
    if strategy is ConflictStrategy.REJECT and set(bases) != set(heads):
        raise conflict(ref, heads)


def conflict(ref: EntityRef, heads: Collection[str]) -> VersionConflict:
    """Return the error that names the current *heads* of *ref*."""
    current = sorted(heads)
    return VersionConflict(
        f"{ref.type} {ref.id!r} is now at {', '.join(current)}",
        hint="read it again and write on its current versions",
        data={"type": ref.type, "id": ref.id, "current_versions": current},
    )


def prefix_end(prefix: str) -> str | None:
    """Return the least text that is after every text with *prefix*, or None if there is none."""
    for length in range(len(prefix), 0, -1):
        after = ord(prefix[length - 1]) + 1
        if after in _SURROGATES:
            after = _SURROGATES.stop
        if after <= _CODE_POINT_MAX:
            return prefix[: length - 1] + chr(after)
    return None


class Versions:
    """The version, head and change tables."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def heads(self, scope_json: str, ref: EntityRef) -> tuple[EntityVersion, ...]:
        """Return the current heads in the order of their version text; none if never created."""
        rows = self._db.rows(_HEADS, (scope_json, ref.type, ref.id))
        return tuple(
            EntityVersion(
                ref=ref,
                version=version,
                state=state,
                value=None if value_json is None else decode(value_json),
            )
            for version, state, value_json in rows
        )

    def head_texts(self, scope_json: str, ref: EntityRef) -> dict[str, str | None]:
        """Return head version to canonical value text; None for a tombstone."""
        rows = self._db.rows(_HEADS, (scope_json, ref.type, ref.id))
        return {version: value_json for version, _, value_json in rows}

    def is_active(self, scope_json: str, ref: EntityRef) -> bool:
        """Return whether *ref* has a live head."""
        return bool(self._db.rows(_ACTIVE, (scope_json, ref.type, ref.id)))

    def unknown_bases(
        self, scope_json: str, ref: EntityRef, bases: Collection[str]
    ) -> tuple[str, ...]:
        """Return those of *bases* that were never published for *ref*."""
        key = (scope_json, ref.type, ref.id)
        return tuple(base for base in bases if not self._db.rows(_PUBLISHED, (*key, base)))

    def active(
        self, scope_json: str, entity_type: str, *, id_prefix: str
    ) -> list[tuple[str, str, str]]:
        """Return id, version and value text of every active head, in the order of the ids."""
        end = prefix_end(id_prefix)
        if end is None:
            return self._db.rows(_LIST_FROM, (scope_json, entity_type, id_prefix))
        return self._db.rows(_LIST_BETWEEN, (scope_json, entity_type, id_prefix, end))

    def publish(self, write: Write) -> None:
        """Write the rows of *write*; the caller holds the transaction."""
        ref, after = write.ref, write.after
        key = (write.scope_json, ref.type, ref.id)
        kind = change_kind(
            heads_before=len(write.before),
            heads_after=len(after),
            state=write.state,
            created=not write.before,
        )
        heads_json, now = canonical_text(list(after)), write.recorded_at_ms
        cursor = self._db.insert(
            _INSERT_CHANGE,
            (*key, kind, heads_json, write.version, write.event_meta_json, now),
        )
        self._db.run(
            _INSERT_VERSION, (*key, write.version, write.state, write.value_json, cursor, now)
        )
        for version in write.replaced:
            self._db.run(_DELETE_HEAD, (*key, version))
        self._db.run(_INSERT_HEAD, (*key, write.version))
        self._db.run(_INSERT_HISTORY, (*key, cursor, heads_json))
        self._db.run(_INSERT_TOKEN, (write.version, write.scope_json, cursor))
        self._db.run(_SET_FRONTIER, (write.scope_json, cursor, write.version))
