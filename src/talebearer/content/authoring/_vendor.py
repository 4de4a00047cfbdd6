"""A copy of what a game ships: the packages that need nothing but Python's standard library."""

from __future__ import annotations

import hashlib
import json
import shutil
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path

from talebearer._version import __version__
from talebearer._whole import put_whole
from talebearer.errors import UsageFault

PACKAGES = ("vocabulary", "errors", "memory", "lines")
STAMP = "VENDORED.json"
_FORMAT = "talebearer.vendored"
_FRONT = (
    '"""Talebearer for games: the packages that need nothing but the standard library."""\n\n'
    "from talebearer._version import __version__\n\n"
    '__all__ = ["__version__"]\n'
)


def vendored_files() -> dict[str, bytes]:
    """Return the files of the copy by their names, the same bytes for the same version.

    Raises:
        UsageFault: The installation lacks its licence (TB111).
    """
    home = resources.files("talebearer")
    files = {f"talebearer/{name}": data for name, data in _sources(home)}
    files["talebearer/__init__.py"] = _FRONT.encode()
    files["talebearer/LICENSE"] = _licence().encode()
    stamp = {
        "format": _FORMAT,
        "version": __version__,
        "packages": list(PACKAGES),
        "files": {
            name.removeprefix("talebearer/"): hashlib.sha256(data).hexdigest()
            for name, data in sorted(files.items())
        },
    }
    files[f"talebearer/{STAMP}"] = json.dumps(stamp, indent=1, sort_keys=True).encode() + b"\n"
    return dict(sorted(files.items()))


def _sources(home: Traversable) -> list[tuple[str, bytes]]:
    found = [(name, (home / name).read_bytes()) for name in ("_version.py", "py.typed")]
    pending = [(package, home / package) for package in PACKAGES]
    while pending:
        name, folder = pending.pop()
        for entry in folder.iterdir():
            inner = f"{name}/{entry.name}"
            if entry.is_dir() and entry.name != "__pycache__":
                pending.append((inner, entry))
            elif entry.name.endswith((".py", ".json")):
                found.append((inner, entry.read_bytes()))
    return found


def _licence() -> str:
    distribution = metadata.distribution("talebearer")
    text = distribution.read_text("licenses/LICENSE") or distribution.read_text("LICENSE")
    if not text:
        raise UsageFault(
            "the installed Talebearer has no licence file", hint="install it from a wheel"
        )
    return text


def vendor(folder: Path) -> tuple[Path, ...]:
    """Put the copy into *folder*, as its package ``talebearer``, and return the files.

    An earlier copy is replaced as a whole; anything else of that name is left alone.

    Raises:
        UsageFault: ``folder/talebearer`` is there and is no copy made by this (TB111).
        OSError: The file system refuses.
    """
    target = folder / "talebearer"
    if target.is_symlink() or (target.exists() and not (target / STAMP).is_file()):
        raise UsageFault(f"{target} is there already and is no vendored copy", hint="move it away")
    files = vendored_files()
    part = folder / ".talebearer.part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        for name, data in files.items():
            put_whole(part / name, data)
        if target.exists():
            shutil.rmtree(target)
        (part / "talebearer").replace(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return tuple(folder / name for name in files)
