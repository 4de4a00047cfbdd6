"""Edits of one YAML text, made together and read back before anybody sees the result.

An edit whose result does not read back as exactly what was there with the changes asked for is refused;
so the text is changed right or not at all, whatever the layout of the file.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talebearer.content import _yaml
from talebearer.content._findings import ValuePath, pointer
from talebearer.content._structure import shown
from talebearer.content.editing import _nodes
from talebearer.content.editing._nodes import Node
from talebearer.content.editing._splices import Splice, Splicer, same
from talebearer.errors import EditRefused

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class _Edit:
    kind: str
    path: ValuePath
    value: Any = None
    key: str = ""
    after: tuple[str, ...] = ()


class Edits:
    """Changes to one YAML text; paths and indexes are those of the text before all of them.

    Attributes:
        text: The text before, without a byte order mark.
        value: What it holds; not to be changed.

    Source: rule LP-L8-edit-in-place.
    """

    def __init__(self, data: bytes, *, name: str = "the file") -> None:
        """Read *data*; *name* is the file's in messages.

        Raises:
            EditRefused: It is not UTF-8 or has faults as YAML (TB121).
        """
        parsed = _yaml.parse(data)
        if parsed.text is None or parsed.value is None or parsed.drafts:
            raise EditRefused(f"{name} has faults of its own", hint="run talebearer lint first")
        self._name = name
        self._mark = _BOM if data.startswith(_BOM.encode()) else ""
        self.text: str = parsed.text
        self.value: dict[str, Any] = parsed.value
        self._root: Node | None = None
        self._edits: list[_Edit] = []

    def __len__(self) -> int:
        return len(self._edits)

    def get(self, path: ValuePath, default: Any = None) -> Any:
        """Return the value at *path* as it was before, or *default*."""
        value: Any = self.value
        for part in path:
            if isinstance(value, list):
                inside = isinstance(part, int) and 0 <= part < len(value)
            else:
                inside = isinstance(value, dict) and part in value
            if not inside:
                return default
            value = value[part]
        return value

    def span(self, path: ValuePath) -> tuple[int, int]:
        """Return the offsets in :attr:`text` between which the value at *path* stands.

        Raises:
            EditRefused: There is none (TB121).
        """
        node = self._node(path)
        return node.start, node.end

    def replace(self, path: ValuePath, value: Any) -> None:
        """Put *value* in the place of the value at *path*; of a list or mapping only what differs."""
        self._edits.append(_Edit("replace", path, value))

    def add(self, path: ValuePath, key: str, value: Any, *, after: Sequence[str] = ()) -> None:
        """Add *key* to the mapping at *path*, behind the last of *after* that it has, else at its end."""
        self._edits.append(_Edit("add", path, value, key=key, after=tuple(after)))

    def rename(self, path: ValuePath, key: str) -> None:
        """Call the last key of *path* *key*; its value stays."""
        self._edits.append(_Edit("rename", path, key=key))

    def remove(self, path: ValuePath) -> None:
        """Take the value at *path* out, with its key or its dash; comments above it stay."""
        self._edits.append(_Edit("remove", path))

    def insert(self, path: ValuePath, index: int, value: Any) -> None:
        """Put *value* into the list at *path*, before its entry *index*, or behind the last."""
        self._edits.append(_Edit("insert", (*path, index), value))

    def result(self) -> str:
        """Return the text with all changes.

        Raises:
            EditRefused: A path leads nowhere, changes overlap, or the layout of the text is one in
                which the change cannot be made (TB121).
        """
        if not self._edits:
            return self.text
        wanted = _expected(self)
        text = self._spliced()
        parsed = _yaml.parse(text.encode("utf-8", "surrogatepass"))
        if parsed.drafts or not same(_ordered(parsed.value), _ordered(wanted)):
            raise self._refused("the change would not read back as it was meant")
        return text

    def data(self) -> bytes:
        """Return the bytes of :meth:`result`, with the byte order mark that the file had.

        Raises:
            EditRefused: As there (TB121).
        """
        return (self._mark + self.result()).encode()

    def _refused(self, reason: str, path: ValuePath = ()) -> EditRefused:
        edits = self._edits[0].path if self._edits and not path else path
        place = f" at {pointer(edits)}" if edits else ""
        hint = "make the change by hand, or write the place in plain block style first"
        return EditRefused(f"{self._name}{place}: {reason}", hint=hint)

    def _node(self, path: ValuePath) -> Node:
        if self._root is None:
            self._root = _nodes.read(self.text)
        if self._root is None:
            raise self._refused("libyaml cannot follow the text", path)
        node = _nodes.at(self._root, path)
        if node is None:
            raise self._refused(f"there is nothing at {pointer(path) or '$'}", path)
        return node

    def _spliced(self) -> str:
        splicer = Splicer(self.text)
        splices = sorted(self._splices(splicer), key=lambda one: (one.start, one.end, -one.depth))
        parts, at = [], 0
        for splice in splices:
            if splice.start < at:
                raise self._refused("two changes are about the same place")
            parts += [self.text[at : splice.start], splice.text]
            at = splice.end
        return "".join([*parts, self.text[at:]])

    def _splices(self, splicer: Splicer) -> Iterator[Splice]:
        keys: dict[ValuePath, set[str]] = {}
        lists: dict[ValuePath, tuple[set[int], dict[int, list[Any]]]] = {}
        for edit in self._edits:
            last = edit.path[-1] if edit.path else None
            if edit.kind == "replace":
                yield from splicer.replace(self._node(edit.path), self.get(edit.path), edit.value)
            elif edit.kind == "add":
                yield splicer.add(self._node(edit.path), edit.key, edit.value, edit.after)
            elif edit.kind == "rename":
                key = self._key(edit.path)
                yield from splicer.replace(key, last, edit.key)
            elif isinstance(last, str):
                self._key(edit.path)
                keys.setdefault(edit.path[:-1], set()).add(last)
            elif isinstance(last, int):
                removed, inserted = lists.setdefault(edit.path[:-1], (set(), {}))
                if edit.kind == "insert":
                    inserted.setdefault(last, []).append(edit.value)
                else:
                    removed.add(last)
        for path, names in keys.items():
            yield from splicer.remove_keys(self._node(path), names)
        for path, (removed, inserted) in lists.items():
            yield from splicer.entries(self._node(path), removed, inserted)

    def _key(self, path: ValuePath) -> Node:
        node = self._node(path[:-1])
        key = node.keys.get(str(path[-1])) if node.kind == "mapping" else None
        if key is None:
            raise self._refused(f"there is no key {shown(path[-1])}", path)
        return key


def _expected(edits: Edits) -> Any:
    """Return the value with all changes, deepest and last first, so that no index moves."""
    holder = {"root": copy.deepcopy(edits.value)}
    for edit in edits._edits:
        if edit.kind in ("replace", "add"):
            parent, last = _parent(holder, edit, edits)
            if edit.kind == "replace":
                _put(parent, last, copy.deepcopy(edit.value), edit, edits)
            elif not isinstance(parent[last], dict) or edit.key in parent[last]:
                raise edits._refused(f"key {shown(edit.key)} cannot be added", edit.path)
            else:
                parent[last][edit.key] = copy.deepcopy(edit.value)
    for _, edit in sorted(enumerate(edits._edits), key=_depth_first):
        if edit.kind in ("remove", "insert", "rename"):
            _move(*_parent(holder, edit, edits), edit, edits)
    return holder["root"]


def _depth_first(numbered: tuple[int, _Edit]) -> tuple[int, int, bool, int]:
    number, edit = numbered
    last = edit.path[-1] if edit.path else ""
    place = -last if isinstance(last, int) else 0
    return -len(edit.path), place, edit.kind == "insert", -number


def _parent(holder: Mapping[str, Any], edit: _Edit, edits: Edits) -> tuple[Any, str | int]:
    node: Any = holder
    path: ValuePath = ("root", *edit.path)
    for part in path[:-1]:
        try:
            node = node[part]
        except (KeyError, IndexError, TypeError):
            raise edits._refused("the path leads nowhere", edit.path) from None
    return node, path[-1]


def _put(parent: Any, last: str | int, value: Any, edit: _Edit, edits: Edits) -> None:
    is_there = (isinstance(parent, dict) and last in parent) or (
        isinstance(parent, list) and isinstance(last, int) and 0 <= last < len(parent)
    )
    if not is_there:
        raise edits._refused("there is nothing to replace", edit.path)
    parent[last] = value


def _move(parent: Any, last: str | int, edit: _Edit, edits: Edits) -> None:
    try:
        if edit.kind == "insert":
            parent.insert(last, copy.deepcopy(edit.value))
        elif edit.kind == "rename":
            if edit.key in parent and edit.key != last:
                raise edits._refused(f"key {shown(edit.key)} is there already", edit.path)
            parent[edit.key] = parent.pop(last)
        else:
            del parent[last]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise edits._refused("there is nothing", edit.path) from None


def _ordered(value: Any) -> Any:
    """Return *value* with the keys of mappings in order, which is nothing that a value holds."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(part) for part in value] if isinstance(value, list) else value
