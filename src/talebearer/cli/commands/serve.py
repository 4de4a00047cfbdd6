"""``talebearer serve``: the daemon, in the foreground, until it is stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from talebearer._ids import random_uuid
from talebearer.cli._options import JsonOption, clock, seed
from talebearer.cli._output import print_json
from talebearer.cli.commands._endpoint import EndpointOption

NAME = "serve"
EXAMPLE = (
    "Example: talebearer serve --root my-store --endpoint my-store/run/talebearer.sock\n\n"
    "Example: talebearer serve --root my-campaign --endpoint /tmp/bell.sock --metrics 9464 --log -"
)
PORT_MAX = 65_535
RootOption = Annotated[
    Path,
    typer.Option(
        "--root",
        metavar="DIR",
        help="A store's root or a campaign's folder; a missing or empty one becomes a root.",
        show_default=False,
    ),
]


def run(
    endpoint: EndpointOption,
    root: RootOption = Path(),
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="A policy; else the root's, or the default."),
    ] = None,
    artifacts: Annotated[
        Path | None,
        typer.Option("--artifacts", metavar="DIR", help="Where bytes are kept; else the root's."),
    ] = None,
    providers: Annotated[
        Path | None,
        typer.Option("--providers", metavar="FILE", help="A providers file; else the root's."),
    ] = None,
    node_id: Annotated[str, typer.Option("--node-id", help="This node's name.")] = "local",
    cluster_id: Annotated[str, typer.Option("--cluster-id", help="Its group's name.")] = "local",
    metrics: Annotated[
        int | None,
        typer.Option(
            "--metrics",
            metavar="PORT",
            min=0,
            max=PORT_MAX,
            help="Prometheus metrics on this port of 127.0.0.1; 0 chooses one.",
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option("--log", metavar="FILE", help="Events as JSON lines; - is standard error."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Serve a store on a Unix socket until SIGTERM, SIGINT or `talebearer stop`.

    In a campaign's folder, games may also ask for lines, tell events and ask why.

    Standard error says `Patchouli daemon listening on ENDPOINT` when clients may connect.
    """
    from talebearer.server.daemon import ServeOptions, serve

    options = ServeOptions(
        endpoint=endpoint,
        root=root,
        config=config,
        artifacts=artifacts,
        providers=providers,
        node_id=node_id,
        cluster_id=cluster_id,
        metrics_port=metrics,
        log=log,
    )
    now_ms = clock() or (lambda: time.time_ns() // 1_000_000)
    methods = None
    if (root / "campaign.toml").is_file():
        from talebearer.server import game_methods

        methods = game_methods(root, now_ms=now_ms, seed=seed())
    serve(options, now_ms=now_ms, new_id=random_uuid, methods=methods)
    if as_json:
        print_json({"endpoint": str(endpoint), "stopped": True})
