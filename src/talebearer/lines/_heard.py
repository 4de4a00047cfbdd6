"""What a mind has heard, by the lines that the pack has now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from talebearer.lines._pack import Pack, Place
from talebearer.memory import Heard, KnowledgeGraph

HeardKey: TypeAlias = tuple[str, str, str]
"""Character (empty for a thought), pool path and line id."""


class HeardLines:
    """The hearings of one mind, under the names that lines have now.

    A line that was renamed keeps what was heard under its former names, and so does who said it.
    What the pack no longer has is left out, and comes back when the line does.

    Source: rule LP-L1; IM-M10.
    """

    __slots__ = ("_graph", "_lines", "_new", "_pack", "_places")

    def __init__(self, pack: Pack, graph: KnowledgeGraph | None) -> None:
        self._pack = pack
        self._graph = graph
        self._places: dict[HeardKey, Place | None] = {}
        self._lines: dict[str, dict[int, list[HeardKey]]] = {}
        # Of most pools nobody asks what was heard after their view was made.
        self._new: dict[str, list[tuple[HeardKey, int, str]]] = {}
        if graph is not None:
            for key in graph.heard:
                self.add(key)

    def add(self, key: HeardKey) -> Place | None:
        """Take in that *key* was heard; return which line that is now, None when it is gone."""
        places = self._places
        if key in places:
            return places[key]
        place = self._pack.place_of(key)
        if place is None:
            places[key] = None
        else:
            self._keep(key, place)
        return place

    def note(self, key: HeardKey, path: str, position: int, character: str) -> None:
        """Take in that *key*, which is this place, was heard first, when somebody asks what was."""
        self._new.setdefault(path, []).append((key, position, character))

    def _look(self, path: str) -> None:
        for key, position, character in self._new.pop(path):
            if key not in self._places:
                self._keep(key, Place(path, position, character))

    def _keep(self, key: HeardKey, place: Place) -> None:
        self._places[key] = place
        self._lines.setdefault(place.path, {}).setdefault(place.position, []).append(key)

    def of(self, path: str) -> Iterator[tuple[Place, Heard]]:
        """Yield each line of a pool that was heard, once for each name, and how."""
        if path in self._new:
            self._look(path)
        for position in self._lines.get(path, ()):
            yield from self.at(path, position)

    def at(self, path: str, position: int) -> Iterator[tuple[Place, Heard]]:
        """Yield how one line was heard, once for each name."""
        if path in self._new:
            self._look(path)
        if self._graph is None:
            return
        for key in self._lines.get(path, {}).get(position, ()):
            place = self._places[key]
            assert place is not None, "only what is there has a place"
            yield place, self._graph.hearing(key)
