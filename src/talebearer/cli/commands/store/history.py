"""``talebearer store history``: every published version of one entity."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json
from talebearer.cli.commands.store._shared import (
    EXITS,
    RootOption,
    ScopeOption,
    line,
    moment_text,
    reading,
    scoped,
    short,
)

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "history"
EXAMPLE = "Example: talebearer store history knowledge mind:party --root my-campaign"

TypeArgument = Annotated[str, typer.Argument(metavar="TYPE", help="Such as knowledge.")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The entity's id.")]


def run(
    type: TypeArgument,
    id: IdArgument,
    root: RootOption = Path(),
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every published version of an entity, oldest first; it may run beside a writer."""
    from talebearer.store import EntityRef
    from talebearer.store.upkeep import history

    with reading(root) as opened:
        scope_json = scoped(opened, scope)
        versions = history(opened, scope_json, EntityRef(type, id))
    if as_json:
        print_json({"type": type, "id": id, "scope": scope_json, "versions": versions})
        return
    for one in versions:
        head = "  head" if one.head else ""
        line(f"{one.cursor} {one.kind}  {moment_text(one.recorded_at_unix_ms)}{head}")
        line(f"    version  {one.version}")
        line(f"    value    {'(deleted)' if one.state == 'deleted' else short(one.value)}")
