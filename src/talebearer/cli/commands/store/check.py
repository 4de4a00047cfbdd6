"""``talebearer store check``: a quick look at settings, modes and the head of the database."""

from __future__ import annotations

from pathlib import Path

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import print_json, print_table, say
from talebearer.cli.commands.store._shared import (
    EXITS_FINDINGS,
    FINDINGS,
    RootOption,
    say_problems,
    settings_checks,
)

__all__ = ["EXAMPLE", "EXITS", "NAME", "run"]

NAME = "check"
EXAMPLE = "Example: talebearer store check --root my-store"
EXITS = EXITS_FINDINGS


def run(root: RootOption = Path(), as_json: JsonOption = False) -> None:
    """Check that a store would start: policy, providers, modes, database; exit 1 if not.

    It is quick, writes nothing, and may run beside a writer; `fsck` looks at everything.
    """
    from talebearer.store.upkeep import check_store, find_place

    place = find_place(root, settings_may_be_wrong=True)
    report = check_store(place, checks=settings_checks())
    if as_json:
        print_json(
            {
                "sound": report.sound,
                "facts": dict(report.facts),
                "problems": [one.as_json() for one in report.problems],
            }
        )
    else:
        facts = [(name, str(value)) for name, value in report.facts.items()]
        print_table(("what", "value"), facts, wrap=("value",))
        say_problems(report.problems)
        say(f"valid: {root}" if report.sound else "the store would not start")
    if not report.sound:
        raise typer.Exit(FINDINGS)
