"""The enumerations that a new campaign starts with; a campaign's own files replace them."""

from __future__ import annotations

from typing import NamedTuple


class EnumValue(NamedTuple):
    """One value of an authored enumeration.

    Attributes:
        value: The word used in pools.
        description: What it means, for writers.
        letter: The segment in monologue line ids; only characters have one.
    """

    value: str
    description: str
    letter: str = ""


def _values(*pairs: tuple[str, str]) -> tuple[EnumValue, ...]:
    return tuple(EnumValue(value, description) for value, description in pairs)


DEFAULT_ENUMS: dict[str, tuple[EnumValue, ...]] = {
    "access": _values(
        ("public", "Anybody may hear it."),
        ("insider", "For members of the group and established regulars."),
        ("authority", "For people who speak for an institution."),
        ("peer", "For equals who have earned personal trust."),
        ("hostile", "For when the relationship has broken down."),
    ),
    "trust": _values(
        ("surface", "Safe and non-committal, what one tells a stranger."),
        ("real", "Honest opinions, complaints and worries."),
        ("secret", "What one would normally hide."),
    ),
    "situations": _values(
        ("arrival", "Somebody has just come in."),
        ("shift_start", "Work begins."),
        ("shift_end", "Work is over."),
        ("shift_transition", "One crew hands over to the next."),
        ("bar_evening", "An evening over drinks."),
        ("night_shift", "The quiet hours of work at night."),
        ("investigation", "Somebody is asking questions for a reason."),
        ("confrontation", "An accusation or a quarrel is in the open."),
        ("social", "Ordinary company."),
        ("alone", "Nobody else can hear."),
        ("emergency", "There is no time."),
        ("routine", "A day like any other."),
        ("observation", "The speaker is watching something happen."),
    ),
    "topics": _values(
        ("colleague", "The people one works with."),
        ("routine", "How days usually go."),
        ("cargo", "Goods and how they move."),
        ("money", "What is owed, paid and wanted."),
        ("trust", "Who can be relied on."),
        ("danger", "What could go badly."),
        ("institution", "Offices, laws and those who enforce them."),
        ("personal", "Family, past and feelings."),
        ("investigation", "What somebody is trying to find out."),
    ),
    "moods": _values(
        ("anxious", "Expecting trouble."),
        ("frustrated", "Held up, and tired of it."),
        ("content", "At ease."),
        ("suspicious", "Looking for the catch."),
        ("warm", "Glad of the company."),
        ("hostile", "Ready to hurt."),
        ("relieved", "It could have been worse."),
        ("focused", "Busy with one thing."),
    ),
    "triggers": _values(
        ("enter_location", "The character comes to a place."),
        ("observe_npc", "The character watches somebody."),
        ("hear_sound", "The character hears something."),
        ("observe_anomaly", "Something is not as it should be."),
        ("post_conversation", "A conversation has just ended."),
        ("discover_evidence", "The character finds proof of something."),
        ("witness_interaction", "The character sees two others deal with each other."),
        ("time_idle", "Nothing has happened for a while."),
        ("return_visit", "The character comes back to a place."),
    ),
    "characters": (
        EnumValue("smuggler", "The player character who moves goods past the tollhouse.", "s"),
        EnumValue("detective", "The player character who looks into things.", "d"),
    ),
}
"""File stem of the enumeration to its values, in order."""
