"""What is remembered: people, conversations, facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from talebearer.campaign.views._evidence import OccurrenceView


@dataclass(frozen=True, slots=True, kw_only=True)
class NpcView:
    """One NPC that the campaign met.

    Attributes:
        name: Canonical name.
        slug: Slug, once given it stays.
        profiled: Whether the content has a profile for the slug.
        sessions: The sessions whose registry has the name.
        kinds: How many occurrences of each kind, kinds without one left out.
        relationship: Where the party stands with them.
        confidence: How well the party knows them; ``None`` when not at all.
        draft: Whether everything about them is draft.
        game_master_only: Whether a decision keeps them for the game master.
    """

    name: str
    slug: str
    profiled: bool
    sessions: tuple[str, ...]
    kinds: Mapping[str, int]
    relationship: str
    confidence: str | None
    draft: bool
    game_master_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionView:
    """One tracked conversation of a mind.

    Attributes:
        id: Its fact id, ``interaction.{slug}_{number}``.
        target: The NPC, ``npc:{slug}``.
        state: active, completed, walked_away, confrontation or conflict_abandoned.
        confrontation: Whether it ever was a confrontation.
        started_tick: When it began.
        ended_tick: When it ended; ``None`` while it runs.
        location: Where, ``unknown`` when nobody said.
        topics: What it was about.
        player_initiated: Whether the player's side began it.
        session: The recorded session that it is from; ``None`` when it was played live.
        occurrence: The occurrence that proves it; ``None`` when it was played live.
    """

    id: str
    target: str
    state: str
    confrontation: bool
    started_tick: int
    ended_tick: int | None
    location: str
    topics: tuple[str, ...]
    player_initiated: bool
    session: str | None
    occurrence: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactView:
    """One fact that a mind knows, interactions apart.

    Attributes:
        id: Its id, ``category.topic``.
        confidence: How well it is known.
        state: active, contradicted or stale.
        learned_via: How it was learned, and from whom.
        acquired_tick: When.
        description: What the catalogue says of it; empty when no catalogue has it.
    """

    id: str
    confidence: str
    state: str
    learned_via: str
    acquired_tick: int
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What a mind remembers of one NPC.

    Attributes:
        mind: Whose memory it is.
        name: Canonical name.
        slug: Slug.
        aliases: Other names, of the profile.
        role: Role, of the profile.
        location: Place, of the profile.
        relationship: Where the mind stands with the NPC.
        confidence: How well it knows the NPC; ``None`` when not at all.
        attributes: What it observed of the NPC.
        occurrences: What the recorded sessions show; empty for minds other than the party.
        interactions: The conversations, in the order in which they began.
        facts: The facts that the NPC told.
        walked_away: Whether the mind ever walked out on the NPC.
        confronted: Whether there ever was a confrontation.
        game_master_only: Whether a decision keeps the NPC for the game master.
    """

    mind: str
    name: str
    slug: str
    aliases: tuple[str, ...]
    role: str | None
    location: str | None
    relationship: str
    confidence: str | None
    attributes: Mapping[str, str]
    occurrences: tuple[OccurrenceView, ...]
    interactions: tuple[InteractionView, ...]
    facts: tuple[FactView, ...]
    walked_away: bool
    confronted: bool
    game_master_only: bool = False
