"""Changes to files as an editor makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsprotocol import types

from talebearer.server.lsp._positions import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdits:
    """What changes in one file: nothing but *edits*, in the state *version* if it is open."""

    version: int | None
    edits: Sequence[types.TextEdit]


def workspace_edit(
    files: Mapping[str, FileEdits], *, versioned: bool, created: Sequence[str] = ()
) -> types.WorkspaceEdit:
    """Return the edits of *files* by name, with their versions where the editor knows of such.

    The files *created* are made first, which takes an editor that knows of versions.
    """
    if not versioned:
        return types.WorkspaceEdit(changes={uri: list(one.edits) for uri, one in files.items()})
    changes: list[types.TextDocumentEdit | types.CreateFile] = [
        types.CreateFile(uri=uri, options=types.CreateFileOptions(ignore_if_exists=True))
        for uri in created
    ]
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


def difference(before: str, after: str, encoding: str) -> types.TextEdit:
    """Return the one edit that makes *before* into *after*; what they share at both ends stays."""
    start = _shared(before, after)
    most = min(len(before), len(after)) - start
    end = 0
    while end < most and before[len(before) - 1 - end] == after[len(after) - 1 - end]:
        end += 1
    while start and before[start - 1 : start + 1] == "\r\n":
        start -= 1  # no position is between the two
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
