"""``talebearer lint``: every finding of a content tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, say

NAME = "lint"
EXAMPLE = "Example: talebearer lint content --strict"
FINDINGS = 1


def run(
    content: Annotated[
        Path,
        typer.Argument(metavar="[CONTENT]", help="The content folder.", show_default="content"),
    ] = Path("content"),
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a content tree; exit 1 on errors, with --strict on warnings too."""
    from talebearer.content import lint
    from talebearer.errors import CATALOGUE, Severity, UsageFault

    if not content.is_dir():
        raise UsageFault(f"{content} is not a folder", hint="name the folder that holds global/")
    problems = lint(content)
    counts = dict.fromkeys(Severity, 0)
    for problem in problems:
        counts[problem.severity] += 1
    if as_json:
        print_json({"problems": problems, "counts": counts})
    else:
        styles = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
        for problem in problems:
            hint = problem.hint or CATALOGUE[problem.code].fix
            print_plain(str(replace(problem, hint=hint)), styles[problem.severity])
        say(", ".join(plural(count, severity.value) for severity, count in counts.items()))
    if counts[Severity.ERROR] or (strict and counts[Severity.WARNING]):
        raise typer.Exit(FINDINGS)
