"""The registry lane by rules: which candidates are people of the story."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from talebearer.extraction._session import Glossary
from talebearer.extraction.rules._names import DERIVED, Phrase, Tally, phrases, weigh
from talebearer.extraction.rules._phases import aside_units
from talebearer.extraction.rules._reading import ReadUnit
from talebearer.extraction.rules._spellings import (
    Spellings,
    ordinary_words,
    short_forms,
    spellings_for,
    words_of,
)

PERSON_WEIGHT_MIN = 0.5
PERSON_WEIGHT_MAX = 2.0
UNITS_PER_WEIGHT = 1_000
SHORT_SESSION_UNITS = 220
NAME_CHARS_MAX = 24
TOLD_WEIGHT = 0.3
INSIDE_WEIGHT = 0.2
THING_WEIGHT = 0.4
THING_LEAD_MAX = 1.5
"""How much more than a person's a thing's weight may be in an excerpt, where few uses decide."""
NICKNAME_END = re.compile(r"(?:y|ie)$", re.IGNORECASE)
STEM_CHARS_MIN = 4
ALONE_USES_MIN = 3
PERSON_LIKE_MIN = 0.4
SHORT_FORM_CHARS_MIN = 3
INTRODUCED_WEIGHT = 3.0
FULL_NAME_WEIGHT = 1.0
CALLED_WEIGHT = 0.7
TITLED_SHARE_MIN = 0.2

Core = tuple[str, ...]


class Barred(NamedTuple):
    """What belongs to the table.

    Attributes:
        cores: Names and single words of names.
        stems: Beginnings, in lower case, of the full names behind nicknames.
    """

    cores: frozenset[Core]
    stems: tuple[str, ...]


def find_people(
    units: Sequence[ReadUnit], *, at_table: Iterable[str], glossary: Glossary
) -> dict[str, list[int]]:
    """Return the people of the story by name, each with the ids of the units that name them.

    Args:
        units: The session.
        at_table: Names of the people who sit there, and of their characters; never found.
        glossary: Names that are found wherever they occur, with their other spellings.
    """
    table = frozenset(words_of(name) for name in at_table)
    listed = {name: also for name, also in glossary.items() if words_of(name) not in table}
    known = spellings_for(listed, listed, units=units, excluded=at_table)
    barred = Barred(_barred(at_table, known), _stems(at_table))
    tallies = _tally(units, barred=barred, known=known)
    _dissolve(tallies)
    _pool(tallies)
    people = [
        core for core in sorted(tallies) if is_person(core, tallies[core], unit_count=len(units))
    ]
    found = _named(people, tallies)
    for name, refs in _known_people(units, known).items():
        found[name] = sorted({*found.get(name, ()), *refs})
    return found


def is_person(core: Core, tally: Tally, *, unit_count: int) -> bool:
    """Whether the uses of *core* show a person rather than a place, a thing or a chance capital.

    Chance capitals pile up with the length of a session while people recur in it, so the weight
    that is asked for grows with *unit_count*, up to a limit.
    """
    if tally.nicknamed or _only_named(core, tally, unit_count):
        return True
    if tally.person < PERSON_LIKE_MIN:
        return False
    if not tally.inside and tally.person < _head_weight(core, unit_count):
        return False
    extra = max(0, unit_count - SHORT_SESSION_UNITS) / UNITS_PER_WEIGHT
    need = min(PERSON_WEIGHT_MAX, PERSON_WEIGHT_MIN + extra)
    shown = tally.person + TOLD_WEIGHT * tally.told + INSIDE_WEIGHT * tally.inside
    shown -= THING_WEIGHT * tally.thing
    lead = THING_LEAD_MAX if unit_count <= SHORT_SESSION_UNITS else 1.0
    if shown < need or tally.person * lead + PERSON_WEIGHT_MIN < tally.thing:
        return False
    if not any(DERIVED.fullmatch(word) for word in core):
        return True
    return bool(tally.titled) or (tally.named and tally.uses >= ALONE_USES_MIN)


def _only_named(core: Core, tally: Tally, unit_count: int) -> bool:
    """Whether a name is said inside sentences of a short excerpt, and nothing speaks against it.

    There are few capitals in an excerpt, and somebody may be named in it once and never appear.
    """
    plain = not any(DERIVED.fullmatch(word) for word in core)
    return unit_count <= SHORT_SESSION_UNITS and tally.inside > 0 and not tally.thing and plain


def _head_weight(core: Core, unit_count: int) -> float:
    """Return what a name that only heads sentences has to show; an excerpt may have it once."""
    if len(core) > 1:
        return FULL_NAME_WEIGHT
    return CALLED_WEIGHT if unit_count <= SHORT_SESSION_UNITS else INTRODUCED_WEIGHT


def _owners(cores: Iterable[Core]) -> dict[Core, Core]:
    """Return each part of a full name -> the one full name that it is part of.

    A part is a run of the name's words, one word or more. What two names share is nobody's.
    """
    full = {" ".join(core): core for core in cores if len(core) > 1}
    owners: dict[Core, set[Core]] = {}
    for word, name in short_forms(full):
        owners.setdefault((word,), set()).add(full[name])
    for core in full.values():
        for first in range(len(core) - 1):
            for end in range(first + 2, len(core) + 1):
                if end - first < len(core):
                    owners.setdefault(core[first:end], set()).add(core)
    return {part: min(names) for part, names in owners.items() if len(names) == 1}


def _dissolve(tallies: dict[Core, Tally]) -> None:
    """Take away compounds seen once of which a part stands alone often; the part has their use.

    A surname that is heard once stays with its name; a word before it that is heard once
    ("strange X"), or two names side by side, are no name.
    """
    for core in sorted(tallies):
        tally = tallies[core]
        if len(core) < 2 or tally.uses > 1 or tally.named or tally.titled:
            continue
        alone = [word for word in core if _uses(tallies, word) >= ALONE_USES_MIN]
        if core[-1] in alone or len(alone) > 1:
            for word in alone:
                part = tallies[(word,)]
                part.refs = sorted({*part.refs, *tally.refs})
                part.uses += tally.uses
            del tallies[core]


def _uses(tallies: Mapping[Core, Tally], word: str) -> int:
    tally = tallies.get((word,))
    return tally.uses if tally is not None else 0


def _pool(tallies: dict[Core, Tally]) -> None:
    """Let a full name have what its parts show, where they are its alone."""
    for part, owner in _owners(tallies).items():
        if part in tallies:
            tally, whole = tallies[part], tallies[owner]
            whole.person += tally.person
            whole.thing += tally.thing
            whole.told += tally.told
            whole.inside += tally.inside


def _barred(at_table: Iterable[str], known: Spellings) -> frozenset[Core]:
    barred: set[Core] = set()
    for name in at_table:
        words = words_of(name)
        barred.add(words)
        barred.update((word,) for word in words)
        shown = [word.title() if word.isupper() or word.islower() else word for word in words]
        barred.update((word,) for word in shown)
        barred.update(short for word in shown for short in _short_forms_of(word))
        barred.update((word + "s",) for word in shown)
    return frozenset(words for words in barred if words not in known)


def _stems(at_table: Iterable[str]) -> tuple[str, ...]:
    """Return the beginnings of the full names behind names like "Percy" or "Annie"."""
    words = {word for name in at_table for word in words_of(name)}
    stems = {NICKNAME_END.sub("", word).casefold() for word in words if NICKNAME_END.search(word)}
    return tuple(sorted(stem for stem in stems if len(stem) >= STEM_CHARS_MIN))


def _tally(units: Sequence[ReadUnit], *, barred: Barred, known: Spellings) -> dict[Core, Tally]:
    ordinary = ordinary_words(units)
    tallies: dict[Core, Tally] = {}
    aside = aside_units(units)
    for unit in units:
        for phrase in phrases(unit, ordinary=ordinary):
            if _is_barred(phrase, barred) or phrase.core in known or phrase.core[-1:] in known:
                continue
            tally = tallies.setdefault(phrase.core, Tally())
            weigh(unit, phrase, tally, aside=unit.unit_id in aside)
    return tallies


def _short_forms_of(word: str) -> set[Core]:
    """Return what a table may call somebody named *word*: its beginnings of three letters up."""
    lengths = range(SHORT_FORM_CHARS_MIN, min(len(word), NAME_CHARS_MAX))
    return {(word[:length],) for length in lengths}


def _is_barred(phrase: Phrase, barred: Barred) -> bool:
    if phrase.core in barred.cores or any((word,) in barred.cores for word in phrase.core):
        return True
    return phrase.core[0].casefold().startswith(barred.stems) if barred.stems else False


def _named(people: Sequence[Core], tallies: dict[Core, Tally]) -> dict[str, list[int]]:
    """Give each of *people* a display name; parts go to the one full name that they fit."""
    owners = _owners(people)
    found: dict[str, list[int]] = {}
    for core in sorted({*people, *owners} & tallies.keys()):
        whole = owners.get(core, core)
        while whole in owners:
            whole = owners[whole]
        name = display_name(whole, tallies[whole])
        found.setdefault(name, []).extend(tallies[core].refs)
    return {name: sorted(set(refs)) for name, refs in found.items()}


def display_name(core: Core, tally: Tally) -> str:
    """Return the usual spelling, under its usual title if one word would be all of the name."""
    short = len(core) == 1 and bool(tally.titled)
    usual_title = short and sum(tally.titled.values()) >= TITLED_SHARE_MIN * tally.uses
    name = _usual(tally.titled if usual_title else tally.bare)
    return unicodedata.normalize("NFC", name)


def _usual(spellings: dict[str, int]) -> str:
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling))


def _known_people(units: Sequence[ReadUnit], known: Spellings) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for unit in units:
        for hit in known.find(unit.words):
            refs = found.setdefault(hit.name, [])
            if not refs or refs[-1] != unit.unit_id:
                refs.append(unit.unit_id)
    return found
