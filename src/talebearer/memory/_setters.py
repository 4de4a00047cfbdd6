"""Slots of frozen dataclasses, set directly.

What is made for almost every event has an ``__init__`` of its own: the one that a frozen dataclass
generates takes nearly three times as long. What is made several times for each event has a function
besides, which takes a third of that again. All of it is frozen all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any


def setters(cls: type) -> tuple[Callable[[object, object], None], ...]:
    """Return the slot setter of every field of the dataclass *cls*, in order."""
    return tuple(cls.__dict__[item.name].__set__ for item in fields(cls))


def opened(cls: type) -> Callable[[], Any]:
    """Return a class with the slots of the frozen dataclass *cls* that is not frozen.

    An object of it, once all slots are set, becomes one of *cls* by ``made.__class__ = cls``. Both have
    one layout, and so the interpreter allows it.
    """
    return type(f"Open{cls.__name__}", (), {"__slots__": tuple(item.name for item in fields(cls))})
