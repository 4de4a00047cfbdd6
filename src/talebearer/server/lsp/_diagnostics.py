"""Findings as an editor shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from talebearer.content.index import Analysis
from talebearer.errors import CATALOGUE, Problem, Severity
from talebearer.server.lsp._positions import Text

SOURCE = "talebearer"
PER_FILE_MAX = 1000
"""How many findings of one file are shown; the last one says how many there are besides."""

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_FIRST = re.compile(r"first in line (\d+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A finding, and how it is shown."""

    problem: Problem
    diagnostic: types.Diagnostic


def by_file(analysis: Analysis) -> dict[str, list[Problem]]:
    """Return the findings by the names of their files, in the order of their places."""
    found: dict[str, list[Problem]] = {}
    for problem in (*analysis.problems, *analysis.plan_problems):
        found.setdefault(problem.where.file or analysis.root.name, []).append(problem)
    return found


def path_in(analysis: Analysis, name: str, root: Path) -> Path:
    """Return where the file that findings call *name* is, with the content folder spelled *root*."""
    file = analysis.files.get(name)
    if file is not None:
        return root / file.path.relative_to(analysis.root)
    return root / name.removeprefix(f"{analysis.root.name}/").removeprefix(analysis.root.name)


def shown(
    analysis: Analysis, name: str, problems: list[Problem], text: Text, uri: str
) -> list[Shown]:
    """Return how the *problems* of the file *name* are shown in *text*."""
    found = [
        Shown(problem=one, diagnostic=_diagnostic(analysis, name, one, text, uri))
        for one in problems[:PER_FILE_MAX]
    ]
    more = len(problems) - len(found)
    if more > 0:
        last = found[-1].diagnostic
        last.message += f"\n(and {more} more findings in this file; talebearer lint lists all)"
    return found


def _diagnostic(
    analysis: Analysis, name: str, problem: Problem, text: Text, uri: str
) -> types.Diagnostic:
    hint = problem.hint or CATALOGUE[problem.code].fix
    related = list(_related(problem, text, uri))
    return types.Diagnostic(
        range=_range(analysis, name, problem, text),
        message=f"{problem.message}\n{hint}" if hint else problem.message,
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        source=SOURCE,
        related_information=related or None,
    )


def _range(analysis: Analysis, name: str, problem: Problem, text: Text) -> types.Range:
    """Return the range of the scalar that is wrong, else what is left of its row."""
    line, column = problem.where.line or 1, problem.where.column or 1
    end = analysis.end_of(name, (line, column)) if problem.where.line else None
    if end is None or end <= (line, column):
        row = text.rows[min(line, len(text.rows)) - 1]
        end = (line, max(len(row.rstrip()) + 1, column))
    return text.range((line, column), end)


def _related(
    problem: Problem, text: Text, uri: str
) -> Iterator[types.DiagnosticRelatedInformation]:
    """Yield the earlier place that the finding collides with."""
    match = _FIRST.search(problem.message)
    if match is not None:
        line = int(match[1])
        row = text.rows[min(line, len(text.rows)) - 1]
        indent = len(row) - len(row.lstrip(" "))
        place = text.range((line, indent + 1), (line, len(row.rstrip()) + 1))
        location = types.Location(uri=uri, range=place)
        yield types.DiagnosticRelatedInformation(location=location, message="first here")
