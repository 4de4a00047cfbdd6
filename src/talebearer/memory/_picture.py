"""Who knows what of whom, and how sure: data that a page can draw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from talebearer.memory._mind import Mind
from talebearer.memory._text import gossip_text
from talebearer.vocabulary import InteractionState


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Somebody in the picture.

    Attributes:
        id: The mind id or entity reference.
        is_mind: Whether its mind was given, so that edges lead from it.
        fact_count: Facts that its mind holds besides conversations and gossip.
        stress: Its stress; 0 where no mind was given.
    """

    id: str
    is_mind: bool
    fact_count: int
    stress: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What one mind knows of one character.

    Attributes:
        source: The mind.
        target: The character.
        confidence: How well it knows of it.
        sureness: The same as a number, 1 for ``suspects`` to 4 for ``direct``.
        relationship: Where the two stand.
        standing: On what terms, -1000 to 1000.
        conversations: How many they had.
        walk_aways: How many of them the mind's own side walked out of.
        left: How many the other side walked out of.
        confrontations: How many had ever been one.
        in_progress: Whether they are talking now.
        gossip: What the mind was told of the character, in words, in order of hearing.
    """

    source: str
    target: str
    confidence: str
    sureness: int
    relationship: str
    standing: int
    conversations: int
    walk_aways: int
    left: int
    confrontations: int
    in_progress: bool
    gossip: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Nodes in order of id, edges in order of source and target."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the picture as a JSON object."""
        edges = [{**asdict(edge), "gossip": list(edge.gossip)} for edge in self.edges]
        return {"nodes": [asdict(node) for node in self.nodes], "edges": edges}


def picture_of(minds: Iterable[Mind]) -> Picture:
    """Return the picture of *minds*, whose order does not matter.

    Whoever is only known from gossip is a node, too, with an edge of confidence ``suspects`` or
    ``knows_of``, whichever the surest story has.
    """
    by_id = {mind.mind_id: mind for mind in minds}
    edges = [edge for name in sorted(by_id) for edge in _edges(by_id[name])]
    names = sorted({*by_id, *(edge.target for edge in edges)})
    return Picture(nodes=tuple(_node(name, by_id.get(name)) for name in names), edges=tuple(edges))


def _node(name: str, mind: Mind | None) -> Node:
    if mind is None:
        return Node(id=name, is_mind=False, fact_count=0, stress=0)
    facts = mind.graph.facts.values()
    count = sum(fact.metadata is None and fact.gossip is None for fact in facts)
    return Node(id=name, is_mind=True, fact_count=count, stress=mind.stress)


def _edges(mind: Mind) -> list[Edge]:
    stories: dict[str, list[str]] = {}
    for name, fact in mind.graph.facts.items():
        if fact.gossip is not None:
            stories.setdefault(fact.gossip.about, []).append(name)
    targets = sorted({*mind.graph.entities, *stories} - {mind.mind_id})
    return [_edge(mind, target, stories.get(target, [])) for target in targets]


def _edge(mind: Mind, target: str, stories: list[str]) -> Edge:
    graph = mind.graph
    entity = graph.entity(target)
    facts = [graph.facts[name] for name in stories]
    facts.sort(key=lambda fact: (fact.acquired_tick, fact.origin))
    sure = max(fact.confidence for fact in facts) if entity is None else entity.confidence
    active = graph.active_interaction()
    return Edge(
        source=mind.mind_id,
        target=target,
        confidence=sure.value,
        sureness=sure.rank + 1,
        relationship="unknown" if entity is None else entity.relationship_state.value,
        standing=graph.standing_with(target),
        conversations=graph.interaction_count_with(target),
        walk_aways=graph.walk_away_count_from(target),
        left=sum(item.left_by_other for item in graph.interactions_with(target)),
        confrontations=graph.interaction_count_with(target, InteractionState.CONFRONTATION),
        in_progress=active is not None and target in active.participants,
        gossip=tuple(gossip_text(fact.gossip) for fact in facts if fact.gossip is not None),
    )
