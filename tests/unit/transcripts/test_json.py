"""seriatim, WhisperX and CRD3, on transcripts written for these tests."""

import json

import pytest

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import (
    EMPTY_UNITS,
    LIKELY_MILLISECONDS,
    NO_SPEAKERS,
    RENUMBERED,
    UNUSABLE_TIME,
)
from talebearer.transcripts import Transcript, parse, sniff

MINIMAL = {
    "metadata": {"application": "seriatim", "version": "1.1.0", "output_schema": "minimal"},
    "segments": [
        {"id": 1, "start": 0.5, "end": 2.25, "speaker": "GM", "text": "The tide is out."},
        {"id": 2, "start": 2.5, "end": 4, "speaker": "Ana", "text": "Then we walk."},
    ],
}


def read(value: object, **options: str) -> Transcript:
    return parse(json.dumps(value).encode(), source_id="s", **options)


def refused(value: object, **options: str) -> InvalidTranscript:
    with pytest.raises(InvalidTranscript) as caught:
        read(value, **options)
    return caught.value


def codes(transcript: Transcript) -> list[str]:
    return [problem.code for problem in transcript.problems]


def rows(transcript: Transcript) -> list[tuple[int, str, str]]:
    return [(unit.unit_id, unit.speaker, unit.text) for unit in transcript.units]


@pytest.mark.spec("NI-F1-seriatim-ids")
def test_seriatim_minimal_keeps_ids_speakers_texts_and_times():
    found = read(MINIMAL)
    assert (found.format, found.problems) == ("seriatim", ())
    assert rows(found) == [(1, "GM", "The tide is out."), (2, "Ana", "Then we walk.")]
    assert [(unit.start_s, unit.end_s) for unit in found.units] == [(0.5, 2.25), (2.5, 4.0)]


def test_seriatim_full_turns_categories_into_tags():
    segment = {"id": 1, "start": 1.0, "end": 1.5, "speaker": "Ben", "text": "Mm."}
    more = {
        "source": "ben.json",
        "source_segment_index": 0,
        "categories": ["backchannel", "filler"],
    }
    found = read({"metadata": {}, "segments": [segment | more], "overlap_groups": []})
    assert found.format == "seriatim"
    assert found.units[0].tags == ("backchannel", "filler")


@pytest.mark.spec("NI-F1-seriatim-ids")
@pytest.mark.parametrize("ids", [(2, 3), (1, 3), (2, 1), (1, 1), (1, None), (True, 2), ("1", "2")])
def test_seriatim_ids_that_are_not_dense_are_given_anew_with_a_warning(ids: tuple[object, ...]):
    segments = [
        dict(segment, id=number) for segment, number in zip(MINIMAL["segments"], ids, strict=True)
    ]
    found = read(MINIMAL | {"segments": segments})
    assert [unit.unit_id for unit in found.units] == [1, 2]
    assert codes(found) == [RENUMBERED]


def test_seriatim_without_any_ids_is_numbered_quietly():
    segments = [{"speaker": "GM", "text": "One."}, {"speaker": "Ana", "text": "Two."}]
    found = read(MINIMAL | {"segments": segments})
    assert (len(found.units), found.problems) == (2, ())


WHISPERX = {
    "language": "en",
    "segments": [
        {
            "start": 12.1,
            "end": 13.9,
            "text": " Roll a 20",
            "speaker": "SPEAKER_01",
            "words": [{"word": "Roll", "start": 12.1, "end": 12.4, "score": 0.9}, {"word": "20"}],
        },
        {"text": "No speaker, no times."},
        {"start": 20, "end": None, "speaker": None, "text": "Null end."},
        {"start": 21, "speaker": 2, "text": "A numbered speaker."},
    ],
}


@pytest.mark.spec("NI-F2-missing-members")
def test_whisperx_lacks_speakers_and_times_without_a_crash():
    found = read(WHISPERX)
    assert (found.format, found.problems) == ("whisperx", ())
    assert [unit.speaker for unit in found.units] == ["SPEAKER_01", "", "", "2"]
    times = [(unit.start_s, unit.end_s) for unit in found.units]
    assert times == [(12.1, 13.9), (None, None), (20.0, None), (21.0, None)]
    assert found.units[0].text == "Roll a 20"


def test_whisper_ids_from_zero_are_not_unit_ids():
    found = read({"text": "Hi.", "segments": [{"id": 0, "seek": 0, "text": " Hi."}]})
    assert (found.format, codes(found)) == ("whisperx", [NO_SPEAKERS])


def test_a_bare_list_of_segments_is_read():
    found = read(WHISPERX["segments"])
    assert (found.format, len(found.units)) == ("whisperx", 4)


def test_times_that_are_no_times_are_unknown_and_named():
    data = b"""{"segments":[
      {"start":NaN,"end":-Infinity,"speaker":"A","text":"NaN and \\"Infinity\\" stay"},
      {"start":-1,"end":"2","speaker":"A","text":"b"},
      {"start":true,"end":3,"speaker":"A","text":"c"},
      {"start":5,"end":4,"speaker":"A","text":"d"}]}"""
    found = parse(data, source_id="s")
    times = [(unit.start_s, unit.end_s) for unit in found.units]
    assert times == [(None, None), (None, None), (None, 3.0), (5.0, None)]
    assert found.units[0].text == 'NaN and "Infinity" stay'
    assert codes(found) == [UNUSABLE_TIME]
    assert "6 times" in found.problems[0].message
    assert "$.segments[0–3]" in found.problems[0].message


def test_segments_without_text_are_left_out_and_listed():
    texts = ["", "a", " \n ", None, "b", "\u3000"]
    found = read({"segments": [{"speaker": "A", "text": text} for text in texts]})
    assert rows(found) == [(1, "A", "a"), (2, "A", "b")]
    assert codes(found) == [EMPTY_UNITS]
    assert "4 segments" in found.problems[0].message
    assert "$.segments[0, 2–3, 5]" in found.problems[0].message


@pytest.mark.spec("NI-F6-crd3-number")
def test_crd3_ids_are_number_plus_one_and_fragments_join_with_one_space():
    turns = [
        {"NAMES": ["GM"], "UTTERANCES": ["So the harbour", "is quiet."], "NUMBER": 0},
        {"NAMES": ["ANA", "BEN"], "UTTERANCES": ["Good!", "", " Really? "], "NUMBER": 1},
    ]
    found = read({"METADATA": {}, "TURNS": turns})
    assert (found.format, found.problems) == ("crd3", ())
    assert rows(found) == [(1, "GM", "So the harbour is quiet."), (2, "ANA & BEN", "Good! Really?")]


@pytest.mark.spec("NI-F6-crd3-number")
@pytest.mark.parametrize("numbers", [(1, 2), (0, 2), (0, 0), (0, None), (False, 1)])
def test_crd3_numbers_that_are_not_dense_are_given_anew(numbers: tuple[object, ...]):
    turns = [{"NAMES": ["A"], "UTTERANCES": ["x"], "NUMBER": number} for number in numbers]
    found = read({"TURNS": turns})
    assert [unit.unit_id for unit in found.units] == [1, 2]
    assert codes(found) == [RENUMBERED]


def test_a_dropped_turn_moves_the_ids_after_it_and_says_so():
    texts = [["a"], [], ["b"]]
    turns = [{"NAMES": ["A"], "UTTERANCES": text, "NUMBER": n} for n, text in enumerate(texts)]
    found = read({"TURNS": turns})
    assert rows(found) == [(1, "A", "a"), (2, "A", "b")]
    assert codes(found) == [EMPTY_UNITS, RENUMBERED]
    assert "2 for 3" in found.problems[1].message


@pytest.mark.spec("NI-E5-text-kept")
def test_text_keeps_its_letters_quotes_and_inner_blanks():
    text = "\u201eNein\u201c, e\u0301 \U0001f409 caf\u00e9\u2026  &amp; <i>--"
    found = read({"segments": [{"speaker": "Ünal ", "text": f"  {text}\t"}]})
    assert rows(found) == [(1, "Ünal", text)]


@pytest.mark.spec("NI-E5-text-kept")
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", " \n\n ", "\u2028", "\x85"])
def test_line_breaks_fold_into_one_space(newline: str):
    found = read({"segments": [{"speaker": "A", "text": f"one{newline}two"}]})
    assert found.units[0].text == "one two"


def test_a_key_that_is_there_twice_counts_with_its_last_value():
    data = b'{"segments":[{"text":"first","text":"last","speaker":"A"}]}'
    assert parse(data, source_id="s").units[0].text == "last"


@pytest.mark.parametrize("cut", [1, 20, 100, 200])
def test_cut_off_json_names_line_and_column(cut: int):
    data = json.dumps(MINIMAL, indent=1).encode()[:-cut]
    with pytest.raises(InvalidTranscript, match=r"cut off at line \d+, column \d+") as caught:
        parse(data, source_id="s")
    lines = data.decode().split("\n")
    assert (caught.value.data["line"], caught.value.data["column"]) == (
        len(lines),
        len(lines[-1]) + 1,
    )


def test_a_fault_behind_a_nan_is_still_placed_truly():
    with pytest.raises(InvalidTranscript, match="line 2, column 9"):
        parse(b'{"segments":[{"start":NaN,\n"text": oops}]}', source_id="s")


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"segments":['])
def test_deep_nesting_is_refused(opening: bytes):
    with pytest.raises(InvalidTranscript):
        parse(b'{"segments":' + opening * 100_000, source_id="s")


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({}, "$"),
        ({"TURNS": 3}, "$"),
        ({"segments": {"a": 1}}, "$"),
        ({"segments": [3]}, "$.segments[0]"),
        ({"segments": [{"text": "a"}, {"text": 5}]}, "$.segments[1].text"),
        ({"segments": [{"text": "a", "speaker": ["x"]}]}, "$.segments[0].speaker"),
        ({"segments": [{"text": "a", "categories": "x"}]}, "$.segments[0].categories"),
        ({"TURNS": [None]}, "$.TURNS[0]"),
        ({"TURNS": [{"NAMES": "GM"}]}, "$.TURNS[0].NAMES"),
        ({"TURNS": [{"NAMES": ["GM"], "UTTERANCES": [1]}]}, "$.TURNS[0].UTTERANCES"),
    ],
)
def test_a_wrong_shape_names_the_place(value: object, pointer: str):
    fault = refused(value)
    assert fault.data["pointer"] == pointer
    assert pointer in fault.message
    assert fault.hint


def test_other_tools_json_gets_a_hint_of_its_own():
    assert "chat export" in refused({"messages": []}).hint
    assert "artifact" in refused({"npcs": []}).hint


@pytest.mark.parametrize("value", [{"segments": []}, {"TURNS": []}, {"segments": [{"text": " "}]}])
def test_json_in_which_nobody_speaks_is_refused(value: object):
    assert refused(value).code == "TB103"


@pytest.mark.parametrize(("format", "pointer"), [("crd3", "$.TURNS"), ("seriatim", "$.segments")])
def test_a_format_that_is_named_is_held_to(format: str, pointer: str):
    assert refused({"other": []}, format=format).data["pointer"] == pointer


def test_a_named_format_reads_its_cousin():
    assert read(MINIMAL, format="whisperx").format == "whisperx"
    assert rows(read(MINIMAL, format="whisperx")) == rows(read(MINIMAL))


def test_whole_times_that_are_too_large_are_kept_with_a_warning():
    segments = [{"start": 1000, "end": 4000, "speaker": "A", "text": "We walk down to the water."}]
    found = read({"segments": segments})
    assert (found.units[0].end_s, codes(found)) == (4000.0, [LIKELY_MILLISECONDS])
    assert read({"segments": segments}, format="json").units[0].end_s == 4.0


def test_json_formats_are_told_by_content():
    assert sniff(json.dumps(MINIMAL).encode()) == "seriatim"
    assert sniff(json.dumps(WHISPERX).encode()) == "whisperx"
    assert sniff(b'\n {"TURNS": []}') == "crd3"
