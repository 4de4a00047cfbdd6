"""Who speaks when a game master speaks in somebody's voice.

A voice belongs to whoever its own unit names beside the quotation, to whoever gives their own
name, to whom the players have just called, or to whoever was on stage before; in that order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from talebearer.extraction.rules import _cues as cues
from talebearer.extraction.rules._reading import ReadUnit
from talebearer.extraction.rules._uses import Use

REPLY_UNITS = 3
ANSWER_UNITS = 1
VOICE_REACH_UNITS = 8
QUOTING_SHARE_MIN = 0.03
NEVER = -1_000

Speech = dict[str, dict[int, bool]]
"""Name -> unit id -> whether the unit itself, or a call just before it, says who speaks."""


def find_speech(
    units: Sequence[ReadUnit], uses: Mapping[int, Sequence[Use]], *, apart: frozenset[int]
) -> Speech:
    """Return the units in which each name speaks or is spoken to."""
    listener = _Listener(uses, quoting=_quotes(units))
    for unit in units:
        if unit.unit_id in apart:
            continue
        if unit.told:
            listener.hear_table_head(unit)
        else:
            listener.hear_player(unit)
    return listener.speech


def _quotes(units: Sequence[ReadUnit]) -> bool:
    """Whether the transcript has quotation marks where the game master gives voice."""
    told = sum(unit.told for unit in units)
    return sum(cues.voiced(unit) for unit in units) >= QUOTING_SHARE_MIN * max(1, told)


class _Listener:
    """Remembers who is on stage and who was called, from one unit to the next."""

    def __init__(self, uses: Mapping[int, Sequence[Use]], *, quoting: bool) -> None:
        self.speech: Speech = {}
        self._uses = uses
        self._quoting = quoting
        self._active: str | None = None
        self._active_at = NEVER
        self._called: str | None = None
        self._called_at = NEVER
        self._asked_at = NEVER

    def hear_player(self, unit: ReadUnit) -> None:
        """Note whom a player calls or turns to; a line in character keeps the talk alive."""
        if unit.quotes and unit.unit_id - self._active_at <= VOICE_REACH_UNITS:
            self._active_at = unit.unit_id
        if cues.ASKS_NAME.search(unit.low):
            self._asked_at = unit.unit_id
        for use in self._uses[unit.unit_id]:
            if use.called or cues.TALKS_TO.search(use.before):
                self._called, self._called_at = use.name, unit.unit_id

    def hear_table_head(self, unit: ReadUnit) -> None:
        """Give a voice to somebody; narration puts whom it names last on stage."""
        told = [use for use in self._uses[unit.unit_id] if _is_on_stage(use)]
        if not self._is_voice(unit):
            self._called = None
            if told:
                self._active, self._active_at = told[-1].name, unit.unit_id
            return
        name, direct = self._speaker(unit, told)
        if name is not None:
            mine = self.speech.setdefault(name, {})
            mine[unit.unit_id] = mine.get(unit.unit_id, False) or direct
            self._active, self._active_at = name, unit.unit_id

    def _is_voice(self, unit: ReadUnit) -> bool:
        if cues.voiced(unit) or any(use.introduces for use in self._uses[unit.unit_id]):
            return True
        answers = self._called is not None and unit.unit_id - self._called_at <= ANSWER_UNITS
        return (answers or not self._quoting) and cues.voiced_bare(unit)

    def _speaker(self, unit: ReadUnit, told: list[Use]) -> tuple[str | None, bool]:
        uses = self._uses[unit.unit_id]
        asked = unit.unit_id - self._asked_at <= REPLY_UNITS
        own = [use for use in uses if use.introduces or (asked and use.whole)]
        name = own[-1].name if own else named_speaker(unit, uses, told)
        if name is not None:
            return name, True
        if self._called is not None and unit.unit_id - self._called_at <= REPLY_UNITS:
            self.speech.setdefault(self._called, {})[self._called_at] = True
            return self._called, True
        if unit.unit_id - self._active_at <= VOICE_REACH_UNITS:
            return self._active, False
        return None, False


def _is_on_stage(use: Use) -> bool:
    """Whether narration names somebody who is here, and not what somebody said once."""
    return not (use.quoted or use.owned or cues.REPORTED.search(use.after[:30]))


def named_speaker(unit: ReadUnit, uses: Sequence[Use], told: Sequence[Use]) -> str | None:
    """Return whose voice *unit* itself says it is: a newcomer's own name, or a name beside it."""
    own = [use for use in uses if use.itself]
    if own and cues.NEWCOMER.search(unit.narration):
        return own[-1].name
    if not told:
        return None
    if not unit.quotes:
        saying = [use for use in told if cues.SAID.search(use.after[:60])]
        return saying[-1].name if saying else None
    leading = [use for use in told if use.start < unit.quotes[0][0]]
    if leading:
        return leading[-1].name
    saying = [use for use in told if cues.SAID.search(use.before[-30:] + use.after[:40])]
    return (saying or told)[0].name
