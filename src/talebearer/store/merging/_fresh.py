"""The first change of a document whose content is plain text, made from one of the same shape.

The engine takes text one character at a time, which is most of what creating a record costs. But
two documents of one shape, the same keys with ASCII texts of the same lengths, have changes that
differ in three places only: the actor, the characters, and the hash over it all. So the engine
makes one of each shape, and the others are filled in. What is filled in is, byte for byte, what
the engine would have made; each shape proves that once before it is used.

Source: the protocol sheet, section 5.5 (mapping); the chunk is magic, checksum, then what is
hashed.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from talebearer.store.merging._engine import StoredChange

SHAPES_KEPT = 1_024
KEYS_MAX = 8
_MAGIC_BYTES = 4
_HASHED_FROM = 8
_CHECKSUM_BYTES = 4

Shape = tuple[tuple[str, int], ...]
Make = Callable[[Any, bytes], StoredChange]


class _Template(NamedTuple):
    """A change without its three variable places."""

    magic: bytes
    before_actor: bytes
    before_text: bytes
    after_text: bytes

    def fill(self, actor: bytes, text: bytes) -> StoredChange:
        """Return the change of *actor* whose characters are *text*."""
        hashed = b"".join((self.before_actor, actor, self.before_text, text, self.after_text))
        digest = hashlib.sha256(hashed).digest()
        return StoredChange(
            digest.hex(), (), b"".join((self.magic, digest[:_CHECKSUM_BYTES], hashed))
        )


class FreshChanges:
    """Fills in first changes of shapes that it has seen.

    Args:
        make: Has the engine make the only change of a fresh document, from a value and an actor.
    """

    def __init__(self, make: Make) -> None:
        self._make = make
        self._shapes: OrderedDict[Shape, _Template | None] = OrderedDict()

    def change(self, value: Any, actor: bytes) -> StoredChange | None:
        """Return the change that begins a document of *value*; None has the engine make it.

        A shape that is seen for the first time is left to the engine, since most lengths of text
        come once; from the second time on it is worth a template.
        """
        parts = _parts(value)
        if parts is None:
            return None
        shape, text = parts
        if shape not in self._shapes:
            self._keep(shape, None)
            return None
        template = self._shapes[shape]
        if template is None:
            template = self._prove(shape, value, actor, text)
            if template is None:
                return None
        self._keep(shape, template)
        return template.fill(actor, text)

    def _keep(self, shape: Shape, template: _Template | None) -> None:
        self._shapes[shape] = template
        self._shapes.move_to_end(shape)
        if len(self._shapes) > SHAPES_KEPT:
            self._shapes.popitem(last=False)

    def _prove(self, shape: Shape, value: Any, actor: bytes, text: bytes) -> _Template | None:
        """Return the template of a shape if it gives what the engine makes of *value*."""
        stand_in, marks = _stand_in(shape, len(actor))
        template = _cut(self._make(stand_in, marks.actor).data, marks)
        if template is None or template.fill(actor, text) != self._make(value, actor):
            return None
        return template


class _Marks(NamedTuple):
    actor: bytes
    text: bytes


def _parts(value: Any) -> tuple[Shape, bytes] | None:
    """Return the shape of a map of ASCII texts and its characters in the order of the keys."""
    if type(value) is not dict or not 0 < len(value) <= KEYS_MAX:
        return None
    keys = sorted(value)
    texts = [value[key] for key in keys]
    for text in texts:
        if type(text) is not str or not text.isascii():
            return None
    return tuple(zip(keys, map(len, texts), strict=True)), "".join(texts).encode()


def _stand_in(shape: Shape, actor_bytes: int) -> tuple[dict[str, str], _Marks]:
    """Return a value of *shape* whose characters occur nowhere else in its change."""
    seed = hashlib.sha256(repr(shape).encode()).digest()
    length = sum(size for _, size in shape)
    text = "".join(chr(33 + (seed[n % 32] + n // 32) % 90) for n in range(length))
    value, start = {}, 0
    for key, size in shape:
        value[key] = text[start : start + size]
        start += size
    return value, _Marks(hashlib.sha256(seed).digest()[:actor_bytes], text.encode())


def _cut(data: bytes, marks: _Marks) -> _Template | None:
    """Return *data* without actor and text; None where they are not found exactly once."""
    if data.count(marks.actor) != 1 or not marks.text or data.count(marks.text) != 1:
        return None
    actor, text = data.index(marks.actor), data.index(marks.text)
    actor_end, text_end = actor + len(marks.actor), text + len(marks.text)
    if not _HASHED_FROM <= actor < actor_end <= text:
        return None
    return _Template(
        data[:_MAGIC_BYTES], data[_HASHED_FROM:actor], data[actor_end:text], data[text_end:]
    )
