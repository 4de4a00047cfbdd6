"""The chat, caption and service formats: round trips, any bytes, and time in proportion to size."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.errors import InvalidTranscript
from talebearer.transcripts import FORMATS, Transcript, Unit, parse, sniff

quick = settings(max_examples=40, deadline=None)
some = settings(max_examples=200, deadline=None)

LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="&<>{}")
LINES = st.text(LETTERS, max_size=30).map(lambda text: " ".join(f"so {text}".split())).filter(bool)
SPEAKERS = st.sampled_from(["GM", "Ana Silva", "SPEAKER_01", "Bo van Dijk", "健太", "Ünal"])


@st.composite
def units(draw: st.DrawFn) -> list[Unit]:
    """Units in order of their starts, whole seconds; every speaker recurs."""
    said = draw(st.lists(st.tuples(SPEAKERS, LINES), min_size=1, max_size=8)) * 2
    starts = sorted(draw(st.lists(st.integers(0, 35_000), min_size=len(said), max_size=len(said))))
    return [
        Unit(unit_id=n, speaker=speaker, text=text, start_s=float(start), end_s=start + 1.5)
        for n, ((speaker, text), start) in enumerate(zip(said, starts, strict=True), 1)
    ]


def clock(seconds: float | None, mark: str = ",") -> str:
    whole, rest = divmod(round((seconds or 0) * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{mark}{rest:03}"


def short(seconds: float | None) -> str:
    return clock(seconds)[:8]


def moment(seconds: float | None) -> datetime:
    return datetime(2026, 5, 1, 18, 0, 0, tzinfo=UTC) + timedelta(seconds=seconds or 0)


def bundle(given_units: list[Unit]) -> str:
    names = list(dict.fromkeys(unit.speaker for unit in given_units))
    tracks = [
        {
            "file": f"{n}-x.json",
            "text": json.dumps(
                {
                    "segments": [
                        {"start": u.start_s, "end": u.end_s, "text": u.text}
                        for u in given_units
                        if u.speaker == name
                    ]
                }
            ),
        }
        for n, name in enumerate(names, 1)
    ]
    info = "Recording x\n\nTracks:\n" + "".join(f"\t{name}#0 (1)\n" for name in names)
    return json.dumps({"format": "talebearer.craig", "version": 1, "info": info, "tracks": tracks})


def members(unit: Unit) -> dict[str, Any]:
    return {
        "start": unit.start_s,
        "end": unit.end_s,
        "speaker": unit.speaker,
        "text": unit.text,
    }


def milliseconds(seconds: float | None) -> int:
    return round((seconds or 0) * 1000)


RENDER: dict[str, Callable[[list[Unit]], str]] = {
    "whisper-tsv": lambda given_units: (
        "start\tend\tspeaker\ttext\n"
        + "".join(
            f"{milliseconds(u.start_s)}\t{milliseconds(u.end_s)}\t{u.speaker}\t{u.text}\n"
            for u in given_units
        )
    ),
    "whisper-cpp": lambda given_units: json.dumps(
        {
            "transcription": [
                {
                    "offsets": {"from": milliseconds(u.start_s), "to": milliseconds(u.end_s)},
                    "text": f" {u.text}",
                    "speaker": u.speaker,
                }
                for u in given_units
            ]
        }
    ),
    "scribeio": lambda given_units: json.dumps(
        {
            "format": 1,
            "session": {},
            "segments": [members(u) | {"account": u.speaker} for u in given_units],
        }
    ),
    "json": lambda given_units: json.dumps({"utterances": [members(u) for u in given_units]}),
    "jsonl": lambda given_units: "".join(json.dumps(members(u)) + "\n" for u in given_units),
    "srt": lambda given_units: "\n".join(
        f"{u.unit_id}\n{clock(u.start_s)} --> {clock(u.end_s)}\n{u.speaker}: {u.text}\n"
        for u in given_units
    ),
    "otter": lambda given_units: "\n".join(
        f"{u.speaker}  {short(u.start_s)}\n{u.text}\n" for u in given_units
    ),
    "zoom-chat": lambda given_units: "".join(
        f"{short(u.start_s)} From {u.speaker} to Everyone: {u.text}\n" for u in given_units
    ),
    "stamped": lambda given_units: "".join(
        f"<{u.speaker}> {short(u.start_s)} {u.text}\n" for u in given_units
    ),
    "blocks": lambda given_units: "".join(f"[{u.speaker}]\n{u.text}\n\n" for u in given_units),
    "meet": lambda given_units: (
        "A night - Transcript\nTranscript\n"
        + "".join(f"{short(u.start_s)}\n{u.speaker}: {u.text}\n" for u in given_units)
    ),
    "discord": lambda given_units: json.dumps(
        {
            "channel": {},
            "messages": [
                {
                    "timestamp": moment(u.start_s).isoformat(),
                    "content": u.text,
                    "author": {"name": "x", "nickname": u.speaker},
                }
                for u in given_units
            ],
        }
    ),
    "foundry": lambda given_units: "\n".join(
        f"[{moment(u.start_s):%m/%d/%Y, %I:%M:%S %p}] {u.speaker}\n{u.text}\n{'-' * 27}"
        for u in given_units
    ),
    "craig": bundle,
}
WITHOUT_TIMES = {"blocks"}
WITH_ENDS = {"whisper-tsv", "whisper-cpp", "scribeio", "json", "jsonl", "srt", "craig"}
FROM_FIRST = {"discord", "foundry"}


@pytest.mark.spec("NI-F-round-trip")
@pytest.mark.parametrize("format", RENDER)
@given(units(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
@quick
def test_what_is_rendered_is_read_back(
    format: str, given_units: list[Unit], newline: str, mark: str
):
    data = (mark + RENDER[format](given_units).replace("\n", newline)).encode()
    found = parse(data, source_id="s")
    assert (found.format, sniff(data)) == (format, format)
    if format == "craig":  # by start, then by track
        names = list(dict.fromkeys(unit.speaker for unit in given_units))
        given_units = sorted(given_units, key=lambda u: (u.start_s or 0, names.index(u.speaker)))
    said = [(unit.speaker, unit.text) for unit in given_units]
    assert [(unit.speaker, unit.text) for unit in found.units] == said
    if format in WITHOUT_TIMES:
        return
    zero = given_units[0].start_s or 0.0
    if format not in FROM_FIRST and not (format == "zoom-chat" and zero >= 3600):
        zero = 0.0
    starts = [(unit.start_s or 0.0) - zero for unit in given_units]
    assert [unit.start_s for unit in found.units] == starts
    if format in WITH_ENDS:
        assert [unit.end_s for unit in found.units] == [unit.end_s for unit in given_units]


@given(units())
@quick
def test_every_format_reads_or_refuses_what_is_in_another(given_units: list[Unit]):
    for render in RENDER.values():
        data = render(given_units[:3]).encode()
        for name in FORMATS:
            attempt(data, name)


def attempt(data: bytes, format: str | None) -> Transcript | None:
    try:
        return parse(data, source_id="s", format=format)
    except InvalidTranscript as fault:
        refusal = fault
    assert refusal.code == "TB103"
    assert refusal.hint
    return None


PIECES = st.sampled_from(
    [
        "1\n", "00:00:01,000 --> 00:00:02,000\n", "start\tend\ttext\n", "0\t900\tHi\n", "\t", "\n",
        "\r", "Ana Silva  1:07\n", "Unknown Speaker  1:02:15\n", "Transcribed by https://otter.ai",
        "Transcript\n", "Attendees\n", "00:05:00\n", "Ana: hi\n", "Ben, Ana\n", "[Ana]\n", "[music]\n",
        "Meeting ended after 00:01:00", "20:01:05 From Ana to Everyone: hi\n", "<Ana> 00:10:03 hi\n",
        "00:10:03 Ben: yo\n", "[5/1/2026, 8:00:00 PM] Alias\n", "[2/30/2026, 8:00:00 PM] X\n", "-----\n",
        "Recording ID: x\n", "Tracks:\n", "\tana#0 (1)\n", "\t0:01:02: note\n", "Notes:\n",
        '{"start":1,"end":2,"speaker":"A","text":"hi"}\n', '{"type":"round","timestamp":"x"}\n', '{"te',
        "é", "\u2028", " ", "text", "[Ana] hi\n", "{\\an8}<i>", "99:99:99 From :\n", "[", "]", "\ufffd",
    ]
)  # fmt: skip
SOUP = st.lists(PIECES, max_size=25).map(lambda parts: "".join(parts).encode())
KEYS = [
    "text", "transcript", "content", "speaker", "name", "account", "start", "end", "start_ms", "from",
    "to", "offsets", "timestamps", "timestamp", "author", "nickname", "type", "event", "attachments",
    "reference", "file", "isBot", "time",
]  # fmt: skip
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["2026-05-01T20:00:00Z", "00:00:01,000", "12.5", "hp_change", "round"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=16,
)
SHAPES = st.builds(
    lambda key, rows, more: json.dumps({key: rows} | more).encode(),
    st.sampled_from(
        [
            "transcription",
            "messages",
            "utterances",
            "results",
            "turns",
            "segments",
            "tracks",
            "events",
        ]
    ),
    st.lists(VALUES, max_size=5) | VALUES,
    st.sampled_from(
        [{}, {"channel": {}}, {"format": "talebearer.craig"}, {"format": 1, "session": {}}]
    ),
)


@pytest.mark.spec("NI-E1-unit-ids")
@given(SOUP | SHAPES | st.binary(max_size=80), st.sampled_from([None, *FORMATS]))
@some
def test_any_bytes_give_units_in_order_or_a_refusal(data: bytes, format: str | None):
    found = attempt(data, format)
    if found is None:
        return
    assert [unit.unit_id for unit in found.units] == list(range(1, len(found.units) + 1))
    for unit in found.units:
        assert unit.text == unit.text.strip() != ""
        assert len(unit.text.splitlines()) == 1
        assert unit.speaker == unit.speaker.strip()
        if unit.start_s is not None and unit.end_s is not None:
            assert 0 <= unit.start_s <= unit.end_s
    assert parse(data, source_id="s", format=found.format).units == found.units
    if format is None:
        assert sniff(data) == found.format


HOSTILE: dict[str, Callable[[int], str]] = {
    "blanks": lambda n: " " * n + "x",
    "blanks-in-a-line": lambda n: "Ana" + " " * n + "1:07x",
    "tabs": lambda n: "Ana" + "\t" * n,
    "from": lambda n: "00:00:01 From" + " " * n,
    "clocks": lambda n: "00:00:01,0 --> 00:00:02,0\n" * (n // 26),
    "half-clocks": lambda n: "00:00:01.0 --> 00:00:02\n" * (n // 24),
    "open-tags": lambda n: "1\n00:00:01,000 --> 00:00:02,000\n" + "<i " * (n // 3),
    "open-brackets": lambda n: "[" * n,
    "bracket-lines": lambda n: "[Ana]\nhi\n" * (n // 9),
    "dashes": lambda n: "[5/1/2026, 8:00:00 PM] A\n" + "-" * n + "x",
    "headers": lambda n: "[5/1/2026, 8:00:00 PM] A\n" * (n // 25),
    "otters": lambda n: "Ana  1:07\n" * (n // 10),
    "footers": lambda n: "Ana  1:07\n" + "Transcribed by otter.ai\n" * (n // 24),
    "meet": lambda n: "Transcript\nAna: hi\nAna: yo\n" + "00:05:00\n" * (n // 9),
    "endings": lambda n: (
        "Transcript\nAna: hi\nAna: yo\n00:05:00\n" + "Meeting ended after 1\n" * (n // 22)
    ),
    "lines": lambda n: '{"text":"a"}\n' * (n // 13),
    "messages": lambda n: json.dumps(
        {
            "channel": {},
            "messages": [
                {"content": "a", "timestamp": "2026-05-01T20:00:00Z"} for _ in range(n // 57)
            ],
        }
    ),
    "tracks": lambda n: json.dumps(
        {"format": "talebearer.craig", "info": "Tracks:\n" + "\ta#1 (\n" * (n // 8), "tracks": []}
    ),
    "long-track": lambda n: json.dumps(
        {"format": "talebearer.craig", "info": "Tracks:\n\t" + "a (1) " * (n // 6), "tracks": []}
    ),
}
BYTES = 400_000


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_in_proportion_to_size(name: str):
    """What is quadratic takes minutes at this size; the bound is far above a slow machine's."""
    data = HOSTILE[name](BYTES).encode()
    before = time.process_time()
    attempt(data, None)
    forced = {"blanks": FORMATS, "open-brackets": FORMATS}.get(name, ())
    for one in forced:
        attempt(data, one)
    assert time.process_time() - before < 4 + len(forced)
