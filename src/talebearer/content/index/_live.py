"""A content tree of which an editor has some files open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer.content import _tree
from talebearer.content._compile import canonical, pack_of
from talebearer.content._findings import Mark
from talebearer.content._lint import Checked, check_tree
from talebearer.content._memo import Memo
from talebearer.content._schemas import checker_for
from talebearer.content._tree import SCHEMA_OF, ContentFile, FileKind
from talebearer.content.index._symbols import FileIndex, Symbols
from talebearer.content.plans import plan_problems
from talebearer.errors import Problem, Severity
from talebearer.lines import Pack, load_pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What a tree held at one moment.

    Attributes:
        root: The content folder, links resolved.
        checked: Its documents and findings, as ``lint`` tells them.
        plan_problems: What is wrong in the plans that are open, as ``talebearer test`` tells it.
        symbols: Its names; a file with faults of YAML counts as it was before.
        files: Every file that is read, plans along, by its name in findings.
        texts: The text of each of them, without a byte order mark; None if it has none.
    """

    root: Path
    checked: Checked
    plan_problems: tuple[Problem, ...]
    symbols: Symbols
    files: Mapping[str, ContentFile]
    texts: Mapping[str, str | None]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All findings that ``lint`` has, sorted by file and place."""
        return self.checked.problems

    def file_at(self, path: Path) -> ContentFile | None:
        """Return the file at *path*, which begins with the root."""
        return next((file for file in self.files.values() if file.path == path), None)

    def is_current(self, name: str) -> bool:
        """Return whether the names of the file *name* are those of its present text."""
        index = self.symbols.files.get(name)
        return index is not None and index.text == self.texts.get(name)

    def end_of(self, name: str, mark: Mark) -> Mark | None:
        """Return where the scalar that begins at *mark* of the file *name* ends, both 1-based."""
        index = self.symbols.files.get(name)
        return index.end(mark) if index is not None and self.is_current(name) else None


class LiveTree:
    """Checks one content folder again and again; only what has changed is read anew.

    Not safe for use by two threads at once.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._memo = Memo()
        self._indexes: dict[str, FileIndex] = {}
        self._pack: tuple[list[dict[str, Any]], Pack] | None = None

    def check(self, buffers: Mapping[Path, bytes] | None = None) -> Analysis:
        """Return what the tree holds now.

        Args:
            buffers: What an editor has open, by path below the folder, in place of what is on
                disk. A path that is not there yet counts as a file.

        The findings are those that :func:`talebearer.content.lint` would tell, were the buffers
        saved.
        """
        self._memo.begin(buffers or {})
        tree = _tree.walk(self.root, buffers or ())
        checked = check_tree(tree, memo=self._memo)
        files = {file.name: file for file in (*tree.files, *tree.plans)}
        self._indexes = {
            name: index for name, file in files.items() if (index := self._index(file)) is not None
        }
        texts = {name: self._memo.parsed(file).text for name, file in files.items()}
        self._memo.keep_only(files)
        return Analysis(
            root=self.root,
            checked=checked,
            plan_problems=tuple(self._plans(tree, checked, buffers or {})),
            symbols=Symbols(self._indexes.values()),
            files=files,
            texts=texts,
        )

    def _plans(
        self, tree: _tree.Tree, checked: Checked, buffers: Mapping[Path, bytes]
    ) -> Iterator[Problem]:
        """Yield what is wrong in the open plans; names only while the rest has no errors."""
        opened = [file for file in tree.plans if file.path in buffers]
        if not opened:
            return
        checker = checker_for(SCHEMA_OF[FileKind.PLAN], checked.index.enums.values)
        pack = self._pack_of(checked)
        for file in opened:
            yield from plan_problems(file.name, self._memo.parsed(file), checker, pack)

    def _pack_of(self, checked: Checked) -> Pack | None:
        """Return the pack of what was *checked*, made again only when something in it changed."""
        if any(problem.severity is Severity.ERROR for problem in checked.problems):
            return None
        roots = [document.root for document in checked.documents]
        if self._pack is not None and list(map(id, self._pack[0])) == list(map(id, roots)):
            return self._pack[1]
        pack = load_pack(canonical(pack_of(checked)))
        self._pack = roots, pack
        return pack

    def _index(self, file: ContentFile) -> FileIndex | None:
        """Return the index of *file* as it is, or as it was before it could not be read."""
        parsed = self._memo.parsed(file)
        known = self._indexes.get(file.name)
        if parsed.value is None or parsed.text is None:
            return known
        if known is not None and known.root is parsed.value:
            return known
        return FileIndex(file, parsed.value, parsed.text)
