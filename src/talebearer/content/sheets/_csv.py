"""Sheets as CSV: written for spreadsheets, read as they save it.

A cell that a spreadsheet would take for a formula gets an apostrophe in front, and text that begins with
an apostrophe and such a sign gets a second one. Who compares the cells takes it off: a spreadsheet may save
a workbook as CSV and a CSV as a workbook, so that not the file but each row says whether it has them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from talebearer.content.sheets._grid import (
    CELL_CHARS_MAX,
    COLUMNS_MAX,
    ROWS_MAX,
    Grid,
    SheetFault,
)

_SIGNS = frozenset("=+-@\t\r\n＝＋－＠")
_BOM = "\ufeff"
_SEPARATORS = ",;\t"


def escaped(cell: str) -> str:
    """Return *cell* so that no spreadsheet takes it for a formula."""
    first = cell[:1]
    needs = first in _SIGNS or (first == "'" and (cell[1:2] in _SIGNS or cell[1:2] == "'"))
    return f"'{cell}" if cell and needs else cell


def unescaped(cell: str) -> str:
    """Return what :func:`escaped` was given."""
    second = cell[1:2]
    is_escaped = cell.startswith("'") and second and (second in _SIGNS or second == "'")
    return cell[1:] if is_escaped else cell


def dump(rows: Iterable[Sequence[str]]) -> bytes:
    """Return *rows* as CSV: UTF-8 with a byte order mark, commas, CR LF, quotes where needed."""
    stream = io.StringIO()
    stream.write(_BOM)
    writer = csv.writer(stream, lineterminator="\r\n")
    for row in rows:
        writer.writerow([escaped(cell) for cell in row])
    return stream.getvalue().encode()


def load(data: bytes, name: str) -> Grid:
    """Return the rows of *data*; separator and encoding are told by its head.

    Raises:
        SheetFault: It is no such table, or a too large one.
    """
    text, encoding = _decoded(data)
    separator, note_rows = _separator(text)
    grid = Grid(name=name, sheet="", encoding=encoding, is_escaped=True)
    try:
        for number, row in enumerate(_records(text, separator), 1):
            if number > ROWS_MAX or len(row) > COLUMNS_MAX:
                raise SheetFault(f"{name} has more than {ROWS_MAX} rows or {COLUMNS_MAX} columns")
            if number > note_rows:
                grid.rows.append((number, list(row)))
    except csv.Error as error:
        at = f"row {grid.rows[-1][0] + 1}" if grid.rows else "row 1"
        message = f"{name} is no CSV from {at} on: {error}"
        raise SheetFault(
            message, hint=f"save it as CSV again; a cell has {CELL_CHARS_MAX} characters at most"
        ) from error
    return grid


def _records(text: str, separator: str) -> Iterator[list[str]]:
    stream = io.StringIO(text, newline="")
    return csv.reader(stream, delimiter=separator, strict=True)


def _decoded(data: bytes) -> tuple[str, str]:
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                return data.decode(encoding), encoding
            except UnicodeDecodeError as error:
                raise SheetFault("the file is cut off in the middle of a character") from error
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError as error:
        message = "the file is neither UTF-8 nor Windows-1252"
        raise SheetFault(message, hint="save it as CSV UTF-8") from error


def _separator(text: str) -> tuple[str, int]:
    """Return what parts the headings, and how many rows only say so.

    A first row such as ``sep=;`` tells Excel. Else it is of comma, semicolon and tab the one that the
    first row has most.
    """
    head = text[:20_000].split("\n", 1)[0].rstrip("\r")
    if head[:4] == "sep=" and len(head) == 5 and head[4] in _SEPARATORS:
        return head[4], 1
    return max(_SEPARATORS, key=lambda one: (head.count(one), -_SEPARATORS.index(one))), 0
