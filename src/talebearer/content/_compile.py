"""From checked content to a pack: one JSON file, byte for byte the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson

from talebearer.content import _normal
from talebearer.content._declared import Declared
from talebearer.content._keys import Former, Keys, facts_of
from talebearer.content._lint import Checked
from talebearer.content._memo import Memo
from talebearer.content._rules import Document
from talebearer.content._tree import POOL_KINDS, FileKind
from talebearer.vocabulary import DEFAULT_ENUMS

PACK_FORMAT = "talebearer.pack"
PACK_VERSION = 1
_PRIORITY_DEFAULT = 5
_OF_VALUES = ("scope", "type", "initial")
_OF_POOLS = ("location", "role", "character", "strategy")
_ENUMS = ("access", "trust", "situations", "topics", "moods", "triggers")


EMPTY_PACK = orjson.dumps(
    {
        "format": PACK_FORMAT,
        "version": PACK_VERSION,
        "enums": {name: [one.value for one in DEFAULT_ENUMS[name]] for name in _ENUMS},
        "characters": {},
        "facts": {},
        "profiles": {},
        "state": {"timers": {}, "counters": {}, "values": {}, "classes": {}},
        "conditions": {},
        "triggers": {one.value: {"fields": {}} for one in DEFAULT_ENUMS["triggers"]},
        "pools": [],
    },
    option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE,
)
"""A pack of nothing, with the default enumerations."""


def canonical(pack: dict[str, Any]) -> bytes:
    """Return the bytes of *pack*: UTF-8, keys sorted, no spaces, one final LF."""
    return orjson.dumps(pack, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def parts_of(checked: Checked, memo: Memo) -> tuple[bytes, list[bytes]]:
    """Return the pack of a tree without errors in parts: what is around the pools, and each pool.

    :func:`joined` makes the pack of them.
    """
    keys = checked.index.keys
    head = pack_of(checked, pools=False)
    head["conditions"] = _conditions(checked)
    del head["pools"]
    documents = [one for one in checked.documents if one.file.kind in POOL_KINDS]
    documents.sort(key=lambda document: document.file.key)
    former = facts_of(checked.documents)
    pools = [memo.pool(one, keys, former, _pool) for one in documents]
    return orjson.dumps(head, option=orjson.OPT_SORT_KEYS), pools


def joined(head: bytes, pools: Sequence[bytes]) -> bytes:
    """Return the canonical bytes of a pack that is in parts."""
    members: dict[str, Any] = orjson.loads(head)
    front = {name: part for name, part in members.items() if name < "pools"}
    back = {name: part for name, part in members.items() if name > "pools"}
    opening = orjson.dumps(front, option=orjson.OPT_SORT_KEYS)[:-1]
    closing = orjson.dumps(back, option=orjson.OPT_SORT_KEYS)[1:]
    return b"".join((opening, b',"pools":[', b",".join(pools), b"],", closing, b"\n"))


def _conditions(checked: Checked) -> dict[str, Any]:
    resolve = _resolver(checked.index.keys, "")
    former = facts_of(checked.documents)
    return {
        name: _normal.condition(entry["when"], resolve, former)
        for name, entry in sorted(checked.index.declared.conditions.items())
    }


def pack_of(checked: Checked, *, pools: bool = True) -> dict[str, Any]:
    """Return the pack of a tree without errors, as a JSON object; on demand without its pools."""
    enums, declared, keys = checked.index.enums, checked.index.declared, checked.index.keys
    former = facts_of(checked.documents)
    return {
        "format": PACK_FORMAT,
        "version": PACK_VERSION,
        "enums": {name: list(enums.values[name]) for name in _ENUMS},
        "characters": {name: {"letter": letter} for name, letter in sorted(enums.letters.items())},
        "facts": dict(sorted(_facts(checked.documents))),
        "profiles": dict(sorted(_profiles(checked.documents))),
        "state": _state(declared),
        "conditions": _conditions(checked) if pools else {},
        "triggers": {
            name: {"fields": dict(sorted(declared.fields.get(name, {}).items()))}
            for name in sorted(enums.values["triggers"])
        },
        "pools": sorted(
            (
                _pool(d, keys, former)
                for d in checked.documents
                if pools and d.file.kind in POOL_KINDS
            ),
            key=lambda pool: str(pool["path"]),
        ),
    }


def _resolver(keys: Keys, pool: str) -> Callable[[str], str]:
    def resolve(reference: str) -> str:
        key, _ = keys.resolve(reference, pool)
        assert key is not None, "the check has found it"
        return key

    return resolve


def _state(declared: Declared) -> dict[str, Any]:
    return {
        "timers": {name: {"scope": one["scope"]} for name, one in declared.timers.items()},
        "counters": {
            name: {"scope": one["scope"], "initial": int(one.get("initial", 0))}
            for name, one in declared.counters.items()
        },
        "values": {
            name: {field: _normal.whole(one[field]) for field in _OF_VALUES if field in one}
            for name, one in declared.values.items()
        },
        "classes": {
            name: {field: one.get(field, []) for field in ("interrupts", "excluded_by")}
            for name, one in declared.classes.items()
        },
    }


def _facts(documents: list[Document]) -> Iterator[tuple[str, str]]:
    """Yield every fact with its description, under its former ids, too: minds may know it by those."""
    for document in documents:
        if document.file.kind is FileKind.FACTS:
            for fact in document.root["facts"]:
                for name in (fact["id"], *fact.get("formerly", ())):
                    yield name, fact["description"]


def _profiles(documents: list[Document]) -> Iterator[tuple[str, dict[str, Any]]]:
    for document in documents:
        if document.file.kind is FileKind.PROFILE:
            root = document.root
            yield (
                document.file.stem,
                {
                    "name": root["name"],
                    "aliases": root.get("aliases", []),
                    **({"formerly": root["formerly"]} if "formerly" in root else {}),
                    "role": root.get("role"),
                    "location": root.get("location"),
                    "attributes": {
                        name: _normal.whole(value)
                        for name, value in root.get("attributes", {}).items()
                    },
                    "scene": root.get("scene", {}),
                    "tolerance": _tolerance(root.get("tolerance", {})),
                },
            )


def _tolerance(authored: dict[str, Any]) -> dict[str, Any]:
    """Return *authored* with whole numbers as integers, however they were written."""
    whole = ("threshold", "walk_away_threshold", "walk_away_stress_delta")
    return {field: _whole(value) if field in whole else value for field, value in authored.items()}


def _whole(value: Any) -> Any:
    return [int(part) for part in value] if isinstance(value, list) else int(value)


def _pool(document: Document, keys: Keys, former: Former) -> dict[str, Any]:
    root, kind = document.root, document.file.kind
    pool: dict[str, Any] = {"path": document.file.key, "kind": kind.value}
    pool |= {field: root[field] for field in _OF_POOLS if field in root}
    if root.get("formerly"):
        pool["first_path"] = root["formerly"][0]
    line_of = _dialogue_line if kind is FileKind.DIALOGUE else _monologue_line
    resolve = _resolver(keys, document.file.key)
    pool["lines"] = [
        line_of(line) | _beyond_the_spec(line, resolve, former) | _aliases(line, document, keys)
        for line in root["lines"]
    ]
    return pool


def _dialogue_line(line: dict[str, Any]) -> dict[str, Any]:
    compiled = {field: line[field] for field in ("id", "text", "role", "trust")}
    compiled |= {field: line[field] for field in ("access", "situation")}
    compiled |= {field: line.get(field, []) for field in ("topic", "mood", "tags")}
    if "cooldown" in line:
        compiled["cooldown"] = int(line["cooldown"])
    return compiled


def _monologue_line(line: dict[str, Any]) -> dict[str, Any]:
    compiled = {field: line[field] for field in ("id", "text", "trigger")}
    compiled["priority"] = int(line.get("priority", _PRIORITY_DEFAULT))
    compiled["cooldown"] = int(line.get("cooldown", 0))
    compiled["tags"] = line.get("tags", [])
    return compiled


def _beyond_the_spec(
    line: dict[str, Any], resolve: Callable[[str], str], former: Former
) -> dict[str, Any]:
    """Return the gates, the effects and the further fields of *line*, as far as it has any."""
    kept = ("variants", "once", "class")
    compiled: dict[str, Any] = {field: line[field] for field in kept if field in line}
    if "prerequisites" in line:
        when = _normal.condition(line["prerequisites"], resolve, former)
        compiled |= {"when": when} if when else {}
    if effects := _normal.effects(line):
        compiled["effects"] = effects
    return compiled


def _aliases(line: dict[str, Any], document: Document, keys: Keys) -> dict[str, Any]:
    aliases = list(keys.former(document.file.key, line))
    return {"aliases": aliases} if aliases else {}
