import pytest

from talebearer.extraction import extract_npcs


def names(session, roster, **glossary):
    artifact = extract_npcs(session, roster, glossary=glossary.get("glossary", {}))
    return [npc["name"] for npc in artifact.payload["npcs"]]


@pytest.mark.parametrize(
    "text",
    [
        "GM: A tall woman named Orla Finch looks you over.",
        "GM: She bows. “My name is Orla Finch, of the ferry.”",
        "GM: You find Captain Finch on the deck. Captain Finch nods.",
        "GM: At the bar you see Orla, and Orla says you are late.\nNia: “Thank you, Orla.”",
        "GM: The smith is Orla. She goes on hammering, and Orla’s hands are black.",
        "GM: Behind the desk Órla nods.\nNia: I ask Órla about the boat.",
    ],
)
def test_people_are_found_by_the_ways_in_which_tables_name_them(transcript, roster, text) -> None:
    assert len(names(transcript(text), roster)) == 1


@pytest.mark.spec("NI-roster")
def test_nobody_at_the_table_is_an_npc(transcript, roster) -> None:
    session = transcript(
        """
        GM: Tavi Marsh looks up, and Hest nods at Tavi. Nia, what do you do?
        Zed: I ask Nia and Kit, is Tav here? Zed says hello.
        GM: “Hello, Zed,” and Tavi waves to Brother Hest.
        """
    )
    assert names(session, roster) == []


def test_a_full_name_takes_its_single_words_where_they_are_its_alone(transcript, roster) -> None:
    session = transcript(
        """
        GM: You meet Orla Finch at the door. Orla nods.
        Nia: “Captain Finch, well met.”
        GM: And Orla says, “Well met.”
        """
    )
    assert names(session, roster) == ["Orla Finch"]


def test_a_word_that_two_names_share_belongs_to_neither(transcript, roster) -> None:
    session = transcript(
        """
        GM: You meet Orla Finch and Dov Finch. Orla Finch nods, and Dov Finch says hello.
        Nia: I ask Finch about it. “Well, Finch?”
        GM: And Finch shrugs.
        """
    )
    assert names(session, roster) == ["Dov Finch", "Orla Finch", "Finch"]


def test_a_title_stays_when_one_word_would_be_all_of_the_name(transcript, roster) -> None:
    session = transcript("GM: It is Sergeant Dray who waits there.\nGM: Sergeant Dray nods.")
    assert names(session, roster) == ["Sergeant Dray"]


@pytest.mark.parametrize(
    "text",
    [
        "GM: You walk to Karsk, and in Karsk it rains. Nobody leaves Karsk.",
        "GM: The Hollow Crown is full tonight. You enter the Hollow Crown.",
        "GM: You take Lantern Street down to the docks.",
        "Nia: Perhaps. Really? However, Nevertheless, I go on.",
        "GM: Monday comes. Roll Perception, then Stealth. That is a Fireball.",
        "Olu: Come on, Gus! Eighteen!\nOlu: Gus! I rolled a two, Gus.",
    ],
)
def test_places_things_dice_and_sentence_heads_are_not_people(transcript, roster, text) -> None:
    assert names(transcript(text), roster) == []


def test_an_ordinary_word_of_the_transcript_is_no_name(transcript, roster) -> None:
    session = transcript("GM: Copper nods at Copper.\nNia: I have some copper for Copper.")
    assert names(session, roster) == []


def test_glossary_names_are_found_by_any_spelling_even_once(transcript, roster) -> None:
    session = transcript("Nia: Was that at the house of the old Finchy?\nOlu: the quiet one, yes")
    glossary = {"Orla Finch": ("Finchy",), "Dov": ("the quiet one",), "Absent": ("nowhere",)}
    assert names(session, roster, glossary=glossary) == ["Orla Finch", "Dov"]


def test_units_that_name_somebody_are_the_evidence(transcript, roster) -> None:
    session = transcript(
        "GM: It rains.\nGM: You meet Orla Finch.\nGM: It blows.\nGM: It rains.\nGM: Orla nods."
    )
    (npc,) = extract_npcs(session, roster).payload["npcs"]
    spans = [(one["start_unit_id"], one["end_unit_id"]) for one in npc["source_refs"]]
    assert spans == [(2, 2), (5, 5)]


def test_hyphens_and_apostrophes_of_a_name_stay_as_written(transcript, roster) -> None:
    session = transcript(
        "GM: You meet Anne-Marie D’Arsk. Anne-Marie nods.\nNia: “Well, Anne-Marie?”"
    )
    assert names(session, roster) == ["Anne-Marie D’Arsk"]


LONG_TALK = "\n".join(f"Nia: I look at door {number}." for number in range(240))


def test_who_is_named_once_is_found_in_an_excerpt_and_not_in_a_whole_session(
    transcript, roster
) -> None:
    once = "Nia: We have never seen Orsolin, only the boats."
    assert names(transcript(once), roster) == ["Orsolin"]
    assert names(transcript(f"{once}\n{LONG_TALK}"), roster) == []


def test_a_place_that_is_named_once_is_found_nowhere(transcript, roster) -> None:
    once = "Nia: Did we ever go back to the Orsolin Bridge since then?"
    assert names(transcript(once), roster) == []
