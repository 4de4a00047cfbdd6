"""From what a sheet asks for to edits of the pools' YAML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from talebearer.content import _tree
from talebearer.content._rules import Document
from talebearer.content.editing import Change, Edits, LineIds
from talebearer.content.sheets._columns import LENS
from talebearer.content.sheets._plan import CellChange, NewRow
from talebearer.errors import EditRefused

_ORDER = (
    "id", "text", "variants", "role", "access", "trust", "situation", "topic", "mood", "trigger",
    "prerequisites", "knowledge_grant", "effects", "priority", "once", "cooldown", "class",
    "aliases", "tags", "dual_lens", "notes",
)  # fmt: skip


def changes_of(
    root: Path,
    documents: Sequence[Document],
    *,
    changed: Iterable[CellChange],
    added: Iterable[NewRow],
    gone: Iterable[tuple[str, str, int]],
    reordered: Collection[str] = (),
) -> tuple[list[Change], dict[str, str]]:
    """Return the files with all that is asked for, and the ids of the new lines by their cells.

    A new line stands below the line whose row is above its own, else above the one whose row is below;
    at the end of its pool where there is neither, or where the rows of the pool (one of *reordered*)
    stand in another order than its lines.

    Raises:
        EditRefused: A file cannot be changed in place, or has changed since *documents* were read (TB121).
        UsageFault: A character has no number left for a new line (TB111).
    """
    pools = {document.file.key: document for document in documents}
    work: defaultdict[str, _Work] = defaultdict(_Work)
    for change in changed:
        work[change.pool].cells[change.line_id, change.variant].append(change)
    for pool, line_id, variant in gone:
        work[pool].gone.append((line_id, variant))
    added = tuple(added)
    ids = LineIds(root) if any(not row.line_id for row in added) else None
    chosen = {row.line_id for row in added}
    given: dict[str, str] = {}
    for row in added:
        line_id = row.line_id
        while ids is not None and (not line_id or (not row.line_id and line_id in chosen)):
            line_id = ids.take(row.pool)
        given[row.place] = line_id
        work[row.pool].added.append((line_id, row))
    for pool in reordered:
        work[pool].is_reordered = True
    asked = sorted(pool for pool, one in work.items() if one.cells or one.gone or one.added)
    return [_change(pools[pool], work[pool]) for pool in asked], given


class _Work:
    """What is asked of one pool."""

    def __init__(self) -> None:
        self.cells: defaultdict[tuple[str, int], list[CellChange]] = defaultdict(list)
        self.gone: list[tuple[str, int]] = []
        self.added: list[tuple[str, NewRow]] = []
        self.is_reordered = False


def _change(document: Document, work: _Work) -> Change:
    file = document.file
    data, fault = _tree.read(file)
    if fault is not None:
        raise EditRefused(f"{file.name}: {fault.message}")
    edits = Edits(data, name=file.name)
    if edits.value != document.root:  # the lines may stand at other places by now
        raise EditRefused(
            f"{file.name} has changed since it was read", hint="run the command again"
        )
    at = {str(line.get("id")): index for index, line in document.lines}
    for (line_id, variant), cells in work.cells.items():
        _edit_line(edits, ("lines", at[line_id]), variant, cells)
    _remove(edits, at, work.gone)
    new: dict[str, tuple[int, dict[str, Any]]] = {}
    end = len(edits.get(("lines",)) or ())
    more: defaultdict[str, list[str]] = defaultdict(list)
    for line_id, row in work.added:
        if row.variant:
            more[line_id].append(row.values["text"])
        else:
            place = end if work.is_reordered else _place(row, at, end)
            new[line_id] = (place, _line(line_id, row.values))
    for line_id, texts in more.items():
        _add_variants(edits, ("lines", at[line_id]), texts)
    for place, line in new.values():
        edits.insert(("lines",), place, line)
    return Change(path=file.path, name=file.name, before=data, after=edits.data())


def _place(row: NewRow, at: Mapping[str, int], end: int) -> int:
    """Return the index before which the line of *row* comes."""
    if row.above:
        return at[row.above] + 1
    return at[row.below] if row.below else end


def _remove(edits: Edits, at: Mapping[str, int], gone: Sequence[tuple[str, int]]) -> None:
    """Take out lines and variants; the field goes with the last of its variants."""
    variants: defaultdict[str, list[int]] = defaultdict(list)
    for line_id, variant in gone:
        if variant:
            variants[line_id].append(variant)
        else:
            edits.remove(("lines", at[line_id]))
    for line_id, numbers in variants.items():
        path = ("lines", at[line_id], "variants")
        if len(numbers) == len(edits.get(path)):
            edits.remove(path)
            continue
        for number in numbers:
            edits.remove((*path, number - 1))


def _edit_line(
    edits: Edits, path: tuple[str | int, ...], variant: int, cells: Sequence[CellChange]
) -> None:
    if variant:
        for cell in cells:
            edits.replace((*path, "variants", variant - 1), cell.value)
        return
    lens = dict(edits.get((*path, "dual_lens")) or {})
    before = dict(lens)
    for cell in cells:
        if cell.column.startswith(LENS):
            lens[cell.column.removeprefix(LENS)] = cell.value
        else:
            _put(edits, path, cell.column, cell.value)
    lens = {name: text for name, text in lens.items() if text is not None}
    if lens != before:
        _put(edits, path, "dual_lens", lens or None)


def _put(edits: Edits, path: tuple[str | int, ...], field: str, value: Any) -> None:
    line = edits.get(path)
    if value is None:
        if field in line:
            edits.remove((*path, field))
    elif field in line:
        edits.replace((*path, field), value)
    else:
        edits.add(path, field, value, after=_ORDER[: _ORDER.index(field)])


def _add_variants(edits: Edits, path: tuple[str | int, ...], texts: list[str]) -> None:
    known = edits.get((*path, "variants"))
    if isinstance(known, list) and known:
        for text in texts:
            edits.insert((*path, "variants"), len(known), text)
    else:
        _put(edits, path, "variants", texts)


def _line(line_id: str, values: Mapping[str, Any]) -> dict[str, Any]:
    line: dict[str, Any] = {"id": line_id}
    lens = {n.removeprefix(LENS): value for n, value in values.items() if n.startswith(LENS)}
    for field in _ORDER:
        if field in values:
            line[field] = values[field]
        elif field == "dual_lens" and lens:
            line[field] = lens
    return line
