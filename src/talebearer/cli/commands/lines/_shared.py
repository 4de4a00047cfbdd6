"""What the commands on sheets and translations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._output import print_plain, print_table

if TYPE_CHECKING:
    from talebearer.content.sheets import Translated
    from talebearer.errors import Problem

EXITS = "Exit codes: 0 fine, 2 usage or bad input."
EXITS_FINDINGS = "Exit codes: 0 fine, 1 findings, 2 usage or bad input."
SHOWN_MAX = 50

LanguageOption = Annotated[
    str, typer.Option("--language", metavar="CODE", help="A language, such as de or pt_BR.")
]


def say_problems(problems: Sequence[Problem]) -> None:
    """Print *problems*, and how many more there are."""
    from dataclasses import replace

    from talebearer.errors import CATALOGUE, Severity

    styles = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
    for problem in problems[:SHOWN_MAX]:
        hint = problem.hint or CATALOGUE[problem.code].fix
        print_plain(str(replace(problem, hint=hint)), styles[problem.severity])
    if len(problems) > SHOWN_MAX:
        print_plain(f"… and {len(problems) - SHOWN_MAX} more; --json lists all")


def say_counts(found: Sequence[Translated]) -> None:
    """Print what each language has."""
    kinds = ("translated", "stale", "missing", "obsolete")
    rows = [[one.language, *(str(len(getattr(one, kind))) for kind in kinds)] for one in found]
    print_table(("language", *kinds), rows)
