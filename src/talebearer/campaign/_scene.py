"""The scene of a conversation: what a caller leaves out is filled in here.

Source: design of scenes: relationship decides access and trust; ``[scene]`` of campaign.toml, the
profile's ``scene`` and the caller's options override, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.campaign._config import SceneDefaults
from talebearer.lines import Pack, Scene
from talebearer.memory import KnowledgeGraph
from talebearer.vocabulary import RelationshipState, TrustTier

NOWHERE = "unknown"

_BY_RELATIONSHIP: dict[RelationshipState, tuple[str, str]] = {
    RelationshipState.UNKNOWN: ("public", TrustTier.SURFACE),
    RelationshipState.KNOWN: ("public", TrustTier.SURFACE),
    RelationshipState.PERSON_OF_INTEREST: ("public", TrustTier.SURFACE),
    RelationshipState.FRIENDLY: ("peer", TrustTier.REAL),
    RelationshipState.HOSTILE: ("hostile", TrustTier.SURFACE),
}


_OPEN = SceneDefaults()


def scene_for(
    slug: str,
    pack: Pack,
    graph: KnowledgeGraph,
    *,
    campaign: SceneDefaults,
    options: SceneDefaults,
) -> Scene:
    """Return the scene in which *slug* speaks to the mind whose graph is *graph*.

    A situation that nobody chose is left out where the content's enumeration does not have it.
    """
    profile = pack.profiles.get(slug)
    declared = pack.enums.situations
    entity = graph.entity(f"npc:{slug}")
    state = RelationshipState.UNKNOWN if entity is None else entity.relationship_state
    access, trust = _BY_RELATIONSHIP[state]
    location = (profile.location if profile else None) or NOWHERE
    situations: tuple[str, ...] = ("social",) if "social" in declared else ()
    topics: tuple[str, ...] = ()
    moods: tuple[str, ...] = ()
    own = _from_profile(profile.scene) if profile and profile.scene else _OPEN
    for layer in (campaign, own, options):
        if layer is _OPEN:
            continue
        location = layer.location or location
        access = layer.access or access
        trust = layer.trust or trust
        situations = situations if layer.situations is None else layer.situations
        topics = topics if layer.topics is None else layer.topics
        moods = moods if layer.moods is None else layer.moods
    heated = _confronting(graph, slug) and "confrontation" in declared
    if heated and "confrontation" not in situations:
        situations = (*situations, "confrontation")
    return Scene(
        location=location,
        access=access,
        trust=trust,
        situations=situations,
        topics=topics,
        moods=moods,
    )


def _confronting(graph: KnowledgeGraph, slug: str) -> bool:
    active = graph.active_interaction()
    return (
        active is not None
        and active.target_entity == f"npc:{slug}"
        and active.interaction_state == "confrontation"
    )


def _from_profile(scene: Mapping[str, Any]) -> SceneDefaults:
    def texts(key: str) -> tuple[str, ...] | None:
        return tuple(scene[key]) if key in scene else None

    return SceneDefaults(
        location=scene.get("location"),
        situations=texts("situations"),
        access=scene.get("access"),
        trust=scene.get("trust"),
        topics=texts("topics"),
        moods=texts("moods"),
    )
