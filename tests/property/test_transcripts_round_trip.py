"""What is rendered in a format is read back from it, unit by unit."""

import html
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.transcripts import Transcript, Unit, parse

quick = settings(max_examples=60, deadline=None)

LETTERS = st.characters(exclude_categories=("Cs", "Cc"))
LINES = st.text(LETTERS, max_size=30).map(lambda text: " ".join(text.split())).filter(bool)
SPEAKERS = st.sampled_from(
    [
        "GM",
        "Ana Silva",
        "ana",
        "SPEAKER_01",
        "Bo van Dijk",
        "Ünal (she/her)",
        "健太",
        "O'Brien & Co",
    ]
)
MILLISECONDS = st.integers(0, 40 * 3600 * 1000)


@st.composite
def units(draw: st.DrawFn) -> list[Unit]:
    rows = draw(
        st.lists(st.tuples(SPEAKERS, LINES, MILLISECONDS, MILLISECONDS), min_size=1, max_size=30)
    )
    # Twice, so that every speaker recurs: that is what makes a prefix a speaker.
    return [
        Unit(
            unit_id=number,
            speaker=speaker,
            text=text,
            start_s=min(first, second) / 1000,
            end_s=max(first, second) / 1000,
        )
        for number, (speaker, text, first, second) in enumerate(rows * 2, 1)
    ]


def read(text: str) -> Transcript:
    return parse(text.encode(), source_id="s")


def clock(seconds: float | None) -> str:
    milliseconds = round((seconds or 0) * 1000)
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{rest:03}"


def webvtt(payloads: list[tuple[Unit, str]], newline: str = "\n") -> str:
    cues = [
        f"{unit.unit_id}\n{clock(unit.start_s)} --> {clock(unit.end_s)}\n{payload}\n"
        for unit, payload in payloads
    ]
    return "\n".join(["WEBVTT\n", *cues]).replace("\n", newline)


@pytest.mark.spec("NI-F1-seriatim-ids")
@given(units())
@quick
def test_seriatim(given_units: list[Unit]):
    segments = [
        {
            "id": unit.unit_id,
            "start": unit.start_s,
            "end": unit.end_s,
            "speaker": unit.speaker,
            "text": unit.text,
        }
        for unit in given_units
    ]
    found = read(json.dumps({"metadata": {"application": "seriatim"}, "segments": segments}))
    assert (found.units, found.problems) == (tuple(given_units), ())


@given(units(), st.booleans())
@quick
def test_whisperx(given_units: list[Unit], ascii_only: bool):
    segments = [
        {"start": unit.start_s, "end": unit.end_s, "speaker": unit.speaker, "text": f" {unit.text}"}
        for unit in given_units
    ]
    found = read(json.dumps({"segments": segments}, ensure_ascii=ascii_only))
    assert (found.units, found.problems) == (tuple(given_units), ())


@pytest.mark.spec("NI-F6-crd3-number")
@given(units())
@quick
def test_crd3(given_units: list[Unit]):
    turns: list[dict[str, Any]] = [
        {
            "NAMES": unit.speaker.split(" & "),
            "UTTERANCES": unit.text.split(" "),
            "NUMBER": unit.unit_id - 1,
        }
        for unit in given_units
    ]
    found = read(json.dumps({"TURNS": turns}))
    assert spoken(found) == [(unit.speaker, unit.text) for unit in given_units]
    assert found.problems == ()


def spoken(transcript: Transcript) -> list[tuple[str, str]]:
    return [(unit.speaker, unit.text) for unit in transcript.units]


@pytest.mark.spec("NI-F3-webvtt-accepts")
@given(units(), st.sampled_from(["\n", "\r\n", "\r"]))
@quick
def test_webvtt_with_voice_tags(given_units: list[Unit], newline: str):
    payloads = [
        (unit, f"<v {html.escape(unit.speaker)}>{html.escape(unit.text)}</v>")
        for unit in given_units
    ]
    found = read(webvtt(payloads, newline))
    assert (found.units, found.problems) == (tuple(given_units), ())


@given(units())
@quick
def test_webvtt_with_prefixes(given_units: list[Unit]):
    payloads = [(unit, html.escape(f"{unit.speaker}: {unit.text}")) for unit in given_units]
    found = read(webvtt(payloads))
    assert (found.units, found.problems) == (tuple(given_units), ())


@given(units(), st.booleans())
@quick
def test_plain_text(given_units: list[Unit], stamped: bool):
    lines = [
        f"[{clock(unit.start_s)}] " * stamped + f"{unit.speaker}: {unit.text}"
        for unit in given_units
    ]
    found = read("\n".join(lines))
    assert spoken(found) == [(unit.speaker, unit.text) for unit in given_units]
    starts = [unit.start_s if stamped else None for unit in given_units]
    assert [unit.start_s for unit in found.units] == starts
