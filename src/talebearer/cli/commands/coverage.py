"""``talebearer coverage``: how much is written for what, what is missing, and what is never said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    console,
    plural,
    print_json,
    print_plain,
    print_table,
    progress,
    say,
)

if TYPE_CHECKING:
    from talebearer.content.coverage import Coverage, Reach, RoleMatrix, Targets
    from talebearer.errors import Problem
    from talebearer.lines import Pack

NAME = "coverage"
EXAMPLE = (
    "Example: talebearer coverage content --html coverage.html; in CI: "
    "talebearer coverage content --reach --fail-on-gap"
)
GAPS_SHOWN_MAX = 40
FINDINGS_SHOWN_MAX = 100
BETWEEN_COLUMNS = 3


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="Only this role.")
    ] = None,
    place: Annotated[
        str | None, typer.Option("--place", "--location", metavar="PLACE", help="Only this place.")
    ] = None,
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
        {"role": role, "place": place, "character": character},
        reach=reach,
        quiet=quiet,
        findings_max=None if as_json or html is not None else FINDINGS_SHOWN_MAX,
    )
    title = f"Coverage of {content.resolve().parent.name}/{content.resolve().name}"
    _write(html, svg, found, reached, findings, title=title)
    if as_json:
        document = found.as_json()
        if reached is not None:
            document["reach"] = _reach_json(reached, findings)
        print_json(document)
    else:
        _print(found, reached, findings)
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
    from talebearer.content import compile_content
    from talebearer.content.coverage import coverage, placed_findings, read_targets
    from talebearer.content.coverage import reach as reach_of
    from talebearer.lines import load_pack

    with progress("coverage", quiet=quiet) as advance:
        compiled = compile_content(content, cache=cache, progress=advance)
        pack = load_pack(compiled.data)
        targets: Targets = read_targets(content)
        _must_be_known(pack, names)
        found = coverage(pack, targets, problems=compiled.problems, **names)
        if not reach:
            return found, None, ()
        reached = reach_of(pack, targets)
        return found, reached, placed_findings(content, reached.findings[:findings_max])


def _must_be_known(pack: Pack, names: dict[str, str | None]) -> None:
    """Refuse a role, place or character that nothing is written for."""
    from talebearer.errors import UsageFault, did_you_mean

    known = {
        "role": {role for pool in pack.dialogue_pools for role in pool.roles},
        "place": {
            *(pool.location for pool in pack.dialogue_pools),
            *(pool.location for pool in pack.monologue_pools),
        },
        "character": {pool.character for pool in pack.monologue_pools},
    }
    for kind, name in names.items():
        if name is not None and name not in known[kind]:
            hint = did_you_mean(name, known[kind])
            raise UsageFault(f"no line has the {kind} {name!r}", hint=hint)


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


def _reach_json(reached: Reach, findings: Sequence[Problem]) -> dict[str, Any]:
    from talebearer.content.coverage import Fate

    lines = {
        fate.value: [f"{pool}#{line}" for pool, line in reached.of(fate)]
        for fate in Fate
        if fate is not Fate.SAID
    }
    return {"counts": reached.counts(), "lines": lines, "findings": list(findings)}


def _print(found: Coverage, reached: Reach | None, findings: Sequence[Problem]) -> None:
    from talebearer.content.coverage import gaps_in_words

    _print_volumes(found)
    for place, matrix in enumerate(found.roles):
        _print_role(found, place, matrix)
    _print_thoughts(found)
    _print_some([f"gap: {one}" for one in gaps_in_words(found.gaps)], GAPS_SHOWN_MAX)
    _print_some([str(one) for one in found.guidelines], FINDINGS_SHOWN_MAX)
    if reached is not None:
        _print_some([str(one) for one in findings], FINDINGS_SHOWN_MAX)
        if len(reached.findings) > len(findings):
            say(f"… and {len(reached.findings) - len(findings)} more; --json lists all")
        counts = reached.counts()
        say(", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items()))
    say(f"{plural(len(found.gaps), 'gap')}, {plural(len(found.guidelines), 'note')} on guidelines")


def _print_some(lines: Sequence[str], most: int) -> None:
    for line in lines[:most]:
        print_plain(line)
    if len(lines) > most:
        say(f"… and {len(lines) - most} more; --json lists all")


def _print_volumes(found: Coverage) -> None:
    rows = []
    for row in found.volumes:
        note = "" if row.fits else "not as declared" if row.declared else "an estimate only"
        whose = row.whose if row.kind != "district" else row.whose.rpartition("/")[2]
        where = row.place or ""
        where = where.rpartition("/")[2]
        kind = row.kind.replace("_", " ")
        rows.append((kind, whose, where, str(row.lines), str(row.volume), note))
    if rows:
        print_table(("what", "whose", "where", "lines", "planned", ""), rows, wrap=("whose",))


def _print_role(found: Coverage, place: int, matrix: RoleMatrix) -> None:
    from talebearer.content.coverage import CellKey

    say(f"{matrix.role} at {matrix.place}: {plural(matrix.lines, 'line')}", "bold")
    wanted = found.wanted[place]
    here = [gap for gap in found.gaps if (gap.whose, gap.place) == (matrix.role, matrix.place)]
    gaps = {gap.at for gap in here}
    used = [(access, trust) for access in matrix.access for trust in matrix.trust[access]]
    rows = [*used, *sorted({(at.access, at.trust) for at in wanted} - set(used))]
    more = sorted({at.situation for at in wanted} - set(matrix.situations))
    situations = [*matrix.situations, *more]

    def shown(access: str, trust: str, situation: str) -> str:
        cell = matrix.at(access, trust, situation)
        if CellKey(access, trust, situation) in gaps:
            return f"{cell.lines} gap" if cell.lines else "gap"
        return str(cell.lines) if cell.lines else "·" if cell.heard else ""

    for columns in _side_by_side(situations, first="authority surface"):
        print_table(
            ("access", "trust", *(_heading(name) for name in columns)),
            [
                (access, trust, *(shown(access, trust, one) for one in columns))
                for access, trust in rows
            ],
        )


def _heading(name: str) -> str:
    return name.replace("_", "\n")


def _side_by_side(names: Sequence[str], *, first: str) -> Iterator[list[str]]:
    """Yield as many of *names* at a time as fit as columns beside a first one as wide as *first*."""
    room = console().width - len(first) - BETWEEN_COLUMNS
    columns: list[str] = []
    left = room
    for name in names:
        width = max(map(len, name.split("_"))) + BETWEEN_COLUMNS
        if columns and width > left:
            yield columns
            columns, left = [], room
        columns.append(name)
        left -= width
    if columns:
        yield columns


def _print_thoughts(found: Coverage) -> None:
    for character in _once(one.character for one in found.thoughts):
        own = [one for one in found.thoughts if one.character == character]
        triggers = [name for name in own[0].triggers if any(one.triggers[name] for one in own)]
        say(f"thoughts of {character}: {sum(one.lines for one in own)}", "bold")
        longest = max((one.place for one in own), key=len)
        for columns in _side_by_side(triggers, first=longest):
            print_table(
                ("place", *(_heading(name) for name in columns)),
                [(one.place, *(str(one.triggers[name] or "") for name in columns)) for one in own],
            )


def _once(names: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(names)
