"""Lines as rows: one a line, and one more for each of its variants.

Source: rule LP-L8-sheets.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from talebearer.content._keys import homes_of
from talebearer.content._rules import Document, Index
from talebearer.content._tree import POOL_KINDS, FileKind
from talebearer.content.sheets._columns import BASE, Column, cell_of, value_at
from talebearer.errors import UsageFault, did_you_mean

TOLD = ""
"""Under what the last column keeps the mark of the cells that only tell."""

_MARK, _MARK_ESCAPED = "1.", "1c."
"""What a record begins with; the second says that the cells of its row are escaped as CSV has them."""

_RECORD = re.compile(r"(1c?\.)[A-Za-z0-9+/=]+")
_TOLD_COLUMNS = ("kind", "speaker", "location", "gates", "effects")
_BASE_BYTES_MAX = 1 << 20
_TOLD_CHARS_MAX = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which pools a sheet is about; several at once must all fit.

    Attributes:
        pool: A part of the pool's path.
        role: The role in the header of a dialogue pool, or the stem of its file.
        character: Whose thoughts they are.
        location: Where it is said or thought.
    """

    pool: str = ""
    role: str = ""
    character: str = ""
    location: str = ""

    def takes(self, document: Document) -> bool:
        """Return whether the pool *document* is one of those."""
        is_said = document.file.kind is FileKind.DIALOGUE
        who = (document.text("role"), document.file.stem) if is_said else ()
        return (
            self.pool in document.file.key
            and (not self.role or self.role in who)
            and (not self.character or self.character == document.text("character"))
            and (not self.location or self.location == document.text("location"))
        )


def chosen(documents: Sequence[Document], only: Filter) -> list[Document]:
    """Return the pools among *documents* that *only* takes, in the order of their paths.

    Raises:
        UsageFault: There is none, though something is asked for (TB111).
    """
    pools = pools_of(documents)
    found = [document for document in pools if only.takes(document)]
    if found or only == Filter():
        return found
    asked = {name: getattr(only, name) for name in Filter.__slots__ if getattr(only, name)}
    listed = ", ".join(f"{name} {word!r}" for name, word in asked.items())
    hints = [
        did_you_mean(word, {text for one in pools if (text := one.text(name))})
        for name, word in asked.items()
        if name != "pool" and not any(Filter(**{name: word}).takes(one) for one in pools)
    ]
    raise UsageFault(f"no pool is of {listed}", hint="; ".join(hints) or "ask for less at once")


def pools_of(documents: Sequence[Document]) -> list[Document]:
    """Return the pools among *documents*, in the order of their paths."""
    found = [document for document in documents if document.file.kind in POOL_KINDS]
    return sorted(found, key=lambda document: document.file.key)


def rows_of(
    document: Document,
    columns: Sequence[Column],
    index: Index,
    names: Mapping[str, str],
    takes: Collection[str] | None,
) -> Iterator[list[str]]:
    """Yield the rows of the pool *document*, a cell for each of *columns*.

    Args:
        document: The pool.
        columns: The columns.
        index: What the tree declares.
        names: Slugs of profiles to the characters' names.
        takes: The stems of recordings that are there; None when nobody looked.
    """
    header = _header(document, index, names)
    homes = homes_of([document]).get(document.file.key, ())
    homes = (*dict.fromkeys((*homes, document.file.key)),)
    for _, line in document.lines:
        told = header | {
            "gates": _summary(line.get("prerequisites")),
            "effects": _effects(line),
        }
        yield _row(homes, line, 0, columns, told, takes)
        variants = line.get("variants")
        for number, _ in enumerate(variants if isinstance(variants, list) else (), 1):
            yield _row(homes, line, number, columns, header, takes)


def _header(document: Document, index: Index, names: Mapping[str, str]) -> dict[str, str]:
    stem = document.file.stem
    who = document.text("character") or names.get(stem) or document.text("role") or ""
    if document.file.kind is FileKind.DIALOGUE and stem in index.profiles:
        who = names.get(stem, stem)
    return {
        "pool": document.file.key,
        "kind": document.file.kind.value,
        "speaker": who,
        "location": document.text("location") or "",
    }


def _row(
    homes: Sequence[str],
    line: Mapping[str, Any],
    variant: int,
    columns: Sequence[Column],
    told: Mapping[str, str],
    takes: Collection[str] | None,
) -> list[str]:
    line_id = str(line.get("id"))
    cells = cells_of(line, variant, columns)
    text = cells.get("text", "")
    stem, is_there = _recording(homes, line, variant, takes or ())
    there = "" if takes is None else "recorded" if is_there else "missing"
    cells |= told
    cells |= {
        "id": line_id,
        "variant": str(variant) if variant else "",
        "chars": str(len(text)),
        "words": str(len(text.split())),
        "recording_file": stem,
        "recording": there,
    }
    cells[BASE] = pack({**cells_of(line, variant, columns), TOLD: told_mark(cells)})
    return [cells.get(column.name, "") for column in columns]


def _recording(
    homes: Sequence[str], line: Mapping[str, Any], variant: int, takes: Collection[str]
) -> tuple[str, bool]:
    """Return the name of a text's recording, and whether it is there.

    It goes by the first of *homes*, the paths that the pool had and has, so that another place changes
    no name. What was recorded under a former id of the line is its recording, too.
    """
    aliases = line.get("aliases")
    ids = [str(line["id"])]
    ids += [one for one in (aliases if isinstance(aliases, list) else ()) if isinstance(one, str)]
    stems = [
        recording_stem(home, line_id, variant)
        for line_id in ids
        if "#" not in line_id
        for home in homes
    ]
    found = next((stem for stem in stems if stem in takes), None)
    return (stems[0], False) if found is None else (found, True)


def cells_of(line: Mapping[str, Any], variant: int, columns: Sequence[Column]) -> dict[str, str]:
    """Return what *line*, or one of its variants, has in those of *columns* that can be edited."""
    if variant:
        variants = line.get("variants")
        listed = variants if isinstance(variants, list) else []
        text = listed[variant - 1] if variant <= len(listed) else None
        return {c.name: cell_of(text, c) for c in columns if c.name == "text"}
    return {c.name: cell_of(value_at(line, c), c) for c in columns if c.is_editable}


def told_mark(cells: Mapping[str, str]) -> str:
    """Return a mark of those of *cells* that only tell what is worked out."""
    told = [cells.get(name, "") for name in _TOLD_COLUMNS]
    return f"{zlib.crc32(json.dumps(told).encode()):08x}"


def has_told(names: Collection[str]) -> bool:
    """Return whether *names* has every column that :func:`told_mark` looks at."""
    return all(name in names for name in _TOLD_COLUMNS)


def recording_stem(pool: str, line_id: str, variant: int) -> str:
    """Return the name of the recording of a text, without a suffix.

    It depends on nothing but the pool's path, the line's id and the number of the variant, so it stays
    when other lines come and go; ids alone are not unique, so six digits of the path's digest follow.
    """
    digest = sha256(pool.encode()).hexdigest()[:6]
    return f"{line_id}_{digest}" + (f"_v{variant}" if variant else "")


def pack(cells: Mapping[str, str]) -> str:
    """Return *cells* as they are kept in the last column; empty ones are left out."""
    filled = {name: cell for name, cell in cells.items() if cell}
    text = json.dumps(filled, ensure_ascii=False, separators=(",", ":"))
    # Without "_", since spreadsheets take "_x7_" within a cell for a character.
    return _MARK + base64.b64encode(zlib.compress(text.encode(), 6)).decode()


def of_escaped(record: str) -> str:
    """Return what :func:`pack` gave for a row whose cells are escaped."""
    return _MARK_ESCAPED + record.removeprefix(_MARK)


def is_escaped(record: str) -> bool | None:
    """Return whether the cells of the row of *record* are escaped; None when it does not say."""
    found = _RECORD.fullmatch(record)
    return None if found is None else found[1] == _MARK_ESCAPED


def unpack(cell: str) -> dict[str, str] | None:
    """Return what :func:`pack` kept, or None if *cell* is nothing of the kind."""
    if is_escaped(cell) is None:
        return None
    try:
        packed = base64.b64decode(cell.partition(".")[2], validate=True)
        stream = zlib.decompressobj()
        data = stream.decompress(packed, _BASE_BYTES_MAX)
        if not stream.eof:
            return None
        found = json.loads(data)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        return None
    is_cells = isinstance(found, dict) and all(isinstance(cell, str) for cell in found.values())
    return found if is_cells else None


def _summary(value: Any) -> str:
    """Return *value* as flow text, cut to a readable length."""
    if value is None:
        return ""
    text = _flow(value)
    return text if len(text) <= _TOLD_CHARS_MAX else text[: _TOLD_CHARS_MAX - 1] + "…"


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_inner(part)}" for key, part in value.items())
    return _inner(value)


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_inner(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inner, value)) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def _effects(line: Mapping[str, Any]) -> str:
    grant, effects = line.get("knowledge_grant"), line.get("effects")
    listed = [f"grant: {_inner(grant)}"] if grant is not None else []
    if isinstance(effects, list):
        listed += [_flow(effect) for effect in effects]
    return _summary("; ".join(listed)) if listed else ""
