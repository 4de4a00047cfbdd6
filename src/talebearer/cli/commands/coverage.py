"""``talebearer coverage``: how much is written for what, what is missing, and what is never said."""

from __future__ import annotations

from collections.abc import Sequence
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
from talebearer.cli._output import (
    print_json,
    print_plain,
    progress,
)
from talebearer.cli.tables.coverage import FINDINGS_SHOWN_MAX, print_coverage

if TYPE_CHECKING:
    from talebearer.content.coverage import Coverage, Reach, Targets
    from talebearer.errors import Problem

NAME = "coverage"
EXAMPLE = (
    "Example: talebearer coverage content --html coverage.html; in CI: "
    "talebearer coverage content --reach --fail-on-gap"
)


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="Only this role.")
    ] = None,
    location: Annotated[
        str | None, typer.Option("--location", metavar="SLUG", help="Only this location.")
    ] = None,
    place: Annotated[str | None, typer.Option("--place", hidden=True)] = None,
    character: Annotated[
        str | None,
        typer.Option("--character", metavar="NAME", help="Only this character's thoughts."),
    ] = None,
    reach: Annotated[
        bool, typer.Option("--reach", help="Also tell which lines can never be said, and why.")
    ] = False,
    fail_on_gap: Annotated[
        bool,
        typer.Option(
            "--fail-on-gap", help="Exit 1 on a gap; with --reach, also on a line never said."
        ),
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write it as a page.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also write the heat map.")
    ] = None,
    no_cache: NoCacheOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how many lines there are for each access, trust and situation; gaps and volumes.

    What is wanted can be said in global/coverage.yaml. With --fail-on-gap a gap exits 1; else gaps
    are told and it exits 0.
    """
    must_be_content(content)
    for path in (html, svg):
        _must_be_writable(path)
    quiet = as_json
    found, reached, findings = _look(
        content,
        cache_of(content, no_cache=no_cache),
        {"role": role, "place": location if place is None else place, "character": character},
        reach=reach,
        quiet=quiet,
        findings_max=None if as_json or html is not None else FINDINGS_SHOWN_MAX,
    )
    title = f"Coverage of {content.resolve().parent.name}/{content.resolve().name}"
    _write(html, svg, found, reached, findings, title=title)
    if as_json:
        document = found.as_json()
        if reached is not None:
            document["reach"] = {**reached.as_json(), "findings": list(findings)}
        print_json(document)
    else:
        print_coverage(found, reached, findings)
        for path in (html, svg):
            if path is not None:
                print_plain(f"{path} written")
    if fail_on_gap and (found.gaps or (reached is not None and reached.warnings)):
        raise typer.Exit(FINDINGS)


def _must_be_writable(path: Path | None) -> None:
    from talebearer.errors import UsageFault

    if path is None:
        return
    if path.is_dir() or not path.resolve().parent.is_dir():
        wrong = path if path.is_dir() else path.parent
        what = "is a folder" if path.is_dir() else "is not a folder"
        raise UsageFault(f"{wrong} {what}", hint="name a file in a folder that exists")


def _look(
    content: Path,
    cache: Path | None,
    names: dict[str, str | None],
    *,
    reach: bool,
    quiet: bool,
    findings_max: int | None,
) -> tuple[Coverage, Reach | None, Sequence[Problem]]:
    import orjson

    from talebearer.content import compile_content
    from talebearer.content.coverage import coverage, placed_findings, read_targets
    from talebearer.content.coverage import reach as reach_of
    from talebearer.lines import load_pack

    with progress("coverage", quiet=quiet) as advance:
        compiled = compile_content(content, cache=cache, progress=advance)
        pack = load_pack(compiled.data, parse=orjson.loads)
        targets: Targets = read_targets(content)
        found = coverage(pack, targets, problems=compiled.problems, **names)
        if not reach:
            return found, None, ()
        reached = reach_of(pack, targets)
        return found, reached, placed_findings(content, reached.findings[:findings_max], pack=pack)


def _write(
    html: Path | None,
    svg: Path | None,
    found: Coverage,
    reached: Reach | None,
    findings: Sequence[Problem],
    *,
    title: str,
) -> None:
    if html is None and svg is None:
        return
    from talebearer.campaign import write_whole
    from talebearer.server import coverage_svg, render_coverage

    if html is not None:
        page = render_coverage(found, title=title, reach=reached, findings=findings)
        write_whole(html, page.encode())
    if svg is not None:
        picture = coverage_svg(found, title=title)
        write_whole(svg, picture.encode())
