"""Did you mean: the nearest of the allowed words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

LISTED_MAX = 20


def nearest(word: str, allowed: Iterable[str], *, count_max: int = 3) -> tuple[str, ...]:
    """Return up to *count_max* of *allowed* that look or begin like *word*, the best first.

    Case does not matter. The order is the same on every machine: by likeness, then by name.
    """
    by_folded: dict[str, str] = {}
    for candidate in sorted(allowed):
        by_folded.setdefault(candidate.casefold(), candidate)
    folded = word.casefold()
    close = get_close_matches(folded, list(by_folded), n=count_max, cutoff=0.6)
    if len(folded) >= 3:
        close += [name for name in by_folded if folded in name and name not in close]
    return tuple(by_folded[name] for name in close[:count_max])


def meant(close: Sequence[str]) -> str:
    """Return the question whether one of *close* was meant; nothing where there is none."""
    return f"did you mean {' or '.join(close)}?" if close else ""


def did_you_mean(word: str, allowed: Iterable[str], *, otherwise: str = "") -> str:
    """Return a hint: the nearest of *allowed*, else *otherwise*, else what is allowed."""
    words = sorted(allowed)
    close = nearest(word, words)
    if close:
        return meant(close)
    if otherwise or not words:
        return otherwise
    more = ", …" if len(words) > LISTED_MAX else ""
    return f"allowed: {', '.join(words[:LISTED_MAX])}{more}"
