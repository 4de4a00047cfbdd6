"""Where the parts of a campaign lie on disk, and how files are put there whole."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from talebearer.errors import StoreFull, StoreUnavailable

CONFIG_NAME = "campaign.toml"


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one campaign folder."""

    folder: Path

    @property
    def config(self) -> Path:
        """The settings."""
        return self.folder / CONFIG_NAME

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
    def runs(self) -> Path:
        """Manifests and reports."""
        return self.folder / "runs"


def write_whole(path: Path, data: bytes) -> None:
    """Put *data* at *path* so that a reader sees either what was there before or all of it.

    Raises:
        StoreFull: The disk is full; nothing is left behind (TB206).
        StoreUnavailable: The file system refuses (TB210).
    """
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise StoreFull(f"no space for {path}") from error
        raise StoreUnavailable(f"{path} cannot be written: {error.strerror}") from error
