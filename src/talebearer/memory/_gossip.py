"""Gossip: who tells whom what, when characters meet.

The rule, all of it from what the minds hold before the meetings of the tick:

* Only NPCs tell and hear; what a player character knows is its player's to tell. Everybody in a
  meeting tells everybody else in it, except somebody to whom the teller is hostile.
* Worth telling are ended conversations that somebody walked out of or that had been a
  confrontation, the teller's own and those it was told of. Only facts that hold are told.
* Nobody is told what they took part in, nor what they have heard as surely before.
* Each telling is one step less sure, and never surer than ``knows_of``; what the teller only
  suspects is not passed on. So a story goes two tellings far, less with a smaller ``hops_max``.
* A pair passes at most ``stories_max`` stories in each direction, the newest first, and one call
  makes at most ``drafts_max`` events. The rest waits for the next meeting.

Source: IM-M7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from talebearer.memory._events import EventDraft
from talebearer.memory._facts import FactKnowledge, GossipMetadata, InteractionMetadata
from talebearer.memory._mind import Mind
from talebearer.memory._told import GOSSIP_MOST
from talebearer.vocabulary import Confidence, EventKind, FactState, RelationshipState

_CONFIDENCES = tuple(Confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class GossipPolicy:
    """How much is told, and of what age.

    Attributes:
        stories_max: Stories that one passes to another in one meeting.
        drafts_max: Events that one call makes.
        hops_max: Tellings between a conversation and the last who hears of it, from 1.
        age_ticks_max: Ticks after which a story is old; None is never.
    """

    stories_max: int = 2
    drafts_max: int = 256
    hops_max: int = 2
    age_ticks_max: int | None = None


DEFAULT_GOSSIP = GossipPolicy()


class _Story(NamedTuple):
    """Something that one mind can tell, newest first."""

    order: tuple[int, str, str]
    fact_id: str
    confidence: Confidence
    gossip: GossipMetadata
    involved: frozenset[str]


def gossip_confidence(confidence: Confidence) -> Confidence | None:
    """Return how sure somebody is who is told what the teller knows at *confidence*.

    One step less, and never more than ``knows_of``; None for a suspicion, which is not passed on.

    Source: IM-M7.
    """
    if confidence.rank == 0:
        return None
    return _CONFIDENCES[min(confidence.rank - 1, GOSSIP_MOST.rank)]


def spread_gossip(
    minds: Mapping[str, Mind],
    meetings: Iterable[Iterable[str]],
    *,
    tick: int,
    policy: GossipPolicy = DEFAULT_GOSSIP,
) -> tuple[EventDraft, ...]:
    """Return what is told when those of *meetings* meet at *tick*.

    Args:
        minds: Mind id to mind; those without a mind neither tell nor hear.
        meetings: The mind ids that are together, a group each; their order does not matter.
        tick: When they meet.
        policy: The bounds.

    Returns:
        ``gossip_heard`` drafts for the hearers' logs, by teller, hearer and age.
    """
    stories: dict[str, list[_Story]] = {}
    told: set[tuple[str, str, str]] = set()
    drafts: list[EventDraft] = []
    for teller, hearer in _pairs(minds, meetings):
        if teller not in stories:
            stories[teller] = sorted(_stories(minds[teller], tick, policy))
        passed = 0
        for story in stories[teller]:
            key = (hearer, story.gossip.mind, story.gossip.fact_id)
            if passed == policy.stories_max or len(drafts) == policy.drafts_max:
                break
            if key in told or not _is_news(story, minds[hearer]):
                continue
            told.add(key)
            drafts.append(_draft(story, teller, hearer))
            passed += 1
    return tuple(drafts)


def _pairs(
    minds: Mapping[str, Mind], meetings: Iterable[Iterable[str]]
) -> Iterator[tuple[str, str]]:
    """Yield teller and hearer of every meeting once, in order."""
    pairs: set[tuple[str, str]] = set()
    for meeting in meetings:
        there = [name for name in set(meeting) if name.startswith("npc:") and name in minds]
        pairs.update((one, other) for one in there for other in there if one != other)
    for teller, hearer in sorted(pairs):
        known = minds[teller].graph.entity(hearer)
        if known is None or known.relationship_state is not RelationshipState.HOSTILE:
            yield teller, hearer


def _stories(mind: Mind, tick: int, policy: GossipPolicy) -> Iterator[_Story]:
    # In no order: those who ask sort the stories.
    for name, fact in mind._state.facts.items():
        if fact.metadata is None and fact.gossip is None:
            continue
        if fact.state is not FactState.ACTIVE or gossip_confidence(fact.confidence) is None:
            continue
        story = _own(mind, name, fact) or _passed_on(name, fact, policy)
        if story is None:
            continue
        age = tick + story.order[0]
        if age >= 0 and (policy.age_ticks_max is None or age <= policy.age_ticks_max):
            yield story


def _own(mind: Mind, name: str, fact: FactKnowledge) -> _Story | None:
    """Return the story of a conversation that the teller was in, if it is worth telling."""
    metadata = fact.metadata
    if metadata is None or metadata.ended_tick is None:
        return None
    if not (metadata.interaction_state.walk_away or metadata.confrontation):
        return None
    about, target = _roles(mind.mind_id, metadata)
    gossip = GossipMetadata(
        about=about,
        mind=mind.mind_id,
        fact_id=name,
        teller=mind.mind_id,
        target=target,
        interaction_state=metadata.interaction_state,
        confrontation=metadata.confrontation,
        hops=1,
    )
    order = (-metadata.ended_tick, mind.mind_id, name)
    involved = frozenset((mind.mind_id, *metadata.participants))
    return _Story(order, name, fact.confidence, gossip, involved)


def _roles(mind_id: str, metadata: InteractionMetadata) -> tuple[str, str]:
    """Return who did it and to whom: who left was it, else the one whom the teller talks about."""
    if metadata.walked_away:
        return mind_id, metadata.target_entity
    return metadata.target_entity, mind_id


def _passed_on(name: str, fact: FactKnowledge, policy: GossipPolicy) -> _Story | None:
    """Return a story that the teller was told, if it goes any further."""
    gossip = fact.gossip
    if gossip is None or gossip.hops >= policy.hops_max:
        return None
    involved = frozenset({gossip.mind, gossip.about, gossip.target or "", gossip.teller})
    order = (-fact.acquired_tick, gossip.mind, gossip.fact_id)
    further = GossipMetadata(
        about=gossip.about,
        mind=gossip.mind,
        fact_id=gossip.fact_id,
        teller=gossip.teller,
        target=gossip.target,
        interaction_state=gossip.interaction_state,
        confrontation=gossip.confrontation,
        hops=gossip.hops + 1,
    )
    return _Story(order, name, fact.confidence, further, involved)


def _is_news(story: _Story, hearer: Mind) -> bool:
    if hearer.mind_id in story.involved:
        return False
    held = hearer.graph.gossip_of(story.gossip.mind, story.gossip.fact_id)
    if held is None:
        return True
    told = gossip_confidence(story.confidence)
    return told is not None and told > hearer.graph.facts[held].confidence


def _draft(story: _Story, teller: str, hearer: str) -> EventDraft:
    confidence = gossip_confidence(story.confidence)
    assert confidence is not None, "suspicions are left out before"
    gossip = story.gossip
    data: dict[str, Any] = {
        "about": gossip.about,
        "mind": gossip.mind,
        "fact_id": gossip.fact_id,
        "teller": teller,
        "teller_fact": story.fact_id,
        "confidence": confidence.value,
        "target": gossip.target,
        "hops": gossip.hops,
        "confrontation": gossip.confrontation,
    }
    if gossip.interaction_state is not None:
        data["interaction_state"] = gossip.interaction_state.value
    return EventDraft(mind=hearer, kind=EventKind.GOSSIP_HEARD, data=data)
