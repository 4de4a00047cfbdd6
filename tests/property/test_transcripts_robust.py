"""Whatever the bytes are: a transcript in good order, or InvalidTranscript."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.errors import InvalidTranscript, Severity
from talebearer.transcripts import FORMATS, Transcript, parse, sniff

some = settings(max_examples=150, deadline=None)

PIECES = st.sampled_from(
    [
        "WEBVTT", "\n", "\n\n", "\r\n", " ", "00:01.000", " --> ", "00:00:02.500", "NOTE", "STYLE",
        "<v ", "<v.loud Ana>", "</v>", "<i>", ">", "<", "&", "&amp;", "&#x41;", "&#0;", ";", "Ana: ",
        "GM:", "：", "[00:01:02] ", "[", "]", "{", "}", '"segments":', '"TURNS":', '"text":', '"id":',
        '"NAMES":', '"UTTERANCES":', '"NUMBER":', '"start":', '"a"', "1", ",", "NaN", "-Infinity",
        "null", "true", '"', "\\", "\\ud800", "é", "\ufeff", "\x85", "\u2028", "hello there",
    ]
)  # fmt: skip
SOUP = st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode())

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "text",
                    "speaker",
                    "start",
                    "end",
                    "categories",
                    "NAMES",
                    "UTTERANCES",
                    "NUMBER",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)
SHAPES = st.builds(
    lambda key, rows, metadata: json.dumps({key: rows, "metadata": metadata}).encode(),
    st.sampled_from(["segments", "TURNS"]),
    st.lists(VALUES, max_size=6),
    st.sampled_from([None, {"application": "seriatim"}, 3]),
)

WHOLE = (
    b'{"segments":[{"id":1,"start":0.5,"end":2,"speaker":"GM","text":"caf\xc3\xa9"}]}',
    b'{"TURNS":[{"NAMES":["GM","ANA"],"UTTERANCES":["so","\xf0\x9f\x90\x89"],"NUMBER":0}]}',
    "WEBVTT\r\n\r\n1\r\n00:01.000 --> 00:02.000\r\n<v Ána>hi &lt;b</v>\r\n".encode(),
    b"[00:01:02] GM: hello\n[00:01:03] Ana: yes\nGM: no",
    "\ufeffGM: hello\nAna: yes\n".encode("utf-16-le"),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(WHOLE)))
    for _ in range(draw(st.integers(0, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))])


def check(found: Transcript) -> None:
    assert [unit.unit_id for unit in found.units] == list(range(1, len(found.units) + 1))
    for unit in found.units:
        for words in (unit.text, unit.speaker, *unit.tags):
            assert words == words.strip()
            assert len(words.splitlines()) <= 1
            words.encode()
        assert unit.text
        for moment in (unit.start_s, unit.end_s):
            assert moment is None or (math.isfinite(moment) and moment >= 0)
        if unit.start_s is not None and unit.end_s is not None:
            assert unit.start_s <= unit.end_s
    assert all(problem.severity is not Severity.ERROR for problem in found.problems)


@pytest.mark.spec("NI-E1-unit-ids")
@given(st.binary(max_size=60) | SOUP | SHAPES | damaged(), st.sampled_from([None, *FORMATS]))
@some
def test_any_bytes_give_a_transcript_in_order_or_a_refusal(data: bytes, format: str | None):
    try:
        found: Transcript | None = parse(data, source_id="s", format=format)
    except InvalidTranscript as fault:
        refusal = fault.as_json()
        found = None
    if found is None:
        assert refusal["message"]
        assert refusal["hint"]
        assert json.dumps(refusal)
        return
    check(found)
    assert parse(data, source_id="s", format=format) == found


@given(SOUP | SHAPES | damaged())
@some
def test_what_is_sniffed_is_what_is_parsed(data: bytes):
    try:
        sniffed = sniff(data)
    except InvalidTranscript:
        with pytest.raises(InvalidTranscript):
            parse(data, source_id="s")
        return
    try:
        found = parse(data, source_id="s")
    except InvalidTranscript:
        return
    assert found.format == sniffed
    assert parse(data, source_id="s", format=sniffed) == found


@pytest.mark.spec("NI-E5-text-kept")
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
@some
def test_text_is_the_sources_but_for_its_ends_and_line_breaks(texts: list[str]):
    segments = [{"text": text, "speaker": "GM"} for text in texts]
    try:
        found = parse(json.dumps({"segments": segments}).encode(), source_id="s")
    except InvalidTranscript:
        assert not "".join(texts).strip()
        return
    kept = [text for text in texts if text.strip()]
    for unit, source in zip(found.units, kept, strict=True):
        assert "".join(unit.text.split()) == "".join(source.split())
        if len(source.splitlines()) == 1:
            assert unit.text == source.strip()
        for line in source.splitlines():
            assert line.strip() in unit.text
