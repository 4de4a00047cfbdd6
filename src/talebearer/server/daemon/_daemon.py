"""The daemon: one store, one socket, one loop, from the start to a drained stop.

The order of a start: the socket is claimed, the store opened (whose lock keeps a second writer
out), the ready line written. The order of a stop: no more connections, no more requests, the
answers that wait are taken or time runs out, the store is closed clean, the socket's file goes.

Source: the protocol sheet, section 1.2.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talebearer.errors import EndpointUnusable, InvalidRecord, Overloaded
from talebearer.server.daemon._answers import Answers, LocalMethod
from talebearer.server.daemon._aside import Aside
from talebearer.server.daemon._connection import Connection
from talebearer.server.daemon._endpoint import BACKLOG, Endpoint
from talebearer.server.daemon._envelope import error_line
from talebearer.server.daemon._indexing import Indexing
from talebearer.server.daemon._limits import Limits
from talebearer.server.daemon._log import Log
from talebearer.server.daemon._metrics import Metrics
from talebearer.server.daemon._metrics_http import HOST, MetricsProtocol
from talebearer.server.daemon._registry import Handler
from talebearer.server.daemon._rounds import Rounds
from talebearer.server.daemon._session import Identity, refuse_shape
from talebearer.server.daemon._subscriptions import Subscriptions
from talebearer.store import Call, Reply, Store
from talebearer.store.calls import deadline_ms, refuse_late
from talebearer.vocabulary import WireMethod

READ_BYTES = 262_144
"""Of one connection at a time."""
READY_LINE = "Patchouli daemon listening on {endpoint}"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_NULL = b"null"
_REFUSED_MAX = 64
_GC_ALLOCATIONS = 20_000
_SWITCH_SECONDS = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonSettings:
    """What a daemon is started with.

    Attributes:
        endpoint: The socket's path.
        identity: What the handshake says of it.
        now_ms: The clock, Unix milliseconds.
        log: Where events go.
        metrics_port: The loopback port of ``/metrics``; 0 has one chosen, None means none.
        limits: Its bounds.
        signals: Whether SIGTERM and SIGINT stop it, which only a main thread can ask for.
    """

    endpoint: Path
    identity: Identity
    now_ms: Callable[[], int]
    log: Log
    metrics_port: int | None = None
    limits: Limits = field(default_factory=Limits)
    signals: bool = True


class Daemon:
    """Serves one store on one socket.

    Args:
        settings: Where and how.
        open_store: Opens the store; called once, after the socket is claimed.
        methods: Methods beside the store's, by name; see ``MethodRegistry``.
        announce: Called with the ready line.

    Attributes:
        limits: As set.
        metrics: What it has counted.
        arrivals: Where what a socket has is put before it is looked at.
    """

    def __init__(
        self,
        settings: DaemonSettings,
        *,
        open_store: Callable[[], Store],
        methods: Callable[[Store], Mapping[str, Handler]] | None = None,
        announce: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
    ) -> None:
        self.limits = settings.limits
        self.metrics = Metrics()
        self.arrivals = memoryview(bytearray(READ_BYTES))
        self._settings = settings
        self._log = settings.log
        self._open_store = open_store
        self._methods = methods
        self._announce = announce
        self._connections: set[Connection] = set()
        self._refused: set[Connection] = set()
        self._stop_reason = ""
        self._generation = 0
        self._started_at_seconds = 0.0

    def run(self) -> None:
        """Serve until a signal or a client stops it.

        Raises:
            EndpointUnusable: The socket's path cannot be listened on (TB230).
            TalebearerError: The store cannot be opened.
        """
        asyncio.run(self._run())

    def stop(self, reason: str = "asked") -> None:
        """Have it stop, from any thread; :meth:`run` returns when it has. Call it once it serves."""
        self._loop.call_soon_threadsafe(self._request_stop, reason)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._loop_fault)
        self._loop = loop
        self._stop = asyncio.Event()
        self._empty = asyncio.Event()
        for number in _SIGNALS if self._settings.signals else ():
            loop.add_signal_handler(number, self._signalled, number.name)
        endpoint = Endpoint(self._settings.endpoint)
        try:
            with self._open_store() as store:
                await self._serve(store, endpoint)
        finally:
            endpoint.remove()
        self._log.write("stopped", reason=self._stop_reason)

    async def _serve(self, store: Store, endpoint: Endpoint) -> None:
        self._store = store
        self._subscriptions = Subscriptions(
            call_soon=self._loop.call_soon,
            clock=self._loop.time,
            metrics=self.metrics,
            log=self._log,
        )
        self._aside = Aside(store, loop=self._loop)
        self._indexing = Indexing(store, loop=self._loop, log=self._log)
        answers = Answers(
            store=store,
            local=self._local_methods(),
            greet=lambda connection, params: connection.session.greet(
                params, self._settings.identity
            ),
            metrics=self.metrics,
            log=self._log,
            loop=self._loop,
        )
        self._rounds = Rounds(
            store=store,
            answers=answers,
            changed=self._changed,
            limits=self.limits,
            metrics=self.metrics,
            log=self._log,
            loop=self._loop,
            aside=self._aside,
        )
        metrics = await self._serve_metrics()
        # Without a number of its own the loop would make the queue shorter again.
        server = await self._loop.create_unix_server(
            self._accept, sock=endpoint.listener, backlog=BACKLOG
        )
        self._started(store)
        self._indexing.begin()
        try:
            await self._stop.wait()
        finally:
            server.close()
            if metrics is not None:
                metrics.close()
            await self._drain()
            self._aside.close()

    def _started(self, store: Store) -> None:
        if self._settings.signals:
            # The process is the daemon's own: what was loaded to start stays until the end, and
            # collections need not look at it again. Requests leave no cycles behind, so they
            # need not be looked for as often as by default.
            gc.collect()
            gc.freeze()
            gc.set_threshold(_GC_ALLOCATIONS)
            # A search in a thread beside the loop lets go of the interpreter sooner.
            sys.setswitchinterval(_SWITCH_SECONDS)
        status = store.status()
        self._generation = status["generation"]
        self._started_at_seconds = status["started_at_unix_ms"] / 1000
        recovered = status["recovered_after_unclean_shutdown"]
        self._log.write(
            "listening",
            level="warning" if recovered else "info",
            endpoint=str(self._settings.endpoint),
            pid=status["pid"],
            generation=self._generation,
            recovered_after_unclean_shutdown=recovered,
        )
        if recovered:
            self._announce(
                "the last daemon ended without closing the store; "
                "everything that it had acknowledged is there"
            )
        # An import may have left texts that are not indexed yet.
        self._indexing.changed()
        self._announce(READY_LINE.format(endpoint=self._settings.endpoint))

    async def _serve_metrics(self) -> asyncio.Server | None:
        port = self._settings.metrics_port
        if port is None:
            return None
        beside: set[MetricsProtocol] = set()
        try:
            server = await self._loop.create_server(
                lambda: MetricsProtocol(self.metrics_text, beside), HOST, port
            )
        except OSError as error:
            raise EndpointUnusable(
                f"the metrics port {HOST}:{port}: {error.strerror}", hint="choose another --metrics"
            ) from error
        chosen = server.sockets[0].getsockname()[1]
        self._announce(f"metrics on http://{HOST}:{chosen}/metrics")
        self._log.write("metrics.listening", port=chosen)
        return server

    async def _drain(self) -> None:
        """Answer each client's current request, and let clients take their answers, for a while."""
        self._rounds.finish()
        self._indexing.stop()
        self._log.write("draining", reason=self._stop_reason, connections=len(self._connections))
        if not await self._aside.drained(self.limits.drain_seconds):
            self._log.write("drain.searches_cut", level="warning")
        for connection in list(self._connections):
            connection.close()
        if self._connections:
            try:
                await asyncio.wait_for(self._empty.wait(), self.limits.drain_seconds)
            except TimeoutError:
                self._log.write("drain.cut", level="warning", connections=len(self._connections))
        for connection in [*self._connections, *self._refused]:
            connection.abort()
        # Aborted transports close in the loop's next turn.
        await asyncio.sleep(0)

    def _request_stop(self, reason: str) -> None:
        if not self._stop_reason:
            self._stop_reason = reason
        self._stop.set()

    def _signalled(self, name: str) -> None:
        if self._stop.is_set():
            # Whoever asks twice does not want to wait for clients.
            self._empty.set()
            self._aside.hurry()
        self._request_stop(name)

    def _loop_fault(self, _loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
        error = context.get("exception")
        kind = type(error).__name__ if error is not None else "none"
        self._log.write("loop.fault", level="error", kind=kind, message=str(context["message"]))

    def _changed(self, scopes: set[str]) -> None:
        self._subscriptions.wake(scopes)
        self._indexing.changed()

    # What the connections tell.

    def _accept(self) -> Connection:
        self.metrics.connections_total += 1
        return Connection(self, number=self.metrics.connections_total, loop=self._loop)

    def joined(self, connection: Connection) -> None:
        """Note a new connection; one too many is told and closed."""
        if len(self._connections) >= self.limits.connections_max:
            self.metrics.connections_refused += 1
            self._log.write("connection.refused", level="warning", connection=connection.number)
            error = Overloaded(f"{self.limits.connections_max} connections are open")
            connection.write(error_line(_NULL, error.as_wire()))
            if len(self._refused) < _REFUSED_MAX:
                # The client may be sending already; it reads why before it notices the end.
                self._refused.add(connection)
                connection.close_writing()
            else:
                connection.close()
            return
        self._connections.add(connection)
        self._log.write("connection.opened", level="debug", connection=connection.number)
        if self._stop.is_set():
            connection.close()

    def left(self, connection: Connection) -> None:
        """Note that a connection is gone, with its subscriptions."""
        self._refused.discard(connection)
        if connection in self._connections:
            self._connections.discard(connection)
            self._subscriptions.drop(connection)
            self._rounds.forget(connection)
            self._log.write("connection.closed", level="debug", connection=connection.number)
        if self._stop.is_set() and not self._connections:
            self._empty.set()

    def arrived(self, connection: Connection) -> None:
        """Have a connection's requests answered."""
        self._rounds.arrived(connection)

    def ended(self, connection: Connection) -> None:
        """Have a connection's last requests answered, and close it."""
        self._rounds.ready(connection)

    def writable(self, connection: Connection) -> None:
        """Go on with a connection that takes output again."""
        if not connection.closing:
            self._subscriptions.resume(connection)
            self._rounds.ready(connection)

    def stalled(self, connection: Connection) -> None:
        """Note that a connection is dropped because it took nothing."""
        self.metrics.dropped("stalled")
        self._log.write(
            "connection.stalled",
            level="warning",
            connection=connection.number,
            unsent_bytes=connection.unsent_bytes,
            subscriptions=self._subscriptions.count(connection),
        )

    # The methods that are the loop's own.

    def _local_methods(self) -> Mapping[str, LocalMethod]:
        own: dict[str, LocalMethod] = {
            WireMethod.STATUS.value: self._status,
            WireMethod.SHUTDOWN.value: self._shutdown,
            WireMethod.SUBSCRIBE.value: self._subscribe,
            WireMethod.UNSUBSCRIBE.value: self._unsubscribe,
        }
        for name, handler in (self._methods(self._store) if self._methods else {}).items():
            own[name] = self._beside(handler)
        return own

    def _beside(self, handler: Handler) -> LocalMethod:
        def answer(connection: Connection, call: Call) -> Reply:  # noqa: ARG001 - as all local methods
            self._check_deadline(call)
            return handler(call)

        return answer

    def _check_deadline(self, call: Call) -> None:
        refuse_late(deadline_ms(call.meta), now_ms=self._settings.now_ms())

    def _status(self, connection: Connection, call: Call) -> Reply:  # noqa: ARG002 - as all local methods
        reply = self._store.call(call)
        return Reply(reply.meta, {**reply.data, "active_connections": len(self._connections)})

    def _shutdown(self, connection: Connection, call: Call) -> Reply:
        self._check_deadline(call)
        if call.data:
            raise InvalidRecord("the request is refused at /params/data: it has to be empty")
        self._log.write("stop.requested", connection=connection.number)
        # The answer is written in this turn of the loop, the stop comes in a later one.
        self._loop.call_soon(self._request_stop, "request")
        return Reply({}, {"accepted": True})

    def _subscribe(self, connection: Connection, call: Call) -> Reply:
        if self._subscriptions.count(connection) >= self.limits.subscriptions_max:
            raise Overloaded(
                f"a connection has at most {self.limits.subscriptions_max} subscriptions",
                hint="end one, or open another connection",
            )
        feed = self._store.open_feed(
            call.meta, filter=call.data.get("filter"), after_cursor=call.data.get("after_cursor")
        )
        subscription_id = connection.session.next_subscription_id()
        self._subscriptions.add(connection, subscription_id, feed)
        return Reply({}, {"subscription_id": subscription_id, "cursor": feed.cursor})

    def _unsubscribe(self, connection: Connection, call: Call) -> Reply:
        self._check_deadline(call)
        subscription_id = call.data.get("subscription_id")
        if type(subscription_id) is not str:
            refuse_shape("/params/data/subscription_id", "it is no text, or missing")
        return Reply({}, {"removed": self._subscriptions.remove(connection, subscription_id)})

    def metrics_text(self) -> str:
        """Return everything that is counted, in Prometheus' text form."""
        behind, lag_seconds = self._subscriptions.behind()
        unsent = sum(connection.unsent_bytes for connection in self._connections)
        return self.metrics.text(
            {
                "talebearer_connections": ("Open connections.", len(self._connections)),
                "talebearer_subscriptions": ("Open subscriptions.", len(self._subscriptions)),
                "talebearer_subscriptions_behind": ("Subscriptions that lack changes.", behind),
                "talebearer_feed_lag_seconds": (
                    "For how long the subscription that is furthest behind has lacked changes.",
                    lag_seconds,
                ),
                "talebearer_queue_depth": ("Requests that wait.", self._rounds.waiting),
                "talebearer_unsent_bytes": ("Output that clients have not taken.", unsent),
                "talebearer_store_generation": ("Openings of the store.", self._generation),
                "talebearer_log_lost_total": ("Log entries not written.", self._log.lost),
                "talebearer_start_time_seconds": (
                    "When the store was opened, Unix seconds.",
                    self._started_at_seconds,
                ),
            }
        )
