"""When a content tree changes: told by the operating system where that can be, else by looking.

The library that the operating system tells is the extra ``authoring``.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from talebearer.content import _tree

LOOK_EVERY_SECONDS = 0.5

SETTLE_SECONDS = 0.1
"""How long a file has to stay as it is that looks as if it were still being written."""

SETTLE_ROUNDS_MAX = 20
"""How often that is waited for; a file that changes all the time is shown now and then."""

State = dict[str, tuple[Path | None, int, int, int]]
Pause = Callable[[float], object]


def changes(
    root: Path,
    stop: threading.Event,
    *,
    looks: bool | None = None,
    reasons: Iterator[None] | None = None,
    pause: Pause | None = None,
) -> Iterator[None]:
    """Yield each time that something below *root* has changed since this call, until *stop* is set.

    Being told is only a reason to look: what counts is whether the files differ, so a change
    between two looks is seen however the operating system tells of it.

    Some editors empty a file and write it anew in pieces, and the first pieces may be YAML. So a file
    that is new or was written over in place, and is smaller than before or does not end its last
    row, is waited for until it has been as it is for :data:`SETTLE_SECONDS`.

    Args:
        root: The content folder.
        stop: Ends the watch.
        looks: Look every half second rather than be told; by default only where the library that
            tells is missing.
        reasons: Yields when to look, in place of either.
        pause: Waits for so many seconds; by default until *stop* is set, at most.
    """
    before = _state(root)
    if reasons is None:
        is_alone = find_spec("watchfiles") is None if looks is None else looks
        reasons = _looks(stop) if is_alone else _told(root, stop)
    return _differences(root, before, reasons, stop.wait if pause is None else pause)


def _differences(
    root: Path, before: State, reasons: Iterator[None], pause: Pause
) -> Iterator[None]:
    for _ in reasons:
        after = _state(root)
        if after == before:
            continue
        for _ in range(SETTLE_ROUNDS_MAX):
            if not _is_being_written(before, after):
                break
            pause(SETTLE_SECONDS)
            now = _state(root)
            if now == after:
                break
            after = now
        if after != before:
            before = after
            yield


def _is_being_written(before: State, after: State) -> bool:
    """Return whether a file that is new or was written over in place looks as if more were to come."""
    for name, now in after.items():
        was = before.get(name, now)
        path, inode, size, _ = now
        if path is None or before.get(name) == now or was[1] != inode:
            continue
        if size < was[2] or not _ends_its_row(path):
            return True
    return False


def _ends_its_row(path: Path) -> bool:
    """Return whether the last byte of the file ends a row; what cannot be read is not waited for."""
    try:
        with path.open("rb") as stream:
            if stream.seek(0, os.SEEK_END) == 0:
                return False
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) in b"\r\n"
    except OSError:
        return True


def _told(root: Path, stop: threading.Event) -> Iterator[None]:
    from watchfiles import watch

    # It also comes back by itself now and then: the first change may be earlier than the watch.
    told = watch(
        root,
        stop_event=stop,
        raise_interrupt=True,
        debounce=200,
        step=20,
        rust_timeout=1000,
        yield_on_timeout=True,
    )
    for _ in told:
        yield


def _looks(stop: threading.Event) -> Iterator[None]:
    while not stop.wait(LOOK_EVERY_SECONDS):
        yield


def _state(root: Path) -> State:
    """Return path, inode, size and time of every file that is read, by name; of others what is wrong."""
    tree = _tree.walk(root)
    # A file that is not read for its name's or its place's sake is a finding, so that its going is news.
    found: State = {f"{name}: {draft.message}": (None, 0, 0, 0) for name, draft in tree.drafts}
    for file in (*tree.files, *tree.plans):
        try:
            status = file.path.stat()
        except OSError:
            continue
        found[file.name] = (file.path, status.st_ino, status.st_size, status.st_mtime_ns)
    return found
