"""The shell: a transcript from a file."""

from __future__ import annotations

import stat
from pathlib import Path

from talebearer.errors import InvalidTranscript, TranscriptTooLarge
from talebearer.transcripts._model import Transcript
from talebearer.transcripts._parse import check_source_id, parse_named

SIZE_BYTES_MAX = 64 * 1024 * 1024
"""The default limit: about 100 sessions of four hours."""


def load(
    path: Path,
    *,
    source_id: str | None = None,
    format: str | None = None,
    size_bytes_max: int = SIZE_BYTES_MAX,
) -> tuple[bytes, Transcript]:
    """Return the raw bytes of *path* and the transcript in them.

    Args:
        path: A regular file; its name says nothing about its format.
        source_id: The name under which ranges cite it; the file's stem when None.
        format: One of ``FORMATS``; found by content when None.
        size_bytes_max: The largest file that is read, inclusive. It is checked before reading.

    Raises:
        InvalidTranscript: missing, no regular file, unreadable, or no transcript (TB103).
        TranscriptTooLarge: above *size_bytes_max*; it was not read (TB104).
        InvalidId: the source id, given or from the stem, is not one (TB109).
        UsageFault: *format* is not a known format (TB111).
    """
    name = path.as_posix()
    data = _read(path, name=name, size_bytes_max=size_bytes_max)
    origin = ", from the file's name," if source_id is None else ""
    source_id = path.stem if source_id is None else source_id
    check_source_id(source_id, origin=origin)
    return data, parse_named(data, source_id=source_id, format=format, name=name)


def _read(path: Path, *, name: str, size_bytes_max: int) -> bytes:
    try:
        status = path.stat()
        # A pipe or a device would block or never end, so only files are opened.
        if not stat.S_ISREG(status.st_mode):
            what = "folder" if stat.S_ISDIR(status.st_mode) else "pipe, socket or device"
            raise _unreadable(name, f"is a {what}, not a file", hint="name a transcript file")
        _check_size(name, status.st_size, size_bytes_max=size_bytes_max)
        with path.open("rb") as file:
            # The file may have grown since; one byte over the limit is enough to see it.
            data = file.read(size_bytes_max + 1)
        _check_size(name, len(data), size_bytes_max=size_bytes_max)
    except FileNotFoundError:
        raise _unreadable(name, "does not exist", hint="check the path") from None
    except PermissionError:
        hint = "give yourself read permission"
        raise _unreadable(name, "may not be read by you", hint=hint) from None
    except (OSError, ValueError) as fault:  # ValueError: a NUL character in the path
        raise _unreadable(name, f"cannot be read: {fault}", hint="check the path") from fault
    return data


def _check_size(name: str, size_bytes: int, *, size_bytes_max: int) -> None:
    if size_bytes > size_bytes_max:
        raise TranscriptTooLarge(
            f"{name} has {size_bytes} bytes, the limit is {size_bytes_max}",
            hint="split it, or raise the limit with --max-size",
            data={"path": name, "size_bytes": size_bytes, "size_bytes_max": size_bytes_max},
        )


def _unreadable(name: str, why: str, *, hint: str) -> InvalidTranscript:
    return InvalidTranscript(f"{name} {why}", hint=hint, data={"path": name})
