"""``talebearer stop``: a running daemon ends cleanly."""

from __future__ import annotations

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, say
from talebearer.cli.commands._endpoint import EndpointOption, connect

NAME = "stop"
EXAMPLE = "Example: talebearer stop --endpoint my-store/run/talebearer.sock"


def run(endpoint: EndpointOption, as_json: JsonOption = False) -> None:
    """Have a daemon answer what it is doing, close its store and end; return when it has gone."""
    with connect(endpoint) as client:
        pid = client.status().pid
        client.shutdown()
        client.wait_closed()
    if as_json:
        print_json({"endpoint": str(endpoint), "pid": pid, "stopped": True})
    else:
        say(f"the daemon (process {pid}) has closed its connections and its store")
