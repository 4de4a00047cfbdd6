"""``talebearer store gc``: remove bytes that nothing names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, progress, say
from talebearer.cli.commands.store._shared import EXITS, RootOption, line, now_ms

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "gc"
EXAMPLE = "Example: talebearer store gc --dry-run"
HOUR_SECONDS = 3_600
GRACE_HOURS_MAX = 24 * 366 * 100


def run(
    root: RootOption = Path(),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell; this may run beside a writer.")
    ] = False,
    grace: Annotated[
        float,
        typer.Option(
            "--grace-hours", min=0, max=GRACE_HOURS_MAX, help="Leave what is younger than this."
        ),
    ] = 24,
    as_json: JsonOption = False,
) -> None:
    """Remove bytes that no stored version names, published or staged; no writer may run."""
    from talebearer.store.upkeep import find_place, gc

    with progress("gc", quiet=as_json) as told:
        report = gc(
            find_place(root),
            now_ms=now_ms,
            grace_seconds=round(grace * HOUR_SECONDS),
            dry_run=dry_run,
            progress=told,
        )
    if as_json:
        print_json(report)
        return
    for name in report.removed:
        line(name)
    verb = "would remove" if report.dry_run else "removed"
    say(
        f"{verb} {plural(len(report.removed), 'file')} of {report.removed_bytes:,} bytes; "
        f"{report.young} more are inside the grace period, {report.kept} are named"
    )
