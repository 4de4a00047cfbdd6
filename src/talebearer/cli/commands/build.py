"""``talebearer build``: from a content tree to a pack."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from talebearer.cli._content import (
    DEFAULT_CONTENT,
    ContentArgument,
    NoCacheOption,
    cache_of,
    must_be_content,
)
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, progress

NAME = "build"
EXAMPLE = "Example: talebearer build content -o game/lines.pack.json"


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="PACK", help="The pack; its digest is kept in PACK.sha256."
        ),
    ] = Path("pack.json"),
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a content tree and compile it to one pack; errors bar it, and nothing is written."""
    from talebearer.content import build
    from talebearer.errors import Severity, UsageFault

    must_be_content(content)
    if output.is_dir():
        raise UsageFault(f"{output} is a folder", hint="name the file of the pack")
    with progress("build", quiet=as_json) as advance:
        built = build(
            content,
            output,
            strict=strict,
            cache=cache_of(content, no_cache=no_cache),
            progress=advance,
        )
    if as_json:
        print_json(
            {
                "pack": str(output),
                "digest": built.digest,
                "bytes": len(built.data),
                "pools": built.pools,
                "lines": built.lines,
                "written": built.is_written,
                "problems": built.problems,
            }
        )
        return
    for problem in built.problems:
        if problem.severity is not Severity.NOTE:
            print_plain(str(problem), "yellow")
    what = "written" if built.is_written else "unchanged"
    counts = f"{plural(built.lines, 'line')} in {plural(built.pools, 'pool')}"
    print_plain(f"{output} {what}: {counts}, {len(built.data):,} bytes, {built.digest}")
