"""The difference of two texts in user-perceived characters: a minimal edit after Myers.

Text is cut into grapheme clusters, so that an accent or the parts of an emoji are never torn
apart by an edit. Clusters follow the rules that matter in practice (combining marks, joiners,
emoji modifiers, flags, Hangul syllables, carriage return and line feed), not the whole standard.

Source: the protocol sheet, section 5.5.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

EDITS_MAX = 1_000
"""Beyond this many edits the middle of a text is replaced as a whole."""

_JOINER = "\u200d"
_FLAG = range(0x1F1E6, 0x1F200)
_MODIFIER = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_HANGUL_TAIL = range(0x1160, 0x1200)
_PLAIN = re.compile(r"[\x20-\x7e\n\t]*")


class Edit(NamedTuple):
    """Replace *removed* code points at *position* by *inserted*.

    Positions are those of the text as it is when all edits before have been made.
    """

    position: int
    removed: int
    inserted: str


def text_edits(before: str, after: str) -> list[Edit]:
    """Return the edits that turn *before* into *after*, from the beginning to the end."""
    old, new = clusters(before), clusters(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    edits: list[Edit] = []
    position = sum(map(len, old[:head]))
    for removed, inserted in _runs(old_middle, new_middle):
        if removed is None:
            position += len(inserted)
            continue
        edits.append(Edit(position, len(removed), inserted))
        position += len(inserted)
    return edits


def clusters(text: str) -> list[str]:
    """Return *text* cut into grapheme clusters."""
    if _PLAIN.fullmatch(text):
        return list(text)
    found: list[str] = []
    flags = 0
    for char in text:
        code = ord(char)
        flags = flags + 1 if code in _FLAG else 0
        if found and _continues(found[-1], char, flags=flags):
            found[-1] += char
        else:
            found.append(char)
    return found


def _continues(cluster: str, char: str, *, flags: int) -> bool:
    before, code = cluster[-1], ord(char)
    if before == "\r":
        return char == "\n"
    if before == "\n" or char in "\r\n":
        return False
    if flags:
        return flags % 2 == 0
    if char == _JOINER or code in _MODIFIER or code in _TAGS or code in _HANGUL_TAIL:
        return True
    if unicodedata.category(char) in ("Mn", "Me", "Mc"):
        return True
    return before == _JOINER and unicodedata.category(char) == "So"


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _runs(old: list[str], new: list[str]) -> list[tuple[str | None, str]]:
    """Return runs in order: ``(None, kept)`` or ``(removed, inserted)``."""
    if not old or not new:
        return [("".join(old), "".join(new))] if old or new else []
    trace = _trace(old, new)
    if trace is None:
        return [("".join(old), "".join(new))]
    return _backtrack(old, new, trace)


def _trace(old: list[str], new: list[str]) -> list[dict[int, int]] | None:
    """Return the furthest reaching paths of each edit distance, None beyond the bound."""
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for distance in range(min(len(old) + len(new), EDITS_MAX) + 1):
        trace.append(dict(reach))
        for diagonal in range(-distance, distance + 1, 2):
            down = diagonal == -distance or (
                diagonal != distance and reach[diagonal - 1] < reach[diagonal + 1]
            )
            x = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= len(old) and y >= len(new):
                return trace
    return None


def _backtrack(
    old: list[str], new: list[str], trace: list[dict[int, int]]
) -> list[tuple[str | None, str]]:
    x, y = len(old), len(new)
    runs: list[tuple[str | None, str]] = []
    for distance in range(len(trace) - 1, -1, -1):
        reach, diagonal = trace[distance], x - y
        down = diagonal == -distance or (
            diagonal != distance and reach[diagonal - 1] < reach[diagonal + 1]
        )
        before = diagonal + 1 if down else diagonal - 1
        x_before = reach[before] if distance else 0
        y_before = x_before - before if distance else 0
        kept = min(x - x_before, y - y_before)
        if kept > 0:
            runs.append((None, "".join(old[x - kept : x])))
            x, y = x - kept, y - kept
        if distance:
            _prepend(runs, old[x_before:x] if not down else [], new[y_before:y] if down else [])
        x, y = x_before, y_before
    return runs[::-1]


def _prepend(runs: list[tuple[str | None, str]], removed: list[str], inserted: list[str]) -> None:
    """Join an edit with the one after it when nothing is kept between them."""
    after = runs[-1] if runs and runs[-1][0] is not None else None
    if after is None:
        runs.append(("".join(removed), "".join(inserted)))
    else:
        runs[-1] = ("".join(removed) + (after[0] or ""), "".join(inserted) + after[1])
