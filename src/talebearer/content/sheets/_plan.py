"""What a sheet asks for: each cell beside what was exported and what the content holds now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from talebearer.content._keys import homes_of, key_of
from talebearer.content._rules import Document
from talebearer.content._structure import shown
from talebearer.content.sheets._columns import (
    BASE,
    OWN,
    CellFault,
    Column,
    Form,
    cell_of,
    value_of,
)
from talebearer.content.sheets._csv import unescaped
from talebearer.content.sheets._grid import Grid, Odd
from talebearer.content.sheets._rows import (
    TOLD,
    cells_of,
    has_told,
    is_escaped,
    told_mark,
    unpack,
)
from talebearer.errors import Problem, Severity, Where, did_you_mean, meant, nearest
from talebearer.errors import findings_sheets as codes

_KEYS = ("pool", "id")
_HEADING_ROWS_MAX = 20
VARIANTS_MAX = 999
CUT_CHARS = 32_767
"""As many as Excel keeps of a cell, without a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellChange:
    """One value that a sheet changes.

    Attributes:
        place: The cell.
        pool: Pool path of the line.
        line_id: Its id.
        variant: The number of the variant, 0 for the line itself.
        column: The column's name.
        before: What the content holds, as a cell.
        after: What the sheet says.
        value: The same as a value; None to take the field away.
    """

    place: str
    pool: str
    line_id: str
    variant: int
    column: str
    before: str
    after: str
    value: Any = field(default=None, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return the change as a JSON object."""
        found: dict[str, Any] = {"cell": self.place, "pool": self.pool, "id": self.line_id}
        if self.variant:
            found["variant"] = self.variant
        return found | {"column": self.column, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRow:
    """A line, or a variant of one, that the content has not yet.

    Attributes:
        place: The cell of its id.
        pool: Pool path.
        line_id: Its id; empty for the next free one.
        variant: The number of the variant, 0 for a line.
        cells: What the row says.
        values: The same as values.
        above: Id of the line whose row stands above, in the same pool; empty for none.
        below: Id of the line whose row stands below, where there is none above.
    """

    place: str
    pool: str
    line_id: str
    variant: int
    cells: Mapping[str, str]
    values: Mapping[str, Any]
    above: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A value that both sides changed."""

    change: CellChange
    exported: str

    def as_json(self) -> dict[str, Any]:
        """Return the conflict as a JSON object with all three values."""
        found = self.change.as_json()
        found["content"], found["sheet"] = found.pop("before"), found.pop("after")
        return found | {"exported": self.exported}


@dataclass(slots=True)
class Plan:
    """What a sheet asks for, and what is wrong with it.

    Attributes:
        changes: Values to change.
        conflicts: Values that both sides changed.
        added: Rows without a line.
        gone: Key of each line or variant without a row: pool, id, variant.
        problems: Findings.
        rows: How many rows were compared.
        reordered: Pools whose rows stand in another order than their lines.
        sheet: The file's name.
    """

    sheet: str
    changes: list[CellChange] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    added: list[NewRow] = field(default_factory=list)
    gone: list[tuple[str, str, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    rows: int = 0
    reordered: tuple[str, ...] = ()


class Planner:
    """Compares one grid with the pools of a tree."""

    def __init__(self, grid: Grid, columns: Sequence[Column], pools: Sequence[Document]) -> None:
        self._grid = grid
        self._columns = {column.name: column for column in columns}
        self._pools = {document.file.key: document for document in pools}
        # A sheet may have been exported before its pool got another place.
        self._homes = {
            former: self._pools[pool]
            for pool, homes in homes_of(pools).items()
            for former in homes
            if former not in self._pools
        }
        self._lines: dict[str, dict[str, Mapping[str, Any]]] = {}
        self._former: dict[str, dict[str, str]] = {}
        self._at: dict[str, int] = {}
        self._seen: dict[tuple[str, str, int], str] = {}
        # The row above: its pool, and its line, empty while none of the pool came yet.
        self._above = ("", "")
        self.plan = Plan(grid.name)

    def run(self) -> Plan:
        """Return what the grid asks for."""
        for place, what, hint in self._grid.faults:
            self._find(codes.SHEET_CELL, place, what, hint)
        rows = self._headed()
        if rows is None:
            return self.plan
        for number, cells in rows:
            self._row(number, cells)
        self.plan.gone = list(self._gone())
        self.plan.reordered = tuple(self._reordered())
        return self.plan

    # -- headings

    def _headed(self) -> list[tuple[int, list[Any]]] | None:
        """Return the rows below the headings, or None where there are none."""
        for index, (number, cells) in enumerate(self._grid.rows[:_HEADING_ROWS_MAX]):
            names = [cell.strip() if isinstance(cell, str) else "" for cell in cells]
            if all(key in names for key in _KEYS):
                return self._grid.rows[index + 1 :] if self._take(number, names) else None
        message = f"no row has the headings {' and '.join(_KEYS)}"
        self._find(codes.UNREADABLE_SHEET, self._grid.place(1), message)
        return None

    def _take(self, number: int, names: list[str]) -> bool:
        is_fine = True
        for at, name in enumerate(names):
            place = self._grid.place(number, at)
            if not name or name.startswith(OWN):
                continue
            if name not in self._columns:
                hint = did_you_mean(name, self._columns, otherwise=f"{OWN}{name} is passed over")
                self._find(codes.SHEET_COLUMN, place, f"no column is called {shown(name)}", hint)
                is_fine = False
            elif name in self._at:
                self._find(codes.SHEET_COLUMN, place, f"column {name} is there twice")
                is_fine = False
            else:
                self._at[name] = at
        return is_fine

    # -- rows

    def _row(self, number: int, cells: list[Any]) -> None:
        found: dict[str, Any] = {
            name: self._read(name, cells[at]) if at < len(cells) else ""
            for name, at in self._at.items()
        }
        if not any(found.values()):
            return
        if self._is_escaped(found.get(BASE)):
            found = {n: unescaped(c) if isinstance(c, str) else c for n, c in found.items()}
        self.plan.rows += 1
        odd = [name for name, cell in found.items() if isinstance(cell, Odd)]
        for name in odd:
            if self._columns[name].is_editable or name in (*_KEYS, "variant"):
                message = f"{name} holds {found[name].what}, which is no text"
                hint = "format the cell as text and type it again"
                self._find(codes.SHEET_CELL, self._place(number, name), message, hint)
        if not odd or not {*_KEYS, "variant"} & {*odd}:
            self._compare(number, {name: cell for name, cell in found.items() if name not in odd})

    def _is_escaped(self, record: Any) -> bool:
        """Return whether a row's cells are escaped; a new row is like those above it."""
        told = is_escaped(record) if isinstance(record, str) else None
        if told is not None:
            self._grid.is_escaped = told
        return self._grid.is_escaped

    def _read(self, name: str, cell: Any) -> Any:
        """Return *cell*, a number as its digits where a number belongs."""
        takes = name == "variant" or self._columns[name].form is Form.NUMBER
        return cell.digits if takes and isinstance(cell, Odd) and cell.digits else cell

    def _compare(self, number: int, cells: dict[str, str]) -> None:
        line_id = cells["id"].strip()
        variant = self._variant(number, cells.get("variant", ""))
        document = self._pool(number, cells["pool"].strip())
        if document is None or variant is None:
            return
        pool = document.file.key
        line_id = self._former.get(pool, {}).get(line_id, line_id)
        key = (pool, line_id, variant)
        if line_id and key in self._seen:
            message = f"{line_id} has a row already, {self._seen[key]}"
            self._find(codes.SHEET_ROW, self._place(number, "id"), message, "delete one of them")
            return
        self._seen[key] = self._grid.place(number)
        if self._above[0] != pool:
            self._above = (pool, "")
        line = self._lines[pool].get(line_id)
        if line is None or variant > _variants_in(line):
            self._new(number, document, line_id, variant, cells)
            return
        self._stand(pool, line_id)
        self._cells(number, document, line, variant, cells)

    def _stand(self, pool: str, line_id: str) -> None:
        """Note where a line of the content stands, for new rows above and below it."""
        if not self._above[1]:
            added = self.plan.added
            for at in range(len(added) - 1, -1, -1):
                if added[at].pool != pool or added[at].above:
                    break
                added[at] = replace(added[at], below=added[at].below or line_id)
        self._above = (pool, line_id)

    def _reordered(self) -> Iterator[str]:
        """Yield the pools whose rows stand in another order than their lines."""
        rows: dict[str, list[str]] = {}
        for pool, line_id, variant in self._seen:
            if not variant and line_id in self._lines[pool]:
                rows.setdefault(pool, []).append(line_id)
        for pool, ids in sorted(rows.items()):
            there = set(ids)
            if ids != [line_id for line_id in self._lines[pool] if line_id in there]:
                yield pool

    def _pool(self, number: int, pool: str) -> Document | None:
        document = self._pools.get(pool) or self._homes.get(pool)
        if document is None:
            hint = did_you_mean(pool, self._pools, otherwise="the column pool, as it was exported")
            message = f"there is no pool {shown(pool)}"
            self._find(codes.SHEET_ROW, self._place(number, "pool"), message, hint)
            return None
        pool = document.file.key
        if pool not in self._lines:
            self._lines[pool] = {str(line["id"]): line for _, line in document.lines}
            self._former[pool] = dict(_former(document, self._lines[pool]))
        return document

    def _variant(self, number: int, cell: str) -> int | None:
        text = cell.strip()
        if text.isascii() and text.isdecimal() and int(text[:9]) <= VARIANTS_MAX:
            return int(text)
        if not text:
            return 0
        message = f"variant {shown(cell)} is no number of a variant"
        self._find(codes.SHEET_CELL, self._place(number, "variant"), message)
        return None

    def _cells(
        self,
        number: int,
        document: Document,
        line: Mapping[str, Any],
        variant: int,
        cells: dict[str, str],
    ) -> None:
        base = self._base(number, cells)
        current = cells_of(line, variant, tuple(self._columns.values()))
        for name, cell in cells.items():
            column = self._columns[name]
            if not column.is_editable:
                continue
            now = current.get(name, "")
            was = base.get(name, "") if base is not None and name in current else now
            cell = was if _is_as(cell, was) else now if _is_as(cell, now) else cell
            if cell in (was, now):
                continue
            place = self._place(number, name)
            value = self._value(place, document, variant, column, cell)
            if isinstance(value, _Refused) or cell_of(value, column) == now:
                continue  # refused, or the same in other words: blanks and commas of a list
            if len(cell) == CUT_CHARS < len(was) and was.startswith(cell):
                message = f"{name} was cut by the spreadsheet at {CUT_CHARS} characters"
                self._find(
                    codes.SHEET_CELL, place, message, "take the row out, or the whole text in"
                )
                continue
            change = CellChange(
                place=place, pool=document.file.key, line_id=str(line["id"]), variant=variant,
                column=name, before=now, after=cell, value=value,
            )  # fmt: skip
            if was == now:
                self.plan.changes.append(change)
            elif now != cell_of(value, column):
                self.plan.conflicts.append(Conflict(change=change, exported=was))

    def _base(self, number: int, cells: Mapping[str, str]) -> dict[str, str] | None:
        """Return what was exported; None where the sheet does not tell."""
        kept = cells.get(BASE, "")
        if not kept:
            return None
        base = unpack(kept)
        if base is None:
            message = f"{BASE} is not as it was exported"
            hint = "restore the cell, or empty it: then the sheet's values win wherever they differ"
            self._find(codes.SHEET_CELL, self._place(number, BASE), message, hint)
        elif has_told(cells) and base.get(TOLD, "") not in ("", told_mark(cells)):
            message = "a grey cell of the row was changed"
            place = self._grid.place(number)
            self._find(codes.SHEET_READ_ONLY, place, message, severity=Severity.WARNING)
        return base

    def _value(
        self, place: str, document: Document, variant: int, column: Column, cell: str
    ) -> Any:
        is_other = variant and column.name != "text"
        if cell and (is_other or document.file.kind not in column.kinds):
            what = "a further text" if is_other else f"{document.file.kind.value}"
            self._find(codes.SHEET_CELL, place, f"{column.name} is nothing that {what} has")
            return _Refused()
        try:
            return value_of(cell, column)
        except CellFault as fault:
            self._find(codes.SHEET_CELL, place, fault.message, fault.hint)
            return _Refused()

    def _new(
        self, number: int, document: Document, line_id: str, variant: int, cells: dict[str, str]
    ) -> None:
        place = self._place(number, "id")
        line = self._lines[document.file.key].get(line_id)
        if variant and (line is None or variant != self._next_variant(document, line_id, line)):
            message = f"variant {variant} does not follow those that {shown(line_id)} has"
            self._find(codes.SHEET_ROW, self._place(number, "variant"), message)
            return
        if line_id and line is None and cells.get(BASE):
            close = nearest(line_id, self._lines[document.file.key], count_max=1)
            hint = meant(close) or "it was exported and is gone since"
            self._find(
                codes.SHEET_ROW, place, f"there is no line {shown(line_id)} in the pool", hint
            )
            return
        values: dict[str, Any] = {}
        is_fine = True
        for name, column in self._columns.items():
            applies = column.name == "text" if variant else document.file.kind in column.kinds
            if not column.is_editable or (not applies and not cells.get(name)):
                continue
            if name in self._at and name not in cells:
                is_fine = False  # it is no text, which is told already
                continue
            cell = cells.get(name) or _default(document, column)
            value = self._value(self._place(number, name), document, variant, column, cell)
            is_fine = is_fine and not isinstance(value, _Refused)
            if value is not None:
                values[name] = value
        if is_fine:
            self.plan.added.append(NewRow(place=place, pool=document.file.key, line_id=line_id,
                                          variant=variant, cells=cells, values=values,
                                          above=self._above[1]))  # fmt: skip

    def _next_variant(self, document: Document, line_id: str, line: Mapping[str, Any]) -> int:
        added = sum(
            row.pool == document.file.key and row.line_id == line_id and row.variant > 0
            for row in self.plan.added
        )
        return _variants_in(line) + added + 1

    def _gone(self) -> Iterator[tuple[str, str, int]]:
        for pool, lines in self._lines.items():
            for line_id, line in lines.items():
                is_gone = (pool, line_id, 0) not in self._seen
                if is_gone:
                    yield pool, line_id, 0
                for variant in range(1, _variants_in(line) + 1):
                    if not is_gone and (pool, line_id, variant) not in self._seen:
                        yield pool, line_id, variant

    # -- findings

    def _place(self, number: int, column: str) -> str:
        return self._grid.place(number, self._at.get(column))

    def _find(
        self,
        code: str,
        place: str,
        message: str,
        hint: str = "",
        severity: Severity = Severity.ERROR,
    ) -> None:
        where = Where(file=self._grid.name, pointer=place)
        self.plan.problems.append(
            Problem(code=code, severity=severity, where=where, message=message, hint=hint)
        )


class _Refused:
    """No value; the finding stands already."""


def _is_as(cell: str, other: str) -> bool:
    """Return whether the two are equal but for line breaks as Windows writes them."""
    return cell == other or ("\r\n" in cell and cell.replace("\r\n", "\n") == other)


def _variants_in(line: Mapping[str, Any]) -> int:
    variants = line.get("variants")
    return len(variants) if isinstance(variants, list) else 0


def _default(document: Document, column: Column) -> str:
    return document.text("role") or "" if column.name == "role" else ""


def _former(document: Document, lines: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the former ids of the lines of *document* that no line has now."""
    pool = document.file.key
    for line_id, line in lines.items():
        aliases = line.get("aliases")
        for alias in aliases if isinstance(aliases, list) else ():
            path, _, former = key_of(pool, str(alias)).rpartition("#")
            if path == pool and former not in lines:
                yield former, line_id
