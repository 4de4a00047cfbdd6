"""How views become JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from talebearer.errors import Problem


def to_json(value: Any) -> Any:
    """Return *value* as JSON-ready data: views become objects, enumerations their strings."""
    if isinstance(value, Problem):
        return value.as_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_json(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(item) for item in value]
    return value
