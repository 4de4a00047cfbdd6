"""Gates that can each be met, and never together.

The lines in question are compiled and loaded as a game would load them, so that the engine's own
gates are asked. What has errors is passed over: those come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from talebearer.content._findings import Draft
from talebearer.content._rules import Document, Index
from talebearer.content._tree import POOL_KINDS
from talebearer.errors import InvalidPack, Severity
from talebearer.errors import findings_content as codes

if TYPE_CHECKING:
    from talebearer.content._memo import Memo

Finding = tuple[Document, Draft]
_LOGIC = frozenset({"all_of", "any_of", "not", "conditions"})


def check(
    documents: list[Document],
    index: Index,
    faulty: frozenset[str],
    told: frozenset[tuple[str, int]] = frozenset(),
    memo: Memo | None = None,
) -> Iterator[Finding]:
    """Yield the lines whose gates exclude each other.

    Args:
        documents: The tree.
        index: What it declares.
        faulty: Names of the files that have errors; their lines are passed over, and all lines when
            a file that is no pool is among them.
        told: File name and index of the lines of which a single gate is told already.
        memo: What was found before, of a tree that is checked again and again.
    """
    asked: dict[str, tuple[Document, list[int]]] = {}
    kept: list[Document] = []
    for document in documents:
        is_pool = document.file.kind in POOL_KINDS
        if document.file.name in faulty:
            if not is_pool:
                return
        elif not is_pool:
            kept.append(document)
        elif memo is not None and (known := memo.clashes(document, index)) is not None:
            yield from ((document, draft) for draft in known)
        elif places := [
            at for at in document.once(_clashing) if (document.file.name, at) not in told
        ]:
            asked[document.file.key] = (document, places)
            kept.append(_only(document, places))
    if not asked:
        return
    found = list(_clashes(kept, index, asked))
    yield from found
    for document, _ in asked.values() if memo is not None else ():
        own = tuple(draft for one, draft in found if one is document)
        if memo is not None:
            memo.keep_clashes(document, index, own)


def _clashing(document: Document) -> tuple[int, ...]:
    """Return the lines of *document* that might exclude themselves."""
    lines = document.lines
    return tuple(at for at, line in lines if _may_clash(line.get("prerequisites")))


def _may_clash(condition: Any) -> bool:
    """Whether there are two gates or more; one alone is looked at by another rule."""
    if not isinstance(condition, Mapping):
        return False
    if not _LOGIC.isdisjoint(condition):
        return True
    return sum(len(part) if isinstance(part, list) else 1 for part in condition.values()) > 1


def _only(document: Document, places: list[int]) -> Document:
    lines = document.root["lines"]
    root = document.root | {"lines": [lines[at] for at in places]}
    return Document(file=document.file, root=root)


def _clashes(
    kept: list[Document], index: Index, asked: Mapping[str, tuple[Document, list[int]]]
) -> Iterator[Finding]:
    # Both are needed only here, and the second rests on the lint itself.
    from talebearer.content._compile import canonical, pack_of
    from talebearer.content._lint import Checked
    from talebearer.content.coverage import contradictions
    from talebearer.lines import load_pack

    try:
        data = canonical(pack_of(Checked(documents=kept, index=index, problems=())))
        pack = load_pack(data, parse=orjson.loads)
    except InvalidPack:  # no game could ask these gates; whoever loads the pack is told why
        return
    for pool, position, words in contradictions(pack):
        document, places = asked[pool]
        yield (
            document,
            Draft(
                code=codes.CONTRADICTION,
                message=f"the line is never said: {words}",
                severity=Severity.WARNING,
                path=("lines", places[position], "prerequisites"),
            ),
        )
