"""What the use cases return: plain values that print, serialise and compare.

Every view turns into JSON by :func:`to_json`; the field names are the contract of ``--json``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from talebearer.errors import Problem


def to_json(value: Any) -> Any:
    """Return *value* as JSON-ready data: views become objects, enumerations their strings."""
    if isinstance(value, Problem):
        return value.as_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_json(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(item) for item in value]
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One transcript unit as evidence.

    Attributes:
        unit_id: 1-based unit id.
        speaker: The label that the transcript gives.
        text: The unit's text, unchanged.
        time: When it was said, ``1:02:44``; ``None`` when the source has no times.
    """

    unit_id: int
    speaker: str
    text: str
    time: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OccurrenceView:
    """One evidence-cited occurrence.

    Attributes:
        id: Its id in the store, ``occurrence:{session}:{16 hex}``.
        session: The session that it is from.
        name: Canonical name of the NPC.
        slug: The NPC's slug.
        kind: One of the six kinds.
        ranges: Inclusive unit ranges.
        quotes: The cited units.
        draft: Whether no person and no model has looked at it.
        extractor: Who extracted it.
        decisions: Numbers of the decisions of review on it or its name.
        game_master_only: Whether a decision keeps it, or the NPC, for the game master.
    """

    id: str
    session: str
    name: str
    slug: str
    kind: str
    ranges: tuple[tuple[int, int], ...]
    quotes: tuple[Quote, ...]
    draft: bool
    extractor: str
    decisions: tuple[int, ...] = ()
    game_master_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerView:
    """A speaker label that the roster does not know, with its longest utterances.

    Attributes:
        label: The label.
        unit_count: How many units carry it.
        longest: Up to three units, the longest first.
    """

    label: str
    unit_count: int
    longest: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpeakers:
    """The speakers of one transcript, and those that nobody has claimed.

    Attributes:
        source: The session's id, or the file's path as it was given.
        recorded: Whether it is a recorded session.
        unit_count: How many units it has.
        speakers: All labels in order of appearance.
        unknown: Those that the roster lacks; an empty label where the source names nobody.
    """

    source: str
    recorded: bool
    unit_count: int
    speakers: tuple[str, ...]
    unknown: tuple[SpeakerView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """Who a speaker label is.

    Attributes:
        label: The label.
        role: player, game_master or guest.
        person: The person's name.
        characters: Whom the person was said to play.
        already: Whether campaign.toml had all of it before.
    """

    label: str
    role: str
    person: str
    characters: tuple[str, ...]
    already: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsView:
    """What ``speakers`` wrote.

    Attributes:
        file: The campaign.toml.
        seats: The seats that were asked for.
        changed: Whether the file was written.
    """

    file: str
    seats: tuple[SeatView, ...]
    changed: bool


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
class Recording:
    """What ``record`` did.

    Attributes:
        session: Session id.
        file: Name of the transcript file.
        format: The format that it was read as.
        digest: ``sha256:`` and hex of its bytes.
        already: Whether it was recorded before, so that nothing changed.
        replaced: Whether it took the place of another transcript.
        unit_count: Number of units.
        duration_s: Seconds from the first to the last time; ``None`` without times.
        speakers: Labels in order of appearance.
        unknown_speakers: Labels that the roster does not know.
        npcs: Registry names in order of appearance.
        occurrences: What passed, in artifact order.
        problems: Warnings of reading and extraction.
        base_tick: The tick at which the session begins.
        extractor: Who extracted; ``None`` when nothing was extracted now.
        complete: Whether no part was refused by the model; ``None`` likewise.
        usage: What a model run used: requests, tokens, dollars; ``None`` when no model was asked now.
    """

    session: str
    file: str
    format: str
    digest: str
    already: bool
    replaced: bool
    unit_count: int
    duration_s: float | None
    speakers: tuple[str, ...]
    unknown_speakers: tuple[SpeakerView, ...]
    npcs: tuple[str, ...]
    occurrences: tuple[OccurrenceView, ...]
    problems: tuple[Problem, ...]
    base_tick: int
    extractor: str | None = None
    complete: bool | None = None
    usage: Mapping[str, Any] | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """One gate of a line: what it asks, what was found, and what that rests on.

    Attributes:
        text: The condition.
        met: Whether it holds.
        found: The value found.
        fact_ids: The facts and conversations that the answer rests on.
        entities: The entities that it is about.
    """

    text: str
    met: bool
    found: str
    fact_ids: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedView:
    """A fact that a line told.

    Attributes:
        id: The fact's id.
        confidence: How well it is known from the line.
        description: What the catalogue says of it.
    """

    id: str
    confidence: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A line that was said or thought, or the reason why none was.

    Attributes:
        text: What is said; ``None`` when no line fits.
        reference: ``POOL:LINE``, for ``why``.
        speaker: The slug or the player character.
        tick: When.
        interaction: The conversation it belongs to; ``None`` for a thought.
        location: Where.
        gates: The gates that the line passed.
        learned: Facts learned from it.
        eligible: How many lines could have been picked.
        probability: The chance that this one had.
        funnel: How many lines were left after each step.
    """

    text: str | None
    reference: str | None
    speaker: str
    tick: int
    interaction: str | None
    location: str
    gates: tuple[GateView, ...] = ()
    learned: tuple[LearnedView, ...] = ()
    eligible: int = 0
    probability: float | None = None
    funnel: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsequenceView:
    """One step of what follows from the end of a conversation.

    Attributes:
        step: threshold, relationship, stress, memory, drift or forgiveness.
        changed: Whether it changes anything.
        text: What was found and decided, in words.
    """

    step: str
    changed: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a conversation ended or changed.

    Attributes:
        interaction: Its fact id.
        target: The NPC, ``npc:{slug}``.
        state: Its state now.
        confrontation: Whether it ever was a confrontation.
        tick: When.
        consequences: What follows from it, step by step, and why.
    """

    interaction: str
    target: str
    state: str
    confrontation: bool
    tick: int
    consequences: tuple[ConsequenceView, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One step of the answer to "why", with what it rests on.

    Attributes:
        kind: ``line``, ``scene``, ``gate``, ``draw``, ``fact``, ``interaction``, ``entity``,
            ``event``, ``occurrence``, ``decision``, ``transcript`` or ``unit``.
        id: Its id, where it has one.
        text: One sentence for people.
        children: What it rests on.
    """

    kind: str
    text: str
    id: str | None = None
    children: tuple[Evidence, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """One event of a mind's log, in words.

    Attributes:
        stream: ``live``, or the recorded session's stream.
        tick: When.
        kind: What happened.
        target: The NPC's slug, for events that have one.
        speaker: Who said or thought the line: an NPC's slug or a player character.
        text: The line that was said or thought; else a few words.
        reference: ``POOL:LINE`` of a line, the id of the conversation that began, or of the fact.
        known: Whether the content still has the line.
    """

    stream: str
    tick: int
    kind: str
    target: str | None
    text: str
    reference: str | None
    known: bool = True
    speaker: str | None = None
