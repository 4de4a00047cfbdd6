import pytest

from talebearer.extraction import Player, Roster, SpeakerRole, unknown_speakers


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("GM", "game_master"),
        (" gm ", "game_master"),
        ("Sam", "game_master"),
        ("nia_b", "player"),
        ("Olu", "player"),
        ("KIT", "guest"),
        ("SPEAKER_00", "unknown"),
        ("", "unknown"),
        ("Nia & GM", "game_master"),
        ("Nia & SPEAKER_00", "player"),
        ("GM (IC)", "game_master"),
        ("Nia [ooc]", "player"),
        ("Nobody (IC)", "unknown"),
        ("(OOC)", "unknown"),
    ],
)
def test_a_label_has_one_role_whatever_its_case(roster: Roster, label: str, role: str) -> None:
    assert roster.role_of(label) is SpeakerRole(role)


def test_labels_compare_in_one_unicode_form(roster: Roster) -> None:
    from talebearer.extraction import Player

    table = Roster(players=(Player(name="Zoe\u0301"),))
    assert table.role_of("ZO\u00c9") is SpeakerRole.PLAYER


def test_a_player_has_a_character_and_a_game_master_has_none(roster: Roster) -> None:
    assert roster.character_of("nia_b") == "Tavi Marsh"
    assert roster.character_of("GM") is None
    assert roster.character_of("nobody") is None


def test_everybody_at_the_table_is_excluded_with_single_words(roster: Roster) -> None:
    names = roster.excluded_names
    assert {"Nia", "nia_b", "Tavi Marsh", "Tavi", "Marsh", "Hest", "Sam", "GM", "Kit"} <= set(names)
    assert list(names) == sorted(names)


def test_unknown_speakers_come_with_their_longest_units(roster, transcript) -> None:
    session = transcript(
        """
        GM: Welcome.
        S1: A.
        S1: A long one, this.
        S1: Middle one.
        S1: Bb.
        Nia & S2: Both.
        """
    )
    first, second = unknown_speakers(session, roster)
    assert (first.label, first.unit_count) == ("S1", 4)
    assert [unit.unit_id for unit in first.longest] == [3, 4, 5]
    assert (second.label, second.unit_count) == ("S2", 1)


def test_a_label_goes_before_the_name_of_somebody_else() -> None:
    roster = Roster(
        game_masters=(Player(name="Sam", labels=("Ana",)),),
        players=(Player(name="Ana", labels=("Sam",)),),
    )
    assert roster.role_of("Ana") is SpeakerRole.GAME_MASTER
    assert roster.role_of("Sam") is SpeakerRole.PLAYER
