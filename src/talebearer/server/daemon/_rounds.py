"""Rounds: what is ready is answered together, with one commit.

In one round every connection with whole lines gives its next requests, in its own order; those of
the store go into one group, which is committed once; then every connection gets its answers in
one write. Requests that need the loop itself (subscriptions, a stop, a campaign's methods) stand
between groups: their connection waits for the round's commit before they run.

While a commit waits for the disk, requests gather in the sockets, so groups grow with the load.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from talebearer.errors import CheckpointFailed, Overloaded
from talebearer.server.daemon._answers import STORE_METHODS, Answer, Answers, Slot, call_of
from talebearer.store import Call
from talebearer.vocabulary import WireMethod

if TYPE_CHECKING:
    from talebearer.server.daemon._aside import Aside
    from talebearer.server.daemon._connection import Connection
    from talebearer.server.daemon._envelope import Request
    from talebearer.server.daemon._limits import Limits
    from talebearer.server.daemon._log import Log
    from talebearer.server.daemon._metrics import Metrics
    from talebearer.store import Store

_HEAVY = frozenset({WireMethod.RETRIEVE.value, WireMethod.DOWNLOAD_CHUNK.value})
_RETRIEVE = WireMethod.RETRIEVE.value
_CHECKPOINT = WireMethod.CHECKPOINT.value
_ASIDE = frozenset({_RETRIEVE, _CHECKPOINT})
"""What may be answered beside the loop, or waits for what is."""


@dataclass(slots=True)
class _Gathered:
    """The requests of one round."""

    calls: list[Call] = field(default_factory=list)
    slots: dict[Connection, list[Slot]] = field(default_factory=dict)


class Rounds:
    """Gathers, answers, and hands out.

    Args:
        answers: Reads and answers the single requests.
        changed: Called with the scopes that a round has changed.
        aside: Answers retrievals beside the loop.
    """

    def __init__(
        self,
        *,
        store: Store,
        answers: Answers,
        changed: Callable[[set[str]], None],
        limits: Limits,
        metrics: Metrics,
        log: Log,
        loop: asyncio.AbstractEventLoop,
        aside: Aside,
    ) -> None:
        self._store = store
        self._aside = aside
        self._answers = answers
        self._changed = changed
        self._limits = limits
        self._metrics = metrics
        self._log = log
        self._loop = loop
        self._ready: dict[Connection, float] = {}
        self._alone: Connection | None = None
        self._scheduled = False
        self._last = False

    @property
    def waiting(self) -> int:
        """How many whole requests wait for a round."""
        return sum(connection.waiting for connection in self._ready)

    def ready(self, connection: Connection) -> None:
        """Have a connection's requests answered in the next round."""
        if self._last:
            return
        if connection not in self._ready:
            self._ready[connection] = self._loop.time()
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._turn)

    def arrived(self, connection: Connection) -> None:
        """Have the requests answered that have just come.

        A client that is the only busy one has nobody to share a commit with, so it is answered at
        once; a turn of the loop less is felt where each request waits for the one before.
        """
        if connection is self._alone and not self._ready and not self._last:
            self._ready[connection] = self._loop.time()
            self._run()
        else:
            self.ready(connection)

    def forget(self, connection: Connection) -> None:
        """Leave a connection out that is gone."""
        self._ready.pop(connection, None)
        if connection is self._alone:
            self._alone = None

    def finish(self) -> None:
        """Answer one more request of each connection that waits, then nothing any more."""
        self._last = True
        self._run()
        self._ready.clear()

    def _turn(self) -> None:
        self._scheduled = False
        self._run()

    def _run(self) -> None:
        ready, self._ready = self._ready, {}
        if not ready:
            return
        self._alone = next(iter(ready)) if len(ready) == 1 else None
        try:
            self._round(ready)
        except Exception as error:  # a bug of ours must not leave clients waiting for ever
            self._answers.fault(error)
            for connection in ready:
                connection.abort()
        changed = self._store.take_changed_scopes()
        if changed:
            self._changed(changed)

    def _round(self, ready: Mapping[Connection, float]) -> None:
        if self._alone is not None and self._alone.waiting == 1 and not self._alone.blocked:
            self._lone(self._alone, since=ready[self._alone])
            return
        gathered = _Gathered()
        self._shed(ready, gathered)
        share = 1 if self._last else max(1, self._limits.group_requests_max // len(ready))
        for connection in ready:
            self._gather(connection, gathered, share, since=ready[connection])
        answers = self._answers.answer_group(gathered.calls)
        for connection, slots in gathered.slots.items():
            self._hand_out(connection, slots, answers, since=ready[connection])
        for connection in ready:
            self._settle(connection)

    def _lone(self, connection: Connection, *, since: float) -> None:
        """A round of one request: the usual one of a client that waits for each answer."""
        slot = self._answers.read(connection)
        assert slot is not None, "the caller has counted it"
        line, request = slot.line, slot.request
        if (
            line is None
            and request.method in _ASIDE
            and self._put_aside(connection, request, since=since)
        ):
            return
        if line is None and request.method in STORE_METHODS:
            answer = self._answers.answer_one(call_of(request))
            line = self._answers.line(request, answer, seconds=self._loop.time() - since)
        elif line is None:
            line = self._answers.answer_local(connection, request)
        connection.write(line)
        self._settle(connection)

    def _settle(self, connection: Connection) -> None:
        """Look at what is left of a connection after its round."""
        if connection.closing or connection.busy:
            return
        connection.regulate()
        if connection.waiting:
            # One that takes no output waits; `ready` is called when it does again.
            if not connection.paused:
                self.ready(connection)
        elif connection.ended:
            connection.close()

    def _shed(self, ready: Mapping[Connection, float], gathered: _Gathered) -> None:
        """Answer OVERLOADED for the longest queues until what waits is within the limit."""
        total = sum(connection.waiting for connection in ready if not connection.blocked)
        while total > self._limits.queued_requests_max:
            longest = max(
                (one for one in ready if not one.blocked), key=lambda one: one.lines.waiting
            )
            count = min(total - self._limits.queued_requests_max, longest.lines.waiting)
            slots = gathered.slots.setdefault(longest, [])
            if longest.held is not None or not count:
                return
            for _ in range(count):
                slots.append(self._shed_one(longest))
            total -= count
            self._metrics.requests_shed += count
            self._log.write(
                "requests.shed", level="warning", connection=longest.number, requests=count
            )

    def _shed_one(self, connection: Connection) -> Slot:
        slot = self._answers.read(connection)
        assert slot is not None, "the caller has counted the lines"
        if slot.line is None:
            limit = self._limits.queued_requests_max
            error = Overloaded(f"more than {limit} requests wait", hint="send it again later")
            self._answers.refuse(slot, error)
        return slot

    def _gather(
        self, connection: Connection, gathered: _Gathered, share: int, *, since: float
    ) -> None:
        """Take the next requests of a connection, up to its share of the group."""
        slots = gathered.slots.setdefault(connection, [])
        in_group = False
        for _ in range(share):
            if connection.blocked or connection.closing:
                return
            slot = self._answers.read(connection)
            if slot is None:
                return
            slots.append(slot)
            if slot.line is not None:
                continue
            request = slot.request
            if not in_group and self._put_aside(connection, request, since=since):
                slots.pop()
            elif in_group and self._is_aside(request):
                slots.pop()
                connection.held = request
                return
            elif request.method in STORE_METHODS:
                slot.call_index = len(gathered.calls)
                gathered.calls.append(call_of(request))
                in_group = True
                if request.method in _HEAVY:
                    # Its answer may be large; the next one waits until this is handed out.
                    return
            elif in_group:
                slots.pop()
                connection.held = request
                return
            else:
                slot.line = self._answers.answer_local(connection, request)

    def _is_aside(self, request: Request) -> bool:
        if request.method == _CHECKPOINT:
            # A reader stands in its way; nobody else is to wait for that.
            return self._aside.running
        return request.method == _RETRIEVE and self._aside.takes(call_of(request))

    def _put_aside(self, connection: Connection, request: Request, *, since: float) -> bool:
        """Have a retrieval answered beside the loop, or a checkpoint after those that run.

        Return whether it is one for that.
        """
        if not self._is_aside(request):
            return False
        connection.busy = True

        def done(answer: Answer) -> None:
            connection.busy = False
            if not connection.closing:
                seconds = self._loop.time() - since
                connection.write(self._answers.line(request, answer, seconds=seconds))
                self._settle(connection)

        call = call_of(request)
        if request.method == _CHECKPOINT:
            self._aside.when_quiet(
                lambda: done(self._answers.answer_one(call)),
                seconds=self._limits.checkpoint_seconds,
                late=lambda: done(_stopped_by_readers()),
            )
        else:
            self._aside.ask(call, done)
        return True

    def _hand_out(
        self,
        connection: Connection,
        slots: list[Slot],
        answers: list[Answer],
        *,
        since: float,
    ) -> None:
        seconds = self._loop.time() - since
        lines = []
        for slot in slots:
            if slot.line is None:
                slot.line = self._answers.line(
                    slot.request, answers[slot.call_index], seconds=seconds
                )
            lines.append(slot.line)
        if lines:
            connection.write(b"".join(lines))


def _stopped_by_readers() -> CheckpointFailed:
    return CheckpointFailed(
        "retrievals that still run stand in the way of the checkpoint",
        hint="try again when they are done",
    )
