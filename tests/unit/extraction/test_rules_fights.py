"""Fights: turn orders, sides, changes of side."""

import pytest

from talebearer.extraction import extract_interactions

START = """
GM: Four raiders climb the rail. Roll initiative!
Nia: Seventeen.
Olu: Nine damage on the first one.
"""
END = """
Nia: That's a twenty to hit.
GM: That hits. Roll damage.
Olu: Eight damage.
GM: You're out of initiative.
"""


def kinds(text, roster, registry, transcript, *names):
    session = transcript(START + text.strip() + END)
    artifact = extract_interactions(session, roster, registry(names or ["Orla"]))
    return [(item["name"], item["kind"]) for item in artifact.payload["interactions"]]


@pytest.mark.parametrize(
    "text",
    [
        "GM: That ends Orla's turn. Dov.",
        "GM: That ends Dov's turn. Orla.",
        "GM: That brings us to Orla. Up next is Dov.",
        "GM: Orla's turn, then Dov.",
        "GM: It's now Orla's turn.",
    ],
)
def test_a_turn_order_is_no_evidence_of_a_side(transcript, roster, registry, text) -> None:
    found = kinds(text, roster, registry, transcript, "Orla", "Dov")
    assert "combat_opponent" not in [kind for name, kind in found if name == "Dov"]
    assert "combat_ally" not in [kind for _, kind in found]


@pytest.mark.spec("NI-cat-opponent")
@pytest.mark.parametrize(
    "text",
    [
        "GM: That brings us to Orla's turn. She is going to swing at you, Tavi. Does that hit?",
        "GM: Orla. She lunges at you.\nNia: Ow.",
        "Nia: I shoot at Orla.\nGM: Orla takes nine points of damage.",
        "GM: Your blade comes down on Orla. Orla staggers.",
        "GM: Orla slashes at Tavi with the oar.",
    ],
)
def test_who_strikes_at_the_party_or_is_struck_by_it_is_an_opponent(
    transcript, roster, registry, text
) -> None:
    assert kinds(text, roster, registry, transcript) == [("Orla", "combat_opponent")]


@pytest.mark.spec("NI-cat-ally")
@pytest.mark.parametrize(
    "text",
    [
        "Nia: I attack Dov.\nGM: Dov swings at you. And Orla strikes at Dov with the oar.",
        "Nia: I attack Dov.\nGM: Now it's Orla's turn. She takes two shots at Dov.",
        "GM: Orla fights alongside you.",
        "Nia: I heal Orla.\nGM: Orla stands up again.",
    ],
)
def test_who_helps_the_party_or_strikes_at_its_enemies_is_an_ally(
    transcript, roster, registry, text
) -> None:
    found = kinds(text, roster, registry, transcript, "Orla", "Dov")
    assert ("Orla", "combat_ally") in found
    assert ("Dov", "combat_ally") not in found


@pytest.mark.spec("NI-pre-alignment")
def test_a_change_of_side_inside_a_fight_splits_the_record(transcript, roster, registry) -> None:
    text = """
GM: Orla covers you, and Orla's blade protects you from the second raider.
Olu: I heal Orla.
GM: Orla is at your side again.
Nia: Six damage.
GM: And then Orla turns on you. Orla strikes at you with the oar.
Nia: I attack Orla.
GM: Orla takes nine points of damage.
"""
    assert kinds(text, roster, registry, transcript) == [
        ("Orla", "combat_ally"),
        ("Orla", "combat_opponent"),
    ]


def test_what_leads_to_a_fight_and_follows_it_is_part_of_it(transcript, roster, registry) -> None:
    session = transcript(
        "GM: Orla turns with a snarl.\nOlu: Oh no, Orla.\n"
        + START.strip()
        + "\nGM: Orla swings at you.\nNia: I attack Orla."
        + END
        + "Nia: That was Orla?"
    )
    artifact = extract_interactions(session, roster, registry(["Orla"]))
    assert [item["kind"] for item in artifact.payload["interactions"]] == ["combat_opponent"]


@pytest.mark.parametrize("ending", ["The last raider falls.", "The fight is over."])
def test_who_comes_when_the_last_blow_has_fallen_is_no_opponent(
    transcript, roster, registry, ending
) -> None:
    session = transcript(
        START
        + "Nia: That's a twenty to hit.\nGM: That hits. Roll damage.\nOlu: Eight damage.\n"
        + f"GM: {ending}\nNia: I catch my breath.\nGM: Orla steps out from behind the barrels.\n"
        + "Olu: Is everybody well?\nGM: Orla nods slowly."
    )
    artifact = extract_interactions(session, roster, registry(["Orla"]))
    assert [item["kind"] for item in artifact.payload["interactions"]] == ["noncombat_presence"]
