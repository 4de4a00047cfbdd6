"""Findings before they have a place, and the look-up of their places.

Parsing for positions is many times slower than parsing for values, so it is done only for files
that have findings, from libyaml's event stream: no recursion, whatever the input. Where libyaml
cannot follow, a finding keeps the place of the nearest part that it could.
"""

from __future__ import annotations

import re
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
_LINE_BREAKS_OF_YAML_1_1 = re.compile("[\x85\u2028\u2029]")


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
    """

    def __init__(self, text: str) -> None:
        self.duplicates: list[tuple[ValuePath, Mark, Mark]] = []
        self.aliases: list[tuple[str, Mark]] = []
        self.depth = 0
        self.failure: tuple[str, Mark] | None = None
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

    def _read(self, text: str) -> None:
        for event in yaml.parse(_LINE_BREAKS_OF_YAML_1_1.sub(" ", text), Loader=_LOADER):
            mark = _mark(event.start_mark)
            if isinstance(event, yaml.ScalarEvent):
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


def placed(drafts: Iterable[Draft], *, file: str, text: str | None) -> Iterator[Problem]:
    """Yield the *drafts* about *file* as problems with their places in *text*."""
    layout: Layout | None = None
    for draft in drafts:
        mark = draft.mark
        if text is not None and mark is None:
            layout = layout or Layout(text)
            mark = layout.place(draft.path, on_key=draft.on_key)
        message = draft.message
        if layout is not None and draft.first is not None:
            first = layout.place(draft.first)
            message += f", first in line {first[0]}" if first else ""
        line, column = mark or (None, None)
        where = Where(file=file, line=line, column=column, pointer=pointer(draft.path))
        yield Problem(
            code=draft.code, severity=draft.severity, where=where, message=message, hint=draft.hint
        )


def pointer(path: ValuePath) -> str | None:
    """Return *path* in ``$.lines[3].trust`` form; the root itself is None."""
    if not path:
        return None
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
