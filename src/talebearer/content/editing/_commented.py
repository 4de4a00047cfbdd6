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
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import yaml

from talebearer.content._findings import Mark

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LINE_BREAKS_OF_YAML_1_1 = re.compile("[\x85\u2028\u2029]")
_COMMENT = re.compile(r"#[^\n]*")
_PLAIN_GAP = re.compile(r"[\s\-:,?\[\]{}]*")
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


@dataclass(slots=True)
class Comment:
    """A comment of its own line, and whether the row above it is blank."""

    text: str
    after_blank: bool


@dataclass(slots=True, eq=False)
class Node:
    """A value.

    Attributes:
        kind: What it is.
        start: Index of its first character.
        end: Index after its last one; of a block collection that of its last part.
        column: 0-based column of its first character.
        is_flow: Whether it is written in brackets.
        style: How a scalar is quoted: nothing, ``'``, ``"``, ``|`` or ``>``.
        text: What a scalar says.
        owner: The entry whose value it is; None for the root.
        entries: Its parts.
        tail: Comments after its last part.
    """

    kind: Kind
    start: int
    end: int
    column: int
    is_flow: bool = False
    style: str = ""
    text: str = ""
    owner: Entry | None = None
    entries: list[Entry] = field(default_factory=list)
    tail: list[Comment] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Entry:
    """A part of a collection.

    Attributes:
        parent: The collection.
        key: Its key; None in a list.
        value: Its value.
        before: Comments on rows of their own above it.
        after: Comments behind it.
        after_blank: Whether the row above its own is blank; told of the root's parts and theirs.
    """

    parent: Node
    key: Node | None
    value: Node
    before: list[Comment] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    after_blank: bool = False

    @property
    def start(self) -> int:
        """Index of its first character; a list's dash does not count."""
        return (self.key or self.value).start

    @property
    def column(self) -> int:
        """Column of its key or dash."""
        return self.key.column if self.key else self.parent.column


@dataclass(frozen=True, slots=True)
class Tree:
    """A file's root, and all comments of the file in their order."""

    root: Node
    comments: tuple[str, ...]


def read_commented(text: str) -> Tree:
    """Return the tree of *text*, whose line breaks are LF.

    Raises:
        NotPlain: It has YAML that a tree cannot say, or is none.
    """
    plain = _LINE_BREAKS_OF_YAML_1_1.sub(" ", text)
    builder = _Builder(plain)
    try:
        for event in yaml.parse(plain, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise NotPlain(error.problem or "no valid YAML", _mark(error.problem_mark)) from None
    except yaml.YAMLError as error:
        raise NotPlain(str(error).splitlines()[0], (1, 1)) from None
    if builder.root is None:
        raise NotPlain("the file is empty", (1, 1))
    return Tree(builder.root, tuple(_Placing(text, plain, builder).comments))


def _mark(mark: Any) -> Mark:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


@dataclass(slots=True)
class _Leaf:
    """A scalar or the end of a flow collection: where it ends, and whose it is."""

    start: int
    end: int
    entry: Entry | None


class _Builder:
    """Takes events and keeps the tree, its entries and its leaves in the order of the text."""

    def __init__(self, text: str) -> None:
        self.root: Node | None = None
        self.entries: list[Entry] = []
        self.leaves: list[_Leaf] = []
        self.scalars: list[Node] = []
        self._text = text
        self._open: list[Node] = []
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
        mark = event.start_mark
        start, end, style = mark.index, event.end_mark.index, event.style
        node = Node(
            Kind.SCALAR, start, end, mark.column, False, _STYLES.get(style, ""), event.value
        )
        entry = self._place(node)
        if end > start:
            self.scalars.append(node)
            self.leaves.append(_Leaf(start, end, entry))

    def _start(self, event: Any, *, is_mapping: bool) -> None:
        if event.anchor or event.tag:
            self._refuse_marked(event)
        if self._open and self._open[-1].kind is Kind.MAPPING and self._keys[-1] is None:
            raise NotPlain("a key that is no text", _mark(event.start_mark))
        kind = Kind.MAPPING if is_mapping else Kind.LIST
        start = event.start_mark
        node = Node(kind, start.index, start.index, start.column, bool(event.flow_style))
        self._place(node)
        self._open.append(node)
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
        parent, key = self._open[-1], self._keys[-1]
        if parent.kind is Kind.MAPPING and key is None:
            self._keys[-1] = node
            entry = Entry(parent, node, node)  # its value comes with the next event
            parent.entries.append(entry)
            self.entries.append(entry)
            return entry
        if parent.kind is Kind.MAPPING:
            entry = parent.entries[-1]
            entry.value = node
            self._keys[-1] = None
        else:
            entry = Entry(parent, None, node)
            parent.entries.append(entry)
            self.entries.append(entry)
        node.owner = entry
        return entry

    def _close(self, event: Any) -> None:
        node = self._open.pop()
        self._keys.pop()
        if node.is_flow:
            node.end = event.end_mark.index
            self.leaves.append(_Leaf(node.end - 1, node.end, node.owner))
        elif self.leaves:
            node.end = max(node.start, self.leaves[-1].end)


class _Placing:
    """Finds the comments of a text and puts each where it belongs."""

    def __init__(self, text: str, plain: str, built: _Builder) -> None:
        self.comments: list[str] = []
        self._text, self._plain, self._built = text, plain, built
        self._row_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._starts = [entry.start for entry in built.entries]
        self._ends = [leaf.end for leaf in built.leaves]
        self._claimed: Entry | None = None
        for entry in built.entries:
            over = entry.parent.owner
            if over is None or over.parent.owner is None:  # deeper down no blank rows are kept
                entry.after_blank = self._is_blank_above(entry.start)
        for position, found in self._found():
            self.comments.append(found)
            self._put(position, found)

    def _found(self) -> Iterator[tuple[int, str]]:
        """Yield position and text of every comment, in order."""
        at = 0
        for scalar in self._built.scalars:
            yield from self._between(at, scalar.start)
            at = scalar.end
            if scalar.style in ("|", ">"):
                head = _BLOCK_HEAD.match(self._text, scalar.start, scalar.end)
                if head:
                    yield head.start(1), head[1].rstrip()
        yield from self._between(at, len(self._text))

    def _between(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        if "#" not in self._plain[start:end] and _PLAIN_GAP.fullmatch(self._plain, start, end):
            return
        at, rest = start, ""
        for match in _COMMENT.finditer(self._plain, start, end):
            rest += self._plain[at : match.start()]
            at = match.end()
            yield match.start(), self._text[match.start() : at].rstrip()
        rest += self._plain[at:end]
        odd = _DOCUMENT_END.sub("", rest.removeprefix("\ufeff"))
        if not _PLAIN_GAP.fullmatch(odd):
            row = self._row_of(start)
            raise NotPlain("YAML that is more than keys, lists and text", (row + 1, 1))

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
        leaf = self._built.leaves[last] if last >= 0 else None
        if before.strip() and not set(before) <= set(" \t-"):
            owner = self._behind(position, row_start, leaf)
            if owner is not None:
                owner.after.append(text)
                return
        comment = Comment(text, not before.strip() and self._is_blank_above(position))
        self._put_row(position, position - row_start, comment, leaf)

    def _behind(self, position: int, row_start: int, leaf: _Leaf | None) -> Entry | None:
        """Return the entry that ends in the same row before *position*, if one does."""
        head = bisect_left(self._starts, position) - 1
        if leaf is not None and leaf.end > row_start:
            return leaf.entry
        # The first row of a block scalar: it is still open here.
        entry = self._built.entries[head] if head >= 0 else None
        return entry if entry is not None and entry.value.start >= row_start else None

    def _put_row(self, position: int, column: int, comment: Comment, leaf: _Leaf | None) -> None:
        at = bisect_left(self._starts, position)
        following = self._built.entries[at] if at < len(self._starts) else None
        chain = _chain(leaf)
        flow = next((n for n in chain if n.is_flow and n.start < position < n.end), None)
        if following is not None and following is self._claimed:
            following.before.append(comment)
        elif flow is not None:
            if following is not None and following.start < flow.end:
                following.before.append(comment)
            else:
                flow.tail.append(comment)
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
            home.tail.append(comment)
        elif following is not None:
            following.before.append(comment)
            self._claimed = following
        else:
            root = self._built.root
            assert root is not None, "an empty file has no tree"
            root.tail.append(comment)


def _chain(leaf: _Leaf | None) -> list[Node]:
    """Return the collections that *leaf* is in, innermost first."""
    found: list[Node] = []
    entry = leaf.entry if leaf is not None else None
    while entry is not None:
        found.append(entry.parent)
        entry = entry.parent.owner
    return found
