"""SubRip captions: an index, a time line, text; speakers in front, in brackets, or none.

A cue lasts to the next time line, also over empty lines, so no text is outside a cue but what
stands before the first. Speakers are looked for as in WebVTT: voice tags that a converter left, or
else prefixes by the rule of ``_labels``, where ``[Ana] text`` counts like ``Ana: text``. The tags
``b i u s font`` and position marks such as ``{\\an8}`` are removed, and character references, which
converters leave too, decoded.

Source: the transcript formats' section 3.
"""

from __future__ import annotations

import re

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._drafts import Drafts, Places
from talebearer.transcripts._sheets import labelled
from talebearer.transcripts._text import split_lines
from talebearer.transcripts._webvtt import Cue, add_cues, is_time_line

_TIME = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]*[0-9:]{4,12}[,.][0-9]{1,3}[ \t]*-->[ \t]*[0-9:]{4,12}")
HEAD_LINES_MAX = 3
_TAG = re.compile(r"</?(?:b|i|u|s|font)(?:\s[^<>]*)?>|\{\\an?[0-9]{1,2}\}", re.IGNORECASE)
_INDEX = re.compile(r"\s*[0-9]{1,9}\s*$")


def is_srt(text: str) -> bool:
    """Return whether *text* has a SubRip time line, or begins with one of WebVTT's."""
    first = _TIME.search(text)
    if first is None:
        return False
    if len(split_lines(text[: first.start()])) <= HEAD_LINES_MAX:
        return True
    return any("," in match[0] for match in _TIME.finditer(text))


def read_srt(text: str, *, name: str) -> Drafts:
    """Read SubRip; places are the file lines of the cues' time lines.

    Raises:
        InvalidTranscript: no time line (TB103).
    """
    lines = split_lines(text)
    starts = [index for index, line in enumerate(lines) if "-->" in line and is_time_line(line)]
    if not starts:
        raise InvalidTranscript(
            f"{name} is no SubRip: it has no line such as 00:00:01,000 --> 00:00:02,500",
            hint="leave out --format, or name the one that it is",
            data={"source": name},
        )
    drafts = Drafts(Places(name=name, noun="cue"))
    before = range(starts[0])
    drafts.note_outside(
        [
            index + 1
            for index in before
            if lines[index].strip() and not (index + 1 == starts[0] and _INDEX.match(lines[index]))
        ]
    )
    ends = [*starts[1:], len(lines)]
    cues = [_cue(lines, start, end) for start, end in zip(starts, ends, strict=True)]
    add_cues(drafts, cues, prefix=labelled)
    return drafts


def _cue(lines: list[str], start: int, end: int) -> Cue:
    under = [line for line in lines[start + 1 : end] if line and not line.isspace()]
    if under and end < len(lines) and _INDEX.match(under[-1]) and _is_index(lines, start, end):
        under.pop()
    payload = "\n".join(under)
    if "<" in payload or "{" in payload:
        payload = _TAG.sub("", payload)
    return Cue(start + 1, lines[start], payload)


def _is_index(lines: list[str], start: int, end: int) -> bool:
    """Return whether the number before the time line at *end* is its index and not what is said.

    It stands right before that line; in files with doubled line ends, between empty lines.
    """
    last = end - 1
    while not lines[last].strip():
        last -= 1
    return last == end - 1 or (last - 1 > start and not lines[last - 1].strip())
