"""Delivering changes: each subscription reads the log at its own pace.

Nothing is queued for a subscriber: what it has not been handed yet is in the log. So a slow one
costs no memory and holds nobody up, and one that is dropped goes on from its cursor.

Source: the protocol sheet, sections 1.9 and 5.9.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from talebearer.errors import TalebearerError
from talebearer.server.daemon._envelope import notification_line
from talebearer.store import Feed, FeedEvent
from talebearer.vocabulary import WireMethod

if TYPE_CHECKING:
    from talebearer.server.daemon._connection import Connection
    from talebearer.server.daemon._log import Log
    from talebearer.server.daemon._metrics import Metrics

PAGES_PER_TURN = 16


@dataclass(eq=False, slots=True)
class Subscription:
    """One subscription of one connection.

    Attributes:
        id: Its id on that connection.
        connection: Whom it is for.
        feed: Its place in the log.
        behind_since: When a change came that it has not been handed, loop seconds; None when it
            has everything.
    """

    id: str
    connection: Connection
    feed: Feed
    behind_since: float | None = None


class Subscriptions:
    """All subscriptions of a daemon.

    Args:
        call_soon: Has a function run in the loop's next turn.
        clock: The loop's time in seconds.
    """

    def __init__(
        self,
        *,
        call_soon: Callable[[Callable[[], None]], object],
        clock: Callable[[], float],
        metrics: Metrics,
        log: Log,
    ) -> None:
        self._call_soon = call_soon
        self._clock = clock
        self._metrics = metrics
        self._log = log
        self._by_connection: dict[Connection, dict[str, Subscription]] = {}
        self._by_scope: dict[str, dict[Subscription, None]] = {}
        self._turn: deque[Subscription] = deque()
        self._scheduled = False

    def __len__(self) -> int:
        return sum(len(own) for own in self._by_connection.values())

    def count(self, connection: Connection) -> int:
        """Return how many subscriptions a connection has."""
        return len(self._by_connection.get(connection, ()))

    def behind(self) -> tuple[int, float]:
        """Return how many subscriptions lack changes, and for how many seconds the first has."""
        waits = [
            one.behind_since
            for own in self._by_connection.values()
            for one in own.values()
            if one.behind_since is not None
        ]
        return len(waits), self._clock() - min(waits) if waits else 0.0

    def add(self, connection: Connection, subscription_id: str, feed: Feed) -> None:
        """Deliver *feed* to a connection, from the loop's next turn on."""
        subscription = Subscription(subscription_id, connection, feed)
        self._by_connection.setdefault(connection, {})[subscription_id] = subscription
        self._by_scope.setdefault(feed.scope_json, {})[subscription] = None
        self._mark(subscription)

    def remove(self, connection: Connection, subscription_id: str) -> bool:
        """End a subscription; return whether the connection had it."""
        subscription = self._by_connection.get(connection, {}).pop(subscription_id, None)
        if subscription is None:
            return False
        self._forget(subscription)
        return True

    def drop(self, connection: Connection) -> None:
        """End all subscriptions of a connection."""
        for subscription in self._by_connection.pop(connection, {}).values():
            self._forget(subscription)

    def wake(self, scopes: Iterable[str]) -> None:
        """Have the subscriptions of *scopes* look for changes."""
        for scope_json in scopes:
            for subscription in self._by_scope.get(scope_json, ()):
                self._mark(subscription)

    def resume(self, connection: Connection) -> None:
        """Go on with a connection that takes output again."""
        for subscription in self._by_connection.get(connection, {}).values():
            if subscription.behind_since is not None and subscription not in self._turn:
                self._turn.append(subscription)
        self._schedule()

    def _mark(self, subscription: Subscription) -> None:
        if subscription.behind_since is None:
            subscription.behind_since = self._clock()
            self._turn.append(subscription)
            self._schedule()

    def _schedule(self) -> None:
        if self._turn and not self._scheduled:
            self._scheduled = True
            self._call_soon(self._deliver)

    def _deliver(self) -> None:
        """Hand one page each to the next subscriptions, then let others have the loop."""
        self._scheduled = False
        for _ in range(min(PAGES_PER_TURN, len(self._turn))):
            subscription = self._turn.popleft()
            if subscription.connection.paused or subscription.connection.closing:
                # It is put back when the connection takes output again.
                continue
            if self._deliver_page(subscription):
                self._turn.append(subscription)
        self._schedule()

    def _deliver_page(self, subscription: Subscription) -> bool:
        """Hand over the next page; return whether there may be more."""
        connection = subscription.connection
        try:
            events = subscription.feed.next_page()
        except TalebearerError as error:
            # The client learns nothing but the end: it reads its state again or resumes.
            self._metrics.dropped("feed_failed")
            self._log.write(
                "feed.failed",
                level="warning",
                connection=connection.number,
                subscription=subscription.id,
                code=error.code,
            )
            self.drop(connection)
            connection.close_writing()
            return False
        if not events:
            subscription.behind_since = None
            return False
        self._metrics.events_sent += len(events)
        connection.write(b"".join(_event_line(subscription.id, event) for event in events))
        return True

    def _forget(self, subscription: Subscription) -> None:
        of_scope = self._by_scope[subscription.feed.scope_json]
        del of_scope[subscription]
        if not of_scope:
            del self._by_scope[subscription.feed.scope_json]
        if subscription in self._turn:
            self._turn.remove(subscription)


def _event_line(subscription_id: str, event: FeedEvent) -> bytes:
    data = {"subscription_id": subscription_id, "change": event.change}
    return notification_line(WireMethod.EVENT, {"meta": event.meta, "data": data})
