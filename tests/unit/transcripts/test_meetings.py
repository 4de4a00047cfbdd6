"""Text exports: Otter, Meet, Zoom's chat, stamped lines, speaker lines, Foundry."""

import pytest

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import (
    COUNTED_FROM_FIRST,
    EMPTY_UNITS,
    LEFT_OUT,
    UNUSABLE_TIME,
)
from talebearer.transcripts import FORMATS, Transcript, parse, sniff

Row = tuple[str, str, float | None]


def read(*lines: str, format: str | None = None, newline: str = "\n") -> Transcript:
    data = newline.join(lines).encode()
    found = parse(data, source_id="s", format=format)
    assert format or sniff(data) == found.format
    return found


def rows(transcript: Transcript) -> list[Row]:
    return [(unit.speaker, unit.text, unit.start_s) for unit in transcript.units]


def codes(transcript: Transcript) -> list[str]:
    return [problem.code for problem in transcript.problems]


@pytest.mark.spec("NI-F4-otter")
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_otter(newline: str):
    found = read(
        *("Ana Silva  1:07", "We should talk to the smith.", "Note: he is old.", ""),
        *("Unknown Speaker  1:02:15", "He is closed today.", ""),
        "Transcribed by https://otter.ai",
        newline=newline,
    )
    assert (found.format, codes(found)) == ("otter", [LEFT_OUT])
    assert rows(found) == [
        ("Ana Silva", "We should talk to the smith. Note: he is old.", 67.0),
        ("Unknown Speaker", "He is closed today.", 3735.0),
    ]
    assert found.problems[0].where.line == 8


def test_a_heading_with_a_time_does_not_make_a_text_otters():
    found = read("Session 12  1:30", *["GM: Hello.", "Ana: Hi."] * 5)
    assert (found.format, len(found.units)) == ("text", 11)


@pytest.mark.spec("NI-F4-meet")
def test_meet():
    found = read(
        *("Harbour night (2026-05-01 19:00 GMT) - Transcript", "Attendees", "Ana Silva, Ben"),
        *("Transcript", "", "Ana Silva: we walk.", "Ben: and who", "sees us?"),
        *("00:05:00", "", "Ana Silva: nobody.", "Note: it rains.", "00:10:00", "still raining"),
        "Meeting ended after 00:12:03",
    )
    assert (found.format, codes(found)) == ("meet", [LEFT_OUT])
    assert rows(found) == [
        ("Ana Silva", "we walk.", None),
        ("Ben", "and who sees us?", None),
        ("Ana Silva", "nobody. Note: it rains.", 300.0),
        ("Ana Silva", "still raining", 600.0),
    ]
    assert "1–4" in found.problems[0].message.replace("lines ", "")
    assert "15" in found.problems[0].message


@pytest.mark.spec("NI-F4-zoom-chat")
def test_zoom_chat_by_the_recordings_clock():
    found = read(
        "00:10:03 From Ana Silva to Everyone: is he: asleep?",
        "00:10:09\t From  Ben : no",
        "and listening",
        "00:11:00 From Ana Silva to Ben(Direct Message):",
        "\tpsst",
    )
    assert (found.format, codes(found)) == ("zoom-chat", [])
    assert rows(found) == [
        ("Ana Silva", "is he: asleep?", 603.0),
        ("Ben", "no and listening", 609.0),
        ("Ana Silva", "psst", 660.0),
    ]
    assert [unit.tags for unit in found.units] == [(), (), ("to Ben(Direct Message)",)]


@pytest.mark.spec("NI-F4-zoom-chat")
def test_zoom_chat_by_the_time_of_day_is_counted_from_the_first_over_midnight():
    found = read("23:59:50 From Ana to Everyone: late", "00:00:05 From Ben to Everyone: yes")
    assert [unit.start_s for unit in found.units] == [0.0, 15.0]
    assert codes(found) == [COUNTED_FROM_FIRST]
    assert "23:59:50" in found.problems[0].message


@pytest.mark.spec("NI-F4-plain-variants")
@pytest.mark.parametrize(
    "line",
    [
        "<Ana> 00:10:03 it rains: hard",
        "Ana 00:10:03 it rains: hard",
        "Ana [00:10:03]: it rains: hard",
        "Ana (00:10:03) it rains: hard",
        "00:10:03 Ana: it rains: hard",
        "(00:10:03) Ana: it rains: hard",
        "[00:10:03] <Ana> it rains: hard",
        "00:10:03.0 <Ana>: it rains: hard",
    ],
)
def test_stamped_lines(line: str):
    found = read(line, "and goes on", line)
    assert (found.format, codes(found)) == ("stamped", [])
    row = ("Ana", "it rains: hard", 603.0)
    assert rows(found) == [(row[0], "it rains: hard and goes on", 603.0), row]


@pytest.mark.parametrize("text", ["We met at 00:10:03 sharp", "Dawn 10:30 we leave", "12:30 late"])
def test_a_time_in_a_sentence_is_no_stamp(text: str):
    with pytest.raises(InvalidTranscript):
        sniff(f"{text} and then\nthe tide came in\nfor a long\nand cold night".encode())


@pytest.mark.spec("NI-F4-plain-variants")
def test_a_stamp_before_a_label_stays_plain_text():
    found = read("[00:01:02] GM (IC): The tide turns.", "[00:01:10] Ana: Run!")
    assert (found.format, rows(found)[0]) == ("text", ("GM (IC)", "The tide turns.", 62.0))


@pytest.mark.spec("NI-F6-speaker-lines")
def test_speaker_lines():
    found = read(
        *("[GM]", "The door opens.", "[music]", "Note: it is cold.", "", "[Ana]", "Who is there?"),
        *("[GM]", "[Ben]", "Me."),
    )
    assert found.format == "blocks"
    assert rows(found) == [
        ("GM", "The door opens. [music] Note: it is cold.", None),
        ("Ana", "Who is there?", None),
        ("Ben", "Me.", None),
    ]
    assert codes(found) == [EMPTY_UNITS]


@pytest.mark.parametrize("text", ["[music]\n[applause]", "[break]\nsoon", "[1, 2]"])
def test_brackets_that_name_nobody(text: str):
    with pytest.raises(InvalidTranscript):
        sniff(text.encode())


DASHES = "-" * 27


@pytest.mark.spec("NI-F5-foundry")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("5/1/2026, 11:59:50 PM", "5/2/2026, 12:00:05 AM"),
        ("5/1/2026, 11:59:50\u202fPM", "5/2/2026, 12:00:05\u202fAM"),
        ("30.4.2026, 23:59:50", "1.5.2026, 00:00:05"),
        ("2026-05-01, 23:59:50", "2026-05-02, 00:00:05"),
    ],
)
def test_foundry(first: str, second: str):
    found = read(
        *(f"[{first}] The Ferryman", "Two coins.", "Each: now.", DASHES),
        *(f"[{second}] Ana", "1d20 + 3 = 17", DASHES),
    )
    assert (found.format, codes(found)) == ("foundry", [COUNTED_FROM_FIRST])
    assert rows(found) == [
        ("The Ferryman", "Two coins. Each: now.", 0.0),
        ("Ana", "1d20 + 3 = 17", 15.0),
    ]


def test_foundry_with_a_date_that_does_not_exist_and_text_in_front():
    found = read(
        *("Harbour", "[2/30/2026, 8:00:00 PM] GM", "Hi.", "[5/1/2026, 8:00:00 PM] Ana", "Yo."),
        format="foundry",
    )
    assert rows(found) == [("", "Harbour", None), ("GM", "Hi.", None), ("Ana", "Yo.", 0.0)]
    assert codes(found) == [UNUSABLE_TIME, COUNTED_FROM_FIRST]


@pytest.mark.parametrize("format", ["otter", "zoom-chat", "stamped", "foundry"])
def test_a_format_that_is_named_is_held_to(format: str):
    assert format in FORMATS
    with pytest.raises(InvalidTranscript, match="no line such as") as caught:
        read("GM: hello there", format=format)
    assert caught.value.hint


@pytest.mark.parametrize("format", ["meet", "blocks"])
def test_a_named_document_without_labels_has_no_speakers(format: str):
    assert read("hello there", format=format).speakers == ()
