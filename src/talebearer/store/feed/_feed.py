"""A feed: a place in the change log of one scope, and what comes after it.

Source: the protocol sheet, section 5.9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.store._canonical import clip, problem, refuse
from talebearer.store._model import Change, FeedEvent
from talebearer.store.calls import _shapes as shapes

PAGE_ROWS = 256


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

    def takes(self, change: Change) -> bool:
        """Return whether *change* is delivered."""
        if self.types is not None and change.ref.type not in self.types:
            return False
        return self.ids is None or change.ref.id in self.ids


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
        page: Callable[[str, str], list[Change]],
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
            changes = self._page(self.scope_json, self._cursor)
            if not changes:
                return []
            self._cursor = changes[-1].cursor
            events = [event_of(change) for change in changes if self._wanted.takes(change)]
            if events:
                return events


def event_of(change: Change) -> FeedEvent:
    """Return *change* as the wire delivers it."""
    return FeedEvent(
        change={
            "cursor": change.cursor,
            "ref": {"type": change.ref.type, "id": change.ref.id},
            "kind": change.kind,
            "head_versions": list(change.head_versions),
        },
        meta=dict(change.meta),
    )
