"""A transcript read once for both lanes: words, sentence starts, quotation marks, roles.

The text itself is never changed; words are compared NFC with one form of apostrophe. Every pass
is linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from talebearer.extraction._roster import Roster, SpeakerRole
from talebearer.transcripts import Transcript

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
QUOTE = re.compile(r'["“”„«»]')
SINGLE_QUOTE_CHARS_MAX = 600
NICKNAME_CHARS_MAX = 24
NICKNAME = re.compile(r"[^\W\d_][\w'’-]*")
BEFORE_NICKNAME = re.compile(r"(?<![\w'’-])[^\W\d_a-z][\w'’-]* $")
AFTER_NICKNAME = re.compile(r" [^\W\d_a-z]")
BETWEEN_CHARS_MAX = 8
OWNS_CHARS = 2
SINGLE_MARK = re.compile(
    r"(?P<opens>(?<![^\s(\[—-])(?:‘|'(?!(?:em|cause|tis|twas|til|bout|round|n|s)\b))(?=[^\W_]))"
    r"|(?P<closes>(?<=[,.?!…—-])['’](?![^\W_]))",
    re.IGNORECASE,
)
"""Single marks around speech: its last sign before the closing mark is a stop, unlike before the
apostrophe of a plural, and a contraction opens nothing."""
ENDS_SENTENCE = frozenset('.!?:;…—(\n"“”„«»[]*')
OPENS = frozenset("“„«")
CLOSES = frozenset("»")


class Word(NamedTuple):
    """One word of a unit; where it stands is the unit's to say, so that equal words are one object.

    Attributes:
        text: NFC, apostrophes straight, without a possessive ``'s``.
        begins: Whether it begins a sentence, a quotation or the unit.
        quoted: Whether it stands within quotation marks.
        owns: Whether a possessive ``'s`` was cut off.
        before: What stands between the word before and this one.
    """

    text: str
    begins: bool
    quoted: bool
    owns: bool
    before: str

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()


Known = dict[tuple[str, bool, bool, str], Word]
"""What stands in the text, how it stands, and what is before it -> its one object."""


@dataclass(frozen=True)
class ReadUnit:
    """One unit as the rules see it.

    Attributes:
        unit_id: 1-based.
        role: Of its speaker.
        text: NFC.
        words: In order.
        starts: Index in the text of each word's first code point.
        quotes: (start, end) of each quotation, marks excluded.
    """

    unit_id: int
    role: SpeakerRole
    text: str
    words: tuple[Word, ...]
    starts: array[int]
    quotes: tuple[tuple[int, int], ...]

    def end_of(self, index: int) -> int:
        """Return the index in the text after the word *index*, a possessive included."""
        word = self.words[index]
        return self.starts[index] + len(word.text) + (OWNS_CHARS if word.owns else 0)

    @cached_property
    def told(self) -> bool:
        """Whether a game master speaks it."""
        return self.role is SpeakerRole.GAME_MASTER

    @cached_property
    def low(self) -> str:
        """The text in lower case with straight apostrophes, for cues."""
        return self.text.replace("’", "'").lower()

    @cached_property
    def narration(self) -> str:
        """``low`` without what is quoted."""
        if not self.quotes:
            return self.low
        kept, at = [], 0
        for start, end in self.quotes:
            kept.append(self.text[at:start])
            at = end
        kept.append(self.text[at:])
        return " ".join(kept).replace("’", "'").lower()


def read(transcript: Transcript, roster: Roster) -> tuple[ReadUnit, ...]:
    """Return the units of *transcript* as the rules see them."""
    roles: dict[str, SpeakerRole] = {}
    known: Known = {}
    units = []
    for unit in transcript.units:
        if unit.speaker not in roles:
            roles[unit.speaker] = roster.role_of(unit.speaker)
        text = unicodedata.normalize("NFC", unit.text)
        quotes = find_quotes(text)
        words, starts = _split(text, quotes, known)
        units.append(ReadUnit(unit.unit_id, roles[unit.speaker], text, words, starts, quotes))
    return tuple(units)


def find_quotes(text: str) -> tuple[tuple[int, int], ...]:
    """Return where *text* is quoted; a quotation that is never closed runs to the end.

    A nickname inside a name, ``Al "Red" Moss``, is no quotation.
    """
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for match in QUOTE.finditer(text):
        mark = match.group()
        if opened is None:
            if mark not in CLOSES:
                opened = match.end()
        elif mark in OPENS:
            continue
        else:
            if match.start() > opened and not _is_nickname(text, opened, match.start()):
                spans.append((opened, match.start()))
            opened = None
    if opened is not None and opened < len(text):
        spans.append((opened, len(text)))
    if "'" in text or "‘" in text:
        return _with_single_quotes(text, spans)
    return tuple(spans)


def _is_nickname(text: str, start: int, end: int) -> bool:
    """Whether one capitalised word is quoted between two others, with blanks around the marks."""
    inside = text[start : min(end, start + NICKNAME_CHARS_MAX + 1)]
    if not NICKNAME.fullmatch(inside) or len(inside) > NICKNAME_CHARS_MAX:
        return False
    before = BEFORE_NICKNAME.search(text[max(0, start - NICKNAME_CHARS_MAX) : start - 1])
    return before is not None and AFTER_NICKNAME.match(text, end + 1) is not None


def _with_single_quotes(text: str, spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Add what single marks quote outside of *spans*."""
    found = list(spans)
    opened: int | None = None
    for match in SINGLE_MARK.finditer(text):
        if match["opens"]:
            opened = match.end()
        elif opened is not None:
            start, end, opened = opened, match.start(), None
            if end - start <= SINGLE_QUOTE_CHARS_MAX and _is_outside(start, end, spans):
                found.append((start, end))
    return tuple(sorted(found))


def _is_outside(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    place = bisect_right(spans, (start, end))
    after_last = place == 0 or spans[place - 1][1] < start
    return after_last and (place == len(spans) or end < spans[place][0])


def find_words(text: str) -> tuple[Word, ...]:
    """Return the words of NFC *text*, hyphenated ones in their parts."""
    return _split(text, (), {})[0]


def _split(
    text: str, quotes: tuple[tuple[int, int], ...], known: Known
) -> tuple[tuple[Word, ...], array[int]]:
    """Return the words of *text* and where they begin; *known* has those that were seen before."""
    words: list[Word] = []
    starts = array("I")
    last_end, quote = 0, 0
    for match in WORD.finditer(text):
        start, end = match.span()
        while quote < len(quotes) and quotes[quote][1] <= start:
            quote += 1
        quoted = quote < len(quotes) and quotes[quote][0] <= start
        if start == last_end + 1 and text[last_end] == " " and words:
            # By far the most frequent: one blank.
            before, begins = " ", quoted and quotes[quote][0] == start
        else:
            before = text[max(last_end, start - BETWEEN_CHARS_MAX) : start]
            opens = quoted and quotes[quote][0] == start
            begins = not words or opens or _ends_sentence(before)
        key = (match.group(), begins, quoted, before)
        word = known.get(key)
        if word is None:
            word = known[key] = _word(*key)
        words.append(word)
        starts.append(start)
        last_end = end
    return tuple(words), starts


def _word(form: str, begins: bool, quoted: bool, before: str) -> Word:
    form = form.replace("’", "'")
    owns = len(form) > OWNS_CHARS and form.endswith(("'s", "'S"))
    return Word(form[:-OWNS_CHARS] if owns else form, begins, quoted, owns, before)


def _ends_sentence(between: str) -> bool:
    return "--" in between or not ENDS_SENTENCE.isdisjoint(between)
