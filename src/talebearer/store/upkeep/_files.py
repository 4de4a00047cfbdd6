"""Writing files that are whole and the owner's only: copies with their digest, documents, folders."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from talebearer.errors import UsageFault
from talebearer.store._canonical import canonical_text
from talebearer.store._engine import file_fault
from talebearer.store._open import FILE_MODE, FOLDER_MODE, sync_folder

CHUNK_BYTES = 1024 * 1024
UNFINISHED_MARK = ".talebearer-unfinished"


def copy_file(source: Path, target: Path) -> tuple[str, int]:
    """Copy a file durably to a new one and return the digest and length of what was copied.

    Raises:
        StoreFull: There is no space (TB206).
        StoreUnavailable: *source* is missing, *target* is there, or the file system refuses (TB210).
    """
    hasher, length = hashlib.sha256(), 0
    try:
        with source.open("rb", buffering=0) as old, new_file(target) as new:
            while piece := old.read(CHUNK_BYTES):
                hasher.update(piece)
                length += len(piece)
                write_all(new, piece)
            os.fsync(new)
    except OSError as error:
        raise file_fault(error, path=target) from error
    return f"sha256:{hasher.hexdigest()}", length


@contextmanager
def new_file(path: Path) -> Iterator[int]:
    """Open a file that must not be there yet, for its owner only, and yield its descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, FILE_MODE)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of *data*."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def write_document(path: Path, document: Any) -> None:
    """Write a JSON document durably to a new file: canonical text and one line feed."""
    write_new(path, (canonical_text(document) + "\n").encode())


def write_new(path: Path, data: bytes) -> None:
    """Write *data* durably to a new file."""
    try:
        with new_file(path) as descriptor:
            write_all(descriptor, data)
            os.fsync(descriptor)
    except OSError as error:
        raise file_fault(error, path=path) from error


def make_folder(folder: Path) -> None:
    """Make *folder*, for its owner only, and the folders above it where they are missing."""
    try:
        for one in reversed([folder, *folder.parents]):
            if not one.exists():
                one.mkdir(mode=FOLDER_MODE)
    except OSError as error:
        raise file_fault(error, path=folder) from error


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yield a folder to fill; it becomes *target* when all went well, and is removed if not.

    Raises:
        UsageFault: *target* is there and is not empty (TB111).
        StoreFull, StoreUnavailable: What the disk does (TB206, TB210).
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageFault(f"{target} is there already", hint="name a new folder, or an empty one")
    work = target.with_name(target.name + ".partial")
    if work.exists():
        if not (work / UNFINISHED_MARK).exists():
            raise UsageFault(f"{work} is in the way", hint="move it away")
        # It carries our mark: a run before this one was cut off.
        shutil.rmtree(work)
    make_folder(work)
    try:
        write_new(work / UNFINISHED_MARK, b"")
        yield work
        sync_tree(work)
        if target.exists():
            target.rmdir()
        # The mark goes last: until then the folder is known as unfinished whatever happens.
        work.rename(target)
        (target / UNFINISHED_MARK).unlink()
        sync_folder(target)
        sync_folder(target.parent)
    except OSError as error:
        shutil.rmtree(work, ignore_errors=True)
        raise file_fault(error, path=work) from error
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def sync_file(path: Path) -> None:
    """Make the content of a file durable."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Make the names in a folder and in those below it durable."""
    for root, _, _ in os.walk(folder):
        sync_folder(Path(root))
