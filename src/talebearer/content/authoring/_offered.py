"""Schemas that offer a tree's own names, for editors that know of schemas and of nothing else.

The names are examples: an editor offers them, and none that is not among them is refused, since whether
a name is declared is for ``lint``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from talebearer._whole import put_whole
from talebearer.content import _tree, _yaml
from talebearer.content._lint import schemas_for
from talebearer.content._schemas import schema_fits
from talebearer.content._tree import FileKind

_BY_DEFINITION = {"fact_id": "facts", "entity_ref": "references", "class": "classes"}
"""Definition that stands for one sort of name, and the sort."""

_BY_KEY = {
    "counter": "counters",
    "counters": "counters",
    "timer": "timers",
    "timers": "timers",
    "value": "values",
    "values": "values",
    "class": "classes",
    "interrupts": "classes",
    "excluded_by": "classes",
    "conditions": "conditions",
    "speaker": "slugs",
}
"""Key whose value, or the entries of whose list, are declared names, and their sort."""

_ANY_NAME = ("#/$defs/name", "#/$defs/slug")


def schemas_with_names(content: Path) -> dict[str, str]:
    """Return the JSON Schemas of the folder *content* by file name, with its values and its names.

    Names are the facts of the catalogues, the characters with a profile, the counters, timers,
    values and speaking classes of ``global/state.yaml``, and the named conditions. Ids of lines are not
    offered: they change with every line that is written.
    """
    names = _names(content)
    return {
        name: json.dumps(_offering(json.loads(text), names), indent=2, ensure_ascii=False) + "\n"
        for name, text in schemas_for(content).items()
    }


def _names(content: Path) -> dict[str, list[str]]:
    """Return the declared names by sort, each sorted; files with faults give what they can."""
    found: dict[str, set[str]] = {}
    for file in _tree.walk(content.resolve()).files:
        if file.kind is FileKind.PROFILE:
            found.setdefault("slugs", set()).add(file.stem)
            found.setdefault("references", set()).add(f"npc:{file.stem}")
        elif file.kind in (FileKind.FACTS, FileKind.STATE, FileKind.CONDITIONS):
            data, fault = _tree.read(file)
            root = None if fault else _yaml.parse(data).value
            for sort, entries in (root or {}).items():
                found.setdefault(sort, set()).update(_ids(entries))
    return {sort: sorted(names) for sort, names in found.items()}


def _ids(entries: object) -> Iterator[str]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str):
            yield entry["id"]


def _offering(schema: dict[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return *schema* with the names where such a name may stand."""
    for definition, sort in _BY_DEFINITION.items():
        if definition in schema.get("$defs", {}) and names.get(sort):
            schema["$defs"][definition]["examples"] = list(names[sort])
    for key, part in _parts(schema, ""):
        listed = names.get(_BY_KEY.get(key, ""))
        if listed and part.get("$ref") in _ANY_NAME:
            part["examples"] = list(listed)
    return schema


def _parts(node: Any, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every mapping in *node*, with the key of the property that it describes, or lists."""
    if isinstance(node, dict):
        yield key, node
        for name, part in node.items():
            if name == "properties" and isinstance(part, dict):
                for inner, value in part.items():
                    yield from _parts(value, inner)
            else:
                yield from _parts(part, key if name == "items" else "")
    elif isinstance(node, list):
        for part in node:
            yield from _parts(part, "")


def stale_schemas(folder: Path, schemas: Mapping[str, str], *, exactly: bool) -> Iterable[str]:
    """Yield the names of the *schemas* that the files in *folder* are not.

    Args:
        folder: The folder of schemas.
        schemas: Their texts by file name.
        exactly: Whether the names that they offer count, too.
    """
    for name, text in schemas.items():
        try:
            found = (folder / name).read_bytes().decode("utf-8", "replace")
        except OSError:
            yield name
            continue
        if found != text if exactly else not schema_fits(found, text):
            yield name


def put_schemas(folder: Path, schemas: Mapping[str, str]) -> None:
    """Write *schemas*, texts by file name, into *folder*, which is made if it is missing.

    Raises:
        OSError: The folder cannot be written.
    """
    for name, text in schemas.items():
        put_whole(folder / name, text.encode())
