"""The asyncio client: any number of requests under way on one connection."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from talebearer._version import __version__
from talebearer.client import _calls as calls
from talebearer.client._core import (
    CONNECTION,
    HANDSHAKE,
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
    TalebearerError,
    UsageFault,
)
from talebearer.vocabulary import WireMethod

T = TypeVar("T")
_NOTIFICATIONS_MAX = 1_024
_ROOM_BYTES = 65_536
_COMING_BACK = (DaemonUnreachable, ConnectionLost, Overloaded)


class _Link(asyncio.BufferedProtocol):
    """One connection: answers go to whoever waits for them, notifications into a queue.

    Reading stops while nobody takes the notifications, so that they wait at the daemon.
    """

    def __init__(self, endpoint: Path) -> None:
        self._endpoint = endpoint
        self._core = WireCore()
        self._room = memoryview(bytearray(_ROOM_BYTES))
        self._transport: asyncio.Transport | None = None
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._notifications: deque[Notification] = deque()
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self.lost: TalebearerError | None = None

    @classmethod
    async def open(
        cls, endpoint: Path, greeting: Mapping[str, Any], *, seconds: float
    ) -> tuple[_Link, ServerInfo]:
        """Connect and shake hands."""
        loop = asyncio.get_running_loop()
        _, link = await loop.create_unix_connection(lambda: cls(endpoint), sock=dial(endpoint))
        try:
            return link, server_of(await link.request(HANDSHAKE, greeting, seconds=seconds))
        except BaseException:
            link.close()
            raise

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio passes it
        """Return where to put what came; a buffer made for each read would be mostly empty."""
        return self._room

    def buffer_updated(self, nbytes: int) -> None:
        """Hand out what came."""
        try:
            messages = self._core.feed(self._room[:nbytes])
        except TalebearerError as error:
            self._end(error)
            return
        for message in messages:
            if isinstance(message, Notification):
                self._notifications.append(message)
                continue
            future = self._waiting.pop(message.id, None)
            # An answer that nobody waits for any more came after its time.
            if future is not None and not future.done():
                if message.error is not None:
                    future.set_exception(message.error)
                else:
                    future.set_result(message.result)
        if self._notifications:
            self._arrived.set()
            if len(self._notifications) >= _NOTIFICATIONS_MAX and self._transport is not None:
                self._transport.pause_reading()

    def pause_writing(self) -> None:
        """Hold requests back while the daemon does not read."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Go on."""
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell everybody who waits."""
        lost = ConnectionLost(f"the daemon at {self._endpoint} closed the connection")
        lost.__cause__ = exc
        self._end(lost)

    async def request(self, method: str, params: Mapping[str, Any], *, seconds: float) -> Any:
        """Send one request and return its result.

        Raises:
            ConnectionLost: The connection ended (TB232); ``data["sent"]`` says whether the
                daemon may have got the request.
            CallTimedOut: No answer came in time (TB233).
        """
        number, line = self._core.request(method, params)
        try:
            async with asyncio.timeout(seconds):
                await self._writable.wait()
                if self.lost is not None and CONNECTION in self.lost.data:
                    raise self.lost
                if self.lost is not None or self._transport is None:
                    raise ConnectionLost(
                        f"the daemon at {self._endpoint} is gone", data={"sent": False}
                    )
                future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
                self._waiting[number] = future
                self._transport.write(line)
                return await future
        except TimeoutError as error:
            raise CallTimedOut(
                f"the daemon at {self._endpoint} did not answer {method} in time"
            ) from error
        finally:
            self._waiting.pop(number, None)

    async def notification(self) -> Notification:
        """Return the next notification; those that came before the end are still given."""
        while not self._notifications:
            if self.lost is not None:
                raise self.lost
            self._arrived.clear()
            await self._arrived.wait()
        taken = self._notifications.popleft()
        if len(self._notifications) < _NOTIFICATIONS_MAX // 2 and self._transport is not None:
            self._transport.resume_reading()
        return taken

    def close(self) -> None:
        """Close the connection."""
        self._end(ConnectionLost("the client closed the connection"))

    def _end(self, error: TalebearerError) -> None:
        if self.lost is None:
            self.lost = error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self.lost)
        self._waiting.clear()
        self._arrived.set()
        self._writable.set()
        if self._transport is not None:
            self._transport.abort()


class _Dialler:
    """Makes connections to one endpoint."""

    def __init__(
        self, endpoint: Path, greeting: Mapping[str, Any], *, seconds: float, retry: Retry
    ) -> None:
        self.endpoint = endpoint
        self.greeting = greeting
        self.seconds = seconds
        self.retry = retry

    async def dial(self) -> tuple[_Link, ServerInfo]:
        """Connect, once."""
        return await _Link.open(self.endpoint, self.greeting, seconds=self.seconds)

    async def dial_again(self, retry: Retry | None = None) -> tuple[_Link, ServerInfo]:
        """Connect, and try again for as long as the retry settings say."""
        pauses = (retry or self.retry).pauses()
        while True:
            try:
                return await self.dial()
            except _COMING_BACK:
                pause = next(pauses, None)
                if pause is None:
                    raise
            await asyncio.sleep(pause)


class AsyncClient:
    """An asyncio client of a daemon; its calls may run side by side, and are sent in order.

    What holds for :class:`~talebearer.client.Client` holds here: lost connections are made
    again, calls that change nothing are repeated, and a write that may have been carried out
    raises ConnectionLost.

    Attributes:
        server: What the last handshake told.
    """

    def __init__(self, dialler: _Dialler, link: _Link, server: ServerInfo) -> None:
        self._dialler = dialler
        self._link: _Link | None = link
        self._linking = asyncio.Lock()
        self._closed = False
        self.server = server

    @classmethod
    async def connect(
        cls,
        endpoint: Path | str,
        *,
        name: str = "talebearer-client",
        version: str = __version__,
        instance_id: str | None = None,
        timeout_seconds: float = 30.0,
        wait_seconds: float = 0.0,
        retry: Retry = Retry(),  # noqa: B008 - a value that cannot change
    ) -> AsyncClient:
        """Connect to the daemon at *endpoint*; the arguments are those of ``Client.connect``.

        Raises:
            DaemonUnreachable: Nobody answers there (TB231).
        """
        greeting = handshake_params(name, version, instance_id or str(uuid.uuid4()))
        dialler = _Dialler(Path(endpoint), greeting, seconds=timeout_seconds, retry=retry)
        return cls(dialler, *await dialler.dial_again(Retry(total_seconds=wait_seconds)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection. Closing again does nothing."""
        self._closed = True
        if self._link is not None:
            self._link.close()
            self._link = None
            # The transport closes its socket in the loop's next turn.
            await asyncio.sleep(0)

    async def call(
        self,
        method: str,
        meta: Mapping[str, Any],
        data: Mapping[str, Any],
        *,
        repeatable: bool = False,
    ) -> calls.Result:
        """Call any method that takes metadata and data, and return its result."""
        return await self._run(calls.plain(calls.Call(method, meta, data, repeatable)))

    async def create(
        self, meta: Mapping[str, Any], type: str, value: Any, *, id: str | None = None
    ) -> EntityVersion:
        """Create an entity and return its first version."""
        return await self._run(calls.mutate(calls.Create(type=type, value=value, id=id), meta))

    async def read(self, meta: Mapping[str, Any], ref: EntityRef) -> ReadResult:
        """Return the current heads of an entity."""
        return await self._run(calls.read(meta, ref))

    async def update(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Replace an entity's value as a whole; *meta* names the ``base_versions``."""
        return await self._run(calls.mutate(calls.Update(ref=ref, value=value), meta))

    async def delete(self, meta: Mapping[str, Any], ref: EntityRef) -> EntityVersion:
        """Put a tombstone in the place of the ``base_versions`` that *meta* names."""
        return await self._run(calls.mutate(calls.Delete(ref=ref), meta))

    async def retrieve(
        self,
        meta: Mapping[str, Any],
        query: Mapping[str, Any],
        *,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        exclude_expired: bool = False,
    ) -> Page:
        """Search, and return one page; the arguments are those of ``Client.retrieve``."""
        return await self._run(calls.retrieve(meta, query, types, limit, exclude_expired))

    async def query_pages(
        self,
        meta: Mapping[str, Any],
        query: Mapping[str, Any],
        *,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        exclude_expired: bool = False,
    ) -> AsyncIterator[Page]:
        """Search, and yield page after page until there is no more."""
        left: Mapping[str, Any] | None = query
        while left is not None:
            page = await self.retrieve(
                meta, left, types=types, limit=limit, exclude_expired=exclude_expired
            )
            left = calls.next_query(query, page)
            yield page

    async def run_work_unit(
        self,
        meta: Mapping[str, Any],
        mutations: Sequence[calls.Mutation],
        *,
        close: Mapping[str, Any],
    ) -> tuple[EntityVersion, ...]:
        """Send mutations that become visible together; see ``Client.run_work_unit``."""
        return await self._run(calls.work_unit(meta, mutations, close))

    async def upload(self, meta: Mapping[str, Any], upload: calls.Upload) -> EntityVersion:
        """Send bytes in chunks and create their artifact."""
        return await self._run(calls.upload(meta, upload))

    async def download(
        self, meta: Mapping[str, Any], id: str, *, version: str | None = None
    ) -> Download:
        """Fetch an artifact's bytes, all of one version."""
        return await self._run(calls.download(meta, id, version))

    async def follow(
        self,
        meta: Mapping[str, Any],
        *,
        types: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        after_cursor: str | None = None,
    ) -> AsyncFollower:
        """Follow the scope's changes on a connection of their own; see ``Client.follow``."""
        follow = Follow(meta, types=types, ids=ids, after_cursor=after_cursor)
        return await AsyncFollower.begin(self._dialler, follow)

    async def status(self) -> Status:
        """Return what the daemon says of itself."""
        return await self._run(calls.status())

    async def checkpoint(self) -> None:
        """Have the write-ahead log moved into the database file."""
        await self.call(WireMethod.CHECKPOINT, {}, {})

    async def shutdown(self) -> None:
        """Have the daemon stop; it answers before it does."""
        await self.call(WireMethod.SHUTDOWN, {}, {})

    async def _run(self, program: calls.Program[T]) -> T:
        try:
            call = next(program)
            while True:
                call = program.send(await self._call(call))
        except StopIteration as done:
            value: T = done.value
            return value

    async def _call(self, call: calls.Call) -> calls.Result:
        try:
            return await self._exchange(call)
        except ConnectionLost as error:
            if not call.repeatable and error.data.get("sent", True):
                raise
        return await self._exchange(call)

    async def _exchange(self, call: calls.Call) -> calls.Result:
        link = await self._linked()
        params = {"meta": call.meta, "data": call.data}
        seconds = self._dialler.seconds
        return calls.result_of(await link.request(call.method, params, seconds=seconds))

    async def _linked(self) -> _Link:
        async with self._linking:
            if self._closed:
                raise UsageFault("the client is closed")
            if self._link is None or self._link.lost is not None:
                self._link, self.server = await self._dialler.dial_again()
            return self._link


class AsyncFollower(AsyncIterator[Change]):
    """The changes of a scope, one after the other, across lost connections."""

    def __init__(self, dialler: _Dialler, follow: Follow) -> None:
        self._dialler = dialler
        self._follow = follow
        self._link: _Link | None = None
        self._closed = False

    @classmethod
    async def begin(cls, dialler: _Dialler, follow: Follow) -> AsyncFollower:
        """Subscribe."""
        follower = cls(dialler, follow)
        await follower._subscribe()
        return follower

    @property
    def cursor(self) -> str:
        """The last change that was handed out; keep it to go on from there another day."""
        assert self._follow.cursor is not None, "subscribing sets it"
        return self._follow.cursor

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def __anext__(self) -> Change:
        """Return the next change, however long it takes.

        Raises:
            CursorExpired: While the connection was lost, the log was pruned beyond the last
                change: read the state again and follow from there (TB211).
            DaemonUnreachable: The daemon did not come back in time (TB231).
        """
        while not self._closed:
            if self._link is None:
                await self._resume()
            assert self._link is not None, "resuming gives one"
            try:
                message = await self._link.notification()
            except ConnectionLost:
                self._link = None
                continue
            change = self._follow.take(message)
            if change is not None:
                return change
        raise StopAsyncIteration

    async def close(self) -> None:
        """End the subscription. Closing again does nothing."""
        self._closed = True
        if self._link is not None:
            self._link.close()
            await asyncio.sleep(0)

    async def _resume(self) -> None:
        pauses = self._dialler.retry.pauses()
        while True:
            try:
                await self._subscribe()
                return
            except _COMING_BACK:
                pause = next(pauses, None)
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    async def _subscribe(self) -> None:
        link, _ = await self._dialler.dial()
        call = self._follow.subscribe()
        try:
            params = {"meta": call.meta, "data": call.data}
            result = await link.request(call.method, params, seconds=self._dialler.seconds)
            self._follow.begun(calls.result_of(result).data)
        except BaseException:
            link.close()
            raise
        self._link = link
