"""Whose turn it is in a fight, and what is told in it.

A turn order names people without saying anything about their side; what is told after the call,
until the next one, does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from talebearer.extraction.rules import _cues as cues
from talebearer.extraction.rules._reading import ReadUnit
from talebearer.extraction.rules._uses import Use

TURN_UNITS_MAX = 14
TURN_CHARS_MAX = 1_500

TURN_BEFORE = re.compile(
    r"(?:^|\b(?:up next(?: is)?|on deck|next (?:is|up)|brings? us (?:back |now )?to|down to|"
    r"coming to|come back to|followed by|top of the round|turn|then|now|and|by)[,:]?)\s*$"
)
TURN_AFTER = re.compile(
    r"^\s*(?:[,.!?-]*\s*$|[,.-]+\s*(?:you're|your|it's|is) (?:up|next|on deck|turn|go)|"
    r"(?:'s|is) (?:up|next|on deck|turn)|and then|then\b)"
)
TURN_OWNED = re.compile(r"^\s*(?:'s )?(?:turn|go|round|initiative)\b")
ENDS_BEFORE = re.compile(r"\b(?:ends?|finish(?:es)?|end of|after|before)\s+(?:\w+ )?$")
OTHER_TURN = re.compile(
    r"\b(?:ends? (?:your|his|her|its|their) turn|(?:your|my) turn|you're up|up next|brings us to|"
    r"that's my turn|top of the round)\b"
)


class Turn(NamedTuple):
    """A part of a unit that belongs to somebody's turn.

    Attributes:
        name: Whose turn it is.
        unit_id: The unit.
        text: What is told there, lower case.
        targets: Others at whom something is aimed there, in order.
    """

    name: str
    unit_id: int
    text: str
    targets: tuple[str, ...]


def is_turn_call(use: Use) -> bool:
    """Whether *use* only says whose turn it is, or whose turn ends."""
    if not use.told or use.quoted:
        return False
    after = use.after[:40]
    if TURN_OWNED.search(after):
        return True
    return TURN_BEFORE.search(use.before) is not None and TURN_AFTER.search(after) is not None


def find_turns(
    units: Sequence[ReadUnit], uses: Mapping[int, Sequence[Use]], *, fights: Mapping[int, int]
) -> list[Turn]:
    """Return what is told in the turns of named people, in the order of the transcript.

    Args:
        units: The session.
        uses: Unit id -> the uses of names in it.
        fights: Unit id -> number of its fight.
    """
    found: list[Turn] = []
    holder: str | None = None
    since = 0
    for unit in units:
        if unit.unit_id not in fights or unit.unit_id - since > TURN_UNITS_MAX:
            holder = None
        if unit.unit_id not in fights:
            continue
        if not unit.told:
            holder = None if OTHER_TURN.search(unit.low) else holder
            continue
        for start, end, name in _parts(unit, uses[unit.unit_id], holder):
            if name is not None:
                found.append(_turn(unit, uses[unit.unit_id], name, (start, end)))
            if name != holder:
                holder, since = name, unit.unit_id
    return found


def _turn(unit: ReadUnit, uses: Sequence[Use], name: str, span: tuple[int, int]) -> Turn:
    start, end = span
    first, last = (bisect_left(uses, at, key=_start) for at in (start, end))
    targets = tuple(
        use.name for use in uses[first:last] if use.name != name and cues.SHOT_AT.search(use.before)
    )
    return Turn(name, unit.unit_id, unit.low[start : min(end, start + TURN_CHARS_MAX)], targets)


def _start(use: Use) -> int:
    return use.start


def _parts(
    unit: ReadUnit, uses: Iterable[Use], holder: str | None
) -> list[tuple[int, int, str | None]]:
    """Return the parts of *unit* as start, end and whose turn it is in them."""
    marks: dict[int, str | None] = {match.start(): None for match in OTHER_TURN.finditer(unit.low)}
    for use in uses:
        if is_turn_call(use):
            marks[use.start] = None if ENDS_BEFORE.search(use.before) else use.name
    places = sorted(marks)
    parts = [(0, places[0] if places else len(unit.low), holder)]
    for at, place in enumerate(places):
        end = places[at + 1] if at + 1 < len(places) else len(unit.low)
        parts.append((place, end, marks[place]))
    return [part for part in parts if part[1] > part[0]]
