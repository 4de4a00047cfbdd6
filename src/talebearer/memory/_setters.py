"""Slots of frozen dataclasses, set directly.

What is made for almost every event has an ``__init__`` of its own: the one that a frozen dataclass
generates takes nearly three times as long. It is frozen all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields


def setters(cls: type) -> tuple[Callable[[object, object], None], ...]:
    """Return the slot setter of every field of the dataclass *cls*, in order."""
    return tuple(cls.__dict__[item.name].__set__ for item in fields(cls))
