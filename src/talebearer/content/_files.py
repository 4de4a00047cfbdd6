"""Files that are put in their place whole."""

from __future__ import annotations

import os
from pathlib import Path


def put(path: Path, data: bytes) -> None:
    """Write *data* to *path*, so that a reader sees what was there before or all of it.

    Raises:
        OSError: The file system refuses; what was there is still there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name[:64]}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(part, flags, 0o644), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
