"""The slug of a character, from its name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Mapping
from itertools import count

_OTHER = re.compile(r"[^a-z0-9]+")


def slug_of(name: str, *, taken: Collection[str], profiles: Mapping[str, tuple[str, ...]]) -> str:
    """Return a slug for the character with the canonical *name*.

    The slug of the profile that holds the name; else one made from its letters and digits, with a
    number behind it where that one stands for somebody else. Once given, a slug is to be stored:
    this does not remember.

    Args:
        name: The canonical name; compared in NFC, trimmed, otherwise exactly.
        taken: Slugs given to other characters.
        profiles: Slug to the profile's name and aliases.

    Source: IM-M11.
    """
    canonical = _canonical(name)
    for slug in sorted(profiles):
        if any(_canonical(known) == canonical for known in profiles[slug]):
            return slug
    base = _spelled(canonical)
    # A profile that does not hold the name is somebody else's, whatever its slug looks like.
    if base not in taken and base not in profiles:
        return base
    numbered = (f"{base}-{number}" for number in count(2))
    return next(slug for slug in numbered if slug not in taken and slug not in profiles)


def _canonical(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


def _spelled(name: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    slug = _OTHER.sub("-", ascii_only.lower()).strip("-")
    if not slug:
        # Names that are one string to a reader have one digest: they come in NFC.
        return f"npc-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"npc-{slug}" if slug[0].isdigit() else slug
