"""The scene of a conversation: what a caller leaves out is filled in here.

Source: design of scenes: relationship decides access and trust; ``[scene]`` of campaign.toml, the
profile's ``scene`` and the caller's options override, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from talebearer.campaign._config import SceneDefaults
from talebearer.lines import Enums, Pack, Scene
from talebearer.memory import KnowledgeGraph
from talebearer.vocabulary import InteractionState, RelationshipState, TrustTier

NOWHERE = "unknown"

_Tiers = Mapping[RelationshipState, tuple[str, str]]
_BY_RELATIONSHIP: _Tiers = {
    RelationshipState.UNKNOWN: ("public", TrustTier.SURFACE),
    RelationshipState.KNOWN: ("public", TrustTier.SURFACE),
    RelationshipState.PERSON_OF_INTEREST: ("public", TrustTier.SURFACE),
    RelationshipState.FRIENDLY: ("peer", TrustTier.REAL),
    RelationshipState.HOSTILE: ("hostile", TrustTier.SURFACE),
}
_USUAL_ACCESS = {access for access, _ in _BY_RELATIONSHIP.values()}
_USUAL_TRUST = {trust for _, trust in _BY_RELATIONSHIP.values()}

_OPEN = SceneDefaults()
_UNKNOWN = RelationshipState.UNKNOWN
_CONFRONTING = InteractionState.CONFRONTATION
_CONFRONTATION = "confrontation"


class SceneBase(NamedTuple):
    """What a speaker's scenes have in common while settings, profile and options stay the same.

    Attributes:
        reference: The speaker as minds name it.
        location: Where.
        access: The access tier; None leaves it to the relationship.
        trust: The trust tier; None as well.
        situations: What is going on.
        topics: Topics.
        moods: Moods.
        tiers: The access and the trust tier that each relationship gives.
        heats: Whether the content has a situation for a confrontation.
    """

    reference: str
    location: str
    access: str | None
    trust: str | None
    situations: tuple[str, ...]
    topics: tuple[str, ...]
    moods: tuple[str, ...]
    tiers: _Tiers
    heats: bool

    def scene(
        self,
        graph: KnowledgeGraph,
        *,
        topics: tuple[str, ...] | None = None,
        more: tuple[str, ...] = (),
    ) -> Scene:
        """Return the scene of one line.

        Args:
            graph: What the listener knows now.
            topics: Instead of those that are here; None keeps them.
            more: What else is going on.
        """
        reference = self.reference
        entity = graph.entity(reference)
        state = _UNKNOWN if entity is None else entity.relationship_state
        access, trust = self.tiers[state]
        situations = self.situations
        active = graph.active_interaction() if self.heats else None
        if (
            active is not None
            and active.interaction_state is _CONFRONTING
            and active.target_entity == reference
            and _CONFRONTATION not in situations
        ):
            situations = (*situations, _CONFRONTATION)
        for word in more:
            if word not in situations:
                situations = (*situations, word)
        return Scene.of(
            self.location,
            self.access or access,
            self.trust or trust,
            situations,
            self.topics if topics is None else topics,
            self.moods,
        )


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
    return scene_base(slug, pack, campaign=campaign, options=options).scene(graph)


def scene_base(
    slug: str, pack: Pack, *, campaign: SceneDefaults, options: SceneDefaults
) -> SceneBase:
    """Return what all scenes of *slug* have in common under these settings and *options*."""
    profile = pack.profiles.get(slug)
    declared = pack.enums.situations
    access: str | None = None
    trust: str | None = None
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
    return SceneBase(
        f"npc:{slug}",
        location,
        access,
        trust,
        situations,
        topics,
        moods,
        _tiers(pack.enums),
        _CONFRONTATION in declared,
    )


def _tiers(enums: Enums) -> _Tiers:
    """Return which tiers each relationship gives: the least one for a tier that content has not."""
    if _USUAL_ACCESS.issubset(enums.access) and _USUAL_TRUST.issubset(enums.trust):
        return _BY_RELATIONSHIP

    def declared(tier: str, tiers: tuple[str, ...]) -> str:
        return tier if tier in tiers or not tiers else tiers[0]

    return {
        state: (declared(access, enums.access), declared(trust, enums.trust))
        for state, (access, trust) in _BY_RELATIONSHIP.items()
    }


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
