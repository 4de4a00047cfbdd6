"""``talebearer store export``: one moment of a store as JSON Lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from talebearer._whole import put_whole
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, progress, say
from talebearer.cli.commands.store._shared import (
    EXITS,
    RootOption,
    ScopeOption,
    check_type,
    reading,
    scope_fields,
    scoped,
)
from talebearer.errors import UsageFault

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "export"
EXAMPLE = (
    "Example: talebearer store export campaign.jsonl --root my-campaign\n\n"
    "Example: talebearer store export - --heads --type knowledge | gzip > heads.jsonl.gz"
)
STANDARD_OUTPUT = "-"


def run(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="A new file; - is the output.")],
    heads: Annotated[
        bool, typer.Option("--heads", help="Only what is current; else the whole history.")
    ] = False,
    type: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Only entities of this type.")
    ] = None,
    no_bytes: Annotated[
        bool, typer.Option("--no-bytes", help="Leave out the bytes of artifacts.")
    ] = False,
    node: Annotated[
        str, typer.Option("--node", metavar="ID", help="The node whose bytes are here.")
    ] = "local",
    root: RootOption = Path(),
    scope: ScopeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Export all scopes, or one, as JSON Lines; the same content gives the same bytes.

    It may run beside a writer. With - the lines are the output, and nothing else is printed.
    """
    from talebearer.store.upkeep import ExportOptions, export

    to_output = str(target) == STANDARD_OUTPUT
    with progress("export", quiet=as_json) as told, reading(root) as opened:
        check_type(opened, type)
        options = ExportOptions(
            heads_only=heads,
            scope_json=scoped(opened, scope) if scope_fields(scope) else None,
            type=type,
            with_bytes=not no_bytes,
            node_id=node,
        )
        lines = export(opened, options, progress=told)
        if to_output:
            for data in lines:
                sys.stdout.buffer.write(data)
            sys.stdout.flush()
            return
        count, size = _write(target, lines)
    if as_json:
        print_json({"file": str(target), "lines": count, "bytes": size})
    else:
        say(f"{target}: {plural(count, 'line')}, {size:,} bytes")


def _write(target: Path, lines: Iterable[bytes]) -> tuple[int, int]:
    """Write the lines so that the file appears when it is whole; return their count and bytes."""
    if target.exists():
        raise UsageFault(f"{target} is there already", hint="name a new file")
    count = size = 0

    def counted() -> Iterator[bytes]:
        nonlocal count, size
        for data in lines:
            yield data
            count += 1
            size += len(data)

    put_whole(target, counted(), mode=0o600)
    return count, size
