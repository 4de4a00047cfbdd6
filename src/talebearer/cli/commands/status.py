"""``talebearer status``: what a running daemon says of itself."""

from __future__ import annotations

from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, print_table
from talebearer.cli.commands._endpoint import EndpointOption, connect

NAME = "status"
WAIT_MAX = 3_600
EXAMPLE = "Example: talebearer status --endpoint my-store/run/talebearer.sock --json"


def run(
    endpoint: EndpointOption,
    wait: Annotated[
        float,
        typer.Option(
            "--wait", metavar="SECONDS", min=0, max=WAIT_MAX, help="For a daemon that is starting."
        ),
    ] = 0.0,
    as_json: JsonOption = False,
) -> None:
    """Show a daemon's process, its store's generation, and how many clients it has."""
    with connect(endpoint, wait_seconds=wait) as client:
        status = client.status()
        server = client.server
    facts = {
        "ready": status.ready,
        "provider": status.provider,
        "generation": status.generation,
        "recovered_after_unclean_shutdown": status.recovered_after_unclean_shutdown,
        "pid": status.pid,
        "started_at_unix_ms": status.started_at_unix_ms,
        "active_connections": status.active_connections,
        "node_id": server.node_id,
        "cluster_id": server.cluster_id,
        "version": server.version,
    }
    if as_json:
        print_json({"endpoint": str(endpoint), **facts})
        return
    print_table(("what", "value"), [(key, str(value)) for key, value in facts.items()])
