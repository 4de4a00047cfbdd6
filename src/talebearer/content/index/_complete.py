"""What may be written at a place: words, names and fields, with what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from talebearer.content._tree import POOL_KINDS, ContentFile
from talebearer.content.editing import LineIds
from talebearer.content.index._about import meaning
from talebearer.content.index._cursor import Cursor
from talebearer.content.index._live import Analysis
from talebearer.content.index._shapes import NameKind, Shape, shape_of
from talebearer.content.index._symbols import Symbols
from talebearer.errors import TalebearerError

PROPOSALS_MAX = 200
"""How many are offered at once; who types on gets the others."""

_CHARACTER_PATTERN = "^npc:"


class Sort(StrEnum):
    """What kind of thing a proposal is, for its picture."""

    FIELD = "field"
    WORD = "word"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something that may be written.

    Attributes:
        label: What is shown and compared with what was typed.
        insert: What is written in place of the word.
        sort: Its kind.
        detail: What it is, in a word or two.
        about: What it means; may be empty.
    """

    label: str
    insert: str
    sort: Sort
    detail: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The proposals, and whether they are all."""

    proposals: tuple[Proposal, ...] = ()
    is_complete: bool = True


def offer(analysis: Analysis, file: ContentFile, cursor: Cursor, typed: str) -> Offer:
    """Return what may be written in *file* at *cursor*, where *typed* stands before it.

    Words of enumerations, names that the tree declares and fields of the file format are offered
    in the order of their files; names are those that contain what was typed, case apart, if there
    are many.
    """
    shape = shape_of(file.kind).at(cursor.path)
    if shape is None:
        return Offer()
    found = list(_Proposals(analysis, file, cursor, shape).all())
    if len(found) <= PROPOSALS_MAX:
        return Offer(proposals=tuple(found))
    wanted = typed.casefold()
    fitting = [one for one in found if wanted in one.label.casefold()]
    few = tuple(fitting[:PROPOSALS_MAX])
    return Offer(proposals=few, is_complete=False)


class _Proposals:
    def __init__(self, analysis: Analysis, file: ContentFile, cursor: Cursor, shape: Shape) -> None:
        self._analysis = analysis
        self._symbols: Symbols = analysis.symbols
        self._file = file
        self._cursor = cursor
        self._shape = shape

    def all(self) -> Iterator[Proposal]:
        cursor, shape = self._cursor, self._shape
        if cursor.is_key or cursor.is_open:
            yield from self._keys()
        if cursor.is_key:
            return
        yield from self._values(shape, "{}")
        if cursor.path == ("lines", None, "id") and self._file.kind in POOL_KINDS:
            yield from self._next_id()
        inner = shape.items
        if inner is not None and "array" in shape.types and not cursor.dashes:
            yield from self._values(inner, "- {}" if cursor.is_open else "[{}]")

    def _next_id(self) -> Iterator[Proposal]:
        """The id that the next line of the pool gets, if one is free."""
        try:
            free = LineIds(self._analysis.root, self._analysis.checked).take(self._file.key)
        except TalebearerError:  # the pool has faults, or all numbers are taken
            return
        about = "The next number that was never given."
        yield Proposal(label=free, insert=free, sort=Sort.NAME, detail="free id", about=about)

    def _keys(self) -> Iterator[Proposal]:
        shape, present = self._shape, self._cursor.siblings
        has_colon = self._cursor.rest.lstrip(" \t").startswith(":")
        for name in shape.fields:
            inner = shape.under(name)
            if name in present or inner is None:
                continue
            plain = f'"{name}"' if not name[:1].isalpha() else name
            is_block = bool(set(inner.types) & {"object", "array"}) or inner.fields
            after = "" if has_colon else ":" if is_block else ": "
            detail = "field" if name not in shape.node.get("required", ()) else "field, needed"
            yield Proposal(
                label=name,
                insert=f"{plain}{after}",
                sort=Sort.FIELD,
                detail=detail,
                about=inner.description,
            )
        if shape.key_kind is not None:
            for one in self._names(shape.key_kind, shape):
                if one.label not in present:
                    yield Proposal(
                        label=one.label,
                        insert=one.insert if has_colon else f"{one.insert}: ",
                        sort=one.sort,
                        detail=one.detail,
                        about=one.about,
                    )

    def _values(self, shape: Shape, form: str) -> Iterator[Proposal]:
        kind = shape.kind
        for one in self._fixed(shape) if kind is None else self._names(kind, shape):
            yield Proposal(
                label=one.label,
                insert=form.format(one.insert),
                sort=one.sort,
                detail=one.detail,
                about=one.about,
            )

    def _fixed(self, shape: Shape) -> Iterator[Proposal]:
        words = shape.words
        if "boolean" in shape.types or shape.node.get("const") is True:
            words = (*words, "true")
        if "boolean" in shape.types:
            words = (*words, "false")
        for word in words:
            about = shape.description
            yield Proposal(label=word, insert=word, sort=Sort.WORD, detail="word", about=about)

    def _names(self, kind: NameKind, shape: Shape) -> Iterator[Proposal]:
        special = _SPECIAL.get(kind)
        if special is not None:
            yield from special(self, shape)
            return
        for name in self._symbols.names(kind):
            about = meaning(self._analysis, kind, name)
            yield Proposal(label=name, insert=name, sort=Sort.NAME, detail=kind.value, about=about)

    def _words(self, shape: Shape) -> Iterator[Proposal]:
        enumeration = shape.enumeration or "characters"
        for word in self._analysis.checked.index.enums.values[enumeration]:
            about = meaning(self._analysis, NameKind.ENUM, f"{enumeration}/{word}")
            yield Proposal(label=word, insert=word, sort=Sort.WORD, detail=enumeration, about=about)

    def _people(self, shape: Shape) -> Iterator[Proposal]:
        is_reference = str(shape.node.get("pattern", "")).startswith(_CHARACTER_PATTERN)
        for slug in self._symbols.names(NameKind.NPC):
            written = f"npc:{slug}" if is_reference else slug
            about = meaning(self._analysis, NameKind.NPC, slug)
            yield Proposal(
                label=written, insert=written, sort=Sort.NAME, detail="character", about=about
            )

    def _lines(self, _: Shape) -> Iterator[Proposal]:
        """The lines of the same pool first, by their ids; one that several pools have, by its key."""
        own = self._file.key if self._file.kind in POOL_KINDS else ""
        pools = [index for index in self._symbols.files.values() if index.file.kind in POOL_KINDS]
        for index in sorted(pools, key=lambda one: (one.file.key != own, one.file.key)):
            for line_id in index.line_ids:
                among = self._symbols.keys.pools_of(line_id)
                is_plain = index.file.key == own or (len(among) == 1 and own not in among)
                written = line_id if is_plain else f"{index.file.key}#{line_id}"
                yield Proposal(
                    label=written,
                    insert=written if is_plain else f'"{written}"',
                    sort=Sort.NAME,
                    detail="line",
                    about=index.line_text(line_id),
                )

    def _fields(self, _: Shape) -> Iterator[Proposal]:
        around: Mapping[str, str]
        trigger = None
        for around in (self._cursor.siblings, *self._cursor.outer):
            trigger = trigger or around.get("trigger")
        declared = self._analysis.checked.index.declared
        for name, kind in sorted(declared.fields_of(trigger).items()):
            about = f"A {kind} that events of {trigger or 'some triggers'} carry."
            yield Proposal(
                label=name, insert=name, sort=Sort.NAME, detail="event field", about=about
            )


_SPECIAL: Mapping[NameKind, Callable[[_Proposals, Shape], Iterator[Proposal]]] = {
    NameKind.ENUM: _Proposals._words,
    NameKind.NPC: _Proposals._people,
    NameKind.LINE: _Proposals._lines,
    NameKind.FIELD: _Proposals._fields,
}
