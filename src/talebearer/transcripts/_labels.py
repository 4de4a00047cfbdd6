"""Which line starts name a speaker: ``Ana: I peek inside`` does, ``Note: the door`` does not.

No roster is asked: the same bytes always give the same units, whatever a campaign says today, since
evidence cites unit ids. What counts is decided in two steps over the whole file.

A *candidate* is what stands before the first colon of a line when a blank or the line's end follows
the colon, and it looks like a name: at most 48 characters and 5 words, with a letter, without
sentence punctuation; each word begins with a capital, a digit or a letter without case, or is a
particle (``van``, ``of``) that is not first; a bracketed end such as ``(she/her)`` may hold
anything. One lower-case word at the very start of a line (a nickname) passes too. Words that people
put before a colon when they speak (``note``, ``warning``) never do.

A candidate *counts* when

1. its label occurs at least twice, upper and lower case taken as one; a label in lower case also
   five times, or on one in a hundred of the lines with a candidate, because wrapped prose begins
   lines with single words too; or
2. it is a variant of a label that does: the same but for digits (``SPEAKER_07``), or one is the
   beginning of the other in whole words (``Ana``, ``Ana Silva``, ``Ana (GM)``); or
3. it looks like the labels that do: a capital, no comma, no more than two words (or than theirs,
   particles and brackets aside), and what follows is no number and begins as it does after theirs,
   that is not in lower case; or
4. no label occurs twice, but the first line and at least half of all lines have a candidate with a
   capital; or
5. it follows a time stamp, and every stamped line has a candidate. Stamps then show where
   utterances begin, so rules 3 and 4 do not apply.

A candidate that does not count stays text; :attr:`Labels.untaken` lists it for a note.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

LABEL_CHARS_MAX = 48
LABEL_WORDS_MAX = 5
LOWER_CASE_COUNT_MIN = 5

_BRACKETED_END = re.compile(r"\([^()]{0,30}\)$")
_NOT_IN_NAMES = frozenset('!?;"“”„«»‹›…<>{}[]()|=*`\\')
_PARTICLE_WORDS = (
    "af al and av bin da das de del den der des di do dos du e el et ibn la le of te ten ter the "
    "und van von y zu"
)
_ORDINARY_WORDS = (
    "achtung anmerkung answer attention caution edit example hinweis hint important nb nota note "
    "notes ps question remarque remember reminder rule rules spoiler tip update warning "
    "внимание примечание"
)
_PARTICLES = frozenset(_PARTICLE_WORDS.split())
_ORDINARY = frozenset(_ORDINARY_WORDS.split())


class Name(NamedTuple):
    """What may be a speaker's name.

    Attributes:
        label: The words before the colon, as written.
        key: The label as it is compared: NFC, without case.
        capital: Whether it begins like a name and not like a nickname in lower case.
        words: How many words it has without particles and a bracketed end.
    """

    label: str
    key: str
    capital: bool
    words: int


class Candidate(NamedTuple):
    """A line start that may name a speaker, and what follows the colon, trimmed."""

    name: Name
    rest: str


class Labels:
    """What counts in one file.

    Attributes:
        keys: Keys of the labels that count.
        untaken: Labels that do not, each with the place of its line.
    """

    def __init__(
        self,
        lines: Iterable[tuple[int, str]],
        *,
        stamped: frozenset[int] = frozenset(),
        known: Iterable[str] = (),
    ) -> None:
        """Decide over a whole file.

        Args:
            lines: The lines that may begin with a label, each with its place, in order; blank ones
                left out, and those that carry a time stamp without it.
            stamped: The places of those that carried one.
            known: Names that the file itself lists as those of its speakers; they count.
        """
        # A file has few labels and many lines, so each spelling is judged once.
        self._judged: dict[str, Name | None] = {}
        tally = _Tally(frozenset(map(_key, known)))
        for place, line in lines:
            tally.take(place, self._candidate(line), stamped=place in stamped)
        self.keys = frozenset(tally.keys())
        self.untaken = tuple(
            (place, here.name.label)
            for key, (place, here) in tally.first.items()
            if key not in self.keys
        )

    def split(self, line: str) -> tuple[str, str] | None:
        """Return speaker and rest of *line* if it begins with a label that counts."""
        if not self.keys:
            return None
        here = self._candidate(line)
        return (here.name.label, here.rest) if here and here.name.key in self.keys else None

    def _candidate(self, line: str) -> Candidate | None:
        colon = _colon(line)
        if colon <= 0:
            return None
        before = line[:colon]
        if before not in self._judged:
            self._judged[before] = _judge(before)
        name = self._judged[before]
        return Candidate(name, line[colon + 1 :].strip()) if name else None


def _colon(line: str) -> int:
    """Return the index of the colon that may end a label, or -1; it is not searched far."""
    reach = LABEL_CHARS_MAX + 16
    colon = line.find(":", 0, reach)
    if not line.isascii():
        wide = line.find("：", 0, reach if colon < 0 else colon)
        if wide >= 0:
            return wide
    after = line[colon + 1 : colon + 2]
    return colon if not after or after.isspace() else -1


def is_name(label: str) -> bool:
    """Return whether *label*, apart from how often it occurs, looks like a speaker's name."""
    return _judge(label) is not None


def _key(label: str) -> str:
    return unicodedata.normalize("NFC", label.strip()).casefold()


def _judge(before: str) -> Name | None:
    """Return the name that stands before a colon, if it looks like one."""
    label = before.strip()
    words = _BRACKETED_END.sub("", label).split()
    key = _key(label)
    if len(label) > LABEL_CHARS_MAX or key in _ORDINARY or not _is_name(words):
        return None
    capital = not words[0][0].islower()
    if not capital and (len(words) > 1 or before[0].isspace()):
        return None
    return Name(label, key, capital, sum(word not in _PARTICLES for word in words))


def _is_name(words: list[str]) -> bool:
    if not 1 <= len(words) <= LABEL_WORDS_MAX:
        return False
    letters = "".join(words)
    if not _NOT_IN_NAMES.isdisjoint(letters) or not any(map(str.isalpha, letters)):
        return False
    return all(word in _PARTICLES or not word[0].islower() for word in words[1:])


class _Tally:
    """Counts over one file, and the rules that read them."""

    def __init__(self, known: frozenset[str]) -> None:
        self._listed = known
        self.first: dict[str, tuple[int, Candidate]] = {}
        self._counts: Counter[str] = Counter()
        self._lower_rests: Counter[str] = Counter()
        self._after_stamp: set[str] = set()
        self._bare_stamps = 0
        self._lines = 0
        self._capitals = 0
        self._opens_with_label = False

    def take(self, place: int, here: Candidate | None, *, stamped: bool) -> None:
        self._lines += 1
        if here is None:
            self._bare_stamps += stamped
            return
        name = here.name
        self.first.setdefault(name.key, (place, here))
        self._counts[name.key] += 1
        self._lower_rests[name.key] += here.rest[:1].islower()
        self._capitals += name.capital
        self._opens_with_label |= self._lines == 1 and name.capital
        if stamped:
            self._after_stamp.add(name.key)

    def keys(self) -> set[str]:
        """Return the keys that count; the numbers are those of the module's rules."""
        keys = self._recurring() | (self._listed & self.first.keys())  # 1
        by_stamp = bool(self._after_stamp) and not self._bare_stamps
        if by_stamp:
            keys |= self._after_stamp  # 5
        elif not keys and self._opens_with_label and self._capitals * 2 >= self._lines:
            keys = {key for key, (_, here) in self.first.items() if here.name.capital}  # 4
        lower = sum(self._lower_rests[key] for key in keys)
        by_looks = not by_stamp and lower * 10 <= sum(self._counts[key] for key in keys)
        known = _Known.of(self.first[key][1].name for key in keys)
        for key, (_, here) in self.first.items():
            if known.has_variant(key) or (by_looks and known.looks_like(here)):  # 2, 3
                keys.add(key)
        return keys

    def _recurring(self) -> set[str]:
        enough = min(LOWER_CASE_COUNT_MIN, self._counts.total() // 100)
        return {
            key
            for key, count in self._counts.items()
            if count > 1 and (count >= enough or self.first[key][1].name.capital)
        }


class _Known(NamedTuple):
    """The labels that recur, as others are compared with them."""

    whole: frozenset[tuple[str, ...]]
    beginnings: frozenset[tuple[str, ...]]
    digitless: frozenset[str]
    words_max: int

    @classmethod
    def of(cls, names: Iterable[Name]) -> _Known:
        names = tuple(names)
        keys = [name.key for name in names]
        whole = frozenset(tuple(key.split()) for key in keys)
        return cls(
            whole,
            frozenset(words[:end] for words in whole for end in range(1, len(words))),
            frozenset(_digitless(key) for key in keys if _digitless(key) != key),
            max((2, *(name.words for name in names))) if names else 0,
        )

    def has_variant(self, key: str) -> bool:
        words = tuple(key.split())
        return (
            words in self.beginnings
            or any(words[:end] in self.whole for end in range(1, len(words)))
            or _digitless(key) in self.digitless
        )

    def looks_like(self, here: Candidate) -> bool:
        first = here.rest[:1]
        begins_sentence = bool(first) and not first.islower() and not first.isdigit()
        few_words = here.name.words <= self.words_max
        plain = here.name.capital and "," not in here.name.label
        return plain and few_words and begins_sentence


def _digitless(key: str) -> str:
    return re.sub(r"[0-9]+", "0", key)
