"""Id patterns. All are used with full matches, and digits are ASCII only."""

from __future__ import annotations

import re

SLUG = r"[a-z][a-z0-9-]*"
"""A content slug: kebab-case, starts with a letter."""

LANGUAGE = r"[a-z]{2,3}(?:[_@-][A-Za-z0-9]{2,16}){0,3}"
"""A language as gettext names it, such as ``de``, ``pt_BR`` or ``sr@latin``; safe as a file name."""

SOURCE_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""A session, source or campaign id; safe as a file name."""

FACT_ID = r"[a-z][a-z0-9_-]*\.[a-z0-9][a-z0-9_-]*"
"""A fact id: category, dot, topic."""

INTERACTION_ID = r"interaction\.([a-z][a-z0-9-]*)_([0-9]{3,})"
"""An interaction's fact id: slug and number, at least three digits."""

DIALOGUE_ID = r"[a-z][a-z0-9-]*_d_[0-9]{3}"
"""A dialogue line id."""

MONOLOGUE_ID = r"[a-z][a-z0-9-]*_m_[a-z]_[0-9]{3}"
"""A monologue line id; the letter between is the character's."""

LINE_ID = r"[a-z0-9-]+_(d|m)(_[a-z])?_[0-9]{3}"
"""The general check that accepts both."""

ENTITY_REF = r"npc:[a-z][a-z0-9-]*"
"""An entity reference in a gate."""

CHARACTER_REF = r"party|(pc|npc):[a-z][a-z0-9-]*"
"""Somebody who can be met, told and talked about."""

MIND_ID = rf"world|{CHARACTER_REF}"
"""Whose memory it is; ``world`` holds what lines keep for everybody."""


def fullmatch(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match if the whole of *text* has the form *pattern*."""
    return re.fullmatch(pattern, text)
