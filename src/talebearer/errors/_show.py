"""Hostile text made harmless to look at."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
"""Format characters that scripts and emoji need; they move nothing."""


def visible(text: str) -> str:
    """Return *text* with control, direction and other format characters written out.

    A terminal obeys escape sequences, and direction marks reorder what stands around them; a
    transcript may hold either. Line feeds and tabs stay, and so does everything that is only shown.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _harmless(char) else _written_out(char) for char in text)


def _harmless(char: str) -> bool:
    if char in "\n\t" or char in _JOINERS:
        return True
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _written_out(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
