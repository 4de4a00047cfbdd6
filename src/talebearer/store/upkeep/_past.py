"""What was: the history of an entity, two of its versions side by side, a scope as it stood.

All of it is read from the version table and the history of head sets, which are never pruned, so
it answers for the whole life of a store and not for the retention of its change feed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from talebearer.errors import NotFound, StoreCorrupt, UsageFault
from talebearer.store._canonical import decode
from talebearer.store._model import (
    ChangeKind,
    EntityRef,
    EntityVersion,
    ReadState,
    VersionState,
    change_kind,
    read_state,
)
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._difference import Difference, differences

_VERSIONS = """
SELECT version, state, value_json, published_cursor, recorded_at_unix_ms
FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND published_cursor IS NOT NULL
ORDER BY published_cursor, recorded_at_unix_ms, row_id
"""
_TRANSITIONS = """
SELECT cursor, head_versions_json FROM patchouli_entity_head_history
WHERE scope_json = ? AND entity_type = ? AND entity_id = ?
ORDER BY cursor
"""
_VERSION = """
SELECT state, value_json FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
    AND published_cursor IS NOT NULL
"""
_AS_OF = """
SELECT entity_type, entity_id, max(cursor), head_versions_json
FROM patchouli_entity_head_history
WHERE scope_json = ?1 AND cursor <= ?2 AND (?3 IS NULL OR entity_type = ?3)
GROUP BY entity_type, entity_id
ORDER BY entity_type, entity_id
"""
_LATEST = "SELECT coalesce(max(cursor), 0) FROM patchouli_scope_frontier WHERE scope_json = ?"
_CURSOR_AT = """
SELECT coalesce(max(published_cursor), 0) FROM patchouli_entity_version
WHERE scope_json = ?1 AND published_cursor IS NOT NULL AND recorded_at_unix_ms <= ?2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastVersion:
    """One published version of an entity, and what publishing it did.

    Attributes:
        version: Its id.
        state: ``active`` or ``deleted``.
        value: The JSON value; None for a tombstone.
        cursor: The change that published it, decimal text.
        kind: What that change was.
        head_versions: The heads after that change.
        recorded_at_unix_ms: When it was written.
        head: Whether it is a head now.
    """

    version: str
    state: VersionState
    value: Any
    cursor: str
    kind: ChangeKind
    head_versions: tuple[str, ...]
    recorded_at_unix_ms: int
    head: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEntity:
    """An entity as it stood at a cursor.

    Attributes:
        ref: The entity.
        state: ``active``, ``deleted`` or ``conflicted``.
        cursor: Its last change up to then, decimal text.
        variants: Its heads then, in the order of their version text.
    """

    ref: EntityRef
    state: ReadState
    cursor: str
    variants: tuple[EntityVersion, ...]


def history(reading: Reading, scope_json: str, ref: EntityRef) -> list[PastVersion]:
    """Return all published versions of *ref*, oldest first.

    Raises:
        NotFound: It never was in this scope (TB204).
    """
    key = (scope_json, ref.type, ref.id)
    with reading.snapshot():
        versions = reading.rows(_VERSIONS, key)
        steps = [
            (cursor, tuple(decode(heads))) for cursor, heads in reading.rows(_TRANSITIONS, key)
        ]
    if not versions:
        raise _never_was(ref)
    states = {version: state for version, state, *_ in versions}
    kinds = dict(_kinds(steps, states))
    heads_at = dict(steps)
    now = steps[-1][1] if steps else ()
    return [
        PastVersion(
            version=version,
            state=state,
            value=None if value_json is None else decode(value_json),
            cursor=str(cursor),
            kind=kinds.get(cursor, "updated"),
            head_versions=heads_at.get(cursor, ()),
            recorded_at_unix_ms=recorded_at_ms,
            head=version in now,
        )
        for version, state, value_json, cursor, recorded_at_ms in versions
    ]


def _kinds(
    steps: list[tuple[int, tuple[str, ...]]], states: dict[str, VersionState]
) -> Iterator[tuple[int, ChangeKind]]:
    """Yield cursor and kind of each change, told by the head sets before and after it."""
    before: tuple[str, ...] = ()
    for cursor, after in steps:
        new = [version for version in after if version not in before]
        state = states.get(new[-1] if new else after[-1], "active")
        yield (
            cursor,
            change_kind(
                heads_before=len(before), heads_after=len(after), state=state, created=not before
            ),
        )
        before = after


def diff(
    reading: Reading, scope_json: str, ref: EntityRef, *, first: str, second: str
) -> list[Difference]:
    """Return where version *second* of *ref* differs from version *first*.

    A tombstone counts as null.

    Raises:
        NotFound: The entity or one of the versions was never published in this scope (TB204).
    """
    with reading.snapshot():
        values = [_value(reading, scope_json, ref, version) for version in (first, second)]
    return differences(*values)


def _value(reading: Reading, scope_json: str, ref: EntityRef, version: str) -> Any:
    found = reading.rows(_VERSION, (scope_json, ref.type, ref.id, version))
    if not found:
        raise NotFound(
            f"there is no published version {version!r} of {ref.type} {ref.id!r} in this scope",
            hint=f"`talebearer store history {ref.type} {ref.id}` lists its versions",
            data={"type": ref.type, "id": ref.id, "version": version},
        )
    value_json = found[0][1]
    return None if value_json is None else decode(value_json)


def cursor_at(reading: Reading, scope_json: str, *, time_unix_ms: int) -> int:
    """Return the last change of a scope that was recorded at or before a moment; 0 if none was.

    The order of changes is that of their cursors. Where the clock went backwards, a change counts
    as soon as a later one was recorded in time.
    """
    return int(reading.value(_CURSOR_AT, (scope_json, time_unix_ms)))


def as_of(
    reading: Reading, scope_json: str, *, cursor: int | None = None, type: str | None = None
) -> Iterator[PastEntity]:
    """Yield the entities of a scope as they stood after a change, by type and id.

    Deleted ones come too, with their tombstone.

    Args:
        reading: The store.
        scope_json: The scope's canonical text.
        cursor: The last change to count; None counts all.
        type: Only entities of this type.

    Raises:
        UsageFault: The cursor is beyond the scope's last change (TB111).
    """
    with reading.snapshot():
        latest = int(reading.value(_LATEST, (scope_json,)))
        if cursor is not None and not 0 <= cursor <= latest:
            raise UsageFault(
                f"the cursor {cursor} is outside 0 to {latest}", hint="give a cursor of this scope"
            )
        upto = latest if cursor is None else cursor
        for entity_type, entity_id, at, heads in reading.each(_AS_OF, (scope_json, upto, type)):
            ref = EntityRef(entity_type, entity_id)
            variants = tuple(
                _variant(reading, scope_json, ref, version) for version in decode(heads)
            )
            yield PastEntity(ref=ref, state=read_state(variants), cursor=str(at), variants=variants)


def _variant(reading: Reading, scope_json: str, ref: EntityRef, version: str) -> EntityVersion:
    found = reading.rows(_VERSION, (scope_json, ref.type, ref.id, version))
    if not found:
        raise StoreCorrupt(
            f"{ref.type} {ref.id!r} lacks its version {version}",
            hint="`talebearer store fsck` lists all that is damaged",
            data={"file": str(reading.place.database), "version": version},
        )
    ((state, value_json),) = found
    value = None if value_json is None else decode(value_json)
    return EntityVersion(ref=ref, version=version, state=state, value=value)


def _never_was(ref: EntityRef) -> NotFound:
    return NotFound(
        f"there is no {ref.type} {ref.id!r} in this scope", data={"type": ref.type, "id": ref.id}
    )
