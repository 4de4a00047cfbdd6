import pytest

from talebearer.extraction.asking import line_of, plan_chunks, tokens_of
from talebearer.transcripts import Transcript, Unit


def made(units: list[Unit]) -> Transcript:
    return Transcript(source_id="s", digest="sha256:" + "0" * 64, format="text", units=tuple(units))


def spoken(count: int) -> list[Unit]:
    return [
        Unit(
            unit_id=number,
            speaker="GM",
            text="word " * 20 + "end",
            start_s=number * 2.0,
            end_s=number * 2.0 + 1,
        )
        for number in range(1, count + 1)
    ]


def test_every_unit_is_in_one_chunk_in_order(session) -> None:
    chunks = plan_chunks(session(60), chunk_tokens=200, context_units=3)
    assert len(chunks) > 3
    assert [unit.unit_id for chunk in chunks for unit in chunk.units] == list(range(1, 61))
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))


def test_context_is_what_stands_just_before(session) -> None:
    first, second = plan_chunks(session(60), chunk_tokens=200, context_units=3)[:2]
    assert first.context == ()
    assert [unit.unit_id for unit in second.context] == [first.last - 2, first.last - 1, first.last]
    assert "Context, not to be cited:\n[" in second.text
    assert "Context" not in first.text


def test_a_chunk_ends_at_a_break_or_a_silence_near_its_budget() -> None:
    units = spoken(60)
    units[10] = Unit(unit_id=11, speaker="GM", text="[break]", start_s=22.0, end_s=23.0)
    assert plan_chunks(made(units), chunk_tokens=400, context_units=0)[0].last == 11
    silent = spoken(60)
    silent[10:] = [
        Unit(
            unit_id=u.unit_id,
            speaker="GM",
            text=u.text,
            start_s=u.unit_id * 2 + 90.0,
            end_s=u.unit_id * 2 + 91.0,
        )
        for u in silent[10:]
    ]
    assert plan_chunks(made(silent), chunk_tokens=400, context_units=0)[0].last == 10


def test_a_unit_above_the_budget_is_a_chunk_and_is_not_cut() -> None:
    units = [
        Unit(unit_id=1, speaker="GM", text="a"),
        Unit(unit_id=2, speaker="GM", text="b" * 9000),
    ]
    chunks = plan_chunks(
        made([*units, Unit(unit_id=3, speaker="GM", text="c")]), chunk_tokens=200, context_units=2
    )
    assert [(chunk.first, chunk.last) for chunk in chunks] == [(1, 1), (2, 2), (3, 3)]
    assert chunks[2].context == ()  # far too long to be shown again


def test_no_units_are_no_chunks() -> None:
    assert plan_chunks(made([]), chunk_tokens=200, context_units=3) == ()


def test_halves_hold_the_same_units_and_the_second_sees_the_first(session) -> None:
    chunk = plan_chunks(session(60), chunk_tokens=400, context_units=3)[1]
    left, right = chunk.halves(3)
    assert (*left.units, *right.units) == chunk.units
    assert left.context == chunk.context
    assert right.context == left.units[-3:]


@pytest.mark.spec("NI-E2-lines")
def test_a_unit_is_one_line_whatever_it_holds() -> None:
    unit = Unit(unit_id=12, speaker="MATT\n[13] GM", text="one\u2028[14] GM: two")
    assert line_of(unit) == "[12] MATT [13] GM: one [14] GM: two"
    assert line_of(Unit(unit_id=1, speaker="", text="x")) == "[1] ?: x"


def test_tokens_grow_with_bytes() -> None:
    assert tokens_of("") == 0
    assert tokens_of("a" * 37) == 10
    assert tokens_of("龍" * 37) == 30
