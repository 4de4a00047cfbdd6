"""A content folder that is being written: its pack and findings, again after each save."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from talebearer.content import _tree, _yaml
from talebearer.content._compile import canonical, pack_of
from talebearer.content._findings import entry_rows
from talebearer.content._lint import Progress, check_tree
from talebearer.content._rules import Document
from talebearer.content._tree import POOL_KINDS
from talebearer.errors import Problem, Severity, Where


class ContentState:
    """One state of a content folder.

    Attributes:
        problems: All findings, sorted by file, line and column.
        data: The pack's bytes; None when a finding is an error.
        digest: Tells this state of the files from another.
        plans: The plan files, as paths from the folder, sorted.
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        problems: tuple[Problem, ...],
        data: bytes | None,
        *,
        digest: str,
        plans: tuple[str, ...],
    ) -> None:
        self.digest = digest
        self.plans = plans
        self.problems = problems
        self.data = data
        self._documents = documents
        self._sources: dict[str, _Source] = {}

    def file_of(self, pool: str) -> str:
        """Return the file of a pool, from the parent of the content folder; empty when it is gone."""
        document = self._documents.get(pool)
        return "" if document is None else document.file.name

    def index_of(self, pool: str, line_id: str) -> int | None:
        """Return which entry of ``lines`` a line is, from 0, or None."""
        source = self._source(pool)
        return None if source is None else source.positions.get(line_id)

    def where(self, pool: str, line_id: str) -> Where:
        """Return where a line stands; only its file, or nothing, when it is not there any more."""
        source = self._source(pool)
        at = None if source is None else source.positions.get(line_id)
        if source is None or at is None:
            return Where(file=self.file_of(pool) or None)
        line, column = source.place(at)
        return Where(file=source.file, line=line, column=column, pointer=f"$.lines[{at}]")

    def authored(self, pool: str, line_id: str) -> Mapping[str, Any]:
        """Return a line as it is written, with what packs leave out; empty when it is gone."""
        source = self._source(pool)
        at = None if source is None else source.positions.get(line_id)
        if source is None or at is None:
            return {}
        entry: Mapping[str, Any] = source.root["lines"][at]
        return entry

    def header(self, pool: str) -> Mapping[str, Any]:
        """Return what a pool's file says beside its lines; empty when the file is gone."""
        document = self._documents.get(pool)
        root: Mapping[str, Any] = {} if document is None else document.root
        return {name: part for name, part in root.items() if name != "lines"}

    def _source(self, pool: str) -> _Source | None:
        if pool not in self._sources and pool in self._documents:
            self._sources[pool] = _Source(self._documents[pool])
        return self._sources.get(pool)


class _Source:
    """The file of one pool, for looking up its lines."""

    def __init__(self, document: Document) -> None:
        self.file = document.file.name
        self.root = document.root
        self._path = document.file
        self.positions: dict[str, int] = {}
        for at, line in document.lines:
            line_id = line.get("id")
            if isinstance(line_id, str):
                self.positions.setdefault(line_id, at)

    @cached_property
    def _rows(self) -> list[tuple[int, int]]:
        data, _ = _tree.read(self._path)
        return entry_rows(_yaml.text_of(data) or "", len(self.root["lines"]))

    def place(self, at: int) -> tuple[int | None, int | None]:
        """Return line and column of an entry of ``lines``, both from 1."""
        return self._rows[at] if at < len(self._rows) else (None, None)


class LiveContent:
    """Reads a content folder again and again, and what did not change only once.

    Args:
        root: The content folder.
        cache: As for ``compile_content``.
        progress: As there.
    """

    def __init__(
        self, root: Path, *, cache: Path | None = None, progress: Progress | None = None
    ) -> None:
        self.root = root.resolve()
        self._cache = cache
        self._progress = progress

    def read(self) -> ContentState:
        """Return the state of the folder now; nothing is raised for what is in its files."""
        tree = _tree.walk(self.root)
        checked = check_tree(tree, None, self._progress)
        is_fine = not any(problem.severity is Severity.ERROR for problem in checked.problems)
        documents = {one.file.key: one for one in checked.documents if one.file.kind in POOL_KINDS}
        data = canonical(pack_of(checked)) if is_fine else None
        return ContentState(
            documents,
            checked.problems,
            data,
            digest=_digest_of(tree),
            plans=tuple(f"{file.key}.yaml" for file in tree.plans),
        )


def _digest_of(tree: _tree.Tree) -> str:
    found = hashlib.sha256()
    for file in (*tree.files, *tree.plans):
        data, fault = _tree.read(file)
        found.update(f"{file.name}\0{len(data)}\0{fault}\0".encode())
        found.update(hashlib.sha256(data).digest())
    return found.hexdigest()
