"""The page of all fields of authored files, from their JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from talebearer.content import SCHEMAS, schema_of

OPERATORS = {"=", "!=", "<", "<=", ">", ">="}
FILES = {
    "campaign": "campaign.toml",
    "conditions": "content/global/conditions.yaml",
    "coverage": "content/global/coverage.yaml",
    "dialogue-pool": "content/.../dialogue/PLACE/FILE.yaml",
    "enum": "content/global/enums/NAME.yaml",
    "fact-catalog": "content/global/knowledge/CATEGORY.yaml",
    "monologue-pool": "content/.../monologue/CHARACTER/FILE.yaml",
    "npc-profile": "content/global/npcs/SLUG.yaml",
    "plan": "content/.../NAME.plan.yaml",
    "player": "FILE.yaml, for `talebearer simulate --player FILE`",
    "state": "content/global/state.yaml",
}


def page(note: str) -> str:
    """Return the page: a table a file, then one a shared part."""
    parts = [
        note,
        "# Fields of authored files\n\nFrom the schemas that `talebearer schemas` writes. "
        "A field in bold is needed.\n",
    ]
    shared: dict[str, Any] = {}
    every: dict[str, Any] = {}
    for name in SCHEMAS:
        schema = schema_of(name)
        parts.append(f"\n## {schema['title']}\n\n`{FILES[name]}`. {schema['description']}\n\n")
        definitions = schema.get("$defs", {})
        every |= definitions
        parts.append(_table(schema, definitions))
        for definition, part in definitions.items():
            if definition == "line":
                parts.append(
                    f"\n### A line of a {schema['title'].lower()}\n\n{_table(part, definitions)}"
                )
            elif "properties" in part:
                shared[definition] = part
    parts.append("\n# Shared parts\n")
    for name, part in sorted(shared.items()):
        parts.append(f"\n## {name}\n\n{part['description']}\n\n{_table(part, every)}")
    return "".join(parts)


def _table(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    needed = schema.get("required", ())
    rows = [
        f"| {f'**`{path}`**' if path in needed else f'`{path}`'} | {_kind(part)} "
        f"| {_meaning(part, definitions)} |\n"
        for path, part in _fields(schema)
        if path not in OPERATORS
    ]
    if set(schema.get("properties", ())) >= OPERATORS:
        rows.append(
            '| `"="` `"!="` `"<"` `"<="` `">"` `">="` | text, number or flag | A comparison. |\n'
        )
    return "| field | kind | meaning |\n|---|---|---|\n" + "".join(rows)


def _meaning(part: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "description" in part:
        return str(part["description"])
    name = str(part.get("$ref", part.get("items", {}).get("$ref", ""))).rpartition("/")[2]
    return str(definitions.get(name, {}).get("description", ""))


def _fields(schema: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every field with its path; the entries of lists and tables are gone into."""
    for name, part in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield path, part
        if "$ref" in part or name in OPERATORS:
            continue
        yield from _fields(part, f"{path}.")
        items = part.get("items", {})
        if isinstance(items, dict) and "$ref" not in items:
            yield from _fields(items, f"{path}[].")


def _kind(part: dict[str, Any]) -> str:
    if "$ref" in part:
        return f"`{part['$ref'].rpartition('/')[2]}`"
    kinds = part.get("type", "text")
    kind = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    names = {"string": "text", "boolean": "flag", "object": "mapping", "array": "list"}
    kind = " or ".join(names.get(word, word) for word in kind.split(" or "))
    if "enum" in part:
        return " or ".join(f"`{word}`" for word in part["enum"])
    if "const" in part:
        return f"`{str(part['const']).lower()}`"
    if "items" in part and "$ref" in part["items"]:
        kind += f" of `{part['items']['$ref'].rpartition('/')[2]}`"
    if "minimum" in part and "maximum" in part and part["maximum"] < 2**31:
        kind += f", {part['minimum']} to {part['maximum']}"
    return kind
