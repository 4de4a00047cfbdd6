"""From a line to its request, and from what answers it to a line.

Requests of the store are answered by the store; those that need the loop itself (subscriptions, a
stop, a campaign's methods) by their own functions. What cannot be called at all is answered while
it is read. Every answer is counted here.

Source: the protocol sheet, sections 1.3 to 1.6.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from talebearer.errors import InternalError, InvalidRecord, TalebearerError
from talebearer.errors import Unauthenticated as HandshakeMissing
from talebearer.server.daemon._envelope import (
    INTERNAL_ERROR,
    INVALID_ENVELOPE,
    UNKNOWN_METHOD,
    BadEnvelope,
    Request,
    dump,
    error_line,
    read_request,
    result_line,
)
from talebearer.server.daemon._lines import OVERSIZE
from talebearer.server.daemon._metrics import OK
from talebearer.store import Call, Reply
from talebearer.store.calls import encoded
from talebearer.vocabulary import REQUEST_BYTES_MAX, WireMethod

if TYPE_CHECKING:
    from talebearer.server.daemon._connection import Connection
    from talebearer.server.daemon._log import Log
    from talebearer.server.daemon._metrics import Metrics
    from talebearer.store import Store

STORE_METHODS = frozenset(
    {
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
_HANDSHAKE = WireMethod.HANDSHAKE.value
_ENVELOPE = "envelope"
_UNKNOWN = "unknown"

Answer = bytes | TalebearerError
"""What the store gives: a result as JSON text, or what it refuses with."""
LocalMethod = Callable[["Connection", Call], Reply]
Greeter = Callable[["Connection", Any], Mapping[str, Any]]


@dataclass(slots=True)
class Slot:
    """A request in its place among its connection's answers.

    Attributes:
        request: What was asked.
        line: What answers it, once it is known.
        call_index: Which answer of the round's group it gets; -1 for none.
    """

    request: Request
    line: bytes | None = None
    call_index: int = -1


class Answers:
    """Reads requests, has them answered, and makes the lines.

    Args:
        local: Methods that are answered by the loop itself, by name.
        greet: Answers a handshake.
    """

    def __init__(
        self,
        *,
        store: Store,
        local: Mapping[str, LocalMethod],
        greet: Greeter,
        metrics: Metrics,
        log: Log,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._store = store
        self._local = local
        self._greet = greet
        self._metrics = metrics
        self._log = log
        self._loop = loop

    def read(self, connection: Connection) -> Slot | None:
        """Return the next request of a connection; one that cannot be one is answered."""
        if connection.held is not None:
            request, connection.held = connection.held, None
            return Slot(request)
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
        slot = Slot(request)
        self._check(connection, slot)
        return slot

    def answer_local(self, connection: Connection, request: Request) -> bytes:
        """Return the line of a request that the loop answers itself."""
        began = self._loop.time()
        answer: Answer
        try:
            reply = self._local[request.method](connection, call_of(request))
        except TalebearerError as error:
            answer = error
        except Exception as error:  # a method of somebody else must not end the daemon
            answer = self.fault(error)
        else:
            answer = self._encoded(reply)
        return self.line(request, answer, seconds=self._loop.time() - began)

    def _encoded(self, reply: Reply) -> Answer:
        try:
            return encoded(reply)
        except InternalError as error:  # JSON has no form for what it says
            return self.fault(error)

    def answer_one(self, call: Call) -> Answer:
        """Return the store's answer to one request, with a commit of its own."""
        self._metrics.group_size.observe(1)
        try:
            return self._store.call_encoded(call)
        except TalebearerError as error:
            return error
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # As for a group: a panic of an extension module must not end the daemon.
            return self.fault(error)

    def answer_group(self, calls: list[Call]) -> list[Answer]:
        """Return the store's answers to *calls*, in their order, after one commit."""
        if not calls:
            return []
        self._metrics.group_size.observe(len(calls))
        try:
            return self._store.call_many_encoded(calls)
        except TalebearerError as error:
            return [error] * len(calls)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # Extension modules raise panics that are no Exception; none may end the daemon.
            return [self.fault(error)] * len(calls)

    def line(self, request: Request, answer: Answer, *, seconds: float) -> bytes:
        """Return the line that answers *request*, and count it."""
        if isinstance(answer, bytes):
            self._metrics.answered(request.method, OK, seconds=seconds)
            return result_line(request.id_json, answer)
        return self._error(request, answer, seconds=seconds)

    def fault(self, error: BaseException) -> InternalError:
        """Return an unforeseen fault as ours; the log has its kind, the client no details."""
        self._log.write("request.fault", level="error", kind=type(error).__name__)
        return InternalError(f"an unforeseen fault: {type(error).__name__}")

    def refuse(self, slot: Slot, error: TalebearerError) -> None:
        """Answer a request with *error*."""
        slot.line = self._error(slot.request, error, seconds=0.0)

    def _bad(self, error: BadEnvelope) -> Slot:
        line = error_line(error.id_json, {"code": error.code, "message": error.message})
        self._metrics.answered(_ENVELOPE, str(error.code), seconds=0.0)
        return Slot(Request(error.id_json, _ENVELOPE, {}), line)

    def _check(self, connection: Connection, slot: Slot) -> None:
        """Answer what needs no method to be answered: the handshake, and what cannot be called."""
        request = slot.request
        if request.method in STORE_METHODS and connection.session.greeted:
            self._attempt_shape(slot)
        elif request.method == _HANDSHAKE:
            self._attempt(slot, lambda: self._greet(connection, request.params))
        elif not connection.session.greeted:
            self.refuse(slot, HandshakeMissing("the connection begins with a handshake"))
        elif request.method not in self._local:
            message = f"there is no method {request.method[:120]!r}"
            slot.line = error_line(request.id_json, {"code": UNKNOWN_METHOD, "message": message})
            self._metrics.answered(_UNKNOWN, str(UNKNOWN_METHOD), seconds=0.0)
        else:
            self._attempt_shape(slot)

    def _attempt_shape(self, slot: Slot) -> None:
        params = slot.request.params
        if type(params) is dict and type(params.get("meta")) is type(params.get("data")) is dict:
            return
        for member in ("meta", "data"):
            if type(params) is not dict or type(params.get(member)) is not dict:
                error = InvalidRecord(
                    f"the request is refused at /params/{member}: it is no object, or missing"
                )
                self.refuse(slot, error)
                return

    def _attempt(self, slot: Slot, make: Callable[[], Mapping[str, Any]]) -> None:
        try:
            slot.line = result_line(slot.request.id_json, dump(make()))
            self._metrics.answered(slot.request.method, OK, seconds=0.0)
        except TalebearerError as error:
            self.refuse(slot, error)

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


def call_of(request: Request) -> Call:
    """Return a request whose shape was found right as the store takes it."""
    return Call(request.method, request.params["meta"], request.params["data"], parsed=True)
