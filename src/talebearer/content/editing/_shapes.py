"""What the schemas say about the order of fields, and which fields hold prose."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from talebearer.content._schemas import schema_of
from talebearer.content._tree import SCHEMA_OF, FileKind

PROSE = frozenset({"text", "variants", "description", "notes", "dual_lens"})
"""Fields that hold sentences: always quoted, lists of them one to a row."""


class Shape:
    """What a schema says about the value at one place."""

    def __init__(self, root: Mapping[str, Any], node: Mapping[str, Any]) -> None:
        self._root = root
        self._node = dict(node)
        self.definition = ""
        """Name of the definition that the schema refers to here, such as ``fact_id``."""
        while "$ref" in self._node:
            name = str(self._node.pop("$ref")).rpartition("/")[2]
            self.definition = self.definition or name
            self._node = {**root["$defs"][name], **self._node}
        self._parts: dict[str | None, Shape] = {}
        fields: Mapping[str, Any] = self._node.get("properties", {})
        self.rank = {name: at for at, name in enumerate(fields)}
        """Field to its place in the order; empty where the writer's order counts."""

    def part(self, key: str | None) -> Shape:
        """Return the shape of the field *key*, or for None of an entry of the list."""
        if key not in self._parts:
            self._parts[key] = Shape(self._root, self._inner(key))
        return self._parts[key]

    def _inner(self, key: str | None) -> Mapping[str, Any]:
        if key is None:
            found = self._node.get("items")
        else:
            more = self._node.get("additionalProperties")
            found = self._node.get("properties", {}).get(key, more)
        return found if isinstance(found, dict) else {}


@cache
def shape_of(kind: FileKind) -> Shape:
    """Return the shape of a whole file of *kind*."""
    schema = schema_of(SCHEMA_OF[kind])
    return Shape(schema, schema)
