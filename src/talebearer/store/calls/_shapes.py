"""Reads the members of a request's data, and names what is wrong with them.

Unknown members are ignored, except where a method takes none at all.

Source: the protocol sheet, sections 1.4 and 1.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.store._canonical import Path, clip, problem, refuse, text_problems
from talebearer.store._model import EntityRef

_MISSING = object()


def _refuse(path: Path, message: str, *, hint: str = "") -> Any:
    refuse([problem(path, message, hint=hint)], what="the request")


def required(data: Mapping[str, Any], name: str) -> Any:
    """Return the member *name* of *data*, whatever it is."""
    value = data.get(name, _MISSING)
    if value is _MISSING:
        return _refuse((name,), f"{name} is missing")
    return value


def text(data: Mapping[str, Any], name: str, *, path: Path = ()) -> str:
    """Return the non-empty text *name* of *data*."""
    value = data.get(name, _MISSING)
    if value is _MISSING:
        return str(_refuse((*path, name), f"{name} is missing"))
    found = text_problems(value, path=(*path, name))
    if found:
        refuse(found, what="the request")
    return str(value)


def optional_text(data: Mapping[str, Any], name: str) -> str | None:
    """Return the text *name* of *data*; None when it is absent or null."""
    if data.get(name) is None:
        return None
    return text(data, name)


def ref(data: Mapping[str, Any]) -> EntityRef:
    """Return the entity that ``ref`` names."""
    value = required(data, "ref")
    if not isinstance(value, Mapping):
        return EntityRef(*_refuse(("ref",), f"{clip(repr(value))} is no reference"))
    return EntityRef(text(value, "type", path=("ref",)), text(value, "id", path=("ref",)))


def integer(
    data: Mapping[str, Any], name: str, *, least: int, most: int, default: int | None = None
) -> int:
    """Return the integer *name* of *data*, between *least* and *most*."""
    value = data.get(name, default)
    if type(value) is int and least <= value <= most:
        return value
    found = f"{name} is missing" if name not in data else f"{clip(repr(value))} is not allowed"
    return int(_refuse((name,), found, hint=f"allowed: an integer, {least} to {most}"))


def optional_integer(data: Mapping[str, Any], name: str, *, most: int) -> int | None:
    """Return the unsigned integer *name* of *data*; None when it is absent or null."""
    if data.get(name) is None:
        return None
    return integer(data, name, least=0, most=most)


def texts(data: Mapping[str, Any], name: str, *, path: Path = ()) -> tuple[str, ...] | None:
    """Return the list of texts *name* of *data*; None when it is absent or null."""
    value = data.get(name)
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        return tuple(_refuse((*path, name), f"{clip(repr(value))} is no list"))
    found = [
        one
        for index, item in enumerate(value)
        for one in text_problems(item, path=(*path, name, index))
    ]
    if found:
        refuse(found, what="the request")
    return tuple(value)


def nothing(data: Mapping[str, Any]) -> None:
    """Refuse *data* unless it is empty."""
    if data:
        found = [problem((str(name),), f"{name} is not allowed here") for name in data]
        refuse(found, what="the request")
