"""The views of one selector, and what happens in its minds: each view is told what concerns it."""

from __future__ import annotations

from typing import Any

from talebearer.lines._heard import HeardKey, HeardLines
from talebearer.lines._pack import Pack
from talebearer.lines._pools import Pool
from talebearer.lines._view import Blank, View
from talebearer.lines.gates import SAID, Asked, Known, ReadKey
from talebearer.memory import Applied, Heard, Mind


class Views:
    """Views of a pack's pools for two minds, which they follow.

    Nothing is asked again when something changes: a view notes which of its gates read that, and asks
    them when it is asked itself.

    Args:
        pack: The content.
        mind: Who listens or thinks.
        world: The mind ``world``; None is one that knows nothing.

    Attributes:
        known: What gates are asked against.
    """

    def __init__(self, pack: Pack, mind: Mind, world: Mind | None) -> None:
        self._pack = pack
        self._mind = mind
        self._world = world
        self._start()

    def _start(self) -> None:
        pack, mind, world = self._pack, self._mind, self._world
        self._heard = mind.graph.heard
        self.known: Known = pack.known(mind.graph, world=None if world is None else world.graph)
        self._slugs = pack.slugs_now
        self._asked = Asked(self.known, mind_id=mind.mind_id)
        self._mine = HeardLines(pack, mind.graph)
        self._theirs = HeardLines(pack, self.known.world)
        self._revision = mind.revision
        self._world_revision = 0 if world is None else world.revision
        self._views: dict[tuple[str, str], View] = {}
        self._by_path: dict[str, list[View]] = {}
        self._by_key: dict[ReadKey, list[View]] = {}  # of those that there are, as they are told
        is_blank = _knows_nothing(mind) and (world is None or _knows_nothing(world))
        # What changed since the minds knew nothing; None when that is not known.
        self._seen: set[ReadKey] | None = set() if is_blank else None

    def follow(self) -> bool:
        """Tell the views what changed in the minds since this was called last.

        Returns:
            Whether all views are as before; False when more happened than the minds keep, and every
            view is to be asked for anew.
        """
        mind, world = self._mind, self._world
        if mind.revision != self._revision:
            changes = mind.changes_since(self._revision)
            if changes is None:
                self._start()
                return False
            self._revision += len(changes)
            for change in changes:
                if change.heard is None:
                    self._tell(change)
                else:
                    self._tell_heard(change.heard)
        if world is not None and world.revision != self._world_revision:
            changes = world.changes_since(self._world_revision)
            if changes is None:
                self._start()
                return False
            self._world_revision += len(changes)
            for change in changes:
                if change.heard is None:
                    self._tell(change)
                else:
                    self._tell_heard_by_all(change.heard)
        return True

    def hear(self, key: HeardKey, path: str, position: int, *, stream: str, tick: int) -> bool:
        """Let the mind hear the line *key*, which is this one, and tell the views.

        Returns:
            What :meth:`follow` does.
        """
        same = self._mind.revision == self._revision or self.follow()
        self._mind.hear(key, stream=stream, tick=tick)
        self._revision += 1
        character = self._slugs.get(key[0], key[0])
        one = self._heard[key]
        if one.times == 1:  # another time adds no line to those that were heard
            self._mine.note(key, path, position, character)
        self._tell_place(one, path, position, character)
        return same

    def settle(self) -> None:
        """Let every view ask again what it noted."""
        for view in self._views.values():
            view.settle()

    # --- what changed ----------------------------------------------------------------------------

    def _tell_heard(self, key: HeardKey) -> None:
        """Tell the views that this mind heard a line."""
        place = self._mine.add(key)
        if place is None:
            self._tell_said()
        else:
            self._tell_place(self._heard[key], *place)

    def _tell_place(self, one: Heard, path: str, position: int, character: str) -> None:
        for view in self._by_path.get(path, ()):
            if view.hear(position, character, one):
                view.reopen()
        self._asked.said += 1
        if self._asked.said == 1:
            self._see_said()

    def _tell_heard_by_all(self, key: HeardKey) -> None:
        """Tell the views that a line was heard which is kept for all."""
        place = self._theirs.add(key)
        if place is not None:
            for view in self._by_path.get(place.path, ()):
                if view.hear_of_world(place.position, place.character):
                    view.reopen()
        self._tell_said()

    def _tell(self, change: Applied) -> None:
        """Tell the views of a change that is no line heard."""
        readers = self._pack.readers
        for name in change.changed_fact_ids:
            if name in readers:
                self._tell_key(name)
            if name.startswith("gossip."):
                self._tell_key(name.rpartition("_")[0])
        for name in change.changed_entities:
            if name in readers:
                self._tell_key(name)
        for kind, cell in change.cells:
            self._tell_key((kind, cell.id))

    def _tell_said(self) -> None:
        """Note that something was said; views whose gates ask for that compare how often it was."""
        self._asked.said += 1
        self._see_said()

    def _see_said(self) -> None:
        if self._seen is not None:
            self._seen.add(SAID)

    def _tell_key(self, key: ReadKey) -> None:
        """Tell the views whose gates read *key*."""
        if self._seen is not None:
            self._seen.add(key)
        views = self._by_key.get(key)
        if views is None:
            paths = self._pack.readers.get(key, ())
            views = [view for path in paths for view in self._by_path.get(path, ())]
            self._by_key[key] = views
        for view in views:
            view.changed(key)

    # --- the views -------------------------------------------------------------------------------

    def view(self, pool: Pool[Any], speaker: str, tick: int) -> View:
        """Return the view of *pool* as *speaker* speaks or thinks from it; *tick* is about now."""
        key = (pool.path, speaker)
        view = self._views.get(key)
        if view is None:
            self._asked.tick = tick
            blank = None if self._seen is None else self._blank(pool, speaker)
            view = View(
                pool,
                speaker,
                asked=self._asked,
                declared=self._pack.declared,
                blank=blank,
                seen=self._seen or (),
            )
            view.heard(self._mine.of(pool.path), self._theirs.of(pool.path))
            self._views[key] = view
            self._by_path.setdefault(pool.path, []).append(view)
            self._by_key.clear()
        return view

    def _blank(self, pool: Pool[Any], speaker: str) -> Blank:
        """Return what a mind that knows nothing is answered; the pack keeps it for all minds."""
        kept = self._pack.blanks
        key = (pool.path, speaker)
        if key not in kept:
            asked = Asked(self._pack.known(None))
            kept[key] = View(pool, speaker, asked=asked, declared=self._pack.declared).blank
        return kept[key]

    def hearings(self, view: View, position: int) -> list[Heard]:
        """Return how a line was heard from the view's speaker, under each of its names."""
        return [
            one
            for place, one in self._mine.at(view.pool.path, position)
            if place.character in (view.speaker, "")
        ]


def _knows_nothing(mind: Mind) -> bool:
    graph = mind.graph
    is_told = graph.facts or graph.entities or graph.heard or graph.cells or graph.last_said
    return mind.revision == 0 and not is_told
