"""What a name means, and who uses it, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.content import _normal
from talebearer.content._tree import POOL_KINDS, ContentFile, FileKind
from talebearer.content.index._cursor import Cursor
from talebearer.content.index._live import Analysis
from talebearer.content.index._shapes import NameKind
from talebearer.content.index._symbols import FileIndex, NamePlace, Purpose
from talebearer.content.index._things import Thing
from talebearer.errors import TalebearerError
from talebearer.lines import Declared
from talebearer.lines.gates import ConditionReader
from talebearer.vocabulary import DEFAULT_ENUMS

LISTED_MAX = 5
TEXT_CHARS_MAX = 200


def meaning(analysis: Analysis, kind: NameKind, name: str) -> str:
    """Return what the author says that *name* is; empty if nothing is said."""
    if kind is NameKind.LINE:
        return ""
    entry = analysis.symbols.entry(kind, name) or {}
    if kind is NameKind.NPC:
        return ", ".join(str(entry[f]) for f in ("name", "role", "location") if f in entry)
    described = entry.get("description")
    if isinstance(described, str):
        return described
    if kind is NameKind.ENUM and not entry:
        stem, _, word = name.partition("/")
        ours = (one.description for one in DEFAULT_ENUMS.get(stem, ()) if one.value == word)
        return next(ours, "")
    return ""


def about(analysis: Analysis, file: ContentFile, cursor: Cursor, thing: Thing) -> list[str]:
    """Return paragraphs on *thing*, which stands in *file* at *cursor*; they are plain text."""
    if thing.kind is None:
        said = [thing.shape.description] if thing.shape.description else []
        return [f"field {thing.name}", *said, *_gates(analysis, file, cursor)]
    if thing.kind is NameKind.LINE:
        return _line(analysis, file, thing)
    name = thing.name.partition("/")[2] if thing.kind is NameKind.ENUM else thing.name
    kind = thing.name.partition("/")[0] if thing.kind is NameKind.ENUM else thing.kind.value
    found = [f"{kind} {name}"]
    if (said_of := meaning(analysis, thing.kind, thing.name)) != "":
        found.append(said_of)
    elif analysis.symbols.entry(thing.kind, thing.name) is None and thing.kind in _DECLARABLE:
        found.append("declared nowhere")
    if thing.kind in (NameKind.COUNTER, NameKind.TIMER, NameKind.VALUE):
        entry = analysis.symbols.entry(thing.kind, thing.name) or {}
        found += [f"{f}: {entry[f]}" for f in ("type", "scope", "initial") if f in entry]
    if thing.kind is not NameKind.ENUM:
        found += _uses(analysis, thing.kind, thing.name)
    return found


_DECLARABLE = frozenset(
    (
        NameKind.FACT,
        NameKind.COUNTER,
        NameKind.TIMER,
        NameKind.VALUE,
        NameKind.CLASS,
        NameKind.CONDITION,
    )
)
_SAID = {
    Purpose.GRANTED: "granted by",
    Purpose.WRITTEN: "written by",
    Purpose.ASKED: "asked for by",
    Purpose.USED: "used by",
}


def _uses(analysis: Analysis, kind: NameKind, name: str) -> list[str]:
    """Return one sentence a purpose: who uses *name*, the first few by name."""
    places = analysis.symbols.places(kind, name)
    found = []
    for purpose, said in _SAID.items():
        users = list(
            dict.fromkeys(
                _user(analysis, place) for place in places if place.found.purpose is purpose
            )
        )
        if users:
            found.append(f"{said} {_some(users)}")
        elif kind is NameKind.FACT and purpose in (Purpose.GRANTED, Purpose.ASKED):
            found.append(f"{said} nothing")
    return found


def _some(names: list[str]) -> str:
    more = len(names) - LISTED_MAX
    return ", ".join(names[:LISTED_MAX]) + (f" and {more} more" if more > 0 else "")


def _user(analysis: Analysis, place: NamePlace) -> str:
    """Return the line, condition or case that *place* is in, or the file."""
    path, root = place.found.path, analysis.symbols.files[place.file.name].root
    field = {"lines": "id", "conditions": "id", "cases": "name"}.get(str(path[0]) if path else "")
    entry: Any = root
    if field is not None and len(path) > 1:
        entry = root[str(path[0])][path[1]]
        if isinstance(entry, dict) and isinstance(entry.get(field), str):
            return _short(entry[field])
    return place.file.key


def _line(analysis: Analysis, file: ContentFile, thing: Thing) -> list[str]:
    pool = file.key if file.kind in POOL_KINDS else ""
    found = analysis.symbols.line(thing.text, pool)
    if found is None:
        return [f"line {thing.name}", "in no pool or in several"]
    index, _, line = found
    said = [f"line {thing.name} of {index.file.key}"]
    if isinstance(line.get("text"), str):
        said.append(f"“{_short(line['text'])}”")
    said += _tags(line)
    said += _conditions(analysis, index, line.get("prerequisites"))
    places = analysis.symbols.line_places(index.file.key, thing.name)
    users = [
        _user(analysis, place) for place in places if place.found.purpose is not Purpose.DECLARED
    ]
    return [*said, f"referred to by {_some(list(dict.fromkeys(users)))}"] if users else said


def _tags(line: Mapping[str, Any]) -> list[str]:
    fields = ("access", "trust", "situation", "topic", "mood", "trigger", "priority", "tags")
    found = []
    for field in fields:
        value = line.get(field)
        if isinstance(value, list) and value:
            found.append(f"{field}: {', '.join(map(str, value))}")
        elif isinstance(value, str | int):
            found.append(f"{field}: {value}")
    return [", ".join(found[:2]), *found[2:]] if found else []


def _gates(analysis: Analysis, file: ContentFile, cursor: Cursor) -> list[str]:
    """Return what the condition around *cursor* asks, if there is one and it is in order."""
    index = analysis.symbols.files.get(file.name)
    is_asked = "prerequisites" in cursor.path or cursor.word == "prerequisites"
    is_named = file.kind is FileKind.CONDITIONS and ("when" in cursor.path or cursor.word == "when")
    if index is None or not (is_asked or is_named):
        return []
    section, field = ("conditions", "when") if is_named else ("lines", "prerequisites")
    names = [keys["id"] for keys in (cursor.siblings, *cursor.outer) if "id" in keys]
    entries = index.root.get(section)
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and names and entry.get("id") == names[0]:
            return _conditions(analysis, index, entry.get(field))
    return []


def _conditions(analysis: Analysis, index: FileIndex, condition: Any) -> list[str]:
    """Return what *condition* asks in words, by the engine's own; nothing if it has faults."""
    if not isinstance(condition, dict):
        return []

    def resolve(reference: str) -> str:
        key, _ = analysis.symbols.keys.resolve(reference, index.file.key)
        return key or reference

    try:
        compiled = _normal.condition(condition, resolve)
        reader = ConditionReader(Declared(), {}, lambda _: ())
        gates = reader.line(compiled, "$")
    except (TalebearerError, TypeError, ValueError, KeyError, AttributeError):
        return []  # it is being written just now, and its faults are findings
    return [f"needs: {gate.words}" for gate in gates]


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= TEXT_CHARS_MAX else f"{plain[: TEXT_CHARS_MAX - 1]}…"
