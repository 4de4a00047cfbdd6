"""Comparisons: what a gate asks of a number, a text or a flag."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from talebearer.lines._declared import Scalar

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ORDERINGS = frozenset({"<", "<=", ">", ">="})
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


def _kind(value: object) -> type:
    """Return what can be compared with what: flags, numbers and texts, each among themselves."""
    if isinstance(value, bool):
        return bool
    return float if isinstance(value, int | float) else str


_KINDS: Mapping[type, type] = {bool: bool, int: float, float: float, str: str}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One or more bounds, all of which must hold.

    Attributes:
        terms: Operator and operand, in the order of :data:`OPERATORS`.
    """

    terms: tuple[tuple[str, Scalar], ...]
    _checks: tuple[tuple[type, Callable[[Any, Any], bool], Scalar], ...] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        # Looked up once: gates compare for most picks.
        checks = tuple((_kind(operand), OPERATORS[sign], operand) for sign, operand in self.terms)
        object.__setattr__(self, "_checks", checks)

    def holds(self, found: Scalar | None) -> bool:
        """Return whether *found* is within; never for nothing, nor for another type.

        Source: rule LP-L6.
        """
        if found is None:
            return False
        kind = _KINDS.get(type(found)) or _kind(found)
        for allowed, fits, operand in self._checks:
            if allowed is not kind or not fits(found, operand):
                return False
        return True

    @property
    def numeric(self) -> bool:
        """Whether it asks for a number."""
        return _kind(self.terms[0][1]) is float

    def __str__(self) -> str:
        return " and ".join(f"{sign} {worded(operand)}" for sign, operand in self.terms)


AT_LEAST_ONE = Comparison(((">=", 1),))


def worded(value: Scalar | None) -> str:
    """Return *value* for a sentence."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def as_number(text: str) -> int | float | None:
    """Return the plain decimal number that *text* is, or None."""
    if _NUMBER.fullmatch(text) is None:
        return None
    return float(text) if "." in text else int(text)
