"""Candidate names: capitalised words and phrases, and how each of their uses looks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from talebearer.extraction.rules._english import (
    AUXILIARIES,
    BODY,
    COMMON,
    DETERMINERS,
    GAME_NOUNS,
    KIN,
    MOTION,
    PERSON_VERBS,
    PLACE_PREPOSITIONS,
    PLACE_WORDS,
    PLURAL_VERBS,
    PRONOUNS,
    TELLING,
    TITLES,
    USING,
)
from talebearer.extraction.rules._reading import ReadUnit, Word

NAME_WORDS_MAX = 4
DICE_CHARS_MAX = 200
ROLL_CHARS_MAX = 60
WORD_CHARS_MAX = 24
NICKNAME_OPENS = frozenset((' "', " “", " '", " ‘"))
NICKNAME_CLOSES = frozenset(('" ', "” ", "' ", "’ "))
NAME_JOINS = frozenset((" ", "-", ". ", "' ", "’ "))
SHORTENED_TITLES = frozenset(("mr", "mrs", "ms", "dr", "st", "sgt", "lt", "capt", "prof", "col"))
DERIVED = re.compile(
    r"[A-Z][a-z]{2,20}(?:ly|ing|ed|ness|tions?|ies|able|ous|ful|less|ments?|ish|ist|ity|ism)"
)
"""Endings of ordinary English words that a game may capitalise, such as spells."""
CRY = re.compile(r"[^aeiouy]+|[aeiou]+h*|[^aeiou]?[aeiou]h+|.?(.{1,3})\1{2,}.?")
"""A cry, in lower case: no vowel, vowels only, or one syllable over and over."""
DRAWN_OUT = re.compile(r"(.)\1\1")
"""A letter three times: a cry."""

DICE = re.compile(
    r"\b(?:roll(?:s|ed|ing)?|di(?:e|ce)|d20|nat(?:ural)?|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve|\w+teen|twenty(?:-\w+)?|\d+)\b"
)
NAMING = frozenset(("named", "called"))
CALLED_FIRST_WEIGHT = 0.8
PRONOUN_REACH_WORDS = 6
ASIDE_SHARE = 0.5


class Phrase(NamedTuple):
    """A run of capitalised words.

    Attributes:
        titles: Its leading titles.
        core: The words after them; never empty.
        first: Index of the first word, titles included.
        last: Index of the last word, inclusive.
    """

    titles: tuple[str, ...]
    core: tuple[str, ...]
    first: int
    last: int


@dataclass
class Tally:
    """What the uses of one core add up to.

    Attributes:
        uses: How often.
        inside: How often inside a sentence, where a capital means a name.
        bare: How often in each spelling, titles left out.
        titled: How often in each spelling under a title, the title included.
        person: Weight of the uses that only a person has.
        thing: Weight of the uses that a place or a thing has.
        told: How often a game master says it.
        named: Whether it is ever introduced as somebody's name.
        nicknamed: Whether it ever has a nickname in quotation marks in it.
        refs: Unit ids of the uses, ascending.
    """

    uses: int = 0
    inside: int = 0
    bare: dict[str, int] = field(default_factory=dict)
    titled: dict[str, int] = field(default_factory=dict)
    person: float = 0.0
    thing: float = 0.0
    told: int = 0
    named: bool = False
    nicknamed: bool = False
    refs: list[int] = field(default_factory=list)


def phrases(unit: ReadUnit, *, ordinary: frozenset[str]) -> Iterator[Phrase]:
    """Yield the runs of capitalised words of *unit* that can be a name."""
    words = unit.words
    at = 0
    while at < len(words):
        if not words[at].text[0].isupper() or not _can_start(words[at], ordinary):
            at += 1
            continue
        end = at + 1
        while end < len(words) and end - at < NAME_WORDS_MAX and _joins(words, end, ordinary):
            end += 1
        phrase = _phrase(words, at, end - 1)
        if phrase is not None:
            yield phrase
        at = end


def _can_start(word: Word, ordinary: frozenset[str]) -> bool:
    low = word.text.lower()
    if not word.capital or len(word.text) > WORD_CHARS_MAX:
        return False
    if low in TITLES:
        return True
    if len(word.text) < 2 or word.text.isupper():
        return False
    if DRAWN_OUT.search(low) or CRY.fullmatch(low):
        return False
    return low not in COMMON and low not in ordinary and not _contracted(low)


def _contracted(low: str) -> bool:
    return low.endswith(("n't", "'ll", "'re", "'ve", "'d", "'m", "s'"))


def _joins(words: Sequence[Word], at: int, ordinary: frozenset[str]) -> bool:
    word, before = words[at], words[at - 1]
    if _is_nickname(words, at):
        return not before.owns
    if before.owns or not (word.before in NAME_JOINS or _is_nickname(words, at - 1)):
        return False
    if word.before == ". " and before.text.lower() not in SHORTENED_TITLES:
        return False
    plural = before.text.endswith("s") or _is_nickname(words, at - 1)
    if word.before in ("' ", "’ ") and not plural:
        return False
    low = word.text.lower()
    known = low in COMMON or low in ordinary
    return word.capital and len(word.text) <= WORD_CHARS_MAX and not known


def _is_nickname(words: Sequence[Word], at: int) -> bool:
    """Whether the word stands in quotation marks inside a name: the middle of ``Al "Red" Moss``."""
    if at < 1 or at + 1 >= len(words) or words[at].before not in NICKNAME_OPENS:
        return False
    around = words[at - 1 : at + 2]
    return words[at + 1].before in NICKNAME_CLOSES and all(word.capital for word in around)


def _phrase(words: Sequence[Word], first: int, last: int) -> Phrase | None:
    core_first = first
    while core_first <= last and words[core_first].text.lower() in TITLES:
        core_first += 1
    if core_first == first:
        # "Frightening Orla" is Orla; "Sister Wandering" is called so.
        while first < last and DERIVED.fullmatch(words[first].text):
            first = core_first = first + 1
    # What follows a nickname is a surname, whatever it ends in.
    while (
        core_first < last
        and DERIVED.fullmatch(words[last].text)
        and not _is_nickname(words, last - 1)
    ):
        last -= 1
    core = tuple(word.text for word in words[core_first : last + 1])
    if not core:
        return None
    titles = tuple(word.text for word in words[first:core_first])
    return Phrase(titles, core, first, last)


def weigh(unit: ReadUnit, phrase: Phrase, tally: Tally, *, aside: bool = False) -> None:
    """Add one use of *phrase* in *unit* to *tally*; talk *aside* of the story shows less."""
    words = unit.words
    first = words[phrase.first]
    tally.uses += 1
    if not tally.refs or tally.refs[-1] != unit.unit_id:
        tally.refs.append(unit.unit_id)
    core_first = phrase.first + len(phrase.titles)
    bare = _spelling(unit, core_first, phrase.last)
    tally.bare[bare] = tally.bare.get(bare, 0) + 1
    if phrase.titles:
        titled = _spelling(unit, phrase.first, phrase.last)
        tally.titled[titled] = tally.titled.get(titled, 0) + 1
    tally.told += unit.told and not aside
    tally.inside += not first.begins and not aside
    tally.named = tally.named or introduced(unit, phrase)
    nicknames = range(phrase.first + 1, phrase.last)
    tally.nicknamed = tally.nicknamed or any(_is_nickname(words, at) for at in nicknames)
    before = words[phrase.first - 1].text.lower() if phrase.first and not first.begins else ""
    after = _after(words, phrase.last)
    person = _person_weight(unit, phrase, before, after)
    thing = _thing_weight(unit, phrase, before, after)
    if _rolling(unit) and not first.quoted and _about_dice(unit, phrase):
        # Players name their dice, and call to them as they roll.
        person, thing = person / 2, thing + 1.5
    tally.person += person * ASIDE_SHARE if aside else person
    tally.thing += thing


def _spelling(unit: ReadUnit, first: int, last: int) -> str:
    """Return the words as the unit writes them, without a possessive at the end."""
    end = unit.starts[last] + len(unit.words[last].text)
    return unit.text[unit.starts[first] : end]


def _rolling(unit: ReadUnit) -> bool:
    short = len(unit.low) < DICE_CHARS_MAX
    return not unit.told and short and DICE.search(unit.low) is not None


def _about_dice(unit: ReadUnit, phrase: Phrase) -> bool:
    """Whether a player who rolls says nothing else, or calls to a die."""
    return len(unit.low) < ROLL_CHARS_MAX or addressed(unit, phrase.first, phrase.last)


def _thing_weight(unit: ReadUnit, phrase: Phrase, before: str, after: str) -> float:
    weight = 3.0 if phrase.core[-1].lower() in PLACE_WORDS else 0.0
    if phrase.titles:
        return weight
    if before in USING or after in GAME_NOUNS:
        weight += 2.0
    if _owns_name(unit.words, phrase):
        weight += 1.0
    if after in PLURAL_VERBS and before != "and":
        weight += 1.5
    if before == "of" and phrase.first > 1:
        weight += 3.0 if unit.words[phrase.first - 2].text.lower() in PLACE_WORDS else 0.5
    elif before in PLACE_PREPOSITIONS:
        soft = before in ("on", "over", "around") or unit.words[phrase.last].owns
        weight += 0.5 if soft else 1.5
    if before == "to" and _goes_to(unit.words, phrase):
        weight += 1.0
    if before in DETERMINERS and phrase.core[-1].lower() not in TITLES:
        weight += 2.0
    return weight


def _owns_name(words: Sequence[Word], phrase: Phrase) -> bool:
    """Whether the name is the first part of a thing's: "X's Lantern"."""
    if not words[phrase.last].owns or phrase.last + 1 >= len(words):
        return False
    following = words[phrase.last + 1]
    return following.capital and not following.begins


def _goes_to(words: Sequence[Word], phrase: Phrase) -> bool:
    """Whether somebody goes "to X"; one also goes to people, so that it is no proof."""
    return phrase.first > 1 and words[phrase.first - 2].text.lower() in MOTION


def _after(words: Sequence[Word], last: int) -> str:
    if last + 1 >= len(words) or words[last + 1].begins or "," in words[last + 1].before:
        return ""
    return words[last + 1].text.lower()


def _person_weight(unit: ReadUnit, phrase: Phrase, before: str, after: str) -> float:
    words = unit.words
    weight = 3.0 if phrase.titles and before not in DETERMINERS else 0.0
    going = before == "to" and _goes_to(words, phrase)
    if before not in DETERMINERS and before not in PLACE_PREPOSITIONS and not going:
        if after in PERSON_VERBS:
            weight += 2.0
        elif after in AUXILIARIES:
            weight += 0.7
        if before in TELLING:
            weight += 0.5
        if words[phrase.last].owns and not _owns_name(words, phrase):
            weight += 0.4
    if before in KIN:
        weight += 1.5
    if words[phrase.last].owns and after in BODY:
        weight += 0.8
    weight += _apposed_weight(words, phrase)
    if introduced(unit, phrase):
        weight += 3.0
    if addressed(unit, phrase.first, phrase.last):
        weight += _called_weight(unit, phrase)
    return weight


def _apposed_weight(words: Sequence[Word], phrase: Phrase) -> float:
    """Return what stands beside the name: "her father, X", "X, who", and a pronoun after it."""
    weight = 0.0
    if phrase.first and "," in words[phrase.first].before:
        weight += 1.0 if words[phrase.first - 1].text.lower() in KIN else 0.0
    following = words[phrase.last + 1 : phrase.last + 1 + PRONOUN_REACH_WORDS]
    if any(word.text.lower() in PRONOUNS for word in following):
        weight += 0.4
    if len(following) > 1 and "," in following[0].before:
        low = following[0].text.lower()
        weight += 0.6 if low in PRONOUNS or following[1].text.lower() in KIN else 0.0
    return weight


def _called_weight(unit: ReadUnit, phrase: Phrase) -> float:
    """Return what a call shows; a word that is a sentence by itself may be a cry."""
    first = unit.words[phrase.first]
    voice = not unit.told or first.quoted
    if first.begins and not phrase.titles:
        return CALLED_FIRST_WEIGHT if voice else CALLED_FIRST_WEIGHT / 2
    return 1.2 if voice else 0.6


def introduced(unit: ReadUnit, phrase: Phrase) -> bool:
    """Whether the text gives the name as a person's: "named X", "X is her name", "I'm X"."""
    words = unit.words
    two = " ".join(word.text.lower() for word in words[max(0, phrase.first - 2) : phrase.first])
    one = two.rsplit(" ", 1)[-1]
    if one in NAMING and '"' not in words[phrase.first].before:
        return True
    # Players give their own characters' names; who a game master voices is somebody else.
    if two.endswith("name is") or (unit.told and (two.endswith("i am") or one == "i'm")):
        return True
    if phrase.first and words[phrase.first - 1].owns and one == "name":
        return True
    next_two = [word.text.lower() for word in words[phrase.last + 1 : phrase.last + 4]]
    return (
        next_two[:1] == ["is"] and next_two[1:2] != [] and next_two[-1] == "name"
    ) or _is_the_man(words, phrase)


def _is_the_man(words: Sequence[Word], phrase: Phrase) -> bool:
    window = [word.text.lower() for word in words[max(0, phrase.first - 4) : phrase.first]]
    people = ("man", "woman", "boy", "girl", "person", "lady", "gentleman", "captain")
    return len(window) >= 2 and window[-1] in ("is", "was") and window[-2] in people


def addressed(unit: ReadUnit, first: int, last: int) -> bool:
    """Whether the words from *first* to *last* call somebody: set off by commas or alone."""
    words = unit.words
    head = words[first].begins or "," in words[first].before
    end = unit.end_of(last)
    gap = unit.text[end : end + 2]
    tail = gap[:1] in (",", "?", "!", ".", "") or gap == "--" or gap[:1] in ('"', "”", "…")
    if words[last].owns or not (head and tail):
        return False
    # A name in a list ("Ann, Bo and Cy") is no call.
    return words[first].begins or gap[:1] != ","
