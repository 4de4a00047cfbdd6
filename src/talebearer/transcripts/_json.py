"""JSON, and the formats seriatim, WhisperX and CRD3.

A member that a format does not need is never looked at. A key that is there twice counts with
its last value, as JSON parsers do. Nesting is bounded by the parser (1,024 levels). ``NaN`` and
``Infinity``, which speech tools write although they are not JSON, are accepted and are no times.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import LIKELY_MILLISECONDS
from talebearer.transcripts._drafts import SLOW_S_PER_CHAR, Drafts, Places, join_speakers
from talebearer.transcripts._members import (
    Misfit,
    label_of,
    object_of,
    strings_of,
    tags_of,
    text_of,
)
from talebearer.transcripts._model import Unit

# Strings are matched so that a NaN inside one is left alone; the possessive body and the optional
# end keep this linear on a string that is never closed.
_STRING_OR_NAN = re.compile(r'"(?:[^"\\]|\\.)*+"?|NaN|-?Infinity', re.DOTALL)


def load_json(text: str, *, name: str) -> Any:
    """Return the value of *text*.

    Raises:
        InvalidTranscript: not JSON, cut off or nested too deeply (TB103), with line and column.
    """
    try:
        return loads(text)
    except orjson.JSONDecodeError as fault:
        raise _malformed(name, fault) from None


def loads(text: str) -> Any:
    """Return the value of *text*, with ``NaN`` and ``Infinity`` as lists.

    Raises:
        orjson.JSONDecodeError: not JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if "NaN" not in text and "Infinity" not in text:
            raise
    return orjson.loads(_STRING_OR_NAN.sub(_without_nan, text))


def _without_nan(match: re.Match[str]) -> str:
    token = match[0]
    # A list of the same length: no number, and later positions stay true.
    return token if token.startswith('"') else f"[{' ' * (len(token) - 2)}]"


def _malformed(name: str, fault: orjson.JSONDecodeError) -> InvalidTranscript:
    cut_off = "end of data" in fault.msg
    what = "is cut off" if cut_off else "is not valid JSON"
    return InvalidTranscript(
        f"{name} {what} at line {fault.lineno}, column {fault.colno}: {fault.msg}",
        hint="export it again; the end is missing" if cut_off else "correct that place",
        data={"source": name, "line": fault.lineno, "column": fault.colno},
    )


def segments_of(root: Any) -> list[Any] | None:
    """Return the list of segments: a member, or the bare list that some exports are."""
    found = root.get("segments") if isinstance(root, dict) else root
    return found if isinstance(found, list) else None


def read_seriatim(root: Any, *, name: str) -> Drafts:
    """Read seriatim's minimal or full output; its ids count, its categories become tags.

    Source: the transcript formats' section 1.
    """
    return _read_segments(root, name=name, seriatim=True)


def read_whisperx(root: Any, *, name: str) -> Drafts:
    """Read WhisperX or Whisper output. Speaker, start and end may be missing or null anywhere.

    Word lists are not needed; a speaker that only words carry is not raised to the segment.

    Source: the transcript formats' section 2.
    """
    drafts = _read_segments(root, name=name, seriatim=False)
    if _may_be_milliseconds(drafts.units):
        drafts.note(
            LIKELY_MILLISECONDS,
            [],
            "times are whole numbers that are too large for seconds; they were read as seconds",
            hint="if they are milliseconds, give --format json",
        )
    return drafts


def _may_be_milliseconds(units: list[Unit]) -> bool:
    spoken = 0.0
    for unit in units:
        if unit.start_s is None or unit.end_s is None:
            continue
        if not (unit.start_s.is_integer() and unit.end_s.is_integer()):
            return False
        spoken += unit.end_s - unit.start_s
    return spoken > 0 and spoken > SLOW_S_PER_CHAR * sum(len(unit.text) for unit in units)


def _read_segments(root: Any, *, name: str, seriatim: bool) -> Drafts:
    segments = segments_of(root)
    if segments is None:
        raise Misfit("", "a list", None).at("$.segments", name=name)
    pointer = "$.segments" if isinstance(root, dict) else "$"
    drafts = Drafts(Places(name=name, noun="segment", pointer=pointer))
    index = 0
    try:
        for index, segment in enumerate(segments):
            get = object_of(segment).get
            categories = get("categories") if seriatim else None
            drafts.add(
                index,
                speaker=label_of(get("speaker")),
                text=text_of(get("text")),
                start=get("start"),
                end=get("end"),
                tags=tags_of(categories) if categories else (),
                file_id=get("id") if seriatim else None,
            )
    except Misfit as misfit:
        raise misfit.at(f"{pointer}[{index}]", name=name) from None
    return drafts


def read_crd3(root: Any, *, name: str) -> Drafts:
    """Read CRD3: a unit is a turn, its id is the turn's NUMBER + 1 because NUMBER counts from 0.

    Fragments are joined by one space, several names by ``" & "``.

    Source: the transcript formats' section 6.
    """
    turns = root.get("TURNS") if isinstance(root, dict) else None
    if not isinstance(turns, list):
        raise Misfit("", "a list", turns).at("$.TURNS", name=name)
    drafts = Drafts(Places(name=name, noun="turn", pointer="$.TURNS"))
    index = 0
    try:
        for index, turn in enumerate(turns):
            get = object_of(turn).get
            names, number = strings_of(get("NAMES"), ".NAMES"), get("NUMBER")
            fragments = strings_of(get("UTTERANCES"), ".UTTERANCES")
            drafts.add(
                index,
                speaker=names[0] if len(names) == 1 else join_speakers(names),
                # Fragments become lines, which are folded as lines always are.
                text=fragments[0] if len(fragments) == 1 else "\n".join(fragments),
                file_id=number + 1 if type(number) is int else number,
            )
    except Misfit as misfit:
        raise misfit.at(f"$.TURNS[{index}]", name=name) from None
    return drafts
