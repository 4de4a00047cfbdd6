"""Opening and creating the database: whose file it is, who writes, and how it is protected.

The order is: look at the file's header without touching it, take the writer's lock, look again,
create if there is nothing, connect. A file that is refused keeps every byte, and no file is left
beside it.

A database is built under a temporary name and moved into place when it is complete, so that its
header always tells the truth and a crash while creating leaves no half of one.

Source: the protocol sheet, section 4.1; rules KM-S2, KM-S7.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import apsw

from talebearer.errors import (
    ForeignDatabase,
    SchemaTooNew,
    SchemaTooOld,
    StoreLocked,
    StoreUnavailable,
)
from talebearer.store._engine import (
    BUSY_TIMEOUT_MS,
    STATEMENTS_CACHED,
    Database,
    check_sqlite,
    engine_fault,
    file_fault,
)
from talebearer.store._schema_sql import APPLICATION_ID, CREATE_ALL, SCHEMA_VERSION

Durability = Literal["full", "normal"]

FILE_MODE = 0o600
CACHE_KIB = 32 * 1024
"""What SQLite may keep of the database in memory."""
LOG_PAGES_MAX = 4_000
"""So many pages are in the write-ahead log before a commit moves them into the database.

That commit is the slow one: a record takes about sixteen pages, so that one write in 250 is it. Pages
that are written again and again, such as the newest of each index, are moved once.
"""
FOLDER_MODE = 0o700
_OTHERS = 0o077
_SIDE_FILES = ("", "-wal", "-shm", ".lock")
_NEW_SIDE_FILES = ("", "-journal", "-wal", "-shm")


class WriterLock:
    """The exclusive lock of the one writer: an advisory lock on a file that holds its pid.

    The file stays; the lock goes with the process, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._fd = os.open(path, flags, FILE_MODE)
        except OSError as error:
            raise file_fault(error, path=path) from error
        try:
            self._take()
        except BaseException:
            os.close(self._fd)
            raise

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._fd)

    def _take(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._locked() from None
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            raise file_fault(error, path=self.path) from error

    def _locked(self) -> StoreLocked:
        text = os.pread(self._fd, 32, 0).decode("ascii", "replace").strip()
        pid = int(text) if text.isdecimal() else None
        holder = "another process" if pid is None else f"process {pid}"
        if pid == os.getpid():
            holder = f"this process ({pid})"
        return StoreLocked(
            f"{holder} writes to {self.path.with_suffix('')}",
            hint="wait until it ends, or open the store for reading only",
            data={"pid": pid, "path": str(self.path.with_suffix(""))},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What opening gives.

    Attributes:
        database: The connection.
        lock: The writer's lock; None when reading only.
        tightened: Files whose modes were open to others and no longer are.
    """

    database: Database
    lock: WriterLock | None
    tightened: tuple[str, ...]


def open_database(path: Path, *, read_only: bool, durability: Durability = "full") -> Opened:
    """Open the database at *path*; a writer creates it when there is none.

    Args:
        path: The database file.
        read_only: Open beside a running writer.
        durability: ``full`` survives power loss; ``normal`` survives a crash of the program, and
            may lose the last acknowledged writes when the power fails.

    Raises:
        SchemaTooNew: It is of a newer schema version (TB201).
        ForeignDatabase: It is no database, or another program's (TB202).
        StoreLocked: Another process writes to it (TB203).
        StoreFull: There is no space to create or open it (TB206).
        StoreCorrupt: Its pages are damaged (TB207).
        UnsafeSqlite: The linked SQLite may corrupt it (TB208).
        SchemaTooOld: It is of an older schema version (TB209).
        StoreUnavailable: The file system refuses, or there is nothing to read (TB210).
    """
    check_sqlite(int(apsw.SQLITE_VERSION_NUMBER))
    there = check_file(path)
    if read_only:
        if not there:
            raise StoreUnavailable(f"there is no database at {path}", data={"path": str(path)})
        return Opened(database=_connect(path, read_only=True), lock=None, tightened=())
    make_private_folder(path.parent)
    lock = WriterLock(path.with_name(path.name + ".lock"))
    try:
        if not check_file(path):
            _create(path)
        tightened = _tighten(path.with_name(path.name + end) for end in _SIDE_FILES)
        return Opened(
            database=_connect(path, read_only=False, durability=durability),
            lock=lock,
            tightened=tightened,
        )
    except BaseException:
        lock.release()
        raise


def check_file(path: Path) -> bool:
    """Return whether a database of ours is at *path*; nothing is written, nothing is created.

    An empty file counts as none. What another program or version wrote is refused.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise file_fault(error, path=path) from error
    if not stat.S_ISREG(found.st_mode):
        what = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "no regular file"
        raise StoreUnavailable(f"{path} is {what}", data={"path": str(path)})
    if found.st_size == 0:
        return False
    application_id, user_version = _header(path, size_bytes=found.st_size)
    check_version(path, application_id=application_id, user_version=user_version)
    return True


def check_version(path: Path, *, application_id: int, user_version: int) -> None:
    """Refuse a database of another program or of another schema version."""
    data = {"path": str(path), "found": user_version, "supported": SCHEMA_VERSION}
    if application_id != APPLICATION_ID:
        raise ForeignDatabase(
            f"{path} is a database of another program (application id {application_id:#x})",
            hint="move it away, or choose another folder",
            data={"path": str(path), "application_id": application_id},
        )
    if user_version > SCHEMA_VERSION:
        raise SchemaTooNew(
            f"{path} is of schema version {user_version}; this program knows {SCHEMA_VERSION}",
            hint="pip install --upgrade talebearer",
            data=data,
        )
    if user_version < SCHEMA_VERSION:
        raise SchemaTooOld(
            f"{path} is of schema version {user_version}; this program needs {SCHEMA_VERSION}",
            hint="export it with the version that wrote it, and record again",
            data=data,
        )


def make_private_folder(folder: Path) -> None:
    """Make *folder* and its parents where they are missing; new ones are the owner's only."""
    try:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        for one in reversed(missing):
            one.mkdir(mode=FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise file_fault(error, path=folder) from error


def sync_folder(folder: Path) -> None:
    """Make the names in *folder* durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync_file(path: Path) -> None:
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def tighten(path: Path) -> bool:
    """Take the rights of group and others from *path*; return whether there were any."""
    try:
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & _OTHERS:
            path.chmod(mode & ~_OTHERS)
            return True
    except FileNotFoundError:
        return False
    except OSError as error:
        raise file_fault(error, path=path) from error
    return False


def _tighten(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(str(path) for path in paths if tighten(path))


def _header(path: Path, *, size_bytes: int) -> tuple[int, int]:
    """Return application id and user version from the first page.

    Asked through SQLite, not by reading the file: closing a plain descriptor of a file drops
    every lock that this process has on it, also those of another open connection. ``immutable``
    takes no locks and makes no side files.
    """
    foreign = ForeignDatabase(
        f"{path} is no SQLite database",
        hint="move it away, or choose another folder",
        data={"path": str(path)},
    )
    if size_bytes < 512:
        raise foreign
    try:
        connection = _connection(path, flags=apsw.SQLITE_OPEN_READONLY, query="?immutable=1")
        try:
            return _pragma(connection, "application_id"), _pragma(connection, "user_version")
        finally:
            connection.close()
    except apsw.NotADBError:
        raise foreign from None
    except apsw.CorruptError as error:
        if _has_log(path):
            # A crash in the middle of a checkpoint leaves a file that is whole only together with
            # its write-ahead log. This look leaves the log out, so it cannot tell; connecting does.
            return APPLICATION_ID, SCHEMA_VERSION
        raise engine_fault(error, path=path) from error
    except apsw.Error as error:
        raise engine_fault(error, path=path) from error


def _has_log(path: Path) -> bool:
    wal = path.with_name(path.name + "-wal")
    return wal.exists() and wal.stat().st_size > 0


def _create(path: Path) -> None:
    new = path.with_name(path.name + ".new")
    try:
        _remove(new)
        os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE))
        _fill(new)
        _sync_file(new)
        new.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        _remove(new)
        raise file_fault(error, path=path) from error
    except BaseException:
        _remove(new)
        raise


def _fill(new: Path) -> None:
    connection = _connection(new, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        # Nobody sees this file before it is whole and synced, so it needs no journal of its own.
        _all(connection, "PRAGMA journal_mode = OFF")
        _all(connection, "PRAGMA synchronous = OFF")
        _all(connection, "BEGIN IMMEDIATE")
        _all(connection, f"PRAGMA application_id = {APPLICATION_ID}")
        _all(connection, f"PRAGMA user_version = {SCHEMA_VERSION}")
        _all(connection, CREATE_ALL)
        _all(connection, "INSERT INTO patchouli_runtime_state VALUES (1, 0, 0, 0, NULL)")
        _all(connection, "COMMIT")
        _all(connection, "PRAGMA journal_mode = WAL")
    except apsw.Error as error:
        raise engine_fault(error, path=new, system_errno=connection.system_errno) from error
    finally:
        connection.close()


def _connect(path: Path, *, read_only: bool, durability: Durability = "full") -> Database:
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
    connection: apsw.Connection | None = None
    try:
        query = "?immutable=1" if read_only and _on_read_only_disk(path) else ""
        connection = _connection(path, flags=flags, query=query)
        # The write-ahead log may hold a newer header than the file itself.
        check_version(
            path,
            application_id=_pragma(connection, "application_id"),
            user_version=_pragma(connection, "user_version"),
        )
        if not read_only:
            _all(connection, "PRAGMA journal_mode = WAL")
            _all(connection, f"PRAGMA synchronous = {durability}")
            connection.wal_autocheckpoint(LOG_PAGES_MAX)
        _all(connection, "PRAGMA foreign_keys = ON")
        _all(connection, "PRAGMA trusted_schema = OFF")
        _all(connection, f"PRAGMA cache_size = -{CACHE_KIB}")
        _all(connection, "SELECT 1 FROM patchouli_runtime_state")
    except BaseException as error:
        system_errno = connection.system_errno if connection is not None else 0
        if connection is not None:
            connection.close()
        if isinstance(error, apsw.Error):
            raise engine_fault(error, path=path, system_errno=system_errno) from error
        raise
    return Database(connection, path=path, read_only=read_only)


def _on_read_only_disk(path: Path) -> bool:
    """Whether nobody can write there now, and no log waits to be read with the database."""
    read_only = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    return read_only and not _has_log(path)


def _connection(path: Path, *, flags: int, query: str = "") -> apsw.Connection:
    connection = apsw.Connection(
        f"file:{quote(os.fsencode(path.absolute()))}{query}",
        flags=flags | apsw.SQLITE_OPEN_URI,
        statementcachesize=STATEMENTS_CACHED,
    )
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    # This build keeps statistics of values, for which SQLite plans a join anew each time that its
    # parameters are bound. Our plans hang on the keys alone, and planning costs more than reading.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    return connection


def _pragma(connection: apsw.Connection, name: str) -> int:
    value = connection.pragma(name)
    assert isinstance(value, int), name
    return value


def _all(connection: apsw.Connection, sql: str) -> None:
    connection.execute(sql).fetchall()


def _remove(new: Path) -> None:
    for end in _NEW_SIDE_FILES:
        new.with_name(new.name + end).unlink(missing_ok=True)
