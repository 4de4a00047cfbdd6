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
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from talebearer.store.merging._engine import StoredChange

_MAGIC = bytes.fromhex("856f4a83")
_CHANGE = 1
_MAKE_MAP, _SET, _MAKE_LIST, _MAKE_TEXT = 0, 1, 2, 4
_NULL, _FALSE, _TRUE, _UINT, _INT, _FLOAT, _TEXT = range(7)
_INT_MAX = 2**63 - 1
_ASCII_CHAR = 1 << 4 | _TEXT
_NOTHING: Final = object()
_ONLY_NULLS = [None]
# The same small numbers and the same names stand in every change of a type.
_KEPT = 4_096


def fresh_change(value: Any, *, actor: bytes) -> StoredChange:
    """Return the change by which *actor* makes a document that holds *value*."""
    writer = _Writer()
    writer.write(value, parent=None, key="value")
    contents = writer.contents(actor)
    chunk = bytes([_CHANGE]) + _unsigned(len(contents)) + contents
    digest = hashlib.sha256(chunk)
    data = _MAGIC + digest.digest()[:4] + chunk
    return StoredChange(hash=digest.hexdigest(), parents=(), data=data)


class _Column:
    """Values in runs; None is a null."""

    __slots__ = ("counts", "last", "values")

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.counts: list[int] = []
        self.last: Any = _NOTHING

    def add(self, value: Any, count: int = 1) -> None:
        if value == self.last:
            self.counts[-1] += count
        elif count:
            self.last = value
            self.values.append(value)
            self.counts.append(count)

    def encoded(self, encode: Callable[[Any], bytes]) -> bytes:
        """Return runs, literals and nulls; nothing for a column of nulls."""
        if self.values == _ONLY_NULLS:
            return b""
        parts: list[bytes] = []
        literal: list[bytes] = []
        for value, count in zip(self.values, self.counts, strict=True):
            if count == 1 and value is not None:
                literal.append(encode(value))
                continue
            if literal:
                parts += (_signed(-len(literal)), *literal)
                literal.clear()
            if value is None:
                parts += (b"\x00", _unsigned(count))
            else:
                parts += (_signed(count), encode(value))
        if literal:
            parts += (_signed(-len(literal)), *literal)
        return b"".join(parts)


class _Writer:
    """The operations of a change, column by column."""

    def __init__(self) -> None:
        self.count = 0
        self.object_actor, self.object_counter = _Column(), _Column()
        self.key_actor, self.key_delta, self.key_text = _Column(), _Column(), _Column()
        self.inserts, self.actions = _Column(), _Column()
        self.value_kinds = _Column()
        self.values: list[bytes] = []
        self._key_last = 0

    def write(self, value: Any, *, parent: int | None, key: str | int) -> int:
        """Write what makes *value* under *key* of *parent*; return its operation's number.

        A text key is a member's name; a number is the element after which it is inserted, 0 for
        the beginning.
        """
        if isinstance(value, str):
            made = self._operation(parent, key, _MAKE_TEXT, _NULL)
            self._characters(value, made)
        elif isinstance(value, list):
            made = self._operation(parent, key, _MAKE_LIST, _NULL)
            after = 0
            for item in value:
                after = self.write(item, parent=made, key=after)
        elif isinstance(value, dict):
            made = self._operation(parent, key, _MAKE_MAP, _NULL)
            for name in sorted(value):
                self.write(value[name], parent=made, key=name)
        else:
            kind, data = _scalar(value)
            self.values.append(data)
            made = self._operation(parent, key, _SET, len(data) << 4 | kind)
        return made

    def contents(self, actor: bytes) -> bytes:
        """Return what stands in the chunk."""
        columns = [
            (0x01, self.object_actor.encoded(_unsigned)),
            (0x02, self.object_counter.encoded(_unsigned)),
            (0x11, self.key_actor.encoded(_unsigned)),
            (0x13, self.key_delta.encoded(_signed)),
            (0x15, self.key_text.encoded(_named)),
            (0x34, self._booleans()),
            (0x42, self.actions.encoded(_unsigned)),
            (0x56, self.value_kinds.encoded(_unsigned)),
            (0x57, b"".join(self.values)),
            (0x70, _signed(self.count) + b"\x00" if self.count > 1 else b"\x7f\x00"),
        ]
        present = [(spec, data) for spec, data in columns if data]
        # No parents, the actor, its first change, from operation 1, no time, no message, no others.
        head = b"\x00" + _unsigned(len(actor)) + actor + b"\x01\x01\x00\x00\x00"
        table = b"".join(_unsigned(spec) + _unsigned(len(data)) for spec, data in present)
        return head + _unsigned(len(present)) + table + b"".join(data for _, data in present)

    def _operation(self, parent: int | None, key: str | int, action: int, kind: int) -> int:
        self.count += 1
        self._place(parent, 1)
        if isinstance(key, str):
            self.key_actor.add(None)
            self.key_delta.add(None)
            self.key_text.add(key)
            self.inserts.add(False)
        else:
            self.key_actor.add(0 if key else None)
            self._key(key)
            self.key_text.add(None)
            self.inserts.add(True)
        self.actions.add(action)
        self.value_kinds.add(kind)
        return self.count

    def _characters(self, text: str, made: int) -> None:
        count = len(text)
        if not count:
            return
        first = made + 1
        self._place(made, count)
        self.key_actor.add(None)
        self.key_actor.add(0, count - 1)
        self._key(0)
        if count > 1:
            self._key(first)
            self.key_delta.add(1, count - 2)
            self._key_last = first + count - 2
        self.key_text.add(None, count)
        self.inserts.add(True, count)
        self.actions.add(_SET, count)
        if text.isascii():
            self.value_kinds.add(_ASCII_CHAR, count)
        else:
            for length, group in groupby(len(char.encode()) for char in text):
                self.value_kinds.add(length << 4 | _TEXT, sum(1 for _ in group))
        self.values.append(text.encode())
        self.count += count

    def _place(self, parent: int | None, count: int) -> None:
        self.object_actor.add(None if parent is None else 0, count)
        self.object_counter.add(parent, count)

    def _key(self, number: int) -> None:
        self.key_delta.add(number - self._key_last)
        self._key_last = number

    def _booleans(self) -> bytes:
        """Return the lengths of the runs of false and true, in turn, false first."""
        return b"".join(map(_unsigned, self.inserts.counts))


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
