"""Ids that never repeat, for whoever does not pass ids of its own."""

from __future__ import annotations

import os

_VARIANTS = "89ab"


def random_uuid() -> str:
    """Return a random UUID of version 4 as text; a store asks for one with every write."""
    digits = os.urandom(16).hex()
    variant = _VARIANTS[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
