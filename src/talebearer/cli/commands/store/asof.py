"""``talebearer store as-of``: a scope as it stood at a cursor or a moment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli.commands.store._shared import (
    EXITS,
    TIME_FORM,
    RootOption,
    ScopeOption,
    check_type,
    line,
    print_json_line,
    reading,
    scoped,
    short,
    unix_ms,
)
from talebearer.errors import UsageFault

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "as-of"
EXAMPLE = "Example: talebearer store as-of --cursor 42 --type knowledge --json"
CURSOR_MAX = 2**63 - 1


def run(
    cursor: Annotated[
        int | None, typer.Option("--cursor", min=0, max=CURSOR_MAX, help="After this change.")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", metavar="MOMENT", help=f"At a moment: {TIME_FORM}.")
    ] = None,
    type: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Only entities of this type.")
    ] = None,
    root: RootOption = Path(),
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the entities of a scope as they stood; with --json one entity a line."""
    from talebearer.store.upkeep import as_of, cursor_at

    if cursor is not None and time is not None:
        raise UsageFault("--cursor and --time are given", hint="give one of the two")
    with reading(root) as opened:
        check_type(opened, type)
        scope_json = scoped(opened, scope)
        if time is not None:
            cursor = cursor_at(opened, scope_json, time_unix_ms=unix_ms(time))
        entities = as_of(opened, scope_json, cursor=cursor, type=type)
        for one in entities:
            if as_json:
                print_json_line(one, flush=False)
                continue
            line(f"{one.ref.type} {one.ref.id}  {one.state}, change {one.cursor}")
            for variant in one.variants:
                line(f"    {short(variant.value) if variant.active else '(deleted)'}")
