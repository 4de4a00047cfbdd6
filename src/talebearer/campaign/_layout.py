"""Where the parts of a campaign lie on disk, and what faults of the disk are called."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from talebearer import _whole
from talebearer.errors import StoreFull, StoreUnavailable

CONFIG_NAME = "campaign.toml"
PIPELINES_NAME = "pipelines.yaml"


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


class StagedFiles(_whole.StagedFiles):
    """Files that are put in their places together, with faults that this program's people know."""

    def put(self, target: Path, data: bytes) -> None:
        """Write *data* beside *target*, down to the disk.

        Raises:
            StoreFull: The disk is full (TB206).
            StoreUnavailable: The file system refuses (TB210).
        """
        with file_faults(target):
            super().put(target, data)

    def commit(self) -> None:
        """Put every file in its place.

        Raises:
            StoreFull: The disk is full (TB206).
            StoreUnavailable: The file system refuses (TB210).
        """
        with file_faults():
            super().commit()


@contextmanager
def file_faults(path: Path | str = "a file") -> Iterator[None]:
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
            full = any(os.strerror(number) in reason for number in _whole.DISK_FULL)
            kind = StoreFull if full else StoreUnavailable
            raise kind(f"{where} cannot be copied: {reason}") from error
        if isinstance(error, _whole.NoRegularFileError):
            raise StoreUnavailable(f"{where} {error.strerror}") from error
        if error.errno in _whole.DISK_FULL:
            raise StoreFull(f"no space for {where}") from error
        raise StoreUnavailable(f"{where} cannot be written: {error.strerror}") from error
