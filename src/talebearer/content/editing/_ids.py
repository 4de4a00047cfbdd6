"""Which id the next line of a pool gets.

Source: the line-pool spec section 5: numbers of dialogue run on over all files of a speaker, those of
thoughts begin anew in each file; a number that was ever given is not given again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from talebearer.content import _lint, _tree
from talebearer.content._keys import key_of
from talebearer.content._lint import Checked
from talebearer.content._rules import Document
from talebearer.content._tree import POOL_KINDS, FileKind
from talebearer.errors import UnknownReference, UsageFault, meant, nearest

NUMBER_MAX = 999
"""The highest number of a line id."""

_ID = re.compile(r"(?P<stem>[a-z][a-z0-9-]*_(?:d|m_[a-z]))_(?P<number>[0-9]{3})")


def next_line_id(root: Path, pool: str) -> str:
    """Return the id that the next line of *pool* below the content folder *root* gets.

    For several lines at once, ask one :class:`LineIds` again and again.

    Raises:
        UnknownReference: There is no such pool, or several (TB113).
        UsageFault: All 999 numbers are taken (TB111).
    """
    return LineIds(root).take(pool)


class LineIds:
    """Hands out the free line ids of a content folder as it was when this was made.

    Args:
        root: The content folder.
        checked: What is in it, if that is known already.
    """

    def __init__(self, root: Path, checked: Checked | None = None) -> None:
        if checked is None:
            pools, letters = pools_of(root), _letters(root)
        else:
            pools = tuple(d for d in checked.documents if d.file.kind in POOL_KINDS)
            letters = dict(checked.index.enums.letters)
        self._pools = {d.file.key: d for d in pools}
        self._letters = letters
        self._last: dict[tuple[str, str], int] = {}
        self._stems: dict[str, str] = {}
        for document in self._pools.values():
            for key in _keys(document):
                self._note(key, document.file.kind)

    def _note(self, key: str, kind: FileKind) -> None:
        path, _, line_id = key.rpartition("#")
        found = _ID.fullmatch(line_id)
        if found is not None:
            home = "" if kind is FileKind.DIALOGUE else path
            place = (home, found["stem"])
            self._last[place] = max(self._last.get(place, 0), int(found["number"]))

    def take(self, pool: str) -> str:
        """Return the next id of *pool*, a pool path or the end of one, and count it as taken.

        Raises:
            UnknownReference: There is no such pool, or several (TB113).
            UsageFault: All 999 numbers are taken (TB111).
        """
        document = self._pools[find_pool(pool, self._pools)]
        kind = document.file.kind
        stem = self._stem(document)
        place = ("" if kind is FileKind.DIALOGUE else document.file.key, stem)
        number = self._last.get(place, 0) + 1
        if number > NUMBER_MAX:
            where = "any file" if kind is FileKind.DIALOGUE else document.file.key
            raise UsageFault(
                f"{stem}_{NUMBER_MAX} is taken in {where}",
                hint="a number is not given twice, as saves know lines by it; write a new file",
            )
        self._last[place] = number
        return f"{stem}_{number:03}"

    def _stem(self, document: Document) -> str:
        """Return what ids of this pool begin with: as its last line's does, else by its place."""
        own = [found["stem"] for found in map(_ID.fullmatch, _ids(document)) if found is not None]
        if own:
            return own[-1]
        if document.file.kind is FileKind.DIALOGUE:
            return f"{document.file.stem}_d"
        character = document.file.folder
        kin = Counter(
            found["stem"]
            for other in self._pools.values()
            if other.file.kind is FileKind.MONOLOGUE and other.file.folder == character
            for found in map(_ID.fullmatch, _ids(other))
            if found is not None
        )
        letter = self._letters.get(character, character[:1])
        return (
            min(kin, key=lambda stem: (-kin[stem], stem)) if kin else f"pc-{character}_m_{letter}"
        )


def pools_of(root: Path) -> tuple[Document, ...]:
    """Return the pools below *root* that can be read, in the order of their paths."""
    run = _lint._Run()
    files = [file for file in _tree.walk(root).files if file.kind in POOL_KINDS]
    return tuple(found for file in files if (found := run.load(file)) is not None)


def find_pool(asked: str, pools: dict[str, Document]) -> str:
    """Return the path of the pool that *asked* means: a pool path, the end of one, or a file.

    Raises:
        UnknownReference: There is none, or there are several (TB113).
    """
    wanted = asked.removesuffix(".yaml").strip("/")
    if wanted in pools:
        return wanted
    fitting = [path for path in pools if path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}")]
    if len(fitting) == 1:
        return fitting[0]
    close = fitting or nearest(wanted, pools)
    hint = meant(close[:4]) or "a path such as the-quay/odo-renn"
    what = "several pools are" if fitting else "no pool is"
    raise UnknownReference(f"{what} called {asked!r}", hint=hint)


def _letters(root: Path) -> dict[str, str]:
    run = _lint._Run()
    files = _tree.enum_files(root.resolve())
    documents = [found for file in files if (found := run.load(file)) is not None]
    return dict(_lint._enums_of(documents).letters)


def _ids(document: Document) -> Iterator[str]:
    yield from (line["id"] for _, line in document.lines if isinstance(line.get("id"), str))


def _keys(document: Document) -> Iterator[str]:
    """Yield the keys that the lines of *document* have and had."""
    pool = document.file.key
    homes = [pool, *_texts(document.root.get("formerly"))]
    for _, line in document.lines:
        for name in (line.get("id"), *_texts(line.get("aliases"))):
            if isinstance(name, str):
                yield from (key_of(home, name) for home in homes)


def _texts(value: Any) -> list[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
