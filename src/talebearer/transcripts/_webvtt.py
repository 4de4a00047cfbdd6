"""WebVTT: cues with voice tags (Teams, noScribe), name prefixes (Zoom) or no speakers.

- Every voice tag begins a unit with its cue's times; a class as in ``<v.loud Ana>`` is dropped.
  Text outside a voice span has no speaker.
- A file without any voice tag is searched for prefixes at the start of cues, by the rule of
  ``_labels``; a line inside a cue that begins with a label that counts begins a unit too.
- The tags of WebVTT (``c i b u ruby rt lang v`` and time stamps) are removed; any other ``<`` is
  text. Character references that end in a semicolon are decoded once, after that; others, and
  unknown names, stay as they are.
- NOTE, STYLE and REGION blocks and cue settings are skipped. A time line that cannot be read costs
  only its times. Lines outside any cue are left out and listed.

Source: the transcript formats' section 3.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import NamedTuple

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._drafts import Drafts, Places
from talebearer.transcripts._labels import Labels
from talebearer.transcripts._text import split_lines
from talebearer.transcripts._times import CLOCK, clock_seconds

_ARROW = "-->"
_TIMING = re.compile(rf"[ \t]*{CLOCK}[ \t]*-->[ \t]*{CLOCK}(?:[ \t].*)?$")
_SKIPPED_BLOCK = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t]|$)")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?(?:\s([^<>]*))?>|</v>")
_TAG = re.compile(
    r"</?(?:c|i|b|u|ruby|rt|lang|v)(?:\.[^\s<>]*)?(?:\s[^<>]*)?>"
    r"|<(?:[0-9]{2,6}:)?[0-9]{2}:[0-9]{2}\.[0-9]{3}>"
)
# At most seven digits, so that int() cannot be made slow or raise.
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


class Cue(NamedTuple):
    """One caption: the file line of its time line, that line, and the lines under it."""

    line: int
    timing: str
    payload: str


class _Piece(NamedTuple):
    speaker: str
    text: str


def is_webvtt(text: str) -> bool:
    """Return whether *text* begins with WebVTT's signature; empty lines before it are let go."""
    head = text[:64].lstrip()[:7] if text[:1].isspace() else text[:7]
    return head[:6] == "WEBVTT" and (len(head) < 7 or head[6] in " \t\r\n")


def read_webvtt(text: str, *, name: str) -> Drafts:
    """Read WebVTT; places are the file lines of the cues' time lines.

    Raises:
        InvalidTranscript: no signature, or no cue (TB103).
    """
    if not is_webvtt(text):
        raise InvalidTranscript(
            f"{name} is not WebVTT: it does not begin with the line WEBVTT",
            hint="export it again, or leave out --format",
            data={"source": name, "line": 1},
        )
    cues, outside = _cues(split_lines(text))
    if not cues:
        raise InvalidTranscript(
            f"{name} is WebVTT without a cue",
            hint="a cue is a line `00:01.000 --> 00:03.000` with text under it; export it again",
            data={"source": name},
        )
    drafts = Drafts(Places(name=name, noun="cue"))
    drafts.note_outside(outside)
    add_cues(drafts, cues)
    return drafts


def is_time_line(line: str) -> bool:
    """Return whether *line* gives a cue's start and end."""
    return _TIMING.match(line) is not None


def add_cues(
    drafts: Drafts, cues: list[Cue], *, prefix: Callable[[str], str] | None = None
) -> None:
    """Take *cues* with their speakers: by voice tags if the file has any, else by prefixes.

    *prefix* may turn another way of naming the speaker of a line into ``Name: text``; a line whose
    label does not count stays as it was.
    """
    if any("<v" in cue.payload and _VOICE.search(cue.payload) for cue in cues):
        pieces = [_voices(cue.payload) for cue in cues]
    else:
        pieces = _prefixed(cues, drafts, prefix)
    for cue, spoken in zip(cues, pieces, strict=True):
        _add(drafts, cue, spoken)


def _add(drafts: Drafts, cue: Cue, spoken: list[_Piece]) -> None:
    match = _TIMING.match(cue.timing)
    start = end = None
    if match is not None:
        start, end = clock_seconds(match.groups()[:4]), clock_seconds(match.groups()[4:])
    elif any(piece.text.strip() for piece in spoken):
        drafts.bad_time(cue.line, f"the time line is {cue.timing[:60]!r}")
    for piece in spoken:
        drafts.add(cue.line, speaker=piece.speaker, text=piece.text, start=start, end=end)


def _cues(lines: list[str]) -> tuple[list[Cue], list[int]]:
    """Return the cues, and the 1-based numbers of lines that belong to nothing."""
    cues: list[Cue] = []
    outside: list[int] = []
    for first, block in _blocks(lines):
        if _SKIPPED_BLOCK.match(block[0]):
            continue
        starts = [
            index
            for index, line in enumerate(block)
            if _ARROW in line and (_TIMING.match(line) or line.lstrip()[:1].isdigit())
        ]
        # A broken time line opens a cue only where one is due; inside a cue it is what was said.
        starts = [index for index in starts if index == starts[0] or _TIMING.match(block[index])]
        before = max(starts[0] - 1, 0) if starts else len(block)  # one line may be the cue's id
        outside.extend(range(first, first + before))
        ends = [*starts[1:], len(block)]
        for index, end in zip(starts, ends, strict=False):  # without a start there is no end
            payload = "\n".join(block[index + 1 : end])
            cues.append(Cue(first + index, block[index], payload))
    return cues, outside


def _blocks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the runs of lines between blank ones, with the 1-based number of their first.

    The first run is the header; it ends early at a time line, since some files forget the empty
    line after WEBVTT.
    """
    block: list[str] = []
    in_header = True
    for number, line in enumerate(lines, 1):
        # Some captions put a line with a blank under the time line, and the text below that.
        if line and (not line.isspace() or (block and _TIMING.match(block[-1]))):
            if in_header and _ARROW in line:
                block, in_header = [], False
            block.append(line)
        elif block:
            if not in_header:
                yield number - len(block), block
            block, in_header = [], False
    if block and not in_header:
        yield len(lines) + 1 - len(block), block


def _voices(payload: str) -> list[_Piece]:
    """Return one piece a voice tag, and one for other text that is not blank."""
    pieces: list[_Piece] = []
    speaker: str | None = None
    begin = 0
    for match in [*_VOICE.finditer(payload), None]:
        text = _clean(payload[begin : match.start() if match else len(payload)])
        if speaker is not None or text.strip():
            pieces.append(_Piece(speaker or "", text))
        if match:
            begin = match.end()
            speaker = None if match[0] == "</v>" else _decoded(match[1] or "")
    return pieces or [_Piece("", "")]


def _prefixed(
    cues: list[Cue], drafts: Drafts, prefix: Callable[[str], str] | None
) -> list[list[_Piece]]:
    """Return the pieces of cues whose speakers, if any, stand in front of the text."""
    texts = [_clean(cue.payload).strip("\n") for cue in cues]
    firsts = ((cue.line, text.partition("\n")[0]) for cue, text in zip(cues, texts, strict=True))
    starts = (start for start in firsts if start[1].strip())
    if prefix is not None:
        starts = ((line, prefix(first)) for line, first in starts)
    labels = Labels(starts)
    drafts.note_untaken(labels.untaken)
    return [_by_label(text, labels, prefix) for text in texts]


def _by_label(text: str, labels: Labels, prefix: Callable[[str], str] | None) -> list[_Piece]:
    if not labels.keys:
        return [_Piece("", text)]
    spoken: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        found = labels.split(line if prefix is None else prefix(line))
        if found:
            spoken.append((found[0], [found[1]]))
        elif spoken:
            spoken[-1][1].append(line)
        else:
            spoken.append(("", [line]))
    return [_Piece(speaker, "\n".join(lines)) for speaker, lines in spoken]


def _clean(payload: str) -> str:
    text = _TAG.sub("", payload) if "<" in payload else payload
    return _decoded(text)


def _decoded(text: str) -> str:
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    reference = match[0]
    if reference[1] == "#":
        # An empty result stands for a code point that is no character; it stays as written.
        return html.unescape(reference) or reference
    return html5.get(reference[1:], reference)
