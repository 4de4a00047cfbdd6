"""Recall: who was met, and what a mind remembers of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from talebearer.campaign._names import Npc
from talebearer.campaign._record import view_occurrence
from talebearer.campaign.records import Book, StoredOccurrence
from talebearer.campaign.review import People
from talebearer.campaign.views import (
    FactView,
    InteractionView,
    NpcView,
    OccurrenceView,
    Recollection,
)
from talebearer.lines import Pack
from talebearer.memory import KnowledgeGraph, Mind
from talebearer.vocabulary import OccurrenceKind

UNKNOWN = "unknown"


def npc_views(
    book: Book, npcs: Mapping[str, Npc], mind: Mind, people: People
) -> tuple[NpcView, ...]:
    """Return everybody that a session names or the mind knows, those with most to tell first."""
    by_slug: dict[str, list[StoredOccurrence]] = {}
    for item in book.occurrences():
        by_slug.setdefault(item.slug, []).append(item)
    registries = {record.id: set(book.registry(record.id)) for record in book.sessions()}
    views = []
    for npc in npcs.values():
        items = by_slug.get(npc.slug, [])
        counted = Counter(item.kind for item in items)
        entity = mind.graph.entity(f"npc:{npc.slug}")
        met_in = [session for session, names in registries.items() if names & set(npc.names)]
        if not met_in and entity is None:
            continue
        views.append(
            NpcView(
                name=npc.name,
                slug=npc.slug,
                profiled=npc.profile is not None,
                sessions=tuple(met_in),
                kinds={kind.value: counted[kind] for kind in OccurrenceKind if counted[kind]},
                relationship=entity.relationship_state.value if entity else UNKNOWN,
                confidence=entity.confidence.value if entity else None,
                draft=bool(met_in)
                and npc.slug not in people.settled
                and all(item.draft for item in items),
                game_master_only=npc.slug in people.hidden,
            )
        )
    return tuple(sorted(views, key=lambda view: (-_weight(view), view.slug)))


def _weight(view: NpcView) -> int:
    """Rank by what passed, so that a bare mention does not hide a conversation."""
    return sum(
        count * (1 if kind == OccurrenceKind.MENTIONED else 10)
        for kind, count in view.kinds.items()
    )


def recollect(book: Book, npc: Npc, mind: Mind, pack: Pack, people: People) -> Recollection:
    """Return what *mind* remembers of *npc*.

    Occurrences are the party's: another mind was not at the table.
    """
    target = f"npc:{npc.slug}"
    graph = mind.graph
    entity = graph.entity(target)
    profile = npc.profile
    return Recollection(
        mind=mind.mind_id,
        name=npc.name,
        slug=npc.slug,
        aliases=profile.aliases if profile else (),
        role=profile.role if profile else None,
        location=profile.location if profile else None,
        relationship=entity.relationship_state.value if entity else UNKNOWN,
        confidence=entity.confidence.value if entity else None,
        attributes=dict(entity.attributes) if entity else {},
        occurrences=occurrence_views(book, people, npc.slug) if mind.mind_id == "party" else (),
        interactions=interaction_views(graph, target),
        facts=fact_views(graph, pack, target),
        walked_away=graph.has_walked_away_from(target),
        confronted=graph.has_confronted(target),
        game_master_only=npc.slug in people.hidden,
    )


def occurrence_views(
    book: Book, people: People, slug: str | None = None
) -> tuple[OccurrenceView, ...]:
    """Return the occurrences of one NPC, or all, in campaign order, with quotes."""
    return tuple(
        view_occurrence(item, book.transcript(item.session), hidden=item.slug in people.hidden)
        for item in book.occurrences()
        if slug is None or item.slug == slug
    )


def interaction_views(graph: KnowledgeGraph, target: str) -> tuple[InteractionView, ...]:
    """Return the conversations with *target*, in the order in which they began."""
    views = []
    for fact_id in graph.interaction_ids_with(target):
        fact = graph.facts[fact_id]
        meta = fact.metadata
        assert meta is not None, "an interaction id names a fact with metadata"
        receipt = fact.provenance[0] if fact.provenance else None
        views.append(
            InteractionView(
                id=fact_id,
                target=meta.target_entity,
                state=meta.interaction_state.value,
                confrontation=meta.confrontation,
                started_tick=meta.started_tick,
                ended_tick=meta.ended_tick,
                location=meta.location,
                topics=meta.topics,
                player_initiated=meta.player_initiated,
                session=receipt.session if receipt else None,
                occurrence=receipt.occurrence if receipt else None,
            )
        )
    return tuple(views)


def fact_views(
    graph: KnowledgeGraph, pack: Pack, teller: str | None = None
) -> tuple[FactView, ...]:
    """Return the facts that a mind knows, interactions apart, or those that *teller* told."""
    views = []
    for fact_id, fact in graph.facts.items():
        via = fact.learned_via
        if fact.metadata is not None:
            continue
        if teller is not None and via.payload.get("entity") != teller:
            continue
        entity = via.payload.get("entity")
        views.append(
            FactView(
                id=fact_id,
                confidence=fact.confidence.value,
                state=fact.state.value,
                learned_via=f"{via.kind.value} {entity}" if entity else via.kind.value,
                acquired_tick=fact.acquired_tick,
                description=pack.facts.get(fact_id, ""),
            )
        )
    return tuple(views)
