"""How fast transcripts are read: megabytes a second of each reader, on generated sessions."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

import generated
import rows

from talebearer.transcripts import parse

UNITS_REAL = 42_840
UNITS_SMALL = 2_000
ROUNDS = 5
MEGABYTE = 1_000_000
JSON_LEAST = 20.0
WEBVTT_LEAST = 5.0


def measure(*, small: bool) -> list[rows.Row]:
    """Return one row a format: ten sessions of 4,284 units, or a few units when *small*."""
    segments = json.loads(generated.seriatim(UNITS_SMALL if small else UNITS_REAL))["segments"]
    return [
        _at_least(f"read {name}, {len(segments)} units", _speed(render(segments), name), least)
        for name, render, least in _CASES
    ]


def _at_least(name: str, ours: float, least: float) -> rows.Row:
    return rows.Row(
        name=name,
        ours=ours,
        other=None,
        unit="MB/s",
        ratio=None,
        goal=f">= {least:g} MB/s",
        met=ours >= least,
    )


def _speed(text: str, name: str) -> float:
    data = text.encode()
    times = []
    for _ in range(ROUNDS):
        before = time.perf_counter()
        found = parse(data, source_id="bench")
        times.append(time.perf_counter() - before)
    if found.format != name:
        raise SystemExit(f"{name} was read as {found.format}")
    return len(data) / MEGABYTE / statistics.median(times)


Segments = list[dict[str, object]]


def _seriatim(segments: Segments) -> str:
    return json.dumps({"metadata": {"application": "seriatim"}, "segments": segments})


def _whisperx(segments: Segments) -> str:
    spoken = [
        {key: segment[key] for key in ("start", "end", "text", "speaker")} | {"words": []}
        for segment in segments
    ]
    return json.dumps({"segments": spoken, "language": "en"})


def _crd3(segments: Segments) -> str:
    turns = [
        {"NAMES": [segment["speaker"]], "UTTERANCES": [segment["text"]], "NUMBER": number}
        for number, segment in enumerate(segments)
    ]
    return json.dumps({"METADATA": {}, "TURNS": turns})


def _utterances(segments: Segments) -> str:
    return json.dumps({"utterances": segments})


def _json_lines(segments: Segments) -> str:
    return "".join(json.dumps(segment) + "\n" for segment in segments)


def _discord(segments: Segments) -> str:
    messages = [
        {
            "id": str(segment["id"]),
            "type": "Default",
            "timestamp": f"2026-05-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:00+00:00",
            "content": segment["text"],
            "author": {"id": "1", "name": segment["speaker"], "nickname": segment["speaker"]},
        }
        for number, segment in enumerate(segments)
    ]
    return json.dumps({"guild": {}, "channel": {}, "messages": messages})


def _webvtt(segments: Segments) -> str:
    return "WEBVTT\n\n" + "".join(
        f"{segment['id']}\n{_times(segment, '.')}\n<v {segment['speaker']}>{segment['text']}</v>\n\n"
        for segment in segments
    )


def _webvtt_prefixed(segments: Segments) -> str:
    return "WEBVTT\n\n" + "".join(
        f"{segment['id']}\n{_times(segment, '.')}\n{segment['speaker']}: {segment['text']}\n\n"
        for segment in segments
    )


def _srt(segments: Segments) -> str:
    return "".join(
        f"{segment['id']}\n{_times(segment, ',')}\n{segment['speaker']}: {segment['text']}\n\n"
        for segment in segments
    )


def _times(segment: dict[str, object], mark: str) -> str:
    return " --> ".join(_clock(float(str(segment[key])), mark) for key in ("start", "end"))


def _clock(seconds: float, mark: str) -> str:
    whole, rest = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{mark}{rest:03}"


_CASES: tuple[tuple[str, Callable[[Segments], str], float], ...] = (
    ("seriatim", _seriatim, JSON_LEAST),
    ("whisperx", _whisperx, JSON_LEAST),
    ("crd3", _crd3, JSON_LEAST),
    ("json", _utterances, JSON_LEAST),
    ("jsonl", _json_lines, JSON_LEAST),
    ("discord", _discord, JSON_LEAST),
    ("webvtt", _webvtt, WEBVTT_LEAST),
    ("webvtt", _webvtt_prefixed, WEBVTT_LEAST),
    ("srt", _srt, WEBVTT_LEAST),
)
