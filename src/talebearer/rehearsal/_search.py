"""Lines found by words: what is said, the id, and what the line is tagged with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from talebearer.lines import DialoguePool, MonologuePool

Pool: TypeAlias = DialoguePool | MonologuePool

FIELDS = (
    *("id", "pool", "role", "tag", "class"),
    *("access", "trust", "situation", "topic", "mood", "trigger", "priority"),
)
"""What a word may be looked for in, written ``topic:cargo``; without, it is what :class:`Search` says."""

_PLAIN = frozenset(("id", "tag", "situation", "topic", "mood", "trigger"))
_WORD = re.compile(r'(?:(\w+):)?(?:"([^"]*)"?|(\S+))')


class Search:
    """Finds lines of pools, and keeps what each pool's lines are found by while the pool is there.

    A line is found when every word of what is looked for is somewhere in its texts, its id, its tags,
    situations, topics, moods or its trigger, whatever the case. ``"several words"`` stand together;
    ``topic:cargo`` has to be the beginning of a topic, and so on for each of :data:`FIELDS`.
    """

    def __init__(self) -> None:
        self._plain: WeakKeyDictionary[Pool, list[str]] = WeakKeyDictionary()
        self._fields: WeakKeyDictionary[Pool, list[str]] = WeakKeyDictionary()

    def found(self, pools: Iterable[Pool], text: str) -> Iterator[int]:
        """Yield the places of the lines that *text* finds, counted through *pools*, from 0."""
        wanted = tuple(_wanted(text))
        start = 0
        for pool in pools:
            left: Iterable[int] = range(pool.size)
            for is_field, part in wanted:
                words = self._words(pool, is_field=is_field)
                left = [position for position in left if part in words[position]]
            yield from (start + position for position in left)
            start += pool.size

    def _words(self, pool: Pool, *, is_field: bool) -> list[str]:
        """Return for each line of *pool* its fields, or what plain words are looked for in."""
        kept, make = (self._fields, _fields) if is_field else (self._plain, _plain)
        words = kept.get(pool)
        if words is None:
            words = kept[pool] = make(pool)
        return words


def _wanted(text: str) -> Iterator[tuple[bool, str]]:
    """Yield each word of *text*: whether it is to begin a field's, and what has to be there."""
    for match in _WORD.finditer(text.casefold()):
        name, together, alone = match.groups()
        field = _field(name)
        if field is not None:
            yield True, f"\n{field}:{together if together is not None else alone}"
        else:
            yield (
                False,
                match[0] if together is None else f"{name}:{together}" if name else together,
            )


def _field(name: str | None) -> str | None:
    """Return the field that *name* is, in the plural, too."""
    if name is None:
        return None
    return next((one for one in FIELDS if name in (one, f"{one}s")), None)


def _plain(pool: Pool) -> list[str]:
    columns = [column for name, column in _columns(pool) if name in _PLAIN]
    tagged = ["\n".join(chain.from_iterable(words)) for words in zip(*columns, strict=True)]
    rows = zip(pool.texts, pool.ids, tagged, strict=True)
    found = ["\n".join(row).casefold() for row in rows]
    for position, texts in pool.variants.items():
        found[position] += "\n".join(("", *texts)).casefold()
    return found


def _fields(pool: Pool) -> list[str]:
    """Return for each line of *pool* a row for each word of each field: its name, colon, word."""
    columns = [(f"\n{name}:", column) for name, column in _columns(pool)]
    path = f"\npool:{pool.path.casefold()}\nid:"
    found = [
        "".join([head + word for head, column in columns for word in column[position]]).casefold()
        + path
        + line_id
        for position, line_id in enumerate(pool.ids)
    ]
    for position, name in pool.classes.items():
        found[position] += f"\nclass:{name}"
    return found


def _columns(pool: Pool) -> list[tuple[str, Any]]:
    """Return the fields of the lines of *pool*: each a column of lists of words."""
    if isinstance(pool, MonologuePool):
        ranks = [(str(rank),) for rank in pool.priority]
        return [("tag", pool.tags), ("trigger", _alone(pool.triggers)), ("priority", ranks)]
    return [
        *(("tag", pool.tags), ("access", pool.access), ("trust", _alone(pool.trust))),
        *(("situation", pool.situation), ("topic", pool.topic), ("mood", pool.mood)),
        ("role", _alone(pool.roles)),
    ]


def _alone(column: Iterable[str]) -> list[tuple[str]]:
    return [(word,) for word in column]
