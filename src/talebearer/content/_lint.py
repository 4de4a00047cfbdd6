"""A whole tree, read once: every finding in one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer._whole import StagedFiles
from talebearer.content import (
    _contradictions,
    _guidelines,
    _keys,
    _rules,
    _structure,
    _tree,
    _usage,
    _yaml,
)
from talebearer.content._cache import Cache
from talebearer.content._enums import Enums, gather
from talebearer.content._findings import Draft, placed
from talebearer.content._memo import Memo
from talebearer.content._rules import Document, Index
from talebearer.content._schemas import Checker, checker_for, schema_fits, schema_texts
from talebearer.content._tree import SCHEMA_OF, ContentFile, FileKind, Tree
from talebearer.errors import Problem, Severity
from talebearer.errors import findings_content as codes

Progress = Callable[[str, int, int], None]
"""Told (stage, files done, files in all)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A tree that was read and checked.

    Attributes:
        documents: Every file with a mapping in it, in the order of their keys.
        index: What they declare.
        problems: All findings, sorted by file, line, column and code.
    """

    documents: list[Document]
    index: Index
    problems: tuple[Problem, ...]


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Tell nobody."""


class _Run:
    """The findings of one run, and the texts that they are about."""

    def __init__(self, cache: Cache | None = None, memo: Memo | None = None) -> None:
        self.texts: dict[str, str | None] = {}
        self.drafts: defaultdict[str, list[Draft]] = defaultdict(list)
        self._cache = cache or Cache(None)
        self._memo = memo
        self._unread: dict[str, ContentFile] = {}
        self._entries: dict[str, int] = {}

    def load(self, file: ContentFile) -> Document | None:
        """Return what is in *file*, and note what is wrong with it; unchanged, it is not read."""
        known = self._cache.value(file)
        if known is not None:
            self._unread[file.name] = file
            return self._document(file, known)
        if self._memo is not None:
            parsed = self._memo.parsed(file)
        else:
            data, fault = _tree.read(file)
            parsed = _yaml.Parsed(drafts=(fault,)) if fault else _yaml.parse(data)
            if not fault:
                self._cache.note(file, data, None if parsed.drafts else parsed.value)
        self.texts[file.name] = parsed.text
        self.drafts[file.name].extend(parsed.drafts)
        return None if parsed.value is None else self._document(file, parsed.value)

    def _document(self, file: ContentFile, root: dict[str, Any]) -> Document:
        lines = root.get("lines")
        if isinstance(lines, list):
            self._entries[file.name] = len(lines)
        return (
            Document(file=file, root=root)
            if self._memo is None
            else self._memo.document(file, root)
        )

    def faulty(self) -> frozenset[str]:
        """Return the names of the files that have errors."""
        return frozenset(
            name
            for name, drafts in self.drafts.items()
            if any(draft.severity is Severity.ERROR for draft in drafts)
        )

    def structure(self, document: Document, checker: Checker) -> Iterable[Draft]:
        """Return what *checker*'s schema refuses in *document*."""
        if self._memo is not None:
            return self._memo.structure(document.file.name, document.root, checker)
        return _structure.check(document.root, checker)

    def rules(self, document: Document, index: Index) -> Iterable[Draft]:
        """Return what is wrong with *document* beyond its schema."""
        if self._memo is not None:
            return self._memo.rules(document, index)
        return _rules.check(document, index)

    def impossible(self) -> frozenset[tuple[str, int]]:
        """Return file and index of the lines that have a gate which can never be met."""
        return frozenset(
            (name, draft.path[1])
            for name, drafts in self.drafts.items()
            for draft in drafts
            if draft.code == codes.IMPOSSIBLE
            and draft.path[:1] == ("lines",)
            and isinstance(draft.path[1], int)
        )

    def problems(self) -> Iterator[Problem]:
        place = placed if self._memo is None else self._memo.placed
        for name, drafts in self.drafts.items():
            if drafts:
                entries = self._entries.get(name)
                yield from place(drafts, file=name, text=self._text(name), entries=entries)

    def _text(self, name: str) -> str | None:
        if name in self._unread:
            data, _ = _tree.read(self._unread[name])
            self.texts[name] = _yaml.text_of(data)
        return self.texts.get(name)


def check_tree(
    tree: Tree,
    cache: Cache | None = None,
    progress: Progress | None = None,
    *,
    memo: Memo | None = None,
) -> Checked:
    """Return what is in *tree* with all findings; *memo* has the files and their findings of before."""
    tell = progress or _silent
    run = _Run(cache, memo)
    for name, draft in tree.drafts:
        run.drafts[name].append(draft)
    documents = []
    for done, file in enumerate(tree.files):
        tell("reading", done, len(tree.files))
        if (found := run.load(file)) is not None:
            documents.append(found)
    enums = _enums_of(documents)
    _check_structure(documents, enums, run)
    if tree.root is not None:
        _check_schemas(tree.root, enums, run)
    keys = _rules.keys_of(documents) if memo is None else memo.keys(documents)
    index = _rules.index_of(documents, enums, keys)
    for done, document in enumerate(documents):
        tell("checking", done, len(documents))
        run.drafts[document.file.name].extend(run.rules(document, index))
    for check in (
        *(_rules.check_names, _rules.check_depth, _keys.check_former),
        *(_guidelines.check, _usage.check),
    ):
        for document, draft in check(documents, index):
            run.drafts[document.file.name].append(draft)
    for document, draft in list(
        _contradictions.check(documents, index, run.faulty(), run.impossible(), memo)
    ):
        run.drafts[document.file.name].append(draft)
    problems = tuple(sorted(run.problems(), key=_order))
    return Checked(documents=documents, index=index, problems=problems)


def _enums_of(documents: list[Document]) -> Enums:
    return gather({d.file.stem: d.root for d in documents if d.file.kind is FileKind.ENUM})


def _check_structure(documents: list[Document], enums: Enums, run: _Run) -> None:
    for document in documents:
        checker = checker_for(SCHEMA_OF[document.file.kind], enums.values)
        run.drafts[document.file.name].extend(run.structure(document, checker))


def _order(problem: Problem) -> tuple[str, int, int, str, str]:
    where = problem.where
    return (where.file or "", where.line or 0, where.column or 0, problem.code, problem.message)


def schemas_for(content: Path) -> dict[str, str]:
    """Return the JSON Schemas of the content folder *content* by file name, with its own values.

    Source: the line-pool spec section 11.
    """
    run = _Run()
    files = _tree.enum_files(content.resolve())
    documents = [found for file in files if (found := run.load(file)) is not None]
    return schema_texts(_enums_of(documents).values)


def write_schemas(folder: Path) -> None:
    """Write the JSON Schemas of authored files into *folder*, for editors and other tools.

    The values of the enumerations are those of the content that *folder* is in
    (``content/_schema`` beside ``content/global/enums``), or the defaults. Files that are there
    already are replaced; the folder is made if it is missing.

    Raises:
        OSError: The folder cannot be written.

    Source: the line-pool spec section 11.
    """
    with StagedFiles(is_durable=False) as files:
        for name, text in schemas_for(folder.resolve().parent).items():
            files.put(folder / name, text.encode())
        files.commit()


def _check_schemas(root: Path, enums: Enums, run: _Run) -> None:
    """Note a schema of ``_schema/`` that is not what the enumerations make of it."""
    folder = root / "_schema"
    if not folder.is_dir():
        return
    # Which names they offer does not count: those change with every fact that is written.
    stale = [
        name
        for name, text in schema_texts(enums.values).items()
        if not schema_fits(_text_at(folder / name) or "", text)
    ]
    if stale:
        draft = Draft(
            code=codes.STALE_SCHEMA,
            message=f"{', '.join(stale)} do not fit the enumerations",
            severity=Severity.NOTE,
        )
        run.drafts[f"{root.name}/_schema"].append(draft)


def _text_at(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            return stream.read(_yaml.FILE_SIZE_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return None
