"""Where every name of a tree is declared and used.

A file's names are collected once for each state of the file; places in the text are looked up only
when somebody asks, since that takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from talebearer.content._declared import listed
from talebearer.content._findings import Mark, Places, ValuePath
from talebearer.content._keys import Keys, homes_of
from talebearer.content._rules import Document, lines_of
from talebearer.content._tree import POOL_KINDS, ContentFile, FileKind
from talebearer.content.index._shapes import NameKind, names_in, shape_of


class Purpose(StrEnum):
    """What a name is there for."""

    DECLARED = "declared"
    GRANTED = "granted"
    WRITTEN = "written"
    ASKED = "asked"
    USED = "used"


class NameUse(NamedTuple):
    """One place where a name stands.

    Attributes:
        kind: What it names.
        name: The name: of a character without ``npc:``, of a line its id, of a word as
            ``enumeration/word``.
        purpose: What it is there for.
        path: The value, or the key if *on_key*.
        text: What is written there.
        on_key: Whether the name is a key.
    """

    kind: NameKind
    name: str
    purpose: Purpose
    path: ValuePath
    text: str
    on_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePlace:
    """A name in a file."""

    file: ContentFile
    found: NameUse


_DECLARING = {
    (FileKind.FACTS, "facts"): (NameKind.FACT, "id"),
    (FileKind.CONDITIONS, "conditions"): (NameKind.CONDITION, "id"),
    (FileKind.STATE, "counters"): (NameKind.COUNTER, "id"),
    (FileKind.STATE, "timers"): (NameKind.TIMER, "id"),
    (FileKind.STATE, "values"): (NameKind.VALUE, "id"),
    (FileKind.STATE, "classes"): (NameKind.CLASS, "id"),
    (FileKind.DIALOGUE, "lines"): (NameKind.LINE, "id"),
    (FileKind.MONOLOGUE, "lines"): (NameKind.LINE, "id"),
}
_WRITING = ("set", "add", "stamp")


def name_uses(
    file: ContentFile, root: Mapping[str, Any], *, words: bool = False
) -> Iterator[NameUse]:
    """Yield every name in *root*, the mapping in *file*, declarations first.

    The words of enumerations, most of what is in a pool, are yielded where they are declared, and
    where they are used only with *words*.
    """
    yield from _declared(file, root)
    for path, shape, text, on_key in names_in(root, shape_of(file.kind), words=words):
        kind = shape.key_kind if on_key else shape.kind
        assert kind is not None, "names_in yields what names something"
        enumeration = ("characters" if on_key else shape.enumeration) or ""
        name = plain(kind, text, enumeration=enumeration)
        yield NameUse(kind, name, _purpose(kind, path), path, text, on_key)


def plain(kind: NameKind, text: str, *, enumeration: str = "") -> str:
    """Return what *text* names, in the one form in which an index has it."""
    if kind is NameKind.NPC:
        return text.removeprefix("npc:")
    if kind is NameKind.LINE:
        return text.rpartition("#")[2]
    return f"{enumeration}/{text}" if kind is NameKind.ENUM else text


def _declared(file: ContentFile, root: Mapping[str, Any]) -> Iterable[NameUse]:
    for (kind, section), (named, field) in _DECLARING.items():
        if kind is not file.kind:
            continue
        for at, entry in enumerate(listed(root, section)):
            if isinstance(entry.get(field), str):
                path: ValuePath = (section, at, field)
                yield _declaration(named, entry[field], path, entry[field])
    if file.kind is FileKind.PROFILE:
        yield _declaration(NameKind.NPC, file.stem, ("name",), str(root.get("name")))
    elif file.kind is FileKind.DIALOGUE:
        yield _declaration(NameKind.PLACE, file.folder, ("location",), file.folder)
    elif file.kind is FileKind.ENUM:
        yield from _declared_words(file, root)


def _declared_words(file: ContentFile, root: Mapping[str, Any]) -> Iterable[NameUse]:
    for at, entry in enumerate(listed(root, "values")):
        if isinstance(entry.get("value"), str):
            name, path = entry["value"], ("values", at, "value")
            yield _declaration(NameKind.ENUM, f"{file.stem}/{name}", path, name)
        for number, one in enumerate(listed(entry, "fields")):
            if isinstance(one.get("name"), str):
                inner: ValuePath = ("values", at, "fields", number, "name")
                yield _declaration(NameKind.FIELD, one["name"], inner, one["name"])


def _declaration(kind: NameKind, name: str, path: ValuePath, text: str) -> NameUse:
    return NameUse(kind, name, Purpose.DECLARED, path, text)


def _purpose(kind: NameKind, path: ValuePath) -> Purpose:
    if path[:1] in (("cases",), ("defaults",)):
        return Purpose.USED
    if kind is NameKind.FACT:
        is_grant = "grant" in path or "knowledge_grant" in path
        return Purpose.GRANTED if is_grant else Purpose.ASKED
    if kind in (NameKind.COUNTER, NameKind.TIMER, NameKind.VALUE):
        return Purpose.WRITTEN if any(verb in path for verb in _WRITING) else Purpose.ASKED
    return Purpose.ASKED if "prerequisites" in path or "when" in path else Purpose.USED


class FileIndex:
    """The names of one file in one state, and their places in its text."""

    def __init__(self, file: ContentFile, root: dict[str, Any], text: str) -> None:
        self.file = file
        self.root = root
        self.text = text
        lines = root.get("lines")
        self._places = Places(text, len(lines) if isinstance(lines, list) else None)

    @cached_property
    def _by_name(self) -> dict[tuple[NameKind, str], list[NameUse]]:
        found: dict[tuple[NameKind, str], list[NameUse]] = {}
        for one in name_uses(self.file, self.root):
            found.setdefault((one.kind, one.name), []).append(one)
        return found

    @cached_property
    def declared(self) -> dict[NameKind, frozenset[str]]:
        """The names that the file declares, by kind."""
        names: dict[NameKind, set[str]] = {}
        for (kind, name), found in self._by_name.items():
            if found[0].purpose is Purpose.DECLARED:
                names.setdefault(kind, set()).add(name)
        if self.file.kind is FileKind.DIALOGUE:
            names.setdefault(NameKind.NPC, set()).add(self.file.stem)
            if isinstance(self.root.get("role"), str):
                names.setdefault(NameKind.ROLE, set()).add(self.root["role"])
        return {kind: frozenset(found) for kind, found in names.items()}

    @cached_property
    def _lines(self) -> dict[str, int]:
        lines: dict[str, int] = {}
        for at, line in enumerate(listed(self.root, "lines")):
            if isinstance(line.get("id"), str):
                lines.setdefault(line["id"], at)
        return lines

    @property
    def line_ids(self) -> tuple[str, ...]:
        """The ids of the lines, in their order."""
        return tuple(self._lines)

    def line(self, line_id: str) -> tuple[int, dict[str, Any]] | None:
        """Return the first line *line_id*, with its index."""
        at = self._lines.get(line_id)
        return None if at is None else (at, self.root["lines"][at])

    def line_text(self, line_id: str) -> str:
        """Return the text of the line *line_id*; empty if it has none."""
        found = self.line(line_id)
        text = found[1].get("text") if found is not None else None
        return text if isinstance(text, str) else ""

    def places(self, kind: NameKind, name: str) -> list[NameUse]:
        """Return everywhere in the file that *name* stands, declarations first."""
        if kind is NameKind.ENUM:
            every = name_uses(self.file, self.root, words=True)
            return [one for one in every if (one.kind, one.name) == (kind, name)]
        return self._by_name.get((kind, name), [])

    def span(self, path: ValuePath, *, on_key: bool = False) -> tuple[Mark, Mark] | None:
        """Return where the value at *path*, or its key, begins and ends; both 1-based."""
        start = self._places.place(path, on_key=on_key)
        if start is None:
            return None
        return start, self._places.end(start) or start

    def end(self, mark: Mark) -> Mark | None:
        """Return where the scalar that begins at *mark* ends, if one does."""
        return self._places.end(mark)


class Symbols:
    """The names of a tree."""

    def __init__(self, files: Iterable[FileIndex]) -> None:
        self.files = {index.file.name: index for index in files}

    @cached_property
    def keys(self) -> Keys:
        """Every line's key, for references to lines; former paths of pools lead to them, too."""
        documents = [Document(file=index.file, root=index.root) for index in self.files.values()]
        return Keys(lines_of(documents), homes_of(documents))

    def names(self, kind: NameKind) -> tuple[str, ...]:
        """Return every declared name of *kind*, sorted; of characters, of all that have lines, too."""
        found: set[str] = set()
        for index in self.files.values():
            found |= index.declared.get(kind, frozenset())
        return tuple(sorted(found))

    def places(self, kind: NameKind, name: str) -> tuple[NamePlace, ...]:
        """Return everywhere that *name* stands, in the order of the files."""
        return tuple(
            NamePlace(file=index.file, found=one)
            for index in self.files.values()
            for one in index.places(kind, name)
        )

    def line_places(self, pool: str, line_id: str) -> tuple[NamePlace, ...]:
        """Return the line *line_id* of the pool path *pool* and everything that refers to it."""
        key = f"{pool}#{line_id}"
        every = self.places(NameKind.LINE, line_id)
        return tuple(place for place in every if self._means(place, key))

    def _means(self, place: NamePlace, key: str) -> bool:
        pool = place.file.key if place.file.kind in POOL_KINDS else ""
        if place.found.purpose is Purpose.DECLARED:
            return f"{pool}#{place.found.name}" == key
        return self.keys.resolve(place.found.text, pool)[0] == key

    def line(self, reference: str, pool: str) -> tuple[FileIndex, int, dict[str, Any]] | None:
        """Return file, index and line that *reference*, written in *pool*, means."""
        key, _ = self.keys.resolve(reference, pool)
        if key is None:
            return None
        path, _, line_id = key.partition("#")
        for index in self.files.values():
            if index.file.key == path and (found := index.line(line_id)) is not None:
                return index, *found
        return None

    def entry(self, kind: NameKind, name: str) -> dict[str, Any] | None:
        """Return the mapping that declares *name*."""
        for place in self.places(kind, name):
            if place.found.purpose is Purpose.DECLARED:
                root: Any = self.files[place.file.name].root
                for part in place.found.path[:-1]:
                    root = root[part]
                return root if isinstance(root, dict) else None
        return None
