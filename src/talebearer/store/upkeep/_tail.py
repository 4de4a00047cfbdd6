"""The change feed from outside: what a scope's log has after a cursor, and what comes to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from talebearer.store._model import Change
from talebearer.store.feed import Changes
from talebearer.store.upkeep._access import Reading

PAGE = 256


def tail(
    reading: Reading,
    scope_json: str,
    *,
    after_cursor: str | None = None,
    wait: Callable[[], bool] | None = None,
) -> Iterator[Change]:
    """Yield a scope's changes strictly after *after_cursor*, oldest first.

    Args:
        reading: The store; a writer may go on beside it.
        scope_json: The scope's canonical text.
        after_cursor: The last cursor seen; None starts at the oldest change that is kept.
        wait: Called when there is nothing new, and asked whether to go on; None ends there.

    Raises:
        CursorExpired: The cursor is not of this scope's log, or the changes after it were pruned
            before they were read (TB211).

    Source: the protocol sheet, section 5.9.
    """
    changes = Changes(reading.database)
    cursor = after_cursor
    while True:
        page = changes.after(scope_json, cursor=cursor, limit=PAGE)
        yield from page
        if page:
            cursor = page[-1].cursor
        elif wait is None or not wait():
            return
