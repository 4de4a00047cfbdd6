"""What sheets and translations cost, measured: a campaign's lines out of YAML and back.

All times are processor time of one run each, since a run takes seconds.
"""

from __future__ import annotations

import csv
import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import generated_content

from talebearer.content.sheets import (
    Choices,
    export_lines,
    export_translations,
    import_lines,
    translations,
)

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

LINES, LINES_SMALL = 12_000, 240
EVERY_CHANGED = 10


def rows(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    from rows import limit

    lines = LINES_SMALL if small else LINES
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "content"
        generated_content.write(root, lines)
        table, book = root.parent / "lines.csv", root.parent / "lines.xlsx"
        found = [
            ("export {} lines as CSV", _seconds(lambda: _export(root, table)), 6),
            ("export {} lines as XLSX", _seconds(lambda: _export(root, book)), 25),
            ("import {} lines of CSV, none changed", _seconds(lambda: _import(root, table)), 5),
            ("import {} lines of XLSX, none changed", _seconds(lambda: _import(root, book)), 20),
        ]
        _change(table)
        found += [
            ("import {} lines of CSV, a tenth changed", _seconds(lambda: _import(root, table)), 16),
            ("export {} lines as PO", _seconds(lambda: export_translations(root, "de")), 5),
            ("report {} translations", _seconds(lambda: translations(root)), 5),
        ]
    return [limit(name.format(f"{lines:,}"), taken, most, "s") for name, taken, most in found]


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _export(root: Path, path: Path) -> None:
    path.write_bytes(export_lines(root, path.suffix).data)


def _import(root: Path, path: Path) -> None:
    imported = import_lines(root, path, choices=Choices())
    assert not imported.is_refused, imported.problems[:3]


def _change(table: Path) -> None:
    """Change every tenth text of the sheet *table*."""
    text = table.read_bytes().decode("utf-8-sig")
    found = list(csv.reader(io.StringIO(text, newline="")))
    at = found[0].index("text")
    for row in found[1::EVERY_CHANGED]:
        row[at] += " Changed."
    with table.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(found)
