"""``talebearer lint``: every finding of a content tree."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
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
    from talebearer.content import Compared
    from talebearer.errors import Problem

    Progress = Callable[[str, int, int], None]

NAME = "lint"
EXAMPLE = (
    "Example: talebearer lint content --strict; with a baseline of what is known of old: "
    "talebearer lint content --baseline known.json"
)


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    format: Annotated[Format, typer.Option("--format", help="How findings are printed.")] = (
        Format.TEXT
    ),
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Leave out the findings of this file."),
    ] = None,
    write_baseline: Annotated[
        bool,
        typer.Option("--write-baseline", help="Write all findings into the baseline's file."),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Lint again at each change, until Ctrl-C.")
    ] = False,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a content tree; exit 1 on errors, with --strict on warnings too."""
    from talebearer.errors import UsageFault

    must_be_content(content)
    if as_json and format is Format.SARIF:
        raise UsageFault("--json and --format sarif exclude each other", hint="leave one out")
    if write_baseline and baseline is None:
        raise UsageFault("--write-baseline needs a file", hint="--baseline FILE --write-baseline")
    if write_baseline and watch:
        raise UsageFault("--write-baseline and --watch exclude each other", hint="leave one out")
    shown = Format.JSON if as_json else format
    cache = cache_of(content, no_cache=no_cache)
    if write_baseline and baseline is not None:
        _write_baseline(content, baseline, cache, as_json=shown is not Format.TEXT)
        return
    if watch:
        _watch(content, baseline, cache, shown, strict=strict)
    elif _once(content, baseline, cache, shown, strict=strict):
        raise typer.Exit(FINDINGS)


def _once(
    content: Path, baseline: Path | None, cache: Path | None, shown: Format, *, strict: bool
) -> bool:
    """Lint and print; return whether it fails."""
    from talebearer.content import compare, sarif
    from talebearer.errors import Severity

    known = None if baseline is None else _read(baseline)
    with progress("lint", quiet=shown is not Format.TEXT) as advance:
        problems = _all(content, cache, advance)
    found = compare(content, problems, known or frozenset())
    if shown is Format.SARIF:
        sys.stdout.flush()
        sys.stdout.buffer.write(sarif(content, problems, baseline=known))
    elif shown is Format.JSON:
        counts = {severity: _count(found, severity) for severity in Severity}
        document: dict[str, object] = {"problems": found.new, "counts": counts}
        if known is not None:
            document |= {"known": len(found.known), "gone": len(found.gone)}
        print_json(document)
    else:
        _print(found, has_baseline=known is not None)
    failing = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return any(problem.severity in failing for problem in found.new)


def _all(content: Path, cache: Path | None, advance: Progress | None) -> tuple[Problem, ...]:
    """Return what is wrong with the content, and with its plans once that has no errors."""
    from talebearer.content import lint, lint_plans
    from talebearer.errors import Severity

    problems = lint(content, cache=cache, progress=advance)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return problems
    return (*problems, *lint_plans(content, cache=cache))


def _count(found: Compared, severity: str) -> int:
    return sum(problem.severity == severity for problem in found.new)


def _print(found: Compared, *, has_baseline: bool) -> None:
    from talebearer.errors import CATALOGUE, Severity

    styles = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
    for problem in found.new:
        hint = problem.hint or CATALOGUE[problem.code].fix
        print_plain(str(replace(problem, hint=hint)), styles[problem.severity])
    counts = [plural(_count(found, severity), severity.value) for severity in Severity]
    if has_baseline:
        counts.append(f"{len(found.known)} known of old")
        counts += [f"{len(found.gone)} of the baseline gone"] if found.gone else []
    say(", ".join(counts))


def _read(baseline: Path) -> frozenset[str]:
    from talebearer.content import load_baseline
    from talebearer.errors import UsageFault

    if not baseline.is_file():
        raise UsageFault(
            f"there is no baseline {baseline}", hint="write it first with --write-baseline"
        )
    return load_baseline(baseline.read_bytes())


def _write_baseline(content: Path, baseline: Path, cache: Path | None, *, as_json: bool) -> None:
    from talebearer.campaign import write_whole
    from talebearer.content import dump_baseline

    problems = _all(content, cache, None)
    write_whole(baseline, dump_baseline(content, problems))
    if as_json:
        print_json({"baseline": str(baseline), "findings": len(problems)})
    else:
        print_plain(f"{baseline} written: {plural(len(problems), 'finding')}")


def _watch(
    content: Path, baseline: Path | None, cache: Path | None, shown: Format, *, strict: bool
) -> None:
    """Lint again at each change; Ctrl-C is the way to end it and no fault."""
    from talebearer.content import changes

    stop = threading.Event()
    try:
        # Whoever edits while the first round runs is seen, since the watch begins before it.
        changed = changes(content, stop)
        _once(content, baseline, cache, shown, strict=strict)
        sys.stdout.flush()
        _tell(f"watching {content} for changes; Ctrl-C ends it")
        for _ in changed:
            _tell(f"{content} has changed")
            _once(content, baseline, cache, shown, strict=strict)
            sys.stdout.flush()
    except KeyboardInterrupt:
        stop.set()


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
