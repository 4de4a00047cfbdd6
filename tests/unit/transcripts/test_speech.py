"""JSON and tables of speech tools other than the first three."""

import json

import pytest

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import (
    CUT_OFF_LINE,
    EMPTY_UNITS,
    MILLISECONDS,
    NO_SPEAKERS,
    UNUSABLE_TIME,
)
from talebearer.transcripts import Transcript, parse, sniff


def read(value: object, **options: str) -> Transcript:
    data = value if isinstance(value, str) else json.dumps(value)
    found = parse(data.encode(), source_id="s", **options)
    assert sniff(data.encode()) == found.format or options
    return found


def rows(transcript: Transcript) -> list[tuple[str, str, float | None, float | None]]:
    return [(unit.speaker, unit.text, unit.start_s, unit.end_s) for unit in transcript.units]


def codes(transcript: Transcript) -> list[str]:
    return [problem.code for problem in transcript.problems]


@pytest.mark.spec("NI-F2-whisper-cpp")
def test_whisper_cpp_counts_in_milliseconds_or_by_its_stamps():
    stamps = {"from": "00:00:03,250", "to": "00:00:04,000"}
    found = read(
        {
            "transcription": [
                {"offsets": {"from": 1000, "to": 2500}, "text": " The tide is out."},
                {"timestamps": stamps, "text": " Then we walk.", "speaker": "1"},
                {"text": " No times."},
            ]
        }
    )
    assert found.format == "whisper-cpp"
    assert rows(found) == [
        ("", "The tide is out.", 1.0, 2.5),
        ("1", "Then we walk.", 3.25, 4.0),
        ("", "No times.", None, None),
    ]


@pytest.mark.spec("NI-F2-whisper-tsv")
def test_whispers_table_counts_in_milliseconds():
    found = read("start\tend\ttext\n0\t1800\tThe tide is out.\n2000\t\tThen: we walk.\nSlowly.\n")
    assert (found.format, codes(found)) == ("whisper-tsv", [NO_SPEAKERS])
    assert rows(found) == [
        ("", "The tide is out.", 0.0, 1.8),
        ("", "Then: we walk. Slowly.", 2.0, None),
    ]


def test_a_table_with_a_speaker_and_a_wrong_time():
    found = read("start\tend\tspeaker\ttext\n0\tsoon\tGM\tHi.\n5\n")
    assert rows(found) == [("GM", "Hi. 5", 0.0, None)]
    assert codes(found) == [UNUSABLE_TIME]


@pytest.mark.spec("NI-F2-scribeio")
def test_scribeios_account_is_the_speaker():
    segment = {"account": "ana", "start": 1.5, "end": 2, "text": "Hm.", "avg_logprob": -0.2}
    found = read(
        {"format": 1, "session": {"date": "2026-05-01"}, "tracks": [], "segments": [segment]}
    )
    assert (found.format, rows(found)) == ("scribeio", [("ana", "Hm.", 1.5, 2.0)])


def test_whisper_may_be_named_and_is_read_as_whisperx_is():
    value = {"text": "Hi.", "segments": [{"id": 0, "start": 0.0, "end": 1.0, "text": " Hi."}]}
    assert rows(read(value, format="whisper")) == rows(read(value))


@pytest.mark.spec("NI-F6-jsonl")
def test_json_lines():
    lines = [
        {"start": 0.5, "end": 2, "speaker": "GM", "text": "The tide.", "file": "a"},
        {"start": None, "speaker_raw": "SPEAKER_01", "text": "Where?"},
        {"text": "Nobody."},
    ]
    found = read("\r\n".join(map(json.dumps, lines)) + "\r\n")
    assert found.format == "jsonl"
    assert rows(found) == [
        ("GM", "The tide.", 0.5, 2.0),
        ("SPEAKER_01", "Where?", None, None),
        ("", "Nobody.", None, None),
    ]
    assert read(json.dumps(lines[0])).format == "jsonl"


def test_json_lines_with_nan_a_cut_end_and_a_wrong_line():
    found = read('{"start":NaN,"text":"One","speaker":"A"}\n{"text":"Two","speaker":"B"}\n{"te')
    assert rows(found) == [("A", "One", None, None), ("B", "Two", None, None)]
    assert codes(found) == [UNUSABLE_TIME, CUT_OFF_LINE]
    assert found.problems[1].where.line == 3
    with pytest.raises(InvalidTranscript, match="line 2"):
        read('{"text":"One"}\n{"text":}\n{"text":"Three"}')
    with pytest.raises(InvalidTranscript, match="line 2"):
        read('{"text":"One"}\n{"text":7}')


@pytest.mark.spec("NI-F6-generic-json")
@pytest.mark.parametrize("key", ["utterances", "results", "turns"])
def test_a_list_of_a_common_shape(key: str):
    found = read({key: [{"speaker": "A", "text": "Hi.", "start": 0.25, "end": 1}, {"text": "?"}]})
    assert (found.format, codes(found)) == ("json", [])
    assert rows(found) == [("A", "Hi.", 0.25, 1.0), ("", "?", None, None)]


@pytest.mark.spec("NI-F6-generic-json")
def test_whole_times_that_are_too_large_are_milliseconds():
    spoken = [
        {"speaker": "A", "text": "The tide is out.", "start": 250, "end": 1750},
        {"speaker": "B", "text": "Then we walk.", "start": 2000, "end": None},
    ]
    found = read({"utterances": spoken})
    assert [row[2:] for row in rows(found)] == [(0.25, 1.75), (2.0, None)]
    assert codes(found) == [MILLISECONDS]


def test_whole_seconds_stay_seconds():
    spoken = [{"text": "Hm.", "start": 60 * n, "end": 60 * n + 2} for n in range(9)]
    assert read({"turns": spoken}).units[8].start_s == 480.0


def test_names_of_members_that_services_use():
    found = read(
        {
            "results": {
                "utterances": [
                    {"transcript": "One.", "speaker": 0, "start": 0.1, "end": 0.9},
                    {"transcript": "Two.", "speaker_label": "spk_1", "start_time": "1.5"},
                    {"content": "Three.", "speaker": {"name": "Ana"}, "start_ms": 2000},
                    {"content": "Four.", "name": "Ben", "start": "00:00:03,500"},
                ]
            }
        }
    )
    assert rows(found) == [
        ("0", "One.", 0.1, 0.9),
        ("spk_1", "Two.", 1.5, None),
        ("Ana", "Three.", 2.0, None),
        ("Ben", "Four.", 3.5, None),
    ]


def test_segments_without_a_member_text_are_of_the_common_shape():
    found = read({"segments": [{"transcript": "Hi.", "speaker": "A"}, {"speaker": "B"}]})
    assert (found.format, codes(found)) == ("json", [EMPTY_UNITS])


@pytest.mark.parametrize(
    ("value", "format"),
    [
        ({"utterances": []}, None),
        ({"results": ["a"]}, None),
        ({"transcription": [7]}, None),
        ({"transcription": 7}, "whisper-cpp"),
        ({"utterances": [{"text": 7}]}, "json"),
        ({"other": 1}, "json"),
        ({}, "scribeio"),
        ("GM: hi", "whisper-tsv"),
        ("GM: hi", "jsonl"),
    ],
)
def test_what_is_none_of_them_is_refused(value: object, format: str | None):
    with pytest.raises(InvalidTranscript) as caught:
        read(value, **({"format": format} if format else {}))
    assert caught.value.code == "TB103"
