"""Who sits at the table: players, their characters, game masters and guests.

None of them is ever an NPC. Labels are looked up NFC, trimmed and without regard to case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from talebearer.transcripts import Transcript, Unit

JOINED_LABELS = " & "
# What some logs put behind a name: whether the person or the character speaks.
_VOICE_MARK = re.compile(r"\s*[(\[](?:ic|ooc|in character|out of character)[)\]]$")
LONGEST_UNITS_MAX = 3


class SpeakerRole(StrEnum):
    """What a speaker label stands for."""

    GAME_MASTER = "game_master"
    PLAYER = "player"
    GUEST = "guest"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """One person at the table.

    Attributes:
        name: The person's name.
        labels: Speaker labels of the transcripts; the name is always one, too.
        characters: Player characters, first the one played now; empty for a game master.
    """

    name: str
    labels: tuple[str, ...] = ()
    characters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownSpeaker:
    """A label that the roster does not know.

    Attributes:
        label: As in the transcript; empty where the source names nobody.
        unit_count: How many units it speaks.
        longest: Its longest units, at most three, the longest first.
    """

    label: str
    unit_count: int
    longest: tuple[Unit, ...]


def fold_label(label: str) -> str:
    """Return *label* in the form that labels are compared in."""
    return unicodedata.normalize("NFC", label).strip().casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The people of a campaign.

    Attributes:
        players: Who plays a character.
        game_masters: Who may voice NPCs; a campaign can have several.
        guests: Who visits.

    Source: rule NI-roster.
    """

    players: tuple[Player, ...] = ()
    game_masters: tuple[Player, ...] = ()
    guests: tuple[Player, ...] = ()
    _by_label: Mapping[str, tuple[SpeakerRole, Player]] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        table: dict[str, tuple[SpeakerRole, Player]] = {}
        groups = (
            (SpeakerRole.GAME_MASTER, self.game_masters),
            (SpeakerRole.PLAYER, self.players),
            (SpeakerRole.GUEST, self.guests),
        )
        seated = [(role, person) for role, people in groups for person in people]
        for role, person in seated:
            for label in person.labels:
                table.setdefault(fold_label(label), (role, person))
        # A label says who speaks; somebody else's name may be spelt the same, and comes after it.
        for role, person in seated:
            table.setdefault(fold_label(person.name), (role, person))
        object.__setattr__(self, "_by_label", MappingProxyType(table))

    def role_of(self, label: str) -> SpeakerRole:
        """Return what *label* stands for; of joined labels, the first role of the order
        game master, player, guest that one of them has."""
        found = self.person_of(label)
        if found is not None:
            return found[0]
        parts = label.split(JOINED_LABELS)
        if len(parts) == 1:
            return SpeakerRole.UNKNOWN
        roles = {self.role_of(part) for part in parts}
        return next(role for role in SpeakerRole if role in roles)

    def person_of(self, label: str) -> tuple[SpeakerRole, Player] | None:
        """Return who speaks under *label* and as what, or None; joined labels are nobody's.

        A label such as ``Ana (OOC)`` is Ana's unless the roster has it itself.
        """
        folded = fold_label(label)
        found = self._by_label.get(folded)
        return found or self._by_label.get(_VOICE_MARK.sub("", folded))

    def character_of(self, label: str) -> str | None:
        """Return the first character that *label* plays, or None."""
        found = self.person_of(label)
        if found is None or not found[1].characters:
            return None
        return found[1].characters[0]

    @property
    def excluded_names(self) -> tuple[str, ...]:
        """Every name, label and character of the table and their single words, sorted."""
        names: set[str] = set()
        for person in (*self.players, *self.game_masters, *self.guests):
            for name in (person.name, *person.labels, *person.characters):
                whole = unicodedata.normalize("NFC", name).strip()
                names.update((whole, *whole.split()))
        names.discard("")
        return tuple(sorted(names))


def unknown_speakers(transcript: Transcript, roster: Roster) -> tuple[UnknownSpeaker, ...]:
    """Return the labels of *transcript* that *roster* does not know, in order of appearance."""
    units_by_label: dict[str, list[Unit]] = {}
    for unit in transcript.units:
        for label in _labels(unit.speaker, roster):
            if roster.role_of(label) is SpeakerRole.UNKNOWN:
                units_by_label.setdefault(label, []).append(unit)
    return tuple(
        UnknownSpeaker(label=label, unit_count=len(units), longest=_longest(units))
        for label, units in units_by_label.items()
    )


def _labels(speaker: str, roster: Roster) -> tuple[str, ...]:
    if roster.role_of(speaker) is SpeakerRole.UNKNOWN or JOINED_LABELS in speaker:
        return tuple(part.strip() for part in speaker.split(JOINED_LABELS))
    return (speaker,)


def _longest(units: Iterable[Unit]) -> tuple[Unit, ...]:
    ranked = sorted(units, key=lambda unit: (-len(unit.text), unit.unit_id))
    return tuple(ranked[:LONGEST_UNITS_MAX])
