"""Reads a collection in brackets up to and beyond a place in it, closed or not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_WORD = re.compile(r"[^\s,\[\]{}\"'#:]+(?:[ \t]+[^\s,\[\]{}\"'#:]+)*|:(?![\s,\[\]{}]|$)")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*("|$)' + r"|'(?:[^']|'')*('|$)", re.DOTALL)


@dataclass(slots=True)
class Bracket:
    """An open collection.

    Attributes:
        is_mapping: Whether it is one.
        key: The key whose value is being read, if any.
        keys: The keys so far, with the text of their values.
    """

    is_mapping: bool
    key: str | None = None
    keys: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InFlow:
    """A place inside brackets.

    Attributes:
        brackets: The open collections, the outermost first.
        path: What leads from the outermost to the place: keys, and None for a place in a list.
        is_key: Whether the place is a key's.
        start: Where the word at the place begins, in the text.
        end: Where it ends.
    """

    brackets: tuple[Bracket, ...]
    path: tuple[str | None, ...]
    is_key: bool
    start: int
    end: int


def read(text: str, at: int) -> InFlow | None:
    """Return where the offset *at* is in *text*, which begins with a bracket; None if outside."""
    stack: list[Bracket] = []
    seen: InFlow | None = None
    place = 0
    while place < len(text):
        end = token_end(text, place)
        is_word = text[place] not in ",:[]{}#\r\n \t" or end > place + 1
        if seen is None and (place <= at <= end if is_word else place >= at) and stack:
            start, stop = (place, end) if is_word and text[place] != "#" else (at, at)
            seen = _seen(stack, start, stop)
        if not _step(stack, text[place:end]):
            break
        if not stack:
            break
        place = end
    if seen is None and stack:
        seen = _seen(stack, min(at, len(text)), min(at, len(text)))
    return seen


def token_end(text: str, place: int) -> int:
    """Return where the token that begins at *place* ends: a word, a text in quotes, a sign."""
    one = text[place]
    if one in "\"'":
        match = _QUOTED.match(text, place)
        return match.end() if match else len(text)
    if one == "#" and (place == 0 or text[place - 1].isspace()):
        row_end = text.find("\n", place)
        return row_end if row_end >= 0 else len(text)
    match = _WORD.match(text, place)
    if match is None:
        return place + 1
    end = match.end()
    while (more := _WORD.match(text, end)) is not None:  # a colon inside a word, such as npc:odo
        end = more.end()
    return end


def _seen(stack: list[Bracket], start: int, end: int) -> InFlow:
    path = tuple(bracket.key if bracket.is_mapping else None for bracket in stack)
    is_key = stack[-1].is_mapping and stack[-1].key is None
    return InFlow(
        brackets=tuple(stack),
        path=path[:-1] if is_key else path,
        is_key=is_key,
        start=start,
        end=end,
    )


def _step(stack: list[Bracket], token: str) -> bool:
    """Take *token* in; False if it closes more than is open."""
    top = stack[-1] if stack else None
    if token in "[{" and token:
        stack.append(Bracket(is_mapping=token == "{"))
    elif token in ("]", "}"):
        if top is None:
            return False
        stack.pop()
    elif top is not None and token == ",":
        top.key = None
    elif top is not None and top.is_mapping and token.strip() and not token.startswith("#"):
        if token == ":":
            top.key = next(reversed(top.keys), None) if top.key is None else top.key
        elif top.key is None:
            top.keys[bare(token)] = ""
        else:
            top.keys[top.key] = bare(token)
    return True


def bare(token: str) -> str:
    """Return *token* without its quotes."""
    if len(token) >= 1 and token[0] in "\"'":
        return token[1:-1] if len(token) > 1 and token[-1] == token[0] else token[1:]
    return token
