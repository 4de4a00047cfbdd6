"""One mind: the fold of its events, and its saves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from talebearer.errors import InvalidId, InvalidSave
from talebearer.memory import _checks, _save
from talebearer.memory._checks import Malformed
from talebearer.memory._events import Event, invalid_event
from talebearer.memory._fold import HANDLERS, Applied, check_envelope
from talebearer.memory._graph import KnowledgeGraph
from talebearer.memory._state import MindState
from talebearer.vocabulary import MIND_ID, SLUG

_MIND = re.compile(MIND_ID)
_SLUG = re.compile(SLUG)
_SKIPPED = Applied(skipped=True)


class Mind:
    """What one mind knows.

    Args:
        mind_id: ``party``, ``pc:{slug}`` or ``npc:{slug}``.
        numbers: Slug to the highest interaction number ever given, when a mind is built again
            from a log in which some numbers no longer occur (design M1, M13).

    Raises:
        InvalidId: *mind_id* has another form (TB109).
        InvalidSave: *numbers* is malformed (TB116).
    """

    __slots__ = ("_graph", "_state")

    def __init__(self, mind_id: str, *, numbers: Mapping[str, int] | None = None) -> None:
        if not isinstance(mind_id, str) or _MIND.fullmatch(mind_id) is None:
            raise InvalidId(
                f"{_checks.show(mind_id)} is no mind id",
                hint="allowed here: party, pc:{slug}, npc:{slug}",
            )
        self._state = MindState(mind_id)
        self._graph = KnowledgeGraph(self._state)
        try:
            for slug, number in (numbers or {}).items():
                name = _checks.formed(slug, "numbers", _SLUG)
                self._state.raise_number(name, _checks.whole(number, "numbers", 1))
        except Malformed as fault:
            raise InvalidSave(str(fault), data={"field": fault.field}) from None

    def __repr__(self) -> str:
        state = self._state
        facts, entities = len(state.facts), len(state.entities)
        return f"<Mind {state.mind_id}: {facts} facts, {entities} entities, tick {state.tick}>"

    @property
    def mind_id(self) -> str:
        """Whose memory it is."""
        return self._state.mind_id

    @property
    def graph(self) -> KnowledgeGraph:
        """The questions to ask; always current."""
        return self._graph

    @property
    def tick(self) -> int:
        """The latest tick of any event, 0 before the first."""
        return self._state.tick

    @property
    def marks(self) -> dict[str, int]:
        """Stream to the sequence of its last event; a copy."""
        return dict(self._state.marks)

    @property
    def numbers(self) -> dict[str, int]:
        """Slug to the highest interaction number ever given; a copy."""
        return dict(self._state.numbers)

    def next_sequence(self, stream: str) -> int:
        """Return the sequence that the next event of *stream* should carry."""
        return self._state.marks.get(stream, 0) + 1

    def apply(self, event: Event) -> Applied:
        """Take in *event*; one at or below its stream's mark changes nothing.

        The cost does not depend on how much the mind knows.

        Raises:
            InvalidEvent: The event is malformed; nothing was changed (TB102).
            IllegalTransition: The interaction does not allow it; nothing was changed (TB101).

        Source: the interaction-memory spec section 7; design M1-M4, M9, M13, L13.
        """
        state = self._state
        known = isinstance(event, Event)
        try:
            check_envelope(state, event)
            if event.sequence <= state.marks.get(event.stream, 0):
                return _SKIPPED
            applied = HANDLERS[event.kind](state, event)
        except Malformed as fault:
            raise invalid_event(fault, event if known else None) from None
        state.marks[event.stream] = event.sequence
        if event.tick > state.tick:
            state.tick = event.tick
        return applied

    def last_heard(self, keys: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
        """Return which of *keys* (pool path, line id) the mind heard last, or None."""
        fired = self._state.fired
        latest, found = 0, None
        for key in keys:
            order = fired.get(key, (0, 0))[0]
            if order > latest:
                latest, found = order, key
        return found

    def fired_tick(self, pool: str, line: str) -> int | None:
        """Return the latest tick at which the mind heard the line, or None."""
        found = self._state.fired.get((pool, line))
        return None if found is None else found[1]

    def picks_at(self, tick: int) -> int:
        """Return how many lines the mind heard at *tick*; 0 for any but the latest such tick."""
        latest, count = self._state.picks
        return count if tick == latest else 0

    def snapshot(self) -> dict[str, Any]:
        """Return everything the mind holds as a JSON object of schema version 1."""
        return _save.encode(self._state)

    def dumps(self) -> bytes:
        """Return the snapshot as canonical bytes; equal minds give equal bytes."""
        return _save.to_bytes(self.snapshot())

    @classmethod
    def from_snapshot(cls, snapshot: object) -> Mind:
        """Load a snapshot; facts of older saves without ``metadata`` load with None.

        Raises:
            InvalidSave: It is malformed, or of a newer schema version (TB116).
        """
        state = _save.decode(snapshot)
        mind = cls(state.mind_id)
        mind._state = state
        mind._graph = KnowledgeGraph(state)
        return mind

    @classmethod
    def loads(cls, data: bytes) -> Mind:
        """Load what :meth:`dumps` gave.

        Raises:
            InvalidSave: It is malformed, or of a newer schema version (TB116).
        """
        return cls.from_snapshot(_save.from_bytes(data))


def fold(
    mind_id: str, events: Iterable[Event], *, numbers: Mapping[str, int] | None = None
) -> Mind:
    """Build a mind from its events, in order.

    Args:
        mind_id: Whose memory it is.
        events: The log.
        numbers: As for :class:`Mind`.

    Raises:
        InvalidEvent: An event is malformed (TB102).
        IllegalTransition: An event is not allowed where it stands (TB101).
    """
    mind = Mind(mind_id, numbers=numbers)
    for event in events:
        mind.apply(event)
    return mind
