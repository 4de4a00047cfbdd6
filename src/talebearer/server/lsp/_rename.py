"""Renaming a fact across the tree."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from talebearer.content.index import NameKind, Place, thing_at
from talebearer.server.lsp._edits import FileEdits, workspace_edit
from talebearer.server.lsp._names import places_of, spot
from talebearer.server.lsp._server import Asked
from talebearer.vocabulary import FACT_ID, fullmatch

_FROM_PLAY = ("interaction", "gossip")


class RenameRefused(JsonRpcException):
    """What cannot be renamed so; the editor shows the message."""

    CODE = JsonRpcInvalidParams.CODE
    MESSAGE = "the fact cannot be renamed"


def prepared(asked: Asked) -> types.PrepareRenamePlaceholder | None:
    """Return the range and the name of the fact at the place; None if it is none."""
    thing = thing_at(asked.file, asked.cursor)
    if thing is None or thing.kind is not NameKind.FACT:
        return None
    return types.PrepareRenamePlaceholder(range=asked.word_range, placeholder=thing.text)


def renamed(asked: Asked, new: str, *, versioned: bool) -> types.WorkspaceEdit | None:
    """Return the edits that call the fact at the place *new* everywhere, plans along.

    Raises:
        RenameRefused: *new* is no id of the same category, or is taken; or a file that has the
            fact cannot be read just now, so that nobody knows where it stands.
    """
    found = places_of(asked)
    if found is None or found[0].kind is not NameKind.FACT:
        return None
    old = found[0].name
    _check(asked, old, new)
    files: dict[str, FileEdits] = {}
    by_file: dict[str, list[Place]] = {}
    for place in found[1]:
        by_file.setdefault(place.file.name, []).append(place)
    for name, places in by_file.items():
        file = places[0].file
        if not asked.analysis.is_current(name):
            raise RenameRefused(f"{name} has faults of YAML; correct them first")
        ranges = [one for place in places if (one := spot(asked.folder, place)) is not None]
        edits = [types.TextEdit(range=one, new_text=new) for one in ranges]
        version = asked.folder.version_of(file)
        files[asked.folder.uri_of(file)] = FileEdits(version=version, edits=edits)
    return workspace_edit(files, versioned=versioned)


def _check(asked: Asked, old: str, new: str) -> None:
    if not fullmatch(FACT_ID, new):
        raise RenameRefused(
            f"{new!r} is no fact id: category.topic, such as places.lighthouse_dark"
        )
    category = old.partition(".")[0]
    if category in _FROM_PLAY:
        raise RenameRefused(f"facts of category {category} come from play and keep their names")
    if new.partition(".")[0] != category:
        raise RenameRefused(f"{new!r} is not of category {category!r}, whose file declares it")
    if new != old and new in asked.analysis.symbols.names(NameKind.FACT):
        raise RenameRefused(f"there is a fact {new!r} already")
