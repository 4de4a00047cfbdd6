"""How long a server asks to wait."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait, or None.

    A date is read against the server's own ``Date``, so that no clock of ours matters.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        value = lower.get("retry-after", "").strip()
        if "retry-after-ms" in lower:
            return int(lower["retry-after-ms"]) / 1000
        if value.isdecimal():
            return float(value)
        then = parsedate_to_datetime(value)
        return max(0.0, (then - parsedate_to_datetime(lower["date"])).total_seconds())
    except (ValueError, TypeError, KeyError):
        return None
