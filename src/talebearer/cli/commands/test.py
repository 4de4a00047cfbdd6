"""``talebearer test``: the plans of a content tree, played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._content import (
    DEFAULT_CONTENT,
    FINDINGS,
    ContentArgument,
    NoCacheOption,
    cache_of,
    must_be_content,
)
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, progress, say

if TYPE_CHECKING:
    from talebearer.campaign import PlanReport

NAME = "test"
EXAMPLE = "Example: talebearer test content; one of many cases: talebearer test content --only roof"


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    only: Annotated[
        str, typer.Option("--only", metavar="TEXT", help="Only cases with this in their name.")
    ] = "",
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play the plans of a content tree; exit 1 when a line comes out otherwise.

    Plans are the files NAME.plan.yaml next to pools. Each case names a scene and the lines that are
    expected in it.
    """
    from talebearer.campaign import run_plans

    must_be_content(content)
    cache = cache_of(content, no_cache=no_cache)
    with progress("test", quiet=as_json) as advance:
        report = run_plans(content, cache=cache, only=only, progress=advance)
    if as_json:
        print_json(
            {
                "files": report.files,
                "passed": not report.failed,
                "problems": report.problems,
                "cases": report.cases,
            }
        )
    else:
        _print(report)
    if report.failed:
        raise typer.Exit(FINDINGS)


def _print(report: PlanReport) -> None:
    failed = [case for case in report.cases if case.problems]
    problems = (*report.problems, *(problem for case in failed for problem in case.problems))
    for problem in problems:
        print_plain(str(problem), "red")
    if not report.files:
        say("no plans: write NAME.plan.yaml next to a pool", style="dim")
        return
    passed = len(report.cases) - len(failed)
    files = plural(report.files, "plan")
    counts = [f"{plural(passed, 'case')} of {files} passed"]
    counts += [f"{len(failed)} failed"] if failed else []
    faulty = len({problem.where.file for problem in report.problems})
    counts += [f"{plural(faulty, 'plan')} not played"] if faulty else []
    say(", ".join(counts))
