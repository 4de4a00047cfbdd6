"""Looking names up: which words of a unit spell which canonical name.

This is look-up, not alias reconciliation: a name is found by its exact spelling, by the
spellings that the glossary gives, and by a single word of it that no other name, nobody at the
table and no ordinary use of the word in the same transcript claims.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from talebearer.extraction._session import Glossary
from talebearer.extraction.rules._english import PARTICLES, TITLES
from talebearer.extraction.rules._reading import ReadUnit, Word, find_words

SPELLING_WORDS_MAX = 8
SHORT_FORM_CHARS_MIN = 3


class Hit(NamedTuple):
    """A name in a unit.

    Attributes:
        name: The canonical name.
        first: Index of its first word in the unit.
        last: Index of its last word, inclusive.
    """

    name: str
    first: int
    last: int


def words_of(spelling: str) -> tuple[str, ...]:
    """Return the words that *spelling* is compared by."""
    return tuple(word.text for word in find_words(unicodedata.normalize("NFC", spelling)))


class Spellings:
    """A look-up table from word sequences to canonical names; the longest match wins."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], str] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}

    def add(self, spelling: str, name: str) -> None:
        """Let *spelling* mean *name*, unless it already means another name."""
        words = words_of(spelling)[:SPELLING_WORDS_MAX]
        if not words:
            return
        self._enter(words, name)
        if words[0][0].islower():
            # A lower-case epithet also stands at the head of a sentence.
            self._enter((words[0][0].upper() + words[0][1:], *words[1:]), name)

    def _enter(self, words: tuple[str, ...], name: str) -> None:
        if words in self._names:
            return
        self._names[words] = name
        lengths = {*self._lengths.get(words[0], ()), len(words)}
        self._lengths[words[0]] = tuple(sorted(lengths, reverse=True))

    def __contains__(self, words: tuple[str, ...]) -> bool:
        return words in self._names

    def get(self, words: tuple[str, ...]) -> str | None:
        """Return the name that *words* spell, or None."""
        return self._names.get(words)

    def find(self, words: Sequence[Word]) -> list[Hit]:
        """Return the names among *words*, left to right, none overlapping."""
        hits: list[Hit] = []
        at = 0
        lengths = self._lengths
        while at < len(words):
            # Nearly every word begins no name.
            found = self._match(words, at) if words[at].text in lengths else None
            if found is None:
                at += 1
            else:
                hits.append(found)
                at = found.last + 1
        return hits

    def _match(self, words: Sequence[Word], at: int) -> Hit | None:
        for length in self._lengths.get(words[at].text, ()):
            piece = tuple(word.text for word in words[at : at + length])
            name = self._names.get(piece)
            if name is not None and len(piece) == length:
                return Hit(name, at, at + length - 1)
        return None


def spellings_for(
    names: Iterable[str],
    glossary: Glossary,
    *,
    units: Sequence[ReadUnit] = (),
    excluded: Iterable[str] = (),
) -> Spellings:
    """Return the look-up table of *names*.

    Full spellings come first, then what the glossary gives, then unambiguous single words.

    Args:
        names: Canonical names.
        glossary: Other spellings; entries for other names are ignored.
        units: The transcript, which says whether a word has an ordinary use in it.
        excluded: Names at the table; their words never stand for an NPC.
    """
    table = Spellings()
    ordered = sorted(set(names))
    for name in ordered:
        table.add(name, name)
    for name in ordered:
        for spelling in glossary.get(name, ()):
            table.add(spelling, name)
    barred = {words_of(name) for name in excluded}
    ordinary = ordinary_words(units)
    for word, name in short_forms(ordered):
        if (word,) not in barred and word.lower() not in ordinary:
            table.add(word, name)
    return table


def short_forms(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return (word, name) for each word that belongs to one of *names* only.

    Titles and particles are nobody's.
    """
    claims: dict[str, set[str]] = {}
    for name in names:
        words = [word for word in words_of(name) if _can_stand_alone(word)]
        if len(words_of(name)) > 1:
            for word in words:
                claims.setdefault(word, set()).add(name)
    return [(word, min(owners)) for word, owners in sorted(claims.items()) if len(owners) == 1]


def _can_stand_alone(word: str) -> bool:
    low = word.lower()
    long_enough = len(word) >= SHORT_FORM_CHARS_MIN
    return word[0].isupper() and long_enough and low not in TITLES and low not in PARTICLES


def ordinary_words(units: Sequence[ReadUnit]) -> frozenset[str]:
    """Return the words that the transcript also writes in lower case."""
    texts = {word.text for unit in units for word in unit.words}
    return frozenset(text for text in texts if text[0].islower())
