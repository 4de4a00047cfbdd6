"""A new line at the end of a pool, with the next free id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer.content import _tree
from talebearer.content._lint import Progress
from talebearer.content._rules import Document
from talebearer.content._tree import POOL_KINDS, FileKind
from talebearer.content.editing._edits import Edits
from talebearer.content.editing._ids import LineIds, find_pool
from talebearer.content.editing._shapes import shape_of
from talebearer.content.editing._tree import Revision
from talebearer.content.editing._write import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLine:
    """A line that is not written yet.

    Attributes:
        pool: The path of its pool.
        id: Its id.
        change: What becomes of the pool's file.
    """

    pool: str
    id: str
    change: Change


def new_line(
    root: Path,
    pool: str,
    fields: Mapping[str, Any],
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> NewLine:
    """Return *pool* with one more line, which holds *fields* and the next free id.

    The rest of the file keeps every byte. A line of dialogue has the pool's role unless *fields*
    names one. Nothing is written.

    Args:
        root: The content folder.
        pool: The pool's path, or the end of it.
        fields: The fields of the line besides its id; None is left out.
        cache: A folder that remembers what was parsed; it is only read.
        progress: Called with (stage, files done, files in all).

    Raises:
        UnknownReference: There is no such pool, or several (TB113).
        UsageFault: No number is left (TB111).
        EditRefused: The file is laid out so that nothing can be added to it (TB121).
        InvalidContent: The line would have errors; all are in ``data["problems"]`` (TB106).
    """
    revision = Revision(root, cache=cache, progress=progress)
    checked = revision.now()
    pools = {d.file.key: d for d in checked.documents if d.file.kind in POOL_KINDS}
    document = pools[find_pool(pool, pools)]
    line_id = LineIds(root, checked).take(document.file.key)
    data, _ = _tree.read(document.file)
    change = Change(
        name=document.file.name,
        path=document.file.path,
        before=data,
        after=_added(document, data, _line(document, line_id, fields)),
    )
    revision.bar((change,), what=f"line {line_id}")
    return NewLine(pool=document.file.key, id=line_id, change=change)


def _line(document: Document, line_id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    line = {"id": line_id, **{name: part for name, part in fields.items() if part is not None}}
    if document.file.kind is FileKind.DIALOGUE and "role" in document.root:
        line.setdefault("role", document.root["role"])
    rank = shape_of(document.file.kind).part("lines").part(None).rank
    return dict(sorted(line.items(), key=lambda item: rank.get(item[0], len(rank))))


def _added(document: Document, data: bytes, line: dict[str, Any]) -> bytes:
    edits = Edits(data, name=document.file.name)
    lines = edits.get(("lines",))
    if isinstance(lines, list):
        edits.insert(("lines",), len(lines), line)
    elif "lines" in edits.value:
        edits.replace(("lines",), [line])
    else:
        edits.add((), "lines", [line])
    return edits.data()
