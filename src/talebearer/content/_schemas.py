"""The JSON Schemas of authored files: shipped with the default enumerations, and made to fit.

Each shipped file holds what is its own; definitions that several share stand once in
``shared.json``, and :func:`schema_of` puts the two together. The ``$defs`` named in
:data:`DEFINITIONS` list the values of the enumerations that a campaign owns; for a campaign they
are replaced by what its own files declare, both for checking and for the copies that its editors
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import jsonschema_rs

SCHEMAS: tuple[str, ...] = (
    "campaign",
    "conditions",
    "coverage",
    "dialogue-pool",
    "enum",
    "fact-catalog",
    "monologue-pool",
    "npc-profile",
    "plan",
    "player",
    "state",
)
"""Names of the shipped schemas; each is the file ``{name}.schema.json``."""

DEFINITIONS: Mapping[str, str] = {
    "access": "access",
    "trust": "trust",
    "situation": "situations",
    "topic": "topics",
    "mood": "moods",
    "trigger": "triggers",
    "character": "characters",
}
"""Definition of a schema to the enumeration whose values it lists."""


_REFERENCE = "#/$defs/"


@cache
def _shipped(name: str) -> str:
    folder = resources.files("talebearer.content") / "schemas"
    return (folder / name).read_text(encoding="utf-8")


@cache
def _whole(name: str) -> str:
    """Return the schema *name* with every definition that it refers to, as JSON."""
    schema: dict[str, Any] = json.loads(_shipped(f"{name}.schema.json"))
    shared: dict[str, Any] = json.loads(_shipped("shared.json"))["$defs"]
    own: dict[str, Any] = schema.setdefault("$defs", {})
    wanted = set(_references(schema)) - set(own)
    found: dict[str, Any] = {}
    while wanted:
        definition = wanted.pop()
        found[definition] = shared[definition]
        wanted |= set(_references(shared[definition])) - set(own) - set(found)
    own.update({definition: found[definition] for definition in shared if definition in found})
    return json.dumps(schema)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str):
            yield target.removeprefix(_REFERENCE)
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for part in parts:
        yield from _references(part)


def schema_of(name: str) -> dict[str, Any]:
    """Return the schema *name*, one of :data:`SCHEMAS`, with the default enumerations.

    Raises:
        KeyError: There is no such schema.
    """
    if name not in SCHEMAS:
        raise KeyError(name)
    schema: dict[str, Any] = json.loads(_whole(name))
    return schema


def specialised(name: str, values: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the schema *name* with the campaign's own *values* (enumeration to values)."""
    schema = schema_of(name)
    for definition, enumeration in DEFINITIONS.items():
        if definition in schema["$defs"]:
            schema["$defs"][definition]["enum"] = list(values[enumeration])
    return schema


class Checker:
    """One schema, ready to check many values."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self._validator = jsonschema_rs.Draft202012Validator(schema)

    def errors(self, value: Any) -> list[jsonschema_rs.ValidationError]:
        """Return everything in *value* that the schema refuses."""
        return list(self._validator.iter_errors(value))

    def node(self, path: Sequence[str | int]) -> Any:
        """Return the part of the schema at *path*."""
        node: Any = self.schema
        for part in path:
            node = node[part]
        return node


def checker_for(name: str, values: Mapping[str, Sequence[str]]) -> Checker:
    """Return the schema *name* with the campaign's own *values*, ready to check.

    Making one ready takes longer than checking a small file, so the last ones are kept.
    """
    return _ready(name, tuple((enumeration, tuple(words)) for enumeration, words in values.items()))


@lru_cache(maxsize=4 * len(SCHEMAS))
def _ready(name: str, values: tuple[tuple[str, tuple[str, ...]], ...]) -> Checker:
    return Checker(specialised(name, dict(values)))


def schema_texts(values: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the file of every schema, made to fit *values*, by its name."""
    return {
        f"{name}.schema.json": json.dumps(specialised(name, values), indent=2, ensure_ascii=False)
        + "\n"
        for name in SCHEMAS
    }


def schema_fits(found: str, wanted: str) -> bool:
    """Return whether the schema *found* is *wanted*, whatever names either offers."""
    if found == wanted:
        return True
    try:
        bare = [_without_examples(json.loads(text)) for text in (found, wanted)]
    except (ValueError, RecursionError):
        return False
    return bool(bare[0] == bare[1])


def _without_examples(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: _without_examples(part) for name, part in node.items() if name != "examples"}
    return [_without_examples(part) for part in node] if isinstance(node, list) else node
