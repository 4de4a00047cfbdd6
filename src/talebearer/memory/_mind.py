"""One mind: the fold of its events, and its saves."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from talebearer.errors import InvalidId, InvalidSave
from talebearer.memory import _checks
from talebearer.memory._checks import Malformed
from talebearer.memory._events import Event, invalid_event
from talebearer.memory._fading import knowledge_decayed
from talebearer.memory._fold import (
    CORE_HANDLERS,
    NOTHING,
    Applied,
    check_envelope,
    own_learned,
    own_moved,
    own_started,
)
from talebearer.memory._graph import KnowledgeGraph
from talebearer.memory._played import (
    counter_added,
    line_fired,
    own_line_fired,
    remember_plainly,
    timer_stamped,
    value_set,
)
from talebearer.memory._renamed import renamed_snapshot
from talebearer.memory._state import MindState
from talebearer.memory._terms import (
    own_standing_changed,
    own_stress_changed,
    standing_changed,
    stress_changed,
    walk_aways_forgiven,
)
from talebearer.memory._told import fact_state_changed, gossip_heard
from talebearer.memory.saving import _save
from talebearer.vocabulary import MIND_ID, SLUG, EventKind

_MIND = re.compile(MIND_ID)
_SLUG = re.compile(SLUG)
_NUMBERED = (EventKind.INTERACTION_STARTED, EventKind.GOSSIP_HEARD)
_SKIPPED = Applied(skipped=True)
CHANGES_KEPT = 1024
"""How many changes a mind keeps for those who follow it."""
# Each refuses a wrong event before anything changes.
_HANDLERS: Mapping[EventKind, Callable[[MindState, Event], Applied]] = {
    **CORE_HANDLERS,
    EventKind.STANDING_CHANGED: standing_changed,
    EventKind.STRESS_CHANGED: stress_changed,
    EventKind.WALK_AWAYS_FORGIVEN: walk_aways_forgiven,
    EventKind.GOSSIP_HEARD: gossip_heard,
    EventKind.FACT_STATE_CHANGED: fact_state_changed,
    EventKind.KNOWLEDGE_DECAYED: knowledge_decayed,
    EventKind.LINE_FIRED: line_fired,
    EventKind.COUNTER_ADDED: counter_added,
    EventKind.VALUE_SET: value_set,
    EventKind.TIMER_STAMPED: timer_stamped,
}
# The same for details that this package or a pick made: they are not looked at once more.
_OWN_HANDLERS: Mapping[EventKind, Callable[[MindState, Event], Applied]] = {
    EventKind.INTERACTION_STARTED: own_started,
    EventKind.INTERACTION_COMPLETED: own_moved,
    EventKind.INTERACTION_WALKED_AWAY: own_moved,
    EventKind.INTERACTION_CONFRONTATION: own_moved,
    EventKind.INTERACTION_CONFLICT_ABANDONED: own_moved,
    EventKind.FACT_LEARNED: own_learned,
    EventKind.STANDING_CHANGED: own_standing_changed,
    EventKind.STRESS_CHANGED: own_stress_changed,
    EventKind.LINE_FIRED: own_line_fired,
}


class Mind:
    """What one mind knows.

    Args:
        mind_id: ``party``, ``pc:{slug}``, ``npc:{slug}`` or ``world``, the mind of nobody that holds
            what lines keep for everybody.
        numbers: Slug to the highest interaction number ever given, when a mind is built again
            from a log in which some numbers no longer occur (IM-M1, IM-M13).

    Attributes:
        revision: How many events have changed this object; to be read, for :meth:`changes_since`.

    Raises:
        InvalidId: *mind_id* has another form (TB109).
        InvalidSave: *numbers* is malformed (TB116).
    """

    __slots__ = ("_changes", "_graph", "_state", "revision")

    def __init__(self, mind_id: str, *, numbers: Mapping[str, int] | None = None) -> None:
        if not isinstance(mind_id, str) or _MIND.fullmatch(mind_id) is None:
            raise InvalidId(
                f"{_checks.show(mind_id)} is no mind id",
                hint="allowed here: party, pc:{slug}, npc:{slug}, world",
            )
        self._state = MindState(mind_id)
        self._graph = KnowledgeGraph(self._state)
        self._changes: deque[Applied] = deque(maxlen=CHANGES_KEPT)
        self.revision = 0
        try:
            for slug, number in (numbers or {}).items():
                name = _checks.formed(slug, "numbers", _SLUG)
                self._state.raise_number(name, _checks.whole(number, "numbers", 1))
        except Malformed as fault:
            raise InvalidSave(str(fault), data={"field": fault.field}) from None

    def __reduce__(self) -> tuple[Any, ...]:
        # As a save, so that a game's own save outlives changes of the classes.
        return (Mind.loads, (self.dumps(),))

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

    @property
    def stress(self) -> int:
        """How strained the owner of the mind is, 0 to 32767.

        Source: the interaction-memory spec section 8.1.
        """
        return self._state.stress

    def grudge(self, target: str) -> int:
        """Return what walk-aways took from the standing with *target* and forgiveness gives back.

        In thousandths, 0 to 2000.
        """
        bond = self._state.bonds.get(target)
        return 0 if bond is None else bond.grudge

    def forgiven_walk_aways(self, target: str) -> int:
        """Return how many walk-aways from *target* no longer count against its threshold."""
        bond = self._state.bonds.get(target)
        return 0 if bond is None else bond.forgiven

    def next_sequence(self, stream: str) -> int:
        """Return the sequence that the next event of *stream* should carry."""
        return self._state.marks.get(stream, 0) + 1

    def apply(self, event: Event) -> Applied:
        """Take in *event*; one at or below its stream's mark changes nothing.

        The cost does not depend on how much the mind knows.

        Raises:
            InvalidEvent: The event is malformed; nothing was changed (TB102).
            IllegalTransition: The interaction does not allow it; nothing was changed (TB101).

        Source: the interaction-memory spec section 7; IM-M1 to IM-M4, IM-M9, IM-M13, IM-L13.
        """
        state = self._state
        try:
            check_envelope(state, event)
            stream, sequence = event.stream, event.sequence
            if sequence <= state.marks.get(stream, 0):
                return _SKIPPED
            applied = _HANDLERS[event.kind](state, event)
        except Malformed as fault:
            known = event if isinstance(event, Event) else None
            raise invalid_event(fault, known) from None
        return self._noted(event, applied)

    def apply_own(self, event: Event) -> Applied:
        """Take in *event* as :meth:`apply` does, whose details nobody outside the engine made.

        Those are the effects of a pick, what :func:`mirrored` and :func:`consequences` give, and
        interactions of two whose words were checked before. Of these, the mind afterwards is the
        same; of anything else it may be one that no save can hold. Kinds for which that would gain
        nothing are checked all the same.

        Raises:
            InvalidEvent: As :meth:`apply`, of what is checked (TB102).
            IllegalTransition: The interaction does not allow it; nothing was changed (TB101).
        """
        handler = _OWN_HANDLERS.get(event.kind)
        if handler is None or "participants" in event.data or "number" in event.data:
            return self.apply(event)
        state = self._state
        if event.sequence <= state.marks.get(event.stream, 0):
            return _SKIPPED
        try:
            applied = handler(state, event)
        except Malformed as fault:
            raise invalid_event(fault, event) from None
        return self._noted(event, applied)

    def next_own(
        self, kind: EventKind, data: Mapping[str, Any], *, stream: str, tick: int
    ) -> tuple[Event, Applied]:
        """Make the next event of *stream*, take it in as :meth:`apply_own` does, and return both.

        Raises:
            InvalidEvent: As there.
            IllegalTransition: As there.
        """
        state = self._state
        sequence = state.marks.get(stream, 0) + 1
        event = Event.of(stream, sequence, tick, kind, data)
        handler = _OWN_HANDLERS.get(kind)
        if handler is None or "participants" in data or "number" in data:
            return event, self.apply(event)
        try:
            applied = handler(state, event)
        except Malformed as fault:
            raise invalid_event(fault, event) from None
        return event, self._noted(event, applied)

    def hear(self, key: tuple[str, str, str], *, stream: str, tick: int) -> None:
        """Hear the line *key* as the next event of *stream*: what a plain ``line_fired`` does.

        As :meth:`apply_own`, for a pick that does no more than be heard and has one text: no event
        is made of it, so this is for those who keep no log.

        Args:
            key: Character (empty for a thought), pool path and line id.
            stream: The stream.
            tick: When.
        """
        state = self._state
        self._changes.append(remember_plainly(state, key, tick))
        self.revision += 1
        marks = state.marks
        marks[stream] = marks[stream] + 1 if stream in marks else 1
        if tick > state.tick:
            state.tick = tick

    def _noted(self, event: Event, applied: Applied) -> Applied:
        """Note that *event* is taken in, and for followers what it changed."""
        state = self._state
        state.marks[event.stream] = event.sequence
        if event.tick > state.tick:
            state.tick = event.tick
        if applied is not NOTHING:
            self.revision += 1
            self._changes.append(applied)
        return applied

    def changes_since(self, revision: int) -> list[Applied] | None:
        """Return what changed since the mind had *revision*, in order.

        Returns:
            None when more happened than the mind keeps: whoever follows it has to look at
            everything again.
        """
        missed = self.revision - revision
        if missed == 0:
            return []
        if not 0 < missed <= len(self._changes):
            return None
        changes = self._changes
        if missed == 1:
            return [changes[-1]]
        return [changes[place] for place in range(len(changes) - missed, len(changes))]

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

    def copy(self) -> Mind:
        """Return a mind of its own that knows the same.

        Far cheaper than a save and a load: what a mind knows are values that both may hold.
        """
        return Mind._of(self._state.copy())

    def renamed(self, names: Mapping[str, str]) -> Mind:
        """Return what the mind knows, of characters under the names that they have now.

        For a save that was made before a character got another name. A character that the mind knows
        under both names, as two, stays two.

        Args:
            names: Former slugs to those of today, as :attr:`talebearer.lines.Pack.slugs_now` has them.

        Returns:
            A mind of its own; this one, if it knows nobody by a former name.
        """
        before = self.snapshot()
        after, _ = renamed_snapshot(before, names)
        return self if after == before else Mind.from_snapshot(after)

    def snapshot(self) -> dict[str, Any]:
        """Return everything the mind holds as a JSON object.

        It has the oldest schema version that can say it: 1; 2 where there is stress, a standing of
        its own, gossip, decay, or an interaction with several or with somebody who is no NPC; 3
        where lines left counters, values or timers, or were heard from somebody or repeatedly.
        """
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
        return cls._of(_save.decode(snapshot))

    @classmethod
    def _of(cls, state: MindState) -> Mind:
        """Return the mind of a state that was loaded."""
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


def numbered(event: Event, applied: Applied) -> Event:
    """Return *event* with the number that applying it gave, so that a replay gives the same.

    A log should hold events in this form: a counter may have been ahead of what the log shows,
    after numbers vanished (IM-M1, IM-M13). Events that give no number come back as they are.

    Args:
        event: What was applied.
        applied: What applying it returned.
    """
    names = applied.changed_fact_ids
    if event.kind not in _NUMBERED or not names or "number" in event.data:
        return event
    number = int(names[0].rpartition("_")[2])
    return replace(event, data={**event.data, "number": number})
