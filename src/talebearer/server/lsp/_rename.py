"""Renaming across the tree, by what ``talebearer rename`` does, on what is open."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types

from talebearer.content.editing import Change, Renaming, rename
from talebearer.content.index import NameKind, Thing, thing_at
from talebearer.errors import InvalidContent, TalebearerError
from talebearer.server.lsp._edits import FileEdits, differences, workspace_edit
from talebearer.server.lsp._folder import Document, Folder
from talebearer.server.lsp._roots import uri_of
from talebearer.server.lsp._server import Asked, Refused

_KINDS = {
    NameKind.FACT: "fact",
    NameKind.LINE: "line",
    NameKind.NPC: "npc",
    NameKind.PLACE: "location",
    NameKind.ROLE: "role",
}


class RenameRefused(Refused):
    """What cannot be renamed so; the editor shows the message."""

    MESSAGE = "that cannot be renamed"


def prepared(asked: Asked) -> types.PrepareRenamePlaceholder | None:
    """Return the range and the name at the place; None if it is none that can be renamed."""
    thing = _renamable(asked)
    if thing is None:
        return None
    place = asked.word_range
    start = place.end.character - len(thing.name)  # npc: and pool/path# stay
    start_at = types.Position(line=place.start.line, character=start)
    return types.PrepareRenamePlaceholder(
        range=types.Range(start=start_at, end=place.end), placeholder=thing.name
    )


def _renamable(asked: Asked) -> Thing | None:
    thing = thing_at(asked.file, asked.cursor)
    if thing is None or thing.kind not in _KINDS:
        return None
    # A profile's name is shown to people; what it is called by is its file.
    return None if thing.is_declaration and thing.kind is NameKind.NPC else thing


def renamed(asked: Asked, new: str, *, versioned: bool, moves: bool) -> types.WorkspaceEdit | None:
    """Return the edits that call the thing at the place *new* everywhere, plans along.

    Args:
        asked: The place.
        new: The name to be.
        versioned: Whether the editor knows of versions of files.
        moves: Whether it can move files, which characters, locations and roles take.

    Raises:
        RenameRefused: The name cannot be, or a file that may have it cannot be read just now.
    """
    thing = _renamable(asked)
    if thing is None or thing.kind is None:
        return None
    folder, documents = asked.folder, dict(asked.folder.documents)
    with tempfile.TemporaryDirectory(prefix="talebearer-") as home:
        copy = Path(home).resolve() / folder.real.name
        before = _copied(asked, documents, copy)
        try:
            found = rename(copy, _KINDS[thing.kind], _old(asked, thing), new.removeprefix("npc:"))
        except InvalidContent as error:
            first = error.data["problems"][0]
            raise RenameRefused(f"{error.message}: {first['message']}") from error
        except TalebearerError as error:
            hint = f" ({error.hint})" if error.hint else ""
            raise RenameRefused(f"{error.message}{hint}") from error
    if found.moves and not (moves and versioned):
        raise RenameRefused(
            f"files have to move, which this editor cannot; run: "
            f"talebearer rename {found.kind} {found.old} {found.new}"
        )
    return _edit(folder, found, documents, before, versioned=versioned)


def _old(asked: Asked, thing: Thing) -> str:
    """Return what is renamed, of a line the pool along."""
    if thing.kind is not NameKind.LINE:
        return thing.name
    pool = asked.file.key
    line = None if thing.is_declaration else asked.analysis.symbols.line(thing.text, pool)
    return f"{line[0].file.key if line else pool}#{thing.name}"


def _copied(asked: Asked, documents: Mapping[Path, Document], copy: Path) -> dict[str, bytes]:
    """Put the tree as the editor has it below *copy*, and return its files by name."""
    found = {}
    for name, file in asked.analysis.files.items():
        document = documents.get(file.path)
        if document is not None:
            data = document.content.encode("utf-8", "surrogatepass")
        else:
            try:
                data = file.path.read_bytes()
            except OSError:
                continue
        path = copy / file.path.relative_to(asked.folder.real)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        found[name] = data
    return found


def _edit(
    folder: Folder,
    found: Renaming,
    documents: Mapping[Path, Document],
    before: Mapping[str, bytes],
    *,
    versioned: bool,
) -> types.WorkspaceEdit:
    """Return what *found* comes to: files that move first, then what changes in each."""
    moved = {new: old for old, new in found.moves}
    files: dict[str, FileEdits] = {}
    for change in found.changes:
        if change.after is None:
            continue
        path = _path(folder, change)
        origin = moved.get(change.name, change.name)
        document = documents.get(path)
        edits = differences(
            before[origin].decode("utf-8"), change.after.decode("utf-8"), folder.encoding
        )
        is_open = document is not None and origin == change.name
        uri = document.uri if document is not None and is_open else _uri(folder, change.name)
        version = document.version if document is not None and is_open else None
        if edits:
            files[uri] = FileEdits(version=version, edits=edits)
    renames = [(_uri(folder, old), _uri(folder, new)) for old, new in found.moves]
    return workspace_edit(files, versioned=versioned, moved=renames)


def _path(folder: Folder, change: Change) -> Path:
    return folder.real / change.name.partition("/")[2]


def _uri(folder: Folder, name: str) -> str:
    path = Path(name.partition("/")[2])
    document = folder.documents.get(folder.real / path)
    return document.uri if document else uri_of(folder.root / path)
