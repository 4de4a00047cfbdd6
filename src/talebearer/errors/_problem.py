"""Problems: findings as values, with a place that a person can go to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from talebearer.errors._catalogue import CATALOGUE


class Severity(StrEnum):
    """How much a finding matters: an error refuses, a warning and a note only tell."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


# A file name may hold them; a finding is one line all the same.
_LINE_BREAKS = {ord(one): ascii(one)[1:-1] for one in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in an input; only the parts that are known are set.

    Attributes:
        file: Path as the reader would type it, POSIX separators.
        line: 1-based line in the file.
        column: 1-based column in code points.
        first_unit: First unit id, 1-based.
        last_unit: Last unit id, inclusive.
        pointer: A path into a JSON value, ``$.lines[3].trust`` form.
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    first_unit: int | None = None
    last_unit: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        parts: list[str] = []
        if self.file is not None:
            place = self.file.translate(_LINE_BREAKS)
            if self.line is not None:
                place += f":{self.line}"
                if self.column is not None:
                    place += f":{self.column}"
            parts.append(place)
        if self.first_unit is not None:
            last = self.last_unit
            one = last is None or last == self.first_unit
            parts.append(f"unit {self.first_unit}" if one else f"units {self.first_unit}–{last}")
        if self.pointer is not None and self.line is None:
            parts.append(self.pointer)
        return " ".join(parts) or "-"

    def as_json(self) -> dict[str, Any]:
        """Return the known parts as a JSON object."""
        names = ("file", "line", "column", "first_unit", "last_unit", "pointer")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding: what happened, the value, where, and what to do next.

    Attributes:
        code: A code of the catalogue.
        severity: Whether it refuses the input.
        where: The place.
        message: What is wrong, with the offending value in it.
        hint: What is allowed or what to run; may be empty.
    """

    code: str
    severity: Severity
    where: Where = field(default_factory=Where)
    message: str
    hint: str = ""

    def __post_init__(self) -> None:
        assert self.code in CATALOGUE, self.code

    def __str__(self) -> str:
        text = f"{self.where}: {self.severity} {self.code}: {self.message}"
        return f"{text} (hint: {self.hint})" if self.hint else text

    def as_json(self) -> dict[str, Any]:
        """Return the problem as a JSON object."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "where": self.where.as_json(),
            "message": self.message,
            "hint": self.hint,
        }
