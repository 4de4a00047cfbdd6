"""Questions to what a mind knows."""

from __future__ import annotations

from collections.abc import Mapping

from talebearer.memory._checks import INTERACTION_CATEGORY
from talebearer.memory._facts import EntityKnowledge, FactKnowledge, InteractionMetadata
from talebearer.memory._state import MindState
from talebearer.vocabulary import InteractionState

# Looking a member up in its class costs more than the query.
_CONFRONTATION = InteractionState.CONFRONTATION
_WALKED_AWAY = InteractionState.WALKED_AWAY
_CONFLICT_ABANDONED = InteractionState.CONFLICT_ABANDONED


class KnowledgeGraph:
    """A read-only, always current view of one mind.

    A *target* is an entity reference, ``npc:{slug}``; one that the mind never met answers false,
    0 or None. Six of the seven queries take constant time, from aggregates that the fold keeps.
    :meth:`interactions_with` scans, and is the definition that the aggregates must equal.

    Source: the interaction-memory spec section 5; design M6.
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
        facts = self._state.facts
        known = (facts[name].metadata for name in self._scan(target))
        return [metadata for metadata in known if metadata is not None]

    def interaction_ids_with(self, target: str) -> tuple[str, ...]:
        """Return the fact ids of :meth:`interactions_with`, in the same order."""
        facts = self._state.facts
        return tuple(name for name in self._scan(target) if facts[name].metadata is not None)

    def has_walked_away_from(self, target: str) -> bool:
        """Whether a conversation with *target* ever ended by walking out, also on a quarrel.

        Source: design M8.
        """
        history = self._state.histories.get(target)
        if history is None:
            return False
        return history.counts[_WALKED_AWAY] > 0 or history.counts[_CONFLICT_ABANDONED] > 0

    def interaction_count_with(self, target: str, state: InteractionState | None = None) -> int:
        """Return how many conversations with *target* there are, all or those in *state*.

        ``confrontation`` counts each that has ever been one, however it ended; every other state
        counts exactly.

        Source: design M2, M8.
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

        Source: design M2.
        """
        history = self._state.histories.get(target)
        return history is not None and history.confronted > 0

    def active_interaction(self) -> InteractionMetadata | None:
        """Return the live conversation that is in progress, or None.

        Recorded conversations never count as live.

        Source: design M3, M9.
        """
        running = self._state.running.get(None)
        return None if running is None else self._state.facts[running].metadata

    @property
    def in_progress_id(self) -> str | None:
        """Fact id of :meth:`active_interaction`, or None."""
        return self._state.running.get(None)

    def _scan(self, target: str) -> list[str]:
        if not target.startswith("npc:"):
            return []
        return self._state.fact_order.group(INTERACTION_CATEGORY + target.removeprefix("npc:"))
