"""Which characters of a YAML text give way to which, for one change of a value.

Comments, blank lines and line breaks that are nobody's value stay. Source: rule LP-L8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from talebearer.content.editing import _scalars
from talebearer.content.editing._nodes import Node

_BLOCK_HEAD = re.compile(r"[|>][0-9+-]*([ \t]+#[^\r\n]*)?")


class Splice(NamedTuple):
    """The characters from *start* up to *end*, and what comes in their place.

    Where several are put in at one offset, what belongs to the deepest collection comes first.
    """

    start: int
    end: int
    text: str
    depth: int = 0


class Splicer:
    """Works out the splices of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def replace(self, node: Node, old: Any, new: Any) -> Iterator[Splice]:
        """Yield what makes *node*, which holds *old*, hold *new*; parts that are equal stay."""
        if same(old, new):
            return
        if isinstance(old, dict) and isinstance(new, dict) and node.kind == "mapping" and new:
            yield from self._replace_mapping(node, old, new)
        elif isinstance(old, list) and isinstance(new, list) and node.kind == "sequence" and new:
            yield from self._replace_sequence(node, old, new)
        elif node.kind == "scalar" and not isinstance(new, dict | list):
            start = "" if node.end > node.start else " "  # nothing stands there yet
            text = start + _scalars.scalar(new, self._style(node))
            yield Splice(node.start, node.end, text, node.depth)
        else:
            yield self._whole(node, _scalars.fresh(new, is_flow=node.is_inside_flow))

    def _whole(self, node: Node, text: str) -> Splice:
        start = node.start
        if node.kind != "scalar" and not node.is_flow:  # it begins in a line of its own
            start -= len(self._text[:start]) - len(self._text[:start].rstrip())
            text = " " + text
        elif node.start == node.end:
            text = " " + text
        return Splice(start, node.end, text, node.depth)

    def _style(self, node: Node) -> _scalars.Style:
        if node.style not in ("|", ">"):
            return _scalars.Style(
                mark=node.style, is_flow=node.is_inside_flow, newline=self.newline
            )
        written = self._text[node.start : node.end]
        rows = written.splitlines()[1:]
        head = _BLOCK_HEAD.match(written)
        filled = [row for row in rows if row.strip()]
        indent = min((len(row) - len(row.lstrip(" ")) for row in filled), default=0)
        indent = indent or self._column(self._line_start(node.start)) + 2
        return _scalars.Style(
            mark=node.style,
            indent=indent,
            width_chars=max([60, *(len(row) - indent for row in filled)]),
            comment=(head[1] or "") if head else "",
            newline=self.newline,
        )

    def _replace_mapping(
        self, node: Node, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> Iterator[Splice]:
        if not any(key in old for key in new):
            yield self._other_mapping(node, new)
            return
        for key, value in new.items():
            if key in old:
                yield from self.replace(node.values[key], old[key], value)
            else:
                yield self.add(node, key, value)
        yield from self.remove_keys(node, {key for key in old if key not in new})

    def _other_mapping(self, node: Node, new: Mapping[str, Any]) -> Splice:
        if node.is_flow or not node.keys:
            return self._whole(node, _scalars.fresh(new, is_flow=node.is_inside_flow))
        column = self._column(node.start)
        text = _scalars.item(new, indent=column, newline=self.newline)
        return Splice(node.start, node.end, text, node.depth)

    def _replace_sequence(self, node: Node, old: list[Any], new: list[Any]) -> Iterator[Splice]:
        marks = [_scalars.fresh(part) for part in old], [_scalars.fresh(part) for part in new]
        matcher = SequenceMatcher(None, *marks, autojunk=False)
        removed: set[int] = set()
        inserted: dict[int, list[Any]] = {}
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                continue
            both = min(i2 - i1, j2 - j1)
            for offset in range(both):
                child = node.items[i1 + offset]
                yield from self.replace(child, old[i1 + offset], new[j1 + offset])
            removed |= set(range(i1 + both, i2))
            if j1 + both < j2:
                inserted[i1 + both] = new[j1 + both : j2]
        yield from self.entries(node, removed, inserted)

    # -- mappings

    def add(self, node: Node, key: str, value: Any, after: Sequence[str] = ()) -> Splice:
        """Return what puts *key* into the mapping *node*, behind the last of the keys *after*."""
        known = list(node.keys)
        before = [name for name in after if name in node.keys]
        name = before[-1] if before else (known[-1] if known else None)
        if name is None:
            text = _scalars.fresh({key: value}, is_flow=True)
            return Splice(node.start, node.end, text if node.is_flow else " " + text, node.depth)
        if node.is_flow:
            written = f"{_scalars.fresh(key, is_flow=True)}: {_scalars.fresh(value, is_flow=True)}"
            return Splice(node.values[name].end, node.values[name].end, f", {written}", node.depth)
        indent = self._column(node.keys[known[0]].start)
        end = self._line_end(max(node.values[name].end, node.keys[name].end))
        nested = _scalars.block(value, indent=indent + 2, newline=self.newline)
        pad = " " * indent
        return Splice(end, end, f"{self.newline}{pad}{_scalars.fresh(key)}:{nested}", node.depth)

    def remove_keys(self, node: Node, keys: set[str]) -> Iterator[Splice]:
        """Yield what takes *keys* and their values out of the mapping *node*."""
        names = list(node.keys)
        removed = {index for index, name in enumerate(names) if name in keys}
        if node.is_flow:
            spans = [(node.keys[name].start, node.values[name].end) for name in names]
            yield from _out_of_flow(spans, removed)
            return
        first_kept = next((n for n in range(len(names)) if n not in removed), len(names))
        if removed and first_kept == len(names):
            yield self._whole(node, "{}")
            return
        if first_kept:
            yield Splice(node.keys[names[0]].start, node.keys[names[first_kept]].start, "")
        for index in sorted(removed):
            if index > first_kept:
                key, value = node.keys[names[index]], node.values[names[index]]
                end = self._line_end(max(value.end, key.end))
                yield Splice(self._line_start(key.start) - self._break(), end, "")

    # -- lists

    def entries(
        self, node: Node, removed: set[int], inserted: Mapping[int, Sequence[Any]]
    ) -> Iterator[Splice]:
        """Yield what takes entries out of the list *node* and puts others in before an index."""
        if not removed and not inserted:
            return
        if not node.items:
            yield self._first_entries(node, [part for parts in inserted.values() for part in parts])
        elif len(removed) == len(node.items) and not inserted:
            yield self._whole(node, "[]")
        elif node.is_flow:
            yield from self._flow_entries(node, removed, inserted)
        else:
            yield from self._block_entries(node, removed, inserted)

    def _first_entries(self, node: Node, parts: list[Any]) -> Splice:
        start = node.start
        if node.is_inside_flow or (
            node.is_flow and not any(isinstance(part, dict) for part in parts)
        ):
            return Splice(start, node.end, _scalars.fresh(parts))
        start -= len(self._text[:start]) - len(self._text[:start].rstrip(" "))
        row = self._text[self._line_start(start) : start]
        indent = len(row) - len(row.lstrip(" -")) + 2
        written = "".join(
            f"{self.newline}{' ' * indent}- "
            + _scalars.item(part, indent=indent + 2, newline=self.newline)
            for part in parts
        )
        return Splice(start, node.end, written, node.depth)

    def _flow_entries(
        self, node: Node, removed: set[int], inserted: Mapping[int, Sequence[Any]]
    ) -> Iterator[Splice]:
        spans = [(part.start, part.end) for part in node.items]
        kept = [n for n in range(len(spans)) if n not in removed]
        for index, parts in sorted(inserted.items()):
            written = [_scalars.fresh(part, is_flow=True) for part in parts]
            before = [n for n in kept if n < index]
            if before:
                end = spans[before[-1]][1]
                yield Splice(end, end, "".join(f", {part}" for part in written), node.depth)
            elif kept:
                yield Splice(spans[0][0], spans[0][0], "".join(f"{part}, " for part in written))
            else:
                yield Splice(spans[0][0], spans[0][0], ", ".join(written))
        yield from _out_of_flow(spans, removed)

    def _block_entries(
        self, node: Node, removed: set[int], inserted: Mapping[int, Sequence[Any]]
    ) -> Iterator[Splice]:
        column = self._column(node.start)
        dashes = [self._dash(part, column) for part in node.items]
        inner = self._column(node.items[0].start) - column
        ends = [self._line_end(max(d + 1, p.end)) for d, p in zip(dashes, node.items, strict=True)]
        kept = [n for n in range(len(dashes)) if n not in removed]
        has_gap = len(dashes) > 1 and self._has_gap(dashes[-1])
        gap = self.newline if has_gap else ""
        for index, parts in sorted(inserted.items()):
            written = [
                f"{' ' * column}-{' ' * max(inner - 1, 1)}"
                + _scalars.item(part, indent=column + max(inner, 2), newline=self.newline)
                for part in parts
            ]
            before = [n for n in kept if n < index]
            if before:
                text = "".join(f"{self.newline}{gap}{part}" for part in written)
                yield Splice(ends[before[-1]], ends[before[-1]], text, node.depth)
            else:
                start = self._above_comments(self._line_start(dashes[0]), column)
                text = "".join(f"{part}{self.newline}{gap}" for part in written)
                yield Splice(start, start, text)
        # Rows at the head go as one, with the break after them; any other with the break before it.
        first_kept = kept[0] if kept else len(dashes)
        if first_kept:
            stop = min(ends[first_kept - 1] + self._break(), len(self._text))
            yield Splice(self._line_start(dashes[0]), self._after_blank(stop), "")
        for index in sorted(removed):
            if index > first_kept:
                yield self._without(dashes[index], ends[index])

    def _above_comments(self, start: int, column: int) -> int:
        """Return where the comments begin that stand right above the line at *start*, in *column*."""
        head = " " * column + "#"
        while start > 0:
            above = self._line_start(start - 1)
            if not self._text.startswith(head, above):
                break
            start = above
        return start

    def _without(self, dash: int, end: int) -> Splice:
        start = self._line_start(dash) - self._break()
        follows = self._text[end : end + 2 * self._break()]
        if self._is_blank_above(dash) and follows.strip() == "":
            above = self._line_start(start)
            start = above - self._break()
        return Splice(start, end, "")

    def _after_blank(self, start: int) -> int:
        """Return where the line after *start* begins, if the one there is blank."""
        end = self._text.find("\n", start)
        return end + 1 if end >= 0 and not self._text[start:end].strip() else start

    def _dash(self, part: Node, column: int) -> int:
        """Return the offset of the dash of the entry *part* of a list in *column*."""
        row = self._line_start(part.start)
        while True:
            if self._text[row + column : row + column + 1] == "-" and row + column <= part.start:
                return row + column
            if row == 0:
                return part.start
            row = self._line_start(row - 1)

    # -- the text

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _line_end(self, offset: int) -> int:
        """Return where the line of *offset* ends, before its line break."""
        end = self._text.find("\n", offset)
        end = len(self._text) if end < 0 else end
        return end - 1 if end > offset and self._text[end - 1] == "\r" else end

    def _column(self, offset: int) -> int:
        return offset - self._line_start(offset)

    def _break(self) -> int:
        return len(self.newline)

    def _is_blank_above(self, offset: int) -> bool:
        end = self._line_start(offset) - 1
        return end > 0 and not self._text[self._line_start(end) : end].strip()

    def _has_gap(self, dash: int) -> bool:
        """Return whether a blank line parts the entry at *dash*, with its comments, from the last."""
        while not self._is_blank_above(dash):
            dash = self._line_start(self._line_start(dash) - 1)
            if dash <= 0 or not self._text[dash:].lstrip(" ").startswith("#"):
                return False
        return True


def _out_of_flow(spans: list[tuple[int, int]], removed: set[int]) -> Iterator[Splice]:
    """Yield what takes parts out of brackets, each with one of the commas beside it."""
    kept = [n for n in range(len(spans)) if n not in removed]
    for index in sorted(removed):
        if any(n > index for n in kept) and not any(n < index for n in kept):
            yield Splice(spans[index][0], spans[index + 1][0], "")
        elif index == 0:
            yield Splice(*spans[0], "")
        else:
            yield Splice(spans[index - 1][1], spans[index][1], "")


def same(old: Any, new: Any) -> bool:
    """Return whether the two are equal and of the same kinds: 1, 1.0 and true are three values."""
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        return list(old) == list(new) and all(same(old[key], new[key]) for key in old)
    if isinstance(old, list):
        return len(old) == len(new) and all(map(same, old, new))
    return bool(old == new)
