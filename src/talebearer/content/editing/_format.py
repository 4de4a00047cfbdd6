"""The one way in which content is written: order of fields, quotes, brackets, rows and blanks.

Fields stand in the order of their schema; what the schema leaves open keeps the writer's order.
Prose is quoted and stays on one row, however long; text of several rows is a literal block.
Everything else is plain where every reader of YAML takes it for text. Lists of words are in
brackets while they fit; mappings that the writer put in braces stay so while they fit. Comments
stay with what they are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from talebearer.content import _yaml
from talebearer.content._tree import POOL_KINDS, FileKind
from talebearer.content.editing._commented import (
    Comment,
    Entry,
    Kind,
    Node,
    NotPlain,
    Tree,
    comments_of,
    read_commented,
)
from talebearer.content.editing._plain import block_of, is_plain, quoted, written
from talebearer.content.editing._shapes import PROSE, Shape, shape_of

WIDTH_CHARS = 120
"""How long a row may be before brackets are opened up; prose is never broken."""

_STEP = 2


def canonical_text(data: bytes, parsed: _yaml.Parsed, kind: FileKind) -> bytes:
    """Return *data*, *parsed* without findings as a file of *kind*, in canonical form.

    The same data comes back, and every comment: what would not read back is refused.

    Raises:
        NotPlain: The file cannot be written this way; it should be left as it is.
    """
    assert parsed.text is not None, "a file without findings has a text"
    text = parsed.text.replace("\r\n", "\n").replace("\r", "\n")
    tree = read_commented(text)
    result = render(tree, parsed.value, kind).encode()
    if result == data:
        return result
    again = _yaml.parse(result)
    if again.drafts or again.value is None or _bytes(again.value) != _bytes(parsed.value):
        raise NotPlain("the formatted file would not hold the same data", (1, 1))
    if sorted(comments_of(result.decode())) != sorted(tree.comments):
        raise NotPlain("a comment would be lost", (1, 1))
    return result


def _bytes(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def render(tree: Tree, value: Any, kind: FileKind) -> str:
    """Return *tree*, whose scalars mean what *value* says, as text."""
    writer = _Writer(is_pool=kind in POOL_KINDS)
    root = tree.root
    shape = shape_of(kind)
    if root.entries and not root.is_flow:
        # What is above the first field is about the file.
        first = root.entries[0]
        writer.comments(first.before, 0, keeps_blanks=True)
        if first.before and first.after_blank:
            writer.rows.append("")
        first.before, first.after_blank = (), False
    entries = writer.ordered(root, shape)
    for at, entry in enumerate(entries):
        writer.entry(entry, value, shape, 0, is_first=at == 0)
    writer.comments(root.tail, 0, keeps_blanks=True)
    return "\n".join(writer.rows) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where an entry of a list stands: in a list of the root, first, a pool's line, prose."""

    is_top: bool
    is_first: bool
    is_line: bool
    is_prose: bool


class _Writer:
    """Collects the rows of a file."""

    def __init__(self, *, is_pool: bool) -> None:
        self.rows: list[str] = []
        self._is_pool = is_pool

    def comments(self, found: Sequence[Comment], indent: int, *, keeps_blanks: bool) -> None:
        """Write comments of their own rows."""
        for comment in found:
            if keeps_blanks and comment.after_blank:
                self._blank()
            self.rows.append(" " * indent + comment.text)

    def _blank(self) -> None:
        if self.rows and self.rows[-1]:
            self.rows.append("")

    @staticmethod
    def ordered(node: Node, shape: Shape) -> Sequence[Entry]:
        """Return the parts of *node* in the order in which they are written."""
        if node.kind is not Kind.MAPPING or not shape.rank:
            return node.entries
        last = len(shape.rank)
        # Sorting keeps the writer's order of what the schema does not know.
        return sorted(
            node.entries, key=lambda one: shape.rank.get(one.key.text if one.key else "", last)
        )

    def entry(self, entry: Entry, whole: Any, shape: Shape, indent: int, *, is_first: bool) -> None:
        """Write a field of the root, with what is in it."""
        keeps = indent == 0
        self._above(entry, indent, keeps_blanks=keeps, is_first=is_first, forced=False)
        key, value, part = _member(entry, whole, shape)
        self._pair(entry, f"{key}:", value, part, indent, is_prose=_is_prose(entry))

    def _above(
        self, entry: Entry, indent: int, *, keeps_blanks: bool, is_first: bool, forced: bool
    ) -> None:
        if forced and not is_first:
            self._blank()
        comments = list(entry.before)
        if is_first and comments:
            comments[0] = Comment(comments[0].text, after_blank=False)
        self.comments(comments, indent, keeps_blanks=keeps_blanks)
        if keeps_blanks and entry.after_blank and not (is_first and not comments):
            self._blank()
        extra = [Comment(text, after_blank=False) for text in entry.after[:-1]]
        self.comments(extra, indent, keeps_blanks=False)

    def _pair(
        self, entry: Entry, head: str, value: Any, shape: Shape, indent: int, *, is_prose: bool
    ) -> None:
        """Write *head*, a key, and the value of *entry*."""
        node = entry.value
        behind = f"  {entry.after[-1]}" if entry.after else ""
        start = " " * indent + head
        inline = self._inline(node, value, shape, len(start) + 1, is_prose=is_prose)
        if inline is not None:
            self.rows.append((f"{start} {inline}" if inline else start) + behind)
        elif node.kind is Kind.SCALAR:
            self._block_scalar(start, value, behind, indent)
        else:
            self.rows.append(start + behind)
            self._parts(node, value, shape, indent + _STEP, is_prose=is_prose)

    def _block_scalar(self, start: str, value: str, behind: str, indent: int) -> None:
        block = block_of(value)
        assert block is not None, "a text without a block is written in one row"
        head, rows = block
        self.rows.append(f"{start} {head}{behind}")
        self.rows += [" " * (indent + _STEP) + row if row else "" for row in rows]

    def _parts(self, node: Node, value: Any, shape: Shape, indent: int, *, is_prose: bool) -> None:
        """Write the parts of a collection, each from a row of its own."""
        is_top = indent == _STEP and node.kind is Kind.LIST
        for at, entry in enumerate(self.ordered(node, shape)):
            is_first = at == 0
            if node.kind is Kind.MAPPING:
                self._above(entry, indent, keeps_blanks=False, is_first=is_first, forced=False)
                key, inner, part = _member(entry, value, shape)
                prose = is_prose or _is_prose(entry)
                self._pair(entry, f"{key}:", inner, part, indent, is_prose=prose)
                continue
            is_line = is_top and self._is_pool and _key_of(node) == "lines"
            self._item(
                entry,
                value[at],
                shape.part(None),
                indent,
                _Place(is_top=is_top, is_first=is_first, is_line=is_line, is_prose=is_prose),
            )
        self.comments(node.tail, indent, keeps_blanks=is_top)

    def _item(self, entry: Entry, value: Any, shape: Shape, indent: int, place: _Place) -> None:
        """Write an entry of a list: behind its dash, or from there on."""
        node = entry.value
        opens = node.kind is not Kind.SCALAR and bool(node.entries or node.tail)
        if opens and not (place.is_line and node.kind is Kind.MAPPING):
            column = indent + _STEP
            opens = self._inline(node, value, shape, column, is_prose=place.is_prose) is None
        parts = self.ordered(node, shape)
        if opens and parts:
            _lift(entry, parts[0])
        self._above(
            entry,
            indent,
            keeps_blanks=place.is_top,
            is_first=place.is_first,
            forced=place.is_line,
        )
        if not opens:
            self._pair(entry, "-", value, shape, indent, is_prose=place.is_prose)
            return
        at = len(self.rows)
        self._parts(node, value, shape, indent + _STEP, is_prose=place.is_prose)
        self.rows[at] = f"{' ' * indent}- {self.rows[at][indent + _STEP :]}"

    def _inline(
        self, node: Node, value: Any, shape: Shape, column: int, *, is_prose: bool
    ) -> str | None:
        """Return *node* on one row, if it is written so."""
        if node.kind is Kind.SCALAR:
            if isinstance(value, str):
                if "\n" in value and block_of(value) is not None:
                    return None
                return written(value, in_flow=False, is_prose=is_prose)
            return node.text
        if not node.entries and not node.tail:
            return "[]" if node.kind is Kind.LIST else "{}"
        if node.is_commented or not _is_bracketed(node, value, is_prose=is_prose):
            return None
        row = _flow(node, value, shape, is_prose=is_prose)
        return row if column + len(row) <= WIDTH_CHARS else None


def _lift(entry: Entry, first: Entry) -> None:
    """Move what is noted above and behind the start of a list's entry above the entry itself.

    There is no row for it between a dash and what the dash stands before.
    """
    behind = [Comment(text, after_blank=False) for text in entry.after]
    entry.before = [*entry.before, *behind, *first.before]
    entry.after, first.before = (), ()


def _flow(node: Node, value: Any, shape: Shape, *, is_prose: bool) -> str:
    """Return *node* in brackets, on one row."""
    if node.kind is Kind.SCALAR:
        if isinstance(value, str):
            return written(value, in_flow=True, is_prose=is_prose)
        return node.text or "null"
    parts = []
    for at, entry in enumerate(_Writer.ordered(node, shape)):
        if node.kind is Kind.LIST:
            parts.append(_flow(entry.value, value[at], shape.part(None), is_prose=is_prose))
            continue
        key, inner, part = _member(entry, value, shape, in_flow=True)
        prose = is_prose or _is_prose(entry)
        parts.append(f"{key}: {_flow(entry.value, inner, part, is_prose=prose)}")
    return f"[{', '.join(parts)}]" if node.kind is Kind.LIST else f"{{{', '.join(parts)}}}"


def _member(
    entry: Entry, whole: Any, shape: Shape, *, in_flow: bool = False
) -> tuple[str, Any, Shape]:
    """Return how the key of *entry* is written, its value and the value's shape."""
    node = entry.key
    assert node is not None, "a mapping's parts have keys"
    if node.text not in whole:
        raise NotPlain(f"the key {node.text!r}", (1, 1))
    plain = is_plain(node.text, in_flow=in_flow)
    key = node.text if plain or not node.style else quoted(node.text)
    return key, whole[node.text], shape.part(node.text)


def _is_prose(entry: Entry) -> bool:
    return entry.key is not None and entry.key.text in PROSE


def _key_of(node: Node) -> str:
    return node.owner.key.text if node.owner is not None and node.owner.key is not None else ""


def _is_bracketed(node: Node, value: Any, *, is_prose: bool) -> bool:
    """Return whether *node* is written in brackets if there is room."""
    if node.kind is Kind.MAPPING:
        return node.is_flow
    if is_prose:
        return False
    if all(one.value.kind is Kind.SCALAR for one in node.entries):
        return not any(isinstance(word, str) and "\n" in word for word in value)
    return node.is_flow
