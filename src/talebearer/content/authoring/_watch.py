"""When a content tree changes: told by the operating system where that can be, else by looking.

The library that the operating system tells is the extra ``authoring``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from talebearer.content import _tree

LOOK_EVERY_SECONDS = 0.5


def changes(root: Path, stop: threading.Event, *, looks: bool | None = None) -> Iterator[None]:
    """Yield each time that something below *root* has changed since this call, until *stop* is set.

    Being told is only a reason to look: what counts is whether the files differ, so a change
    between two looks is seen however the operating system tells of it.

    Args:
        root: The content folder.
        stop: Ends the watch.
        looks: Look every half second rather than be told; by default only where the library that
            tells is missing.
    """
    before = _state(root)
    is_alone = find_spec("watchfiles") is None if looks is None else looks
    return _differences(root, before, _looks(stop) if is_alone else _told(root, stop))


def _differences(
    root: Path, before: list[tuple[str, int, int, int]], reasons: Iterator[None]
) -> Iterator[None]:
    for _ in reasons:
        after = _state(root)
        if after != before:
            before = after
            yield


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


def _state(root: Path) -> list[tuple[str, int, int, int]]:
    """Return name, inode, size and time of every file that is read, and what is wrong with others."""
    tree = _tree.walk(root)
    # A file that is not read for its name's or its place's sake is a finding, so that its going is news.
    found = [(f"{name}: {draft.message}", 0, 0, 0) for name, draft in tree.drafts]
    for file in (*tree.files, *tree.plans):
        try:
            status = file.path.stat()
        except OSError:
            continue
        found.append((file.name, status.st_ino, status.st_size, status.st_mtime_ns))
    return found
