"""``talebearer store restore``: a backup into a new place, checked on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, progress, say
from talebearer.cli.commands.store._shared import EXITS_FINDINGS, FINDINGS, now_ms, say_problems

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "restore"
EXAMPLE = "Example: talebearer store restore backups/2026-01-01 --root restored --verify"
EXITS = EXITS_FINDINGS


def run(
    source: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a backup.")],
    root: Annotated[Path, typer.Option("--root", metavar="DIR", help="Where the store goes.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Look at everything again in its new place.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Restore a backup into a new place; exit 1, and no store, if it is not as recorded.

    The feed begins a new epoch: every earlier cursor is expired, so followers read the current
    state first and then go on from the new cursor.
    """
    from talebearer.store.upkeep import restore

    with progress("restore", quiet=as_json) as told:
        report = restore(source, root, now_ms=now_ms, verify=verify, progress=told)
    if as_json:
        print_json(report)
    elif report.problems:
        say_problems(report.problems)
        say(f"{plural(len(report.problems), 'difference')}; nothing was restored")
    else:
        checked = "verified" if report.verified else "copied"
        say(
            f"{report.folder}: {plural(report.heads, 'head')} and "
            f"{plural(report.objects, 'object')}, {checked}"
        )
        say(f"cursors up to {report.old_cursor} are expired; the feed goes on at {report.cursor}")
    if report.problems:
        raise typer.Exit(FINDINGS)
