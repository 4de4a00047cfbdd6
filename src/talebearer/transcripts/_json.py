"""The JSON formats: seriatim, WhisperX and CRD3.

A member that a format does not need is never looked at. A key that is there twice counts with
its last value, as JSON parsers do. Nesting is bounded by the parser (1,024 levels). ``NaN`` and
``Infinity``, which speech tools write although they are not JSON, are accepted and are no times.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._drafts import Drafts, Places, join_speakers, one_line

# Strings are matched so that a NaN inside one is left alone; the possessive body and the optional
# end keep this linear on a string that is never closed.
_STRING_OR_NAN = re.compile(r'"(?:[^"\\]|\\.)*+"?|NaN|-?Infinity', re.DOTALL)
_SERIATIM_MEMBERS = frozenset({"categories", "source_segment_index", "overlap_group_id"})
_TEXT_ONLY = frozenset({str})
_FOREIGN = {
    "transcription": "whisper.cpp JSON: write WebVTT instead, with its option -ovtt",
    "messages": "a chat export: save it as lines of `Name: text`",
    "utterances": "a speech service's own JSON: rename the list to `segments`, times in seconds",
    "results": "a speech service's own JSON: download it as WebVTT",
    "npcs": "an artifact of Talebearer itself, not a transcript",
    "interactions": "an artifact of Talebearer itself, not a transcript",
}


def load_json(text: str, *, name: str) -> Any:
    """Return the value of *text*.

    Raises:
        InvalidTranscript: not JSON, cut off or nested too deeply (TB103), with line and column.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as fault:
        if "NaN" not in text and "Infinity" not in text:
            raise _malformed(name, fault) from None
    try:
        return orjson.loads(_STRING_OR_NAN.sub(_without_nan, text))
    except orjson.JSONDecodeError as fault:
        raise _malformed(name, fault) from None


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


def json_format(root: Any, *, name: str) -> str:
    """Return which JSON format *root* is.

    Raises:
        InvalidTranscript: none that is known (TB103).
    """
    if isinstance(root, dict) and isinstance(root.get("TURNS"), list):
        return "crd3"
    segments = _segments(root)
    if segments is None:
        raise _unknown_shape(root, name=name)
    metadata = root.get("metadata") if isinstance(root, dict) else None
    if isinstance(metadata, dict) and metadata.get("application") == "seriatim":
        return "seriatim"
    first = segments[0] if segments else None
    return (
        "seriatim" if isinstance(first, dict) and _SERIATIM_MEMBERS & first.keys() else "whisperx"
    )


def _segments(root: Any) -> list[Any] | None:
    """Return the list of segments: a member, or the bare list that some exports are."""
    found = root.get("segments") if isinstance(root, dict) else root
    return found if isinstance(found, list) else None


def _unknown_shape(root: Any, *, name: str) -> InvalidTranscript:
    keys = list(root) if isinstance(root, dict) else []
    shown = ", ".join(repr(key[:40]) for key in keys[:8]) + (", …" if len(keys) > 8 else "")
    what = f"an object with {shown}" if keys else "nothing that can be read"
    foreign = next((_FOREIGN[key] for key in keys if key in _FOREIGN), None)
    known = "`segments` of seriatim or WhisperX, or `TURNS` of CRD3"
    return InvalidTranscript(
        f"{name} is no transcript that is known: at $ it has {what}",
        hint=f"this looks like {foreign}" if foreign else f"it should have {known}",
        data={"source": name, "pointer": "$"},
    )


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
    return _read_segments(root, name=name, seriatim=False)


def _read_segments(root: Any, *, name: str, seriatim: bool) -> Drafts:
    segments = _segments(root)
    if segments is None:
        raise _Misfit("", "a list", None).at("$.segments", name=name)
    pointer = "$.segments" if isinstance(root, dict) else "$"
    drafts = Drafts(Places(name=name, noun="segment", pointer=pointer))
    index = 0
    try:
        for index, segment in enumerate(segments):
            get = _object(segment).get
            categories = get("categories") if seriatim else None
            drafts.add(
                index,
                speaker=_label(get("speaker")),
                text=_text(get("text")),
                start=get("start"),
                end=get("end"),
                tags=_tags(categories) if categories else (),
                file_id=get("id") if seriatim else None,
            )
    except _Misfit as misfit:
        raise misfit.at(f"{pointer}[{index}]", name=name) from None
    return drafts


def read_crd3(root: Any, *, name: str) -> Drafts:
    """Read CRD3: a unit is a turn, its id is the turn's NUMBER + 1 because NUMBER counts from 0.

    Fragments are joined by one space, several names by ``" & "``.

    Source: the transcript formats' section 6.
    """
    turns = root.get("TURNS") if isinstance(root, dict) else None
    if not isinstance(turns, list):
        raise _Misfit("", "a list", turns).at("$.TURNS", name=name)
    drafts = Drafts(Places(name=name, noun="turn", pointer="$.TURNS"))
    index = 0
    try:
        for index, turn in enumerate(turns):
            get = _object(turn).get
            names, number = _strings(get("NAMES"), ".NAMES"), get("NUMBER")
            drafts.add(
                index,
                speaker=names[0] if len(names) == 1 else join_speakers(names),
                # Fragments become lines, which are folded as lines always are.
                text="\n".join(_strings(get("UTTERANCES"), ".UTTERANCES")),
                file_id=number + 1 if type(number) is int else number,
            )
    except _Misfit as misfit:
        raise misfit.at(f"$.TURNS[{index}]", name=name) from None
    return drafts


class _Misfit(Exception):
    """A value of the wrong kind, in an element whose place the reader's loop knows."""

    def __init__(self, member: str, expected: str, value: Any) -> None:
        super().__init__(member)
        self._member = member
        self._what = f"{_kind(value)} in place of {expected}"

    def at(self, place: str, *, name: str) -> InvalidTranscript:
        pointer = place + self._member
        return InvalidTranscript(
            f"{name} is damaged at {pointer}: {self._what}",
            hint="export it again, or name its format with --format if it was taken for another",
            data={"source": name, "pointer": pointer},
        )


def _object(value: Any) -> dict[str, Any]:
    if type(value) is dict:
        return value
    raise _Misfit("", "an object", value)


def _text(value: Any) -> str:
    """Return "" for what is missing; a segment without text is left out and listed later."""
    if type(value) is str:
        return value
    if value is None:
        return ""
    raise _Misfit(".text", "a text", value)


def _label(value: Any) -> str:
    """Return the label; a speaker may be missing, or be a number."""
    if type(value) is str:
        return value
    if value is None:
        return ""
    if type(value) is int:
        return str(value)
    raise _Misfit(".speaker", "a text", value)


def _tags(categories: Any) -> tuple[str, ...]:
    found = map(one_line, _strings(categories, ".categories"))
    return tuple(tag for tag in found if tag)


def _strings(value: Any, member: str) -> list[str]:
    if value is None:
        return []
    if type(value) is list and set(map(type, value)) <= _TEXT_ONLY:
        return value
    raise _Misfit(member, "a list of texts", value)


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return "nothing" if value is None else kinds.get(type(value), "a number")
