"""A feed: a place in the change log of one scope, and what comes after it.

Source: the protocol sheet, section 5.9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.store._canonical import clip, decode, problem, refuse
from talebearer.store._model import FeedEvent
from talebearer.store.calls import _shapes as shapes

PAGE_ROWS = 256

ChangeRow = tuple[int, str, str, str, str, str]
"""Cursor, type, id, kind, head versions and metadata, as the log has them."""


@dataclass(frozen=True, slots=True)
class FeedFilter:
    """Which changes are delivered: both conditions must hold, None lets all through."""

    types: frozenset[str] | None = None
    ids: frozenset[str] | None = None

    @classmethod
    def parse(cls, value: Mapping[str, Any] | None) -> FeedFilter:
        """Return the filter that *value* describes.

        Raises:
            InvalidRecord: It is no object, or has a member that is no list of texts (TB115).
        """
        if value is None:
            return cls()
        if not isinstance(value, Mapping):
            refuse([problem(("filter",), f"{clip(repr(value))} is no object")], what="the request")
        types = shapes.texts(value, "types", path=("filter",))
        ids = shapes.texts(value, "ids", path=("filter",))
        return cls(
            types=None if types is None else frozenset(types),
            ids=None if ids is None else frozenset(ids),
        )

    def takes(self, entity_type: str, entity_id: str) -> bool:
        """Return whether a change of this entity is delivered."""
        if self.types is not None and entity_type not in self.types:
            return False
        return self.ids is None or entity_id in self.ids


class Feed:
    """The changes of one scope after a cursor, page by page.

    Attributes:
        scope_json: The scope, as ``Store.take_changed_scopes`` names it.
    """

    def __init__(
        self,
        scope_json: str,
        *,
        cursor: str,
        wanted: FeedFilter,
        page: Callable[[str, str], list[ChangeRow]],
    ) -> None:
        self.scope_json = scope_json
        self._cursor = cursor
        self._wanted = wanted
        self._page = page

    @property
    def cursor(self) -> str:
        """How far the log was looked at; a feed opened at it continues there."""
        return self._cursor

    def next_page(self) -> list[FeedEvent]:
        """Return the next events in order, none when there is nothing more now.

        At most :data:`PAGE_ROWS` rows of the log are looked at for one page that is not empty.

        Raises:
            CursorExpired: The log was pruned beyond the cursor (TB211).
        """
        while True:
            rows = self._page(self.scope_json, self._cursor)
            if not rows:
                return []
            self._cursor = str(rows[-1][0])
            takes = self._wanted.takes
            events = [_event(row) for row in rows if takes(row[1], row[2])]
            if events:
                return events


def _event(row: ChangeRow) -> FeedEvent:
    cursor, entity_type, entity_id, kind, heads_json, meta_json = row
    change = {
        "cursor": str(cursor),
        "ref": {"type": entity_type, "id": entity_id},
        "kind": kind,
        "head_versions": decode(heads_json),
    }
    return FeedEvent(change, decode(meta_json))
