"""A sheet as rows of cells, whatever the format of its file was."""

from __future__ import annotations

from dataclasses import dataclass, field

FILE_BYTES_MAX = 64 * 1024 * 1024
"""Size above which a sheet is not read: some ten times 12,000 lines."""

ROWS_MAX = 200_000
COLUMNS_MAX = 200
CELL_CHARS_MAX = 131_072


class SheetFault(Exception):
    """A file that is no sheet of lines, or one that is too large."""

    def __init__(self, message: str, *, hint: str = "", pointer: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.pointer = pointer


@dataclass(frozen=True, slots=True)
class Odd:
    """A cell that holds no text, and what it holds instead.

    Attributes:
        what: For a sentence.
        digits: A whole number as text; empty for anything else.
    """

    what: str
    digits: str = ""


Cell = str | Odd


@dataclass(slots=True, kw_only=True)
class Grid:
    """What a file holds.

    Attributes:
        name: The file's name.
        sheet: The sheet's name; empty where a file has no sheets.
        encoding: How the bytes were read, if the file leaves it open.
        is_escaped: Whether cells of rows that do not say so are escaped as CSV has them.
        rows: The number of each row, as a spreadsheet counts, and its cells.
        faults: Cells that cannot be used, by place.
    """

    name: str
    sheet: str
    encoding: str = ""
    is_escaped: bool = False
    rows: list[tuple[int, list[Cell]]] = field(default_factory=list)
    faults: list[tuple[str, str, str]] = field(default_factory=list)

    def place(self, row: int, column: int | None = None) -> str:
        """Return ``Sheet!C7`` for the 1-based *row* and the 0-based *column*."""
        cell = f"{letters(column)}{row}" if column is not None else f"{row}:{row}"
        return f"{self.sheet}!{cell}" if self.sheet else cell


def letters(column: int) -> str:
    """Return the letters of the 0-based *column*."""
    found = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        found = chr(ord("A") + rest) + found
    return found
