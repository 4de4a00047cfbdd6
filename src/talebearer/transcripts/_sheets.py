"""Text documents: Google Meet's transcript, ``[Speaker]`` lines, and Whisper's table.

- *meet*: a title, a list of attendees, the heading ``Transcript``, then ``Name: text`` with a clock
  alone on a line every few minutes. A clock is the start of the utterance after it; utterances
  between clocks have no time. Attendees count as speakers, others by the rule of ``_labels``.
- *blocks*: a line ``[Speaker]`` alone, and what that speaker says under it. The label counts by the
  rule of ``_labels``; names of sounds such as ``[music]`` never do and stay text.
- *whisper-tsv*: a first line of column names, times in whole milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._drafts import Drafts, Places
from talebearer.transcripts._headed import Header, headed, numbered
from talebearer.transcripts._labels import LABEL_CHARS_MAX, Labels
from talebearer.transcripts._times import clock_of

_HEADING = re.compile(r"(?:\W{1,4})?Transcript", re.IGNORECASE)
_HEADING_LINES_MAX = 60
_ATTENDEES = re.compile(r"\s*(?:Attendees|Participants|Invited)\b:?", re.IGNORECASE)
_CLOCK_LINE = re.compile(r"\s*[0-9]{2}:[0-9]{2}:[0-9]{2}\s*$")
_NOTICE = re.compile(
    r"\s*(?:Meeting ended after [0-9:]+|(?:This editable|The) transcript (?:was|is) computer)",
    re.IGNORECASE,
)
_BLOCK = re.compile(rf"[ \t]*\[([^\[\]]{{1,{LABEL_CHARS_MAX}}})\][ \t]*$")
_BRACKETED = re.compile(rf"[ \t]*\[([^\[\]:]{{1,{LABEL_CHARS_MAX}}})\]:?[ \t]+(?=\S)")
_SOUND_WORDS = (
    "applause blank_audio break cheering cheers chuckles coughs crosstalk crying foreign gasps "
    "inaudible indistinct inhales laughing laughs laughter music noise pause sighs silence singing "
    "sound static unintelligible"
)
_SOUNDS = frozenset(_SOUND_WORDS.split())
_TSV_COLUMNS = frozenset({"start", "end", "text"})


def labelled(line: str) -> str:
    """Return ``[Ana] text`` as ``Ana: text``, and every other line as it is.

    A sound in brackets is no label.
    """
    match = _BRACKETED.match(line) if "[" in line else None
    if match is None or _is_sound(match[1]):
        return line
    return f"{match[1].strip()}: {line[match.end() :]}"


def _is_sound(label: str) -> bool:
    words = label.casefold().split()
    return not words or not _SOUNDS.isdisjoint(words)


def is_meet(lines: list[tuple[int, str]]) -> bool:
    """Return whether a heading ``Transcript`` and, after it, a clock alone on a line are there."""
    begin = _body(lines)
    return begin > 0 and any(_CLOCK_LINE.match(line) for _, line in lines[begin:])


def _body(lines: list[tuple[int, str]]) -> int:
    """Return the index after the heading, or 0."""
    for index, (_, line) in enumerate(lines[:_HEADING_LINES_MAX], 1):
        if _HEADING.fullmatch(line.strip()):
            return index
    return 0


def read_meet(text: str, *, name: str) -> Drafts:
    """Read Google Meet's transcript as text; what stands above the heading is listed, not read.

    Source: the transcript formats' section 4.
    """
    lines = numbered(text)
    begin = _body(lines)
    notices = {number for number, line in lines[begin:] if _NOTICE.match(line)}
    body = [line for line in lines[begin:] if line[0] not in notices] if notices else lines[begin:]
    said = (line for line in body if not _CLOCK_LINE.match(line[1]))
    labels = Labels(said, known=_attendees([line for _, line in lines[:begin]]))
    drafts = Drafts(Places(name=name, noun="utterance"))
    drafts.note_untaken(labels.untaken)
    drafts.note_left_out([*(number for number, _ in lines[:begin]), *sorted(notices)])
    clock: float | None = None
    for place, head, words in headed(body, _meet_header(labels)):
        if head.start_s is not None:
            clock = head.start_s
        if words.strip():  # an utterance that a clock cuts in two goes on without a label
            drafts.add(place, speaker=head.speaker, text=words, start=clock)
            clock = None
        elif head.start_s is None:
            drafts.add(place, speaker=head.speaker, text="")
    return drafts


def _meet_header(labels: Labels) -> Callable[[str], Header | None]:
    last = ""

    def header(line: str) -> Header | None:
        nonlocal last
        if _CLOCK_LINE.match(line):
            return Header(last, clock_of(line.strip()), "")
        found = labels.split(line)
        if found is None:
            return None
        last = found[0]
        return Header(found[0], None, found[1])

    return header


def _attendees(heading: list[str]) -> list[str]:
    """Return the names on and after the line ``Attendees``, which commas or lines part."""
    for index, line in enumerate(heading):
        match = _ATTENDEES.match(line)
        if match:
            listed = [line[match.end() :], *heading[index + 1 : -1]]
            return [part for names in listed for part in re.split(r"[,;]", names) if part.strip()]
    return []


def read_blocks(text: str, *, name: str) -> Drafts:
    """Read ``[Speaker]`` lines with text under them; places are lines of the file.

    Source: the transcript formats' section 6.
    """
    lines = numbered(text)
    labels = block_labels(lines)
    drafts = Drafts(Places(name=name, noun="utterance"))
    drafts.note_untaken(labels.untaken)

    def header(line: str) -> Header | None:
        found = labels.split(_block(line))
        return None if found is None else Header(found[0], None, "")

    for place, head, words in headed(lines, header):
        drafts.add(place, speaker=head.speaker, text=words)
    return drafts


def block_labels(lines: list[tuple[int, str]]) -> Labels:
    """Return which ``[Speaker]`` lines count; one with nothing under it is not asked about."""
    asked: list[tuple[int, str]] = []
    for (number, line), (_, after) in pairwise(lines):
        label = _block(line)
        if label and not _BLOCK.match(after):
            asked.append((number, f"{label} {after.strip()}"))
    return Labels(asked)


def is_blocks(lines: list[tuple[int, str]]) -> bool:
    """Return whether the first line is a ``[Speaker]`` that counts."""
    if not lines or not _block(lines[0][1]):
        return False
    return block_labels(lines).split(_block(lines[0][1])) is not None


def _block(line: str) -> str:
    """Return ``[Ana]`` as ``Ana:``, anything else as an empty text."""
    match = _BLOCK.match(line)
    return f"{match[1].strip()}:" if match is not None and not _is_sound(match[1]) else ""


def is_whisper_tsv(line: str) -> bool:
    """Return whether *line*, the first of a file, names the columns of Whisper's table."""
    return _TSV_COLUMNS.issubset(line.strip().split("\t"))


def read_whisper_tsv(text: str, *, name: str) -> Drafts:
    """Read Whisper's table; a line without a tab continues the text before it.

    Source: the transcript formats' section 2.
    """
    lines = numbered(text)
    columns = lines[0][1].strip().split("\t") if lines else []
    if not _TSV_COLUMNS.issubset(columns):
        raise InvalidTranscript(
            f"{name} is no table of Whisper's: its first line lacks start, end or text",
            hint="leave out --format, or name the one that it is",
            data={"source": name, "line": 1},
        )
    drafts = Drafts(Places(name=name, noun="row"))
    for place, row, words in _rows(lines[1:], columns):
        start, end = (_milliseconds(row.get(column, "")) for column in ("start", "end"))
        drafts.add(place, speaker=row.get("speaker", ""), text=words, start=start, end=end)
    return drafts


def _rows(
    lines: list[tuple[int, str]], columns: list[str]
) -> list[tuple[int, dict[str, str], str]]:
    found: list[tuple[int, dict[str, str], list[str]]] = []
    for number, line in lines:
        cells = line.split("\t", len(columns) - 1)
        if len(cells) == 1 and found:
            found[-1][2].append(line)
            continue
        row = dict(zip(columns, cells, strict=False))
        # A row that is cut off has its words in its last cell.
        found.append((number, row, [row.get("text", cells[-1])]))
    return [(number, row, "\n".join(parts)) for number, row, parts in found]


def _milliseconds(cell: str) -> object:
    cell = cell.strip()
    if not cell or cell in {"None", "null"}:
        return None
    if re.fullmatch(r"[0-9]{1,15}", cell):
        return int(cell) / 1000
    return cell
