"""``talebearer checkpoint``: the write-ahead log into the database file."""

from __future__ import annotations

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, say
from talebearer.cli.commands._endpoint import EndpointOption, connect

NAME = "checkpoint"
EXAMPLE = "Example: talebearer checkpoint --endpoint my-store/run/talebearer.sock"


def run(endpoint: EndpointOption, as_json: JsonOption = False) -> None:
    """Have a running daemon move its write-ahead log into the database file."""
    with connect(endpoint) as client:
        client.checkpoint()
    if as_json:
        print_json({"endpoint": str(endpoint), "completed": True})
    else:
        say("the write-ahead log is in the database file")
