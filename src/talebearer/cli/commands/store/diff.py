"""``talebearer store diff``: where two versions of one entity differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, say
from talebearer.cli.commands.store._shared import (
    EXITS,
    RootOption,
    ScopeOption,
    line,
    reading,
    scoped,
    short,
)
from talebearer.cli.commands.store.history import IdArgument, TypeArgument

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "diff"
EXAMPLE = "Example: talebearer store diff knowledge mind:party VERSION VERSION"
SIGNS = {"add": "+", "remove": "-", "replace": "~"}


def run(
    type: TypeArgument,
    id: IdArgument,
    first: Annotated[str, typer.Argument(metavar="VERSION", help="The version to compare from.")],
    second: Annotated[str, typer.Argument(metavar="VERSION", help="The version to compare to.")],
    root: RootOption = Path(),
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where two published versions of an entity differ, by JSON pointer."""
    from talebearer.store import EntityRef
    from talebearer.store.upkeep import diff

    with reading(root) as opened:
        scope_json = scoped(opened, scope)
        found = diff(opened, scope_json, EntityRef(type, id), first=first, second=second)
    if as_json:
        print_json({"type": type, "id": id, "differences": [one.as_json() for one in found]})
        return
    if not found:
        say("the two versions have the same value")
        return
    for one in found:
        line(f"{SIGNS[one.op]} {one.pointer or '(the whole value)'}")
        if one.op != "add":
            line(f"    before  {short(one.before)}")
        if one.op != "remove":
            line(f"    after   {short(one.after)}")
