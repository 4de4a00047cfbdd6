"""Recaps, asides and play, as the rules tell them apart."""

import pytest

from talebearer.extraction import extract_interactions, extract_npcs


def kinds(text, roster, registry, transcript, *names):
    artifact = extract_interactions(transcript(text), roster, registry(names or ["Orla"]))
    return [(item["name"], item["kind"]) for item in artifact.payload["interactions"]]


OPENINGS = [
    "GM: Last time you reached the village at the end of the marsh road.",
    "GM: Last week you found the ferry house empty and the rope cut through.",
    "GM: Previously, you crossed the marsh and lost a mule on the way there.",
    "GM: To recap, you crossed the marsh and lost a mule on the way there.",
    "GM: So, when we last left off, you had crossed the marsh without the mule.",
]
SCENES = [
    'GM: Orla looks up from her bench. "You are late," she says.',
    'GM: Orla is at the gate. "You are late."\nNia: "We lost a mule, Orla."',
    "Nia: “Is somebody there? Orla?”\nGM: “I am here.” Orla opens the door.",
]


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_recap_ends_with_the_first_exchange_in_character(
    transcript, roster, registry, opening, scene
) -> None:
    found = kinds(f"{opening}\n{scene}", roster, registry, transcript)
    assert ("Orla", "dialogue") in found


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_recap_ends_where_the_present_is_told(transcript, roster, registry, opening) -> None:
    text = f"{opening}\nGM: Now you stand in the square. You see Orla, who waits by the well."
    assert kinds(text, roster, registry, transcript) == [("Orla", "noncombat_presence")]


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_a_recap_tells_stays_a_mention(transcript, roster, registry, opening) -> None:
    text = f"{opening} Orla steps out of the ferry house.\nOlu: I liked her.\nGM: Orla follows."
    assert kinds(text, roster, registry, transcript) == [("Orla", "mentioned")]


def test_a_memory_in_play_is_no_recap(transcript, roster, registry) -> None:
    play = 'GM: "Who is there?" says the miller.\nNia: "Friends."\nNia: I open the door.\n'
    text = play + "GM: Last time you were here it rained on the mill.\nGM: Orla steps in and nods."
    assert kinds(text, roster, registry, transcript) == [("Orla", "noncombat_presence")]


ASIDE = """
GM: Welcome to the stream! We have a giveaway tonight, so stay active in the chat.
Nia: Is that the new t-shirt from the store?
GM: It is, and there is a link on the website. Thanks to our sponsor for this episode.
{}
Olu: The winner of last week's giveaway is in the chat, too.
GM: Follow us on twitch and youtube, and tickets for the convention are online.
"""


@pytest.mark.parametrize(
    "line",
    [
        'GM: Orla stands there on the poster and says, "Buy me!"',
        "GM: And Orla walks away with the first prize.",
        "Nia: I ask Orla every time.",
    ],
)
def test_talk_about_the_show_is_a_mention_at_most(transcript, roster, registry, line) -> None:
    assert kinds(ASIDE.format(line), roster, registry, transcript) == [("Orla", "mentioned")]


def test_names_of_the_show_are_no_people_of_the_story(transcript, roster) -> None:
    session = transcript(ASIDE.format("Nia: I love Harl Denning. Kestrel is a good game."))
    names = [npc["name"] for npc in extract_npcs(session, roster).payload["npcs"]]
    assert "Kestrel" not in names
