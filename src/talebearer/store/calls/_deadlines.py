"""The deadline of a request: ``deadline_unix_ms``, the one reserved metadata field.

Source: the protocol sheet, section 1.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.errors import DeadlineExceeded
from talebearer.store._canonical import INTEGER_MAX, clip, problem, refuse

FIELD = "deadline_unix_ms"


def deadline_ms(meta: Mapping[str, Any]) -> int | None:
    """Return the deadline that *meta* sets, or None.

    Raises:
        InvalidRecord: It is no unsigned integer (TB115).
    """
    if FIELD not in meta:
        return None
    value = meta[FIELD]
    if type(value) is not int or not 0 <= value <= INTEGER_MAX:
        message = f"{clip(repr(value))} is no deadline"
        found = problem((FIELD,), message, hint="allowed: Unix milliseconds, from 0")
        refuse([found], what="the metadata")
    return value


def refuse_late(deadline: int | None, *, now_ms: int) -> None:
    """Refuse a request whose *deadline* is reached at *now_ms*.

    Raises:
        DeadlineExceeded: It is (TB215).
    """
    if deadline is not None and now_ms >= deadline:
        raise DeadlineExceeded(
            f"the deadline {deadline} was reached at {now_ms}",
            data={"deadline_unix_ms": deadline, "now_unix_ms": now_ms},
        )
