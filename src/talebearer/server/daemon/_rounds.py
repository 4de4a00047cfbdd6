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
from typing import TYPE_CHECKING, Any

from talebearer.errors import (
    CheckpointFailed,
    InternalError,
    InvalidRecord,
    Overloaded,
    TalebearerError,
)
from talebearer.errors import Unauthenticated as HandshakeMissing
from talebearer.server.daemon._envelope import (
    INTERNAL_ERROR,
    INVALID_ENVELOPE,
    UNKNOWN_METHOD,
    BadEnvelope,
    Request,
    error_line,
    read_request,
    result_line,
)
from talebearer.server.daemon._lines import OVERSIZE
from talebearer.server.daemon._metrics import OK
from talebearer.store import Call, Reply
from talebearer.vocabulary import REQUEST_BYTES_MAX, WireMethod

if TYPE_CHECKING:
    from talebearer.server.daemon._aside import Answer, Aside
    from talebearer.server.daemon._connection import Connection
    from talebearer.server.daemon._limits import Limits
    from talebearer.server.daemon._log import Log
    from talebearer.server.daemon._metrics import Metrics
    from talebearer.store import Store

STORE_METHODS = frozenset(
    {
        WireMethod.STATUS.value,
        WireMethod.CHECKPOINT.value,
        WireMethod.CREATE.value,
        WireMethod.READ.value,
        WireMethod.UPDATE.value,
        WireMethod.DELETE.value,
        WireMethod.RETRIEVE.value,
        WireMethod.UPLOAD_BEGIN.value,
        WireMethod.UPLOAD_CHUNK.value,
        WireMethod.UPLOAD_COMMIT.value,
        WireMethod.DOWNLOAD_CHUNK.value,
    }
)
_HEAVY = frozenset({WireMethod.RETRIEVE.value, WireMethod.DOWNLOAD_CHUNK.value})
_HANDSHAKE = WireMethod.HANDSHAKE.value
_RETRIEVE = WireMethod.RETRIEVE.value
_CHECKPOINT = WireMethod.CHECKPOINT.value
_STATUS = WireMethod.STATUS.value
_ENVELOPE = "envelope"
_UNKNOWN = "unknown"

LocalMethod = Callable[["Connection", Call], Reply]
Greeter = Callable[["Connection", Any], Mapping[str, Any]]


@dataclass(slots=True)
class _Slot:
    """One answer of a connection in this round: made already, or of the group."""

    request: Request
    line: bytes | None = None
    call_index: int = -1


@dataclass(slots=True)
class _Gathered:
    """The requests of one round."""

    calls: list[Call] = field(default_factory=list)
    slots: dict[Connection, list[_Slot]] = field(default_factory=dict)


class Rounds:
    """Gathers, answers, and hands out.

    Args:
        local: Methods that are answered by the loop itself, by name.
        greet: Answers a handshake.
        connections: How many connections there are now.
        changed: Called with the scopes that a round has changed.
        aside: Answers retrievals beside the loop.
    """

    def __init__(
        self,
        *,
        store: Store,
        local: Mapping[str, LocalMethod],
        greet: Greeter,
        connections: Callable[[], int],
        changed: Callable[[set[str]], None],
        limits: Limits,
        metrics: Metrics,
        log: Log,
        loop: asyncio.AbstractEventLoop,
        aside: Aside,
    ) -> None:
        self._store = store
        self._aside = aside
        self._local = local
        self._greet = greet
        self._connections = connections
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
            self._fault(error)
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
        answers = self._answer(gathered.calls)
        for connection, slots in gathered.slots.items():
            self._hand_out(connection, slots, answers, since=ready[connection])
        for connection in ready:
            self._settle(connection)

    def _lone(self, connection: Connection, *, since: float) -> None:
        """A round of one request: the usual one of a client that waits for each answer."""
        slot = self._read(connection)
        assert slot is not None, "the caller has counted it"
        line, request = slot.line, slot.request
        if line is None and self._put_aside(connection, request, since=since):
            return
        if line is None and request.method in STORE_METHODS:
            answer = self._answer_one(_call(request))
            line = self._line(request, answer, seconds=self._loop.time() - since)
        elif line is None:
            line = self._answer_local(connection, request)
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

    def _shed_one(self, connection: Connection) -> _Slot:
        slot = self._read(connection)
        assert slot is not None, "the caller has counted the lines"
        if slot.line is None:
            limit = self._limits.queued_requests_max
            error = Overloaded(f"more than {limit} requests wait", hint="send it again later")
            self._refuse(slot, error)
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
            slot = self._read(connection)
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
                gathered.calls.append(_call(request))
                in_group = True
                if request.method in _HEAVY:
                    # Its answer may be large; the next one waits until this is handed out.
                    return
            elif in_group:
                slots.pop()
                connection.held = request
                return
            else:
                slot.line = self._answer_local(connection, request)

    def _read(self, connection: Connection) -> _Slot | None:
        """Return the next request of a connection; one that cannot be one is answered."""
        if connection.held is not None:
            request, connection.held = connection.held, None
            return _Slot(request)
        line = connection.lines.take()
        if line is None:
            return None
        try:
            if line is OVERSIZE:
                message = f"the line is longer than {REQUEST_BYTES_MAX} bytes"
                raise BadEnvelope(INVALID_ENVELOPE, message)
            request = read_request(line)
        except BadEnvelope as error:
            return self._bad(error)
        slot = _Slot(request)
        self._check(connection, slot)
        return slot

    def _bad(self, error: BadEnvelope) -> _Slot:
        line = error_line(error.id_json, {"code": error.code, "message": error.message})
        self._metrics.answered(_ENVELOPE, str(error.code), seconds=0.0)
        return _Slot(Request(error.id_json, _ENVELOPE, {}), line)

    def _check(self, connection: Connection, slot: _Slot) -> None:
        """Answer what needs no method to be answered: the handshake, and what cannot be called."""
        request = slot.request
        if request.method in STORE_METHODS and connection.session.greeted:
            self._attempt_shape(slot)
        elif request.method == _HANDSHAKE:
            self._attempt(slot, lambda: self._greet(connection, request.params))
        elif not connection.session.greeted:
            self._refuse(slot, HandshakeMissing("the connection begins with a handshake"))
        elif request.method not in self._local:
            message = f"there is no method {request.method[:120]!r}"
            slot.line = error_line(request.id_json, {"code": UNKNOWN_METHOD, "message": message})
            self._metrics.answered(_UNKNOWN, str(UNKNOWN_METHOD), seconds=0.0)
        else:
            self._attempt_shape(slot)

    def _attempt_shape(self, slot: _Slot) -> None:
        params = slot.request.params
        if type(params) is dict and type(params.get("meta")) is type(params.get("data")) is dict:
            return
        for member in ("meta", "data"):
            if type(params) is not dict or type(params.get(member)) is not dict:
                error = InvalidRecord(
                    f"the request is refused at /params/{member}: it is no object, or missing"
                )
                self._refuse(slot, error)
                return

    def _attempt(self, slot: _Slot, make: Callable[[], Mapping[str, Any]]) -> None:
        try:
            slot.line = result_line(slot.request.id_json, make())
            self._metrics.answered(slot.request.method, OK, seconds=0.0)
        except TalebearerError as error:
            self._refuse(slot, error)

    def _refuse(self, slot: _Slot, error: TalebearerError) -> None:
        slot.line = self._error(slot.request, error, seconds=0.0)

    def _answer_local(self, connection: Connection, request: Request) -> bytes:
        began = self._loop.time()
        answer: Reply | TalebearerError
        try:
            answer = self._local[request.method](connection, _call(request))
        except TalebearerError as error:
            answer = error
        except Exception as error:  # a method of somebody else must not end the daemon
            answer = self._fault(error)
        return self._line(request, answer, seconds=self._loop.time() - began)

    def _is_aside(self, request: Request) -> bool:
        if request.method == _CHECKPOINT:
            # A reader stands in its way; nobody else is to wait for that.
            return self._aside.running
        return request.method == _RETRIEVE and self._aside.takes(_call(request))

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
                connection.write(self._line(request, answer, seconds=seconds))
                self._settle(connection)

        call = _call(request)
        if request.method == _CHECKPOINT:
            self._aside.when_quiet(
                lambda: done(self._answer_one(call)),
                seconds=self._limits.checkpoint_seconds,
                late=lambda: done(_stopped_by_readers()),
            )
        else:
            self._aside.ask(call, done)
        return True

    def _answer_one(self, call: Call) -> Reply | TalebearerError:
        self._metrics.group_size.observe(1)
        try:
            return self._store.call(call)
        except TalebearerError as error:
            return error
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # As for a group: a panic of an extension module must not end the daemon.
            return self._fault(error)

    def _answer(self, calls: list[Call]) -> list[Reply | TalebearerError]:
        if not calls:
            return []
        self._metrics.group_size.observe(len(calls))
        try:
            return self._store.call_many(calls)
        except TalebearerError as error:
            return [error] * len(calls)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # Extension modules raise panics that are no Exception; none may end the daemon.
            return [self._fault(error)] * len(calls)

    def _hand_out(
        self,
        connection: Connection,
        slots: list[_Slot],
        answers: list[Reply | TalebearerError],
        *,
        since: float,
    ) -> None:
        seconds = self._loop.time() - since
        lines = []
        for slot in slots:
            if slot.line is None:
                slot.line = self._line(slot.request, answers[slot.call_index], seconds=seconds)
            lines.append(slot.line)
        if lines:
            connection.write(b"".join(lines))

    def _line(self, request: Request, answer: Reply | TalebearerError, *, seconds: float) -> bytes:
        if isinstance(answer, Reply):
            if request.method == _STATUS:
                answer.data["active_connections"] = self._connections()
            try:
                line = result_line(request.id_json, {"meta": answer.meta, "data": answer.data})
            except TypeError as error:
                return self._error(request, self._fault(error), seconds=seconds)
            self._metrics.answered(request.method, OK, seconds=seconds)
            return line
        return self._error(request, answer, seconds=seconds)

    def _error(self, request: Request, error: TalebearerError, *, seconds: float) -> bytes:
        outcome = error.wire_reason or str(error.wire_code)
        self._metrics.answered(self._label(request.method), outcome, seconds=seconds)
        if error.wire_code == INTERNAL_ERROR:
            self._log.write(
                "request.failed",
                level="error",
                method=self._label(request.method),
                code=error.code,
            )
        return error_line(request.id_json, error.as_wire())

    def _label(self, method: str) -> str:
        """Return a method's name for metrics and log; what clients make up is one name."""
        known = method in STORE_METHODS or method in self._local or method == _HANDSHAKE
        return method if known else _UNKNOWN

    def _fault(self, error: BaseException) -> InternalError:
        """Return an unforeseen fault as ours; the log has its kind, the client no details."""
        self._log.write("request.fault", level="error", kind=type(error).__name__)
        return InternalError(f"an unforeseen fault: {type(error).__name__}")


def _stopped_by_readers() -> CheckpointFailed:
    return CheckpointFailed(
        "retrievals that still run stand in the way of the checkpoint",
        hint="try again when they are done",
    )


def _call(request: Request) -> Call:
    return Call(request.method, request.params["meta"], request.params["data"])
