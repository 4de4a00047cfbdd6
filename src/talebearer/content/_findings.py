"""Findings before they have a place, and the look-up of their places.

Parsing for positions is many times slower than parsing for values, so it is done only for files
that have findings, from libyaml's event stream: no recursion, whatever the input. Where libyaml
cannot follow, a finding keeps the place of the nearest part that it could.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from talebearer.errors import Problem, Severity, Where

ValuePath = tuple[str | int, ...]
"""Keys and 0-based indexes from the root of a document to one of its values."""

Mark = tuple[int, int]
"""Line and column, both 1-based, columns in code points."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LINES_KEY = re.compile(r"^lines:[ \t]*(?:#[^\n]*)?\r?\n", re.MULTILINE)
_FIRST_ENTRY = re.compile(r"(?:[ ]*(?:#[^\n]*)?\r?\n)*([ ]*)-(?=[ \r\n])")
_NEXT_KEY = re.compile(r"^[^\s#-]", re.MULTILINE)
_LINE_BREAKS_OF_YAML_1_1 = re.compile("[\x85\u2028\u2029]")
_NOT_PLAIN = ("\t", "\x85", "\u2028", "\u2029")
_ENTRY_HEAD = re.compile(r" *- +(?=[A-Za-z_])")
_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*):(?: +|(?=\r?$))")
_WITHIN = re.compile(
    r"""(?:-(?: +|(?=\r?$)))*(?:([A-Za-z_][A-Za-z0-9_]*|"[^"\\]*"|'[^']*'):(?: +|(?=\r?$)))?"""
)
_ROW_END = re.compile(r" *\r?$| +#")
_QUOTED = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*"(?: *\r?$| +#)'),
    "'": re.compile(r"'(?:[^']|'')*'(?: *\r?$| +#)"),
}
_BRACKETED = re.compile(r"""[\[{][^\[\]{}"'#]*[\]}](?: *\r?$| +#)""")
_BRACKET_PART = re.compile(r"""[\[\]{}]|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\[\]{}"'#]+""")
_MAPPING_WITHIN = re.compile(r":(?: |\r?$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A finding in one file whose place is given as a path.

    Attributes:
        code: A code of the catalogue.
        message: What is wrong, with the offending value.
        hint: What is allowed.
        severity: How much it matters.
        path: The value that is wrong.
        on_key: Whether the last key of *path* is meant rather than its value.
        mark: The place, when it is known already.
        first: Path of an earlier value that this one collides with.
    """

    code: str
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR
    path: ValuePath = ()
    on_key: bool = False
    mark: Mark | None = None
    first: ValuePath | None = None


class _Node:
    """One value of a document: where it begins, and its parts."""

    __slots__ = ("children", "keys", "mark")

    def __init__(self, mark: Mark) -> None:
        self.mark = mark
        self.children: dict[str | int, _Node] = {}
        self.keys: dict[str, Mark] = {}


class _Frame:
    """An open collection while the events go by."""

    __slots__ = ("is_mapping", "key", "node", "path")

    def __init__(self, node: _Node, path: ValuePath, *, is_mapping: bool) -> None:
        self.node = node
        self.path = path
        self.is_mapping = is_mapping
        self.key: str | int | None = None


class Layout:
    """Where the values of one YAML text stand.

    Attributes:
        duplicates: Path, second and first place of every key that a mapping has twice.
        aliases: Name and place of every alias.
        depth: How deep the collections nest.
        failure: Why and where libyaml stopped, if it did.
        ends: Where each scalar begins to where it ends, the column after its last character.
    """

    def __init__(self, text: str) -> None:
        self.duplicates: list[tuple[ValuePath, Mark, Mark]] = []
        self.aliases: list[tuple[str, Mark]] = []
        self.depth = 0
        self.failure: tuple[str, Mark] | None = None
        self.ends: dict[Mark, Mark] = {}
        self._root: _Node | None = None
        self._stack: list[_Frame] = []
        try:
            self._read(text)
        except yaml.MarkedYAMLError as error:
            self.failure = (error.problem or "not valid YAML", _mark(error.problem_mark))
        except yaml.YAMLError as error:
            self.failure = (str(error).splitlines()[0], (1, 1))

    def place(self, path: ValuePath, *, on_key: bool = False) -> Mark | None:
        """Return where the value at *path* begins, or its nearest known ancestor."""
        node = self._root
        if node is None:
            return None
        for depth, part in enumerate(path):
            if on_key and depth == len(path) - 1:
                return node.keys.get(str(part), node.mark)
            child = node.children.get(part)
            if child is None:
                break
            node = child
        return node.mark

    def has(self, path: ValuePath, *, on_key: bool = False) -> bool:
        """Return whether the value at *path*, or its key, is there."""
        node = self._root
        for depth, part in enumerate(path):
            if node is None:
                return False
            if on_key and depth == len(path) - 1:
                return str(part) in node.keys
            node = node.children.get(part)
        return node is not None

    def _read(self, text: str) -> None:
        for event in yaml.parse(_LINE_BREAKS_OF_YAML_1_1.sub(" ", text), Loader=_LOADER):
            mark = _mark(event.start_mark)
            if isinstance(event, yaml.ScalarEvent):
                self.ends.setdefault(mark, _mark(event.end_mark))
                self._value(mark, event.value)
            elif isinstance(event, yaml.AliasEvent):
                self.aliases.append((str(event.anchor), mark))
                self._value(mark, f"*{event.anchor}")
            elif isinstance(event, yaml.CollectionStartEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                node, path = self._value(mark, "")
                self._stack.append(_Frame(node, path, is_mapping=is_mapping))
                self.depth = max(self.depth, len(self._stack))
            elif isinstance(event, yaml.CollectionEndEvent):
                self._stack.pop()
            elif isinstance(event, yaml.DocumentEndEvent):
                return

    def _value(self, mark: Mark, scalar: str) -> tuple[_Node, ValuePath]:
        """Enter the next value, which may turn out to be a key, and return it with its path."""
        node = _Node(mark)
        if not self._stack:
            self._root = node
            return node, ()
        frame = self._stack[-1]
        if not frame.is_mapping:
            key: str | int = len(frame.node.children)
        elif frame.key is None:
            frame.key = scalar
            self._enter_key(frame, scalar, mark)
            return node, (*frame.path, scalar)
        else:
            key, frame.key = frame.key, None
        frame.node.children.setdefault(key, node)
        return node, (*frame.path, key)

    def _enter_key(self, frame: _Frame, key: str, mark: Mark) -> None:
        first = frame.node.keys.setdefault(key, mark)
        if first != mark:
            self.duplicates.append(((*frame.path, key), mark, first))


def _mark(mark: Any) -> Mark:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


class _Fields:
    """Where the fields of one entry stand, told by its rows alone.

    That takes a twentieth of the time of reading the entry as YAML, and is right of what is written
    plainly: a field a row, and what opens in a row closes in it. Of any other entry nothing is told.
    """

    def __init__(self, rows: list[str], above: int) -> None:
        self._values: dict[str, Mark | None] = {}
        self._keys: dict[str, Mark] = {}
        self._waiting: str | None = None
        self._block = -1
        """Inside a text in a block: the column of what it belongs to."""
        head = _ENTRY_HEAD.match(rows[0])
        self._column = head.end() if head else 0
        self._first = (above + 1, self._column + 1)
        self._is_plain = head is not None and all(
            self._take(row, above + at + 1, is_first=at == 0) for at, row in enumerate(rows)
        )

    def place(self, path: ValuePath, *, on_key: bool) -> Mark | None:
        """Return where the value at *path* of the entry begins, or its key; None is not known."""
        if not self._is_plain or len(path) > 1:
            return None
        if not path:
            return None if on_key else self._first
        return (self._keys if on_key else self._values).get(str(path[0]))

    def _take(self, row: str, line: int, *, is_first: bool) -> bool:
        """Note the field that *row* begins, if it does; return whether it is plain."""
        bare = row.lstrip(" ")
        indent = self._column if is_first else len(row) - len(bare)
        if not bare or bare == "\r" or indent > self._block >= 0:
            return True
        self._block = -1
        if bare[0] == "#":
            return True
        found = (_FIELD if indent == self._column else _WITHIN).match(row, indent)
        if found is None or indent < self._column:
            return False
        start = found.end()
        has_value = start < len(row) and row[start] not in "#\r"
        if indent == self._column:
            key = found[1]
            self._keys.setdefault(key, (line, indent + 1))
            self._waiting = None if has_value or key in self._values else key
            self._values.setdefault(key, (line, start + 1) if has_value else None)
        elif self._waiting is not None:
            self._values[self._waiting] = (line, indent + 1)
            self._waiting = None
        if has_value and row[start] in "|>":
            self._block = _owner_column(found, indent)
            return self._block >= 0
        return not has_value or _closes(row, start)


def _owner_column(found: re.Match[str], indent: int) -> int:
    """Return the column of the key or dash that the match *found* ends with; -1 if there is neither."""
    if found[1]:
        return found.start(1)
    return indent + found[0].rindex("-") if "-" in found[0] else -1


def _closes(row: str, start: int) -> bool:
    """Return whether the value that begins at *start* ends in *row*, as far as its form tells."""
    first = row[start]
    if first in _QUOTED:
        return _QUOTED[first].match(row, start) is not None
    if first in "[{":
        return _BRACKETED.match(row, start) is not None or _balances(row, start)
    return first not in "&*!?%@`,]}" and _MAPPING_WITHIN.search(row, start) is None


def _balances(row: str, start: int) -> bool:
    """Return whether the brackets from *start* on close in *row*."""
    depth, at = 0, start
    while (part := _BRACKET_PART.match(row, at)) is not None:
        if part[0] in ("[", "{"):
            depth += 1
        elif part[0] in ("]", "}"):
            depth -= 1
            if depth == 0:
                return _ROW_END.match(row, part.end()) is not None
        elif part[0][0] in _QUOTED and row[start:at].rstrip(" ")[-1] not in "[{,:":
            return False  # a quote amid plain words
        at = part.end()
    return False


class Places:
    """Where the values of one text stand, read no further than is asked for.

    Most findings are about one entry of ``lines``, and to read one entry takes a hundredth of the
    time of reading all. The entries are told by their dashes; where those are not as many as the
    file has entries, or a place is not found this way, the whole text is read after all.
    """

    def __init__(self, text: str, entries: int | None) -> None:
        self._text = text
        self._whole: Layout | None = None
        self._parts: dict[int, Layout] = {}
        self._fields: dict[int, _Fields] = {}
        self._is_plain = not any(one in text for one in _NOT_PLAIN)
        self._starts = [] if entries is None else _starts(text)
        if len(self._starts) != entries:
            self._starts = []
        self._rows = text.split("\n") if self._starts else []

    @property
    def starts(self) -> list[int]:
        """The 0-based rows of the entries; empty where the dashes do not tell them."""
        return self._starts

    def place(self, path: ValuePath, *, on_key: bool = False) -> Mark | None:
        """Return where the value at *path* begins, or its nearest known ancestor."""
        if self._starts:
            found = self._in_part(path, on_key=on_key)
            if found is not None:
                return found
        if self._whole is None:
            self._whole = Layout(self._text)
        return self._whole.place(path, on_key=on_key)

    def end(self, mark: Mark) -> Mark | None:
        """Return where the scalar that begins at *mark* ends, if one begins there."""
        if self._starts:
            at = bisect_right(self._starts, mark[0] - 1) - 1
            above = 0 if at < 0 else self._starts[at]
            found = self._part(at).ends.get((mark[0] - above, mark[1]))
            if found is not None:
                return found[0] + above, found[1]
        if self._whole is None:
            self._whole = Layout(self._text)
        return self._whole.ends.get(mark)

    def _in_part(self, path: ValuePath, *, on_key: bool) -> Mark | None:
        at = path[1] if path[:1] == ("lines",) and len(path) > 1 else -1
        if not isinstance(at, int) or path == ("lines",):
            return None
        if at >= 0 and self._is_plain and (mark := self._quick(at, path[2:], on_key=on_key)):
            return mark
        inner: ValuePath = path if at < 0 else (0, *path[2:])
        layout = self._part(at)
        if layout.failure is not None or not layout.has(inner, on_key=on_key):
            return None
        mark = layout.place(inner, on_key=on_key)
        above = 0 if at < 0 else self._starts[at]
        return None if mark is None else (mark[0] + above, mark[1])

    def _quick(self, at: int, inner: ValuePath, *, on_key: bool) -> Mark | None:
        if at >= len(self._starts):
            return None
        if at not in self._fields:
            self._fields[at] = _Fields(self._rows_of(at), self._starts[at])
        return self._fields[at].place(inner, on_key=on_key)

    def _part(self, at: int) -> Layout:
        """Return the layout of entry *at*, or for -1 of what stands before the entries."""
        if at not in self._parts:
            self._parts[at] = Layout("\n".join(self._rows_of(at)))
        return self._parts[at]

    def _rows_of(self, at: int) -> list[str]:
        bounds = [0, *self._starts[at + 1 : at + 2], len(self._rows)]
        start = 0 if at < 0 else self._starts[at]
        return self._rows[start : bounds[1]]


def _starts(text: str) -> list[int]:
    """Return the 0-based rows at which the entries of a block list ``lines`` begin, if it is one."""
    if "\r" in text.replace("\r\n", "\n"):
        return []  # a line break that rows are not told by
    head = _LINES_KEY.search(text)
    first = _FIRST_ENTRY.match(text, head.end()) if head else None
    if head is None or first is None:
        return []
    dash = re.compile(rf"^{first[1]}-(?=[ \r\n])", re.MULTILINE)
    end = _NEXT_KEY.search(text, first.end())
    last = end.start() if end else len(text)
    starts, row, at = [], text.count("\n", 0, first.start(1)), first.start(1)
    for match in dash.finditer(text, first.start(1), last):
        row += text.count("\n", at, match.start())
        at = match.start()
        starts.append(row)
    return starts


def entry_rows(text: str, entries: int) -> list[Mark]:
    """Return where each of the *entries* of ``lines`` in *text* begins."""
    starts = _starts(text)
    if len(starts) == entries:
        rows = text.split("\n")
        return [(row + 1, _after_dash(rows[row])) for row in starts]
    layout = Layout(text)
    return [layout.place(("lines", at)) or (1, 1) for at in range(entries)]


def _after_dash(row: str) -> int:
    """Return the column, from 1, of what stands behind the first dash of *row*."""
    dash = row.index("-")
    rest = row[dash + 1 :]
    return dash + 2 + len(rest) - len(rest.lstrip(" "))


def placed(
    drafts: Iterable[Draft], *, file: str, text: str | None, entries: int | None = None
) -> Iterator[Problem]:
    """Yield the *drafts* about *file* as problems with their places in *text*.

    Args:
        drafts: The findings.
        file: The file's name in them.
        text: What is in it; None when there are no places.
        entries: How many entries ``lines`` has, if it is a list.
    """
    places: Places | None = None
    for draft in drafts:
        mark, message = draft.mark, draft.message
        if text is not None and (mark is None or draft.first is not None):
            places = places or Places(text, entries)
        if places is not None and mark is None:
            mark = places.place(draft.path, on_key=draft.on_key)
        if places is not None and draft.first is not None:
            first = places.place(draft.first)
            message += f", first in line {first[0]}" if first else ""
        line, column = mark or (None, None)
        where = Where(file=file, line=line, column=column, pointer=pointer(draft.path))
        yield Problem(
            code=draft.code, severity=draft.severity, where=where, message=message, hint=draft.hint
        )


def placed_lines(text: str, entries: int) -> list[int]:
    """Return the 1-based row at which each of the *entries* of ``lines`` begins in *text*."""
    places = Places(text, entries)
    if places.starts:
        return [row + 1 for row in places.starts]
    found = (places.place(("lines", index)) for index in range(entries))
    return [mark[0] if mark is not None else 1 for mark in found]


def pointer(path: ValuePath) -> str | None:
    """Return *path* in ``$.lines[3].trust`` form; the root itself is None."""
    if not path:
        return None
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
