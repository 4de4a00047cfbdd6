import pytest

from talebearer.extraction import extract_interactions


def found(session, roster, registry, *, glossary=None):
    artifact = extract_interactions(session, roster, registry, glossary=glossary or {})
    return [
        (
            item["name"],
            item["kind"],
            [(ref["start_unit_id"], ref["end_unit_id"]) for ref in item["source_refs"]],
        )
        for item in artifact.payload["interactions"]
    ]


def kinds(*args, **kwargs):
    return [(name, kind) for name, kind, _ in found(*args, **kwargs)]


TALK = "Olu: We should plan.\nNia: Yes, let us plan.\n"


@pytest.mark.spec("NI-cat-mentioned")
@pytest.mark.parametrize(
    "text",
    [
        "Nia: We still have to find Orla.",
        "GM: “I have not seen Orla since spring,” says the boatman.",
        "GM: Last session you left Orla at the ferry, and Orla says goodbye. “Farewell!”",
        "GM: You remember what Orla says about rope.",
    ],
)
def test_talk_about_somebody_is_a_mention(transcript, roster, registry, text) -> None:
    assert kinds(transcript(text), roster, registry(["Orla"])) == [("Orla", "mentioned")]


@pytest.mark.spec("NI-cat-dialogue")
@pytest.mark.parametrize(
    "text",
    [
        "GM: Orla wipes her hands. “You are late.”",
        "GM: “You are late,” says Orla.",
        "Nia: “Are you well, Orla?”\nGM: “Well enough.”",
        "Nia: I ask Orla about the ferry.\nGM: “It leaves at six.”",
        "GM: There is a woman at the door. “I'm Orla. Come in.”",
    ],
)
def test_a_voice_near_a_name_or_after_a_call_is_dialogue(
    transcript, roster, registry, text
) -> None:
    assert kinds(transcript(text), roster, registry(["Orla"])) == [("Orla", "dialogue")]


def test_speech_is_seen_without_quotation_marks_too(transcript, roster, registry) -> None:
    session = transcript("Nia: Are you well, Orla?\nGM: I am well enough, thank you.")
    assert kinds(session, roster, registry(["Orla"])) == [("Orla", "dialogue")]


@pytest.mark.spec("NI-cat-presence")
@pytest.mark.parametrize(
    "text",
    [
        "GM: Orla stands by the window with her back to you.",
        "GM: In the corner there's Orla. She says nothing.",
        "GM: Orla's still asleep on the bench.",
    ],
)
def test_somebody_narrated_here_in_silence_is_present(transcript, roster, registry, text) -> None:
    assert kinds(transcript(text), roster, registry(["Orla"])) == [("Orla", "noncombat_presence")]


FIGHT = """
GM: Four raiders climb the rail. Roll initiative!
Nia: Seventeen.
Olu: Nine damage on the first one.
{}
Nia: That's a twenty to hit.
GM: That hits. Roll damage.
Olu: Eight damage.
GM: You're out of initiative.
"""


@pytest.mark.spec("NI-cat-opponent")
def test_a_fighter_that_the_party_strikes_is_an_opponent(transcript, roster, registry) -> None:
    session = transcript(FIGHT.format("GM: Orla swings at you.\nNia: I attack Orla."))
    assert kinds(session, roster, registry(["Orla"])) == [("Orla", "combat_opponent")]


@pytest.mark.spec("NI-cat-ally")
def test_a_fighter_beside_the_party_is_an_ally(transcript, roster, registry) -> None:
    session = transcript(FIGHT.format("GM: Orla's with you. She hits a raider with the oar."))
    assert kinds(session, roster, registry(["Orla"])) == [("Orla", "combat_ally")]


@pytest.mark.spec("NI-pre-combat")
def test_banter_in_a_fight_belongs_to_the_fight(transcript, roster, registry) -> None:
    session = transcript(FIGHT.format("GM: Orla swings at you. “Stay down,” says Orla."))
    assert kinds(session, roster, registry(["Orla"])) == [("Orla", "combat_opponent")]


@pytest.mark.spec("NI-pre-dialogue")
def test_speech_outranks_presence_and_mention(transcript, roster, registry) -> None:
    session = transcript("GM: Orla stands up. “Sit,” says Orla.\nNia: I like Orla.")
    assert kinds(session, roster, registry(["Orla"])) == [("Orla", "dialogue")]


@pytest.mark.spec("NI-pre-presence")
def test_presence_outranks_mention_in_one_unit(transcript, roster, registry) -> None:
    session = transcript("GM: Nobody looks at Orla. But Orla stands at the window.")
    assert kinds(session, roster, registry(["Orla"])) == [("Orla", "noncombat_presence")]


@pytest.mark.spec("NI-cat-other")
@pytest.mark.parametrize(
    "text",
    [
        "GM: On the table lies the body of Orla.",
        "GM: Through the scrying you see a room, and Orla walks to the window.",
        "Nia: I drag Orla over to the river.\nOlu: We bury Orla under the oak.",
        "GM: Your vision moves out over the sea. Orla runs up to the deck of a ship.",
    ],
)
def test_remains_and_people_seen_from_afar_are_other(transcript, roster, registry, text) -> None:
    assert kinds(transcript(text), roster, registry(["Orla"])) == [("Orla", "other")]


@pytest.mark.parametrize("text", ["GM: You pass Orla's Goods.", "GM: It is the Horn of Orla."])
def test_a_name_inside_the_name_of_a_thing_is_nobody(transcript, roster, registry, text) -> None:
    assert kinds(transcript(text), roster, registry(["Orla"])) == []


@pytest.mark.spec("NI-occ-kind-change")
@pytest.mark.spec("NI-occ-mention-then-presence")
def test_a_mention_before_an_appearance_stays_apart(transcript, roster, registry) -> None:
    session = transcript(
        "Nia: We should find Orla.\n" + TALK + "GM: The door opens. Orla says, “Here I am.”"
    )
    assert kinds(session, roster, registry(["Orla"])) == [
        ("Orla", "mentioned"),
        ("Orla", "dialogue"),
    ]


@pytest.mark.spec("NI-occ-gap")
def test_an_absence_of_more_than_twenty_units_begins_another_occurrence(
    transcript, roster, registry
) -> None:
    near = "Nia: Orla again.\n" + TALK * 5 + "Nia: Orla again."
    far = "Nia: Orla again.\n" + TALK * 12 + "Nia: Orla again."
    assert len(found(transcript(near), roster, registry(["Orla"]))) == 1
    assert len(found(transcript(far), roster, registry(["Orla"]))) == 2


@pytest.mark.spec("NI-reg-projection")
def test_evidence_is_of_the_transcript_and_never_of_the_registry(
    transcript, roster, registry
) -> None:
    session = transcript("GM: Rain.\nGM: Wind.\nNia: Where is Orla?")
    known = registry(["Orla", "Dov"], "another")
    assert found(session, roster, known) == [("Orla", "mentioned", [(3, 3)])]


@pytest.mark.spec("NI-val-empty")
def test_no_registered_person_gives_an_empty_list(transcript, roster, registry) -> None:
    assert found(transcript("GM: Orla nods."), roster, registry(["Dov"])) == []
    assert found(transcript("GM: Orla nods."), roster, registry([])) == []


def test_the_glossary_gives_spellings_and_the_canonical_name_is_kept(
    transcript, roster, registry
) -> None:
    session = transcript("Nia: Where is the ferry woman?\nNia: And Finch?")
    glossary = {"Orla Finch": ("the ferry woman",)}
    assert found(session, roster, registry(["Orla Finch"]), glossary=glossary) == [
        ("Orla Finch", "mentioned", [(1, 2)])
    ]


def test_accents_and_typographic_apostrophes_do_not_matter(transcript, roster, registry) -> None:
    session = transcript("Nia: Is that E\u0301mile O’Dray?\nNia: E\u0301mile’s here.")
    assert kinds(session, roster, registry(["Émile O'Dray"])) == [("Émile O'Dray", "mentioned")]
