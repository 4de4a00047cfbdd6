"""The first change of a document, written straight in Automerge's change format.

A document of its own begins with every record, and typing its text into the engine character by
character costs more than all else of a write. The format keeps columns of runs, and a text that
is typed once is a handful of runs; so the change is written here, byte for byte as the engine
would, and the engine only sees it when somebody edits or joins it. A property test holds the two
together.

Source: the Automerge binary format (change chunks); the protocol sheet, section 5.5.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from talebearer.store.merging._engine import StoredChange

_MAGIC = bytes.fromhex("856f4a83")
_CHANGE = 1
_MAKE_MAP, _SET, _MAKE_LIST, _MAKE_TEXT = 0, 1, 2, 4
_NULL, _FALSE, _TRUE, _UINT, _INT, _FLOAT, _TEXT = range(7)
_INT_MAX = 2**63 - 1
_NOTHING: Final = object()
_ONLY_NULLS = [None]
# The same small numbers and the same names stand in every change of a type.
_KEPT = 4_096
_SHAPES_KEPT = 1_024
_SHAPE_PARTS_MAX = 64
_LIST, _MAP, _ASCII, _WIDE, _SCALAR = "[", "{", '"', "'", "#"

Shape = tuple[str | int, ...]
"""What the operations on a value depend on, in their order, without what texts and numbers say.

``{ n name shape ..`` is a map, ``[ n shape ..`` a list, ``" n`` a text of ASCII, ``' n bytes count ..``
any other text in runs of characters of one length, ``# kind`` a scalar with its length.
"""


def fresh_change(value: Any, *, actor: bytes) -> StoredChange:
    """Return the change by which *actor* makes a document that holds *value*."""
    parts: list[str | int] = []
    values: list[bytes] = []
    _walk(value, parts, values)
    shape = tuple(parts)
    before, after = (_kept_columns if len(shape) <= _SHAPE_PARTS_MAX else _columns)(shape)
    # No parents, the actor, its first change, from operation 1, no time, no message, no others.
    head = b"\x00" + _unsigned(len(actor)) + actor + b"\x01\x01\x00\x00\x00"
    contents = b"".join((head, before, *values, after))
    chunk = bytes((_CHANGE,)) + _unsigned(len(contents)) + contents
    digest = hashlib.sha256(chunk)
    data = _MAGIC + digest.digest()[:4] + chunk
    return StoredChange(hash=digest.hexdigest(), parents=(), data=data)


def _walk(value: Any, shape: list[str | int], values: list[bytes]) -> None:
    """Add the shape of *value*, and the bytes of its texts and scalars."""
    if isinstance(value, str):
        values.append(value.encode())
        if value.isascii():
            shape += (_ASCII, len(value))
            return
        runs = [
            (length, sum(1 for _ in group))
            for length, group in groupby(len(char.encode()) for char in value)
        ]
        shape += (_WIDE, len(runs), *(number for run in runs for number in run))
    elif isinstance(value, dict):
        shape += (_MAP, len(value))
        for name in sorted(value):
            shape.append(name)
            _walk(value[name], shape, values)
    elif isinstance(value, list):
        shape += (_LIST, len(value))
        for item in value:
            _walk(item, shape, values)
    else:
        kind, data = _scalar(value)
        values.append(data)
        shape += (_SCALAR, len(data) << 4 | kind)


def _columns(shape: Shape) -> tuple[bytes, bytes]:
    """Return what stands before the bytes of the values and after them."""
    writer = _Writer(iter(shape))
    writer.write(parent=None, key="value")
    return writer.columns()


_kept_columns = lru_cache(maxsize=_SHAPES_KEPT)(_columns)


Column = list[Any]
"""Runs: a value, how often it stands, the next value and so on; None is a null."""


class _Writer:
    """The operations that make a value of one shape, column by column."""

    def __init__(self, shape: Iterator[Any]) -> None:
        self._shape = shape
        self._count = 0
        self._key_last = 0
        self._size_bytes = 0
        self._parents: Column = [_NOTHING, 0]
        self._key_actors: Column = [_NOTHING, 0]
        self._key_deltas: Column = [_NOTHING, 0]
        self._key_texts: Column = [_NOTHING, 0]
        self._inserts: Column = [_NOTHING, 0]
        self._actions: Column = [_NOTHING, 0]
        self._kinds: Column = [_NOTHING, 0]

    def write(self, *, parent: int | None, key: str | int) -> int:
        """Write what makes the next value under *key* of *parent*; return its operation's number.

        A text key is a member's name; a number is the element after which it is inserted, 0 for
        the beginning.
        """
        what, number = next(self._shape), next(self._shape)
        if what == _SCALAR:
            self._size_bytes += number >> 4
            return self._operation(parent, key, _SET, number)
        if what == _MAP:
            made = self._operation(parent, key, _MAKE_MAP, _NULL)
            for _ in range(number):
                self.write(parent=made, key=next(self._shape))
        elif what == _LIST:
            made = self._operation(parent, key, _MAKE_LIST, _NULL)
            after = 0
            for _ in range(number):
                after = self.write(parent=made, key=after)
        else:
            made = self._operation(parent, key, _MAKE_TEXT, _NULL)
            runs = [(1, number)] if what == _ASCII else self._runs(number)
            count = sum(run for _, run in runs)
            if count:
                self._characters(count, runs, made)
        return made

    def columns(self) -> tuple[bytes, bytes]:
        """Return what stands before the bytes of the values and after them."""
        count = self._count
        # Only the first operation has no parent object; all objects are this actor's.
        object_actors = b"\x00\x01" + _run(b"\x00", count - 1) if count > 1 else b""
        before = [
            (b"\x01", object_actors),
            (b"\x02", _encoded(self._parents, _unsigned)),
            (b"\x11", _encoded(self._key_actors, _unsigned)),
            (b"\x13", _encoded(self._key_deltas, _signed)),
            (b"\x15", _encoded(self._key_texts, _named)),
            # The lengths of the runs of false and true, in turn, false first.
            (b"\x34", b"".join(map(_unsigned, self._inserts[3::2]))),
            (b"\x42", _encoded(self._actions, _unsigned)),
            (b"\x56", _encoded(self._kinds, _unsigned)),
        ]
        present = [(spec, data) for spec, data in before if data]
        table = [spec + _unsigned(len(data)) for spec, data in present]
        if self._size_bytes:
            table.append(b"\x57" + _unsigned(self._size_bytes))
        replaced = _run(b"\x00", count)  # no operation replaces another one
        table.append(b"\x70" + _unsigned(len(replaced)))
        return b"".join((_unsigned(len(table)), *table, *(data for _, data in present))), replaced

    def _runs(self, number: int) -> list[tuple[int, int]]:
        return [(next(self._shape), next(self._shape)) for _ in range(number)]

    def _operation(self, parent: int | None, key: str | int, action: int, kind: int) -> int:
        self._count += 1
        _add(self._parents, parent, 1)
        if isinstance(key, str):
            _add(self._key_actors, None, 1)
            _add(self._key_deltas, None, 1)
            _add(self._key_texts, key, 1)
            _add(self._inserts, False, 1)
        else:
            _add(self._key_actors, 0 if key else None, 1)
            self._key(key)
            _add(self._key_texts, None, 1)
            _add(self._inserts, True, 1)
        _add(self._actions, action, 1)
        _add(self._kinds, kind, 1)
        return self._count

    def _characters(self, count: int, runs: list[tuple[int, int]], made: int) -> None:
        """Write the characters of the text *made*, each after the one before."""
        first = made + 1
        _add(self._parents, made, count)
        _add(self._key_actors, None, 1)
        self._key(0)
        if count > 1:
            _add(self._key_actors, 0, count - 1)
            self._key(first)
        if count > 2:
            _add(self._key_deltas, 1, count - 2)
            self._key_last = first + count - 2
        _add(self._key_texts, None, count)
        _add(self._inserts, True, count)
        _add(self._actions, _SET, count)
        for length, number in runs:
            _add(self._kinds, length << 4 | _TEXT, number)
            self._size_bytes += length * number
        self._count += count

    def _key(self, number: int) -> None:
        _add(self._key_deltas, number - self._key_last, 1)
        self._key_last = number


def _add(column: Column, value: Any, count: int) -> None:
    if column[-2] == value:
        column[-1] += count
    else:
        column += (value, count)


def _encoded(column: Column, encode: Callable[[Any], bytes]) -> bytes:
    """Return runs, literals and nulls; nothing for a column of nulls."""
    values, counts = column[2::2], column[3::2]
    if values == _ONLY_NULLS:
        return b""
    parts: list[bytes] = []
    literal: list[bytes] = []
    for value, count in zip(values, counts, strict=True):
        if count == 1 and value is not None:
            literal.append(encode(value))
            continue
        if literal:
            parts.append(_signed(-len(literal)))
            parts += literal
            literal.clear()
        if value is None:
            parts += (b"\x00", _unsigned(count))
        else:
            parts += (_signed(count), encode(value))
    if literal:
        parts.append(_signed(-len(literal)))
        parts += literal
    return b"".join(parts)


def _run(data: bytes, count: int) -> bytes:
    """Return the run of one value that stands *count* times, one alone as a literal."""
    return (_signed(count) if count > 1 else b"\x7f") + data


def _scalar(value: Any) -> tuple[int, bytes]:
    if value is None:
        return _NULL, b""
    if value is False:
        return _FALSE, b""
    if value is True:
        return _TRUE, b""
    if isinstance(value, float):
        return _FLOAT, struct.pack("<d", value)
    return (_INT, _signed(value)) if value <= _INT_MAX else (_UINT, _unsigned(value))


@lru_cache(maxsize=_KEPT)
def _named(text: str) -> bytes:
    data = text.encode()
    return _unsigned(len(data)) + data


@lru_cache(maxsize=_KEPT)
def _unsigned(number: int) -> bytes:
    """Return LEB128."""
    if number < 0x80:
        return bytes((number,))
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


@lru_cache(maxsize=_KEPT)
def _signed(number: int) -> bytes:
    """Return signed LEB128."""
    found = bytearray()
    while not -0x40 <= number < 0x40:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number & 0x7F)
    return bytes(found)
