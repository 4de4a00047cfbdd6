"""``talebearer stop``: a running daemon ends cleanly."""

from __future__ import annotations

import time
from pathlib import Path

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, say
from talebearer.cli.commands._endpoint import ANSWER_SECONDS, EndpointOption, connect
from talebearer.errors import CallTimedOut

NAME = "stop"
LOOK_SECONDS = 0.02
EXAMPLE = "Example: talebearer stop --endpoint my-store/run/talebearer.sock"


def run(endpoint: EndpointOption, as_json: JsonOption = False) -> None:
    """Have a daemon answer what it is doing, close its store and end; return when it has gone."""
    with connect(endpoint) as client:
        pid = client.status().pid
        before = endpoint.lstat().st_ino
        client.shutdown()
        client.wait_closed()
    _wait_until_gone(endpoint, inode=before)
    if as_json:
        print_json({"endpoint": str(endpoint), "pid": pid, "stopped": True})
    else:
        say(f"the daemon (process {pid}) has closed its store and ended")


def _wait_until_gone(endpoint: Path, *, inode: int) -> None:
    """Wait for the socket's file to go, which a daemon removes after it has closed the store."""
    end = time.monotonic() + ANSWER_SECONDS
    while _inode(endpoint) == inode:
        if time.monotonic() > end:
            raise CallTimedOut(f"the daemon at {endpoint} has not ended in {ANSWER_SECONDS:.0f} s")
        time.sleep(LOOK_SECONDS)


def _inode(endpoint: Path) -> int | None:
    try:
        return endpoint.lstat().st_ino
    except FileNotFoundError:
        return None
