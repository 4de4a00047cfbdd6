"""One connection to a daemon's socket: it is there at once, or the reason is known at once."""

from __future__ import annotations

import socket
from pathlib import Path

from talebearer.errors import DaemonUnreachable, Overloaded


def dial(endpoint: Path) -> socket.socket:
    """Return a connected socket that does not block.

    Raises:
        DaemonUnreachable: Nothing listens there, or it may not be connected to (TB231).
        Overloaded: A daemon listens, and has not taken the connections that wait already (TB217).
    """
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # A Unix socket is connected or not when the call returns. An event loop would take
        # "try again" for "under way", and find out with the first line that it sends.
        made.setblocking(False)
        made.connect(str(endpoint))
    except BlockingIOError as error:
        made.close()
        raise Overloaded(
            f"too many connections wait at {endpoint}", data={"endpoint": str(endpoint)}
        ) from error
    except OSError as error:
        made.close()
        raise DaemonUnreachable(
            f"no daemon answers at {endpoint}: {error.strerror or error}",
            data={"endpoint": str(endpoint)},
        ) from error
    return made
