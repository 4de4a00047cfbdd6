"""The shell: a transcript from a file, or from a folder of Craig's tracks."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from talebearer.errors import InvalidTranscript, Problem, TranscriptTooLarge, UsageFault
from talebearer.transcripts._craig import (
    INFO_NAME,
    are_tracks,
    bundle,
    digest_of,
    no_tracks,
    track_names,
)
from talebearer.transcripts._decode import decode
from talebearer.transcripts._model import Transcript
from talebearer.transcripts._parse import check_source_id, parse_named
from talebearer.transcripts._parts import bundle_parts

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
        path: A regular file; its name says nothing about its format. A folder with an ``info.txt``
            is read as :func:`load_craig` does.
        source_id: The name under which ranges cite it; the file's stem when None.
        format: One of ``FORMATS``; found by content when None.
        size_bytes_max: The largest file that is read, inclusive. It is checked before reading.

    Raises:
        InvalidTranscript: missing, no regular file, unreadable, or no transcript (TB103).
        TranscriptTooLarge: above *size_bytes_max*; it was not read (TB104).
        InvalidId: the source id, given or from the stem, is not one (TB109).
        UsageFault: *format* is not a known format (TB111).
    """
    if format in {None, "craig"} and _is_craig_folder(path):
        return load_craig(path, source_id=source_id, size_bytes_max=size_bytes_max)
    name = path.as_posix()
    data = _read(path, name=name, size_bytes_max=size_bytes_max)
    origin = ", from the file's name," if source_id is None else ""
    source_id = path.stem if source_id is None else source_id
    check_source_id(source_id, origin=origin)
    return data, parse_named(data, source_id=source_id, format=format, name=name)


def load_craig(
    source: Path | Sequence[Path],
    *,
    source_id: str | None = None,
    size_bytes_max: int = SIZE_BYTES_MAX,
) -> tuple[bytes, Transcript]:
    """Return the bundle of a recording's tracks, and the transcript that it holds.

    The bundle is one JSON text with what stands in all files; ``parse`` reads it again, with the
    format ``craig`` and the same units. Its digest identifies all tracks together.

    Args:
        source: A folder with ``info.txt`` and a transcript for each track, ``1-ana.json`` and so on
            (JSON, JSON Lines, WebVTT, SubRip or Whisper's table), or those files one by one.
        source_id: The name under which ranges cite it; the folder's name when None.
        size_bytes_max: How large the files may be together, inclusive.

    Raises:
        InvalidTranscript: no track, or one that cannot be read (TB103).
        TranscriptTooLarge: together above *size_bytes_max*; not all was read (TB104).
        InvalidId: the source id, given or from the folder's name, is not one (TB109).
    """
    folder, paths = (source, _listed(source)) if isinstance(source, Path) else _given(source)
    name = folder.as_posix()
    origin = ", from the folder's name," if source_id is None else ""
    source_id = folder.absolute().name if source_id is None else source_id
    check_source_id(source_id, origin=origin)
    tracks, unused = track_names(paths)
    if not tracks:
        raise no_tracks(name)
    texts: dict[str, str] = {}
    digests: dict[str, str] = {}
    problems: list[Problem] = []
    left = size_bytes_max
    for file in [*([INFO_NAME] if INFO_NAME in paths else []), *tracks]:
        data = _read(paths[file], name=paths[file].as_posix(), size_bytes_max=left)
        left -= len(data)
        digests[file] = digest_of(data)
        texts[file], more = decode(data, name=file) if data.strip() else ("", [])
        problems += more
    packed = bundle(texts, digests=digests, unused=unused)
    found = parse_named(packed, source_id=source_id, format="craig", name=name)
    return packed, replace(found, problems=(*problems, *found.problems))


def load_files(
    paths: Sequence[Path],
    *,
    source_id: str | None = None,
    format: str | None = None,
    tracks: bool | None = None,
    size_bytes_max: int = SIZE_BYTES_MAX,
) -> tuple[bytes, Transcript]:
    """Return the bytes and the transcript of one session, which may be in several files.

    One file, or a folder of Craig's, is read as :func:`load` does. Several are tracks, as
    :func:`load_craig` reads them, or parts that follow one another in the order given: then the
    bytes are a bundle that ``parse`` reads again with the format ``parts``.

    Args:
        paths: The files; at least one.
        source_id: The name under which ranges cite all of it; by default the stem of the first
            file, for tracks the folder's name.
        format: As for :func:`load`; of several files each is told by its content.
        tracks: Whether several files are tracks; by default if ``info.txt`` is among them or all have
            a track's number in front.
        size_bytes_max: How large the files may be together, inclusive.

    Raises:
        InvalidTranscript: no file, two of one name, or one that cannot be read (TB103).
        TranscriptTooLarge: together above *size_bytes_max* (TB104).
        InvalidId: the source id is none (TB109).
        UsageFault: *format* is not a known format, or there are several files (TB111).
    """
    if len(paths) == 1 and not tracks:
        return load(paths[0], source_id=source_id, format=format, size_bytes_max=size_bytes_max)
    _, named = _given(paths)
    if format is not None:
        raise UsageFault(
            "a format is given for several files",
            hint="leave out --format: each file is told by its content",
            data={"format": format, "files": list(named)},
        )
    if are_tracks(named) if tracks is None else tracks:
        return load_craig(paths, source_id=source_id, size_bytes_max=size_bytes_max)
    origin = ", from the first file's name," if source_id is None else ""
    source_id = paths[0].stem if source_id is None else source_id
    check_source_id(source_id, origin=origin)
    texts: list[tuple[str, str, str]] = []
    problems: list[Problem] = []
    for path in paths:
        data = _read(path, name=path.as_posix(), size_bytes_max=size_bytes_max)
        size_bytes_max -= len(data)
        text, more = decode(data, name=path.name)
        texts.append((path.name, digest_of(data), text))
        problems += more
    packed = bundle_parts(texts)
    found = parse_named(packed, source_id=source_id, format="parts", name=source_id)
    return packed, replace(found, problems=(*problems, *found.problems))


def _is_craig_folder(path: Path) -> bool:
    try:
        return (path / INFO_NAME).is_file()
    except (OSError, ValueError):  # ValueError: a NUL character in the path
        return False


def _listed(folder: Path) -> dict[str, Path]:
    try:
        paths = [path for path in folder.iterdir() if path.is_file()]
    except OSError as fault:
        name = folder.as_posix()
        raise _unreadable(name, f"cannot be read: {fault}", hint="check the path") from fault
    return _by_name(paths)


def _given(paths: Sequence[Path]) -> tuple[Path, dict[str, Path]]:
    named = _by_name(paths)
    if not named or len(named) < len(paths):
        name = paths[0].as_posix() if paths else "the list of tracks"
        hint = "name each track's transcript once"
        raise _unreadable(name, "is empty" if not paths else "has a namesake", hint=hint)
    return paths[0].parent, named


def _by_name(paths: Sequence[Path]) -> dict[str, Path]:
    # A name that is no Unicode could not stand in the bundle.
    return {path.name.encode("utf-8", "replace").decode(): path for path in sorted(paths)}


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
