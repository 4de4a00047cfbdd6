"""Making a store's root, and looking at whether one is in order.

Making never overwrites: what is there is looked at first, all of it, and only when nothing is wrong
is what is missing made. Folders and files are their owner's only.

Source: the protocol sheet, section 3.6.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talebearer.errors import Problem, Severity, StoreError, TalebearerError, Where
from talebearer.errors.findings_store import CONFIG_FAULT, OPEN_MODE
from talebearer.store._open import check_file, sync_folder
from talebearer.store._schema_sql import SCHEMA_VERSION
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._files import make_folder, write_document
from talebearer.store.upkeep._place import Place

Checks = Mapping[str, Callable[[Path], object]]
"""For each settings file by its name: reads it, and raises what is wrong with it."""

_OTHERS = 0o077
_STATE = """
SELECT generation, running,
    (SELECT count(*) FROM patchouli_scope_frontier),
    (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'patchouli_change')
FROM patchouli_runtime_state
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitReport:
    """What making a root did.

    Attributes:
        root: The root.
        made: What was made, below the root, in order.
        kept: What was there already and is in order.
        problems: What is wrong with what is there; with any, nothing was made.
    """

    root: str
    made: tuple[str, ...]
    kept: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a quick look at a store found.

    Attributes:
        facts: What it is: paths, versions, how often it was opened, scopes, the last cursor.
        problems: What is wrong.
    """

    facts: Mapping[str, Any]
    problems: tuple[Problem, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is an error."""
        return all(problem.severity is not Severity.ERROR for problem in self.problems)


def init_root(place: Place, *, files: Mapping[str, Any], checks: Checks) -> InitReport:
    """Make what is missing of a store's root.

    Args:
        place: The paths of the root.
        files: The documents of the settings files, by name, for those that are missing.
        checks: How each settings file that is there is checked.

    Raises:
        StoreFull, StoreUnavailable: What the disk does (TB206, TB210).
    """
    folders = [place.root, place.root / "data", place.artifacts, place.run]
    paths = {name: place.root / name for name in files}
    problems = [*_folder_problems(folders), *_file_problems(paths, checks)]
    if problems:
        return InitReport(root=str(place.root), made=(), kept=(), problems=tuple(problems))
    made: list[Path] = []
    kept: list[Path] = []
    for folder in folders:
        (kept if folder.exists() else made).append(folder)
        make_folder(folder)
    for name, document in files.items():
        (kept if paths[name].exists() else made).append(paths[name])
        if not paths[name].exists():
            write_document(paths[name], document)
    sync_folder(place.root)
    return InitReport(
        root=str(place.root), made=_names(place, made), kept=_names(place, kept), problems=()
    )


def check_store(place: Place, *, checks: Checks) -> CheckReport:
    """Look at settings, modes and the head of the database; nothing is written, nothing is scanned.

    Args:
        place: The store.
        checks: How each settings file is checked; one that is missing takes its default.
    """
    problems: list[Problem] = []
    facts: dict[str, Any] = {
        "root": str(place.root),
        "layout": "campaign" if place.config is None else "root",
        "database": str(place.database),
        "artifacts": str(place.artifacts),
        "schema_version": SCHEMA_VERSION,
    }
    if place.config is not None:
        folders = [place.root, place.root / "data", place.artifacts, place.run]
        there = [folder for folder in folders if folder.exists()]
        problems += _folder_problems(there)
        names = (place.config, place.providers)
        paths = {path.name: path for path in names if path is not None}
        problems += _file_problems(paths, checks)
    exists = False
    try:
        # What is empty counts as none: the first writer fills it.
        exists = check_file(place.database)
        if exists:
            facts |= _state(place)
    except StoreError as error:
        exists = True
        problems.append(_problem(place.database, error.message, hint=error.hint))
    facts["database_exists"] = exists
    return CheckReport(facts=facts, problems=tuple(problems))


def _state(place: Place) -> dict[str, Any]:
    with Reading(place) as reading:
        ((generation, running, scopes, cursor),) = reading.rows(_STATE)
    return {
        "generation": generation,
        "running": bool(running),
        "scopes": scopes,
        "cursor": str(cursor),
        "database_bytes": place.database.stat().st_size,
    }


def _folder_problems(folders: list[Path]) -> Iterator[Problem]:
    for folder in folders:
        if not folder.exists() and not folder.is_symlink():
            continue
        if not folder.is_dir() or folder.is_symlink():
            yield _problem(folder, "is no folder", hint="move it away")
        else:
            yield from _mode_problems(folder)


def _file_problems(paths: Mapping[str, Path], checks: Checks) -> Iterator[Problem]:
    for name, path in paths.items():
        if not path.exists() and not path.is_symlink():
            continue
        if not path.is_file() or path.is_symlink():
            yield _problem(path, "is no regular file", hint="move it away")
            continue
        yield from _mode_problems(path)
        if name in checks:
            yield from _content_problems(path, checks[name])


def _content_problems(path: Path, check: Callable[[Path], object]) -> Iterator[Problem]:
    try:
        check(path)
    except TalebearerError as error:
        found = error.data.get("problems") or [{"message": error.message, "hint": error.hint}]
        for one in found:
            pointer = one.get("pointer") or one.get("where", {}).get("pointer")
            yield _problem(path, one["message"], hint=one.get("hint", ""), pointer=pointer)


def _mode_problems(path: Path) -> Iterator[Problem]:
    mode = path.stat().st_mode
    if stat.S_IMODE(mode) & _OTHERS:
        yield Problem(
            code=OPEN_MODE,
            severity=Severity.ERROR,
            where=Where(file=str(path)),
            message=f"its mode is {stat.filemode(mode)}",
            hint=f"chmod go= {path}",
        )


def _problem(path: Path, message: str, *, hint: str = "", pointer: str | None = None) -> Problem:
    return Problem(
        code=CONFIG_FAULT,
        severity=Severity.ERROR,
        where=Where(file=str(path), pointer=pointer),
        message=message,
        hint=hint,
    )


def _names(place: Place, paths: list[Path]) -> tuple[str, ...]:
    return tuple(path.relative_to(place.root).as_posix() for path in paths)
