"""What a recording brought, and who speaks in transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.campaign.views._evidence import OccurrenceView, Quote
from talebearer.errors import Problem


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
