"""From what a reader finds to numbered units and warnings.

Readers call :meth:`Drafts.add` in the source's order. Numbering, trimming, dropping and the
wording of warnings are here once, so that every format behaves the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from talebearer.errors import InvalidTranscript, Problem, Severity, Where
from talebearer.errors.findings_transcripts import (
    COUNTED_FROM_FIRST,
    EMPTY_UNITS,
    LEFT_OUT,
    NO_SPEAKERS,
    OUTSIDE_CUES,
    RENUMBERED,
    UNTAKEN_LABEL,
    UNUSABLE_TIME,
)
from talebearer.transcripts._model import SourceFile, Unit

SLOW_S_PER_CHAR = 8
"""Speech takes about 0.07 seconds a character; above this, times are hardly seconds."""

LISTED_MAX = 200
"""How many ranges of places a warning lists before it only counts the rest."""


def one_line(text: str) -> str:
    """Return *text* with its ends trimmed and its lines, each trimmed, joined by one space.

    A line break is what Unicode calls one, so that a unit is one line for every reader. Nothing
    else changes; blanks inside a line stay.

    Source: rule NI-E5.
    """
    if text.isprintable():  # every line break is unprintable, so this is one line
        return text.strip()
    lines = text.splitlines()
    if len(lines) < 2:
        return text.strip()
    return " ".join(part for line in lines if (part := line.strip()))


def join_speakers(names: list[str]) -> str:
    """Return several labels as one, in their order; empty ones add nothing."""
    return " & ".join(clean for name in names if (clean := one_line(name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How the places of one source are named in messages.

    Attributes:
        name: The file as the reader would type it, or the source id.
        noun: What the format calls a unit, such as ``segment``.
        pointer: The JSON path of the list of units; None when places are 1-based file lines,
            otherwise they are 0-based indexes of that list.
    """

    name: str
    noun: str
    pointer: str | None = None

    def where(self, place: int) -> Where:
        """Return *place* as something that a person can go to."""
        if self.pointer is None:
            return Where(file=self.name, line=place)
        return Where(file=self.name, pointer=f"{self.pointer}[{place}]")

    def listing(self, places: list[int]) -> str:
        """Return all *places*, rising, as ranges."""
        ranges = _ranges(places)
        shown = ", ".join(ranges[:LISTED_MAX])
        more = f" and {len(ranges) - LISTED_MAX} more" if len(ranges) > LISTED_MAX else ""
        if self.pointer is None:
            return f"line{'' if len(places) == 1 else 's'} {shown}{more}"
        return f"{self.pointer}[{shown}]{more}"

    def counted(self, count: int) -> str:
        """Return ``1 segment`` or ``3 segments``."""
        return f"{count} {self.noun}{'' if count == 1 else 's'}"


def _ranges(places: list[int]) -> list[str]:
    spans: list[list[int]] = []
    for place in places:
        if spans and place - spans[-1][1] <= 1:
            spans[-1][1] = place
        else:
            spans.append([place, place])
    return [f"{first}" if first == last else f"{first}–{last}" for first, last in spans]


class Drafts:
    """Collects units in order and what was odd about them."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.files: list[SourceFile] = []
        self._units: list[Unit] = []
        self._empty: list[int] = []
        self._bad_times: list[int] = []
        self._first_bad_time = ""
        self._without_id = 0
        self._moved = 0
        self._first_moved: tuple[int, object, int] | None = None
        self._labels: dict[str, str] = {"": ""}
        self._problems: list[Problem] = []

    def add(
        self,
        place: int,
        *,
        speaker: str,
        text: str,
        start: object = None,
        end: object = None,
        tags: tuple[str, ...] = (),
        file_id: object = None,
    ) -> None:
        """Take one utterance; *start*, *end* and *file_id* are whatever the file holds."""
        text = one_line(text)
        if not text:
            self._empty.append(place)
            return
        label = self._labels.get(speaker)
        if label is None:
            label = self._labels[speaker] = one_line(speaker)
        # Most files have both times on every unit; these two lines are the quick way for them.
        if type(start) is type(end) is float and 0 < start <= end < math.inf:
            start_s: float | None = start
            end_s: float | None = end
        else:
            start_s, end_s = self._times(start, end, place)
        unit_id = len(self._units) + 1
        if file_id is None:
            self._without_id += 1
        elif file_id != unit_id or type(file_id) is not int:
            self._differs(place, file_id, unit_id)
        # By position: this line runs once for each unit of a session.
        self._units.append(Unit(unit_id, label, text, start_s, end_s, tags))

    def bad_time(self, place: int, detail: str) -> None:
        """Note that a time at *place* counts as unknown because of *detail*."""
        if not self._bad_times:
            self._first_bad_time = detail
        self._bad_times.append(place)

    def note_untaken(self, untaken: tuple[tuple[int, str], ...]) -> None:
        """Note labels, with the lines they stand on, that were kept as text."""
        if untaken:
            labels = dict.fromkeys(label for _, label in untaken)
            shown = ", ".join(repr(label) for label in list(labels)[:LISTED_MAX])
            self.note(
                UNTAKEN_LABEL,
                [line for line, _ in untaken],
                f"kept as text, not taken as speakers: {shown}",
                severity=Severity.NOTE,
                hint="a label counts when it occurs twice or looks like the others",
            )

    def note_outside(self, lines: list[int]) -> None:
        """Note 1-based *lines* that were left out because they belong to nothing."""
        if lines:
            self.note(
                OUTSIDE_CUES,
                lines,
                "text outside any cue was left out",
                hint="an empty line ends a cue",
            )

    def pass_on(self, problems: Iterable[Problem]) -> None:
        """Keep problems that were found in a part of the source."""
        self._problems.extend(problems)

    def note_left_out(self, lines: list[int]) -> None:
        """Note rising 1-based *lines* that were left out because nobody says them."""
        if lines:
            self.note(
                LEFT_OUT,
                lines,
                "headings or notices that are no speech were left out",
                severity=Severity.NOTE,
                hint="if one of them is speech, write it as `Name: text`",
            )

    def count_from_first(self, times: list[float | None], zero: str) -> list[float | None]:
        """Return *times* from the earliest on, which the file writes as *zero*, and note that."""
        known = [time for time in times if time is not None]
        if not known:
            return times
        self.note(
            COUNTED_FROM_FIRST,
            [],
            f"times are seconds from the earliest {self.places.noun}, at {zero[:40]}",
            severity=Severity.NOTE,
            hint="nothing needs to be done",
        )
        first = min(known)
        return [None if time is None else round(time - first, 3) for time in times]

    @property
    def units(self) -> list[Unit]:
        """What was taken so far."""
        return self._units

    def finish(self) -> tuple[tuple[Unit, ...], list[Problem]]:
        """Return the units, and all problems in a fixed order.

        Raises:
            InvalidTranscript: not one unit has text (TB103).
        """
        if not self._units:
            raise self._nothing()
        self._note_empty()
        self._note_ids()
        self._note_times()
        if not any(self._labels.values()):
            self.note(
                NO_SPEAKERS,
                [],
                f"none of {self.places.counted(len(self._units))} has a speaker",
                hint="export it with speakers, or run diarisation first",
            )
        return tuple(self._units), sorted(self._problems, key=lambda problem: problem.code)

    def _times(self, start: object, end: object, place: int) -> tuple[float | None, float | None]:
        start_s = None if start is None else self._seconds(start, place, "start")
        end_s = None if end is None else self._seconds(end, place, "end")
        if start_s is not None and end_s is not None and end_s < start_s:
            self.bad_time(place, f"its end {end_s} is before its start {start_s}")
            end_s = None
        return start_s, end_s

    def _seconds(self, value: object, place: int, name: str) -> float | None:
        # bool is an int by inheritance only, so the exact type is asked for.
        if (type(value) is float or type(value) is int) and 0 <= value < math.inf:
            return value + 0.0  # -0.0 becomes 0.0
        self.bad_time(place, f"its {name} is {_shown(value)}")
        return None

    def _differs(self, place: int, file_id: object, unit_id: int) -> None:
        self._moved += 1
        if self._first_moved is None:
            self._first_moved = (place, file_id, unit_id)

    def _nothing(self) -> InvalidTranscript:
        name, count = self.places.name, len(self._empty)
        message = f"{name} has no {self.places.noun}s"
        if count:
            message = f"{name} has {self.places.counted(count)}, none with text"
        return InvalidTranscript(
            message,
            hint="export the transcript again; where nobody speaks there is nothing to cite",
            data={"source": name, "empty_count": count},
        )

    def _note_empty(self) -> None:
        if self._empty:
            count = len(self._empty)
            self.note(
                EMPTY_UNITS,
                self._empty,
                f"{self.places.counted(count)} without text left out",
                hint="ids count only what has text",
            )

    def _note_ids(self) -> None:
        parts: list[str] = []
        places: list[int] = []
        if self._first_moved is not None:
            place, file_id, unit_id = self._first_moved
            places = [place]
            parts.append(
                f"{self.places.counted(self._moved)} got another id than the file's, the first "
                f"{unit_id} for {_shown(file_id)}"
            )
        if 0 < self._without_id < len(self._units):
            parts.append(f"{self.places.counted(self._without_id)} had none")
        if parts:
            message = f"units are numbered anew: {'; '.join(parts)}"
            self.note(RENUMBERED, places, message, hint="unit ids run from 1 without gaps")

    def _note_times(self) -> None:
        if self._bad_times:
            count = len(self._bad_times)
            self.note(
                UNUSABLE_TIME,
                self._bad_times,
                f"{count} time{'' if count == 1 else 's'} cannot be used, the first because "
                f"{self._first_bad_time}",
                hint="times are finite seconds, not negative, end not before start",
            )

    def note(
        self,
        code: str,
        places: list[int],
        message: str,
        *,
        hint: str,
        severity: Severity = Severity.WARNING,
    ) -> None:
        """Note the finding *code* at rising *places*; without any it is about the whole file."""
        where = self.places.where(places[0]) if places else Where(file=self.places.name)
        listing = f" ({self.places.listing(places)})" if places else ""
        self._problems.append(
            Problem(code=code, severity=severity, where=where, message=message + listing, hint=hint)
        )


def _shown(value: object) -> str:
    """Return a JSON value short enough for a message."""
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return repr(value)
    # The JSON reader puts a list in the place of NaN and Infinity, which are not JSON.
    return "not a number"
