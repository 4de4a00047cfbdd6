"""The tables of ``talebearer coverage``: matrices as wide as the console lets them be, gaps, findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from talebearer.cli._output import console, plural, print_plain, print_table, say

if TYPE_CHECKING:
    from talebearer.content.coverage import Coverage, Reach, RoleMatrix
    from talebearer.errors import Problem

GAPS_SHOWN_MAX = 40
FINDINGS_SHOWN_MAX = 100
BETWEEN_COLUMNS = 3


def print_coverage(found: Coverage, reached: Reach | None, findings: Sequence[Problem]) -> None:
    """Print *found*, and on demand what can be said of lines that are never said."""
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

    def shown(access: str, trust: str, situation: str) -> str:
        cell = matrix.at(access, trust, situation)
        if CellKey(access, trust, situation) in gaps:
            return f"{cell.lines} gap" if cell.lines else "gap"
        return str(cell.lines) if cell.lines else "·" if cell.heard else ""

    for columns in _side_by_side(matrix.columns(wanted), first="authority surface"):
        print_table(
            ("access", "trust", *(_heading(name) for name in columns)),
            [
                (access, trust, *(shown(access, trust, one) for one in columns))
                for access, trust in matrix.rows(wanted)
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
    for table in found.thought_tables():
        say(f"thoughts of {table.character}: {table.lines}", "bold")
        longest = max((one.place for one in table.rows), key=len)
        for columns in _side_by_side(table.triggers, first=longest):
            print_table(
                ("place", *(_heading(name) for name in columns)),
                [
                    (one.place, *(str(one.triggers[name] or "") for name in columns))
                    for one in table.rows
                ],
            )
