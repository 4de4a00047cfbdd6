"""Where in a file's structure a place in its text is, though the text may be no valid YAML just now.

While one writes, most moments are invalid: a dash with nothing behind it, a key without its value.
So this goes by indentation, upwards from the place, and inside brackets by the brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from talebearer.content.index import _flow
from talebearer.content.index._flow import bare

_BREAK = re.compile(r"\r\n|\n|\r")
_COLON = re.compile(r":(?=[ \t]|$)")
_WORD_END = re.compile(r"[ \t]+#|[ \t]*$")
_NO_KEY = frozenset("[]{}#&*!|>%@`,")
FLOW_ROWS_MAX = 40
"""How many rows above a place are looked at for brackets that are still open."""

CursorPath = tuple[str | None, ...]
"""Keys from the root, and None for a place in a list."""


def rows_of(text: str) -> list[str]:
    """Return the rows of *text* without their breaks, as editors count them."""
    return _BREAK.split(text)


Keys = dict[str, str]
"""Keys of a mapping, with the texts of their values."""


def _no_keys() -> Keys:
    return {}


def _none() -> Iterable[Keys]:
    return ()


@dataclass(frozen=True, kw_only=True)
class Cursor:
    """A place in a file.

    Attributes:
        path: The value at the place, or the mapping whose key is there.
        is_key: Whether a key stands there.
        is_open: Whether it may become a key as well as a value, as nothing tells yet.
        row: The place's row, from 0.
        start: The column, from 0 in code points, where the word at the place begins.
        end: The column after the word.
        word: The word, without quotes.
        quote: The quote it is in, or nothing.
        dashes: Whether the row has a dash before the place.
        rest: What follows the word in the row.
    """

    path: CursorPath
    is_key: bool
    is_open: bool
    row: int
    start: int
    end: int
    word: str
    quote: str = ""
    dashes: bool = False
    rest: str = ""
    own_keys: Callable[[], Keys] = _no_keys
    outer_keys: Callable[[], Iterable[Keys]] = _none

    @cached_property
    def siblings(self) -> Keys:
        """The other keys of the innermost mapping; they may be far away, so they are looked up late."""
        return self.own_keys()

    @cached_property
    def outer(self) -> tuple[Keys, ...]:
        """The keys of each mapping around, the nearest first."""
        return tuple(self.outer_keys())


@dataclass(frozen=True, slots=True)
class _Token:
    """A dash or a key at a column; a key has a name and the column after its colon."""

    column: int
    key: str | None = None
    after: int = 0
    end: int = 0


def cursor_at(rows: Sequence[str], row: int, column: int) -> Cursor:
    """Return where column *column* of row *row* is; both from 0, columns in code points."""
    line = rows[row]
    column = min(column, len(line))
    flow = _in_flow(rows, row, column)
    if flow is not None:
        return flow
    tokens, rest = _tokens(line)
    key = tokens[-1] if tokens and tokens[-1].key is not None else None
    dashes = [token.column for token in tokens if token.key is None and token.column < column]
    if key is not None and column >= key.after:
        return _value(rows, row, column, tokens, key)
    if key is not None and column >= key.column:
        return _key(rows, row, key, tokens)
    start = rest if not key and rest <= column and rest < len(line) else column
    word, start, end = _word(line, start, column)
    left = dashes[0] if dashes else start
    above = _Above(rows, row, left, in_list=bool(dashes))
    path = (*above.path, *(None for _ in dashes))
    return Cursor(
        path=path,
        is_key=False,
        is_open=True,
        row=row,
        start=start,
        end=end,
        word=bare(word),
        quote=word[:1] if word[:1] in ("'", '"') else "",
        dashes=bool(dashes),
        rest=line[end:],
        own_keys=_no_keys if dashes else partial(_siblings, rows, row, start),
        outer_keys=above.siblings,
    )


def _value(rows: Sequence[str], row: int, column: int, tokens: list[_Token], key: _Token) -> Cursor:
    line = rows[row]
    value = len(line) - len(line[key.after :].lstrip(" \t"))
    word, start, end = _word(line, value if value <= column else column, column)
    above, path = _around(rows, row, tokens)
    return Cursor(
        path=(*path, key.key),
        is_key=False,
        is_open=False,
        row=row,
        start=start,
        end=end,
        word=bare(word),
        quote=word[:1] if word[:1] in ("'", '"') else "",
        rest=line[end:],
        own_keys=partial(_siblings, rows, row, key.column),
        outer_keys=above.siblings,
    )


def _key(rows: Sequence[str], row: int, key: _Token, tokens: list[_Token]) -> Cursor:
    above, path = _around(rows, row, tokens)
    line = rows[row]
    return Cursor(
        path=path,
        is_key=True,
        is_open=False,
        row=row,
        start=key.column,
        end=key.end,
        word=key.key or "",
        quote=line[key.column] if line[key.column] in "\"'" else "",
        dashes=len(tokens) > 1,
        rest=line[key.end :],
        own_keys=partial(_siblings, rows, row, key.column, but=key.key),
        outer_keys=above.siblings,
    )


def _around(rows: Sequence[str], row: int, tokens: list[_Token]) -> tuple[_Above, CursorPath]:
    """Return what is above the key that ends *tokens*, and the path of its mapping."""
    above = _Above(rows, row, tokens[0].column, in_list=tokens[0].key is None)
    return above, (*above.path, *(None for token in tokens if token.key is None))


def _word(line: str, start: int, column: int) -> tuple[str, int, int]:
    """Return the word that begins at *start*, and its bounds; at *column* it is empty."""
    if start >= len(line) or line[start] in "# \t":
        return "", column, column
    if line[start] in "\"'":
        end = _flow.token_end(line, start)
    else:
        match = _WORD_END.search(line, start)
        end = match.start() if match else len(line)
    return (line[start:end], start, end) if column <= end else ("", column, column)


def _tokens(line: str) -> tuple[list[_Token], int]:
    """Return the dashes and the key that a row begins with, and the column after the dashes."""
    found: list[_Token] = []
    at = len(line) - len(line.lstrip(" "))
    while at < len(line) and line[at] == "-" and line[at + 1 : at + 2] in ("", " ", "\t"):
        found.append(_Token(at))
        rest = line[at + 1 :]
        at += 1 + len(rest) - len(rest.lstrip(" \t"))
    key = _key_at(line, at)
    if key is not None:
        found.append(key)
    return found, at


def _key_at(line: str, at: int) -> _Token | None:
    if at >= len(line) or line[at] in _NO_KEY:
        return None
    if line[at] in "\"'":
        end = _flow.token_end(line, at)
        colon = _COLON.match(line, end + len(line[end:]) - len(line[end:].lstrip(" \t")))
        return None if colon is None else _Token(at, bare(line[at:end]), colon.end(), end)
    colon = _COLON.search(line, at)
    comment = line.find(" #", at)
    if colon is None or -1 < comment < colon.start():
        return None
    name = line[at : colon.start()].rstrip(" \t")
    return _Token(at, name, colon.end(), at + len(name))


class _Above:
    """What a place stands in, from the rows above it."""

    def __init__(self, rows: Sequence[str], row: int, column: int, *, in_list: bool) -> None:
        self._rows = rows
        self._mappings: list[tuple[int, int]] = []
        found: list[str | None] = []
        limit, is_dash = column, in_list
        for at in range(row - 1, -1, -1):
            if limit == 0 and not is_dash:
                break
            line = rows[at]
            indent = len(line) - len(line.lstrip(" "))
            if indent > limit or indent == len(line) or line[indent] == "#":
                continue
            for token in reversed(_tokens(line)[0]):
                is_parent_here = token.column == limit and is_dash and token.key is not None
                if token.column < limit or is_parent_here:
                    found.append(token.key)
                    limit, is_dash = token.column, token.key is None
                    if token.key is not None:
                        self._mappings.append((at, token.column))
        self.path: CursorPath = tuple(reversed(found))

    def siblings(self) -> Iterator[Keys]:
        """Yield the keys of each mapping around, the nearest first."""
        for row, column in self._mappings:
            yield _siblings(self._rows, row, column)


def _siblings(rows: Sequence[str], row: int, column: int, but: str | None = None) -> Keys:
    """Return the keys at *column* in one mapping with what stands in *row* there, without *but*."""
    found: Keys = {}
    tokens, _ = _tokens(rows[row])
    _note(found, rows[row], tokens, column)
    if not (tokens and tokens[0].key is None and tokens[0].column < column):
        _scan(found, rows, range(row - 1, -1, -1), column)
    _scan(found, rows, range(row + 1, len(rows)), column, below=True)
    found.pop(but or "", None)
    return found


def _scan(
    found: Keys, rows: Sequence[str], order: range, column: int, *, below: bool = False
) -> None:
    """Note the keys at *column* in the rows of *order*, until their mapping ends."""
    for at in order:
        line = rows[at]
        indent = len(line) - len(line.lstrip(" "))
        if indent > column or indent == len(line) or line[indent] == "#":
            continue
        if indent < column and below:
            return
        tokens, _ = _tokens(line)
        _note(found, line, tokens, column)
        if indent < column:  # the dash that the mapping begins behind, or what it stands in
            return


def _note(found: Keys, line: str, tokens: list[_Token], column: int) -> None:
    for token in tokens:
        if token.key is not None and token.column == column:
            word, _, _ = _word(line, len(line) - len(line[token.after :].lstrip(" \t")), len(line))
            value = line[token.after :].strip()
            found.setdefault(token.key, bare(word) if word else value)


def _in_flow(rows: Sequence[str], row: int, column: int) -> Cursor | None:
    """Return the place if it is inside brackets, opened in its row or in one shortly above.

    What brackets hold is indented deeper than what they belong to, so brackets that somebody has
    not closed yet end where their key's mapping goes on.
    """
    found, least = None, len(rows[row]) + 1
    for first in range(row, max(-1, row - FLOW_ROWS_MAX), -1):
        line = rows[first]
        tokens, rest = _tokens(line)
        key = tokens[-1] if tokens and tokens[-1].key is not None else None
        begin = key.after if key is not None else rest
        begin = len(line) - len(line[begin:].lstrip(" \t"))
        left = tokens[0].column if tokens else begin
        if line[begin : begin + 1] in ("[", "{") and (first == row or least > left):
            found = _opened_at(rows, row, column, (first, begin), tokens) or found
        if line.strip():
            least = min(least, len(line) - len(line.lstrip(" ")))
        if least == 0:
            break
    return found


def _opened_at(
    rows: Sequence[str], row: int, column: int, opened: tuple[int, int], tokens: list[_Token]
) -> Cursor | None:
    """Return the place if it is inside the bracket *opened*, a row and a column."""
    first, begin = opened
    above_length = sum(len(line) + 1 for line in rows[first:row])
    at = above_length + column - begin
    last = min(len(rows), row + FLOW_ROWS_MAX)
    found = _flow.read("\n".join(rows[first:last])[begin:], at) if at > 0 else None
    if found is None:
        return None
    if tokens:
        above, path = _around(rows, first, tokens)
    else:
        above = _Above(rows, first, begin, in_list=False)
        path = above.path
    key = tokens[-1].key if tokens else None
    base = (*path, key) if key is not None else path
    return _flow_cursor(rows[row], row, found, base, begin - above_length, above)


def _flow_cursor(
    line: str, row: int, found: _flow.InFlow, base: CursorPath, shift: int, above: _Above
) -> Cursor:
    start, end = max(found.start + shift, 0), min(max(found.end + shift, 0), len(line))
    word = line[start:end]
    inner, *outer = [
        bracket.keys for bracket in reversed(found.brackets) if bracket.is_mapping
    ] or [{}]
    siblings = dict(inner) if found.brackets[-1].is_mapping else {}
    if found.is_key:
        siblings.pop(bare(word), None)
    elif not found.brackets[-1].is_mapping:
        outer = [inner, *outer]
    return Cursor(
        path=(*base, *found.path),
        is_key=found.is_key,
        is_open=not found.is_key and not found.brackets[-1].is_mapping,
        row=row,
        start=start,
        end=end,
        word=bare(word),
        quote=word[:1] if word[:1] in ("'", '"') else "",
        rest=line[end:],
        own_keys=lambda: siblings,
        outer_keys=lambda: (*outer, *above.siblings()),
    )
