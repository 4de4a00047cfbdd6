"""A whole tree, read once: every finding in one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from talebearer.content import _guidelines, _rules, _structure, _tree, _yaml
from talebearer.content._enums import Enums, gather
from talebearer.content._findings import Draft, placed
from talebearer.content._rules import Document
from talebearer.content._schemas import SCHEMAS, Checker, dump_schemas, specialised
from talebearer.content._tree import SCHEMA_OF, ContentFile, FileKind
from talebearer.errors import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A tree that was read and checked.

    Attributes:
        documents: Every file with a mapping in it, in the order of their keys.
        enums: The enumerations in force.
        problems: All findings, sorted by file, line, column and code.
    """

    documents: list[Document]
    enums: Enums
    problems: tuple[Problem, ...]


class _Run:
    """The findings of one run, and the texts that they are about."""

    def __init__(self) -> None:
        self.texts: dict[str, str | None] = {}
        self.drafts: defaultdict[str, list[Draft]] = defaultdict(list)

    def load(self, file: ContentFile) -> Document | None:
        """Read *file*, note what is wrong with it, and return what is in it."""
        data, fault = _tree.read(file)
        parsed = _yaml.Parsed(drafts=(fault,)) if fault else _yaml.parse(data)
        self.texts[file.name] = parsed.text
        self.drafts[file.name].extend(parsed.drafts)
        return None if parsed.value is None else Document(file=file, root=parsed.value)

    def problems(self) -> Iterator[Problem]:
        for name, drafts in self.drafts.items():
            yield from placed(drafts, file=name, text=self.texts.get(name))


def lint(root: Path) -> tuple[Problem, ...]:
    """Return everything that is wrong with the content folder *root*, in one run.

    Nothing is raised for what is in the files: each fault is a finding, at its line and column
    where it has one. File names are given from the parent of *root*. Errors bar a pack; warnings
    and notes do not.

    Source: the line-pool spec sections 3-8; rules LP-L6, LP-L7, LP-L8, LP-L12 and IM-M11.
    """
    return check_tree(root).problems


def check_tree(root: Path) -> Checked:
    """Return what is below *root* with all findings."""
    run = _Run()
    tree = _tree.walk(root)
    for name, draft in tree.drafts:
        run.drafts[name].append(draft)
    documents = [found for file in tree.files if (found := run.load(file)) is not None]
    enums = _enums_of(documents)
    _check_structure(documents, enums, run)
    index = _rules.index_of(documents, enums)
    for document in documents:
        run.drafts[document.file.name].extend(_rules.check(document, index))
    for name, draft in _rules.check_names(documents):
        run.drafts[name].append(draft)
    for document, draft in _guidelines.check(documents, index):
        run.drafts[document.file.name].append(draft)
    problems = tuple(sorted(run.problems(), key=_order))
    return Checked(documents=documents, enums=enums, problems=problems)


def _enums_of(documents: list[Document]) -> Enums:
    return gather({d.file.stem: d.root for d in documents if d.file.kind is FileKind.ENUM})


def _check_structure(documents: list[Document], enums: Enums, run: _Run) -> None:
    checkers = {name: Checker(specialised(name, enums.values)) for name in SCHEMAS}
    for document in documents:
        checker = checkers[SCHEMA_OF[document.file.kind]]
        run.drafts[document.file.name].extend(_structure.check(document.root, checker))


def _order(problem: Problem) -> tuple[str, int, int, str, str]:
    where = problem.where
    return (where.file or "", where.line or 0, where.column or 0, problem.code, problem.message)


def write_schemas(folder: Path) -> None:
    """Write the JSON Schemas of authored files into *folder*, for editors and other tools.

    The values of the enumerations are those of the content that *folder* is in
    (``content/_schema`` beside ``content/global/enums``), or the defaults. Files that are there
    already are replaced; the folder is made if it is missing.

    Raises:
        OSError: The folder cannot be written.

    Source: the line-pool spec section 11.
    """
    run = _Run()
    files = _tree.enum_files(folder.resolve().parent)
    documents = [found for file in files if (found := run.load(file)) is not None]
    dump_schemas(folder, _enums_of(documents).values)
