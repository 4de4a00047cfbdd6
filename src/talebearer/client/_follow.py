"""Following a change feed across connections: where it stands, and what is new.

Source: the protocol sheet, sections 1.9 and 5.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talebearer.client._calls import Call
from talebearer.client._core import Notification
from talebearer.client._types import Change, Reader, change_of
from talebearer.vocabulary import WireMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """How a client comes back after a connection was lost.

    Attributes:
        first_seconds: The first pause; each further one is twice as long.
        longest_seconds: The longest pause.
        total_seconds: After so much pausing it gives up; 0 never tries again.
    """

    first_seconds: float = 0.05
    longest_seconds: float = 1.0
    total_seconds: float = 10.0

    def pauses(self) -> Iterator[float]:
        """Yield how long to wait before each further attempt."""
        spent, pause = 0.0, self.first_seconds
        while spent < self.total_seconds and pause > 0:
            pause = min(pause, self.longest_seconds, self.total_seconds - spent)
            yield pause
            spent += pause
            pause *= 2


class Follow:
    """One feed as its consumer sees it: each change once, in order, whatever connections do.

    Attributes:
        cursor: The last change that was handed out, or where the feed began; None before that.
    """

    def __init__(
        self,
        meta: Mapping[str, Any],
        *,
        types: Sequence[str] | None,
        ids: Sequence[str] | None,
        after_cursor: str | None,
    ) -> None:
        self._meta = dict(meta)
        self._filter: dict[str, list[str]] = {}
        if types is not None:
            self._filter["types"] = list(types)
        if ids is not None:
            self._filter["ids"] = list(ids)
        self.cursor = after_cursor
        self._subscription_id: str | None = None

    def subscribe(self) -> Call:
        """Return the request that begins, or goes on after the last change."""
        data: dict[str, Any] = {}
        if self._filter:
            data["filter"] = self._filter
        if self.cursor is not None:
            data["after_cursor"] = self.cursor
        return Call(WireMethod.SUBSCRIBE, self._meta, data, repeatable=True)

    def begun(self, data: Any) -> None:
        """Take in the answer to that request."""
        reader = Reader(data, of="subscription")
        self._subscription_id = reader.text("subscription_id")
        self.cursor = reader.text("cursor") if self.cursor is None else self.cursor

    def take(self, message: Notification) -> Change | None:
        """Return the change that *message* brings, or None when it is not ours or not new."""
        if message.method != WireMethod.EVENT:
            return None
        params = Reader(message.params, of="event")
        data = Reader(params.member("data"), of="event")
        meta = params.member("meta")
        if data.text("subscription_id") != self._subscription_id:
            return None
        change = change_of(data.member("change"), meta if type(meta) is dict else {})
        if change.cursor == self.cursor:
            return None
        self.cursor = change.cursor
        return change
