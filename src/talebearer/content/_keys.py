"""Which lines there are, under which keys and former names; and what a reference to one means.

A key is ``pool/path#id``. Source: the line-pool spec section 5.3; rule LP-L1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from talebearer.content._findings import Draft, ValuePath
from talebearer.content._structure import shown, suggestion
from talebearer.errors import findings_content as codes

_LISTED_MAX = 4
LineAt = tuple[str, int, Mapping[str, Any]]
"""Pool path, 0-based index in the pool, the line."""


def key_of(pool: str, reference: str) -> str:
    """Return the key that *reference*, ``id`` or ``pool/path#id``, has when written in *pool*."""
    return reference if "#" in reference else f"{pool}#{reference}"


class Keys:
    """The keys of all lines of a tree, and their former ones."""

    def __init__(self, lines: Iterable[LineAt]) -> None:
        self._pools_of: dict[str, list[str]] = {}
        self._alias: dict[str, str] = {}
        self._own: set[str] = set()
        for pool, _, line in lines:
            line_id = line.get("id")
            if not isinstance(line_id, str):
                continue
            key = f"{pool}#{line_id}"
            self._own.add(key)
            pools = self._pools_of.setdefault(line_id, [])
            if not pools or pools[-1] != pool:
                pools.append(pool)
            for alias in _aliases(line):
                self._alias.setdefault(key_of(pool, alias), key)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Keys):
            return NotImplemented
        return (
            self._own == other._own
            and self._alias == other._alias
            and self._pools_of == other._pools_of
        )

    __hash__ = None  # type: ignore[assignment]  # reason: what is equal by what it holds has none

    def resolve(self, reference: str, pool: str) -> tuple[str | None, str]:
        """Return the key that *reference* in *pool* means, or None and a hint.

        An id alone means the line of its own pool, else the only line of that id anywhere. A pool
        may be named by the end of its path. A former name leads to the line that claims it.
        """
        path, _, line_id = reference.rpartition("#")
        exact = key_of(pool, reference)
        for key in (exact, self._alias.get(exact)):
            if key in self._own:
                return key, ""
        pools = self._pools_of.get(line_id, ())
        fitting = [one for one in pools if not path or one.endswith(f"/{path}")]
        if len(fitting) == 1:
            return f"{fitting[0]}#{line_id}", ""
        if pools:
            listed = [f"{one}#{line_id}" for one in (fitting or pools)[:_LISTED_MAX]]
            return None, f"did you mean {' or '.join(listed)}?"
        return None, suggestion(line_id, sorted(self._pools_of))

    def pools_of(self, line_id: str) -> tuple[str, ...]:
        """Return the pools that have a line *line_id*."""
        return tuple(self._pools_of.get(line_id, ()))

    def check_aliases(self, pool: str, line: Mapping[str, Any], path: ValuePath) -> Iterator[Draft]:
        """Yield the aliases of *line* that are another line's."""
        key = f"{pool}#{line.get('id')}"
        for at, alias in _numbered(line):
            former = key_of(pool, alias)
            place = (*path, "aliases", at)
            if former in self._own:
                whose = "its own id" if former == key else "the id of another line"
                yield _taken(alias, whose, place)
            elif self._alias.get(former) != key:
                yield _taken(alias, f"an alias of {self._alias.get(former)}, too", place)


def _taken(alias: str, whose: str, path: ValuePath) -> Draft:
    return Draft(code=codes.ALIAS_TAKEN, message=f"alias {shown(alias)} is {whose}", path=path)


def _aliases(line: Mapping[str, Any]) -> Iterator[str]:
    yield from (alias for _, alias in _numbered(line))


def _numbered(line: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    aliases = line.get("aliases")
    for at, alias in enumerate(aliases if isinstance(aliases, list) else ()):
        if isinstance(alias, str) and alias.strip():
            yield at, alias
