"""Bytes to a transcript: which format, which reader, and what they share."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from talebearer._garbage import undisturbed
from talebearer.errors import (
    InvalidId,
    InvalidTranscript,
    Problem,
    TranscriptTooLarge,
    UsageFault,
    nearest,
)
from talebearer.transcripts._chat import read_combat, read_discord
from talebearer.transcripts._craig import read_craig
from talebearer.transcripts._decode import decode
from talebearer.transcripts._drafts import Drafts
from talebearer.transcripts._headed import (
    read_foundry,
    read_otter,
    read_stamped,
    read_zoom_chat,
)
from talebearer.transcripts._json import load_json, read_crd3, read_seriatim, read_whisperx
from talebearer.transcripts._kinds import json_format, lines_format, text_format
from talebearer.transcripts._model import Transcript, Unit
from talebearer.transcripts._parts import read_parts
from talebearer.transcripts._sheets import read_blocks, read_meet, read_whisper_tsv
from talebearer.transcripts._speech import (
    json_lines,
    read_generic,
    read_jsonl,
    read_scribeio,
    read_whisper_cpp,
)
from talebearer.transcripts._srt import read_srt
from talebearer.transcripts._text import PlainText, read_text, recognise_text
from talebearer.transcripts._webvtt import is_webvtt, read_webvtt
from talebearer.vocabulary import SOURCE_ID, fullmatch

FORMATS: tuple[str, ...] = (
    *("seriatim", "whisperx", "crd3", "webvtt", "text"),
    *("whisper", "whisper-tsv", "whisper-cpp", "scribeio", "json", "jsonl"),
    *("srt", "otter", "meet", "zoom-chat", "stamped", "blocks"),
    *("craig", "parts", "discord", "foundry", "pf2e"),
)
"""Every format that is read, as ``--format`` names it."""

PARTS_MAX = 3_000_000
"""How many parts a source may have: lines and voice tags of a text, objects, lists and line ends
inside strings of JSON. Each unit has at least one; a tool that writes an object for each word comes
to a good third of it in 64 MiB. Without it, a file of the shortest units would take fifty
times its size in memory."""

_TEXT_PARTS = ("\n", "\r", "<v")
_JSON_PARTS = ("{", "[", "\\n", "\\r", "<v")

_MEDIA_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "webvtt": "text/vtt",
        "srt": "application/x-subrip",
        "whisper-tsv": "text/tab-separated-values",
        "jsonl": "application/x-ndjson",
    }
)
_PLAIN = frozenset({"text", "otter", "meet", "zoom-chat", "stamped", "blocks", "foundry"})

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
        TranscriptTooLarge: more than ``PARTS_MAX`` parts (TB104).
        InvalidId: *source_id* is no source id (TB109).
        UsageFault: *format* is not a known format (TB111).

    Source: rules NI-E1, NI-E5; the transcript formats.
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
    _check_parts(text, name=name)
    with undisturbed():
        found, recognised = _recognise(text, name=name) if format is None else (format, None)
        drafts = _read(text, recognised, format=found, name=name)
        units, more = drafts.finish()
    return Transcript(
        source_id=source_id,
        digest="sha256:" + hashlib.sha256(data).hexdigest(),
        format=found,
        units=units,
        problems=(*problems, *more),
        files=tuple(drafts.files),
    )


def media_type(format: str) -> str:
    """Return the media type of a file in *format*, one of ``FORMATS``."""
    return _MEDIA_TYPES.get(format, "text/plain" if format in _PLAIN else "application/json")


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
        by_lines = lines_format(text)
        if by_lines is not None:
            return by_lines, None
        root = load_json(text, name=name)
        return json_format(root, name=name), root
    found = text_format(text, name=name)
    return found, recognise_text(text, name=name) if found == "text" else None


def _read(text: str, recognised: Any, *, format: str, name: str) -> Drafts:
    if format == "text":
        return read_text(PlainText(text) if recognised is None else recognised, name=name)
    if format in _TEXT_READERS:
        return _TEXT_READERS[format](text, name=name)
    root = recognised
    if root is None:
        by_lines = format == "pf2e" and lines_format(text) is not None
        root = json_lines(text, name=name) if by_lines else load_json(text, name=name)
    if format in _BUNDLES:
        return _BUNDLES[format](root, name=name, read_track=_read_track)
    return _JSON_READERS[format](root, name=name)


def _check_parts(text: str, *, name: str) -> None:
    """Raise ``TranscriptTooLarge`` (TB104) for more than ``PARTS_MAX`` parts."""
    in_json = _JSON_START.match(text) is not None
    count = sum(map(text.count, _JSON_PARTS if in_json else _TEXT_PARTS))
    if count > PARTS_MAX:
        what = "objects, lists and line ends" if in_json else "lines and voice tags"
        raise TranscriptTooLarge(
            f"{name} has {count:,} {what}, the limit is {PARTS_MAX:,}",
            hint="split it; one source is one session",
            data={"source": name, "parts": count, "parts_max": PARTS_MAX},
        )


def _read_track(text: str, name: str) -> tuple[tuple[Unit, ...], list[Problem]]:
    """Return what one track of a bundle holds; a person who never spoke has no units."""
    if text.strip() in {"", "WEBVTT"}:
        return (), []
    found, recognised = _recognise(text, name=name)
    if found in _BUNDLES:
        raise InvalidTranscript(
            f"{name} is a bundle of files inside another",
            hint="give the transcripts themselves",
            data={"source": name},
        )
    drafts = _read(text, recognised, format=found, name=name)
    return drafts.finish() if drafts.units else ((), [])


_TEXT_READERS: Mapping[str, Callable[..., Drafts]] = MappingProxyType(
    {
        "webvtt": read_webvtt,
        "srt": read_srt,
        "whisper-tsv": read_whisper_tsv,
        "jsonl": read_jsonl,
        "otter": read_otter,
        "meet": read_meet,
        "zoom-chat": read_zoom_chat,
        "stamped": read_stamped,
        "blocks": read_blocks,
        "foundry": read_foundry,
    }
)
_BUNDLES: Mapping[str, Callable[..., Drafts]] = MappingProxyType(
    {"craig": read_craig, "parts": read_parts}
)
_JSON_READERS: Mapping[str, Callable[..., Drafts]] = MappingProxyType(
    {
        "seriatim": read_seriatim,
        "whisperx": read_whisperx,
        "whisper": read_whisperx,
        "crd3": read_crd3,
        "whisper-cpp": read_whisper_cpp,
        "scribeio": read_scribeio,
        "json": read_generic,
        "discord": read_discord,
        "pf2e": read_combat,
    }
)
