"""The text of one YAML file as a tree in which every comment has its place.

Built from libyaml's events, without recursion. What stands between two scalars is punctuation,
blanks and comments, so comments are found there and nowhere else. A comment of its own line belongs
to what comes after it, unless it is indented deeper: then to the end of what it is indented like. A
comment behind something belongs to that.

What the tree cannot say (anchors, tags, directives, complex keys) is :class:`NotPlain`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import yaml

from talebearer.content._findings import Mark

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LINE_BREAKS_OF_YAML_1_1 = re.compile("[\x85\u2028\u2029]")
_COMMENT = re.compile(r"#[^\n]*")
_PLAIN_GAP = re.compile(r"[\s\-:,?\[\]{}]*")
"""What stands between scalars where there is no comment."""
_DOCUMENT_END = re.compile(r"^\.\.\.(?=\s|\Z)", re.MULTILINE)
_STYLES = {style: style for style in ("'", '"', "|", ">")}
_BLOCK_HEAD = re.compile(r"[|>][-+0-9]*[ \t]+(#[^\n]*)")


class NotPlain(Exception):
    """The file has YAML that is left as it is.

    Attributes:
        reason: What it is.
        mark: Where it stands.
    """

    def __init__(self, reason: str, mark: Mark) -> None:
        super().__init__(reason)
        self.reason = reason
        self.mark = mark


class Kind(StrEnum):
    """What a value is."""

    SCALAR = "scalar"
    MAPPING = "mapping"
    LIST = "list"


_SCALAR, _MAPPING = Kind.SCALAR, Kind.MAPPING


@dataclass(slots=True)
class Comment:
    """A comment of its own line, and whether the row above it is blank."""

    text: str
    after_blank: bool


class Node:
    """A value.

    Attributes:
        kind: What it is.
        start: Index of its first character.
        end: Index after its last one; of a block collection that of its last part.
        column: 0-based column of its first character.
        is_flow: Whether it is written in brackets.
        is_commented: Whether there is a comment anywhere in it.
        style: How a scalar is quoted: nothing, ``'``, ``"``, ``|`` or ``>``.
        text: What a scalar says.
        owner: The entry whose value it is; None for the root.
        entries: Its parts.
        tail: Comments after its last part.
    """

    __slots__ = (
        "column",
        "end",
        "entries",
        "is_commented",
        "is_flow",
        "kind",
        "owner",
        "start",
        "style",
        "tail",
        "text",
    )

    def __init__(
        self, kind: Kind, start: int, end: int, column: int, *, style: str = "", text: str = ""
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.column = column
        self.style = style
        self.text = text
        self.is_flow = False
        self.is_commented = False
        self.owner: Entry | None = None
        # A file has tens of thousands of these, and few have parts, and hardly one has comments.
        self.entries: Sequence[Entry] = ()
        self.tail: Sequence[Comment] = ()


class Entry:
    """A part of a collection.

    Attributes:
        parent: The collection.
        key: Its key; None in a list.
        value: Its value.
        start: Index of its first character; a list's dash does not count.
        before: Comments on rows of their own above it.
        after: Comments behind it.
        after_blank: Whether the row above its own is blank; told of the root's parts and theirs.
    """

    __slots__ = ("after", "after_blank", "before", "key", "parent", "start", "value")

    def __init__(self, parent: Node, key: Node | None, value: Node) -> None:
        self.parent = parent
        self.key = key
        self.value = value  # of a field at first its key: the value comes with the next event
        self.start = value.start
        self.before: Sequence[Comment] = ()
        self.after: Sequence[str] = ()
        self.after_blank = False

    @property
    def column(self) -> int:
        """Column of its key or dash."""
        return self.key.column if self.key else self.parent.column


@dataclass(frozen=True, slots=True)
class Tree:
    """A file's root, and all comments of the file in their order."""

    root: Node
    comments: tuple[str, ...]


_Span: TypeAlias = tuple[int, int, "str | None"]
"""Where a scalar begins and ends, and its style."""


def read_commented(text: str) -> Tree:
    """Return the tree of *text*, whose line breaks are LF.

    Raises:
        NotPlain: It has YAML that a tree cannot say, or is none.
    """
    plain = _LINE_BREAKS_OF_YAML_1_1.sub(" ", text)
    builder = _Builder()
    for event in _events(plain):
        builder.take(event)
    if builder.root is None:
        raise NotPlain("the file is empty", (1, 1))
    return Tree(builder.root, tuple(_Placing(text, plain, builder).comments))


def comments_of(text: str) -> tuple[str, ...]:
    """Return the comments of *text* in their order, without its tree.

    Raises:
        NotPlain: As :func:`read_commented` does for what can be no part of a tree.
    """
    if "#" not in text:
        return ()
    plain = _LINE_BREAKS_OF_YAML_1_1.sub(" ", text)
    spans = (_span(event) for event in _events(plain) if type(event) is yaml.ScalarEvent)
    written = [span for span in spans if span[1] > span[0]]
    return tuple(found for _, found in _comments(text, plain, written))


def _span(event: Any) -> _Span:
    return event.start_mark.index, event.end_mark.index, event.style


def _events(plain: str) -> Iterator[Any]:
    """Yield libyaml's events of the text *plain*.

    Raises:
        NotPlain: It is no YAML.
    """
    try:
        # By the loader itself: the generator of the library asks for each event twice.
        loader = _LOADER(plain)
        try:
            while (event := loader.get_event()) is not None:
                yield event
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        raise NotPlain(error.problem or "no valid YAML", _mark(error.problem_mark)) from None
    except yaml.YAMLError as error:
        raise NotPlain(str(error).splitlines()[0], (1, 1)) from None


def _mark(mark: Any) -> Mark:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


class _Builder:
    """Takes events and keeps the tree, its entries and its leaves in the order of the text.

    A leaf is a scalar or the end of a flow collection: where it ends, and whose it is.
    """

    def __init__(self) -> None:
        self.root: Node | None = None
        self.entries: list[Entry] = []
        self.leaf_ends: list[int] = []
        self.leaf_entries: list[Entry | None] = []
        self.scalars: list[tuple[int, int, str | None]] = []
        self._open: list[Node] = []
        self._parts: list[list[Entry]] = []
        self._keys: list[Node | None] = []

    def take(self, event: Any) -> None:
        """Take the next event."""
        found = type(event)
        if found is yaml.ScalarEvent:
            self._scalar(event)
        elif found is yaml.MappingStartEvent or found is yaml.SequenceStartEvent:
            self._start(event, is_mapping=found is yaml.MappingStartEvent)
        elif found is yaml.MappingEndEvent or found is yaml.SequenceEndEvent:
            self._close(event)
        elif found is yaml.AliasEvent:
            raise NotPlain("an alias", _mark(event.start_mark))
        elif found is yaml.DocumentStartEvent and (event.version or event.tags or self.root):
            raise NotPlain("a directive or a second document", _mark(event.start_mark))

    def _scalar(self, event: Any) -> None:
        if event.anchor or event.tag:
            self._refuse_marked(event)
        mark, style = event.start_mark, event.style
        start, end = mark.index, event.end_mark.index
        node = Node(
            _SCALAR, start, end, mark.column, style=_STYLES.get(style, ""), text=event.value
        )
        entry = self._place(node)
        if end > start:
            self.scalars.append((start, end, style))
            self.leaf_ends.append(end)
            self.leaf_entries.append(entry)

    def _start(self, event: Any, *, is_mapping: bool) -> None:
        if event.anchor or event.tag:
            self._refuse_marked(event)
        if self._open and self._open[-1].kind is _MAPPING and self._keys[-1] is None:
            raise NotPlain("a key that is no text", _mark(event.start_mark))
        start = event.start_mark
        kind = _MAPPING if is_mapping else Kind.LIST
        node = Node(kind, start.index, start.index, start.column)
        node.is_flow = bool(event.flow_style)
        self._place(node)
        parts: list[Entry] = []
        node.entries = parts
        self._open.append(node)
        self._parts.append(parts)
        self._keys.append(None)

    @staticmethod
    def _refuse_marked(event: Any) -> None:
        what = f"the anchor &{event.anchor}" if event.anchor else f"the tag {event.tag}"
        raise NotPlain(what, _mark(event.start_mark))

    def _place(self, node: Node) -> Entry | None:
        """Put *node* where it belongs and return the entry that it is a part of."""
        if not self._open:
            self.root = node
            return None
        parent = self._open[-1]
        if parent.kind is _MAPPING:
            if self._keys[-1] is not None:
                entry = self._parts[-1][-1]
                entry.value = node
                node.owner = entry
                self._keys[-1] = None
                return entry
            self._keys[-1] = node
            entry = Entry(parent, node, node)
        else:
            entry = Entry(parent, None, node)
            node.owner = entry
        self._parts[-1].append(entry)
        self.entries.append(entry)
        return entry

    def _close(self, event: Any) -> None:
        node = self._open.pop()
        self._keys.pop()
        self._parts.pop()
        if node.is_flow:
            node.end = event.end_mark.index
            self.leaf_ends.append(node.end)
            self.leaf_entries.append(node.owner)
        elif self.leaf_ends:
            node.end = max(node.start, self.leaf_ends[-1])


def _comments(text: str, plain: str, scalars: Iterable[_Span]) -> Iterator[tuple[int, str]]:
    """Yield position and text of every comment, in order."""
    at = 0
    is_gap = _PLAIN_GAP.fullmatch
    for start, end, style in scalars:
        if not is_gap(plain, at, start):
            yield from _between(text, plain, at, start)
        at = end
        if style in ("|", ">"):
            head = _BLOCK_HEAD.match(text, start, end)
            if head:
                yield head.start(1), head[1].rstrip()
    yield from _between(text, plain, at, len(text))


def _between(text: str, plain: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    at, rest = start, ""
    for match in _COMMENT.finditer(plain, start, end):
        rest += plain[at : match.start()]
        at = match.end()
        yield match.start(), text[match.start() : at].rstrip()
    rest += plain[at:end]
    odd = _DOCUMENT_END.sub("", rest.removeprefix("\ufeff"))
    if not _PLAIN_GAP.fullmatch(odd):
        row = plain.count("\n", 0, start)
        raise NotPlain("YAML that is more than keys, lists and text", (row + 1, 1))


class _Placing:
    """Finds the comments of a text and puts each where it belongs."""

    def __init__(self, text: str, plain: str, built: _Builder) -> None:
        self.comments: list[str] = []
        self._text, self._plain, self._built = text, plain, built
        self._row_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._starts = [entry.start for entry in built.entries]
        self._ends = built.leaf_ends
        self._claimed: Entry | None = None
        for entry in built.entries:
            over = entry.parent.owner
            if over is None or over.parent.owner is None:  # deeper down no blank rows are kept
                entry.after_blank = self._is_blank_above(entry.start)
        for position, found in _comments(text, plain, built.scalars):
            self.comments.append(found)
            self._put(position, found)

    def _row_of(self, position: int) -> int:
        return bisect_left(self._row_starts, position + 1) - 1

    def _is_blank_above(self, position: int) -> bool:
        row = self._row_of(position)
        if row == 0:
            return False
        return not self._text[self._row_starts[row - 1] : self._row_starts[row]].strip()

    def _put(self, position: int, text: str) -> None:
        row_start = self._row_starts[self._row_of(position)]
        last = bisect_left(self._ends, position + 1) - 1
        before = self._plain[row_start:position]
        entry = self._built.leaf_entries[last] if last >= 0 else None
        if before.strip() and not set(before) <= set(" \t-"):
            end = self._ends[last] if last >= 0 else -1
            owner = entry if end > row_start else self._in_block(position, row_start)
            if owner is not None:
                owner.after = [*owner.after, text]
                _note(owner.parent)
                return
        comment = Comment(text, not before.strip() and self._is_blank_above(position))
        self._put_row(position, position - row_start, comment, entry)

    def _in_block(self, position: int, row_start: int) -> Entry | None:
        """Return the entry whose block scalar begins in the row: it is still open here."""
        head = bisect_left(self._starts, position) - 1
        entry = self._built.entries[head] if head >= 0 else None
        return entry if entry is not None and entry.value.start >= row_start else None

    def _put_row(self, position: int, column: int, comment: Comment, leaf: Entry | None) -> None:
        at = bisect_left(self._starts, position)
        following = self._built.entries[at] if at < len(self._starts) else None
        chain = _chain(leaf)
        flow = next((n for n in chain if n.is_flow and n.start < position < n.end), None)
        if following is not None and following is self._claimed:
            _put_above(following, comment)
        elif flow is not None:
            if following is not None and following.start < flow.end:
                _put_above(following, comment)
            else:
                _put_last(flow, comment)
        else:
            self._put_block(column, comment, following, chain)

    def _put_block(
        self, column: int, comment: Comment, following: Entry | None, chain: list[Node]
    ) -> None:
        least = -1 if following is None else following.column
        home: Node | None = None
        for node in reversed(chain):
            if node.is_flow or not least < node.column <= column:
                continue
            least, home = node.column, node
        if home is not None:
            _put_last(home, comment)
        elif following is not None:
            _put_above(following, comment)
            self._claimed = following
        else:
            root = self._built.root
            assert root is not None, "an empty file has no tree"
            _put_last(root, comment)


def _put_above(entry: Entry, comment: Comment) -> None:
    entry.before = [*entry.before, comment]
    _note(entry.parent)


def _put_last(node: Node, comment: Comment) -> None:
    node.tail = [*node.tail, comment]
    _note(node)


def _note(node: Node) -> None:
    """Note that there is a comment in *node*, and so in all that it is in."""
    while not node.is_commented:
        node.is_commented = True
        if node.owner is None:
            return
        node = node.owner.parent


def _chain(entry: Entry | None) -> list[Node]:
    """Return the collections that *entry* is in, innermost first."""
    found: list[Node] = []
    while entry is not None:
        found.append(entry.parent)
        entry = entry.parent.owner
    return found
