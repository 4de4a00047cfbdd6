"""Times as people write and read them."""

from __future__ import annotations

import math
import re

from talebearer.errors import UsageFault

# Digits are bounded: int() of thousands of digits would raise, and be slow before that.
CLOCK = r"(?:([0-9]{1,6}):)?([0-9]{1,2}):([0-9]{2})(?:[.,]([0-9]{1,3}))?"
"""Hours (optional), minutes, seconds and a decimal fraction (optional), as four groups."""

_CLOCK = re.compile(CLOCK)
_STAMP = re.compile(rf"\[{CLOCK}\](?:[ \t]+|$)")


def clock_seconds(groups: tuple[str | None, ...]) -> float:
    """Return the seconds that the four groups of ``CLOCK`` stand for."""
    hours, minutes, seconds, fraction = groups
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return (whole * 1000 + int((fraction or "0").ljust(3, "0"))) / 1000


def clock_of(text: str) -> float | None:
    """Return the seconds of a clock such as ``1:02:44``, or None when *text* is none."""
    match = _CLOCK.fullmatch(text)
    return None if match is None else clock_seconds(match.groups())


def split_stamp(line: str) -> tuple[float | None, str]:
    """Return the seconds of a leading ``[H:MM:SS]`` and the rest, or None and the line."""
    match = _STAMP.match(line)
    if match is None:
        return None, line
    return clock_seconds(match.groups()), line[match.end() :]


def format_time(seconds: float) -> str:
    """Return *seconds* as a reader's clock: ``2:05``, or ``1:02:44`` from an hour on.

    Fractions are cut off, so that a shown time is never after the moment it points at.

    Raises:
        UsageFault: *seconds* is negative, infinite or not a number (TB111).
    """
    if not math.isfinite(seconds) or seconds < 0:
        raise UsageFault(
            f"{seconds} is no time in a recording",
            hint="times are finite and not negative",
            data={"seconds": repr(seconds)},
        )
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
