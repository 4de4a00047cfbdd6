"""The blocking client: one request at a time over a Unix socket."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from talebearer._version import __version__
from talebearer.client import _calls as calls
from talebearer.client._core import (
    CONNECTION,
    HANDSHAKE,
    Message,
    Notification,
    WireCore,
    handshake_params,
)
from talebearer.client._dial import dial
from talebearer.client._follow import Follow, Retry
from talebearer.client._types import (
    Change,
    Download,
    EntityRef,
    EntityVersion,
    Page,
    ReadResult,
    ServerInfo,
    Status,
    server_of,
)
from talebearer.errors import (
    CallTimedOut,
    ConnectionLost,
    DaemonUnreachable,
    Overloaded,
    ProtocolFault,
    TalebearerError,
    UsageFault,
)
from talebearer.vocabulary import WireMethod

T = TypeVar("T")
_ROOM_BYTES = 262_144
_LONGER = 1.01
COMING_BACK = (DaemonUnreachable, ConnectionLost, Overloaded)
"""What passes when a daemon is started again, or has fewer clients."""


class _Link:
    """One connection that has shaken hands."""

    def __init__(self, endpoint: Path, greeting: Mapping[str, Any], *, seconds: float) -> None:
        self._endpoint = endpoint
        self._core = WireCore()
        self._messages: deque[Message] = deque()
        # A buffer made for each read would be mostly empty, and cost more than the answer.
        self._room = memoryview(bytearray(_ROOM_BYTES))
        self._allowed_seconds: float | None = None
        self._socket = dial(endpoint)
        try:
            number = self.send(HANDSHAKE, greeting, seconds=seconds)
            self.server = server_of(self.answer(number, deadline=time.monotonic() + seconds))
        except BaseException:
            self.close()
            raise

    def send(self, method: str, params: Mapping[str, Any], *, seconds: float) -> int:
        """Send one request whole and return its number.

        Raises:
            ConnectionLost: The daemon is gone, and has not got the request as a whole (TB232).
            CallTimedOut: It does not read (TB233).
        """
        number, line = self._core.request(method, params)
        self._allow(seconds)
        try:
            self._socket.sendall(line)
        except TimeoutError as error:
            raise self._late(method) from error
        except OSError as error:
            self._hear_why()
            raise ConnectionLost(f"the daemon at {self._endpoint} is gone") from error
        return number

    def _hear_why(self) -> None:
        """Raise what the daemon said before it closed, if it said why."""
        self._allow(0)
        with contextlib.suppress(OSError):
            self._messages.extend(self._take(self._socket.recv_into(self._room)))

    def answer(self, number: int, *, deadline: float) -> Any:
        """Return the result of a request; what else comes is kept."""
        kept: list[Message] = []
        try:
            while True:
                message = self.receive(deadline)
                if message is None:
                    raise self._late("the request")
                if isinstance(message, Notification):
                    kept.append(message)
                elif message.id != number:
                    raise ProtocolFault(f"answer {message.id} came where {number} was due")
                elif message.error is not None:
                    raise message.error
                else:
                    return message.result
        finally:
            self._messages.extendleft(reversed(kept))

    def receive(self, deadline: float | None) -> Message | None:
        """Return the next message, or None when *deadline* (monotonic seconds) passes before."""
        while not self._messages:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            self._allow(left)
            try:
                size_bytes = self._socket.recv_into(self._room)
            except TimeoutError:
                return None
            except OSError as error:
                raise ConnectionLost(f"the connection to {self._endpoint} ended") from error
            if not size_bytes:
                raise ConnectionLost(f"the daemon at {self._endpoint} closed the connection")
            self._messages.extend(self._take(size_bytes))
        return self._messages.popleft()

    def _take(self, size_bytes: int) -> list[Message]:
        return self._core.feed(self._room[:size_bytes])

    def _allow(self, seconds: float | None) -> None:
        """Have the socket wait for *seconds*, or a hundredth longer: to say it anew is a call."""
        now = self._allowed_seconds
        if seconds is None or now is None or not seconds <= now <= seconds * _LONGER:
            self._socket.settimeout(seconds)
            self._allowed_seconds = seconds

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _late(self, what: str) -> CallTimedOut:
        return CallTimedOut(f"the daemon at {self._endpoint} did not answer {what} in time")


class _Dialler:
    """Makes connections to one endpoint, with patience after a first success."""

    def __init__(
        self, endpoint: Path, greeting: Mapping[str, Any], *, seconds: float, retry: Retry
    ) -> None:
        self.endpoint = endpoint
        self.greeting = greeting
        self.seconds = seconds
        self.retry = retry

    def dial(self) -> _Link:
        """Connect, once."""
        return _Link(self.endpoint, self.greeting, seconds=self.seconds)

    def dial_again(self, retry: Retry | None = None) -> _Link:
        """Connect, and try again for as long as the retry settings say."""
        pauses = (retry or self.retry).pauses()
        while True:
            try:
                return self.dial()
            except COMING_BACK:
                pause = next(pauses, None)
                if pause is None:
                    raise
            time.sleep(pause)


class Client:
    """A blocking client of a daemon. Safe to use from several threads, one call at a time.

    A connection that was lost is made again by the next call. A call that was under way is
    repeated when it changes nothing; a write that may have been carried out raises
    ConnectionLost instead.

    Every call may raise, besides what it lists: DaemonUnreachable (TB231), ConnectionLost
    (TB232), CallTimedOut (TB233), ProtocolFault (TB234), RequestTooLarge (TB130), and the error
    classes of the store that the daemon's ``error.data.reason`` names.

    Attributes:
        server: What the last handshake told.
    """

    def __init__(self, dialler: _Dialler, link: _Link) -> None:
        self._dialler = dialler
        self._link: _Link | None = link
        self._lock = threading.Lock()
        self._closed = False
        self.server: ServerInfo = link.server

    @classmethod
    def connect(
        cls,
        endpoint: Path | str,
        *,
        name: str = "talebearer-client",
        version: str = __version__,
        instance_id: str | None = None,
        timeout_seconds: float = 30.0,
        wait_seconds: float = 0.0,
        retry: Retry = Retry(),  # noqa: B008 - a value that cannot change
    ) -> Client:
        """Connect to the daemon at *endpoint*.

        Args:
            endpoint: The socket's path.
            name: The client's name, for the handshake.
            version: The client's version.
            instance_id: Tells this client from others of its name; None makes one.
            timeout_seconds: How long one answer may take.
            wait_seconds: How long to wait for a daemon that is only starting.
            retry: How it comes back after a lost connection.

        Raises:
            DaemonUnreachable: Nobody answers there (TB231).
        """
        greeting = handshake_params(name, version, instance_id or str(uuid.uuid4()))
        dialler = _Dialler(Path(endpoint), greeting, seconds=timeout_seconds, retry=retry)
        return cls(dialler, dialler.dial_again(Retry(total_seconds=wait_seconds)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. Closing again does nothing."""
        self._closed = True
        if self._link is not None:
            self._link.close()
            self._link = None

    def call(
        self,
        method: str,
        meta: Mapping[str, Any],
        data: Mapping[str, Any],
        *,
        repeatable: bool = False,
    ) -> calls.Result:
        """Call any method that takes metadata and data, and return its result.

        Args:
            method: Its full name, such as ``talebearer.why@1``.
            meta: The request's metadata.
            data: What it takes.
            repeatable: Whether it may be sent again when the connection is lost meanwhile.
        """
        return self._run(calls.plain(calls.Call(method, meta, data, repeatable)))

    def create(
        self, meta: Mapping[str, Any], type: str, value: Any, *, id: str | None = None
    ) -> EntityVersion:
        """Create an entity and return its first version."""
        return self._run(calls.mutate(calls.Create(type=type, value=value, id=id), meta))

    def read(self, meta: Mapping[str, Any], ref: EntityRef) -> ReadResult:
        """Return the current heads of an entity."""
        return self._run(calls.read(meta, ref))

    def update(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Replace an entity's value as a whole; *meta* names the ``base_versions``."""
        return self._run(calls.mutate(calls.Update(ref=ref, value=value), meta))

    def delete(self, meta: Mapping[str, Any], ref: EntityRef) -> EntityVersion:
        """Put a tombstone in the place of the ``base_versions`` that *meta* names."""
        return self._run(calls.mutate(calls.Delete(ref=ref), meta))

    def retrieve(
        self,
        meta: Mapping[str, Any],
        query: Mapping[str, Any],
        *,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        exclude_expired: bool = False,
    ) -> Page:
        """Search, and return one page.

        Args:
            meta: The request's metadata.
            query: ``text``, ``ids``, ``where``, ``order`` and ``cursor``, each optional.
            types: Only these record types.
            limit: Most hits of the page, 1 to 100; None leaves it to the daemon.
            exclude_expired: Whether records whose ``lifecycle.expires_at`` is reached stay out.
        """
        return self._run(calls.retrieve(meta, query, types, limit, exclude_expired))

    def query_pages(
        self,
        meta: Mapping[str, Any],
        query: Mapping[str, Any],
        *,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        exclude_expired: bool = False,
    ) -> Iterator[Page]:
        """Search, and yield page after page until there is no more."""
        left: Mapping[str, Any] | None = query
        while left is not None:
            page = self.retrieve(
                meta, left, types=types, limit=limit, exclude_expired=exclude_expired
            )
            left = calls.next_query(query, page)
            yield page

    def run_work_unit(
        self,
        meta: Mapping[str, Any],
        mutations: Sequence[calls.Mutation],
        *,
        close: Mapping[str, Any],
    ) -> tuple[EntityVersion, ...]:
        """Send mutations that become visible together, or not at all.

        Args:
            meta: Metadata of every mutation, with the unit's identity.
            mutations: At least one; the last one closes the unit.
            close: Metadata of the last one besides, which may replace none of the other.

        Raises:
            UsageFault: There is nothing to send, or nothing that closes (TB111).
        """
        return self._run(calls.work_unit(meta, mutations, close))

    def upload(self, meta: Mapping[str, Any], upload: calls.Upload) -> EntityVersion:
        """Send bytes in chunks and create their artifact."""
        return self._run(calls.upload(meta, upload))

    def download(self, meta: Mapping[str, Any], id: str, *, version: str | None = None) -> Download:
        """Fetch an artifact's bytes, all of one version."""
        return self._run(calls.download(meta, id, version))

    def follow(
        self,
        meta: Mapping[str, Any],
        *,
        types: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        after_cursor: str | None = None,
    ) -> Follower:
        """Follow the scope's changes on a connection of their own.

        Args:
            meta: The request's metadata.
            types: Only changes of these record types.
            ids: Only changes of these entities.
            after_cursor: The last change seen; None begins with the next one.

        Raises:
            CursorExpired: The log no longer reaches back to the cursor (TB211).
        """
        follow = Follow(meta, types=types, ids=ids, after_cursor=after_cursor)
        return Follower(self._dialler, follow)

    def status(self) -> Status:
        """Return what the daemon says of itself."""
        return self._run(calls.status())

    def checkpoint(self) -> None:
        """Have the write-ahead log moved into the database file."""
        self.call(WireMethod.CHECKPOINT, {}, {})

    def shutdown(self) -> None:
        """Have the daemon stop; it answers before it does."""
        self.call(WireMethod.SHUTDOWN, {}, {})

    def wait_closed(self) -> bool:
        """Wait until the daemon closes this connection; return False when time runs out."""
        with self._lock:
            link = self._link
            if link is None:
                return True
            deadline = time.monotonic() + self._dialler.seconds
            try:
                while link.receive(deadline) is not None:
                    pass
            except ConnectionLost:
                self._drop()
                return True
        return False

    def _run(self, program: calls.Program[T]) -> T:
        try:
            call = next(program)
            while True:
                call = program.send(self._call(call))
        except StopIteration as done:
            value: T = done.value
            return value

    def _call(self, call: calls.Call) -> calls.Result:
        with self._lock:
            if self._closed:
                raise UsageFault("the client is closed")
            try:
                return self._exchange(call)
            except ConnectionLost:
                if not call.repeatable:
                    raise
            return self._exchange(call)

    def _exchange(self, call: calls.Call) -> calls.Result:
        """Send and wait, on a new connection if the old one is gone before it has the request."""
        params = {"meta": call.meta, "data": call.data}
        seconds = self._dialler.seconds
        try:
            try:
                number = self._linked().send(call.method, params, seconds=seconds)
            except ConnectionLost:
                self._drop()
                number = self._linked().send(call.method, params, seconds=seconds)
            link = self._linked()
            return calls.result_of(link.answer(number, deadline=time.monotonic() + seconds))
        except (ConnectionLost, CallTimedOut, ProtocolFault):
            self._drop()
            raise
        except TalebearerError as error:
            if CONNECTION in error.data:
                self._drop()
            raise

    def _linked(self) -> _Link:
        if self._link is None:
            self._link = self._dialler.dial_again()
            self.server = self._link.server
        return self._link

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None


class Follower(Iterator[Change]):
    """The changes of a scope, one after the other, across lost connections.

    Iterating waits for the next change for ever; :meth:`wait` waits for a time. When the
    connection is lost it is made again and the feed goes on after the last change.
    """

    def __init__(self, dialler: _Dialler, follow: Follow) -> None:
        self._dialler = dialler
        self._follow = follow
        self._link: _Link | None = None
        self._closed = False
        self._subscribe(dialler.dial())

    @property
    def cursor(self) -> str:
        """The last change that was handed out; keep it to go on from there another day."""
        assert self._follow.cursor is not None, "subscribing sets it"
        return self._follow.cursor

    def __next__(self) -> Change:
        change = self.wait(None)
        if change is None:
            raise StopIteration
        return change

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def wait(self, seconds: float | None) -> Change | None:
        """Return the next change, or None when there is none within *seconds*.

        Raises:
            CursorExpired: While the connection was lost, the log was pruned beyond the last
                change: read the state again and follow from there (TB211).
            DaemonUnreachable: The daemon did not come back in time (TB231).
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self._closed:
            if self._link is None and not self._resume(deadline):
                return None
            assert self._link is not None, "resuming gives one"
            try:
                message = self._link.receive(deadline)
            except ConnectionLost:
                self._drop()
                continue
            if message is None:
                return None
            change = self._follow.take(message) if isinstance(message, Notification) else None
            if change is not None:
                return change
        return None

    def _resume(self, deadline: float | None) -> bool:
        """Connect and go on after the last change; return False when *deadline* passes before."""
        pauses = self._dialler.retry.pauses()
        while True:
            try:
                self._subscribe(self._dialler.dial())
                return True
            except COMING_BACK:
                pause = next(pauses, None)
                if pause is None:
                    raise
            if deadline is not None and time.monotonic() + pause > deadline:
                return False
            time.sleep(pause)

    def close(self) -> None:
        """End the subscription. Closing again does nothing."""
        self._closed = True
        self._drop()

    def _subscribe(self, link: _Link) -> None:
        call = self._follow.subscribe()
        seconds = self._dialler.seconds
        try:
            params = {"meta": call.meta, "data": call.data}
            number = link.send(call.method, params, seconds=seconds)
            result = calls.result_of(link.answer(number, deadline=time.monotonic() + seconds))
            self._follow.begun(result.data)
        except BaseException:
            link.close()
            raise
        self._link = link

    def _drop(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None
