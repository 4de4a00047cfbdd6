"""A content folder that is being written: its pack and findings, again after each save."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from talebearer.content import _tree
from talebearer.content._cache import Cache, Made
from talebearer.content._compile import joined, parts_of
from talebearer.content._findings import entry_rows
from talebearer.content._lint import Progress, check_tree
from talebearer.content._memo import Memo
from talebearer.content._rules import Document
from talebearer.content._tree import POOL_KINDS, ContentFile, Tree
from talebearer.errors import Problem, Severity, Where
from talebearer.lines import Pack, PackShelf, load_pack


class ContentState:
    """One state of a content folder.

    Attributes:
        problems: All findings, sorted by file, line and column.
        pack: The pack; None when a finding is an error.
        digest: Tells this state of the files from another.
        plans: The plan files, as paths from the folder, sorted.
    """

    def __init__(
        self,
        tree: Tree,
        memo: Memo,
        problems: tuple[Problem, ...],
        pack: Pack | None,
        digest: str,
        before: ContentState | None = None,
    ) -> None:
        self.problems = problems
        self.pack = pack
        self.digest = digest
        self.plans = tuple(f"{file.key}.yaml" for file in tree.plans)
        self._files = {file.key: file for file in tree.files if file.kind in POOL_KINDS}
        self._memo = memo
        self._sources: dict[str, _Source | None] = {}
        self._before = {} if before is None else before._sources

    def file_of(self, pool: str) -> str:
        """Return the file of a pool, from the parent of the content folder; empty when it is gone."""
        file = self._files.get(pool)
        return "" if file is None else file.name

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
        return Where(file=source.file.name, line=line, column=column, pointer=f"$.lines[{at}]")

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
        source = self._source(pool)
        root: Mapping[str, Any] = {} if source is None else source.root
        return {name: part for name, part in root.items() if name != "lines"}

    def _source(self, pool: str) -> _Source | None:
        if pool not in self._sources:
            file = self._files.get(pool)
            parsed = None if file is None else self._memo.parsed(file)
            found = None
            if file is not None and parsed is not None and parsed.value is not None:
                found = self._before.get(pool)
                if found is None or found.root is not parsed.value:
                    found = _Source(Document(file=file, root=parsed.value), parsed.text or "")
            self._sources[pool] = found
        return self._sources[pool]


class _Source:
    """The file of one pool, for looking up its lines."""

    def __init__(self, document: Document, text: str) -> None:
        self.file: ContentFile = document.file
        self.root = document.root
        self._text = text
        self.positions: dict[str, int] = {}
        for at, line in document.lines:
            line_id = line.get("id")
            if isinstance(line_id, str):
                self.positions.setdefault(line_id, at)

    @cached_property
    def _rows(self) -> list[tuple[int, int]]:
        lines = self.root.get("lines")
        return entry_rows(self._text, len(lines) if isinstance(lines, list) else 0)

    def place(self, at: int) -> tuple[int | None, int | None]:
        """Return line and column of an entry of ``lines``, both from 1."""
        return self._rows[at] if at < len(self._rows) else (None, None)


class LiveContent:
    """Reads a content folder again and again, and what did not change only once.

    Args:
        root: The content folder.
        cache: As for ``compile_content``; used by the first reading.
        progress: As there.

    Source: rule LP-L8.
    """

    def __init__(
        self, root: Path, *, cache: Path | None = None, progress: Progress | None = None
    ) -> None:
        self.root = root.resolve()
        self._folder = cache
        self._progress = progress
        self._memo = Memo(Cache(cache, is_read_only=True))
        self._shelf = PackShelf(parse=orjson.loads)
        self._state: ContentState | None = None

    def first(self) -> ContentState:
        """Return the state of the folder now, from the cache if nothing changed since it was made.

        Nothing is raised for what is in the files. What came of the cache has not been read; a
        caller with time does that by :meth:`read`, which is then as quick after the first save as
        after the next.
        """
        cache = Cache(self._folder)
        tree = _tree.walk(self.root)
        cache.open(self.root)
        cache.look(tree)
        made = cache.recall(tree)
        if made is None or made.pack is None:
            self._memo.cache = cache
            state, data, counts = self._read(tree)
            cache.keep(self.root, tree, Made(problems=state.problems, pack=data, counts=counts))
            self._memo.cache = Cache(self._folder, is_read_only=True)
            return state
        return ContentState(
            tree, self._memo, made.problems, load_pack(made.pack, parse=orjson.loads), ""
        )

    def read(self) -> ContentState:
        """Return the state of the folder now; the same object while nothing changed in it."""
        return self._read(_tree.walk(self.root))[0]

    def _read(self, tree: Tree) -> tuple[ContentState, bytes | None, tuple[int, int]]:
        memo, before = self._memo, self._state
        memo.begin()
        found = hashlib.sha256()
        for file in tree.files:
            memo.parsed(file)
            found.update(f"{file.name}\0{memo.digest(file)}\0".encode())
        for plan in tree.plans:
            found.update(f"{plan.name}\0{_stamp(plan)}\0".encode())
        for name, draft in tree.drafts:
            found.update(f"{name}\0{draft.code}\0{draft.message}\0".encode())
        digest = found.hexdigest()
        if before is not None and before.digest == digest:
            return before, None, (0, 0)
        checked = check_tree(tree, None, self._progress, memo=memo)
        memo.keep_only(file.name for file in tree.files)
        if _has_error(checked.problems):
            self._state = ContentState(tree, memo, checked.problems, None, digest, before)
            return self._state, None, (0, 0)
        head, pools = parts_of(checked, memo)
        data = joined(head, pools)
        pack = self._shelf.load(head, pools, digest=f"sha256:{hashlib.sha256(data).hexdigest()}")
        self._state = ContentState(tree, memo, checked.problems, pack, digest, before)
        return self._state, data, (len(pools), pack.size)


def _has_error(problems: tuple[Problem, ...]) -> bool:
    return any(problem.severity is Severity.ERROR for problem in problems)


def _stamp(file: ContentFile) -> tuple[int, int]:
    """Return what tells a plan from what it was before, without reading it."""
    try:
        status = file.path.stat()
    except OSError:
        return (0, 0)
    return (status.st_size, status.st_mtime_ns)
