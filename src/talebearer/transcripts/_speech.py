"""More JSON of speech tools: whisper.cpp, scribeio, JSON Lines, and objects of a common shape.

The common shape is a list of utterances with names that many services use for the same four
things: speaker, text, start and end. A member whose name ends in ``ms`` gives milliseconds, and so
does a clock such as ``00:01:02.500`` its seconds. Other numbers are seconds unless all are whole and
the speech would take more than ``SLOW_S_PER_CHAR`` seconds a character; then they are milliseconds,
and a warning says so. (People take about 0.07 seconds a character.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import orjson

from talebearer.errors import InvalidTranscript, Severity
from talebearer.errors.findings_transcripts import CUT_OFF_LINE, MILLISECONDS
from talebearer.transcripts._drafts import SLOW_S_PER_CHAR, Drafts, Places
from talebearer.transcripts._json import loads
from talebearer.transcripts._members import Misfit, label_of, object_of, text_of
from talebearer.transcripts._text import split_lines
from talebearer.transcripts._times import clock_of

LISTS = ("segments", "utterances", "results", "turns")
_NESTED = ("utterances", "segments", "turns", "audio_segments")
TEXTS = ("text", "transcript", "content", "utterance")
SPEAKERS = ("speaker", "speaker_label", "speaker_name", "speaker_id", "speaker_raw", "name")
_STARTS = ("start", "start_time", "startTime", "start_s", "begin", "from", "timestamp", "time")
_ENDS = ("end", "end_time", "endTime", "end_s", "stop", "to")
_STARTS_MS = ("start_ms", "startMs", "start_time_ms", "begin_ms")
_ENDS_MS = ("end_ms", "endMs", "end_time_ms", "stop_ms")
_DECIMAL = re.compile(r"\s*[0-9]{1,12}(?:\.[0-9]{1,9})?\s*")
_FACTOR_MS = 1000


_Row = tuple[int, str, str, object, object]
"""Place, speaker, text, start and end; a plain tuple, since the collector stops following those."""


def read_whisper_cpp(root: Any, *, name: str) -> Drafts:
    """Read whisper.cpp's JSON: offsets are milliseconds; without them the time stamps count.

    Source: the transcript formats' section 2.
    """
    rows = root.get("transcription") if isinstance(root, dict) else None
    if not isinstance(rows, list):
        raise Misfit("", "a list", rows).at("$.transcription", name=name)
    drafts = Drafts(Places(name=name, noun="segment", pointer="$.transcription"))
    index = 0
    try:
        for index, row in enumerate(rows):
            get = object_of(row).get
            drafts.add(
                index,
                speaker=label_of(get("speaker")),
                text=text_of(get("text")),
                start=_cpp_time(row, "from"),
                end=_cpp_time(row, "to"),
            )
    except Misfit as misfit:
        raise misfit.at(f"$.transcription[{index}]", name=name) from None
    return drafts


def _cpp_time(row: dict[str, Any], edge: str) -> object:
    offsets = row.get("offsets")
    value = offsets.get(edge) if type(offsets) is dict else None
    if value is not None:
        return _scaled(value)
    stamps = row.get("timestamps")
    value = stamps.get(edge) if type(stamps) is dict else None
    return _bare(_plain_number(value))


def read_scribeio(root: Any, *, name: str) -> Drafts:
    """Read scribeio's JSON: the account of a track is the speaker, times are seconds.

    Source: the transcript formats' section 2.
    """
    rows = root.get("segments") if isinstance(root, dict) else None
    if not isinstance(rows, list):
        raise Misfit("", "a list", rows).at("$.segments", name=name)
    drafts = Drafts(Places(name=name, noun="segment", pointer="$.segments"))
    index = 0
    try:
        for index, row in enumerate(rows):
            get = object_of(row).get
            speaker = get("account")
            drafts.add(
                index,
                speaker=label_of(get("speaker") if speaker is None else speaker, ".account"),
                text=text_of(get("text")),
                start=get("start"),
                end=get("end"),
            )
    except Misfit as misfit:
        raise misfit.at(f"$.segments[{index}]", name=name) from None
    return drafts


def utterances(root: Any) -> tuple[str, list[Any]] | None:
    """Return the JSON path of the list of utterances in *root*, and the list; None without one."""
    if isinstance(root, list):
        return "$", root
    if not isinstance(root, dict):
        return None
    for key in LISTS:
        value = root.get(key)
        if isinstance(value, list):
            return f"$.{key}", value
        if key == "results" and isinstance(value, dict):
            for inner in _NESTED:
                if isinstance(value.get(inner), list):
                    return f"$.results.{inner}", value[inner]
    return None


def is_utterance(value: Any) -> bool:
    """Return whether *value* is an object that has some text under a common name."""
    return isinstance(value, dict) and any(type(value.get(key)) is str for key in TEXTS)


def read_generic(root: Any, *, name: str) -> Drafts:
    """Read utterances of a common shape.

    Source: the transcript formats' section 6.
    """
    found = utterances(root)
    if found is None:
        raise Misfit("", f"a list under {', '.join(LISTS)}", root).at("$", name=name)
    pointer, values = found
    drafts = Drafts(Places(name=name, noun="utterance", pointer=pointer))
    index = 0
    rows: list[_Row] = []
    try:
        for index, value in enumerate(values):
            rows.append(_row(index, object_of(value)))
    except Misfit as misfit:
        raise misfit.at(f"{pointer}[{index}]", name=name) from None
    return _take(drafts, rows)


def first_object(text: str) -> dict[str, Any] | None:
    """Return the object that is the first line of *text* alone, or None."""
    line = text.lstrip().partition("\n")[0].strip()
    if not line.startswith("{") or not line.endswith("}"):
        return None
    try:
        value = loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def lines_of_json(text: str, *, name: str) -> tuple[list[tuple[int, Any]], int | None]:
    """Return the values of JSON Lines with their line numbers, and the line that is cut off.

    Raises:
        InvalidTranscript: a line before the last is not JSON (TB103).
    """
    lines = split_lines(text)
    at_once = _values_of_lines(lines)
    if at_once is not None:
        return list(enumerate(at_once, 1)), None
    numbered = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    values: list[tuple[int, Any]] = []
    for n, line in numbered:
        try:
            values.append((n, loads(line)))
        except orjson.JSONDecodeError as fault:
            if values and n == numbered[-1][0]:
                return values, n
            raise InvalidTranscript(
                f"{name} is not JSON at line {n}: {fault.msg}",
                hint="every line of JSON Lines is one object; correct that line",
                data={"source": name, "line": n, "column": fault.colno},
            ) from None
    return values, None


def _values_of_lines(lines: list[str]) -> list[Any] | None:
    """Return the values of *lines*, in a third of the time, if each is one; else None."""
    if not lines[-1]:
        lines = lines[:-1]
    try:
        values = orjson.loads(f"[{','.join(lines)}]")
    except orjson.JSONDecodeError:
        return None  # line by line tells which one it is
    return values if len(values) == len(lines) else None


def json_lines(text: str, *, name: str) -> list[Any]:
    """Return the values of JSON Lines, as :func:`lines_of_json` does, as one list."""
    return [value for _, value in lines_of_json(text, name=name)[0]]


def read_jsonl(text: str, *, name: str) -> Drafts:
    """Read one object a line, of the common shape; places are lines of the file.

    Source: the transcript formats' section 6.
    """
    values, cut_off = lines_of_json(text, name=name)
    drafts = Drafts(Places(name=name, noun="utterance"))
    if cut_off is not None:
        drafts.note(
            CUT_OFF_LINE,
            [cut_off],
            "the last line is cut off and was left out",
            hint="export it again if its end matters",
        )
    rows: list[_Row] = []
    number = 0
    try:
        for number, value in values:
            rows.append(_row(number, object_of(value)))
    except Misfit as misfit:
        raise misfit.at(f"line {number}", name=name) from None
    return _take(drafts, rows)


def _row(place: int, value: dict[str, Any]) -> _Row:
    get = value.get
    speaker, text, start, end = get("speaker"), get("text"), get("start"), get("end")
    # The first names of each table, with values as they should be: what nearly every file has.
    if type(start) is type(end) is float and type(speaker) is type(text) is str:
        return place, speaker, text, start, end
    return (
        place,
        _speaker(_first(value, SPEAKERS)),
        text_of(_first(value, TEXTS)),
        _time(value, _STARTS, _STARTS_MS),
        _time(value, _ENDS, _ENDS_MS),
    )


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> Any:
    found = value.get(keys[0])
    if found is not None:
        return found
    for key in keys[1:]:
        found = value.get(key)
        if found is not None:
            return found
    return None


def _speaker(value: Any) -> str:
    if type(value) is dict:
        value = _first(value, ("name", "label", "id"))
    return label_of(value)


class _Known(float):
    """Seconds that are sure to be seconds, because the file names the unit."""


def _time(value: dict[str, Any], keys: tuple[str, ...], keys_ms: tuple[str, ...]) -> object:
    found = _first(value, keys)
    if found is not None:
        return _plain_number(found)
    found = _first(value, keys_ms)
    scaled = None if found is None else _scaled(_plain_number(found))
    return _Known(scaled) if isinstance(scaled, float) else scaled


def _plain_number(value: object) -> object:
    """Return a number that is written as a text as what it is."""
    if type(value) is not str:
        return value
    if _DECIMAL.fullmatch(value):
        return float(value) if "." in value else int(value)
    seconds = clock_of(value.strip())
    return value if seconds is None else _Known(seconds)


def _scaled(value: object) -> object:
    return value / _FACTOR_MS if type(value) is int or type(value) is float else value


def _take(drafts: Drafts, rows: list[_Row]) -> Drafts:
    scale = _in_milliseconds(rows)
    if scale:
        drafts.note(
            MILLISECONDS,
            [],
            "times are whole numbers that are too large for seconds; they were read as milliseconds",
            severity=Severity.WARNING,
            hint="if they are wrong, write them in seconds",
        )
    for place, speaker, text, start, end in rows:
        if scale:
            start, end = _scaled(start), _scaled(end)
        drafts.add(place, speaker=speaker, text=text, start=_bare(start), end=_bare(end))
    return drafts


def _bare(value: object) -> object:
    return float(value) if type(value) is _Known else value


def _in_milliseconds(rows: Iterable[_Row]) -> bool:
    """Return whether all times are whole and too large to be seconds of speech."""
    spoken = gaps = chars = 0
    before: int | None = None
    for _, _, text, start_value, end_value in rows:
        if _is_fraction(start_value) or _is_fraction(end_value):
            return False
        start, end = _whole(start_value), _whole(end_value)
        chars += len(text)
        if start is not None and end is not None:
            spoken += max(end - start, 0)
        if start is not None:
            gaps += max(start - before, 0) if before is not None else 0
            before = start
    return (spoken or gaps) > SLOW_S_PER_CHAR * max(chars, 1)


def _is_fraction(value: object) -> bool:
    return type(value) is float and not value.is_integer()


def _whole(value: object) -> int | None:
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None
