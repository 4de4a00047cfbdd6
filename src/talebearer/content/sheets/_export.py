"""From a content tree to a sheet of its lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from talebearer.content import _tree
from talebearer.content._lint import Checked, Progress, check_tree
from talebearer.content._rules import Document
from talebearer.content._structure import shown
from talebearer.content._tree import FileKind
from talebearer.content.sheets import _csv, _xlsx
from talebearer.content.sheets._columns import BASE, Column, Form, columns
from talebearer.content.sheets._grid import Grid
from talebearer.content.sheets._read import read_sheet
from talebearer.content.sheets._rows import Filter, chosen, of_escaped, pools_of, rows_of
from talebearer.content.sheets._since import CHANGED, Key, since
from talebearer.errors import InvalidContent, Problem, Severity, UsageFault, Where
from talebearer.errors import findings_content as codes
from talebearer.errors import findings_sheets as sheet_codes

FORMATS = (".csv", ".xlsx")
_SOUNDS = (".aac", ".aif", ".aiff", ".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_BARRING = (codes.BAD_CHARACTER, codes.DUPLICATE_KEY)
_ALL = Filter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A sheet that was made.

    Attributes:
        data: Its bytes.
        pools: How many pools it has.
        rows: How many rows, without the headings.
        missing: How many texts have no recording yet; None when nobody looked.
        gone: Pool, id and variant of what an earlier sheet has and the content has no more; None
            when there was none.
    """

    data: bytes
    pools: int
    rows: int
    missing: int | None = None
    gone: tuple[Key, ...] | None = None


def export_lines(
    root: Path,
    format: str,
    *,
    only: Filter = _ALL,
    takes: Path | None = None,
    changed_since: Path | None = None,
    progress: Progress | None = None,
) -> Exported:
    """Return the lines of the content folder *root* as a sheet, one row a line and a variant.

    The same content gives the same bytes.

    Args:
        root: The content folder.
        format: ``.csv`` or ``.xlsx``.
        only: Which pools.
        takes: A folder of recordings, named after the column ``recording_file``.
        changed_since: A sheet of an earlier export: only what is new or changed since is in this
            one, and the column ``x-changed`` says what that is.
        progress: As in :func:`~talebearer.content.lint`.

    Raises:
        InvalidContent: A file cannot be read, or a line has no id of its own (TB106).
        UsageFault: The format is another, its library is not installed, *only* takes no pool, or
            *changed_since* is no sheet of lines (TB111).

    Source: rule LP-L8-sheets.
    """
    if format not in FORMATS:
        raise UsageFault(f"no sheets of format {format!r}", hint=f"one of {', '.join(FORMATS)}")
    tell = progress or (lambda _stage, _done, _total: None)
    earlier = None if changed_since is None else _earlier(changed_since, tell)
    checked = check_tree(_tree.walk(root), progress=tell)
    must_have_keys(checked)
    taken = None if takes is None else stems_in(takes)
    shape = columns(checked.index.enums)
    names = names_of(checked)
    documents = chosen(checked.documents, only)
    rows = [
        row
        for document in documents
        for row in rows_of(document, shape, checked.index, names, taken)
    ]
    gone = None
    headings = shape
    if earlier is not None:
        found = since(rows, shape, earlier, documents)
        rows, gone = found.rows, found.gone
        headings = (*shape, Column(name=CHANGED, form=Form.TOLD, about="what changed"))
    data = _written(headings, rows, format, tell)
    at = [column.name for column in shape].index("recording")
    missing = None if taken is None else sum(row[at] == "missing" for row in rows)
    return Exported(data=data, pools=len(documents), rows=len(rows), missing=missing, gone=gone)


def _earlier(sheet: Path, tell: Progress) -> Grid:
    """Return the cells of an earlier sheet.

    Raises:
        UsageFault: It is none (TB111).
    """
    grid = read_sheet(sheet, tell)
    if isinstance(grid, Problem):
        raise UsageFault(grid.message, hint=grid.hint)
    return grid


def _written(
    shape: tuple[Column, ...], rows: list[list[str]], format: str, tell: Progress
) -> bytes:
    if format == ".csv":
        names = [column.name for column in shape]
        at = names.index(BASE)
        return _csv.dump(
            [names, *([*row[:at], of_escaped(row[at]), *row[at + 1 :]] for row in rows)]
        )
    bad = next((cell for row in rows for cell in row if _NO_XML.search(cell)), None)
    if bad is not None:
        message = f"a cell would have a control character, which XLSX cannot hold: {shown(bad)}"
        raise UsageFault(message, hint="delete the character, or export CSV instead")
    longest = max((len(cell) for row in rows for cell in row), default=0)
    if longest > _xlsx.CELL_CHARS_MAX:
        message = f"a cell would have {longest} characters; XLSX holds {_xlsx.CELL_CHARS_MAX}"
        raise UsageFault(message, hint="export CSV instead")
    return _xlsx.dump(shape, rows, tell=tell)


def names_of(checked: Checked) -> dict[str, str]:
    """Return the names of the characters that have a profile, by slug."""
    return {
        document.file.stem: str(document.root.get("name") or document.file.stem)
        for document in checked.documents
        if document.file.kind is FileKind.PROFILE
    }


def stems_in(folder: Path) -> Collection[str]:
    """Return the names of the recordings below *folder*, without suffixes.

    Raises:
        UsageFault: It is no folder (TB111).
    """
    if not folder.is_dir():
        raise UsageFault(f"{folder} is no folder", hint="name the folder of the recordings")
    return frozenset(path.stem for path in folder.rglob("*") if path.suffix.lower() in _SOUNDS)


def must_have_keys(checked: Checked) -> None:
    """Refuse a tree whose lines cannot all be told apart, or hold what no sheet can.

    Raises:
        InvalidContent: A pool cannot be read, or a line has no id of its own (TB106).
    """
    read = {document.file.name for document in checked.documents}
    barred = {problem.where.file for problem in checked.problems} - read
    unread = [
        problem
        for problem in checked.problems
        if problem.severity is Severity.ERROR
        and (problem.where.file in barred or problem.code in _BARRING)
    ]
    problems = [*unread, *(p for d in pools_of(checked.documents) for p in _unkeyed(d))]
    if problems:
        raise InvalidContent(
            f"{problems[0].where}: {problems[0].message}",
            hint="run talebearer lint and correct these first",
            data={"problems": [problem.as_json() for problem in problems]},
        )


def _unkeyed(document: Document) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, line in document.lines:
        line_id = line.get("id")
        is_fine = isinstance(line_id, str) and line_id and line_id not in seen
        if isinstance(line_id, str):
            seen.add(line_id)
        if not is_fine:
            yield Problem(
                code=sheet_codes.SHEET_ROW,
                severity=Severity.ERROR,
                where=Where(file=document.file.name, pointer=f"$.lines[{index}].id"),
                message=f"line {index + 1} has no id of its own: {shown(line_id)}",
            )
