"""Where content names facts, characters, locations, roles and lines, by what the schemas say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from talebearer.content._findings import ValuePath
from talebearer.content._tree import FileKind
from talebearer.content.editing._shapes import Shape, shape_of

_LISTS_OF_LINES = ("one_of", "eligible", "never")
_LINE_FIELDS = ("line", "says")
_CHARACTERS = ("character", "speaker", "npcs")
_LOCATIONS = ("location", "place", "places")


@dataclass(frozen=True, slots=True)
class Reference:
    """A word that names something.

    Attributes:
        kind: ``fact``, ``npc``, ``location``, ``role`` or ``line``.
        name: What it names; of a character the slug.
        path: Where it stands.
        prefix: What stands before the name in the word, such as ``npc:``.
        is_key: Whether it is the key at the end of the path and not the value.
    """

    kind: str
    name: str
    path: ValuePath
    prefix: str = ""
    is_key: bool = False


def references(value: Any, kind: FileKind) -> Iterator[Reference]:
    """Yield every name in *value*, a whole file of *kind*, that means something elsewhere.

    Names that a file declares (ids of its lines and facts) are none, nor are former names.
    """
    pending: list[tuple[Any, Shape, ValuePath, str]] = [(value, shape_of(kind), (), "")]
    while pending:
        node, shape, path, field = pending.pop()
        if isinstance(node, dict):
            for key, part in node.items():
                if field == "dropped":
                    yield Reference("line", key, (*path, key), is_key=True)
                elif key not in ("formerly", "aliases"):
                    pending.append((part, shape.part(key), (*path, key), key))
        elif isinstance(node, list):
            pending += [(one, shape.part(None), (*path, at), field) for at, one in enumerate(node)]
        elif isinstance(node, str):
            yield from _named(node, shape.definition, path, field)


def _named(word: str, definition: str, path: ValuePath, field: str) -> Iterator[Reference]:
    if definition == "fact_id":
        yield Reference("fact", word, path)
    elif definition == "entity_ref":
        prefix, colon, slug = word.rpartition(":")
        if prefix == "npc":
            yield Reference("npc", slug, path, prefix + colon)
    elif definition == "slug" and field in _CHARACTERS:
        yield Reference("npc", word, path)
    elif definition == "slug" and field in _LOCATIONS:
        yield Reference("location", word, path)
    elif definition == "slug" and field in ("role", "roles"):
        yield Reference("role", word, path)
    elif field == "mind" and word.startswith("npc:"):
        yield Reference("npc", word[4:], path, "npc:")
    elif _names_a_line(definition, path, field):
        yield Reference("line", word, path)


def _names_a_line(definition: str, path: ValuePath, field: str) -> bool:
    if field in _LISTS_OF_LINES:
        return isinstance(path[-1], int)
    return field in _LINE_FIELDS and definition == ""
