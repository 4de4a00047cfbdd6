"""Closed vocabularies as string enumerations."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property


class _Ordered(StrEnum):
    """A vocabulary whose declaration order is its meaning: later is more."""

    @cached_property
    def rank(self) -> int:
        """Position in the declared order, from 0."""
        return list(type(self)).index(self)

    def __lt__(self, other: object) -> bool:
        return self.rank < type(self)(str(other)).rank

    def __le__(self, other: object) -> bool:
        return self.rank <= type(self)(str(other)).rank

    def __gt__(self, other: object) -> bool:
        return self.rank > type(self)(str(other)).rank

    def __ge__(self, other: object) -> bool:
        return self.rank >= type(self)(str(other)).rank


class Confidence(_Ordered):
    """How well a mind knows something, from a suspicion to being there."""

    SUSPECTS = "suspects"
    KNOWS_OF = "knows_of"
    KNOWS_DETAILS = "knows_details"
    DIRECT = "direct"


class TrustTier(_Ordered):
    """How far a speaker trusts the listener; a line names the least that it needs."""

    SURFACE = "surface"
    REAL = "real"
    SECRET = "secret"


class RelationshipState(_Ordered):
    """Where a mind stands with an entity, in the order that "at or beyond" reads."""

    UNKNOWN = "unknown"
    KNOWN = "known"
    FRIENDLY = "friendly"
    PERSON_OF_INTEREST = "person_of_interest"
    HOSTILE = "hostile"


class FactState(StrEnum):
    """Whether a known fact still holds."""

    ACTIVE = "active"
    CONTRADICTED = "contradicted"
    STALE = "stale"


class SourceKind(StrEnum):
    """How a mind learned something."""

    DIRECT_OBSERVATION = "direct_observation"
    HEARD = "heard"
    TOLD_BY = "told_by"
    INFERRED = "inferred"
    BACKGROUND = "background"


class InteractionState(StrEnum):
    """The state of one tracked conversation; all moves are one-way."""

    ACTIVE = "active"
    COMPLETED = "completed"
    WALKED_AWAY = "walked_away"
    CONFRONTATION = "confrontation"
    CONFLICT_ABANDONED = "conflict_abandoned"

    @property
    def in_progress(self) -> bool:
        """Whether the conversation is still going on."""
        return self in (InteractionState.ACTIVE, InteractionState.CONFRONTATION)

    @property
    def walk_away(self) -> bool:
        """Whether it ended by walking out, on small talk or on a confrontation."""
        return self in (InteractionState.WALKED_AWAY, InteractionState.CONFLICT_ABANDONED)


class OccurrenceKind(StrEnum):
    """What a transcript passage shows of one NPC."""

    MENTIONED = "mentioned"
    NONCOMBAT_PRESENCE = "noncombat_presence"
    DIALOGUE = "dialogue"
    COMBAT_ALLY = "combat_ally"
    COMBAT_OPPONENT = "combat_opponent"
    OTHER = "other"


class EventKind(StrEnum):
    """What can happen to a mind."""

    INTERACTION_STARTED = "interaction_started"
    INTERACTION_COMPLETED = "interaction_completed"
    INTERACTION_WALKED_AWAY = "interaction_walked_away"
    INTERACTION_CONFRONTATION = "interaction_confrontation"
    INTERACTION_CONFLICT_ABANDONED = "interaction_conflict_abandoned"
    ENTITY_OBSERVED = "entity_observed"
    FACT_LEARNED = "fact_learned"
    RELATIONSHIP_CHANGED = "relationship_changed"
    LINE_FIRED = "line_fired"
    STANDING_CHANGED = "standing_changed"
    STRESS_CHANGED = "stress_changed"
    WALK_AWAYS_FORGIVEN = "walk_aways_forgiven"
    GOSSIP_HEARD = "gossip_heard"
    FACT_STATE_CHANGED = "fact_state_changed"
    KNOWLEDGE_DECAYED = "knowledge_decayed"
    COUNTER_ADDED = "counter_added"
    VALUE_SET = "value_set"
    TIMER_STAMPED = "timer_stamped"


class ArtifactKind(StrEnum):
    """The durable artifacts of extraction."""

    NPC_LIST = "dnd/npc-list"
    NPC_INTERACTION_LIST = "dnd/npc-interaction-list"


class RecordType(StrEnum):
    """The store's three public record types."""

    ARTIFACT = "artifact"
    KNOWLEDGE = "knowledge"
    KNOWLEDGE_RELATION = "knowledge_relation"


class RelationType(StrEnum):
    """How one set of knowledge records bears on another."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    DERIVED_FROM = "derived_from"
    GENERALIZED_FROM = "generalized_from"
    CAUSES = "causes"
    SUPERSEDES = "supersedes"
