"""Several files put in their places together, or none of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from talebearer._whole import part_of, put_staged, put_whole, stage
from talebearer.content.editing._diff import unified
from talebearer.errors import EditRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file before and after.

    Attributes:
        path: The file.
        name: Its name from the content folder's parent, for messages.
        before: Its bytes as they were read; None for a new file.
        after: Its bytes to be; None for a file that goes.
    """

    path: Path
    name: str
    before: bytes | None
    after: bytes | None


def write_changes(changes: Sequence[Change]) -> None:
    """Write all of *changes*; what cannot be written takes the others back with it.

    A file that is no longer as it was read, or is marked read-only, stops everything before the first
    is written. All new bytes are on disk beside their files before the first one takes its place, so
    that a full disk changes nothing; power that fails between two of them leaves each file whole, old
    or new. What somebody else writes meanwhile is not overwritten when changes are taken back. Of two that
    write at once one comes second, and is refused where the first one changed the same files.

    Raises:
        EditRefused: A file has changed since it was read, or is read-only (TB121).
        OSError: The file system refuses; the files are as they were.
    """
    with _alone_in(changes):
        _write(changes)


def _write(changes: Sequence[Change]) -> None:
    for change in changes:
        _must_be_as_read(change)
    _must_be_writable(changes)
    modes = {one.path: _mode(one.path) for one in changes if one.before is not None}
    staged: list[tuple[Path, Change]] = []
    done: list[Change] = []
    try:
        for change in changes:
            if change.after is None:
                continue
            target = _real(change.path)
            staged.append((target, change))
            stage(target, change.after)
            if change.before is not None:
                part_of(target).chmod(modes[change.path])
        for target, change in staged:
            done.append(change)  # before it is: an interrupt may come between the two
            put_staged(target)
        for change in changes:
            if change.after is None:
                done.append(change)
                change.path.unlink()
    except BaseException as fault:
        for change in reversed(done):
            try:
                _take_back(change, modes.get(change.path))
            except OSError as error:  # the others are still to be taken back
                fault.add_note(f"{change.path} could not be put back: {error}")
        raise
    finally:
        for target, _ in staged:
            part_of(target).unlink(missing_ok=True)
    _drop_emptied(changes)


@contextmanager
def _alone_in(changes: Sequence[Change]) -> Iterator[None]:
    """Let nobody else who writes so write into the folders of *changes* meanwhile.

    Of two that change the same file the second then finds it changed, and refuses. Folders are locked,
    in order, so that no file is left behind and nobody waits for each other.
    """
    folders = sorted({str(_folder_of(change.path).resolve()) for change in changes})
    with ExitStack() as held:
        for folder in folders:
            with suppress(OSError, ImportError):  # no such locks here: it is checked all the same
                import fcntl

                descriptor = os.open(folder, os.O_RDONLY)
                held.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def _folder_of(path: Path) -> Path:
    """Return the folder that holds *path*, or the next above that is there."""
    return next(one for one in path.absolute().parents if one.is_dir())


def _drop_emptied(changes: Sequence[Change]) -> None:
    """Remove the folders that held nothing but files that went."""
    for change in changes:
        if change.after is None:
            with suppress(OSError):  # a folder that holds something stays
                for folder in change.path.parents:
                    folder.rmdir()


def _must_be_as_read(change: Change) -> None:
    if _held(change.path) != change.before:
        what = "is there already" if change.before is None else "has changed since it was read"
        raise EditRefused(f"{change.name} {what}", hint="run the command again")


def _must_be_writable(changes: Sequence[Change]) -> None:
    """Refuse files that are marked read-only, as some systems of versions mark what is not taken out."""
    locked = [
        change.name
        for change in changes
        if change.before is not None and not _mode(change.path) & 0o222
    ]
    if locked:
        hint = "check the files out, or make them writable; nothing was written"
        raise EditRefused(f"read-only: {', '.join(locked)}", hint=hint)


def _held(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def _take_back(change: Change, mode: int | None) -> None:
    """Put *change* back to what was before, unless it was not made or is somebody else's by now."""
    if _held(change.path) != change.after:
        return
    if change.before is None:
        change.path.unlink(missing_ok=True)
        return
    path = _real(change.path)
    put_whole(path, change.before)
    if mode is not None:
        path.chmod(mode)


def _real(path: Path) -> Path:
    """Return where a link leads, so that the link stays one."""
    return path.resolve() if path.is_symlink() else path


def diff_of(change: Change) -> str:
    """Return *change* as a unified diff of as few rows as can be; empty if nothing changes."""
    before, after = _rows(change.before), _rows(change.after)
    rows = unified(before, after, f"a/{change.name}", f"b/{change.name}")
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in rows)


def _rows(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
