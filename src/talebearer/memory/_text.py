"""A mind in words: who, how sure, what happened. Same mind, same text; for tests and people."""

from __future__ import annotations

from collections.abc import Iterator

from talebearer.memory._facts import (
    EntityKnowledge,
    FactKnowledge,
    GossipMetadata,
    InteractionMetadata,
    LearnedVia,
)
from talebearer.memory._mind import Mind
from talebearer.vocabulary import FactState, InteractionState

_TOLD_OF = {
    InteractionState.COMPLETED: "talked with",
    InteractionState.WALKED_AWAY: "walked out on",
    InteractionState.CONFLICT_ABANDONED: "stormed out on",
}


def render_text(mind: Mind) -> str:
    """Return what *mind* knows as lines of text with a final line feed.

    People by reference, each with the conversations by tick; then the other facts by id.
    """
    return "".join(f"{line}\n" for line in _lines(mind))


def _lines(mind: Mind) -> Iterator[str]:
    graph = mind.graph
    stress = f", stress {mind.stress}" if mind.stress else ""
    yield f"{mind.mind_id} at tick {mind.tick}{stress}"
    yield f"people: {len(graph.entities)}"
    for target, entity in graph.entities.items():
        yield f"  {_entity(mind, target, entity)}"
        for name, item in zip(
            graph.interaction_ids_with(target), graph.interactions_with(target), strict=True
        ):
            yield f"    {_interaction(name, item, graph.facts[name])}"
    others = [name for name, fact in graph.facts.items() if fact.metadata is None]
    yield f"facts: {len(others)}"
    for name in others:
        yield f"  {_fact(name, graph.facts[name])}"


def _entity(mind: Mind, target: str, entity: EntityKnowledge) -> str:
    parts = [f"{target}: {entity.relationship_state}", f"{entity.confidence}", _via(entity)]
    if entity.standing:
        parts.append(f"standing {entity.standing:+d}")
    if mind.grudge(target):
        parts.append(f"grudge {mind.grudge(target)}")
    if mind.forgiven_walk_aways(target):
        parts.append(f"{mind.forgiven_walk_aways(target)} forgiven")
    parts += [f"{name}={entity.attributes[name]}" for name in sorted(entity.attributes)]
    return ", ".join(parts)


def _interaction(name: str, item: InteractionMetadata, fact: FactKnowledge) -> str:
    span = f"tick {item.started_tick}"
    span += " on" if item.ended_tick is None else f" to {item.ended_tick}"
    parts = [f"{name}: {item.interaction_state}", f"{fact.confidence}", span, f"at {item.location}"]
    parts.append("begun" if item.player_initiated else "begun by the other")
    if item.confrontation:
        parts.append("confrontation")
    if item.left_by_other:
        parts.append("left by the other")
    if item.topics:
        parts.append(f"about {' '.join(item.topics)}")
    if item.others:
        parts.append(f"with {' '.join(item.others)}")
    return ", ".join(parts + _rest(fact))


def _fact(name: str, fact: FactKnowledge) -> str:
    said = [] if fact.gossip is None else [gossip_text(fact.gossip)]
    parts = [f"{name}: {fact.confidence}", *said, _via(fact), f"tick {fact.acquired_tick}"]
    return ", ".join(parts + _rest(fact))


def _rest(fact: FactKnowledge) -> list[str]:
    parts = [] if fact.state is FactState.ACTIVE else [fact.state.value]
    if fact.provenance:
        sessions = dict.fromkeys(receipt.session for receipt in fact.provenance)
        parts.append(f"recorded in {' '.join(sessions)}")
    return parts


def gossip_text(gossip: GossipMetadata) -> str:
    """Return what the story says, ``pc:wren walked out on npc:kael-davan``."""
    state = gossip.interaction_state
    if state is None or gossip.target is None:
        return f"{gossip.fact_id} of {gossip.mind}, about {gossip.about}"
    done = _TOLD_OF[state]
    if gossip.confrontation and state is InteractionState.COMPLETED:
        done = "quarrelled with"
    return f"{gossip.about} {done} {gossip.target}"


def _via(known: EntityKnowledge | FactKnowledge) -> str:
    via: LearnedVia = known.learned_via
    words = via.kind.value.replace("_", " ")
    payload = via.payload
    if "entity" in payload:
        words += f" {payload['entity']}"
    if "place" in payload:
        words += f" at {payload['place']}"
    if "from" in payload:
        words += f" from {' '.join(payload['from'])}"
    return words
