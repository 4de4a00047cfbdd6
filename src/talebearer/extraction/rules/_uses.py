"""Each use of a name, with what its own unit says about it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from talebearer.extraction.rules._english import AFTER_IS, NAMED_AFTER_PEOPLE, TITLES
from talebearer.extraction.rules._names import addressed
from talebearer.extraction.rules._reading import ReadUnit, Word
from talebearer.extraction.rules._spellings import Hit, Spellings, words_of

CLAUSE_CHARS_MAX = 160
BESIDE_CHARS_MAX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A name where it stands.

    Attributes:
        name: Canonical.
        unit_id: 1-based.
        told: Whether a game master says it.
        quoted: Whether it stands in quotation marks.
        called: Whether it calls the person.
        owned: Whether it only owns something (``X's tower``), or names a thing (``horn of X``).
        before: The text before it in its sentence, lower case, clipped.
        after: The text after it in its sentence, lower case, clipped.
        start: Index of its first code point.
        itself: Whether a voice of the game master may give it as its own name.
        introduces: Whether it says so: "I'm X", "name's X".
        whole: Whether a quotation has nothing but the name.
    """

    name: str
    unit_id: int
    told: bool
    quoted: bool
    called: bool
    owned: bool
    before: str
    after: str
    start: int
    itself: bool
    introduces: bool
    whole: bool


def uses_in(unit: ReadUnit, spellings: Spellings) -> list[Use]:
    """Return every use of a known name in *unit*, in order."""
    return [_use(unit, hit) for hit in spellings.find(unit.words)]


def _use(unit: ReadUnit, hit: Hit) -> Use:
    words = unit.words
    first, last = words[hit.first], words[hit.last]
    following = words[hit.last + 1 : hit.last + 3]
    contracted = last.owns and _is_contraction(following)
    start, end = unit.starts[hit.first], unit.end_of(hit.last)
    after = _clause_after(unit, end)
    return Use(
        name=hit.name,
        unit_id=unit.unit_id,
        told=unit.told,
        quoted=first.quoted,
        called=addressed(unit, hit.first, hit.last),
        owned=(last.owns and not contracted and bool(following)) or _names_thing(words, hit),
        before=_clause_before(unit, start),
        after="is" + after if contracted else after,
        start=start,
        itself=first.quoted and unit.told and _heads_sentence(words, hit, after),
        introduces=unit.told and _introduces(words, hit),
        whole=_is_whole_quote(unit, start, end),
    )


def _is_contraction(following: Sequence[Word]) -> bool:
    """Whether ``X's`` before these words means ``X is`` or ``X has``."""
    if not following or following[0].begins:
        return False
    low = following[0].text.lower()
    return low in AFTER_IS or low.endswith("ing")


def _names_thing(words: Sequence[Word], hit: Hit) -> bool:
    """Whether the name is part of another: "horn of X", "X Light"."""
    if hit.first > 1 and words[hit.first - 1].text.lower() == "of":
        head = words[hit.first - 2].text
        if head[0].isupper() or head.lower() in NAMED_AFTER_PEOPLE:
            return True
    if hit.last + 1 >= len(words) or words[hit.first].text == words_of(hit.name)[0]:
        return False
    following = words[hit.last + 1]
    return following.capital and following.before == " " and not following.begins


def _introduces(words: Sequence[Word], hit: Hit) -> bool:
    """Whether a voice gives its own name: "I'm X", "my name is X", "name's X", "call me X"."""
    first = hit.first
    while first > 0 and words[first - 1].text.lower() in TITLES:
        first -= 1
    before = words[max(0, first - 3) : first]
    lead = [word.text.lower() for word in before]
    if lead[-2:] == ["name", "is"]:
        return lead[0] in ("my", "name", "the")
    if lead[-1:] == ["name"] and before[-1].owns:
        return before[-1].begins or lead[-2:-1] == ["my"]
    return lead[-1:] == ["i'm"] or lead[-2:] in (["i", "am"], ["call", "me"])


def _is_whole_quote(unit: ReadUnit, start: int, end: int) -> bool:
    place = bisect_right(unit.quotes, (start, len(unit.text))) - 1
    if place < 0 or unit.quotes[place][1] < end:
        return False
    first, last = unit.quotes[place]
    if start - first > BESIDE_CHARS_MAX or last - end > BESIDE_CHARS_MAX:
        return False
    return not (unit.text[first:start] + unit.text[end:last]).strip(" ,.!…-")


def _heads_sentence(words: Sequence[Word], hit: Hit, after: str) -> bool:
    """Whether a full or titled name heads a sentence, as in "X, of the watch"."""
    whole = hit.last > hit.first or (hit.first > 0 and words[hit.first - 1].text.lower() in TITLES)
    lead_word = words[hit.first - (1 if hit.last == hit.first and whole else 0)]
    return whole and lead_word.begins and after[:1] in (",", ".", ";")


def _clause_before(unit: ReadUnit, at: int) -> str:
    text = unit.text[max(0, at - CLAUSE_CHARS_MAX) : at].replace("’", "'").lower()
    return text.rsplit(". ", 1)[-1]


def _clause_after(unit: ReadUnit, at: int) -> str:
    """Return the rest of the sentence, and the next one if it goes on about him, her or it."""
    text = unit.text[at : at + CLAUSE_CHARS_MAX].replace("’", "'").lower()
    parts = text.split(". ", 2)
    if len(parts) > 1 and parts[1].startswith(("he ", "she ", "he's ", "she's ")):
        return ". ".join(parts[:2])
    return parts[0] + ("." if len(parts) > 1 else "")


def by_name(uses: Mapping[int, Sequence[Use]]) -> dict[str, list[Use]]:
    """Return the uses of each name, in the order of the transcript."""
    found: dict[str, list[Use]] = {}
    for unit_uses in uses.values():
        for use in unit_uses:
            found.setdefault(use.name, []).append(use)
    return found
