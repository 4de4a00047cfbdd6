"""The option that names a daemon, and the connection to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from talebearer.client import Client

ENDPOINT_VARIABLE = "TALEBEARER_ENDPOINT"
ANSWER_SECONDS = 60.0

EndpointOption = Annotated[
    Path,
    typer.Option(
        "--endpoint",
        metavar="SOCK",
        envvar=ENDPOINT_VARIABLE,
        help="The daemon's socket.",
        show_default=False,
    ),
]


def connect(endpoint: Path, *, wait_seconds: float = 0.0) -> Client:
    """Return a connection to the daemon at *endpoint*."""
    from talebearer.client import Client

    return Client.connect(
        endpoint, name="talebearer", timeout_seconds=ANSWER_SECONDS, wait_seconds=wait_seconds
    )
