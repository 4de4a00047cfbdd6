"""Plain text: ``Name: text`` a line, with continuation lines and optional time stamps.

A line that begins with a speaker label (see ``_labels``) or with ``[H:MM:SS]`` begins a unit; every
other line continues the one before, also after an empty line. Text before the first such line is
a unit without speaker, and so is a stamped line without label. When no label counts in the
whole file, every line is a unit of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._drafts import Drafts, Places
from talebearer.transcripts._labels import Labels
from talebearer.transcripts._times import split_stamp


class _Line(NamedTuple):
    """A line that is not blank, without its stamp."""

    number: int
    start_s: float | None
    text: str


class PlainText:
    """The lines of a text, and which labels count in it."""

    def __init__(self, text: str) -> None:
        self.lines = [
            _Line(number, *split_stamp(raw))
            for number, raw in enumerate(split_lines(text), 1)
            if raw and not raw.isspace()
        ]
        stamped = frozenset(line.number for line in self.lines if line.start_s is not None)
        self.labels = Labels(((line.number, line.text) for line in self.lines), stamped=stamped)


def split_lines(text: str) -> list[str]:
    """Return the lines of a file: CR, LF and CRLF end one, nothing else does."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def recognise_text(text: str, *, name: str) -> PlainText:
    """Return *text* taken apart, if it is recognisably a transcript in plain text.

    Raises:
        InvalidTranscript: no line start names a speaker (TB103).
    """
    plain = PlainText(text)
    if not plain.labels.keys:
        raise InvalidTranscript(
            f"{name} is in no format that is known: no JSON, no WebVTT, and in plain text no line "
            "begins with a speaker's name",
            hint="write lines of `Name: text`, or give --format text to take every line as a unit "
            "without speaker",
            data={"source": name},
        )
    return plain


def read_text(plain: PlainText, *, name: str) -> Drafts:
    """Read plain text; places are lines of the file.

    Source: the transcript formats' section 4.
    """
    labels = plain.labels
    drafts = Drafts(Places(name=name, noun="utterance"))
    drafts.note_untaken(labels.untaken)
    speaker, start_s, place, parts = "", None, 0, list[str]()
    for line in plain.lines:
        found = labels.split(line.text)
        if parts and (found or line.start_s is not None or not labels.keys):
            drafts.add(place, speaker=speaker, text="\n".join(parts), start=start_s)
            parts = []
        if not parts:
            speaker, start_s, place = found[0] if found else "", line.start_s, line.number
        parts.append(found[1] if found else line.text)
    if parts:
        drafts.add(place, speaker=speaker, text="\n".join(parts), start=start_s)
    return drafts
