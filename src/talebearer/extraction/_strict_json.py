"""Strict JSON from bytes that nobody vouches for: problems, never exceptions."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from talebearer.errors import Problem, Severity, Where, findings_extraction

KEY_CHARS_SHOWN_MAX = 60


def parse_strict(data: bytes) -> tuple[Any, list[Problem]]:
    """Return the value in *data* and what is wrong with it; the value is None if it is no JSON.

    UTF-8 only; keys once in an object; no NaN, no infinity, no lone surrogates; bounded depth.
    """
    problems: list[Problem] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in items:
            if key in members:
                shown = key[:KEY_CHARS_SHOWN_MAX]
                problems.append(_problem(findings_extraction.DUPLICATE_KEY, f"{shown!r} is twice"))
            members[key] = value
        return members

    try:
        payload = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=pairs,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        json.dumps(payload, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        shown = reason[: 2 * KEY_CHARS_SHOWN_MAX]
        message = f"the bytes are not strict JSON ({shown})"
        problems.append(_problem(findings_extraction.MALFORMED_JSON, message))
        return None, problems
    return payload, problems


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number is out of range")
    return number


def _problem(code: str, message: str) -> Problem:
    return Problem(code=code, severity=Severity.ERROR, where=Where(pointer="$"), message=message)
