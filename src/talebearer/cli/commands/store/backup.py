"""``talebearer store backup``: a copy of the store at one moment, while a writer goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, progress, say
from talebearer.cli.commands.store._shared import EXITS, RootOption, now_ms

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "backup"
EXAMPLE = "Example: talebearer store backup backups/2026-01-01 --root my-campaign"


def run(
    target: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder for the backup.")],
    root: RootOption = Path(),
    damaged_too: Annotated[
        bool, typer.Option("--damaged-too", help="Go on where bytes are damaged, and list them.")
    ] = False,
    node: Annotated[
        str, typer.Option("--node", metavar="ID", help="The node whose bytes are here.")
    ] = "local",
    as_json: JsonOption = False,
) -> None:
    """Back up database, bytes and settings with a manifest; it may run beside a writer."""
    from talebearer.store.upkeep import backup, find_place

    with progress("backup", quiet=as_json) as told:
        report = backup(
            find_place(root),
            target,
            now_ms=now_ms,
            node_id=node,
            damaged_too=damaged_too,
            progress=told,
        )
    if as_json:
        print_json(report)
        return
    say(
        f"{report.folder}: {plural(report.heads, 'head')}, {plural(report.objects, 'object')} of "
        f"{report.object_bytes:,} bytes, up to change {report.cursor}"
    )
    for digest in report.lacking:
        say(f"lacking, since damaged or missing: {digest}", style="red")
