"""The content's files as the page shows them: below the content root, read only, and nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from talebearer.errors import UsageFault, Where
from talebearer.server.preview._editor import editor_link

FILE_BYTES_MAX = 4 * 1024 * 1024
SUFFIXES = (".yaml", ".yml")


class Files:
    """Reads files of one content folder and says where a place is.

    Args:
        root: The content folder, with links resolved.
        editor: The template of links to an editor, if one was named.
    """

    def __init__(self, root: Path, editor: str | None) -> None:
        self._root = root
        self._editor = editor

    def place(self, where: Where | Mapping[str, Any]) -> dict[str, Any]:
        """Return a place as the page needs it: file from the folder's parent, line, column, link."""
        part = where if isinstance(where, Mapping) else where.as_json()
        file, line = part.get("file"), part.get("line")
        column = part.get("column") or 1
        editor = None
        if self._editor is not None and file is not None:
            editor = editor_link(self._editor, self._root.parent / file, line or 1, column)
        return {"file": file, "line": line, "column": column, "editor": editor}

    def source(self, name: str, line: int) -> dict[str, Any]:
        """Return the lines of the file *name*, which is given from the folder's parent.

        Raises:
            UsageFault: It is no YAML file below the content folder, or too large (TB111).
        """
        text = self._read(name).decode("utf-8", errors="replace")
        lines = text.removeprefix("\ufeff").split("\n")
        return {
            "file": name,
            "lines": [one.removesuffix("\r") for one in lines],
            "place": self.place({"file": name, "line": line}),
        }

    def _read(self, name: str) -> bytes:
        path = self._path(name)
        try:
            # Not through a link at the end, nor from what would block; a link further up leads out
            # of the folder or back into it, and the resolved path tells which.
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            with os.fdopen(os.open(path, flags), "rb") as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    raise _not_here(name)
                data = stream.read(FILE_BYTES_MAX + 1)
        except OSError:
            raise _not_here(name) from None
        if len(data) > FILE_BYTES_MAX:
            raise UsageFault(f"{name} has more than {FILE_BYTES_MAX} bytes")
        return data

    def _path(self, name: str) -> Path:
        parts = PurePosixPath(name).parts
        is_odd = "\0" in name or "\\" in name or not name.endswith(SUFFIXES)
        if is_odd or not parts or parts[0] != self._root.name or ".." in parts:
            raise _not_here(name)
        path = self._root.joinpath(*parts[1:])
        try:
            resolved = path.resolve()
        except (OSError, RuntimeError):
            raise _not_here(name) from None
        if not resolved.is_relative_to(self._root):
            raise _not_here(name)
        return path


def _not_here(name: str) -> UsageFault:
    shown = ascii(name[:120])[1:-1]
    return UsageFault(f"{shown} is no content file here", hint="files below the content folder")
