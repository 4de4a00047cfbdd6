"""Sheets as XLSX: a locked frame around the cells that writers change, and readable again.

The same lines give the same bytes: a workbook's own times are left out.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from talebearer.content.sheets._columns import BASE, Column, Form
from talebearer.content.sheets._grid import (
    COLUMNS_MAX,
    ROWS_MAX,
    Cell,
    Grid,
    Odd,
    SheetFault,
    letters,
)
from talebearer.errors import extra_missing

LINES = "Lines"
README = "Read me"
_WORDS = "Words"
CELL_CHARS_MAX = 32_767
_UNZIPPED_BYTES_MAX = 512 * 1024 * 1024
_ENTRIES_MAX = 500
_EPOCH = (1980, 1, 1, 0, 0, 0)
_TIMES = re.compile(rb"<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\1>")
_LIKE_ESCAPE = re.compile("_x([0-9A-Fa-f]{1,8})_")  # as some spreadsheets read it
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_TAG = re.compile(rb"<sheet\b[^>]*>")
_RELATION = re.compile(rb"<Relationship\b[^>]*>")
_MERGED = re.compile(rb'<mergeCell\s+ref="([A-Z0-9:]{1,40})"')
_ROWS_OPEN = 500

TEXT = (
    "Each row of the sheet Lines is one line, or one further text (variant) of a line.",
    "White cells are yours to change; grey ones only tell, and what is changed in them is not read.",
    "Do not change pool, id and variant: they say which line a row is. Rows may be sorted and filtered.",
    "Lists are words parted by commas: insider, peer. An empty cell means that the line has none.",
    "Leave the last, hidden column as it is: it tells your changes from changes made elsewhere meanwhile.",
    "A new line: a new row with its pool and no id, at the end; it comes in with import --add.",
    "A row that is deleted here stays in the content, unless import is told --remove.",
    "Columns of your own are welcome where their headings begin with x-.",
    "The sheet is locked without a password, so that grey cells are not changed by mistake.",
)


def _library() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise extra_missing("XLSX", "authoring", library="openpyxl") from error
    return openpyxl


def dump(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    tell: Callable[[str, int, int], None],
) -> bytes:
    """Return *rows* under the headings of *columns* as a workbook.

    Raises:
        UsageFault: The library is not installed (TB111).
    """
    openpyxl = _library()
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(LINES)
    _frame(sheet, columns, len(rows))
    cells = _cells(sheet, columns, is_heading=True)
    for cell, column in zip(cells, columns, strict=True):
        cell.value = column.name
    sheet.append(cells)
    cells = _cells(sheet, columns, is_heading=False)
    for number, row in enumerate(rows):
        if number % _ROWS_OPEN == 0:
            tell("writing", number, len(rows))
        for cell, text in zip(cells, row, strict=True):
            cell.value = _number(text) if cell.number_format == "0" else _escaped(text)
            if isinstance(cell.value, str):
                cell.data_type = "s"  # also where it looks like a formula
        sheet.append(cells)
    _say(book.create_sheet(README), columns)
    _list_words(book.create_sheet(_WORDS), columns)
    stream = io.BytesIO()
    book.save(stream)
    return _timeless(stream.getvalue())


def _number(text: str) -> int | str | None:
    return int(text) if text.isdecimal() and text.isascii() else text or None


def _frame(sheet: Any, columns: Sequence[Column], count: int) -> None:
    from openpyxl.worksheet.datavalidation import DataValidation

    sheet.freeze_panes = "D2"
    last = letters(len(columns) - 1)
    sheet.auto_filter.ref = f"A1:{last}{count + 1}"
    sheet.protection.sheet = True
    for allowed in (
        "sort",
        "autoFilter",
        "formatColumns",
        "formatRows",
        "insertRows",
        "deleteRows",
    ):
        setattr(sheet.protection, allowed, False)  # False lets it
    words = 0
    for at, column in enumerate(columns):
        shape = sheet.column_dimensions[letters(at)]
        shape.width = column.width_chars
        shape.hidden = column.name == BASE
        if column.allowed:
            words += 1
            source = (
                f"{_WORDS}!${letters(words - 1)}$2:${letters(words - 1)}${len(column.allowed) + 1}"
            )
            rule = DataValidation(type="list", formula1=source, allow_blank=True)
            # A drop-down gives one word; where several may stand it only helps and refuses nothing.
            rule.showErrorMessage = column.form is Form.WORD
            rule.errorTitle, rule.error = column.name, "Not one of the values."
            rule.add(f"{letters(at)}2:{letters(at)}{count + _ROWS_OPEN}")
            sheet.data_validations.append(rule)


def _cells(sheet: Any, columns: Sequence[Column], *, is_heading: bool) -> list[Any]:
    """Return one cell a column, to be filled again for each row: styles are dear to set."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font, PatternFill, Protection

    grey, bold = PatternFill("solid", fgColor="E7E6E6"), Font(bold=True)
    found = []
    for column in columns:
        cell = WriteOnlyCell(sheet)
        cell.number_format = "0" if column.name in ("chars", "words") else "@"
        cell.alignment = Alignment(wrap_text=column.form is Form.TEXT, vertical="top")
        cell.protection = Protection(locked=is_heading or not column.is_editable)
        if is_heading:
            cell.font, cell.number_format = bold, "@"
        if not column.is_editable:
            cell.fill = grey
        found.append(cell)
    return found


def _say(sheet: Any, columns: Sequence[Column]) -> None:
    sheet.column_dimensions["A"].width = 22
    sheet.column_dimensions["B"].width = 100
    for text in TEXT:
        sheet.append(["", text])
    sheet.append([])
    for column in columns:
        words = f" ({', '.join(column.allowed)})" if column.allowed else ""
        sheet.append([column.name, f"{column.about}{words}"])


def _list_words(sheet: Any, columns: Sequence[Column]) -> None:
    sheet.sheet_state = "hidden"
    lists = [(column.name, *column.allowed) for column in columns if column.allowed]
    for at in range(max(map(len, lists), default=0)):
        sheet.append([words[at] if at < len(words) else None for words in lists])


def _escaped(text: str) -> str | None:
    """Return *text* as the format keeps it: a carriage return would be lost as a line's end."""
    if "_x" in text:
        text = _LIKE_ESCAPE.sub(r"_x005F_x\1_", text)
    return text.replace("\r", "_x000D_") or None


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _timeless(data: bytes) -> bytes:
    """Return the workbook *data* without the times at which it was made."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as before,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            part = before.read(name)
            if name == "docProps/core.xml":
                part = _TIMES.sub(b"", part)
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            after.writestr(info, part)
    return stream.getvalue()


def load(data: bytes, name: str, *, tell: Callable[[str, int, int], None]) -> Grid:
    """Return the cells of the sheet ``Lines``, or of the first sheet, of the workbook *data*.

    Raises:
        SheetFault: It is no workbook, or one that is built to do harm.
        UsageFault: The library is not installed (TB111).
    """
    openpyxl = _library()
    _check_archive(data, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that do not matter here
            return _read(openpyxl, data, name, tell)
    except SheetFault:
        raise
    except Exception as error:  # a damaged workbook fails anywhere in the library
        message = f"{name} is no workbook that can be read: {type(error).__name__}"
        raise SheetFault(message, hint="open it in a spreadsheet and save it again") from error


def _read(openpyxl: Any, data: bytes, name: str, tell: Callable[[str, int, int], None]) -> Grid:
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, keep_links=False)
    try:
        title = LINES if LINES in book.sheetnames else book.sheetnames[0]
        grid = Grid(name=name, sheet=title)
        total = book[title].max_row or 0
        for number, row in enumerate(book[title].iter_rows(), 1):
            if number % _ROWS_OPEN == 0:
                tell("reading", number, max(total, number))
            if number > ROWS_MAX or len(row) > COLUMNS_MAX:
                raise SheetFault(f"{name} has more than {ROWS_MAX} rows or {COLUMNS_MAX} columns")
            cells = [_cell(cell) for cell in row]
            if any(cells):
                grid.rows.append((number, cells))
    finally:
        book.close()
    for merged in _merged(data, title):
        grid.faults.append((f"{title}!{merged}", "cells are merged", "unmerge them"))
    return grid


def _cell(cell: Any) -> Cell:
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        return Odd("a formula")
    if cell.data_type == "e":
        return Odd(f"the fault {value}")
    if isinstance(value, str):
        return _unescaped(value)
    if isinstance(value, bool):
        return Odd("a truth value")
    if isinstance(value, int | float):
        whole = str(int(value)) if value == value // 1 and abs(value) < 1e15 else ""
        return Odd(f"the number {value:.15g}", whole)
    if isinstance(value, datetime | date | time | timedelta):
        return Odd("a date or time")
    return Odd(type(value).__name__)


def _check_archive(data: bytes, name: str) -> None:
    """Refuse an archive that would unfold to more than any sheet of lines holds."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            total = sum(entry.file_size for entry in entries)
            if len(entries) > _ENTRIES_MAX or total > _UNZIPPED_BYTES_MAX:
                raise SheetFault(f"{name} unfolds to {total} bytes in {len(entries)} parts")
            for entry in entries:
                if entry.filename.endswith((".xml", ".rels")):
                    _check_part(archive, entry, name)
            if "xl/workbook.xml" not in archive.namelist():
                what = (
                    "an OpenDocument sheet"
                    if "content.xml" in archive.namelist()
                    else "no workbook"
                )
                raise SheetFault(f"{name} is {what}", hint="save it as .xlsx or .csv")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        message = f"{name} is no workbook"
        raise SheetFault(message, hint="save it as .xlsx, without a password") from error


def _check_part(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> None:
    """Read one part to its end, at most as long as it says, and refuse declarations in it."""
    size, tail = 0, b""
    with archive.open(entry) as stream:
        while chunk := stream.read(1 << 20):
            size += len(chunk)
            if size > entry.file_size:
                raise SheetFault(f"{name} unfolds to more than it says")
            if b"<!DOCTYPE" in tail + chunk or b"<!ENTITY" in tail + chunk:
                raise SheetFault(f"{name} declares XML entities, which no spreadsheet writes")
            tail = chunk[-16:]


def _merged(data: bytes, title: str) -> list[str]:
    """Return the merged ranges of the sheet *title*; the reader that streams does not tell them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        path = _path_of(archive, title)
        part = archive.read(path) if path in archive.namelist() else b""
    return [found[1].decode("ascii") for found in _MERGED.finditer(part)]


def _path_of(archive: zipfile.ZipFile, title: str) -> str:
    from html import unescape

    wanted = ""
    for tag in _TAG.findall(archive.read("xl/workbook.xml")):
        if unescape(_attribute(tag, b"name")) == title:
            wanted = _attribute(tag, b"r:id")
    for tag in _RELATION.findall(archive.read("xl/_rels/workbook.xml.rels")):
        if _attribute(tag, b"Id") == wanted:
            target = _attribute(tag, b"Target")
            return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    return ""


def _attribute(tag: bytes, name: bytes) -> str:
    found = re.search(rb"(?:^|\s)" + re.escape(name) + rb'="([^"]*)"', tag)
    return found[1].decode("utf-8", "replace") if found else ""
