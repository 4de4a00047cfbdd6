"""A sheet into a content tree: as a whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talebearer.content._lint import Progress
from talebearer.content.editing import Change, Revision, diff_of, write_changes
from talebearer.content.sheets._apply import changes_of
from talebearer.content.sheets._columns import columns
from talebearer.content.sheets._export import must_have_keys
from talebearer.content.sheets._grid import Grid
from talebearer.content.sheets._plan import CellChange, Conflict, NewRow, Plan, Planner
from talebearer.content.sheets._read import read_sheet
from talebearer.content.sheets._rows import pools_of
from talebearer.errors import Problem, Severity, UsageFault, Where
from talebearer.errors import findings_sheets as codes

_DIFF_CHARS_MAX = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a reader decided about a sheet.

    Attributes:
        adds: Rows without a line become lines.
        removes: Lines of the sheet's pools that have no row are deleted.
        ours: Of a conflict the content's value stays.
        theirs: Of a conflict the sheet's value wins.
        dry_run: Nothing is written.
    """

    adds: bool = False
    removes: bool = False
    ours: bool = False
    theirs: bool = False
    dry_run: bool = False

    def __post_init__(self) -> None:
        if self.ours and self.theirs:
            raise UsageFault("--ours and --theirs exclude each other", hint="leave one out")


@dataclass(slots=True, kw_only=True)
class Imported:
    """What a sheet came to.

    Attributes:
        rows: How many rows were compared.
        changes: The values that differ and were taken.
        conflicts: The values that both sides changed and nobody decided on.
        added: New lines: cell, pool, id.
        removed: Lines that were deleted: pool, id, variant.
        gone: Lines without a row that stay.
        reordered: Pools whose rows stand in another order than their lines, which stay in theirs.
        files: Names of the files that change.
        problems: Findings of the sheet, and errors that the result would have.
        diff: What would change in the files, as a unified diff; empty unless it is a dry run.
        is_written: Whether the files were written.
    """

    rows: int = 0
    changes: tuple[CellChange, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    added: tuple[dict[str, str], ...] = ()
    removed: tuple[tuple[str, str, int], ...] = ()
    gone: tuple[tuple[str, str, int], ...] = ()
    reordered: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    diff: str = ""
    is_written: bool = False

    @property
    def is_refused(self) -> bool:
        """Whether an error or a conflict bars it."""
        return bool(self.conflicts) or any(p.severity is Severity.ERROR for p in self.problems)

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "rows": self.rows,
            "changes": [change.as_json() for change in self.changes],
            "conflicts": [conflict.as_json() for conflict in self.conflicts],
            "added": list(self.added),
            "removed": [_key(key) for key in self.removed],
            "gone": [_key(key) for key in self.gone],
            "reordered": list(self.reordered),
            "files": list(self.files),
            "problems": [problem.as_json() for problem in self.problems],
            "diff": self.diff,
            "written": self.is_written,
        }


_DEFAULT = Choices()


def import_lines(
    root: Path, sheet: Path, *, choices: Choices = _DEFAULT, progress: Progress | None = None
) -> Imported:
    """Bring what was changed in *sheet* into the content folder *root*.

    Only values whose cells differ from what was exported change, each in its place; what the content
    changed meanwhile stays. All problems are found in one run. Nothing is written if there is an error
    or a conflict, or if the content would have an error that it has not now.

    Args:
        root: The content folder.
        sheet: A file that export made and somebody changed, CSV or XLSX.
        choices: What was decided about new and missing rows and about conflicts.
        progress: As in :func:`~talebearer.content.lint`.

    Raises:
        InvalidContent: A pool cannot be read, or a line has no id of its own (TB106).
        EditRefused: A file is laid out such that a change cannot be made in place (TB121).
        UsageFault: There is no such sheet, or the library for XLSX is missing (TB111).
        OSError: The file system refuses; nothing was written.

    Source: rules LP-L8-sheets and LP-L8-edit-in-place.
    """
    tell = progress or (lambda _stage, _done, _total: None)
    grid = read_sheet(sheet, tell)
    if isinstance(grid, Problem):
        return Imported(problems=[grid])
    revision = Revision(root, progress=tell)
    checked = revision.now()
    must_have_keys(checked)
    documents = pools_of(checked.documents)
    plan = Planner(grid, columns(checked.index.enums), documents).run()
    if grid.encoding == "cp1252":
        plan.problems.insert(0, _note(grid))
    report = _decided(plan, choices)
    if report.is_refused:
        return report
    files, given = changes_of(
        root,
        documents,
        changed=report.changes,
        added=plan.added,
        gone=report.removed,
        reordered=plan.reordered,
    )
    report.added = tuple(_added(row, given) for row in plan.added)
    files = [change for change in files if change.after != change.before]
    report.files = tuple(change.name for change in files)
    if choices.dry_run:
        report.diff = diff_of_all(files)
    if files:
        report.problems += revision.fresh_errors(files)
    if files and report.removed and not report.is_refused:
        report.problems += revision.fresh_in_plans(files)
    if files and not report.is_refused and not choices.dry_run:
        write_changes(files)
        report.is_written = True
    return report


def _note(grid: Grid) -> Problem:
    return Problem(
        code=codes.UNREADABLE_SHEET,
        severity=Severity.WARNING,
        where=Where(file=grid.name),
        message="the file is not UTF-8 and was read as Windows-1252",
        hint="look at accents and dashes; save it as CSV UTF-8 next time",
    )


def _decided(plan: Plan, choices: Choices) -> Imported:
    """Return what of *plan* is taken, with a finding for each row that nobody decided on."""
    changes, problems = list(plan.changes), list(plan.problems)
    conflicts = tuple(plan.conflicts)
    if choices.theirs:
        changes += [conflict.change for conflict in conflicts]
    if choices.theirs or choices.ours:
        conflicts = ()
    for row in plan.added if not choices.adds else ():
        what = f"variant {row.variant} of {row.line_id}" if row.variant else row.line_id or "a line"
        problems.append(
            Problem(
                code=codes.SHEET_ROW,
                severity=Severity.ERROR,
                where=Where(file=plan.sheet, pointer=row.place),
                message=f"{what} is new in {row.pool}",
                hint="--add makes it a line",
            )
        )
    problems += [_gone(plan.sheet, key) for key in plan.gone if not choices.removes]
    return Imported(
        rows=plan.rows,
        changes=tuple(changes),
        conflicts=conflicts,
        removed=tuple(plan.gone) if choices.removes else (),
        gone=() if choices.removes else tuple(plan.gone),
        reordered=plan.reordered,
        problems=problems,
    )


def _gone(sheet: str, key: tuple[str, str, int]) -> Problem:
    pool, line_id, variant = key
    what = f"{line_id}, variant {variant}," if variant else line_id
    return Problem(
        code=codes.SHEET_ROW_GONE,
        severity=Severity.WARNING,
        where=Where(file=sheet),
        message=f"{what} of {pool} has no row; it stays as it is",
        hint="--remove deletes such lines",
    )


def _added(row: NewRow, given: dict[str, str]) -> dict[str, str]:
    found = {"cell": row.place, "pool": row.pool, "id": given[row.place]}
    return found | ({"variant": str(row.variant)} if row.variant else {})


def _key(key: tuple[str, str, int]) -> dict[str, Any]:
    found: dict[str, Any] = {"pool": key[0], "id": key[1]}
    return found | ({"variant": key[2]} if key[2] else {})


def diff_of_all(changes: Sequence[Change]) -> str:
    """Return *changes* as one unified diff, cut at a length that nobody reads."""
    found, length = [], 0
    for change in changes:
        found.append(diff_of(change))
        length += len(found[-1])
        if length > _DIFF_CHARS_MAX:
            found.append("… and more\n")
            break
    return "".join(found)
