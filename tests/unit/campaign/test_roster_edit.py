"""campaign.toml with new seats: right by the reader's own account, and otherwise as it was."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.campaign._config import config_template, parse_config
from talebearer.campaign.roster import Seat, check_seats, new_seats, with_seats
from talebearer.errors import UsageFault
from talebearer.extraction import Player, Roster, SpeakerRole

GM, PLAYER, GUEST = SpeakerRole.GAME_MASTER, SpeakerRole.PLAYER, SpeakerRole.GUEST

SHAPES = {
    "template": config_template("c", "C"),
    "bare": 'id = "c"\n',
    "tables only": 'id = "c"  # mine\n\n[glossary]\n"Berra" = ["Bera"] # heard so\n',
    "blocks": 'id = "c"\n[[game_masters]]\nname = "Mia" # head\n[[roster]]\nplayer = "Ana"\n# end\n',
    "one line": 'id = "c"\r\nroster = [{player = "Ana"}] # us\r\nguests = [ # none\r\n]\r\n',
    "names": 'id = "c"\ngame_masters = ["Mia", {name = "Sol", labels = ["S"]}]\n',
}


def _roster(text: str) -> Roster:
    return parse_config(tomllib.loads(text)).roster


@pytest.mark.spec("NI-roster-written")
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_seats_are_written_into_any_shape_and_comments_stay(shape: str) -> None:
    seats = (
        Seat(label="SPEAKER_00", role=GM, name="Mia"),
        Seat(label="SPEAKER_01", role=PLAYER, name="Ana", characters=("Nora Fell",)),
        Seat(label="SPEAKER_02", role=PLAYER, name="Ben"),
        Seat(label="SPEAKER_03", role=GUEST),
        Seat(label="SPEAKER_04", role=GM),
    )
    written = with_seats(shape, seats)
    roster = _roster(written)
    assert {seat.label: roster.role_of(seat.label) for seat in seats} == {
        seat.label: seat.role for seat in seats
    }
    assert roster.character_of("SPEAKER_01") == "Nora Fell"
    assert roster.person_of("SPEAKER_00") == roster.person_of("Mia")
    comments = [line[line.index("#") :] for line in shape.splitlines() if "#" in line]
    assert all(comment in written for comment in comments)
    before, after = tomllib.loads(shape), tomllib.loads(written)
    seated = {"roster", "game_masters", "guests"}
    assert {key: after[key] for key in before if key not in seated} == {
        key: before[key] for key in before if key not in seated
    }
    assert new_seats(seats, roster) == ()
    assert with_seats(written, seats) == written


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)


@settings(max_examples=60)
@given(
    st.sampled_from(list(SHAPES.values())),
    st.lists(
        st.builds(Seat, label=NAMES, role=st.sampled_from((GM, PLAYER, GUEST)), name=NAMES),
        max_size=5,
    ),
)
def test_what_is_accepted_is_read_back_as_it_was_meant(shape: str, seats: list[Seat]) -> None:
    try:
        check_seats(seats, _roster(shape), labels={seat.label for seat in seats})
    except UsageFault:
        return
    roster = _roster(with_seats(shape, new_seats(seats, _roster(shape))))
    assert all(roster.role_of(seat.label) is seat.role for seat in seats)


TABLE = Roster(
    players=(Player(name="Ana", labels=("A1",), characters=("Nora Fell",)),),
    game_masters=(Player(name="Mia", labels=("GM",)),),
)


@pytest.mark.spec("NI-roster-refused")
@pytest.mark.parametrize(
    ("seats", "fault"),
    [
        ([Seat(label="S9", role=PLAYER)], "no transcript has the speaker 'S9'"),
        ([Seat(label="GM", role=PLAYER, name="Ben")], "'GM' is a game master already, Mia"),
        ([Seat(label="a1", role=PLAYER, name="Ben")], "'a1' is a player already, Ana"),
        ([Seat(label="S1", role=PLAYER, name="Mia")], "'Mia' is a game master already"),
        ([Seat(label="S1", role=PLAYER, name="A1")], "'A1' is a label of Ana"),
        (
            [Seat(label="S1", role=PLAYER), Seat(label="S1", role=GUEST)],
            "'S1' is given twice",
        ),
        (
            [Seat(label="S1", role=PLAYER, name="X"), Seat(label="S2", role=GUEST, name="x")],
            "'x' is given two roles",
        ),
        (
            [Seat(label="S1", role=PLAYER, name="Ben", characters=("nora fell",))],
            "'nora fell' is the character of Ana",
        ),
        ([Seat(label="S1", role=GM, name="Z", characters=("Y",))], "plays no character"),
        ([Seat(label="S1", role=PLAYER, name="a\nb")], "control characters"),
        ([Seat(label="S1", role=PLAYER, name="x" * 201)], "too long"),
        ([Seat(label="S1", role=PLAYER, characters=(" ",))], "is empty"),
    ],
)
def test_what_contradicts_the_roster_is_refused(seats: list[Seat], fault: str) -> None:
    with pytest.raises(UsageFault) as caught:
        check_seats(seats, TABLE, labels={"S1", "S2", "GM", "A1"})
    assert fault in caught.value.message


def test_all_faults_come_at_once() -> None:
    seats = [Seat(label="S9", role=PLAYER), Seat(label="GM", role=GUEST)]
    with pytest.raises(UsageFault) as caught:
        check_seats(seats, TABLE, labels={"GM"})
    assert len(caught.value.data["problems"]) == 2


def test_a_label_with_its_seat_is_no_contradiction() -> None:
    seat = Seat(label="GM", role=GM, name="Mia")
    check_seats([seat], TABLE, labels={"GM"})
    assert new_seats([seat], TABLE) == ()
