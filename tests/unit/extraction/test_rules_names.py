"""Which capitalised words are people of the story, in the cases that went wrong once."""

import pytest

from talebearer.extraction import Player, Roster, extract_npcs


def names(session, roster, **glossary):
    artifact = extract_npcs(session, roster, glossary=glossary.get("glossary", {}))
    return [npc["name"] for npc in artifact.payload["npcs"]]


MET = """
GM: At the bar you see Orla, and Orla says you are late.
Nia: “Thank you, Orla.”
GM: Orla nods. Orla's hands are black.
Olu: I ask Orla about the boat.
"""


@pytest.mark.parametrize(
    "line",
    [
        "Nia: I loved that Polymorphing Orla thing.",
        "Olu: It was Bizarro Orla from the other side!",
        "Nia: It is Wandering Orla again.",
        "Olu: And then Frightened Orla ran off.",
        "GM: You remember Smelly Orla from the song.",
    ],
)
def test_a_compound_seen_once_does_not_take_over_a_name(transcript, roster, line) -> None:
    assert names(transcript(MET + line), roster) == ["Orla"]


def test_a_surname_heard_once_is_kept(transcript, roster) -> None:
    assert names(transcript(MET + "GM: You have heard of Orla Finch."), roster) == ["Orla Finch"]


@pytest.mark.parametrize(
    "line",
    [
        "Nia: I cast Conjure Volley at the gate.",
        "Nia: Can I use Conjure Volley?\nGM: Conjure Volley is a fine spell.",
        "Olu: I do a Brutal Sweep attack, and Brutal Sweep damage is ten.",
        "Nia: I use Targeting here. Targeting is good.",
        "Olu: Sorcery! That is what it is, Sorcery.",
        "Nia: Ew! Ew, that is gross. Ew!",
        "Olu: Sup. Sup, everybody?",
        "Nia: Hmph! Brr! Eeeh!",
        "Nia: It is like the Orlando movie, or an Orlando film.",
        "GM: The Kestrels are here, and the Kestrels have a flag.",
        "Olu: We could go to Karsk. From Karsk it is a day's walk.",
        "Olu: I have read Karsk.",
        "Nia: Hadrian's Lantern! I throw Hadrian's Lantern.",
    ],
)
def test_spells_cries_groups_works_and_places_are_nobody(transcript, roster, line) -> None:
    filler = "\nOlu: And then we sleep.\nGM: The night is long and cold." * 150
    assert names(transcript(line + filler), roster) == []


@pytest.mark.spec("NI-roster")
@pytest.mark.parametrize(
    "line",
    [
        "GM: “Tavi! Come here, Tavi,” and Tavi nods.",
        "Olu: “Marsh, behind you!” I help Marsh.",
        "GM: Hest says a prayer. Brother Hest kneels.",
        "Nia: Both of the Tavis are here. I ask the Tavis.",
        "GM: You see Hes, and Hes nods. “Hes!”",
    ],
)
def test_names_of_the_table_in_any_part_are_nobody(transcript, roster, line) -> None:
    assert names(transcript(line), roster) == []


def test_the_full_name_behind_a_nickname_is_nobody(transcript) -> None:
    roster = Roster(
        players=(Player(name="Nia", characters=("Jasky Lorn",)),),
        game_masters=(Player(name="GM"),),
    )
    session = transcript("GM: “Jaskier, is it?” The clerk looks at Jaskier.\nNia: Jaskier nods.")
    assert names(session, roster) == []


@pytest.mark.spec("NI-roster")
def test_a_companion_of_the_roster_is_nobody(transcript) -> None:
    roster = Roster(
        players=(Player(name="Nia", characters=("Tavi", "Biscuit")),),
        game_masters=(Player(name="GM"),),
    )
    session = transcript("GM: Biscuit barks.\nNia: I pet Biscuit. “Good boy, Biscuit!”")
    assert names(session, roster) == []


@pytest.mark.spec("NI-roster")
def test_a_character_that_the_glossary_lists_is_nobody(transcript, roster) -> None:
    session = transcript("GM: Tavi Marsh looks up, and Tavi nods to Orla. Orla nods.")
    glossary = {"Tavi Marsh": ("Tavi",), "Orla": ()}
    assert names(session, roster, glossary=glossary) == ["Orla"]


@pytest.mark.parametrize("word", ["Halt", "Freeze", "Surrender", "Intruders", "Treachery", "Yield"])
@pytest.mark.parametrize("text", ["GM: “{}!” the guard shouts.", "Nia: “{}!” I say.", "Olu: {}!"])
def test_a_word_that_is_shouted_is_nobody(transcript, roster, word, text) -> None:
    assert names(transcript(text.format(word)), roster) == []


@pytest.mark.parametrize("name", ['Al Brien "Red" Tully', "O'Brien “Red” Tully", "Al 'Red' Moss"])
def test_a_nickname_in_quotation_marks_is_part_of_the_name(transcript, roster, name) -> None:
    text = f"GM: You see {name} at the bar.\nNia: I wave.\nGM: {name} waves back."
    (npc,) = extract_npcs(transcript(text), roster).payload["npcs"]
    assert npc["name"] == name
    assert [ref["start_unit_id"] for ref in npc["source_refs"]] == [1]
    assert npc["source_refs"][0]["end_unit_id"] == 3


def test_a_word_that_is_said_between_two_names_is_no_nickname(transcript, roster) -> None:
    found = names(transcript(MET + "GM: Orla says, “Yes,” and Dov nods. Dov “no” Orla."), roster)
    assert sorted(found) == ["Dov", "Orla"]
