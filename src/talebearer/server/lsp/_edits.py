"""Changes to files as an editor makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from lsprotocol import types

from talebearer.server.lsp._positions import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdits:
    """What changes in one file: nothing but *edits*, in the state *version* if it is open."""

    version: int | None
    edits: Sequence[types.TextEdit]


def workspace_edit(
    files: Mapping[str, FileEdits],
    *,
    versioned: bool,
    created: Sequence[str] = (),
    moved: Sequence[tuple[str, str]] = (),
) -> types.WorkspaceEdit:
    """Return the edits of *files* by name, with their versions where the editor knows of such.

    Before them files are *created*, and *moved* from one name to another; both take an editor that
    knows of versions.
    """
    if not versioned:
        return types.WorkspaceEdit(changes={uri: list(one.edits) for uri, one in files.items()})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile] = [
        types.CreateFile(uri=uri, options=types.CreateFileOptions(ignore_if_exists=True))
        for uri in created
    ]
    changes += [types.RenameFile(old_uri=old, new_uri=new) for old, new in moved]
    changes += [
        types.TextDocumentEdit(
            text_document=types.OptionalVersionedTextDocumentIdentifier(
                uri=uri, version=one.version
            ),
            edits=list(one.edits),
        )
        for uri, one in sorted(files.items())
    ]
    return types.WorkspaceEdit(document_changes=changes)


def differences(before: str, after: str, encoding: str) -> list[types.TextEdit]:
    """Return the edits that make *before* into *after*, one for each row that differs."""
    old, new = _rows(before), _rows(after)
    matcher = SequenceMatcher(None, old, new)
    found: list[types.TextEdit] = []
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if tag == "equal":
            continue
        if last - first == new_last - new_first:
            pairs = zip(range(first, last), new[new_first:new_last], strict=True)
            for row, wanted in pairs:
                found += _in_row(row, old[row], wanted, encoding)
            continue
        one = difference("".join(old[first:last]), "".join(new[new_first:new_last]), encoding)
        # The place is found in the rows alone, whose first is row *first* of the whole.
        for position in (one.range.start, one.range.end):
            position.line += first
        found.append(one)
    return found


def _rows(text: str) -> list[str]:
    """Return the rows of *text* with what ends them."""
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$", text)


def _in_row(row: int, before: str, after: str, encoding: str) -> Iterator[types.TextEdit]:
    """Yield the edit of one row."""
    if before != after:
        one = difference(before, after, encoding)
        for position in (one.range.start, one.range.end):
            position.line += row
        yield one


def difference(before: str, after: str, encoding: str) -> types.TextEdit:
    """Return the one edit that makes *before* into *after*; what they share at both ends stays."""
    start = _shared(before, after)
    most = min(len(before), len(after)) - start
    end = 0
    while end < most and before[len(before) - 1 - end] == after[len(after) - 1 - end]:
        end += 1
    # No position is between the two characters of one row break.
    if start and before[start - 1 : start + 1] == "\r\n":
        start -= 1
    last = len(before) - end
    if end and last and before[last - 1 : last + 1] == "\r\n":
        end -= 1
    text = Text(before, encoding)
    return types.TextEdit(
        range=types.Range(
            start=_at(before[:start], text), end=_at(before[: len(before) - end], text)
        ),
        new_text=after[start : len(after) - end],
    )


def _shared(before: str, after: str) -> int:
    most = min(len(before), len(after))
    return next((at for at in range(most) if before[at] != after[at]), most)


def _at(head: str, text: Text) -> types.Position:
    """Return the position after *head*, the beginning of *text*."""
    rows = Text(head, text.encoding).rows
    return text.position(len(rows), len(rows[-1]) + 1)
