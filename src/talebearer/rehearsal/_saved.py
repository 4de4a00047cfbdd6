"""Scenes saved by name: JSON files in ``_scenes`` of the content folder, where no content is read.

Nothing is read or written through a link, and a name is a slug, so that no name leads elsewhere.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from talebearer.campaign import write_whole
from talebearer.errors import StoreUnavailable, UnknownName, UsageFault, did_you_mean
from talebearer.rehearsal._read import SetupReader
from talebearer.rehearsal._setup import Setup
from talebearer.vocabulary import SLUG, fullmatch

FOLDER = "_scenes"
FORMAT = "talebearer.scene"
VERSION = 1
NAME_CHARS_MAX = 64
FILE_BYTES_MAX = 256 * 1024
SCENES_MAX = 2_000


class SavedScenes:
    """The saved scenes of one content folder.

    Args:
        root: The content folder.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER

    def names(self) -> tuple[str, ...]:
        """Return the names of all saved scenes, sorted."""
        if self._folder.is_symlink() or not self._folder.is_dir():
            return ()
        found = [
            path.stem
            for path in self._folder.iterdir()
            if path.suffix == ".json" and is_name(path.stem) and _is_file(path)
        ]
        return tuple(sorted(found))

    def load(self, name: str, reader: SetupReader) -> Setup:
        """Return the scene that was saved as *name*.

        Raises:
            UnknownName: There is none (TB105).
            UsageFault: *name* is no name, or the file is none of ours, or names what the content
                does not have any more (TB111).
        """
        path = self._path(name)
        if not _is_file(path):
            hint = did_you_mean(name, self.names(), otherwise="none is saved by a like name")
            raise UnknownName(f"there is no scene {name!r}", hint=hint)
        return reader.json(_content_of(path))

    def save(self, name: str, setup: Setup) -> Path:
        """Save *setup* as *name*, in place of what had that name, and return the file.

        Raises:
            UsageFault: *name* is no name, the folder is a link, or there are too many (TB111).
            StoreUnavailable: The file cannot be written (TB210).
        """
        path = self._path(name)
        known = self.names()
        if name not in known and len(known) >= SCENES_MAX:
            raise UsageFault(f"there are {len(known)} scenes already", hint="remove some")
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise UsageFault(f"{path.name} in {FOLDER} is no file of ours")
        value = {"format": FORMAT, "version": VERSION, "scene": setup.as_json()}
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
        _make_folder(self._folder)
        write_whole(path, f"{text}\n".encode())
        return path

    def remove(self, name: str) -> None:
        """Remove the scene that was saved as *name*.

        Raises:
            UnknownName: There is none (TB105).
            UsageFault: *name* is no name (TB111).
        """
        path = self._path(name)
        if not _is_file(path):
            raise UnknownName(f"there is no scene {name!r}")
        try:
            path.unlink()
        except OSError as error:
            raise StoreUnavailable(f"{path} cannot be removed: {error.strerror}") from error

    def _path(self, name: str) -> Path:
        if not is_name(name):
            raise UsageFault(
                f"{str(name)[:80]!r} is no name for a scene",
                hint=f"lower-case letters, digits and hyphens, beginning with a letter, "
                f"up to {NAME_CHARS_MAX}",
            )
        if self._folder.is_symlink():
            raise UsageFault(f"{FOLDER} is a link", hint="it has to be a folder of the content's")
        return self._folder / f"{name}.json"


def is_name(name: object) -> bool:
    """Return whether *name* can be that of a saved scene."""
    return isinstance(name, str) and len(name) <= NAME_CHARS_MAX and bool(fullmatch(SLUG, name))


def _is_file(path: Path) -> bool:
    return not path.is_symlink() and path.is_file()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"{folder} cannot be made: {error.strerror}") from error


def _content_of(path: Path) -> Any:
    """Return the scene in the file at *path*, unchecked."""
    try:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags), "rb") as stream:
            data = stream.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > FILE_BYTES_MAX:
        raise UsageFault(f"{path.name} has more than {FILE_BYTES_MAX} bytes, so it is no scene")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise UsageFault(f"{path.name} is no JSON, so it is no scene") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UsageFault(f"{path.name} is no saved scene", hint=f'its format is "{FORMAT}"')
    if value.get("version") != VERSION:
        raise UsageFault(f"{path.name} is of version {value.get('version')!r}, not {VERSION}")
    return value.get("scene")
