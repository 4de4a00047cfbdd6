"""Which files were found in their canonical form before, so that they are not read as YAML again.

A file is known by its kind and the digest of its bytes, and by the state of the modules that say what
is canonical: no clock and no time of a file of content decides.
"""

from __future__ import annotations

from pathlib import Path

import orjson

from talebearer.content._cache import digest_of, loads, made_by, verified, write_verified
from talebearer.content._tree import FileKind

_NAME = "formatted.json"


class Formatted:
    """The memory in one cache folder; without one nothing is remembered.

    It never changes a result: what is missing, damaged, of another version or cannot be written is
    as if it had never been.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _NAME
        self._known: frozenset[str] = frozenset()
        self._found: set[str] = set()
        record = None if self._path is None else loads(verified(self._path))
        if isinstance(record, dict) and record.get("made_by") == made_by():
            digests = record.get("digests")
            if isinstance(digests, list):
                self._known = frozenset(one for one in digests if isinstance(one, str))

    def holds(self, data: bytes, kind: FileKind) -> bool:
        """Return whether *data* of a file of *kind* is known to be canonical."""
        digest = _digest(data, kind)
        if digest not in self._known:
            return False
        self._found.add(digest)
        return True

    def note(self, data: bytes, kind: FileKind) -> None:
        """Note that *data* is canonical for a file of *kind*."""
        self._found.add(_digest(data, kind))

    def keep(self) -> None:
        """Remember what this run found, and nothing else."""
        if self._path is not None and self._found != self._known:
            record = {"made_by": made_by(), "digests": sorted(self._found)}
            write_verified(self._path, orjson.dumps(record))


def _digest(data: bytes, kind: FileKind) -> str:
    return digest_of(kind.value.encode() + b"\n" + data)
