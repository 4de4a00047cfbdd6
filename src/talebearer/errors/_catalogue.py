"""Every code once: TB1xx input, TB2xx store, TB3xx provider, TB4xx-7xx findings, TB9xx ours."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """What one code means.

    Attributes:
        code: ``TB`` and three digits, never reused.
        title: What is wrong, in a few words.
        text: What it means for the reader, and why it is refused or reported.
        fix: What to do next.
    """

    code: str
    title: str
    text: str
    fix: str


CATALOGUE: dict[str, Entry] = {}


def register(code: str, title: str, text: str, fix: str) -> str:
    """Enter *code* into the catalogue and return it; a code that is taken is our own bug."""
    assert len(code) == 5, code
    assert code[:2] == "TB", code
    assert code[2:].isdigit(), code
    if code in CATALOGUE:
        raise ImportError(f"error code {code} is registered twice")
    CATALOGUE[code] = Entry(code, title, text, fix)
    return code
