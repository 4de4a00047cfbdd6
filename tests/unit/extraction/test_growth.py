"""How the work of extraction grows: counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from talebearer.extraction import Player, Roster, run
from talebearer.extraction.pipeline import _validators
from talebearer.extraction.rules import read
from talebearer.transcripts import Transcript, Unit

ROSTER = Roster(players=(Player(name="Ana"),), game_masters=(Player(name="GM"),))
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def invented(number: int) -> str:
    """Return a name that no other number has."""
    syllables, rest = "", number + 400
    while rest:
        syllables += CONSONANTS[rest % 14] + VOWELS[rest // 14 % 5]
        rest //= 70
    return syllables.capitalize()


def one_a_unit(count: int) -> list[str]:
    return [f"{invented(n)}x looks up. “You are late,” {invented(n)}x says." for n in range(count)]


def all_in_one(count: int) -> list[str]:
    return [" ".join(f"Then {invented(n)} nods at {invented(n + 1)}." for n in range(count))]


def alike(count: int) -> list[str]:
    return [
        f"Berra {invented(n)} meets Lord {invented(n)}a and {invented(n)}e." for n in range(count)
    ]


def transcript(texts: list[str]) -> Transcript:
    units = tuple(
        Unit(unit_id=number, speaker="GM", text=text) for number, text in enumerate(texts, 1)
    )
    digest = "sha256:" + "0" * 64
    return Transcript(source_id="s", digest=digest, format="text", units=units)


def calls_of(texts: list[str]) -> int:
    """Return how many calls, of Python and of C, a run takes."""
    session, count = transcript(texts), 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run(session, ROSTER)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.slow
@pytest.mark.spec("NI-speed-names")
@pytest.mark.parametrize("shape", [one_a_unit, all_in_one, alike])
def test_twice_the_invented_names_are_about_twice_the_work(
    shape: Callable[[int], list[str]],
) -> None:
    small, large = calls_of(shape(60)), calls_of(shape(240))
    assert large < 4.5 * small


@pytest.mark.spec("NI-speed-names")
@pytest.mark.parametrize("shape", [one_a_unit, all_in_one, alike])
def test_text_is_folded_once_however_many_names_it_has(
    shape: Callable[[int], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A unit that names thousands must not be folded for each of them."""
    texts, folded_chars = shape(100), 0
    fold = _validators.folded

    def counting(text: str) -> str:
        nonlocal folded_chars
        folded_chars += len(text)
        return fold(text)

    monkeypatch.setattr(_validators, "folded", counting)
    run(transcript(texts), ROSTER)
    chars = sum(map(len, texts))
    assert chars < folded_chars < 12 * chars


def test_equal_words_are_kept_once() -> None:
    """A transcript of megabytes repeats its words; what is kept of each is a reference."""
    units = read(transcript(["Berra nods, and Berra’s cat sleeps."] * 3), ROSTER)
    first, second = units[0].words, units[2].words
    assert all(one is other for one, other in zip(first, second, strict=True))
    ends = [units[0].end_of(index) for index in range(len(first))]
    assert [units[0].text[a:b] for a, b in zip(units[0].starts, ends, strict=True)] == [
        "Berra",
        "nods",
        "and",
        "Berra’s",
        "cat",
        "sleeps",
    ]
