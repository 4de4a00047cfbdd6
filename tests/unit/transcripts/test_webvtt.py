"""WebVTT, on captions written for these tests."""

import pytest

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import (
    EMPTY_UNITS,
    NO_SPEAKERS,
    OUTSIDE_CUES,
    UNTAKEN_LABEL,
    UNUSABLE_TIME,
)
from talebearer.transcripts import Transcript, parse, sniff


def read(text: str) -> Transcript:
    return parse(text.encode(), source_id="s", format="webvtt")


def cue(payload: str, *, start: str = "00:01.000", end: str = "00:02.000") -> str:
    return f"{start} --> {end}\n{payload}\n\n"


def captions(*payloads: str) -> Transcript:
    return read("WEBVTT\n\n" + "".join(map(cue, payloads)))


def spoken(transcript: Transcript) -> list[tuple[str, str]]:
    return [(unit.speaker, unit.text) for unit in transcript.units]


def codes(transcript: Transcript) -> list[str]:
    return [problem.code for problem in transcript.problems]


TEAMS = """WEBVTT

5b1e6c0e-1111-2222-3333-444455556666/12-0
00:00:03.120 --> 00:00:05.900
<v Ana Silva>I open the chest.</v>

5b1e6c0e-1111-2222-3333-444455556666/13-0
00:00:06.000 --> 01:00:07.500 align:start position:0%
<v.loud.first Ben>Do
not!</v>
"""


@pytest.mark.spec("NI-F3-webvtt-accepts")
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_teams_voice_tags_with_any_line_end_and_byte_order_mark(newline: str, mark: str):
    data = (mark + TEAMS.replace("\n", newline)).encode()
    found = parse(data, source_id="s")
    assert (found.format, found.problems) == ("webvtt", ())
    assert spoken(found) == [("Ana Silva", "I open the chest."), ("Ben", "Do not!")]
    assert [(unit.start_s, unit.end_s) for unit in found.units] == [(3.12, 5.9), (6.0, 3607.5)]


@pytest.mark.spec("NI-F3-webvtt-accepts")
def test_zoom_prefixes_become_speakers():
    found = captions(
        "Ana Silva: Is he asleep?", "Ben (he/him): Yes.", "Ana Silva: Good.", "So: run."
    )
    assert spoken(found) == [
        ("Ana Silva", "Is he asleep?"),
        ("Ben (he/him)", "Yes."),
        ("Ana Silva", "Good."),
        ("", "So: run."),
    ]


@pytest.mark.spec("NI-F3-prefix")
def test_a_note_is_not_a_speaker():
    found = captions("Ana: Wait.", "Note: the door is locked", "Ana: Note: it is shut.", "Ben: Oh.")
    assert spoken(found) == [
        ("Ana", "Wait."),
        ("", "Note: the door is locked"),
        ("Ana", "Note: it is shut."),
        ("Ben", "Oh."),
    ]


def test_a_lone_lower_case_start_stays_text_and_is_noted():
    found = captions("Ana: Wait.", "Keg: i am in", "Ana: Go.")
    assert ("", "Keg: i am in") in spoken(found)
    assert codes(found) == [UNTAKEN_LABEL]
    assert "'Keg'" in found.problems[0].message


def test_prefixes_are_left_alone_where_voice_tags_are():
    found = captions("<v GM>Ana: that is what he calls you.", "<v GM>Ana: again.")
    assert spoken(found)[0] == ("GM", "Ana: that is what he calls you.")


@pytest.mark.spec("NI-F3-webvtt-accepts")
def test_several_voices_in_a_cue_are_several_units_with_its_times():
    found = captions("(door) <v Ana>Hi.</v>\n<v Ben &amp; Co>Yo.</v> (wind)")
    assert spoken(found) == [("", "(door)"), ("Ana", "Hi."), ("Ben & Co", "Yo."), ("", "(wind)")]
    assert {(unit.start_s, unit.end_s) for unit in found.units} == {(1.0, 2.0)}


def test_a_name_that_changes_inside_a_cue_begins_a_unit():
    found = captions("Ana: Hi.\nBen: Yo.", "Ben: Well\nthen.", "Ana: Go.")
    assert spoken(found) == [("Ana", "Hi."), ("Ben", "Yo."), ("Ben", "Well then."), ("Ana", "Go.")]


def test_plain_captions_have_no_speaker_and_say_so():
    found = captions("Hello there.", "General noise.")
    assert spoken(found) == [("", "Hello there."), ("", "General noise.")]
    assert codes(found) == [NO_SPEAKERS]


@pytest.mark.spec("NI-F3-webvtt-accepts")
def test_comments_styles_and_regions_are_skipped():
    text = (
        "WEBVTT - session 7\nKind: captions\n\nNOTE\nnobody said this\n\nSTYLE\n::cue { color: red }\n\n"
        "REGION\nid:fred\n\nNOTE one line\n\n" + cue("<v A>said</v>")
    )
    found = read(text)
    assert (spoken(found), found.problems) == ([("A", "said")], ())


@pytest.mark.spec("NI-F3-webvtt-accepts")
@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ("<i>so</i> <b.loud>it</b> <c.yellow>is</c>", "so it is"),
        ("<00:00:01.500>one <01:02.000>two", "one two"),
        ("<lang en-GB>grey</lang> <ruby>a<rt>b</rt></ruby>", "grey ab"),
        ("3 &lt; 4 &amp;&nbsp;5 &#233; &#xE9; &hellip;", "3 < 4 &\u00a05 é é …"),
        ("3 < 4 > 2 <laughs> <vex>", "3 < 4 > 2 <laughs> <vex>"),
        (
            "R&D, AT&T &notes; &amp &bogus; &#0;x &#99999999;",
            "R&D, AT&T &notes; &amp &bogus; \ufffdx &#99999999;",
        ),
        ("&lt;i&gt;literal&lt;/i&gt; &amp;lt;", "<i>literal</i> &lt;"),
    ],
)
def test_known_tags_go_references_are_decoded_once_and_the_rest_stays(payload: str, text: str):
    assert captions(payload).units[0].text == text


@pytest.mark.parametrize(
    ("timing", "start_s", "end_s"),
    [
        ("00:01.5 --> 00:02,250", 1.5, 2.25),
        ("1:00:00.000-->1:00:01.000", 3600.0, 3601.0),
        ("75:00.000 --> 76:00.000", 4500.0, 4560.0),
        ("  00:01.000 -->\t00:02.000 line:0", 1.0, 2.0),
    ],
)
def test_time_lines_in_their_variants(timing: str, start_s: float, end_s: float):
    found = read(f"WEBVTT\n\n{timing}\n<v A>x")
    assert (found.units[0].start_s, found.units[0].end_s, found.problems) == (start_s, end_s, ())


def test_a_broken_time_line_costs_only_its_times():
    found = read("WEBVTT\n\n0x:01 --> soon\n<v A>x\n\n" + cue("<v B>y", start="00:03.000"))
    assert spoken(found) == [("A", "x"), ("B", "y")]
    assert [(unit.start_s, unit.end_s) for unit in found.units] == [(None, None), (3.0, None)]
    assert codes(found) == [UNUSABLE_TIME]
    assert found.problems[0].where.line == 3


def test_an_arrow_in_speech_is_speech():
    assert captions("<v A>look --> there", "<v A>5 --> 6").units[1].text == "5 --> 6"


def test_cues_run_together_without_an_empty_line():
    found = read("WEBVTT\n00:01.000 --> 00:02.000\n<v A>x\n00:02.000 --> 00:03.000\n<v B>y")
    assert spoken(found) == [("A", "x"), ("B", "y")]


def test_lines_outside_any_cue_are_left_out_and_listed():
    found = read("WEBVTT\n\nstray\n\n" + cue("<v A>x") + "after\nthat\n")
    assert spoken(found) == [("A", "x")]
    assert codes(found) == [OUTSIDE_CUES]
    assert "lines 3, 8–9" in found.problems[0].message


def test_empty_cues_are_left_out_and_listed():
    found = captions("", "<v A>x", "<v B></v>", "<i></i>")
    assert spoken(found) == [("A", "x")]
    assert codes(found) == [EMPTY_UNITS]
    assert "3 cues" in found.problems[0].message


@pytest.mark.parametrize(
    "text", ["WEBVTT", "WEBVTT\n\n", "WEBVTT\n\nNOTE\nx\n", "WEBVTT\n\nwords\n"]
)
def test_captions_without_a_cue_are_refused(text: str):
    with pytest.raises(InvalidTranscript, match="without a cue"):
        read(text)


def test_a_missing_signature_is_refused():
    with pytest.raises(InvalidTranscript, match="WEBVTT"):
        read(cue("x"))


@pytest.mark.parametrize(
    ("head", "found"), [("WEBVTT\n", True), ("WEBVTT x\n", True), ("WEBVTTX: a\n", False)]
)
def test_the_signature_ends_with_its_word(head: str, found: bool):
    assert (sniff(f"{head}\nWEBVTTX: b\nWEBVTTX: c".encode()) == "webvtt") is found


def test_a_cue_of_many_lines_is_read_in_linear_time():
    found = captions("<v A" + "<v x " * 20_000, "\n".join(["Ana: a", *["b"] * 50_000]))
    assert len(found.units) == 2


@pytest.mark.spec("NI-F3-webvtt-accepts")
def test_a_line_with_a_blank_under_the_time_line_is_part_of_the_cue():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000 align:start\n \nhello<00:01.500><c> there</c>\n \n\n"
    text += "00:03.000 --> 00:04.000\nyes\n"
    transcript = parse(text.encode(), source_id="s")
    assert [(unit.text, unit.start_s) for unit in transcript.units] == [
        ("hello there", 1.0),
        ("yes", 3.0),
    ]
