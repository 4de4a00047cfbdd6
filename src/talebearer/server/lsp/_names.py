"""Where names stand: definition, references, outline, search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lsprotocol import types

from talebearer.content.index import (
    ContentFile,
    FileIndex,
    NameKind,
    NamePlace,
    NameUse,
    Purpose,
    Thing,
    thing_at,
)
from talebearer.server.lsp._folder import Folder
from talebearer.server.lsp._positions import Text
from talebearer.server.lsp._server import Asked

FOUND_MAX = 200
"""How many names a search gives."""

_SEARCHED = {
    NameKind.FACT: types.SymbolKind.Constant,
    NameKind.LINE: types.SymbolKind.String,
    NameKind.NPC: types.SymbolKind.Class,
    NameKind.COUNTER: types.SymbolKind.Variable,
    NameKind.TIMER: types.SymbolKind.Variable,
    NameKind.VALUE: types.SymbolKind.Variable,
    NameKind.CLASS: types.SymbolKind.EnumMember,
    NameKind.CONDITION: types.SymbolKind.Boolean,
}
_SECTIONS = {
    "lines": ("id", "text", types.SymbolKind.String),
    "facts": ("id", "description", types.SymbolKind.Constant),
    "counters": ("id", "description", types.SymbolKind.Variable),
    "timers": ("id", "description", types.SymbolKind.Variable),
    "values": ("id", "description", types.SymbolKind.Variable),
    "classes": ("id", "description", types.SymbolKind.EnumMember),
    "conditions": ("id", "description", types.SymbolKind.Boolean),
    "cases": ("name", "notes", types.SymbolKind.Method),
}
_DETAIL_CHARS_MAX = 80
_TOP = types.Range(start=types.Position(0, 0), end=types.Position(0, 0))


def spot(folder: Folder, place: NamePlace) -> types.Range | None:
    """Return the range of the name at *place*, quotes left out."""
    index = _index(folder, place.file)
    if index is None:
        return None
    return _name_range(index, place.found, folder.text_of(place.file))


def _index(folder: Folder, file: ContentFile) -> FileIndex | None:
    return folder.analysis.symbols.files.get(file.name) if folder.analysis else None


def _name_range(index: FileIndex, found: NameUse, text: Text) -> types.Range | None:
    span = index.span(found.path, on_key=found.on_key)
    if span is None:
        return None
    (row, start), (last, end) = span
    line = text.rows[row - 1]
    if row == last and end - start > 1 and line[start - 1 : start] in ("'", '"'):
        start, end = start + 1, end - 1
    return text.range((row, start), (last, end))


def places_of(asked: Asked) -> tuple[Thing, tuple[NamePlace, ...]] | None:
    """Return what is named at the place that is asked about, and everywhere that it stands."""
    thing = thing_at(asked.file, asked.cursor)
    if thing is None or thing.kind is None:
        return None
    symbols = asked.analysis.symbols
    if thing.kind is not NameKind.LINE:
        return thing, symbols.places(thing.kind, thing.name)
    if thing.is_declaration:
        return thing, symbols.line_places(asked.file.key, thing.name)
    line = symbols.line(thing.text, asked.file.key)
    return (thing, symbols.line_places(line[0].file.key, thing.name)) if line else None


def definition(asked: Asked) -> list[types.Location]:
    """Return where the name at the place is declared."""
    found = places_of(asked)
    if found is None:
        return []
    thing, places = found
    declared = [place for place in places if _declares(thing, place)]
    if not declared and thing.kind is NameKind.NPC:
        return _pools_of(asked, thing.name)
    return list(_locations(asked.folder, declared))


def _declares(thing: Thing, place: NamePlace) -> bool:
    """Return whether *place* is where the name comes from: of a role, the header of a pool."""
    return place.found.purpose is Purpose.DECLARED or (
        thing.kind is NameKind.ROLE
        and place.found.path == ("role",)
        and place.file.kind == "dialogue"
    )


def _pools_of(asked: Asked, slug: str) -> list[types.Location]:
    """Return the pools of a character without a profile."""
    return [
        types.Location(uri=asked.folder.uri_of(file), range=_TOP)
        for file in asked.analysis.files.values()
        if file.stem == slug and asked.analysis.symbols.files.get(file.name) is not None
    ]


def references(asked: Asked, *, with_declaration: bool) -> list[types.Location]:
    """Return everywhere that the name at the place stands."""
    found = places_of(asked)
    if found is None:
        return []
    wanted = [
        place
        for place in found[1]
        if with_declaration or place.found.purpose is not Purpose.DECLARED
    ]
    return list(_locations(asked.folder, wanted))


def _locations(folder: Folder, places: Iterable[NamePlace]) -> Iterator[types.Location]:
    found = [(folder.uri_of(place.file), spot(folder, place)) for place in places]
    ordered = sorted(
        ((uri, place) for uri, place in found if place is not None),
        key=lambda one: (one[0], one[1].start.line, one[1].start.character),
    )
    yield from (types.Location(uri=uri, range=place) for uri, place in ordered)


def outline(folder: Folder, file: ContentFile) -> list[types.DocumentSymbol]:
    """Return the lines of a pool, or what else *file* lists, in their order."""
    index = _index(folder, file)
    if index is None:
        return []
    text = folder.text_of(file)
    found: list[types.DocumentSymbol] = []
    for section, (field, detail, kind) in _SECTIONS.items():
        entries = index.root.get(section)
        if not isinstance(entries, list):
            continue
        starts = [_start(index, section, at) for at in range(len(entries))]
        for at, entry in enumerate(entries):
            if isinstance(entry, dict) and starts[at] is not None:
                name = entry.get(field) or entry.get("value")
                if isinstance(name, str) and name.strip():
                    inside = _whole(text, starts, at)
                    path = (section, at, field if field in entry else "value")
                    one = NameUse(NameKind.LINE, name, Purpose.DECLARED, path, name)
                    own = _name_range(index, one, text) or inside
                    found.append(
                        types.DocumentSymbol(
                            name=name,
                            detail=_short(entry.get(detail)),
                            kind=kind,
                            range=inside,
                            selection_range=own,
                        )
                    )
    return found


def _start(index: FileIndex, section: str, at: int) -> tuple[int, int] | None:
    span = index.span((section, at))
    return None if span is None else span[0]


def _whole(text: Text, starts: list[tuple[int, int] | None], at: int) -> types.Range:
    """Return the range of entry *at*: up to the next one, or for the last to its last row."""
    start = starts[at] or (1, 1)
    after = starts[at + 1] if at + 1 < len(starts) else None
    last = after[0] - 1 if after is not None else _last_row(text, start)
    if last < start[0]:
        return text.range(start, after or start)
    return text.range(start, (last, len(text.rows[last - 1]) + 1))


def _last_row(text: Text, start: tuple[int, int]) -> int:
    """Return the last row, from 1, that is indented as deep as *start* or blank."""
    last = start[0]
    for row in range(start[0], len(text.rows)):
        line = text.rows[row]
        if line.strip() and len(line) - len(line.lstrip(" ")) < start[1] - 1:
            break
        last = row + 1 if line.strip() else last
    return last


def _short(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    plain = " ".join(value.split())
    return plain if len(plain) <= _DETAIL_CHARS_MAX else f"{plain[: _DETAIL_CHARS_MAX - 1]}…"


def search(folder: Folder, query: str) -> list[types.WorkspaceSymbol]:
    """Return declared names that contain *query*, case apart."""
    if folder.analysis is None:
        return []
    wanted = query.casefold()
    found: list[types.WorkspaceSymbol] = []
    for kind, symbol_kind in _SEARCHED.items():
        names = (n for n in folder.analysis.symbols.names(kind) if wanted in n.casefold())
        for name in names:
            for place in folder.analysis.symbols.places(kind, name):
                if place.found.purpose is Purpose.DECLARED and len(found) < FOUND_MAX:
                    location = types.Location(
                        uri=folder.uri_of(place.file), range=spot(folder, place) or _TOP
                    )
                    found.append(
                        types.WorkspaceSymbol(
                            name=name,
                            kind=symbol_kind,
                            location=location,
                            container_name=place.file.key,
                        )
                    )
    return found
