"""A catalogue drafted from use: the facts that lines grant and gates ask for, and nobody declared.

Files are only added to, after what they hold, comments and all; an edit that would not read back
as exactly what was there plus the new facts is not made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talebearer._whole import StagedFiles
from talebearer.content import _tree, _yaml
from talebearer.content._findings import Layout
from talebearer.content._lint import Checked, check_tree
from talebearer.content._rules import Document
from talebearer.content._tree import POOL_KINDS, FileKind
from talebearer.errors import UsageFault
from talebearer.vocabulary import FACT_ID, fullmatch

_FROM_PLAY = ("interaction", "gossip")
_PLACES_MAX = 3
_QUOTE_CHARS_MAX = 80


@dataclass(slots=True, kw_only=True)
class MissingFact:
    """A fact that is used and declared nowhere.

    Attributes:
        id: The fact.
        count: How often it is used.
        places: The first of its uses, ``file#line-id``.
        heard: The text of the first line that grants it; empty if none does.
    """

    id: str
    count: int = 0
    places: list[str] = field(default_factory=list)
    heard: str = ""

    @property
    def category(self) -> str:
        """The part before the dot: whose file declares it."""
        return self.id.partition(".")[0]

    @property
    def draft(self) -> str:
        """A description to begin from."""
        if self.heard:
            short = " ".join(self.heard.split())
            cut = short if len(short) <= _QUOTE_CHARS_MAX else f"{short[: _QUOTE_CHARS_MAX - 1]}…"
            return f"Told by: {cut}"
        return f"Asked for by {', '.join(self.places)}; nobody tells it yet."


def missing_facts(root: Path) -> tuple[MissingFact, ...]:
    """Return the facts that the content folder *root* uses and does not declare, by id.

    Facts that come from play (categories ``interaction`` and ``gossip``) are never declared.
    """
    return missing_in(check_tree(_tree.walk(root)))


def missing_in(checked: Checked) -> tuple[MissingFact, ...]:
    """Return the same of a tree that was *checked* already."""
    found: dict[str, MissingFact] = {}
    for document in checked.documents:
        for place, fact_id, heard in _uses(document):
            is_known = fact_id in checked.index.around.facts or not fullmatch(FACT_ID, fact_id)
            if is_known or fact_id.partition(".")[0] in _FROM_PLAY:
                continue
            fact = found.setdefault(fact_id, MissingFact(id=fact_id))
            fact.count += 1
            if len(fact.places) < _PLACES_MAX:
                fact.places.append(place)
            fact.heard = fact.heard or heard
    return tuple(found[fact_id] for fact_id in sorted(found))


def _uses(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield (place, fact, text if it is granted) for every use in *document*."""
    if document.file.kind in POOL_KINDS:
        for _, line in document.lines:
            place = f"{document.file.key.rpartition('/')[2]}#{line.get('id')}"
            text = line.get("text")
            for fact_id in _granted(line):
                yield place, fact_id, text if isinstance(text, str) else ""
            yield from ((place, fact_id, "") for fact_id in _asked(line.get("prerequisites")))
    elif document.file.kind is FileKind.CONDITIONS:
        for fact_id in _asked({"all_of": document.root.get("conditions")}):
            yield "conditions", fact_id, ""


def _granted(line: Mapping[str, Any]) -> Iterator[str]:
    effects = line.get("effects")
    listed = effects if isinstance(effects, list) else []
    grants = [line.get("knowledge_grant"), *(e.get("grant") for e in listed if isinstance(e, dict))]
    for grant in grants:
        if isinstance(grant, dict) and isinstance(grant.get("fact_id"), str):
            yield grant["fact_id"]


def _asked(condition: Any) -> Iterator[str]:
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            if isinstance(node.get("fact_id"), str):
                yield node["fact_id"]
            parts = ("facts", "all_of", "any_of", "not", "when")
            pending.extend(node[part] for part in parts if part in node)


def draft_facts(root: Path, facts: tuple[MissingFact, ...]) -> tuple[Path, ...]:
    """Declare *facts* in the catalogues of *root* and return the files that were written.

    All edits are worked out before the first is written, and a full disk changes none of the files.

    Raises:
        UsageFault: A catalogue is such that it cannot be added to; nothing is written (TB111).
        OSError: A file cannot be read or written.
    """
    by_category: dict[str, list[MissingFact]] = {}
    for fact in facts:
        by_category.setdefault(fact.category, []).append(fact)
    edits = [
        _edit(root / "global" / "knowledge" / f"{category}.yaml", missing)
        for category, missing in by_category.items()
    ]
    with StagedFiles() as files:
        for path, data in edits:
            files.put(path, data)
        files.commit()
    return tuple(path for path, _ in edits)


def _edit(path: Path, facts: list[MissingFact]) -> tuple[Path, bytes]:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageFault(f"{path} is no regular file", hint="put a file in its place")
    data = path.read_bytes() if path.exists() else None
    return path, facts_added(data, str(path), facts)


def facts_added(data: bytes | None, name: str, facts: Sequence[MissingFact]) -> bytes:
    """Return the catalogue *data* with *facts* of its category behind its own.

    Args:
        data: The bytes of the catalogue; None for a new one.
        name: What to call it in messages.
        facts: The facts, one or more, of one category.

    Raises:
        UsageFault: It is such that it cannot be added to (TB111).
    """
    entries = [{"id": fact.id, "description": fact.draft} for fact in facts]
    if data is None:
        head = (
            "# Drafted from use; say in your own words what each fact is.\n"
            f"category: {facts[0].category}\n"
        )
        return f"{head}facts:\n{_block(entries, '  ')}".encode()
    parsed = _yaml.parse(data)
    if parsed.text is None or parsed.value is None or parsed.drafts:
        raise UsageFault(f"{name} has faults of its own", hint="run talebearer lint first")
    newline = "\r\n" if "\r\n" in parsed.text else "\n"
    text = _added(parsed.text, parsed.value, entries).replace("\r\n", "\n").replace("\n", newline)
    before = parsed.value.get("facts")
    wanted = {**parsed.value, "facts": [*(before if isinstance(before, list) else []), *entries]}
    if _yaml.parse(text.encode()).value != wanted:
        listed = ", ".join(fact.id for fact in facts)
        hint = f"write 'facts:' as a list with one dash a fact, or add by hand: {listed}"
        raise UsageFault(f"{name} cannot be added to", hint=hint)
    return (b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b"") + text.encode()


def _added(text: str, root: Mapping[str, Any], entries: list[dict[str, str]]) -> str:
    """Return *text* with *entries* after the last of its facts."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n"
    if "facts" not in root:
        return "".join(lines) + f"facts:\n{_block(entries, '  ')}"
    layout = Layout(text)
    key = layout.place(("facts",), on_key=True) or (1, 1)
    if not root["facts"]:  # [] or nothing: the rest of the line gives way
        lines[key[0] - 1] = lines[key[0] - 1].partition(":")[0] + ":\n" + _block(entries, "  ")
        return "".join(lines)
    first = layout.place(("facts", 0)) or (1, 1)
    indent = lines[first[0] - 1].partition("-")[0]
    end = min(
        (
            mark[0] - 1
            for name in root
            if (mark := layout.place((name,), on_key=True)) and mark > key
        ),
        default=len(lines),
    )
    return "".join(lines[:end]) + _block(entries, indent) + "".join(lines[end:])


def _block(entries: list[dict[str, str]], indent: str) -> str:
    return "".join(
        f"{indent}- id: {entry['id']}\n"
        f"{indent}  description: {json.dumps(entry['description'], ensure_ascii=False)}\n"
        for entry in entries
    )
