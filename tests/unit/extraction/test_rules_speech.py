"""Who speaks: single quotation marks, names that a voice gives, unquoted answers."""

import pytest

from talebearer.extraction import extract_interactions


def kinds(text, roster, registry, transcript, *names):
    artifact = extract_interactions(transcript(text), roster, registry(names or ["Orla"]))
    return [(item["name"], item["kind"]) for item in artifact.payload["interactions"]]


@pytest.mark.parametrize(
    "text",
    [
        "GM: 'Come in,' says Orla.",
        "GM: ‘Come in,’ says Orla.",
        "GM: Orla wipes her hands. 'You're late, and it's the others' fault.'",
        "GM: Orla nods. 'Is it the boat?' She sighs. 'It's always the boat.'",
        "Nia: 'Are you well, Orla?'\nGM: 'Well enough.'",
    ],
)
def test_single_marks_around_speech_count_as_double_ones(
    transcript, roster, registry, text
) -> None:
    assert kinds(text, roster, registry, transcript) == [("Orla", "dialogue")]


@pytest.mark.parametrize(
    "text",
    [
        "GM: It's the sailors' boat, and Orla's not on it, isn't that what they said?",
        "GM: You found 'em near Orla's mill, the dogs' bones, and the others', too.",
        "GM: Rock 'n' roll, as Orla used to call it, 'cause it's loud.",
    ],
)
def test_apostrophes_quote_nobody(transcript, roster, registry, text) -> None:
    assert ("Orla", "dialogue") not in kinds(text, roster, registry, transcript)


@pytest.mark.parametrize(
    "text",
    [
        'GM: "Name\'s Orla," she says.',
        "GM: “Name’s Orla. You?”",
        'GM: "I\'m Orla, and this is my mill."',
        'GM: "They call me many things, but my name is Orla."',
        'GM: "Call me Orla," he says.',
        "GM: 'I'm Orla,' she says.",
        'GM: "I am Captain Orla of the watch."',
        'Nia: "What\'s your name?"\nGM: "Orla."',
        'Nia: "And who are you?"\nGM: She thinks. "Orla."',
    ],
)
def test_who_gives_their_own_name_speaks(transcript, roster, registry, text) -> None:
    assert kinds(text, roster, registry, transcript) == [("Orla", "dialogue")]


@pytest.mark.parametrize(
    "text",
    [
        'GM: "Her name is Orla," says the miller.',
        'GM: "You look for Orla," says the miller.',
        'Nia: "I\'m Orla," I lie.',
    ],
)
def test_who_is_only_named_in_speech_does_not_speak(transcript, roster, registry, text) -> None:
    assert kinds(text, roster, registry, transcript) == [("Orla", "mentioned")]


def test_somebody_who_is_asked_may_answer_without_marks(transcript, roster, registry) -> None:
    quoting = 'GM: "Ho!" says the miller.\nNia: "Ho."\n'
    text = quoting + "Nia: Orla, do you have any rope left?\nGM: I have enough for my own boat."
    assert kinds(text, roster, registry, transcript) == [("Orla", "dialogue")]


def test_what_somebody_had_said_is_not_said_now(transcript, roster, registry) -> None:
    text = 'GM: You asked, and Orla had said that the boat is "not for sale".'
    assert kinds(text, roster, registry, transcript) == [("Orla", "mentioned")]
