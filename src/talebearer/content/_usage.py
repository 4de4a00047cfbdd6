"""Advice that takes the whole tree: what is declared and never used, numbers that two files share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from talebearer.content import _declared
from talebearer.content._findings import Draft, ValuePath
from talebearer.content._rules import Document, Index
from talebearer.content._structure import shown
from talebearer.content._targets import Targets, targets_of
from talebearer.content._tree import FileKind
from talebearer.errors import findings_content as codes

Advice = tuple[Document, Draft]
_KINDS = {"timers": "timer", "counters": "counter", "values": "value"}


def check(documents: list[Document], index: Index) -> Iterator[Advice]:
    """Yield what nothing uses, reads or writes, and dialogue ids of several files."""
    targets = _targets(documents)
    for document in documents:
        if document.file.kind is FileKind.STATE:
            yield from ((document, draft) for draft in _state(document.root, index, targets))
        elif document.file.kind is FileKind.FACTS:
            yield from ((document, draft) for draft in _facts(document.root, index, targets))
        elif document.file.kind is FileKind.CONDITIONS:
            yield from ((document, draft) for draft in _conditions(document.root, index))
        elif document.file.kind is FileKind.DIALOGUE:
            yield from ((document, draft) for draft in _numbers(document, index))


def _targets(documents: list[Document]) -> Targets:
    roots = [one.root for one in documents if one.file.kind is FileKind.COVERAGE]
    return targets_of(roots[0] if roots else None)


def _facts(root: Mapping[str, Any], index: Index, targets: Targets) -> Iterator[Draft]:
    """Facts that gates want and no line grants, and facts that lines grant and no gate asks for."""
    read, written = index.around.read, index.around.written
    for at, entry in enumerate(_declared.listed(root, "facts")):
        name = entry.get("id")
        path: ValuePath = ("facts", at, "id")
        if not isinstance(name, str):
            continue
        is_written = ("fact", name) in written or targets.written_by_game("fact", name)
        if name in index.around.wanted and not is_written:
            message = f"fact {shown(name)} is asked for, and no line grants it"
            yield _declared.note(codes.NEVER_GRANTED, message, path)
        elif ("fact", name) in written and ("fact", name) not in read:
            message = f"fact {shown(name)} is granted, and no gate asks for it"
            yield _declared.note(codes.NEVER_ASKED, message, path)


def _state(root: Mapping[str, Any], index: Index, targets: Targets) -> Iterator[Draft]:
    read, written = index.around.read, index.around.written
    for section, kind in _KINDS.items():
        for at, entry in enumerate(_declared.listed(root, section)):
            key = (kind, str(entry.get("id")))
            path: ValuePath = (section, at, "id")
            if key not in read and key not in written:
                yield _unused(kind, entry.get("id"), path)
            elif key not in read:
                message = f"{kind} {shown(entry.get('id'))} is written, and no gate reads it"
                yield _declared.note(codes.NEVER_READ, message, path)
            elif key not in written and not targets.written_by_game(*key):
                message = f"{kind} {shown(entry.get('id'))} is read, and no line writes it"
                yield _declared.note(codes.NEVER_WRITTEN, message, path)
    for at, entry in enumerate(_declared.listed(root, "classes")):
        if not _is_class_used(str(entry.get("id")), index):
            yield _unused("class", entry.get("id"), ("classes", at, "id"))


def _is_class_used(name: str, index: Index) -> bool:
    """Return whether a line has the class, or another class gives way to it or cuts it short."""
    if ("class", name) in index.around.read:
        return True
    others = index.declared.classes.values()
    named = [entry.get(field) for entry in others for field in ("interrupts", "excluded_by")]
    return any(isinstance(names, list) and name in names for names in named)


def _conditions(root: Mapping[str, Any], index: Index) -> Iterator[Draft]:
    for at, entry in enumerate(_declared.listed(root, "conditions")):
        if ("condition", str(entry.get("id"))) not in index.around.read:
            yield _unused("condition", entry.get("id"), ("conditions", at, "id"))


def _unused(kind: str, name: Any, path: ValuePath) -> Draft:
    message = f"{kind} {shown(name)} is used by no line and no condition"
    return _declared.note(codes.UNUSED_DECLARATION, message, path)


def _numbers(document: Document, index: Index) -> Iterator[Draft]:
    """The numbers of a character run on from file to file, so no id is there twice."""
    if index.keys.shared.isdisjoint(document.once(_ids)):
        return
    for at, line in document.lines:
        line_id = line.get("id")
        pools = index.keys.pools_of(line_id) if isinstance(line_id, str) else ()
        if len(pools) > 1 and pools[0] != document.file.key:
            message = f"id {shown(line_id)} is in {pools[0]}, too"
            yield _declared.note(codes.SPLIT_SEQUENCE, message, ("lines", at, "id"))


def _ids(document: Document) -> frozenset[str]:
    found = (line.get("id") for _, line in document.lines)
    return frozenset(line_id for line_id in found if isinstance(line_id, str))
