"""What has changed since an earlier export: told by the sheet that was exported then, without a clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from talebearer.content._keys import key_of
from talebearer.content._rules import Document
from talebearer.content.sheets._columns import BASE, OWN, Column
from talebearer.content.sheets._csv import unescaped
from talebearer.content.sheets._grid import Cell, Grid, Odd
from talebearer.content.sheets._rows import TOLD, is_escaped, unpack
from talebearer.errors import UsageFault

CHANGED = f"{OWN}changed"
"""The column that says what is new about a row; import passes over it."""

NEW = "new"
_KEYS = ("pool", "id")

Key = tuple[str, str, int]
"""Pool path, line id, number of the variant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """The rows that are new or say something else than in an earlier sheet.

    Attributes:
        rows: Those rows, each with one more cell: ``new``, or the columns that changed.
        gone: What the earlier sheet has and the content has no more.
    """

    rows: list[list[str]]
    gone: tuple[Key, ...]


def since(
    rows: Sequence[Sequence[str]],
    columns: Sequence[Column],
    grid: Grid,
    documents: Sequence[Document],
) -> Since:
    """Return which of *rows* are new or changed since the sheet *grid* was exported.

    A line that got another id since, and has the former one among its aliases, is the same line.

    Raises:
        UsageFault: *grid* is no sheet of lines (TB111).
    """
    before = dict(_before(grid, columns))
    now_called = dict(_former(documents))
    before = {(*now_called.get(key[:2], key[:2]), key[2]): cells for key, cells in before.items()}
    at = {column.name: place for place, column in enumerate(columns)}
    names = [column.name for column in columns if column.is_editable]
    found: list[list[str]] = []
    seen: set[Key] = set()
    for row in rows:
        key = (row[at["pool"]], row[at["id"]], int(row[at["variant"]] or 0))
        seen.add(key)
        was = before.get(key)
        changed = NEW if was is None else ", ".join(
            name for name in names if name in was and row[at[name]] != was[name]
        )  # fmt: skip
        if changed:
            found.append([*row, changed])
    pools = {document.file.key for document in documents}
    gone = tuple(sorted(key for key in before if key not in seen and key[0] in pools))
    return Since(rows=found, gone=gone)


def _before(grid: Grid, columns: Sequence[Column]) -> Iterator[tuple[Key, dict[str, str]]]:
    """Yield each row of an earlier sheet with what was exported of it."""
    rows = iter(grid.rows)
    names: list[str] = []
    for _, cells in rows:
        names = [_text(cell).strip() for cell in cells]
        if all(key in names for key in _KEYS):
            break
    else:
        message = f"{grid.name} is no sheet of lines: no row has the headings pool and id"
        raise UsageFault(message, hint="name a sheet that talebearer lines export wrote")
    editable = {column.name for column in columns if column.is_editable} & {*names}
    for _, cells in rows:
        row = {name: _text(cell) for name, cell in zip(names, cells, strict=False) if name}
        if not (row.get("pool") and row.get("id")):
            continue
        number = row.get("variant", "").strip()
        variant = int(number[:9]) if number.isascii() and number.isdecimal() else 0
        # A sheet that was edited after its export still says what was exported.
        record = row.get(BASE, "")
        kept = unpack(record)
        if grid.is_escaped if is_escaped(record) is None else is_escaped(record):
            row = {name: unescaped(cell) for name, cell in row.items()}
        shown: Mapping[str, str] = row if kept is None else kept
        key = (row["pool"].strip(), row["id"].strip(), variant)
        yield key, {name: shown.get(name, "") for name in editable if name != TOLD}


def _text(cell: Cell) -> str:
    return cell.digits if isinstance(cell, Odd) else cell


def _former(documents: Sequence[Document]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Yield pool and id that a line had, and those that it has."""
    for document in documents:
        pool = document.file.key
        homes = document.root.get("formerly")
        homes = [pool, *(homes if isinstance(homes, list) else ())]
        for _, line in document.lines:
            aliases = line.get("aliases")
            names = [str(line["id"]), *map(str, aliases if isinstance(aliases, list) else ())]
            for home in homes:
                for name in names:
                    path, _, line_id = key_of(str(home), name).rpartition("#")
                    if (path, line_id) != (pool, names[0]):
                        yield (path, line_id), (pool, names[0])
