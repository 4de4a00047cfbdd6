"""Where the parts of a YAML text begin and end, as offsets, so that one can be put in another's place."""

from __future__ import annotations

import re
from typing import Any

import yaml

from talebearer.content._findings import ValuePath

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LINE_BREAKS_OF_YAML_1_1 = re.compile("[\x85\u2028\u2029]")
# Halves of surrogate pairs, which JSON writes and libyaml refuses; as long as what stands in for them.
_HALVES = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_BLOCK_HEAD = re.compile(r"[|>][0-9+-]*")


class Node:
    """One value of a document.

    Attributes:
        kind: ``scalar``, ``mapping`` or ``sequence``.
        style: Of a scalar: ``|``, ``>``, a quotation mark, or nothing for a plain one.
        is_flow: Whether a collection is written in brackets.
        is_inside_flow: Whether it lies in a collection that is.
        depth: How many collections it lies in.
        start: Offset of its first character; of a block list that of its first dash.
        end: Offset after its last character; comments and blank lines after it do not count.
        keys: Of a mapping: key to the node of the key.
        values: Of a mapping: key to the node of the value.
        items: Of a list: its entries.
    """

    __slots__ = (
        "depth",
        "end",
        "is_flow",
        "is_inside_flow",
        "items",
        "keys",
        "kind",
        "start",
        "style",
        "values",
    )

    def __init__(self, kind: str, start: int, end: int, *, style: str, is_flow: bool) -> None:
        self.kind = kind
        self.style = style
        self.is_flow = is_flow
        self.is_inside_flow = False
        self.depth = 0
        self.start = start
        self.end = end
        self.keys: dict[str, Node] = {}
        self.values: dict[str, Node] = {}
        self.items: list[Node] = []

    def child(self, part: str | int) -> Node | None:
        """Return the value under *part*, a key or a 0-based index."""
        if isinstance(part, int):
            inside = self.kind == "sequence" and 0 <= part < len(self.items)
            return self.items[part] if inside else None
        return self.values.get(part) if self.kind == "mapping" else None


def at(root: Node, path: ValuePath) -> Node | None:
    """Return the node at *path* below *root*."""
    node: Node | None = root
    for part in path:
        node = node.child(part) if node is not None else None
    return node


def read(text: str) -> Node | None:
    """Return the root of *text*; None where libyaml cannot follow it."""
    try:
        return _Reader(text).read()
    except yaml.YAMLError:
        return None


class _Reader:
    """Builds the nodes from libyaml's events: no recursion, whatever the input."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[Node] = []
        self._names: list[tuple[str, Node] | None] = []
        self._root: Node | None = None

    def read(self) -> Node | None:
        text = _HALVES.sub(r"\\u0041", _LINE_BREAKS_OF_YAML_1_1.sub(" ", self._text))
        events: Any = yaml.parse(text, Loader=_LOADER)
        for event in events:
            start, end = event.start_mark.index, event.end_mark.index
            if isinstance(event, yaml.ScalarEvent):
                style = event.style or ""
                end = self._block_end(start, end) if style in ("|", ">") else end
                self._enter(Node("scalar", start, end, style=style, is_flow=False), event)
            elif isinstance(event, yaml.AliasEvent):
                return None  # content has none
            elif isinstance(event, yaml.CollectionStartEvent):
                kind = "mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence"
                node = Node(kind, start, end, style="", is_flow=bool(event.flow_style))
                self._enter(node, event)
                self._open.append(node)
                self._names.append(None)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._close(end)
            elif isinstance(event, yaml.DocumentEndEvent):
                return self._root
        return self._root

    def _close(self, end: int) -> None:
        node = self._open.pop()
        self._names.pop()
        parts = node.items or list(node.values.values())
        if node.is_flow:
            node.end = end
        elif parts:
            node.end = max(part.end for part in parts)

    def _block_end(self, start: int, end: int) -> int:
        """Return where a block scalar ends: blank lines after it belong to it only with ``+``."""
        region = self._text[start:end]
        head = _BLOCK_HEAD.match(region)
        if head is not None and "+" in head[0]:
            return start + len(region.removesuffix("\n").removesuffix("\r"))
        return start + len(region.rstrip(" \t\r\n"))

    def _enter(self, node: Node, event: Any) -> None:
        if not self._open:
            self._root = node
            return
        parent = self._open[-1]
        node.is_inside_flow = parent.is_flow
        node.depth = len(self._open)
        if parent.kind == "sequence":
            parent.items.append(node)
            return
        name = self._names[-1]
        if name is None:
            key = event.value if isinstance(event, yaml.ScalarEvent) else "?"
            self._names[-1] = (key, node)
            return
        self._names[-1] = None
        parent.keys[name[0]] = name[1]
        parent.values[name[0]] = node
