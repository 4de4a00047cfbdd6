"""What proves a statement: units that are quoted, occurrences, chains of reasons, what happened."""

from __future__ import annotations

from dataclasses import dataclass, field


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
