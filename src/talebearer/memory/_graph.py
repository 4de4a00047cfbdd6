"""Questions to what a mind knows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from talebearer.memory._checks import GOSSIP_CATEGORY
from talebearer.memory._facts import EntityKnowledge, FactKnowledge, InteractionMetadata
from talebearer.memory._state import Cell, Heard, MindState, Said
from talebearer.vocabulary import FactState, InteractionState

# Looking a member up in its class costs more than the query.
_CONFRONTATION = InteractionState.CONFRONTATION


class KnowledgeGraph:
    """A read-only, always current view of one mind.

    A *target* is an entity reference, ``npc:{slug}``, ``pc:{slug}`` or ``party``; one that the mind
    never met answers false, 0 or None. Six of the seven queries take constant time, from aggregates
    that the fold keeps. :meth:`interactions_with` scans, and is the definition that the aggregates
    must equal. Conversations are counted for the one whom they are with, the first participant;
    :meth:`joint_interactions_with` has those in which somebody was one of the others.

    Source: the interaction-memory spec section 5; IM-M6, IM-M7.
    """

    __slots__ = ("_state",)

    def __init__(self, state: MindState) -> None:
        self._state = state

    @property
    def facts(self) -> Mapping[str, FactKnowledge]:
        """Fact id to knowledge, in order of id; a character's interactions by tick and number."""
        return self._state.fact_order

    @property
    def entities(self) -> Mapping[str, EntityKnowledge]:
        """Entity reference to knowledge, in order of reference."""
        return self._state.entity_order

    def fact(self, fact_id: str) -> FactKnowledge | None:
        """Return what is known of the fact, or None."""
        return self._state.facts.get(fact_id)

    def entity(self, target: str) -> EntityKnowledge | None:
        """Return what is known of the character, or None."""
        return self._state.entities.get(target)

    def has_interacted_with(self, target: str) -> bool:
        """Whether the mind ever began a conversation with *target*."""
        return target in self._state.histories

    def last_interaction_with(self, target: str) -> InteractionMetadata | None:
        """Return the conversation with *target* that began last, or None."""
        history = self._state.histories.get(target)
        return None if history is None else self._state.facts[history.last_id].metadata

    def interactions_with(self, target: str) -> list[InteractionMetadata]:
        """Return all conversations with *target*, by the tick they began at, then by number."""
        return [metadata for _, metadata in self._scan(target)]

    def interaction_ids_with(self, target: str) -> tuple[str, ...]:
        """Return the fact ids of :meth:`interactions_with`, in the same order."""
        return tuple([name for name, _ in self._scan(target)])

    def joint_interactions_with(self, target: str) -> list[InteractionMetadata]:
        """Return the conversations with somebody else in which *target* took part, by start tick.

        Source: IM-M7.
        """
        found = []
        for name in self._state.joint.get(target, ()):
            metadata = self._state.facts[name].metadata
            assert metadata is not None, name
            found.append((metadata.started_tick, name, metadata))
        return [metadata for _, _, metadata in sorted(found, key=lambda item: item[:2])]

    def has_walked_away_from(self, target: str) -> bool:
        """Whether the mind's own side ever walked out on *target*, also on a quarrel.

        Source: IM-M8.
        """
        history = self._state.histories.get(target)
        return history is not None and history.walked > 0

    def walk_away_count_from(self, target: str) -> int:
        """Return how often the mind's own side walked out on *target*, also on a quarrel.

        Source: IM-M8.
        """
        history = self._state.histories.get(target)
        return 0 if history is None else history.walked

    def was_left_by(self, target: str) -> bool:
        """Whether *target* ever walked out on the mind's own side, also on a quarrel.

        Source: IM-M7.
        """
        history = self._state.histories.get(target)
        return history is not None and history.left > 0

    def standing_with(self, target: str) -> int:
        """Return on what terms the two are, -1000 to 1000 thousandths; 0 for nobody known.

        Source: IM-M8.
        """
        entity = self._state.entities.get(target)
        return 0 if entity is None else entity.standing

    def gossip_about(
        self, about: str, *, state: InteractionState | None = None, target: str | None = None
    ) -> tuple[str, ...]:
        """Return the ids of active gossip about *about*, by the tick it was heard, then by number.

        Args:
            about: Whom it is about: the one who did it.
            state: How the conversation ended that it is of; ``confrontation`` is met by each that
                had ever been one. None takes all.
            target: To whom it was done; None takes all.

        Source: IM-M7, IM-M2.
        """
        facts = self._state.facts
        slug = about.rpartition(":")[2]
        return tuple(
            name
            for name in self._state.fact_order.group(GOSSIP_CATEGORY + slug)
            if (gossip := facts[name].gossip) is not None
            and gossip.about == about
            and facts[name].state is FactState.ACTIVE
            and (target is None or gossip.target == target)
            and (
                state is None
                or (state is _CONFRONTATION and gossip.confrontation)
                or gossip.interaction_state is state
            )
        )

    def gossip_of(self, mind: str, fact_id: str) -> str | None:
        """Return the gossip fact that holds the story of *fact_id* in *mind*, or None."""
        return self._state.told.get((mind, fact_id))

    def interaction_count_with(self, target: str, state: InteractionState | None = None) -> int:
        """Return how many conversations with *target* there are, all or those in *state*.

        ``confrontation`` counts each that has ever been one, however it ended; every other state
        counts exactly.

        Source: IM-M2, IM-M8.
        """
        history = self._state.histories.get(target)
        if history is None:
            return 0
        if state is None:
            return history.total
        if state == _CONFRONTATION:
            return history.confronted
        return history.counts[state]

    def has_confronted(self, target: str) -> bool:
        """Whether a conversation with *target* has ever been a confrontation.

        Source: IM-M2.
        """
        history = self._state.histories.get(target)
        return history is not None and history.confronted > 0

    def active_interaction(self) -> InteractionMetadata | None:
        """Return the live conversation that is in progress, or None.

        Recorded conversations never count as live.

        Source: IM-M3, IM-M9.
        """
        running = self._state.running.get(None)
        return None if running is None else self._state.facts[running].metadata

    @property
    def in_progress_id(self) -> str | None:
        """Fact id of :meth:`active_interaction`, or None."""
        return self._state.running.get(None)

    def last_interaction_tick(
        self, target: str, state: InteractionState | None = None
    ) -> int | None:
        """Return when the mind last talked with *target*: the latest end, or start while it runs.

        Args:
            target: With whom.
            state: Which conversations count, as in :meth:`interaction_count_with`; None takes all.

        Returns:
            The tick, or None where none counts.
        """
        latest: int | None = None
        for _, item in self._scan(target):
            sticky = state is _CONFRONTATION and item.confrontation
            if state is None or sticky or item.interaction_state is state:
                tick = item.started_tick if item.ended_tick is None else item.ended_tick
                latest = tick if latest is None else max(latest, tick)
        return latest

    @property
    def heard(self) -> Mapping[tuple[str, str, str], Heard]:
        """Character, pool path and line id to how the mind knows the line; a read-only view.

        The character is empty for a thought, and for what an older save does not say.

        Source: IM-M10.
        """
        return MappingProxyType(self._state.heard)

    def hearing(self, key: tuple[str, str, str]) -> Heard:
        """Return how the mind knows the line of *key*, which it has heard."""
        return self._state.heard[key]

    @property
    def last_said(self) -> Said | None:
        """The last thing that was said in the mind's hearing; a thought is not said."""
        return self._state.said

    def counter(self, cell: Cell) -> int | None:
        """Return what was added to a counter so far, or None."""
        return self._state.counters.get(cell)

    def value(self, cell: Cell) -> str | int | float | bool | None:
        """Return what a value was set to last, or None."""
        return self._state.values.get(cell)

    def timer(self, cell: Cell) -> int | None:
        """Return the latest tick at which a timer was stamped, or None."""
        return self._state.timers.get(cell)

    @property
    def cells(self) -> tuple[tuple[str, Cell, str | int | float | bool], ...]:
        """Every counter, value and timer: its kind, its cell and what it holds; in that order."""
        state = self._state
        kinds = (("counter", state.counters), ("value", state.values), ("timer", state.timers))
        return tuple((kind, cell, cells[cell]) for kind, cells in kinds for cell in sorted(cells))

    def _scan(self, target: str) -> list[tuple[str, InteractionMetadata]]:
        """Return the conversations with *target*, in the order in which they began.

        A player character and an NPC may share a slug and so a range of ids, never a conversation.
        """
        history = self._state.histories.get(target)
        if history is None:
            return []
        facts = self._state.facts
        return [
            (name, metadata)
            for name in history.names
            if (metadata := facts[name].metadata) is not None
        ]
