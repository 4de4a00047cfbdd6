"""``talebearer store fsck``: everything that a store claims, checked against what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, progress, say
from talebearer.cli.commands.store._shared import (
    EXITS_FINDINGS,
    FINDINGS,
    RootOption,
    say_problems,
)

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "fsck"
EXAMPLE = "Example: talebearer store fsck --root my-campaign --json"
EXITS = EXITS_FINDINGS


def run(
    root: RootOption = Path(),
    node: Annotated[
        str, typer.Option("--node", metavar="ID", help="The node whose bytes should be here.")
    ] = "local",
    repair: Annotated[
        bool, typer.Option("--repair", help="Build the text index again if it is not right.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check pages, values, heads, log, merge changes, bytes and text index; exit 1 on damage.

    It only reads, and may run beside a writer. With --repair what is derived is built again, for
    which no writer may run; what is stored is never changed.
    """
    from talebearer.store.upkeep import find_place, fsck

    with progress("fsck", quiet=as_json) as told:
        report = fsck(find_place(root), node_id=node, repair=repair, progress=told)
    if as_json:
        print_json(
            {
                "sound": report.sound,
                "problems": [one.as_json() for one in report.problems],
                "counts": dict(report.counts),
                "repaired": report.repaired,
            }
        )
    else:
        say_problems(report.problems)
        listed, found = len(report.problems), sum(report.counts.values())
        if found > listed:
            say(f"… and {found - listed} more")
        for what in report.repaired:
            say(f"repaired: {what}")
        say("the store is sound" if report.sound else f"{plural(found, 'finding')}")
    if not report.sound:
        raise typer.Exit(FINDINGS)
