"""The change log: what happened to the heads of a scope, in order, resumable by cursor.

Source: the protocol sheet, sections 4.4 and 5.9.
"""

from __future__ import annotations

from talebearer.errors import CursorExpired, UsageFault
from talebearer.store._canonical import decode, problem, refuse
from talebearer.store._engine import Database
from talebearer.store._model import Change, EntityRef

LIMIT_DEFAULT = 256
LIMIT_MAX = 4_096
_CURSOR_DIGITS_MAX = 18

_FRONTIER = """
SELECT
    max(epoch, coalesce((SELECT cursor FROM patchouli_scope_frontier WHERE scope_json = ?1), 0)),
    max(epoch, coalesce((SELECT pruned_through_cursor FROM patchouli_change_retention
                         WHERE scope_json = ?1), 0))
FROM (SELECT coalesce((SELECT pruned_through_cursor FROM patchouli_change_retention
                       WHERE scope_json = ''), 0) AS epoch)
"""
"""The row without a scope is where a restored store's epoch begins, for scopes yet without changes."""
_AFTER = """
SELECT cursor, entity_type, entity_id, kind, head_versions_json, event_meta_json
FROM patchouli_change
WHERE cursor > ? AND scope_json = ?
ORDER BY cursor
LIMIT ?
"""


class Changes:
    """Reads the change log."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def latest(self, scope_json: str) -> str:
        """Return the scope's current cursor, "0" when it has no changes."""
        ((latest, _),) = self._db.rows(_FRONTIER, (scope_json,))
        return str(latest)

    def after(self, scope_json: str, *, cursor: str | None, limit: int) -> list[Change]:
        """Return up to *limit* changes of the scope strictly after *cursor*, oldest first."""
        if not 1 <= limit <= LIMIT_MAX:
            raise UsageFault(f"a limit of {limit} changes", hint=f"allowed: 1 to {LIMIT_MAX}")
        ((latest, pruned),) = self._db.rows(_FRONTIER, (scope_json,))
        start = pruned if cursor is None else parse_cursor(cursor)
        if not pruned <= start <= latest:
            raise CursorExpired(
                f"the cursor {cursor} is outside {pruned} to {latest}",
                hint="read the current state, then follow from the latest cursor",
                data={"cursor": cursor, "oldest": str(pruned), "latest": str(latest)},
            )
        return [_change(row) for row in self._db.rows(_AFTER, (start, scope_json, limit))]


def parse_cursor(cursor: str) -> int:
    """Return the number of a cursor; what is no unsigned decimal is refused, never replayed."""
    if not (isinstance(cursor, str) and cursor.isascii() and cursor.isdecimal()):
        found = problem(("after_cursor",), f"{cursor!r} is no cursor", hint="use a change's cursor")
        refuse([found], what="the request")
    # Longer numbers are beyond any log; the bound keeps them inside SQLite's integers.
    return int(cursor) if len(cursor) <= _CURSOR_DIGITS_MAX else 10**_CURSOR_DIGITS_MAX


def _change(row: tuple[int, str, str, str, str, str]) -> Change:
    cursor, entity_type, entity_id, kind, heads_json, meta_json = row
    return Change(
        cursor=str(cursor),
        ref=EntityRef(entity_type, entity_id),
        kind=kind,  # type: ignore[arg-type]  # the table's CHECK holds the five kinds
        head_versions=tuple(decode(heads_json)),
        meta=decode(meta_json),
    )
