"""Where the parts of a campaign lie on disk, and how files are put there whole."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from talebearer.errors import StoreFull, StoreUnavailable

CONFIG_NAME = "campaign.toml"
PIPELINES_NAME = "pipelines.yaml"
FILE_MODE = 0o644
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one campaign folder."""

    folder: Path

    @property
    def config(self) -> Path:
        """The settings."""
        return self.folder / CONFIG_NAME

    @property
    def pipelines(self) -> Path:
        """What runs in which order."""
        return self.folder / PIPELINES_NAME

    @property
    def database(self) -> Path:
        """The store."""
        return self.folder / "talebearer.db"

    @property
    def artifacts(self) -> Path:
        """The store's content-addressed bytes."""
        return self.folder / "artifacts"

    @property
    def transcripts(self) -> Path:
        """What was recorded, as files for people."""
        return self.folder / "transcripts"

    @property
    def review(self) -> Path:
        """A copy of all decisions of review, for people and other copies of the campaign."""
        return self.folder / "review.json"

    @property
    def runs(self) -> Path:
        """Manifests, checkpoints and cost reports."""
        return self.folder / "runs"

    def checkpoints(self, session: str) -> Path:
        """Accepted replies of a model about *session*; they may be deleted at any time."""
        return self.runs / "checkpoints" / session

    def costs(self, session: str) -> Path:
        """One line of JSON for each run that asked a model about *session*."""
        return self.runs / f"{session}.costs.jsonl"


def write_whole(path: Path, data: bytes) -> None:
    """Put *data* at *path* so that a reader sees either what was there before or all of it.

    Raises:
        StoreFull: The disk is full; nothing is left behind (TB206).
        StoreUnavailable: The file system refuses (TB210).
    """
    with StagedFiles() as files:
        files.put(path, data)
        files.commit()


class StagedFiles:
    """Files that lie beside their places until :meth:`commit` puts all of them there.

    Use it as a context manager: what was not committed is removed.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[Path, Path]] = []
        self._dropped: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for part, _target in self._parts:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        self._parts.clear()

    def put(self, target: Path, data: bytes) -> None:
        """Write *data* beside *target*, down to the disk.

        Raises:
            StoreFull: The disk is full (TB206).
            StoreUnavailable: The file system refuses (TB210).
        """
        if target.exists() and not target.is_file():
            raise StoreUnavailable(f"{target} is there and is no regular file")
        part = target.with_name(f".{sha256(os.fsencode(target.name)).hexdigest()[:16]}.part")
        with file_faults(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            # What lies there is left from a crash, or a trap; a link would lead the bytes away.
            part.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(part, flags, FILE_MODE)
            self._parts.append((part, target))
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())

    def drop(self, path: Path) -> None:
        """Remove *path* when the others take their places."""
        self._dropped.append(path)

    def commit(self) -> None:
        """Put every file in its place.

        Raises:
            StoreUnavailable: The file system refuses (TB210).
        """
        for part, target in self._parts:
            with file_faults(target):
                part.replace(target)
        self._parts.clear()
        for path in self._dropped:
            path.unlink(missing_ok=True)


@contextmanager
def file_faults(path: Path) -> Iterator[None]:
    """Turn what the file system says of *path* into this program's errors.

    Raises:
        StoreFull: The disk is full (TB206).
        StoreUnavailable: Anything else (TB210).
    """
    try:
        yield
    except OSError as error:
        where = error.filename or path
        if isinstance(error, shutil.Error):
            # A tree was being copied; each fault in it is (from, to, reason).
            where, _, reason = error.args[0][0]
            full = any(os.strerror(number) in reason for number in DISK_FULL)
            kind = StoreFull if full else StoreUnavailable
            raise kind(f"{where} cannot be copied: {reason}") from error
        if error.errno in DISK_FULL:
            raise StoreFull(f"no space for {where}") from error
        raise StoreUnavailable(f"{where} cannot be written: {error.strerror}") from error
