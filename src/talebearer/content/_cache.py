"""What was made of a content tree before, so that unchanged files are not read again.

A cache is a folder of three kinds of file: ``content.json`` says which files were seen, by their
stat, and what was found; ``pack.json`` is the pack; ``parsed/`` holds each file's values by the
digest of its bytes. Formatting keeps a file of its own beside them. Every one begins with the digest
of the rest. What is missing, damaged, of another version or cannot be written is as if it had never
been: a cache never changes a result.

A file counts as unchanged when its size, times and inode are those recorded and it was at rest
when they were; one that was touched just before is compared by its bytes once more.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from talebearer._version import __version__
from talebearer._whole import put_whole
from talebearer.content._schemas import SCHEMAS
from talebearer.content._tree import ContentFile, Tree
from talebearer.errors import CATALOGUE, Problem, Severity, Where

FORMAT = "talebearer.content-cache"
SETTLING_NS = 2_000_000_000
"""How long before the recording a file must have been at rest: the coarsest file system's tick."""

_DIGEST_CHARS = 64
_SIZE_BYTES_MAX = 1 << 30
_WATCHED_PACKAGES = ("content", "errors", "vocabulary")

Stamp = tuple[int, int, int, int]
"""Inode, size, time of modification and of change, in nanoseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a tree came to.

    Attributes:
        problems: All findings, sorted.
        pack: The pack's bytes; None when a finding is an error.
        counts: How many pools and lines it has.
    """

    problems: tuple[Problem, ...]
    pack: bytes | None
    counts: tuple[int, int] = (0, 0)


class Cache:
    """The cache in one folder; without one it remembers nothing."""

    def __init__(self, folder: Path | None, *, is_read_only: bool = False) -> None:
        self._folder = folder
        self._is_read_only = is_read_only
        self._seen: dict[str, tuple[Stamp, str]] = {}
        self._record: dict[str, Any] = {}
        self._recorded_ns = 0
        self._stamps: dict[str, Stamp] = {}
        self._digests: dict[str, str] = {}

    def open(self, root: Path) -> None:
        """Read what was recorded about *root*, if it is of this version."""
        if self._folder is None:
            return
        path = self._folder / "content.json"
        record = loads(verified(path))
        if not isinstance(record, dict) or record.get("made_by") != made_by():
            return
        if record.get("root") != os.fsdecode(os.fsencode(root.resolve())):
            return
        with suppress(OSError, TypeError, ValueError, KeyError):
            self._recorded_ns = path.stat().st_mtime_ns
            self._seen = {
                name: ((ino, size, mtime, ctime), digest)
                for name, ino, size, mtime, ctime, digest in record["files"]
            }
            self._record = record

    def recall(self, tree: Tree) -> Made | None:
        """Return what *tree* came to, if nothing in it has changed since."""
        if not self._record or self._record.get("drafts") != _drafts(tree):
            return None
        if [file.name for file in tree.files] != list(self._seen):
            return None
        settled = [self._unchanged(file) for file in tree.files]
        if None in settled:
            return None
        made = self._made()
        if made is not None and not all(settled) and self._folder and not self._is_read_only:
            with suppress(OSError):
                os.utime(self._folder / "content.json")
        return made

    def _unchanged(self, file: ContentFile) -> bool | None:
        """Return None if *file* has changed, else whether its stat alone could tell."""
        stamp, (seen, digest) = self._stamp(file), self._seen[file.name]
        if stamp is None or stamp != seen:
            return None
        if max(stamp[2], stamp[3]) < self._recorded_ns - SETTLING_NS:
            return True
        with suppress(OSError):
            return False if digest == digest_of(file.path.read_bytes()) else None
        return None

    def _made(self) -> Made | None:
        assert self._folder is not None, "there is a record, so there is a folder"
        pack: bytes | None = None
        if self._record.get("pack") is not None:
            pack = verified(self._folder / "pack.json")
            if pack is None or digest_of(pack) != self._record["pack"]:
                return None
        with suppress(TypeError, KeyError, ValueError):
            problems = tuple(_problem(one) for one in self._record["problems"])
            pools, lines = self._record["counts"]
            return Made(problems=problems, pack=pack, counts=(int(pools), int(lines)))
        return None

    def value(self, file: ContentFile) -> dict[str, Any] | None:
        """Return the mapping in *file*, if the file is unchanged and was free of YAML faults."""
        if self._folder is None or file.name not in self._seen or not self._unchanged(file):
            return None
        digest = self._seen[file.name][1]
        found = loads(verified(self._parsed(digest)))
        if not isinstance(found, dict):
            return None
        self._digests[file.name] = digest
        return found

    def parsed(self, digest: str) -> dict[str, Any] | None:
        """Return the mapping in the bytes with that digest, if they were free of YAML faults."""
        if self._folder is None:
            return None
        found = loads(verified(self._parsed(digest)))
        return found if isinstance(found, dict) else None

    def name(self, file: ContentFile, digest: str) -> None:
        """Note that *digest* is that of *file* now."""
        self._digests[file.name] = digest

    def note(self, file: ContentFile, data: bytes, value: dict[str, Any] | None) -> None:
        """Keep *value*, the mapping in *data*, the bytes of *file*; None if it has faults."""
        if self._folder is None or self._is_read_only:
            return
        self._digests[file.name] = digest_of(data)
        if value is not None:
            with suppress(TypeError):  # what JSON cannot hold is read again
                write_verified(self._parsed(self._digests[file.name]), orjson.dumps(value))

    def keep(self, root: Path, tree: Tree, made: Made) -> None:
        """Record what *tree* came to."""
        if self._folder is None or self._is_read_only:
            return
        if any(file.name not in self._digests for file in tree.files):
            return
        stamps = [self._stamp(file) for file in tree.files]
        if None in stamps:
            return
        record = {
            "format": FORMAT,
            "made_by": made_by(),
            "root": os.fsdecode(os.fsencode(root.resolve())),
            "files": [
                [file.name, *(stamp or ()), self._digests[file.name]]
                for file, stamp in zip(tree.files, stamps, strict=True)
            ],
            "drafts": _drafts(tree),
            "problems": [problem.as_json() for problem in made.problems],
            "counts": made.counts,
            "pack": None if made.pack is None else digest_of(made.pack),
        }
        with suppress(TypeError):  # a path that is no Unicode
            data = orjson.dumps(record)
            if made.pack is not None:
                write_verified(self._folder / "pack.json", made.pack)
            write_verified(self._folder / "content.json", data)
            self._prune(set(self._digests.values()))

    def _stamp(self, file: ContentFile) -> Stamp | None:
        """Return the stamp of *file* as it was when it was first looked at in this run."""
        if file.name not in self._stamps:
            try:
                status = file.path.stat()
            except OSError:
                return None
            self._stamps[file.name] = (
                status.st_ino,
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
            )
        return self._stamps[file.name]

    def look(self, tree: Tree) -> None:
        """Take the stamps of all files, before any is read."""
        for file in tree.files if self._folder is not None else ():
            self._stamp(file)

    def _parsed(self, digest: str) -> Path:
        assert self._folder is not None, "the caller has looked"
        return self._folder / "parsed" / digest

    def _prune(self, wanted: Iterable[str]) -> None:
        assert self._folder is not None, "the caller has looked"
        with suppress(OSError):
            for path in (self._folder / "parsed").iterdir():
                if path.name not in wanted:
                    path.unlink(missing_ok=True)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of *data* in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@cache
def made_by() -> str:
    """Return what tells this program's rules from another's: version and state of the modules."""
    parts: list[Any] = [FORMAT, __version__]
    with suppress(OSError):
        home = Path(__file__).parent.parent
        for package in _WATCHED_PACKAGES:
            for path in sorted((home / package).rglob("*.*")):
                if path.suffix in (".py", ".json"):
                    status = path.stat()
                    parts.append([path.name, status.st_size, status.st_mtime_ns])
    return digest_of(orjson.dumps(parts))


def write_verified(path: Path, data: bytes) -> None:
    """Put *data* with its digest at *path*, whole or not at all; what cannot be written is left."""
    with suppress(OSError):
        # Not down to the disk: what is cut short has another digest, and is made again.
        put_whole(path, (digest_of(data).encode() + b"\n", data), is_durable=False)


def verified(path: Path) -> bytes | None:
    """Return what is at *path* behind its digest, if it is all there."""
    with suppress(OSError):
        if path.is_symlink() or path.stat().st_size > _SIZE_BYTES_MAX:
            return None
        data = path.read_bytes()
        head, rest = data[: _DIGEST_CHARS + 1], data[_DIGEST_CHARS + 1 :]
        if head == digest_of(rest).encode() + b"\n":
            return rest
    return None


def loads(data: bytes | None) -> Any:
    """Return the value of *data*; None for what is no JSON."""
    if data is None:
        return None
    with suppress(orjson.JSONDecodeError):
        return orjson.loads(data)
    return None


def _drafts(tree: Tree) -> list[list[Any]]:
    """Return what was found on the way to the files, and the state of the editors' schemas."""
    found: list[list[Any]] = [[name, draft.code, draft.message] for name, draft in tree.drafts]
    if tree.root is None:
        return found
    for name in SCHEMAS:
        with suppress(OSError):
            status = (tree.root / "_schema" / f"{name}.schema.json").stat()
            found.append([name, status.st_ino, status.st_size, status.st_mtime_ns])
    return found


def _problem(value: dict[str, Any]) -> Problem:
    if value["code"] not in CATALOGUE:
        raise ValueError(value["code"])
    return Problem(
        code=value["code"],
        severity=Severity(value["severity"]),
        where=Where(**value["where"]),
        message=value["message"],
        hint=value["hint"],
    )
