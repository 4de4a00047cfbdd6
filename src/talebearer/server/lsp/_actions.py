"""Quick fixes: the suggestion of a finding put in place, a fact declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from talebearer.content import facts_added, missing_in
from talebearer.errors import UsageFault
from talebearer.errors import findings_content as codes
from talebearer.server.lsp._diagnostics import Shown
from talebearer.server.lsp._edits import FileEdits, difference, workspace_edit
from talebearer.server.lsp._folder import Document, Folder
from talebearer.server.lsp._roots import uri_of

_MEANT = re.compile(r"did you mean (.+?)\?")
_HINT_IS_ALL = (codes.WRONG_LETTER, codes.CATEGORY_MISMATCH, codes.LOCATION_MISMATCH)
_FACTS = ("global", "knowledge")


def actions(
    folder: Folder, document: Document, asked: types.Range, *, versioned: bool, creates: bool
) -> list[types.CodeAction]:
    """Return the quick fixes of the findings that touch the range *asked*."""
    told = folder.told.get(document.uri)
    if told is None or told.version != document.version:
        return []
    found: list[types.CodeAction] = []
    for one in told.shown:
        if _touches(one.diagnostic.range, asked):
            found += _suggested(document, one, versioned=versioned)
            if one.problem.code == codes.UNKNOWN_FACT:
                found += _declared(folder, document, one, versioned=versioned, creates=creates)
    return found


def _touches(one: types.Range, other: types.Range) -> bool:
    starts, ends = (_key(one.start), _key(other.start)), (_key(one.end), _key(other.end))
    return starts[0] <= ends[1] and starts[1] <= ends[0]


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def _written(document: Document, place: types.Range) -> str:
    """Return what stands in *place*, which is in one row."""
    (row, start), (last, end) = document.text.place(place.start), document.text.place(place.end)
    return document.text.rows[row][start : end if row == last else None]


def _suggested(document: Document, one: Shown, *, versioned: bool) -> Iterator[types.CodeAction]:
    """Yield one fix for each word that the finding suggests; the first is the preferred one."""
    problem, place = one.problem, one.diagnostic.range
    written = _written(document, place)
    quote = written[:1] if written[:1] in ("'", '"') else ""
    match = _MEANT.search(problem.hint)
    meant = match[1] if match else problem.hint if problem.code in _HINT_IS_ALL else ""
    for number, word in enumerate(meant.split(" or ") if meant else ()):
        is_reference = written.strip("\"'").startswith("npc:") and not word.startswith("npc:")
        new = f"{quote}{'npc:' if is_reference else ''}{word}{quote}"
        edits = [types.TextEdit(range=place, new_text=new)]
        files = {document.uri: FileEdits(version=document.version, edits=edits)}
        yield types.CodeAction(
            title=f"Change to {word}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[one.diagnostic],
            is_preferred=number == 0,
            edit=workspace_edit(files, versioned=versioned),
        )


def _declared(
    folder: Folder, document: Document, one: Shown, *, versioned: bool, creates: bool
) -> Iterator[types.CodeAction]:
    """Yield the fix that declares the fact in the catalogue of its category."""
    fact_id = _written(document, one.diagnostic.range).strip("\"'")
    if folder.analysis is None:
        return
    missing = [fact for fact in missing_in(folder.analysis.checked) if fact.id == fact_id]
    if not missing:
        return
    path = Path(*_FACTS, f"{missing[0].category}.yaml")
    file = folder.analysis.file_at(folder.real / path)
    if file is None and ((folder.real / path).exists() or not (creates and versioned)):
        return
    before = _content(folder, folder.real / path, None if file is None else file.name)
    try:
        after = facts_added(before, str(path), missing)
    except UsageFault:
        return  # the catalogue has faults of its own, which are findings already
    text = (before or b"").decode("utf-8")
    edit = difference(text, after.decode("utf-8"), document.text.encoding)
    uri = uri_of(folder.root / path) if file is None else folder.uri_of(file)
    version = None if file is None else folder.version_of(file)
    yield types.CodeAction(
        title=f"Declare the fact {fact_id} in {path.as_posix()}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[one.diagnostic],
        edit=workspace_edit(
            {uri: FileEdits(version=version, edits=[edit])},
            versioned=versioned,
            created=[uri] if file is None else [],
        ),
    )


def _content(folder: Folder, path: Path, name: str | None) -> bytes | None:
    """Return the bytes of the catalogue at *path* as the editor has them; None if there is none."""
    if name is None or folder.analysis is None:
        return None
    document = folder.documents.get(path)
    if document is not None:
        return document.content.encode("utf-8", "surrogatepass")
    return (folder.analysis.texts.get(name) or "").encode("utf-8")
