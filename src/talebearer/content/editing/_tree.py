"""What a content tree would be with changed files: its findings, before anything is written."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from talebearer.content import _tree
from talebearer.content._lint import Progress, check_tree
from talebearer.content.editing._write import Change
from talebearer.errors import InvalidContent, Problem, Severity


def fresh_errors(
    root: Path, changes: Sequence[Change], *, progress: Progress | None = None
) -> tuple[Problem, ...]:
    """Return the errors that the content folder *root* has with *changes* and has not without.

    Nothing of *root* is written. Changes that make new files are checked as far as they lie where a
    file of content is read.
    """
    after = _errors(root, changes, progress)
    if not after:
        return ()
    known = Counter(_key(problem) for problem in _errors(root, (), progress))
    fresh = []
    for problem in after:
        key = _key(problem)
        if known[key]:
            known[key] -= 1
        else:
            fresh.append(problem)
    return tuple(fresh)


def barring(
    root: Path, changes: Sequence[Change], *, what: str, progress: Progress | None = None
) -> None:
    """Refuse *changes*, called *what*, if the content would have errors that it has not now.

    Raises:
        InvalidContent: It would; all of the new errors are in ``data["problems"]`` (TB106).
    """
    fresh = fresh_errors(root, changes, progress=progress)
    if fresh:
        raise InvalidContent(
            f"{what} would make content that has errors; nothing was written",
            data={"problems": [problem.as_json() for problem in fresh]},
        )


def _errors(
    root: Path, changes: Sequence[Change], progress: Progress | None
) -> tuple[Problem, ...]:
    tree = _tree.walk(root)
    with tempfile.TemporaryDirectory(prefix="talebearer-") as folder:
        staged: dict[Path, Path] = {}
        gone = {change.path.resolve() for change in changes if change.after is None}
        tree.files = [file for file in tree.files if file.path.resolve() not in gone]
        for number, change in enumerate(changes):
            if change.after is None:
                continue
            path = Path(folder) / f"{number}.yaml"
            path.write_bytes(change.after)
            staged[change.path.resolve()] = path
        tree.files = [
            replace(file, path=staged.pop(file.path.resolve(), file.path)) for file in tree.files
        ]
        for change in changes:
            made = staged.get(change.path.resolve())
            file = None if made is None else _tree.as_file(tree, change.path)
            if file is not None and made is not None:
                tree.files.append(replace(file, path=made))
        tree.files.sort(key=lambda file: (file.key, file.name))
        problems = check_tree(tree, progress=progress).problems
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)


def _key(problem: Problem) -> tuple[str, str, str]:
    return problem.code, problem.where.file or "", problem.message
