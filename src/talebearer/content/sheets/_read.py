"""A sheet's file into rows of cells, whatever its format is."""

from __future__ import annotations

from pathlib import Path

from talebearer.content._lint import Progress
from talebearer.content.sheets import _csv, _xlsx
from talebearer.content.sheets._grid import FILE_BYTES_MAX, Grid, SheetFault
from talebearer.errors import Problem, Severity, UsageFault, Where
from talebearer.errors import findings_sheets as codes


def read_sheet(sheet: Path, tell: Progress) -> Grid | Problem:
    """Return the cells of *sheet*, or why there are none.

    Raises:
        UsageFault: There is no such file, or the library for XLSX is missing (TB111).
    """
    if not sheet.is_file():
        raise UsageFault(
            f"there is no sheet {sheet}", hint="write one with talebearer lines export"
        )
    with sheet.open("rb") as stream:
        data = stream.read(FILE_BYTES_MAX + 1)
    try:
        if len(data) > FILE_BYTES_MAX:
            raise SheetFault(f"{sheet.name} has more than {FILE_BYTES_MAX} bytes")
        if data.startswith(b"PK"):
            return _xlsx.load(data, sheet.name, tell=tell)
        if data.startswith(b"\xd0\xcf\x11\xe0") or _is_binary(data):
            raise SheetFault(f"{sheet.name} is no CSV", hint="save it as .xlsx, without a password")
        return _csv.load(data, sheet.name)
    except SheetFault as fault:
        where = Where(file=sheet.name, pointer=fault.pointer)
        return Problem(code=codes.UNREADABLE_SHEET, severity=Severity.ERROR, where=where,
                       message=fault.message, hint=fault.hint)  # fmt: skip


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:1024] and data[:2] not in (b"\xff\xfe", b"\xfe\xff")
