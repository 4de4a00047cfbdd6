"""``talebearer fmt``: content in the one way it is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.cli._content import (
    DEFAULT_CONTENT,
    FINDINGS,
    NoCacheOption,
    cache_of,
    must_be_content,
)
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, progress, say

if TYPE_CHECKING:
    from talebearer.content.editing import Formatting

NAME = "fmt"
EXAMPLE = (
    "Example: talebearer fmt content; in CI: talebearer fmt content --check; some files only: "
    "talebearer fmt content content/global/state.yaml"
)


def run(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[CONTENT] [FILES]...",
            help="The content folder, and the files in it to format, if not all.",
            show_default="content",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a file would change.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; print what would change.")
    ] = False,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Format YAML content, comments kept; exit 1 if a file cannot be, with --check or would change."""
    from talebearer.content.editing import diff_of, format_content, write_changes

    content, files = _split(paths or [])
    must_be_content(content)
    cache = cache_of(content, no_cache=no_cache)
    with progress("fmt", quiet=as_json) as advance:
        found = format_content(content, only=files, cache=cache, progress=advance)
    writes = not (check or diff)
    if writes:
        write_changes(found.changes)
    if as_json:
        print_json(
            {
                "files": found.files,
                "changed": [change.name for change in found.changes],
                "written": writes and bool(found.changes),
                "problems": found.problems,
                **({"diff": "".join(diff_of(one) for one in found.changes)} if diff else {}),
            }
        )
    else:
        _print(found, writes=writes, diff=diff)
    if found.problems or (found.changes and not writes):
        raise typer.Exit(FINDINGS)


def _split(paths: list[Path]) -> tuple[Path, list[Path]]:
    """Return the content folder and the files that are meant."""
    from talebearer.errors import UsageFault

    if not paths:
        return DEFAULT_CONTENT, []
    if paths[0].is_dir() or not paths[0].exists():
        return paths[0], paths[1:]
    home = next((p for p in paths[0].absolute().parents if (p / "global").is_dir()), None)
    if home is None:
        hint = "name the content folder before the files"
        raise UsageFault(f"{paths[0]} is below no folder that holds global/", hint=hint)
    return home, paths


def _print(found: Formatting, *, writes: bool, diff: bool) -> None:
    from talebearer.content.editing import diff_of

    for problem in found.problems:
        print_plain(str(problem), "red")
    for change in found.changes:
        if diff:
            for row in diff_of(change).splitlines():
                print_plain(row, {"+": "green", "-": "red"}.get(row[:1], ""))
        else:
            print_plain(f"{change.name} {'formatted' if writes else 'would change'}")
    left = len({problem.where.file for problem in found.problems})
    rest = found.files - len(found.changes) - left
    verb = "formatted" if writes else "to format"
    counts = [f"{plural(len(found.changes), 'file')} {verb}", f"{rest} as they should be"]
    counts += [f"{left} left as they are"] if left else []
    say(", ".join(counts))
