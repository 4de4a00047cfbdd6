"""What a content tree would be with changed files: its findings, before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeVar

from talebearer.content import _tree
from talebearer.content._cache import Cache
from talebearer.content._compile import canonical, pack_of
from talebearer.content._lint import Checked, Progress, check_tree
from talebearer.content._memo import Memo
from talebearer.content.editing._write import Change
from talebearer.content.plans import check_plans
from talebearer.errors import EditRefused, InvalidContent, Problem, Severity
from talebearer.lines import load_pack

_Key = TypeVar("_Key", bound=tuple[str, ...])


class Revision:
    """A content folder as it is, beside what it would be; what is the same in both is checked once.

    Args:
        root: The content folder.
        cache: A folder that remembers what was parsed; it is only read.
        progress: Called with (stage, files done, files in all).
    """

    def __init__(
        self, root: Path, *, cache: Path | None = None, progress: Progress | None = None
    ) -> None:
        self._root = root
        self._memo = Memo(Cache(cache, is_read_only=True))
        self._progress = progress
        self._now: Checked | None = None

    def now(self) -> Checked:
        """Return what is in the folder as it is."""
        if self._now is None:
            self._memo.begin()
            self._now = self._checked(_tree.walk(self._root))
        return self._now

    def fresh_errors(self, changes: Sequence[Change]) -> tuple[Problem, ...]:
        """Return the errors that the folder has with *changes* and has not without."""
        moved = {one.name for one in changes if one.before is None or one.after is None}
        return self._apart(_errors(self._with(changes)), moved)

    def _with(self, changes: Sequence[Change]) -> Checked:
        """Return what the folder would be with *changes*."""
        tree = _tree.walk(self._root)
        gone = {change.path.resolve() for change in changes if change.after is None}
        texts = {c.path.resolve(): c.after for c in changes if c.after is not None}
        tree.files = [file for file in tree.files if file.path.resolve() not in gone]
        buffers = {
            file.path: texts[real] for file in tree.files if (real := file.path.resolve()) in texts
        }
        known = {path.resolve() for path in buffers}
        for change in changes:
            if change.after is None or change.path.resolve() in known:
                continue
            made = _tree.as_file(tree, change.path)
            if made is not None:
                tree.files.append(made)
                buffers[made.path] = change.after
        tree.files.sort(key=lambda file: (file.key, file.name))
        self._memo.begin(buffers)
        return self._checked(tree)

    def _apart(self, after: list[Problem], moved: Collection[str]) -> tuple[Problem, ...]:
        """Return those of *after* that are not there now; a file that moves takes its own along."""
        if not after:
            return ()
        known = Counter(_key(problem, moved) for problem in _errors(self.now()))
        return tuple(problem for problem in after if not _take(known, _key(problem, moved)))

    def fresh_in_plans(self, changes: Sequence[Change]) -> tuple[Problem, ...]:
        """Return the errors that plans have with *changes* and have not without.

        Nothing is found while the pools have errors, since no name can be looked up then.
        """
        plans = _tree.walk(self._root).plans
        held = [(plan.name, _tree.read(plan)[0]) for plan in plans]
        texts = {c.path.resolve(): c for c in changes}
        after = [
            (name, data)
            for plan, (name, data) in zip(plans, held, strict=True)
            if plan.path.resolve() not in texts
        ]
        after += [
            (change.name, change.after)
            for change in changes
            if change.name.endswith(_tree.PLAN_SUFFIX) and change.after is not None
        ]
        if not after:
            return ()
        found = _plan_errors(self._with(changes), after)
        if not found:
            return ()
        known = Counter((one.code, one.message) for one in _plan_errors(self.now(), held))
        return tuple(one for one in found if not _take(known, (one.code, one.message)))

    def bar(self, changes: Sequence[Change], *, what: str, plans: bool = False) -> None:
        """Refuse *changes*, called *what*, if the folder would have errors that it has not now.

        With *plans* errors of plans count, too.

        Raises:
            EditRefused: A file would be written outside of the folder, or where no path in UTF-8 leads
                (TB121).
            InvalidContent: It would; all of the new errors are in ``data["problems"]`` (TB106).
        """
        _must_lie_inside(self._root.resolve(), changes)
        fresh = self.fresh_errors(changes) or (self.fresh_in_plans(changes) if plans else ())
        if fresh:
            raise InvalidContent(
                f"{what} would make content that has errors; nothing was written",
                data={"problems": [problem.as_json() for problem in fresh]},
            )

    def _checked(self, tree: _tree.Tree) -> Checked:
        return check_tree(tree, progress=self._progress, memo=self._memo)


def fresh_errors(
    root: Path,
    changes: Sequence[Change],
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Problem, ...]:
    """Return the errors that the content folder *root* has with *changes* and has not without.

    Nothing of *root* is written. Changes that make new files are checked as far as they lie where a
    file of content is read.
    """
    return Revision(root, cache=cache, progress=progress).fresh_errors(changes)


def barring(
    root: Path,
    changes: Sequence[Change],
    *,
    what: str,
    plans: bool = False,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> None:
    """Refuse *changes*, called *what*, if the content would have errors that it has not now.

    With *plans* errors of plans count, too.

    Raises:
        EditRefused: A file would be written outside of the folder, or where no path in UTF-8 leads
            (TB121).
        InvalidContent: It would; all of the new errors are in ``data["problems"]`` (TB106).
    """
    Revision(root, cache=cache, progress=progress).bar(changes, what=what, plans=plans)


def _must_lie_inside(root: Path, changes: Sequence[Change]) -> None:
    """Refuse what a link on the way would put elsewhere: content never writes out of its folder."""
    written = [change for change in changes if change.after is not None]
    out = [one.name for one in written if not one.path.resolve().is_relative_to(root)]
    if out:
        hint = "a link on the way leads out of it; remove the link, or choose another name"
        raise EditRefused(f"not below the content folder: {', '.join(out)}", hint=hint)
    odd = [one.name for one in written if not _tree.is_utf8(one.name)]
    if odd:
        raise EditRefused(f"the path is not UTF-8: {', '.join(map(ascii, odd))}")


def _plan_errors(checked: Checked, plans: Sequence[tuple[str, bytes]]) -> list[Problem]:
    if _errors(checked):
        return []
    pack = load_pack(canonical(pack_of(checked)))
    return [one for one in check_plans(plans, pack) if one.severity is Severity.ERROR]


def _take(known: Counter[_Key], key: _Key) -> bool:
    """Return whether *key* is known, once for each time that it is."""
    known[key] -= 1
    return known[key] >= 0


def _errors(checked: Checked) -> list[Problem]:
    return [one for one in checked.problems if one.severity is Severity.ERROR]


def _key(problem: Problem, moved: Collection[str]) -> tuple[str, str, str]:
    file = problem.where.file or ""
    return problem.code, "" if file in moved else file, problem.message
