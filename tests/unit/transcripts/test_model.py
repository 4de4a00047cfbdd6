import pytest

from talebearer.errors import UnknownReference, UsageFault
from talebearer.transcripts import Transcript, Unit, format_time

DIGEST = "sha256:" + "0" * 64


def transcript(*speakers: str) -> Transcript:
    units = tuple(
        Unit(unit_id=number, speaker=speaker, text=f"text {number}")
        for number, speaker in enumerate(speakers, 1)
    )
    return Transcript(source_id="s", digest=DIGEST, format="text", units=units)


def test_speakers_come_in_order_of_first_appearance_without_the_unknown():
    assert transcript("GM", "", "Ana", "GM").speakers == ("GM", "Ana")


@pytest.mark.spec("NI-E1-ranges-inclusive")
def test_a_quote_includes_both_ends():
    found = transcript("GM", "Ana", "Ben", "GM").quote(2, 3)
    assert [unit.unit_id for unit in found] == [2, 3]


def test_a_unit_is_found_by_its_id():
    assert transcript("GM", "Ana").unit(2).speaker == "Ana"


@pytest.mark.spec("NI-E1-unit-ids")
@pytest.mark.parametrize(("first", "last"), [(0, 1), (-1, -1), (2, 1), (2, 3), (3, 3)])
def test_a_range_outside_the_transcript_is_refused(first: int, last: int):
    with pytest.raises(UnknownReference) as caught:
        transcript("GM", "Ana").quote(first, last)
    assert "1–2" in caught.value.hint


def test_unit_zero_does_not_wrap_around():
    with pytest.raises(UnknownReference):
        transcript("GM", "Ana").unit(0)


def test_ids_with_a_gap_are_our_own_bug():
    units = (Unit(unit_id=2, speaker="", text="x"),)
    with pytest.raises(AssertionError):
        Transcript(source_id="s", digest=DIGEST, format="text", units=units)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0:00"),
        (5.99, "0:05"),
        (125, "2:05"),
        (3599.999, "59:59"),
        (3600, "1:00:00"),
        (3764, "1:02:44"),
        (360000, "100:00:00"),
    ],
)
def test_times_read_like_a_clock_and_are_cut_off(seconds: float, shown: str):
    assert format_time(seconds) == shown


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_what_is_no_time_is_refused(seconds: float):
    with pytest.raises(UsageFault):
        format_time(seconds)
