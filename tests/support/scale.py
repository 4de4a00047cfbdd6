"""How much a test does: a little in an ordinary run, a lot in the long profile."""

from __future__ import annotations

import os

LONG = os.environ.get("TALEBEARER_PROFILE") == "long"


def scaled(*, short, long):
    """Return the amount for this run."""
    return long if LONG else short
