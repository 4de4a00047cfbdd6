"""What an extractor works from: one transcript, the people at the table, known spellings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from talebearer.extraction._roster import JOINED_LABELS, Roster
from talebearer.transcripts import Transcript

Glossary = Mapping[str, tuple[str, ...]]
"""Canonical name -> its other spellings and aliases, for look-up only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One transcript and what is known beside it.

    Attributes:
        transcript: The current source; the only evidence there is.
        roster: Who sits at the table.
        glossary: Other spellings of canonical names.
        kept: What a component worked out of the rest, under its own key, for its next lane; it
            follows from the rest, and so is no part of what the session is.
    """

    transcript: Transcript
    roster: Roster
    glossary: Glossary
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def at_table(self) -> tuple[str, ...]:
        """Every name that is no NPC's: the roster's, and all speaker labels of the transcript."""
        labels = {
            part.strip()
            for speaker in self.transcript.speakers
            for part in speaker.split(JOINED_LABELS)
        }
        return tuple(sorted({*self.roster.excluded_names, *labels} - {""}))
