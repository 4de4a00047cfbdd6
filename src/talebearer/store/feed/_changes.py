"""The change log: what happened to the heads of a scope, in order, resumable by cursor.

Source: the protocol sheet, sections 4.4 and 5.9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from talebearer.errors import CursorExpired, UsageFault
from talebearer.store._canonical import clip, decode, problem, refuse
from talebearer.store._engine import Database
from talebearer.store._model import Change, EntityRef
from talebearer.store.feed._feed import PAGE_ROWS, ChangeRow, Feed, FeedFilter

LIMIT_DEFAULT = 256
LIMIT_MAX = 4_096
PRUNED_ROWS_MAX = 10_000
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
_OLDEST = "SELECT cursor, recorded_at_unix_ms FROM patchouli_change ORDER BY cursor LIMIT 1"
_PRUNABLE = """
SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM patchouli_change) THEN NULL
    ELSE coalesce(
        (SELECT cursor FROM patchouli_change WHERE recorded_at_unix_ms >= ?
         ORDER BY cursor LIMIT 1) - 1,
        (SELECT max(cursor) FROM patchouli_change))
END
"""
_NOTE_PRUNED = """
INSERT INTO patchouli_change_retention
SELECT scope_json, max(cursor) FROM patchouli_change WHERE cursor <= ? GROUP BY scope_json
ON CONFLICT (scope_json) DO UPDATE SET pruned_through_cursor = excluded.pruned_through_cursor
"""
_PRUNE = "DELETE FROM patchouli_change WHERE cursor <= ?"


class Changes:
    """Reads the change log, and forgets what is older than its retention.

    Without a retention, or on a database that is open for reading only, nothing is forgotten.
    """

    def __init__(
        self,
        database: Database,
        *,
        retention_ms: int | None = None,
        now_ms: Callable[[], int] | None = None,
    ) -> None:
        self._db = database
        self._retention_ms = None if database.read_only else retention_ms
        self._now_ms = now_ms
        self._oldest_ms: int | None = None

    def after(self, scope_json: str, *, cursor: str | None, limit: int) -> list[Change]:
        """Return up to *limit* changes of the scope strictly after *cursor*, oldest first.

        Raises:
            InvalidRecord: *cursor* is none (TB115).
            CursorExpired: It is beyond the log, or what came after it is forgotten (TB211).
            UsageFault: *limit* is out of bounds (TB111).
        """
        return [_change(row) for row in self._rows(scope_json, cursor=cursor, limit=limit)]

    def _rows(self, scope_json: str, *, cursor: str | None, limit: int) -> list[ChangeRow]:
        if not 1 <= limit <= LIMIT_MAX:
            raise UsageFault(f"a limit of {limit} changes", hint=f"allowed: 1 to {LIMIT_MAX}")
        start = None if cursor is None else parse_cursor(cursor)
        self._prune()
        with self._db.reading():
            latest, pruned = self._bounds(scope_json)
            start = pruned if start is None else start
            if not pruned <= start <= latest:
                raise _expired(cursor, oldest=pruned, latest=latest)
            if start == latest:
                return []
            return self._db.rows(_AFTER, (start, scope_json, limit))

    def open(
        self,
        scope_json: str,
        *,
        filter: Mapping[str, Any] | None = None,
        after_cursor: str | None = None,
    ) -> Feed:
        """Return the feed of a scope after *after_cursor*, or after its current cursor.

        Raises:
            InvalidRecord: The filter or the cursor is none (TB115).
            CursorExpired: The cursor is out of reach (TB211).
        """
        wanted = FeedFilter.parse(filter)
        if after_cursor is None:
            with self._db.reading():
                after_cursor = str(self._bounds(scope_json)[0])
        else:
            self.after(scope_json, cursor=after_cursor, limit=1)
        return Feed(scope_json, cursor=after_cursor, wanted=wanted, page=self._page)

    def _page(self, scope_json: str, cursor: str) -> list[ChangeRow]:
        return self._rows(scope_json, cursor=cursor, limit=PAGE_ROWS)

    def _bounds(self, scope_json: str) -> tuple[int, int]:
        ((latest, pruned),) = self._db.rows(_FRONTIER, (scope_json,))
        return latest, pruned

    def _prune(self) -> None:
        """Forget the oldest changes, as far as all of them are older than the retention.

        What was recorded out of order, while the clock was set back, keeps its place in the log.
        """
        if self._retention_ms is None or self._now_ms is None:
            return
        limit_ms = self._now_ms() - self._retention_ms
        if self._oldest_ms is not None and self._oldest_ms >= limit_ms:
            return
        with self._db.reading():
            rows = self._db.rows(_OLDEST)
        first, self._oldest_ms = rows[0] if rows else (0, None)
        if self._oldest_ms is None or self._oldest_ms >= limit_ms:
            return
        with self._db.writing():
            ((last,),) = self._db.rows(_PRUNABLE, (limit_ms,))
            if last is not None:
                # What is left is forgotten by the next look: nobody waits for a long log here.
                last = min(last, first + PRUNED_ROWS_MAX - 1)
                self._db.run(_NOTE_PRUNED, (last,))
                self._db.run(_PRUNE, (last,))
            self._oldest_ms = None


def _expired(cursor: str | None, *, oldest: int, latest: int) -> CursorExpired:
    return CursorExpired(
        f"the cursor {clip(str(cursor))} is outside {oldest} to {latest}",
        hint="read the current state, then follow from the latest cursor",
        data={"cursor": cursor, "oldest": str(oldest), "latest": str(latest)},
    )


def parse_cursor(cursor: str) -> int:
    """Return the number of a cursor; what is no unsigned decimal is refused, never replayed."""
    if not (isinstance(cursor, str) and cursor.isascii() and cursor.isdecimal()):
        found = problem(
            ("after_cursor",), f"{clip(repr(cursor))} is no cursor", hint="use a change's cursor"
        )
        refuse([found], what="the request")
    # Longer numbers are beyond any log; the bound keeps them inside SQLite's integers.
    return int(cursor) if len(cursor) <= _CURSOR_DIGITS_MAX else 10**_CURSOR_DIGITS_MAX


def _change(row: ChangeRow) -> Change:
    cursor, entity_type, entity_id, kind, heads_json, meta_json = row
    return Change(
        cursor=str(cursor),
        ref=EntityRef(entity_type, entity_id),
        kind=kind,  # type: ignore[arg-type]  # the table's CHECK holds the five kinds
        head_versions=tuple(decode(heads_json)),
        meta=decode(meta_json),
    )
