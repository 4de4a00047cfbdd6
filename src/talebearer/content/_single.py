"""One authored file by itself, read by a schema: its value, or everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer.content import _structure, _tree, _yaml
from talebearer.content._findings import Layout, ValuePath, placed, pointer
from talebearer.content._schemas import checker_for
from talebearer.content.plans._words import words_of
from talebearer.errors import Problem, Severity, Where
from talebearer.lines import Pack


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoredFile:
    """One file that was read.

    Attributes:
        file: Its name, as it was given.
        root: What is in it; empty when there is a problem.
        problems: Everything that is wrong with its form, by line and column.
        text: The file's text; None when it is no text.
    """

    file: str
    root: Mapping[str, Any]
    problems: tuple[Problem, ...]
    text: str | None

    def problem(self, code: str, path: ValuePath, message: str, hint: str = "") -> Problem:
        """Return an error about the value at *path*."""
        mark = None if self.text is None else Layout(self.text).place(path)
        line, column = mark or (None, None)
        where = Where(file=self.file, line=line, column=column, pointer=pointer(path))
        return Problem(code=code, severity=Severity.ERROR, where=where, message=message, hint=hint)


def read_authored(path: Path, schema: str, pack: Pack) -> AuthoredFile:
    """Return the YAML file *path*, checked by *schema*, one of :data:`SCHEMAS`.

    Nothing is raised for what is in the file; a file that cannot be read is a problem, too.

    Args:
        path: The file; at most as large as a pool may be.
        schema: Which schema.
        pack: The pack whose enumerations it may use.
    """
    name = path.as_posix()
    file = _tree.ContentFile(kind=_tree.FileKind.PLAN, name=name, key=name, path=path)
    data, fault = _tree.read(file)
    parsed = _yaml.Parsed(drafts=(fault,)) if fault else _yaml.parse(data)
    drafts = list(parsed.drafts)
    if parsed.value is not None:
        drafts += _structure.check(parsed.value, checker_for(schema, words_of(pack)))
    problems = sorted(placed(drafts, file=name, text=parsed.text), key=_order)
    root = parsed.value if parsed.value is not None and not problems else {}
    return AuthoredFile(file=name, root=root, problems=tuple(problems), text=parsed.text)


def _order(problem: Problem) -> tuple[int, int, str, str]:
    where = problem.where
    return where.line or 0, where.column or 0, problem.code, problem.message
