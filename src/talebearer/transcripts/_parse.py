"""Bytes to a transcript: which format, which reader, and what they share."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from talebearer.errors import InvalidId, UsageFault, nearest
from talebearer.transcripts._decode import decode
from talebearer.transcripts._drafts import Drafts
from talebearer.transcripts._json import (
    json_format,
    load_json,
    read_crd3,
    read_seriatim,
    read_whisperx,
)
from talebearer.transcripts._model import Transcript
from talebearer.transcripts._text import PlainText, read_text, recognise_text
from talebearer.transcripts._webvtt import is_webvtt, read_webvtt
from talebearer.vocabulary import SOURCE_ID, fullmatch

FORMATS: tuple[str, ...] = ("seriatim", "whisperx", "crd3", "webvtt", "text")
"""Every format that is read, as ``--format`` names it."""

# A JSON list begins with an object, or is empty; `[0:01:02] Ana: hi` and `[music]` are text.
_JSON_START = re.compile(r"\s*(?:\{|\[\s*[{\]])")


def sniff(data: bytes) -> str:
    """Return which of ``FORMATS`` *data* is, by its content alone.

    Raises:
        InvalidTranscript: it is none of them, or cannot be decoded (TB103).
    """
    text, _ = decode(data, name="the transcript")
    return _recognise(text, name="the transcript")[0]


def parse(data: bytes, *, source_id: str, format: str | None = None) -> Transcript:
    """Return the transcript that *data* holds.

    The same bytes and format always give the same units. Ids run from 1 in the source's order;
    units without text are left out, which a warning lists.

    Args:
        data: The raw file.
        source_id: The name under which ranges will cite it.
        format: One of ``FORMATS``; found by content when None.

    Raises:
        InvalidTranscript: *data* cannot be read as a transcript (TB103); ``data`` of the error has
            the byte, line and column, or JSON pointer where it is known.
        InvalidId: *source_id* is no source id (TB109).
        UsageFault: *format* is not a known format (TB111).

    Source: design E1, E5; the transcript formats.
    """
    check_source_id(source_id)
    return parse_named(data, source_id=source_id, format=format, name=source_id)


def parse_named(data: bytes, *, source_id: str, format: str | None, name: str) -> Transcript:
    """Do what :func:`parse` does, with messages that call the source *name*."""
    if format is not None and format not in FORMATS:
        close = nearest(format, FORMATS, count_max=1)
        raise UsageFault(
            f"{format!r} is no transcript format",
            hint=f"did you mean {close[0]}?" if close else f"formats: {', '.join(FORMATS)}",
            data={"format": format, "allowed": list(FORMATS)},
        )
    text, problems = decode(data, name=name)
    found, recognised = _recognise(text, name=name) if format is None else (format, None)
    units, more = _read(text, recognised, format=found, name=name).finish()
    return Transcript(
        source_id=source_id,
        digest="sha256:" + hashlib.sha256(data).hexdigest(),
        format=found,
        units=units,
        problems=(*problems, *more),
    )


def check_source_id(source_id: str, *, origin: str = "") -> None:
    """Raise ``InvalidId`` (TB109) if *source_id*, which came from *origin*, is no source id."""
    if fullmatch(SOURCE_ID, source_id):
        return
    likely = re.sub(r"[^A-Za-z0-9._-]+", "-", source_id[:256]).strip("-._")[:64]
    raise InvalidId(
        f"{source_id[:100]!r}{origin} is no source id",
        hint="1–64 letters, digits, dots, dashes and underscores, beginning with a letter or digit"
        + (f", for example {likely}" if likely else ""),
        data={"source_id": source_id[:256]},
    )


def _recognise(text: str, *, name: str) -> tuple[str, Any]:
    """Return the format, and what finding it yielded: a JSON value or the labels of a text."""
    if is_webvtt(text):
        return "webvtt", None
    if _JSON_START.match(text):
        root = load_json(text, name=name)
        return json_format(root, name=name), root
    return "text", recognise_text(text, name=name)


def _read(text: str, recognised: Any, *, format: str, name: str) -> Drafts:
    if format == "webvtt":
        return read_webvtt(text, name=name)
    if format == "text":
        return read_text(PlainText(text) if recognised is None else recognised, name=name)
    root = load_json(text, name=name) if recognised is None else recognised
    readers = {"seriatim": read_seriatim, "whisperx": read_whisperx, "crd3": read_crd3}
    return readers[format](root, name=name)
