"""What a mind has heard, by the lines that the pack has now."""

from __future__ import annotations

from typing import TypeAlias

from talebearer.lines._pack import Pack
from talebearer.lines._view import Records
from talebearer.memory import Heard, Mind

_Hearings: TypeAlias = dict[str, dict[tuple[str, str, str], Heard]]
_NOTHING: Records = {}


class HeardLines:
    """The hearings of one mind, under the names that lines have now.

    A line that was renamed keeps what was heard under its former names, and so does who said it.
    What the pack no longer has is left out, and comes back when the line does.

    Source: rule LP-L1; IM-M10.
    """

    __slots__ = ("_pack", "_pools")

    def __init__(self, pack: Pack, mind: Mind | None) -> None:
        self._pack = pack
        self._pools: dict[str, dict[int, _Hearings]] = {}
        if mind is not None:
            for key, heard in mind.graph.heard.items():
                self.add(key, heard)

    def add(self, key: tuple[str, str, str], heard: Heard) -> tuple[str, int] | None:
        """Take in one hearing; return pool path and position of the line, None when it is gone."""
        character, pool, line = self._pack.slug_now(key[0]), key[1], key[2]
        found = self._pack.find(pool, line)
        if found is None:
            return None
        home, position = found
        path = home.path
        lines = self._pools.get(path)
        if lines is None:
            lines = self._pools[path] = {}
        hearings = lines.get(position)
        if hearings is None:
            lines[position] = {character: {key: heard}}
        else:
            hearings.setdefault(character, {})[key] = heard
        return path, position

    def of(self, path: str) -> Records:
        """Return the hearings of a pool's lines."""
        return self._pools.get(path, _NOTHING)
