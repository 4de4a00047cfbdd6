"""JSON pointers, RFC 6901: what is one, and what stands at one.

A token that is a decimal number also picks an item of a list; keys are compared as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from talebearer.store._canonical import Path

POINTER = re.compile(r"(/([^~/]|~[01])*)+")
ABSENT: Any = object()
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def is_pointer(text: str) -> bool:
    """Return whether *text* is a pointer to something inside, not to the whole."""
    return POINTER.fullmatch(text) is not None


@lru_cache(maxsize=1_024)
def pointer_path(pointer: str) -> Path:
    """Return the tokens of *pointer*, unescaped."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def resolve(value: Any, path: Path) -> Any:
    """Return what stands at *path* of *value*, or :data:`ABSENT`."""
    for part in path:
        if type(value) is dict or isinstance(value, Mapping):
            value = value.get(part, ABSENT)
            if value is ABSENT:
                return ABSENT
        elif isinstance(value, (list, tuple)) and _INDEX.fullmatch(str(part)):
            index = int(part)
            if index >= len(value):
                return ABSENT
            value = value[index]
        else:
            return ABSENT
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """Return *value* with *new* at *path*, which is there; nothing of *value* is changed."""
    if not path:
        return new
    if isinstance(value, list):
        index = int(path[0])
        return [*value[:index], replaced(value[index], path[1:], new), *value[index + 1 :]]
    return {**value, path[0]: replaced(value[path[0]], path[1:], new)}
