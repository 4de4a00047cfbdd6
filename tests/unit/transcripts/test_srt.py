"""SubRip captions."""

import pytest

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import (
    EMPTY_UNITS,
    NO_SPEAKERS,
    OUTSIDE_CUES,
    UNTAKEN_LABEL,
    UNUSABLE_TIME,
)
from talebearer.transcripts import Transcript, parse


def srt(*payloads: str, newline: str = "\n") -> bytes:
    cues = [
        f"{n}\n00:00:{n:02},250 --> 00:00:{n:02},900\n{payload}\n"
        for n, payload in enumerate(payloads, 1)
    ]
    return "\n".join(cues).replace("\n", newline).encode()


def read(data: bytes) -> Transcript:
    return parse(data, source_id="s")


def spoken(transcript: Transcript) -> list[tuple[str, str]]:
    return [(unit.speaker, unit.text) for unit in transcript.units]


def codes(transcript: Transcript) -> list[str]:
    return [problem.code for problem in transcript.problems]


@pytest.mark.spec("NI-F3-srt")
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_prefixes_that_recur_are_speakers(newline: str, mark: bytes):
    found = read(mark + srt("Ana: Hi.", "Note: the door", "Ana: Bye\nnow.", newline=newline))
    assert (found.format, codes(found)) == ("srt", [])
    assert spoken(found) == [("Ana", "Hi."), ("", "Note: the door"), ("Ana", "Bye now.")]
    assert [(unit.start_s, unit.end_s) for unit in found.units][2] == (3.25, 3.9)


@pytest.mark.spec("NI-F3-srt")
def test_names_in_brackets_are_speakers_and_sounds_are_not():
    found = read(srt("[Ana] Hi.", "[music] la la", "[music] la", "[laughs]", "[Ana] Bye."))
    assert spoken(found) == [
        ("Ana", "Hi."),
        ("", "[music] la la"),
        ("", "[music] la"),
        ("", "[laughs]"),
        ("Ana", "Bye."),
    ]


def test_a_bracket_that_does_not_count_keeps_its_form():
    found = read(srt("Ana: Hi.", "[whispering] psst", "Ana: Bye."))
    assert spoken(found)[1] == ("", "[whispering] psst")
    assert codes(found) == [UNTAKEN_LABEL]


def test_captions_without_speakers():
    found = read(srt("the tide is out", "then we walk"))
    assert spoken(found) == [("", "the tide is out"), ("", "then we walk")]
    assert codes(found) == [NO_SPEAKERS]


def test_markup_goes_and_references_are_decoded():
    found = read(srt('{\\an8}<i>Ana:</i> <font color="red">a &lt; b</font>', "Ana: 1 < 2"))
    assert spoken(found) == [("Ana", "a < b"), ("Ana", "1 < 2")]


def test_voice_tags_that_a_converter_left_are_speakers():
    assert spoken(read(srt("<v Ana>Hi.</v> <v Ben>Yo.</v>"))) == [("Ana", "Hi."), ("Ben", "Yo.")]


def test_a_cue_goes_on_over_empty_lines_and_numbers():
    data = b"1\n00:00:01,000 --> 00:00:02,000\none\n\ntwo\n3\n\n2\n00:00:03,000 --> x\n"
    found = read(data + b"00:00:04,000 --> 00:00:03,000\nlast\n4\n")
    assert [unit.text for unit in found.units] == [
        "one two 3 2 00:00:03,000 --> x",
        "last 4",
    ]
    assert UNUSABLE_TIME in codes(found)


def test_text_before_the_first_cue_and_empty_cues_are_listed():
    found = read(b"My captions\n1\n" + srt("Ana: Hi.", "", "Ana: Bye.")[2:])
    assert codes(found) == [EMPTY_UNITS, OUTSIDE_CUES]
    assert found.problems[1].where.line == 1


def test_doubled_line_ends_make_no_index_speech():
    found = read(srt("Ana: Hi.", "Ana: 7", "Ana: Bye.", newline="\r\r\n"))
    assert spoken(found) == [("Ana", "Hi."), ("Ana", "7"), ("Ana", "Bye.")]


def test_a_number_that_is_all_of_a_cue_is_speech_where_cues_have_no_index():
    data = b"00:00:01,000 --> 00:00:02,000\n4\n\n00:00:03,000 --> 00:00:04,000\n5\n"
    assert [unit.text for unit in read(data).units] == ["4", "5"]


def test_hours_and_dots_may_differ():
    found = read(b"00:01.5 --> 00:02.5\nAna: hi\n\n00:03.000 --> 00:04.000\nAna: ho\n")
    assert (found.format, found.units[0].start_s) == ("srt", 1.5)


def test_no_captions_are_refused_when_named_so():
    with pytest.raises(InvalidTranscript, match="SubRip"):
        parse(b"GM: hi", source_id="s", format="srt")
