"""The columns of a sheet of lines: what a value looks like in a cell, and what a cell says.

A cell is text. Lists are words parted by commas; a word that has a comma, a quotation mark or outer
blanks is written in double quotes as JSON has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from talebearer.content._enums import Enums
from talebearer.content._structure import shown
from talebearer.content._tree import FileKind
from talebearer.errors import did_you_mean

ONCE = ("line", "pair", "player", "character", "world")
LENS = "dual_lens."
BASE = "exported"
OWN = "x-"
"""What the names of columns begin with that are a reader's own; import passes over them."""

_BOTH = (FileKind.DIALOGUE, FileKind.MONOLOGUE)
_WHOLE_NUMBER = re.compile(r"[0-9]{1,10}")
_DECODER = json.JSONDecoder()


class Form(StrEnum):
    """What a column holds."""

    KEY = "key"
    TEXT = "text"
    WORD = "word"
    WORDS = "words"
    NUMBER = "number"
    TOLD = "told"


class CellFault(Exception):
    """A cell that does not say what its column holds."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    Attributes:
        name: Its heading.
        form: What it holds; ``told`` and ``key`` are not read back as values.
        field: The field of a line that it shows; for ``dual_lens`` the part behind the dot is a key.
        about: What it is, in a few words.
        kinds: The kinds of pools whose lines have it.
        is_required: Whether it may not be empty.
        allowed: The words that it may hold; empty for any.
        width_chars: How wide it is shown.
    """

    name: str
    form: Form
    field: str = ""
    about: str = ""
    kinds: tuple[FileKind, ...] = _BOTH
    is_required: bool = False
    allowed: tuple[str, ...] = ()
    width_chars: int = 14

    @property
    def is_editable(self) -> bool:
        """Whether a change of it changes the line."""
        return self.form not in (Form.KEY, Form.TOLD)


def columns(enums: Enums) -> tuple[Column, ...]:
    """Return the columns of a tree with *enums*, in the order in which they stand."""
    return (*_keys(), *_written(enums), *_lenses(enums), *_told())


def _keys() -> Iterator[Column]:
    yield Column(
        name="pool", form=Form.KEY, about="the file, from the content folder", width_chars=30
    )
    yield Column(name="id", form=Form.KEY, about="stays for good", width_chars=22)
    yield Column(
        name="variant", form=Form.KEY, about="1, 2 …: a further text of the line", width_chars=8
    )
    yield Column(name="kind", form=Form.TOLD, about="dialogue or monologue", width_chars=11)
    yield Column(name="speaker", form=Form.TOLD, about="who says or thinks it", width_chars=18)
    yield Column(name="location", form=Form.TOLD, about="where", width_chars=18)


def _written(enums: Enums) -> Iterator[Column]:
    said, thought = (FileKind.DIALOGUE,), (FileKind.MONOLOGUE,)
    values = enums.values
    yield Column(
        name="text", form=Form.TEXT, field="text", about="what is said or thought",
        is_required=True, width_chars=60,
    )  # fmt: skip
    yield Column(name="role", form=Form.WORD, field="role", about="who may say it", kinds=said,
                 is_required=True)  # fmt: skip
    for field, of in (("access", "access"), ("situation", "situations")):
        yield Column(name=field, form=Form.WORDS, field=field, about="layer 1: who may hear it"
                     if field == "access" else "layer 2: when it fits", kinds=said,
                     is_required=True, allowed=values[of], width_chars=20)  # fmt: skip
    yield Column(name="trust", form=Form.WORD, field="trust", about="layer 3: least trust",
                 kinds=said, is_required=True, allowed=values["trust"], width_chars=9)  # fmt: skip
    for field, of in (("topic", "topics"), ("mood", "moods")):
        yield Column(name=field, form=Form.WORDS, field=field, about="layer 4: makes it likelier",
                     kinds=said, allowed=values[of], width_chars=18)  # fmt: skip
    yield Column(name="trigger", form=Form.WORD, field="trigger", about="what brings it up",
                 kinds=thought, is_required=True, allowed=values["triggers"],
                 width_chars=18)  # fmt: skip
    yield Column(name="priority", form=Form.NUMBER, field="priority", about="0 to 10; empty is 5",
                 kinds=thought, width_chars=8)  # fmt: skip
    yield Column(name="cooldown", form=Form.NUMBER, field="cooldown", width_chars=9,
                 about="ticks before it may come again")  # fmt: skip
    yield Column(name="once", form=Form.WORD, field="once", about="whose it is once heard",
                 allowed=ONCE, width_chars=9)  # fmt: skip
    yield Column(name="class", form=Form.WORD, field="class", about="its speaking class")
    yield Column(name="tags", form=Form.WORDS, field="tags", about="free words", width_chars=22)
    yield Column(name="notes", form=Form.TEXT, field="notes", about="for authors", width_chars=40)


def _lenses(enums: Enums) -> Iterator[Column]:
    for character in enums.values["characters"]:
        yield Column(name=f"{LENS}{character}", form=Form.TEXT, field=f"{LENS}{character}",
                     about=f"how {character} reads it", width_chars=40)  # fmt: skip


def _told() -> Iterator[Column]:
    told = (
        ("gates", "what must hold first", 30),
        ("effects", "what hearing it does", 30),
        ("chars", "length of the text", 7),
        ("words", "words of the text", 7),
        ("recording_file", "the name of its recording, without a suffix", 34),
        ("recording", "whether it is there", 11),
        (BASE, "what was exported, to tell changes from conflicts", 12),
    )
    for name, about, width in told:
        yield Column(name=name, form=Form.TOLD, about=about, width_chars=width)


def value_at(line: Mapping[str, Any], column: Column) -> Any:
    """Return what *line* has in *column*, or None."""
    if column.field.startswith(LENS):
        lens = line.get("dual_lens")
        return lens.get(column.field.removeprefix(LENS)) if isinstance(lens, dict) else None
    return line.get(column.field)


def cell_of(value: Any, column: Column) -> str:
    """Return *value* as it stands in a cell of *column*."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and column.form is Form.WORDS:
        return ", ".join(_word(part) for part in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _word(part: Any) -> str:
    if not isinstance(part, str):
        return json.dumps(part, ensure_ascii=False)
    is_plain = part and part == part.strip() and not any(char in part for char in ',;"\r\n')
    return part if is_plain else json.dumps(part, ensure_ascii=False)


def value_of(cell: str, column: Column) -> Any:
    """Return what *cell* says in *column*; None for an empty one.

    Raises:
        CellFault: It does not say what the column holds.
    """
    if not cell if column.form is Form.TEXT else not cell.strip():
        if column.is_required:
            raise CellFault(f"{column.name} is empty", "every line has one")
        return None
    if column.form is Form.TEXT:
        return cell.replace("\r\n", "\n")  # as some spreadsheets write a break within a cell
    if column.form is Form.NUMBER:
        if not _WHOLE_NUMBER.fullmatch(cell.strip()):
            raise CellFault(f"{column.name} {shown(cell)} is no whole number", column.about)
        return int(cell)
    if column.form is Form.WORD:
        return _allowed(cell.strip(), column)
    found = [_allowed(part, column) for part in _parts(cell, column)]
    twice = next((part for n, part in enumerate(found) if part in found[:n]), None)
    if twice is not None:
        raise CellFault(f"{column.name} has {shown(twice)} twice", "leave one out")
    return found


def _allowed(word: str, column: Column) -> str:
    if column.allowed and word not in column.allowed:
        hint = did_you_mean(word, column.allowed)
        raise CellFault(f"{column.name} {shown(word)} is not one of the values", hint)
    return word


def _parts(cell: str, column: Column) -> Iterator[str]:
    at, length = 0, len(cell)
    while at < length:
        while at < length and cell[at] in " \t\r\n,;":
            at += 1
        if at < length and cell[at] == '"':
            try:
                word, at = _DECODER.raw_decode(cell, at)
            except ValueError:
                raise CellFault(
                    f"{column.name} has a quotation mark that is not closed", '"one, two", three'
                ) from None
            yield word
            continue
        end = at
        while end < length and cell[end] not in ",;\r\n":
            end += 1
        if word := cell[at:end].strip():
            yield word
        at = end
