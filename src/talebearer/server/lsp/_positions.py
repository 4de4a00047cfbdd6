"""Columns of an editor and columns in code points.

An editor counts a row in UTF-16 code units unless it agreed to another encoding, and knows of no
byte order mark; content counts code points and leaves the mark out.
"""

from __future__ import annotations

from lsprotocol import types

from talebearer.content.index import rows_of

_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
BOM = "\ufeff"


def units_of(row: str, column: int, encoding: str) -> int:
    """Return how many units of *encoding* the first *column* code points of *row* take."""
    if row.isascii() or encoding == "utf-32":
        return min(column, len(row))
    codec, unit_bytes = _CODECS[encoding]
    return len(row[:column].encode(codec, "surrogatepass")) // unit_bytes


def column_of(row: str, units: int, encoding: str) -> int:
    """Return the column of *row* at *units* units of *encoding*; inside a character its start."""
    if units <= 0:
        return 0
    if row.isascii() or encoding == "utf-32":
        return min(units, len(row))
    codec, unit_bytes = _CODECS[encoding]
    taken = 0
    for column, character in enumerate(row):
        taken += len(character.encode(codec, "surrogatepass")) // unit_bytes
        if taken > units:
            return column
    return len(row)


class Text:
    """A text as an editor and as the content sees it.

    Attributes:
        rows: Its rows without breaks and byte order mark.
        encoding: What the editor counts in.

    Args:
        text: The text.
        encoding: What the editor counts in.
        now: What the editor has in its place by now: positions are then the nearest ones in that.
    """

    def __init__(self, text: str, encoding: str, *, now: Text | None = None) -> None:
        self._mark = text.startswith(BOM)
        self.rows = rows_of(text.removeprefix(BOM))
        self.encoding = encoding
        self._now = now

    def position(self, line: int, column: int) -> types.Position:
        """Return the editor's position of the 1-based *line* and *column*, at most the text's end."""
        row = min(max(line - 1, 0), len(self.rows) - 1)
        text = self.rows[row]
        units = units_of(text, max(column - 1, 0), self.encoding)
        found = types.Position(line=row, character=units + self._shift(row))
        return found if self._now is None else self._now.nearest(found)

    def nearest(self, position: types.Position) -> types.Position:
        """Return *position* where it is one in the text, else the nearest that is."""
        row, column = self.place(position)
        return self.position(row + 1, column + 1)

    def range(self, start: tuple[int, int], end: tuple[int, int]) -> types.Range:
        """Return the editor's range of two 1-based places."""
        return types.Range(start=self.position(*start), end=self.position(*end))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Return row and column, both from 0, of the editor's *position*; in the text whatever it is."""
        row = min(max(position.line, 0), len(self.rows) - 1)
        units = max(position.character - self._shift(row), 0)
        return row, column_of(self.rows[row], units, self.encoding)

    def _shift(self, row: int) -> int:
        """The units that a byte order mark takes at the start of its row."""
        return units_of(BOM, 1, self.encoding) if row == 0 and self._mark else 0
