"""From the plan files of a tree to their cases, with everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from talebearer.content import _structure, _tree, _yaml
from talebearer.content._findings import Draft, Layout, ValuePath, placed, pointer
from talebearer.content._schemas import Checker, checker_for
from talebearer.content.plans import _steps
from talebearer.content.plans._words import words_of
from talebearer.errors import Problem, Severity, Where
from talebearer.lines import Pack

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One plan file that is in order.

    Attributes:
        file: Its name, from the parent of the content folder.
        root: What is in it, as its schema describes it.
        text: The file's text.
    """

    file: str
    root: Mapping[str, Any]
    text: str

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.text)

    def where(self, path: ValuePath, *, on_key: bool = False) -> Where:
        """Return where the value at *path* stands in the file."""
        line, column = self._layout.place(path, on_key=on_key) or (None, None)
        return Where(file=self.file, line=line, column=column, pointer=pointer(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans:
    """The plans of a tree.

    Attributes:
        plans: Those without an error, in the order of their paths.
        problems: All findings, sorted by file and place.
        files: How many plan files there are.
    """

    plans: tuple[Plan, ...]
    problems: tuple[Problem, ...]
    files: int


def read_plans(root: Path, pack: Pack, *, progress: Progress | None = None) -> Plans:
    """Read every ``*.plan.yaml`` below the content folder *root*.

    Nothing is raised for what is in the files; each fault is a finding at its line and column.

    Args:
        root: The content folder.
        pack: What was compiled from it; names in plans are checked against it.
        progress: Called with (stage, files done, files in all).

    Source: rule LP-L12.
    """
    files = _tree.walk(root).plans
    checker = checker_for("plan", words_of(pack))
    plans: list[Plan] = []
    problems: list[Problem] = []
    for done, file in enumerate(files):
        if progress is not None:
            progress("reading plans", done, len(files))
        plan, found = _read(file, checker, pack)
        problems.extend(found)
        if plan is not None:
            plans.append(plan)
    return Plans(plans=tuple(plans), problems=tuple(problems), files=len(files))


def check_plans(files: Iterable[tuple[str, bytes]], pack: Pack) -> list[Problem]:
    """Return what is wrong in plans that need not be on disk, each as its name and bytes."""
    checker = checker_for("plan", words_of(pack))
    return [
        problem
        for name, data in files
        for problem in plan_problems(name, _yaml.parse(data), checker, pack)
    ]


def read_plan_text(text: str) -> dict[str, Any] | None:
    """Return the mapping that *text*, a plan file's, holds as YAML, unchecked; None with any fault."""
    parsed = _yaml.parse(text.encode())
    return None if parsed.drafts else parsed.value


def _read(
    file: _tree.ContentFile, checker: Checker, pack: Pack
) -> tuple[Plan | None, list[Problem]]:
    data, fault = _tree.read(file)
    parsed = _yaml.Parsed(drafts=(fault,)) if fault else _yaml.parse(data)
    problems = plan_problems(file.name, parsed, checker, pack)
    is_bad = any(problem.severity is Severity.ERROR for problem in problems)
    if is_bad or parsed.value is None or parsed.text is None:
        return None, problems
    return Plan(file=file.name, root=parsed.value, text=parsed.text), problems


def plan_problems(
    name: str, parsed: _yaml.Parsed, checker: Checker, pack: Pack | None
) -> list[Problem]:
    """Return what is wrong in the plan *name*, sorted by place; names only where there is a pack."""
    drafts = list(parsed.drafts)
    if parsed.value is not None:
        drafts += _checked(parsed.value, checker, pack)
    return sorted(placed(drafts, file=name, text=parsed.text), key=_order)


def _checked(value: dict[str, Any], checker: Checker, pack: Pack | None) -> Iterator[Draft]:
    """Yield what is wrong; names are looked at only where the structure is right."""
    faults = list(_structure.check(value, checker))
    yield from faults
    if not faults and pack is not None:
        yield from _steps.check(value, pack)


def _order(problem: Problem) -> tuple[int, int, str, str]:
    where = problem.where
    return where.line or 0, where.column or 0, problem.code, problem.message
