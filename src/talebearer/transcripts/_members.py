"""Members of JSON values, checked while they are taken, and the fault that names their place."""

from __future__ import annotations

from typing import Any

from talebearer.errors import InvalidTranscript
from talebearer.transcripts._drafts import one_line

_TEXT_ONLY = frozenset({str})


class Misfit(Exception):
    """A value of the wrong kind, in an element whose place the reader's loop knows."""

    def __init__(self, member: str, expected: str, value: Any) -> None:
        super().__init__(member)
        self._member = member
        self._what = f"{_kind(value)} in place of {expected}"

    def at(self, place: str, *, name: str) -> InvalidTranscript:
        """Return the error for the element at the JSON path *place* of the source *name*."""
        pointer = place + self._member
        return InvalidTranscript(
            f"{name} is damaged at {pointer}: {self._what}",
            hint="export it again, or name its format with --format if it was taken for another",
            data={"source": name, "pointer": pointer},
        )


def object_of(value: Any) -> dict[str, Any]:
    """Return *value* if it is an object."""
    if type(value) is dict:
        return value
    raise Misfit("", "an object", value)


def text_of(value: Any, member: str = ".text") -> str:
    """Return "" for what is missing; a segment without text is left out and listed later."""
    if type(value) is str:
        return value
    if value is None:
        return ""
    raise Misfit(member, "a text", value)


def label_of(value: Any, member: str = ".speaker") -> str:
    """Return the label; a speaker may be missing, or be a number."""
    if type(value) is str:
        return value
    if value is None:
        return ""
    if type(value) is int:
        return str(value)
    raise Misfit(member, "a text", value)


def tags_of(categories: Any) -> tuple[str, ...]:
    """Return the texts of a list as tags; blank ones add nothing."""
    found = map(one_line, strings_of(categories, ".categories"))
    return tuple(tag for tag in found if tag)


def strings_of(value: Any, member: str) -> list[str]:
    """Return *value* if it is a list of texts; a missing one is empty."""
    if value is None:
        return []
    if type(value) is list:
        one = len(value) == 1  # nearly always, and cheaper to look at than a set of types
        if type(value[0]) is str if one else set(map(type, value)) <= _TEXT_ONLY:
            return value
    raise Misfit(member, "a list of texts", value)


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return "nothing" if value is None else kinds.get(type(value), "a number")
