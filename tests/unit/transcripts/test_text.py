"""Plain text, and the rule for speaker prefixes."""

import pytest

from talebearer.errors import InvalidTranscript
from talebearer.errors.findings_transcripts import EMPTY_UNITS, NO_SPEAKERS, UNTAKEN_LABEL
from talebearer.transcripts import Transcript, parse, sniff


def read(*lines: str, format: str | None = None) -> Transcript:
    return parse("\n".join(lines).encode(), source_id="s", format=format)


def spoken(transcript: Transcript) -> list[tuple[str, str]]:
    return [(unit.speaker, unit.text) for unit in transcript.units]


def speakers(*lines: str) -> list[str]:
    return [unit.speaker for unit in read(*lines).units]


def test_continuation_lines_belong_to_the_speaker_before():
    found = read("GM: The door", "  creaks open.", "", "Slowly.", "Ana: I peek.", "GM:", "Nothing.")
    assert found.format == "text"
    assert spoken(found) == [
        ("GM", "The door creaks open. Slowly."),
        ("Ana", "I peek."),
        ("GM", "Nothing."),
    ]


def test_stamped_lines_begin_units_with_a_start():
    found = read(
        "[00:01:02] GM (IC): The tide turns.",
        "Note: the door is locked.",
        "[0:01:10.5] Ana: Run!",
        "[01:15]   Ben: Where?",
    )
    assert spoken(found) == [
        ("GM (IC)", "The tide turns. Note: the door is locked."),
        ("Ana", "Run!"),
        ("Ben", "Where?"),
    ]
    assert [unit.start_s for unit in found.units] == [62.0, 70.5, 75.0]
    assert {unit.end_s for unit in found.units} == {None}


def test_a_stamped_line_without_label_is_a_unit_without_speaker():
    found = read("[00:01] GM: One.", "[00:02] two", "[00:03] GM: Three.")
    assert spoken(found) == [("GM", "One."), ("", "two"), ("GM", "Three.")]


def test_text_before_the_first_label_is_kept():
    found = read("Our seventh evening", "at the table", "GM: Hello.", "GM: Again.")
    assert spoken(found)[0] == ("", "Our seventh evening at the table")


@pytest.mark.spec("NI-F3-prefix")
def test_a_label_counts_when_it_recurs():
    assert speakers("ana: hi", "ben: yo", "ana: bye", "ben: go") == ["ana", "ben", "ana", "ben"]
    assert speakers("Ana: hi", "ANA: yo") == ["Ana", "ANA"]


@pytest.mark.spec("NI-F3-prefix")
@pytest.mark.parametrize(("count", "taken"), [(2, False), (4, False), (5, True)])
def test_a_word_that_begins_a_few_of_many_wrapped_lines_is_no_speaker(count: int, taken: bool):
    found = read(*["GM: I see"] * 600, *["there: a cat", "GM: And"] * count)
    assert ("there" in found.speakers) is taken


@pytest.mark.spec("NI-F3-prefix")
@pytest.mark.parametrize(
    "line",
    [
        "Note: the door is locked",
        "NOTE: The door is locked",
        "Nota: la porta è chiusa",
        "He says: Run!",
        "and then: silence",
        "Well, Ana: I do not know",
        "Perception: 15",
        "Who is there? Me: the king",
        "12:30 at the bridge",
        "http://example.org",
        "this: that",
        '"Open up": he knocks',
        ": nothing before",
        "A label that is far too long to be anybody's name at all: Yes",
    ],
)
def test_what_people_say_is_not_taken_for_a_speaker(line: str):
    found = read("GM: You stand outside.", "GM: It rains.", line)
    assert spoken(found) == [("GM", "You stand outside."), ("GM", f"It rains. {line}")]


@pytest.mark.spec("NI-F3-prefix")
def test_a_note_is_text_even_when_it_recurs():
    found = read("GM: One.", "Note: a", "GM: Two.", "Note: b")
    assert spoken(found) == [("GM", "One. Note: a"), ("GM", "Two. Note: b")]


@pytest.mark.spec("NI-F3-prefix")
@pytest.mark.parametrize(
    ("recurring", "once"),
    [
        ("SPEAKER_01", "SPEAKER_07"),
        ("Player 1", "Player 2"),
        ("Ana", "Ana Silva"),
        ("Ana Silva", "Ana"),
        ("GM", "GM (out of character)"),
        ("GM", "Ben"),
        ("Ana Silva", "Bo van Dijk"),
        ("Ана", "Борис"),
        ("明日香", "健太"),
    ],
)
def test_a_label_that_occurs_once_counts_when_it_looks_like_the_others(recurring: str, once: str):
    found = speakers(f"{recurring}: Hi.", f"{once}: Yes.", f"{recurring}: Go.")
    assert found == [recurring, once, recurring]


def test_variants_count_even_where_speech_is_in_lower_case():
    assert speakers("SPEAKER_00: hi", "SPEAKER_04: yo", "SPEAKER_00: go")[1] == "SPEAKER_04"


def test_a_lone_name_before_lower_case_is_text_and_noted():
    found = read("GM: One.", "Keg: i am in", "GM: Two.")
    assert [problem.code for problem in found.problems] == [UNTAKEN_LABEL]
    assert found.problems[0].where.line == 2


def test_a_short_scene_in_which_nobody_speaks_twice():
    assert speakers("GM: A door.", "It is", "shut.", "Ana: I knock.", "Ben: Wait.") == [
        "GM",
        "Ana",
        "Ben",
    ]
    assert speakers("GM: A door.") == ["GM"]


def test_a_wide_colon_needs_no_blank():
    assert spoken(read("健太：こんにちは", "健太：はい")) == [
        ("健太", "こんにちは"),
        ("健太", "はい"),
    ]


def test_a_label_without_words_is_left_out_and_listed():
    found = read("Ana: Hi.", "Ben:", "Ana: Bye.", "Ben: Oh.")
    assert [problem.code for problem in found.problems] == [EMPTY_UNITS]
    assert "line 2" in found.problems[0].message


@pytest.mark.parametrize("text", ["hello there\nfriend", "[1, 2]", "[music]\n[applause]", "a: b"])
def test_text_without_speakers_is_refused_unless_its_format_is_named(text: str):
    with pytest.raises(InvalidTranscript, match="no format that is known") as caught:
        sniff(text.encode())
    assert "--format text" in caught.value.hint
    found = parse(text.encode(), source_id="s", format="text")
    assert [unit.text for unit in found.units] == text.split("\n")
    assert [problem.code for problem in found.problems][-1] == NO_SPEAKERS


def test_only_line_feeds_and_carriage_returns_end_a_line():
    found = parse(b"Ana: one\x0bBen: two\r\nAna: three\rAna: four", source_id="s")
    assert spoken(found) == [("Ana", "one Ben: two"), ("Ana", "three"), ("Ana", "four")]
