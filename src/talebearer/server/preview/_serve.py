"""One process, one socket on the loopback interface, from start to Ctrl-C."""

from __future__ import annotations

import errno
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType

import uvicorn

from talebearer.errors import UsageFault
from talebearer.server.preview._app import make_app
from talebearer.server.preview._connection import Connection
from talebearer.server.preview._events import Channel
from talebearer.server.preview._previewer import Previewer

HOST = "127.0.0.1"
PORT_MAX = 65_535
CONNECTIONS_MAX = 128
"""More are answered with 503: a page has one for its events and a few for its questions."""
_GRACE_SECONDS = 2


def bind(port: int) -> socket.socket:
    """Return a socket that listens on *port* of the loopback interface; 0 is any free port.

    Raises:
        UsageFault: The port is none, or is taken, or may not be used (TB111).
    """
    if not 0 <= port <= PORT_MAX:
        raise UsageFault(f"{port} is no port", hint=f"0 to {PORT_MAX}; 0 is any free port")
    # With the protocol named, the loop sends small answers at once rather than after 40 ms: only
    # then does it see that the connection is TCP and turn the wait for more bytes off.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            # There it would let two programs share the port; here it only skips the wait for the
            # connections of a process that has just ended.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(CONNECTIONS_MAX)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            message = f"port {port} is in use by another program, perhaps another preview"
        elif error.errno == errno.EACCES:
            message = f"port {port} may not be used"
        else:
            message = f"port {port} cannot be used: {error.strerror}"
        raise UsageFault(message, hint="--port 0 takes a free one") from error
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address of the page on *listener*."""
    return f"http://{HOST}:{listener.getsockname()[1]}/"


class _Server(uvicorn.Server):
    """A server that lets go of the pages that listen as soon as it is asked to end."""

    def __init__(self, config: uvicorn.Config, channel: Channel) -> None:
        super().__init__(config)
        self._channel = channel

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End: a stream of events would else keep the server waiting."""
        self._channel.close()
        super().handle_exit(sig, frame)


def serve(
    previewer: Previewer,
    listener: socket.socket,
    *,
    token: str,
    ready: Callable[[], None] | None = None,
) -> None:
    """Serve the page of *previewer* on *listener* until an interrupt.

    Args:
        previewer: The content and what is asked of it.
        listener: From :func:`bind`; it is closed at the end.
        token: What requests that change something must carry; new for each process.
        ready: Called when the socket answers.

    Raises:
        KeyboardInterrupt: It was interrupted; everything is closed by then.
    """
    channel = Channel()
    stop = threading.Event()
    watcher = threading.Thread(
        target=previewer.watch, args=(stop, channel.tell), name="preview-watch", daemon=True
    )
    # The content is read once the page can be had: reading it takes longer than showing the page.
    port = listener.getsockname()[1]
    app = make_app(previewer, channel, port=port, token=token, started=watcher.start)
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="error",  # a page that is closed while it asks is no news
        server_header=False,
        limit_concurrency=CONNECTIONS_MAX,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    try:
        if ready is not None:
            ready()
        _Server(config, channel).run(sockets=[listener])
    finally:
        stop.set()
        if watcher.ident is not None:
            watcher.join(_GRACE_SECONDS)
        listener.close()
