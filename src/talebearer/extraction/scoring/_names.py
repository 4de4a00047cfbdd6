"""How the names of a registry compare with those that are labelled."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from talebearer.extraction.rules import PARTICLES, TITLES, words_of
from talebearer.extraction.scoring._pairing import rate


class NamePairing(NamedTuple):
    """How the names of one registry compare with those that are labelled.

    Attributes:
        recalled: Labelled names that were found.
        missed: Labelled names that were not.
        right: Found names that are labelled, or are part of a labelled one.
        false: Found names that are not.
    """

    recalled: tuple[str, ...]
    missed: tuple[str, ...]
    right: tuple[str, ...]
    false: tuple[str, ...]


def pair_names(aliases: Mapping[str, Sequence[str]], found: Sequence[str]) -> NamePairing:
    """Return how the names of a registry compare with those that are labelled.

    A found name is right when its words, titles and articles aside, are all in one spelling of a
    labelled name, or the other way round. Labelled epithets without a name of their own ("the
    clerk") can be found, but are not asked for.
    """
    spellings = {
        name: [core for core in map(_core, (name, *others)) if core]
        for name, others in aliases.items()
    }
    right: set[str] = set()
    recalled: set[str] = set()
    for one in found:
        core = _core(one)
        owners = {
            name
            for name, cores in spellings.items()
            if core and any(core <= other or other <= core for other in cores)
        }
        recalled |= owners
        right |= {one} if owners else set()
    asked = {name for name in aliases if name[:1].isupper()}
    return NamePairing(
        tuple(sorted(asked & recalled)),
        tuple(sorted(asked - recalled)),
        tuple(sorted(set(found) & right)),
        tuple(sorted(set(found) - right)),
    )


def _core(name: str) -> frozenset[str]:
    words = words_of(unicodedata.normalize("NFC", name))
    low = {word.casefold() for word in words}
    return frozenset(low - TITLES - PARTICLES) or frozenset(low - PARTICLES)


def name_scores(pairings: Sequence[NamePairing]) -> dict[str, Any] | None:
    """Return counts and rates of all *pairings* together; None if there is none."""
    if not pairings:
        return None
    recalled = sum(len(one.recalled) for one in pairings)
    labelled = recalled + sum(len(one.missed) for one in pairings)
    right = sum(len(one.right) for one in pairings)
    false = sum(len(one.false) for one in pairings)
    return {
        "labelled": labelled,
        "recalled": recalled,
        "recall": rate(recalled, labelled),
        "found": right + false,
        "false": false,
        "false_per_recalled": rate(false, recalled),
    }
