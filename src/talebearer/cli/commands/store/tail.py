"""``talebearer store tail``: the change feed of a scope as JSON Lines."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli.commands.store._shared import (
    RootOption,
    ScopeOption,
    print_json_line,
    reading,
    scoped,
)

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "tail"
EXAMPLE = "Example: talebearer store tail --after 42 --follow | jq .ref.id"
EXITS = (
    "Exit codes: 0 fine, 2 usage or bad input, 3 store (a cursor that is out of reach: TB211), "
    "130 interrupted."
)
POLL_SECONDS = 0.1


def run(
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="CURSOR", help="Strictly after this change; else all."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for further changes until interrupted.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="End after this many changes.")
    ] = None,
    root: RootOption = Path(),
    scope: ScopeOption = None,
    as_json: JsonOption = False,  # noqa: ARG001 - every command takes it; this one prints nothing else
) -> None:
    """Print the changes of a scope, oldest first, one JSON document a line.

    Keep the last cursor that you have worked off and give it to --after to go on from there.
    """
    from talebearer.store.upkeep import tail

    def wait() -> bool:
        sys.stdout.flush()
        time.sleep(POLL_SECONDS)
        return True

    with reading(root) as opened:
        scope_json = scoped(opened, scope)
        changes = tail(opened, scope_json, after_cursor=after, wait=wait if follow else None)
        for count, change in enumerate(changes, start=1):
            print_json_line(change, flush=False)
            if count == limit:
                return
