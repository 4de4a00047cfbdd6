"""What the word at a place names, or which field it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from talebearer.content._tree import ContentFile, FileKind
from talebearer.content.index._cursor import Cursor, CursorPath
from talebearer.content.index._shapes import NameKind, Shape, shape_of
from talebearer.content.index._symbols import plain

_DECLARED_AT: Mapping[tuple[FileKind, CursorPath], NameKind] = {
    (FileKind.FACTS, ("facts", None, "id")): NameKind.FACT,
    (FileKind.CONDITIONS, ("conditions", None, "id")): NameKind.CONDITION,
    (FileKind.STATE, ("counters", None, "id")): NameKind.COUNTER,
    (FileKind.STATE, ("timers", None, "id")): NameKind.TIMER,
    (FileKind.STATE, ("values", None, "id")): NameKind.VALUE,
    (FileKind.STATE, ("classes", None, "id")): NameKind.CLASS,
    (FileKind.DIALOGUE, ("lines", None, "id")): NameKind.LINE,
    (FileKind.MONOLOGUE, ("lines", None, "id")): NameKind.LINE,
    (FileKind.ENUM, ("values", None, "value")): NameKind.ENUM,
    (FileKind.ENUM, ("values", None, "fields", None, "name")): NameKind.FIELD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What stands at a place.

    Attributes:
        kind: What it names; None for a field of the file format.
        name: The name as the index has it, or the field.
        text: What is written.
        shape: The part of the schema that it belongs to.
        is_declaration: Whether it is declared here.
    """

    kind: NameKind | None
    name: str
    text: str
    shape: Shape
    is_declaration: bool = False


def thing_at(file: ContentFile, cursor: Cursor) -> Thing | None:
    """Return what the word under *cursor* in *file* is; None if nobody knows."""
    shape = shape_of(file.kind).at(cursor.path)
    if shape is None or not cursor.word:
        return None
    if cursor.is_key or (cursor.is_open and shape.fields and not shape.kind):
        return _key(cursor.word, shape)
    declared = _DECLARED_AT.get((file.kind, cursor.path))
    if declared is not None:
        name = plain(declared, cursor.word, enumeration=file.stem)
        return Thing(kind=declared, name=name, text=cursor.word, shape=shape, is_declaration=True)
    if file.kind is FileKind.PROFILE and cursor.path == ("name",):
        return Thing(
            kind=NameKind.NPC, name=file.stem, text=cursor.word, shape=shape, is_declaration=True
        )
    if shape.kind is None:
        return None
    name = plain(shape.kind, cursor.word, enumeration=shape.enumeration or "")
    return Thing(kind=shape.kind, name=name, text=cursor.word, shape=shape)


def _key(word: str, shape: Shape) -> Thing | None:
    if shape.key_kind is not None:
        name = plain(shape.key_kind, word, enumeration="characters")
        return Thing(kind=shape.key_kind, name=name, text=word, shape=shape)
    inner = shape.under(word)
    return None if inner is None else Thing(kind=None, name=word, text=word, shape=inner)
