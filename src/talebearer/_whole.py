"""Files that are put in their places whole, one or several at once: the rules of writing, once.

- A reader sees what was there before, or all of the new bytes; never a part of either.
- New bytes lie beside their place until all of them are there. What is durable is on the disk before
  it takes its place; power that fails then leaves each file whole, old or new.
- Where the bytes lie meanwhile, a link or a file that is there already is removed, never written
  through. A link at the place itself is replaced, not followed: who wants it followed resolves it.
- A folder, a device or a pipe at the place is refused.
- What was not put in its place is removed, whatever went wrong. A process that is killed may leave a
  hidden ``.part`` file, which nothing reads.

Only :class:`OSError` is raised here; what it means to people, the callers say.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Self

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The numbers that a file system gives for want of room."""

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL
# Not every system has them, and content is written on those, too.
_FLAGS |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class NoRegularFileError(OSError):
    """A folder, a device or a pipe is where a file is to be put."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EEXIST, "is there and is no regular file", str(path))


def put_whole(
    target: Path, pieces: bytes | Iterable[bytes], *, mode: int = 0o644, is_durable: bool = True
) -> None:
    """Put *pieces* at *target*, whole; its folder is made if it is missing.

    Args:
        target: The place.
        pieces: The bytes, or parts of them in order.
        mode: The rights of a file, less what the process's mask takes.
        is_durable: Whether the bytes must be on the disk first; what can be made again need not be.

    Raises:
        OSError: The file system refuses; what was there is still there.
    """
    part = part_of(target)
    try:
        stage(target, pieces, mode=mode, is_durable=is_durable)
        put_staged(target)
    finally:
        part.unlink(missing_ok=True)


def part_of(target: Path) -> Path:
    """Return where bytes for *target* lie meanwhile: a short name, another for each writer."""
    name = sha256(os.fsencode(target.name)).hexdigest()[:16]
    return target.with_name(f".{name}.{os.getpid()}.{threading.get_ident()}.part")


def stage(
    target: Path, pieces: bytes | Iterable[bytes], *, mode: int = 0o644, is_durable: bool = True
) -> None:
    """Write *pieces* to the :func:`part_of` *target*, which the caller puts there or removes.

    The caller has to know of it before: an interrupt may come between this and what follows it.

    Raises:
        OSError: The file system refuses.
    """
    if target.exists() and not target.is_file():
        raise NoRegularFileError(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(target)
    with _said_of(target):
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, _FLAGS, mode), "wb") as stream:
            stream.writelines((pieces,) if isinstance(pieces, bytes) else pieces)
            if is_durable:
                stream.flush()
                os.fsync(stream.fileno())


def put_staged(target: Path) -> None:
    """Put what :func:`stage` wrote in its place.

    Raises:
        OSError: The file system refuses; what was there is still there.
    """
    with _said_of(target):
        part_of(target).replace(target)


@contextmanager
def _said_of(target: Path) -> Iterator[None]:
    """Have an error name the place that was asked for, not what lies beside it meanwhile."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(target), None
        raise


class StagedFiles:
    """Files that lie beside their places until :meth:`commit` puts all of them there.

    Use it as a context manager: what was not committed is removed.
    """

    def __init__(self, *, is_durable: bool = True) -> None:
        self._is_durable = is_durable
        self._staged: list[Path] = []
        self._dropped: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for target in self._staged:
            with suppress(OSError):
                part_of(target).unlink(missing_ok=True)
        self._staged.clear()

    def put(self, target: Path, data: bytes) -> None:
        """Write *data* beside *target*.

        Raises:
            OSError: The file system refuses.
        """
        self._staged.append(target)
        stage(target, data, is_durable=self._is_durable)

    def drop(self, path: Path) -> None:
        """Remove *path* when the others take their places."""
        self._dropped.append(path)

    def commit(self) -> None:
        """Put every file in its place.

        Raises:
            OSError: The file system refuses.
        """
        for target in self._staged:
            put_staged(target)
        self._staged.clear()
        for path in self._dropped:
            path.unlink(missing_ok=True)
