"""Texts whose utterances begin with a line that names the speaker and the time.

Four kinds, which differ in that line only; every other line continues the utterance before it, and
text before the first such line is a unit without speaker.

- *stamped*: ``<Ana> 00:10:03 text``, ``Ana 00:10:03 text`` and the time in front:
  ``00:10:03 Ana: text``, ``[00:10:03] <Ana> text``. Brackets round the time are let go.
- *otter*: ``Ana Silva  1:07`` alone on its line, two blanks or a tab before the time.
- *zoom-chat*: ``20:01:05 From Ana Silva to Everyone: text``; another recipient becomes a tag.
- *foundry*: ``[5/1/2026, 8:00:00 PM] Alias``, and lines of dashes between the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._drafts import Drafts, Places
from talebearer.transcripts._labels import LABEL_CHARS_MAX, is_name
from talebearer.transcripts._times import clock_of

HEAD_LINES_MAX = 5
"""Among how many lines at the start a format must show itself."""
OTTER_LINES_MAX = 6
STAMPED_LINES_MAX = 3
"""How many lines an utterance has on average, header included, at most, for a file to be taken for
one of the kind."""

_FULL = r"([0-9]{1,6}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,3})?)"
_ANGLED = rf"<([^<>]{{1,{LABEL_CHARS_MAX}}})>"
_NAME_FIRST = re.compile(
    rf"(?:{_ANGLED}|([^<>\[\]:]{{1,{LABEL_CHARS_MAX}}}?))[ \t]{{1,8}}[\[(]?{_FULL}[\])]?:?(?:[ \t]+|$)"
)
_TIME_FIRST = re.compile(rf"[\[(]?{_FULL}[\])]?[ \t]{{1,8}}{_ANGLED}:?[ \t]*")
_TIME_THEN_LABEL = re.compile(
    rf"\(?{_FULL}\)?[ \t]{{1,8}}([^:<>]{{1,{LABEL_CHARS_MAX}}}):(?:[ \t]+|$)"
)
_OTTER = re.compile(r"(\S.{0,60}?)(?: {2,20}|\t{1,4})((?:[0-9]{1,3}:)?[0-9]{1,2}:[0-9]{2})[ \t]*$")
_OTTER_FOOTER = re.compile(r"Transcribed by (?:https?://)?(?:www\.)?otter\.ai", re.IGNORECASE)
_ZOOM = re.compile(
    r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[ T])?([0-9]{1,2}:[0-9]{2}:[0-9]{2})[ \t]{1,8}From[ \t]{1,8}([^:]{1,200}):"
)
_EVERYONE = frozenset({"everyone", "all"})
_FOUNDRY = re.compile(
    r"\[([0-9]{1,4})[/.-]([0-9]{1,2})[/.-]([0-9]{1,4}),?\s+"
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?\s*([AaPp])?\.?\s?[Mm]?\.?\]\s*"
)
_DASHES = re.compile(r"\s*-{5,}\s*$")
_DAY_S = 24 * 3600
_HOUR_S = 3600


class Header(NamedTuple):
    """What a line that begins an utterance says; *rest* is what follows on the same line."""

    speaker: str
    start_s: float | None
    rest: str
    tags: tuple[str, ...] = ()


class _Spoken(NamedTuple):
    place: int
    header: Header
    text: str


def numbered(text: str) -> list[tuple[int, str]]:
    """Return the lines that are not blank with their 1-based numbers."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [(number, line) for number, line in enumerate(lines, 1) if line and not line.isspace()]


def headed(
    lines: Iterable[tuple[int, str]], header: Callable[[str], Header | None]
) -> list[_Spoken]:
    """Return the utterances of *lines*, each from its header to the next."""
    spoken: list[_Spoken] = []
    place, head, parts = 0, Header("", None, ""), list[str]()
    for number, line in lines:
        found = header(line)
        if found is not None:
            if parts:
                spoken.append(_Spoken(place, head, "\n".join(parts)))
            place, head, parts = number, found, [found.rest]
        else:
            place = place or number
            parts.append(line)
    if parts:
        spoken.append(_Spoken(place, head, "\n".join(parts)))
    return spoken


def _take(drafts: Drafts, spoken: Iterable[_Spoken], *, tags: bool = False) -> None:
    for place, head, text in spoken:
        drafts.add(
            place,
            speaker=head.speaker,
            text=text,
            start=head.start_s,
            tags=head.tags if tags else (),
        )


def headed_format(lines: list[tuple[int, str]]) -> str | None:
    """Return which of the four kinds *lines*, without the blank ones, are; None for none."""
    if not lines:
        return None
    first = lines[0][1]
    if _FOUNDRY.match(first):
        return "foundry"
    if _zoom(first):
        return "zoom-chat"
    head = any(_otter(line) for _, line in lines[:HEAD_LINES_MAX])
    if head and _count(lines, _otter) * OTTER_LINES_MAX >= len(lines):
        return "otter"
    # A stamped text has few lines that continue another, so that a diary is not taken for one.
    if _stamped(first) and _count(lines, _stamped) * STAMPED_LINES_MAX >= len(lines):
        return "stamped"
    return None


def _count(lines: list[tuple[int, str]], header: Callable[[str], Header | None]) -> int:
    return sum(header(line) is not None for _, line in lines)


def read_stamped(text: str, *, name: str) -> Drafts:
    """Read ``<name> 00:10:03 text`` and its variants; places are lines of the file.

    Source: the transcript formats' section 4.
    """
    drafts = _drafts(name, "utterance")
    _take(drafts, _required(headed(numbered(text), _stamped), name, "`Ana 00:10:03 text`"))
    return drafts


def read_otter(text: str, *, name: str) -> Drafts:
    """Read Otter's text export; its footer is left out and listed.

    Source: the transcript formats' section 4.
    """
    lines = numbered(text)
    footer = {number for number, line in lines if _OTTER_FOOTER.match(line)}
    drafts = _drafts(name, "utterance")
    drafts.note_left_out(sorted(footer))
    body = [line for line in lines if line[0] not in footer] if footer else lines
    _take(drafts, _required(headed(body, _otter), name, "`Ana Silva  1:07`"))
    return drafts


def read_zoom_chat(text: str, *, name: str) -> Drafts:
    """Read a saved Zoom chat.

    Times that begin at one hour or later are times of day, and are counted from the first message;
    others count from the start of the recording. A step back by half a day is midnight.

    Source: the transcript formats' section 4.
    """
    spoken = _required(headed(numbered(text), _zoom), name, "`20:01:05 From Ana to Everyone: text`")
    drafts = _drafts(name, "message")
    times = _past_midnight([said.header.start_s for said in spoken])
    first = next((time for time in times if time is not None), 0.0)
    if first >= _HOUR_S:
        clock = next(line for _, line in numbered(text) if _zoom(line)).split("From")[0].strip()
        times = drafts.count_from_first(times, clock)
    _take(drafts, _with_starts(spoken, times), tags=True)
    return drafts


def read_foundry(text: str, *, name: str) -> Drafts:
    """Read Foundry's chat log; times are seconds from its earliest message.

    The month stands first in a date, unless one of the file shows that it cannot.

    Source: the transcript formats' section 5.
    """
    lines = [line for line in numbered(text) if not _DASHES.match(line[1])]
    matches = [match for _, line in lines if (match := _FOUNDRY.match(line))]
    spoken = _required(headed(lines, _foundry), name, "`[5/1/2026, 8:00:00 PM] Alias`")
    drafts = _drafts(name, "message")
    day_first = any(12 < int(match[1]) < 32 for match in matches)
    moments = [_moment(match, day_first=day_first) for match in matches]
    begin = len(spoken) - len(matches)  # one if text stands before the first header
    for said, moment in zip(spoken[begin:], moments, strict=True):
        if moment is None:
            drafts.bad_time(said.place, "its date or time of day does not exist")
    starts: list[float | None] = [
        None if moment is None else (moment - _EPOCH).total_seconds() for moment in moments
    ]
    known = [moment for moment in moments if moment is not None]
    if known:
        starts = drafts.count_from_first(starts, min(known).isoformat(" "))
    starts[:0] = [None] * begin
    _take(drafts, _with_starts(spoken, starts))
    return drafts


_EPOCH = datetime(1, 1, 1)  # noqa: DTZ001 - the log has local times without a zone


def _drafts(name: str, noun: str) -> Drafts:
    return Drafts(Places(name=name, noun=noun))


def _required(spoken: list[_Spoken], name: str, example: str) -> list[_Spoken]:
    """Return *spoken*, if one utterance has a header at all."""
    if any(said.header.speaker or said.header.start_s is not None for said in spoken):
        return spoken
    raise InvalidTranscript(
        f"{name} has no line such as {example}",
        hint="leave out --format, or name the one that it is",
        data={"source": name},
    )


def _with_starts(spoken: list[_Spoken], starts: list[float | None]) -> list[_Spoken]:
    pairs = zip(spoken, starts, strict=True)
    return [said._replace(header=said.header._replace(start_s=start)) for said, start in pairs]


def _stamped(line: str) -> Header | None:
    match = _NAME_FIRST.match(line)
    if match is not None and (match[1] or is_name(match[2])):
        return Header(match[1] or match[2], clock_of(match[3]), line[match.end() :])
    match = _TIME_FIRST.match(line)
    if match is None:
        match = _TIME_THEN_LABEL.match(line)
        if match is None or not is_name(match[2]):
            return None
    return Header(match[2], clock_of(match[1]), line[match.end() :])


def _otter(line: str) -> Header | None:
    match = _OTTER.match(line)
    if match is None or not is_name(match[1]):
        return None
    return Header(match[1], clock_of(match[2]), "")


def _zoom(line: str) -> Header | None:
    match = _ZOOM.match(line)
    if match is None:
        return None
    name, _, recipient = match[2].rpartition(" to ")
    if not name:
        return Header(recipient, clock_of(match[1]), line[match.end() :])
    to = recipient.strip()
    tags = () if to.casefold() in _EVERYONE else (f"to {to}",)
    return Header(name, clock_of(match[1]), line[match.end() :], tags)


def _foundry(line: str) -> Header | None:
    match = _FOUNDRY.match(line)
    # The start is put in once all dates are known; 0.0 only marks the line as a header.
    return None if match is None else Header(line[match.end() :], 0.0, "")


def _moment(match: re.Match[str], *, day_first: bool) -> datetime | None:
    one, two, three = (int(match[group]) for group in (1, 2, 3))
    if len(match[1]) == 4:
        year, month, day = one, two, three
    else:
        day, month = (one, two) if day_first else (two, one)
        year = three if three > 99 else 2000 + three
    hour = int(match[4])
    if match[7]:
        hour = hour % 12 + (12 if match[7] in "Pp" else 0)
    try:
        return datetime(year, month, day, hour, int(match[5]), int(match[6] or 0))  # noqa: DTZ001
    except ValueError:
        return None


def _past_midnight(times: list[float | None]) -> list[float | None]:
    days, before = 0, 0.0
    result: list[float | None] = []
    for time in times:
        if time is None:
            result.append(None)
            continue
        days += time + _DAY_S // 2 < before
        before = time
        result.append(time + days * _DAY_S)
    return result
