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
from talebearer.memory._facts import FactKnowledge, InteractionMetadata
from talebearer.memory._mind import Mind
from talebearer.memory._state import History, MindState
from talebearer.memory._told import GOSSIP_MOST
from talebearer.vocabulary import Confidence, EventKind, FactState, RelationshipState

_CONFIDENCES = tuple(Confidence)
_RANK = {confidence: rank for rank, confidence in enumerate(_CONFIDENCES)}
_SUSPECTS = Confidence.SUSPECTS
_HOLDS = FactState.ACTIVE
_HOSTILE = RelationshipState.HOSTILE


_TOLD_AS: Mapping[Confidence, Confidence | None] = {
    confidence: _CONFIDENCES[min(rank - 1, _RANK[GOSSIP_MOST])] if rank else None
    for confidence, rank in _RANK.items()
}


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
    """Something that one mind can tell, newest first.

    Attributes:
        order: The age, negative and so the newest first, and the mind and the fact that it is of.
        name: The fact of the teller that holds it.
        fact: That fact.
        involved: Who took part.
    """

    order: tuple[int, str, str]
    name: str
    fact: FactKnowledge
    involved: tuple[str, ...]


def gossip_confidence(confidence: Confidence) -> Confidence | None:
    """Return how sure somebody is who is told what the teller knows at *confidence*.

    One step less, and never more than ``knows_of``; None for a suspicion, which is not passed on.

    Source: IM-M7.
    """
    return _TOLD_AS[confidence]


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
    told: set[tuple[str, str, str]] = set()
    drafts: list[EventDraft] = []
    for teller, hearers in _meeting(minds, meetings):
        mind = minds[teller]
        stories = sorted(_stories(mind, tick, policy))
        for hearer in hearers if stories else ():
            known = mind.graph.entity(hearer)
            if known is not None and known.relationship_state is _HOSTILE:
                continue
            passed = 0
            for story in stories:
                key = (hearer, story.order[1], story.order[2])
                if passed == policy.stories_max or len(drafts) == policy.drafts_max:
                    break
                if key in told or not _is_news(story, minds[hearer]):
                    continue
                told.add(key)
                drafts.append(_draft(story, teller, hearer))
                passed += 1
    return tuple(drafts)


def _meeting(
    minds: Mapping[str, Mind], meetings: Iterable[Iterable[str]]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each who meets somebody and has anything to tell at all, with those whom it meets, in order."""
    met: dict[str, set[str]] = {}
    tellers = [
        name for name, mind in minds.items() if name.startswith("npc:") and _may_tell(mind._state)
    ]
    if not tellers:
        return
    for meeting in meetings:
        there = {name for name in meeting if name.startswith("npc:") and name in minds}
        for name in there.intersection(tellers):
            met.setdefault(name, set()).update(there)
    for name in sorted(met):
        yield name, sorted(met[name] - {name})


def _may_tell(state: MindState) -> bool:
    """Whether a mind may hold a story; most hold none, and their conversations need no look."""
    if state.told:
        return True
    for history in state.histories.values():  # noqa: SIM110 - asked of all present after every conversation
        if history.walked or history.left or history.confronted:
            return True
    return False


def _tellable(history: History) -> bool:
    return bool(history.walked or history.left or history.confronted)


def _stories(mind: Mind, tick: int, policy: GossipPolicy) -> Iterator[_Story]:
    """Yield what a mind can tell, in no order: those who ask sort the stories."""
    state = mind._state
    facts = state.facts
    found = [
        _own(state.mind_id, name, facts[name])
        for history in state.histories.values()
        if _tellable(history)
        for name in history.names
    ]
    found += [_passed_on(name, facts[name], policy) for name in state.told.values()]
    for story in found:
        if story is None or story.fact.state is not _HOLDS or story.fact.confidence is _SUSPECTS:
            continue
        age = tick + story.order[0]
        if age >= 0 and (policy.age_ticks_max is None or age <= policy.age_ticks_max):
            yield story


def _own(mind: str, name: str, fact: FactKnowledge) -> _Story | None:
    """Return the story of a conversation that the teller was in, if it is worth telling."""
    metadata = fact.metadata
    if metadata is None or metadata.ended_tick is None:
        return None
    if not (metadata.interaction_state.walk_away or metadata.confrontation):
        return None
    involved = (mind, metadata.target_entity, *metadata.others)
    return _Story((-metadata.ended_tick, mind, name), name, fact, involved)


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
    involved = (gossip.mind, gossip.about, gossip.target or "", gossip.teller)
    order = (-fact.acquired_tick, gossip.mind, gossip.fact_id)
    return _Story(order, name, fact, involved)


def _is_news(story: _Story, hearer: Mind) -> bool:
    if hearer._state.mind_id in story.involved:
        return False
    held = hearer.graph.gossip_of(story.order[1], story.order[2])
    if held is None:
        return True
    told = gossip_confidence(story.fact.confidence)
    return told is not None and _RANK[told] > _RANK[hearer._state.facts[held].confidence]


def _draft(story: _Story, teller: str, hearer: str) -> EventDraft:
    confidence = gossip_confidence(story.fact.confidence)
    assert confidence is not None, "suspicions are left out before"
    data: dict[str, Any] = {
        "about": "",
        "mind": story.order[1],
        "fact_id": story.order[2],
        "teller": teller,
        "teller_fact": story.name,
        "confidence": confidence.value,
    }
    metadata, gossip = story.fact.metadata, story.fact.gossip
    if metadata is not None:
        data["about"], data["target"] = _roles(teller, metadata)
        data["hops"] = 1
        data["confrontation"] = metadata.confrontation
        data["interaction_state"] = metadata.interaction_state.value
    elif gossip is not None:
        data["about"], data["target"] = gossip.about, gossip.target
        data["hops"] = gossip.hops + 1
        data["confrontation"] = gossip.confrontation
        if gossip.interaction_state is not None:
            data["interaction_state"] = gossip.interaction_state.value
    return EventDraft.of(hearer, EventKind.GOSSIP_HEARD, data)
