"""What a mind can know, as values.

The three that the fold makes for almost every event set their slots directly.
Saves, packs and the wire keep the specifications' words: ``learned_via`` is written as ``source``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from talebearer.memory._setters import opened, setters
from talebearer.vocabulary import (
    Confidence,
    FactState,
    InteractionState,
    OccurrenceKind,
    RelationshipState,
    SourceKind,
)

PROVENANCE_COUNT_MAX = 32
"""Receipts kept on one record: the first and the latest others. The log keeps every one."""

STANDING_MAX = 1000
"""The standing goes from minus this to this, in thousandths."""

STANDING_TURNS = 500
"""From here on the relationship is friendly, and from minus this down hostile."""

_FRIENDLY = RelationshipState.FRIENDLY
_HOSTILE = RelationshipState.HOSTILE
_WALK_AWAYS = frozenset(state for state in InteractionState if state.walk_away)


def standing_of(state: RelationshipState) -> int:
    """Return the standing that *state* begins with: 500 friendly, -500 hostile, 0 the others.

    Source: IM-M8.
    """
    if state is _FRIENDLY:
        return STANDING_TURNS
    return -STANDING_TURNS if state is _HOSTILE else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedVia:
    """How a mind learned something.

    Attributes:
        kind: The way it came.
        payload: ``heard {place?}``, ``told_by {entity, fact?}``, ``inferred {from: fact ids}``;
            empty for the others.
    """

    kind: SourceKind
    payload: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object ``{kind, payload}``."""
        payload = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.payload.items()
        }
        return {"kind": self.kind.value, "payload": payload}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRef:
    """A range of transcript units, 1-based and inclusive at both ends."""

    source_id: str
    start_unit_id: int
    end_unit_id: int

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the artifact's spelling."""
        return {
            "source_id": self.source_id,
            "start_unit_id": self.start_unit_id,
            "end_unit_id": self.end_unit_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The receipt of something that was recorded from a transcript.

    Attributes:
        session: The session it happened in.
        artifact_digest: Digest of the artifact that holds the occurrence.
        occurrence: Entity id of the occurrence in the store.
        kind: What the transcript shows.
        source_refs: The unit ranges that prove it.
    """

    session: str
    artifact_digest: str
    occurrence: str
    kind: OccurrenceKind
    source_refs: tuple[SourceRef, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the receipt as a JSON object."""
        return {
            "session": self.session,
            "artifact_digest": self.artifact_digest,
            "occurrence": self.occurrence,
            "kind": self.kind.value,
            "source_refs": [ref.as_json() for ref in self.source_refs],
        }


@dataclass(frozen=True, slots=True, init=False)
class InteractionMetadata:
    """One tracked conversation.

    Attributes:
        target_entity: The character, ``npc:{slug}``.
        interaction_state: Where it is, or how it ended.
        started_tick: When it began.
        ended_tick: When it ended; None while it is in progress.
        topics: What it was about; known from its completion.
        confrontation: Whether it has ever been a confrontation; stays after a good end.
        player_initiated: Whether the mind's own side began it.
        location: Location slug, ``unknown`` where nobody said.
        others: Who took part besides the mind and ``target_entity``.
        left_by_other: Whether it was the other side that walked out.

    Source: the interaction-memory spec section 3.3, with the sticky mark of IM-M2 and the
    participants of IM-M7.
    """

    DECAY_FLOOR: ClassVar[Confidence] = Confidence.KNOWS_DETAILS

    target_entity: str
    interaction_state: InteractionState
    started_tick: int
    ended_tick: int | None
    topics: tuple[str, ...]
    confrontation: bool
    player_initiated: bool
    location: str
    others: tuple[str, ...]
    left_by_other: bool

    def __init__(
        self,
        *,
        target_entity: str,
        interaction_state: InteractionState,
        started_tick: int,
        ended_tick: int | None = None,
        topics: tuple[str, ...] = (),
        confrontation: bool = False,
        player_initiated: bool,
        location: str,
        others: tuple[str, ...] = (),
        left_by_other: bool = False,
    ) -> None:
        _metadata_target_entity(self, target_entity)
        _metadata_interaction_state(self, interaction_state)
        _metadata_started_tick(self, started_tick)
        _metadata_ended_tick(self, ended_tick)
        _metadata_topics(self, topics)
        _metadata_confrontation(self, confrontation)
        _metadata_player_initiated(self, player_initiated)
        _metadata_location(self, location)
        _metadata_others(self, others)
        _metadata_left_by_other(self, left_by_other)

    @property
    def participants(self) -> tuple[str, ...]:
        """Everybody but the mind itself; the first is ``target_entity``."""
        return (self.target_entity, *self.others)

    @property
    def walked_away(self) -> bool:
        """Whether the mind's own side walked out, on small talk or on a confrontation."""
        return self.interaction_state in _WALK_AWAYS and not self.left_by_other

    def as_json(self) -> dict[str, Any]:
        """Return the metadata as a JSON object that names its kind.

        ``participants`` and ``left_by_other`` are left out where they say nothing new.
        """
        value = {
            "kind": "interaction",
            "target_entity": self.target_entity,
            "interaction_state": self.interaction_state.value,
            "started_tick": self.started_tick,
            "ended_tick": self.ended_tick,
            "topics": list(self.topics),
            "confrontation": self.confrontation,
            "player_initiated": self.player_initiated,
            "location": self.location,
        }
        if self.others:
            value["participants"] = list(self.participants)
        if self.left_by_other:
            value["left_by_other"] = True
        return value


(
    _metadata_target_entity,
    _metadata_interaction_state,
    _metadata_started_tick,
    _metadata_ended_tick,
    _metadata_topics,
    _metadata_confrontation,
    _metadata_player_initiated,
    _metadata_location,
    _metadata_others,
    _metadata_left_by_other,
) = setters(InteractionMetadata)
_OpenMetadata = opened(InteractionMetadata)


def metadata_of(
    target_entity: str,
    interaction_state: InteractionState,
    started_tick: int,
    ended_tick: int | None,
    topics: tuple[str, ...],
    confrontation: bool,
    player_initiated: bool,
    location: str,
    others: tuple[str, ...],
    left_by_other: bool,
) -> InteractionMetadata:
    """Return what the constructor does, in a third of the time."""
    made = _OpenMetadata()
    made.target_entity = target_entity
    made.interaction_state = interaction_state
    made.started_tick = started_tick
    made.ended_tick = ended_tick
    made.topics = topics
    made.confrontation = confrontation
    made.player_initiated = player_initiated
    made.location = location
    made.others = others
    made.left_by_other = left_by_other
    made.__class__ = InteractionMetadata
    metadata: InteractionMetadata = made
    return metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class GossipMetadata:
    """What somebody told of others.

    Attributes:
        about: Whom it is about, a mind id: the one who did it.
        mind: The mind that holds the fact which the story is of.
        fact_id: That fact, in that mind.
        teller: Who told this mind.
        target: To whom it was done; None where the story is of nobody else.
        interaction_state: How the conversation ended that the story is of; None for other facts.
        confrontation: Whether it had ever been a confrontation.
        hops: How many tellings lie between the fact and this mind, from 1.

    Source: IM-M7.
    """

    about: str
    mind: str
    fact_id: str
    teller: str
    target: str | None = None
    interaction_state: InteractionState | None = None
    confrontation: bool = False
    hops: int = 1

    def as_json(self) -> dict[str, Any]:
        """Return the metadata as a JSON object that names its kind."""
        state = self.interaction_state
        return {
            "kind": "gossip",
            "about": self.about,
            "mind": self.mind,
            "fact_id": self.fact_id,
            "teller": self.teller,
            "target": self.target,
            "interaction_state": None if state is None else state.value,
            "confrontation": self.confrontation,
            "hops": self.hops,
        }


@dataclass(frozen=True, slots=True, init=False)
class FactKnowledge:
    """How well a mind knows one fact.

    Attributes:
        confidence: How well.
        learned_via: How it was first learned.
        state: Whether it still holds.
        acquired_tick: When it was first learned.
        metadata: The conversation, when the fact is one; None for every other fact.
        gossip: What was told of others, when the fact is that; None for every other fact. A save
            has both under ``metadata``, told apart by ``kind``.
        provenance: Receipts, the first and the latest; empty for what happened live.
        origin_stream: Stream of the event that made it; empty in older saves.
        origin_sequence: Its sequence; 0 in older saves.
    """

    confidence: Confidence
    learned_via: LearnedVia
    state: FactState
    acquired_tick: int
    metadata: InteractionMetadata | None
    gossip: GossipMetadata | None
    provenance: tuple[Provenance, ...]
    origin_stream: str
    origin_sequence: int

    def __init__(
        self,
        *,
        confidence: Confidence,
        learned_via: LearnedVia,
        state: FactState,
        acquired_tick: int,
        metadata: InteractionMetadata | None = None,
        gossip: GossipMetadata | None = None,
        provenance: tuple[Provenance, ...] = (),
        origin: tuple[str, int] = ("", 0),
    ) -> None:
        _fact_confidence(self, confidence)
        _fact_learned_via(self, learned_via)
        _fact_state(self, state)
        _fact_acquired_tick(self, acquired_tick)
        _fact_metadata(self, metadata)
        _fact_gossip(self, gossip)
        _fact_provenance(self, provenance)
        # Two slots take 56 bytes less than a pair, for every fact.
        _fact_stream(self, origin[0])
        _fact_sequence(self, origin[1])

    @property
    def origin(self) -> tuple[str, int]:
        """Stream and sequence of the event that made it; ``("", 0)`` in older saves."""
        return (self.origin_stream, self.origin_sequence)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of a save."""
        tagged = self.metadata or self.gossip
        return {
            "confidence": self.confidence.value,
            "source": self.learned_via.as_json(),
            "state": self.state.value,
            "acquired_tick": self.acquired_tick,
            "metadata": None if tagged is None else tagged.as_json(),
            "provenance": [receipt.as_json() for receipt in self.provenance],
            "origin": list(self.origin),
        }


(
    _fact_confidence,
    _fact_learned_via,
    _fact_state,
    _fact_acquired_tick,
    _fact_metadata,
    _fact_gossip,
    _fact_provenance,
    _fact_stream,
    _fact_sequence,
) = setters(FactKnowledge)
_OpenFact = opened(FactKnowledge)


def fact_of(
    confidence: Confidence,
    learned_via: LearnedVia,
    state: FactState,
    acquired_tick: int,
    metadata: InteractionMetadata | None,
    gossip: GossipMetadata | None,
    provenance: tuple[Provenance, ...],
    origin_stream: str,
    origin_sequence: int,
) -> FactKnowledge:
    """Return what the constructor does, in a third of the time."""
    made = _OpenFact()
    made.confidence = confidence
    made.learned_via = learned_via
    made.state = state
    made.acquired_tick = acquired_tick
    made.metadata = metadata
    made.gossip = gossip
    made.provenance = provenance
    made.origin_stream = origin_stream
    made.origin_sequence = origin_sequence
    made.__class__ = FactKnowledge
    fact: FactKnowledge = made
    return fact


@dataclass(frozen=True, slots=True, init=False)
class EntityKnowledge:
    """What a mind knows of one character.

    Attributes:
        entity: The character, ``npc:{slug}``.
        confidence: How well the mind knows of it.
        relationship_state: Where the two stand.
        learned_via: How the present confidence came about.
        attributes: What was observed of it; a later observation replaces an earlier one.
        first_tick: Tick of the earliest event about it.
        last_tick: Tick of the latest event about it.
        provenance: Receipts, the first and the latest.
        standing: How good or bad terms they are on, in thousandths, -1000 to 1000, 0 at ``known``.
    """

    entity: str
    confidence: Confidence
    relationship_state: RelationshipState
    learned_via: LearnedVia
    attributes: Mapping[str, str]
    first_tick: int
    last_tick: int
    provenance: tuple[Provenance, ...]
    standing: int

    def __init__(
        self,
        *,
        entity: str,
        confidence: Confidence,
        relationship_state: RelationshipState,
        learned_via: LearnedVia,
        attributes: Mapping[str, str] | None = None,
        first_tick: int,
        last_tick: int,
        provenance: tuple[Provenance, ...] = (),
        standing: int | None = None,
    ) -> None:
        _entity_entity(self, entity)
        _entity_confidence(self, confidence)
        _entity_relationship_state(self, relationship_state)
        _entity_learned_via(self, learned_via)
        _entity_attributes(self, {} if attributes is None else attributes)
        _entity_first_tick(self, first_tick)
        _entity_last_tick(self, last_tick)
        _entity_provenance(self, provenance)
        if standing is None:
            standing = standing_of(relationship_state)
        _entity_standing(self, standing)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of a save.

        The standing is left out where it is the one that the relationship state begins with.
        """
        value = {
            "confidence": self.confidence.value,
            "relationship_state": self.relationship_state.value,
            "source": self.learned_via.as_json(),
            "attributes": dict(self.attributes),
            "first_tick": self.first_tick,
            "last_tick": self.last_tick,
            "provenance": [receipt.as_json() for receipt in self.provenance],
        }
        if self.standing != standing_of(self.relationship_state):
            value["standing"] = self.standing
        return value


(
    _entity_entity,
    _entity_confidence,
    _entity_relationship_state,
    _entity_learned_via,
    _entity_attributes,
    _entity_first_tick,
    _entity_last_tick,
    _entity_provenance,
    _entity_standing,
) = setters(EntityKnowledge)
_OpenEntity = opened(EntityKnowledge)


def entity_of(
    entity: str,
    confidence: Confidence,
    relationship_state: RelationshipState,
    learned_via: LearnedVia,
    attributes: Mapping[str, str],
    first_tick: int,
    last_tick: int,
    provenance: tuple[Provenance, ...],
    standing: int,
) -> EntityKnowledge:
    """Return what the constructor does, in a third of the time."""
    made = _OpenEntity()
    made.entity = entity
    made.confidence = confidence
    made.relationship_state = relationship_state
    made.learned_via = learned_via
    made.attributes = attributes
    made.first_tick = first_tick
    made.last_tick = last_tick
    made.provenance = provenance
    made.standing = standing
    made.__class__ = EntityKnowledge
    known: EntityKnowledge = made
    return known


def with_receipt(
    receipts: tuple[Provenance, ...], receipt: Provenance | None
) -> tuple[Provenance, ...]:
    """Return *receipts* with *receipt* behind; the first and the latest others stay in bounds.

    The events of one occurrence follow each other and carry one receipt, which is kept once.
    """
    if receipt is None:
        return receipts
    if receipts and receipts[-1].occurrence == receipt.occurrence and receipts[-1] == receipt:
        return receipts
    if len(receipts) < PROVENANCE_COUNT_MAX:
        return (*receipts, receipt)
    return (receipts[0], *receipts[2:], receipt)
