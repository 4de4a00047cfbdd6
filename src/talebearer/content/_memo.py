"""What was made of each file, for a tree that is checked again and again while one writes.

Files that an editor has open are taken from it and not from the disk. The others are read each
time, which takes a hundredth of parsing them, and count as unchanged when their bytes are the same:
no clock and no time of a file decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from talebearer.content import _structure, _tree, _yaml
from talebearer.content._findings import Draft, placed
from talebearer.content._schemas import Checker
from talebearer.content._tree import ContentFile
from talebearer.content._yaml import FILE_SIZE_BYTES_MAX, Parsed
from talebearer.errors import Problem
from talebearer.errors import findings_content as codes


class Memo:
    """The files of one tree as they were last, and what was found in each."""

    def __init__(self) -> None:
        self._buffers: Mapping[Path, bytes] = {}
        self._fresh: dict[str, Parsed] = {}
        self._parsed: dict[str, tuple[bytes, Parsed]] = {}
        self._structure: dict[str, tuple[dict[str, Any], Checker, tuple[Draft, ...]]] = {}
        self._placed: dict[str, tuple[str | None, tuple[Draft, ...], tuple[Problem, ...]]] = {}

    def begin(self, buffers: Mapping[Path, bytes]) -> None:
        """Begin a round in which *buffers* stand in place of the files at their paths."""
        self._buffers = dict(buffers)
        self._fresh = {}

    def parsed(self, file: ContentFile) -> Parsed:
        """Return what is in *file*; while its bytes stay the same, the same object.

        Within one round, see :meth:`begin`, a file is read once.
        """
        if file.name in self._fresh:
            return self._fresh[file.name]
        parsed = self._fresh[file.name] = self._anew(file)
        return parsed

    def _anew(self, file: ContentFile) -> Parsed:
        data, fault = self._read(file)
        if fault is not None:
            self._parsed.pop(file.name, None)
            return Parsed(drafts=(fault,))
        known = self._parsed.get(file.name)
        if known is not None and known[0] == data:
            return known[1]
        parsed = _yaml.parse(data)
        self._parsed[file.name] = (data, parsed)
        return parsed

    def _read(self, file: ContentFile) -> tuple[bytes, Draft | None]:
        buffer = self._buffers.get(file.path)
        if buffer is None:
            return _tree.read(file)
        if len(buffer) > FILE_SIZE_BYTES_MAX:
            message = f"the file has more than {FILE_SIZE_BYTES_MAX} bytes"
            return b"", Draft(code=codes.FILE_TOO_LARGE, message=message)
        return buffer, None

    def structure(self, name: str, root: dict[str, Any], checker: Checker) -> tuple[Draft, ...]:
        """Return what *checker*'s schema refuses in *root*, the mapping of the file *name*."""
        known = self._structure.get(name)
        if known is not None and known[0] is root and known[1] is checker:
            return known[2]
        drafts = tuple(_structure.check(root, checker))
        self._structure[name] = (root, checker, drafts)
        return drafts

    def placed(
        self, drafts: Iterable[Draft], *, file: str, text: str | None, entries: int | None = None
    ) -> tuple[Problem, ...]:
        """Return *drafts* with their places; see :func:`talebearer.content._findings.placed`."""
        asked = tuple(drafts)
        known = self._placed.get(file)
        if known is not None and known[0] == text and known[1] == asked:
            return known[2]
        problems = tuple(placed(asked, file=file, text=text, entries=entries))
        self._placed[file] = (text, asked, problems)
        return problems

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget the files that are none of *names*."""
        wanted = set(names)
        for known in (self._parsed, self._structure, self._placed):
            for name in known.keys() - wanted:
                del known[name]
