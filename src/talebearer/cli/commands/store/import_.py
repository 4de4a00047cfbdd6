"""``talebearer store import``: an export into a store, as a whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, progress, say
from talebearer.cli.commands.store._shared import (
    EXITS_FINDINGS,
    FINDINGS,
    RootOption,
    now_ms,
    policy_of,
    say_problems,
)

if TYPE_CHECKING:
    from talebearer.store.upkeep import ImportReport

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "import"
EXAMPLE = "Example: talebearer store import campaign.jsonl --root other --dry-run"
EXITS = EXITS_FINDINGS
CHOICES = ("fail", "skip", "replace", "keep-both")


def run(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A file that export wrote.")],
    root: RootOption = Path(),
    on_conflict: Annotated[
        str,
        typer.Option(
            "--on-conflict",
            metavar="|".join(CHOICES),
            help="What holds where both sides changed an entity.",
        ),
    ] = "fail",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only find problems and tell the plan.")
    ] = False,
    node: Annotated[
        str, typer.Option("--node", metavar="ID", help="The node whose bytes are here.")
    ] = "local",
    as_json: JsonOption = False,
) -> None:
    """Import an export in one transaction; all problems are listed at once; exit 1 on any."""
    from talebearer.errors import UsageFault
    from talebearer.store.upkeep import OnConflict, find_place, import_file

    if on_conflict not in CHOICES:
        raise UsageFault(f"--on-conflict {on_conflict!r}", hint=f"allowed: {', '.join(CHOICES)}")
    place = find_place(root)
    with progress("import", quiet=as_json) as told:
        report = import_file(
            place,
            source,
            now_ms=now_ms,
            on_conflict=OnConflict(on_conflict),
            policy=policy_of(place),
            node_id=node,
            dry_run=dry_run,
            progress=told,
        )
    if as_json:
        print_json(report)
    else:
        _say(report)
    if report.problems:
        raise typer.Exit(FINDINGS)


def _say(report: ImportReport) -> None:
    say_problems(report.problems)
    if report.more:
        say(f"… and {report.more} more problems")
    plan = ", ".join(f"{count} {name}" for name, count in report.plan.items()) or "none"
    say(f"entities: {plan}")
    if report.problems:
        say(f"{plural(len(report.problems) + report.more, 'problem')}; nothing was imported")
    elif report.dry_run:
        say("dry run: nothing was imported")
    else:
        say(
            f"imported {plural(report.versions, 'version')} in {plural(report.changes, 'change')}, "
            f"{plural(report.objects, 'object')}"
        )
