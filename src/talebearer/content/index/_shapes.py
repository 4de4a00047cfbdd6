"""What kind of name each value of an authored file is, from the schemas that check the files.

A shape is a part of a schema with its references followed. Where names of one kind are written in
fields of their own, such as ``timer``, the field decides; else the definition that the schema
refers to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, cached_property
from typing import Any

from talebearer.content._schemas import DEFINITIONS, schema_of
from talebearer.content._tree import SCHEMA_OF, FileKind


class NameKind(StrEnum):
    """What a name in an authored file names."""

    FACT = "fact"
    LINE = "line"
    NPC = "character"
    COUNTER = "counter"
    TIMER = "timer"
    VALUE = "value"
    CLASS = "class"
    CONDITION = "condition"
    PLACE = "location"
    ROLE = "role"
    FIELD = "event field"
    ENUM = "word"
    """A word of one of the campaign's enumerations; its shape says of which."""


_BY_FIELD = {
    "counter": NameKind.COUNTER,
    "timer": NameKind.TIMER,
    "value": NameKind.VALUE,
    "class": NameKind.CLASS,
    "interrupts": NameKind.CLASS,
    "excluded_by": NameKind.CLASS,
    "conditions": NameKind.CONDITION,
}
_SLUGS = {
    "location": NameKind.PLACE,
    "place": NameKind.PLACE,
    "places": NameKind.PLACE,
    "role": NameKind.ROLE,
    "speaker": NameKind.NPC,
    "character": NameKind.NPC,
    "npcs": NameKind.NPC,
}
_LINES = ("line", "says", "one_of", "eligible", "never")
_LINE_KEYS = ("dropped",)


_Made = dict[tuple[int, str], "Shape"]
"""Identity of a part of one schema, and the field it is in, to its shape."""


class Shape:
    """One part of a schema.

    Attributes:
        kind: What a text here names; None when it names nothing.
        enumeration: The campaign's enumeration that lists the words, of kind ENUM.
        key_kind: What the keys name, of a mapping that has no fixed ones.
        node: The part of the schema, references followed; outer members go before inner ones.
    """

    def __init__(
        self, schema: dict[str, Any], node: dict[str, Any], field: str, made: _Made
    ) -> None:
        self._schema = schema
        self._made = made
        self.field = field
        self.node, definition = _resolved(schema, node)
        self.enumeration = DEFINITIONS.get(definition)
        self.kind = _kind(definition, field, self.node)
        self.key_kind = _key_kind(field, self.node)
        self._fields: dict[str, Shape | None] = {}
        self._items: Shape | None = None

    @property
    def description(self) -> str:
        """What the field is for, for writers."""
        found: str = self.node.get("description", "")
        return found

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it takes, where they are listed."""
        return tuple(word for word in self.node.get("enum", ()) if isinstance(word, str))

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types that it takes; empty where the schema does not say."""
        found = self.node.get("type", ())
        return (found,) if isinstance(found, str) else tuple(found)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fixed keys that it has as a mapping, with their schemas."""
        found: Mapping[str, Any] = self.node.get("properties", {})
        return found

    def under(self, key: str) -> Shape | None:
        """Return the shape of the value under *key*; None where the schema knows none."""
        if key not in self._fields:
            node = self.fields.get(key)
            if node is None:
                more = self.node.get("additionalProperties")
                node = more if isinstance(more, dict) else None
            self._fields[key] = None if node is None else self._part(node, key)
        return self._fields[key]

    @property
    def items(self) -> Shape | None:
        """The shape of an item, of a list."""
        if self._items is None and isinstance(self.node.get("items"), dict):
            self._items = self._part(self.node["items"], self.field)
        return self._items

    def _part(self, node: dict[str, Any], field: str) -> Shape:
        """Return the shape of *node*; conditions hold conditions, so each is made once."""
        key = (id(node), field)
        if key not in self._made:
            self._made[key] = Shape(self._schema, node, field, self._made)
        return self._made[key]

    def tells(self, *, words: bool) -> bool:
        """Return whether anything here may name something, a word of an enumeration if *words*."""
        return self._tells if words else self._tells_names

    @cached_property
    def _tells(self) -> bool:
        if self.kind is not None or self.key_kind is not None:
            return True
        if self.items is not None:
            return self.items.tells(words=True)
        return bool(self.fields)

    @cached_property
    def _tells_names(self) -> bool:
        if self.kind is NameKind.ENUM or (self.kind is None and self.items is None):
            return self.kind is None and self._tells and self.field != "dual_lens"
        return self.kind is not None or (self.items is not None and self.items.tells(words=False))

    def at(self, path: tuple[str | int | None, ...]) -> Shape | None:
        """Return the shape of the value at *path*; numbers and None are places in lists."""
        found: Shape | None = self
        for part in path:
            if found is None:
                return None
            found = found.under(part) if isinstance(part, str) else found.items
        return found


@cache
def shape_of(kind: FileKind) -> Shape:
    """Return the shape of the whole of a file of *kind*, with the default enumerations."""
    schema = schema_of(SCHEMA_OF[kind])
    return Shape(schema, schema, "", {})


def _resolved(schema: dict[str, Any], node: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return *node* with what it refers to, and the name of the last definition on the way."""
    definition = ""
    merged = dict(node)
    while "$ref" in merged:
        name = merged.pop("$ref").rpartition("/")[2]
        definition = name
        merged = {**schema["$defs"][name], **merged}
    return merged, definition


def _kind(definition: str, field: str, node: dict[str, Any]) -> NameKind | None:
    if definition in DEFINITIONS:
        return NameKind.ENUM
    if definition == "fact_id":
        return NameKind.FACT
    if definition == "entity_ref":
        return NameKind.NPC
    if definition == "name":
        return _BY_FIELD.get(field)
    if definition == "slug":
        return _SLUGS.get(field)
    if field in _LINES and node.get("type") == "string":
        return NameKind.LINE
    return None


def _key_kind(field: str, node: dict[str, Any]) -> NameKind | None:
    if "properties" in node:
        return None
    if field == "event":
        return NameKind.FIELD
    if field == "dual_lens":
        return NameKind.ENUM
    return NameKind.LINE if field in _LINE_KEYS else None


Found = tuple[tuple[str | int, ...], Shape, str, bool]
"""Path, shape, text of a name, and whether it is a key; its path ends in it then."""


def names_in(value: Any, shape: Shape, *, words: bool) -> Iterator[Found]:
    """Yield everything in *value* that names something, words of enumerations only if asked."""
    pending: list[tuple[tuple[str | int, ...], Any, Shape]] = [((), value, shape)]
    while pending:
        path, node, at = pending.pop()
        if isinstance(node, str):
            if at.kind is not None:
                yield path, at, node, False
        elif isinstance(node, dict):
            if at.key_kind is not None:
                yield from (((*path, key), at, key, True) for key in node if isinstance(key, str))
            for key, part in node.items():
                inner = at.under(str(key))
                if inner is not None and inner.tells(words=words):
                    pending.append(((*path, key), part, inner))
        elif isinstance(node, list):
            inner = at.items
            if inner is not None and inner.tells(words=words):
                pending += [((*path, number), part, inner) for number, part in enumerate(node)]
