"""What a daemon refuses to serve: files that others can open, and strangers among the uploads.

The embedded store closes its own files to others and says so. A daemon serves whoever may reach
its socket, so it does not guess what an open mode was meant for: it stops and changes nothing.

Source: the protocol sheet, sections 4.1 and 4.6.
"""

from __future__ import annotations

import stat
from pathlib import Path

from talebearer.errors import StoreUnavailable

_SIDE_FILES = ("", ".lock", "-wal", "-shm")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_PART = ".part"


def refuse_shared_files(database: Path, artifacts: Path) -> None:
    """Refuse to start on files that other users can open.

    Raises:
        StoreUnavailable: The database, a file beside it, or the folder of the bytes is open to
            others, or something that is no unfinished upload lies among the uploads (TB210).
    """
    files = [database.with_name(database.name + end) for end in _SIDE_FILES]
    for path in [*files, artifacts]:
        if path.is_symlink() or not path.exists():
            continue
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & _OTHERS:
            raise StoreUnavailable(
                f"{path} is open to other users (mode {mode:04o})",
                hint=f"close it: chmod go= {path}",
                data={"path": str(path), "mode": f"{mode:04o}"},
            )
    uploads = artifacts / "uploads"
    strays = sorted(path.name for path in uploads.glob("*") if path.suffix != _PART)
    if strays:
        raise StoreUnavailable(
            f"{uploads} holds {strays[0]!r}, which is no unfinished upload",
            hint="move it away",
            data={"path": str(uploads), "found": strays},
        )
