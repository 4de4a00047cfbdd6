"""One SQLite connection: transactions, and SQLite's faults in our words.

A mutation outside a batch is one IMMEDIATE transaction of its own. Inside a batch it joins the
batch's. When the engine fails in the middle of a mutation, SQLite may already have rolled back
the whole transaction; the batch is then doomed: every later call in it, and its end, raise that
first fault, so that the rest can never be committed without the beginning.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import apsw

from talebearer._whole import DISK_FULL
from talebearer.errors import (
    InternalError,
    InvalidRecord,
    StoreCorrupt,
    StoreFull,
    StoreLocked,
    StoreUnavailable,
    TalebearerError,
    UnsafeSqlite,
    UsageFault,
)

BUSY_TIMEOUT_MS = 5_000
STATEMENTS_CACHED = 256
WAL_RESET_FIXED = (3_051_003,)
"""First SQLite version number outside the WAL-reset corruption range."""
WAL_FIRST = 3_007_000
WAL_RESET_BACKPORTS = range(3_050_007, 3_051_000)

Bindings = tuple[Any, ...]
Row = tuple[Any, ...]


def check_sqlite(version_number: int) -> None:
    """Refuse the SQLite versions that may corrupt a database in WAL mode.

    Args:
        version_number: As SQLite counts: 3.51.2 is 3051002.

    Raises:
        UnsafeSqlite: The version is inside the affected range (TB208).
    """
    fixed = version_number >= WAL_RESET_FIXED[0] or version_number in WAL_RESET_BACKPORTS
    if version_number >= WAL_FIRST and not fixed:
        major, rest = divmod(version_number, 1_000_000)
        minor, patch = divmod(rest, 1_000)
        raise UnsafeSqlite(
            f"SQLite {major}.{minor}.{patch} is linked, which may corrupt a database",
            hint="pip install --upgrade apsw; SQLite 3.51.3 and later are safe",
        )


def file_fault(error: OSError, *, path: Path | str) -> TalebearerError:
    """Return what *error* on *path* means: a full disk, or a file system that refuses."""
    where = str(error.filename or path)
    if error.errno in DISK_FULL:
        return StoreFull(f"no space left while writing {where}", data={"path": where})
    reason = error.strerror or str(error)
    return StoreUnavailable(f"{where}: {reason}", data={"path": where})


def engine_fault(error: apsw.Error, *, path: Path, system_errno: int = 0) -> TalebearerError:
    """Return what SQLite's *error* on the database at *path* means."""
    where = {"path": str(path)}
    full_disk = isinstance(error, apsw.IOError) and system_errno in DISK_FULL
    if isinstance(error, apsw.FullError) or full_disk:
        return StoreFull(f"no space left while writing {path}", data=where)
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
        return StoreCorrupt(f"{path} is damaged: {error}", data={"file": str(path)})
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreLocked(f"{path} is busy: {error}", data=where)
    if isinstance(error, apsw.TooBigError):
        return InvalidRecord(f"the value is too large for the database: {error}")
    if isinstance(error, apsw.InterruptError):
        return StoreUnavailable(f"reading {path} was cut short", data=where)
    storage_faults = (apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError)
    if isinstance(error, storage_faults):
        return StoreUnavailable(f"{path}: {error}", data=where)
    return InternalError(f"{type(error).__name__} on {path}: {error}", data=where)


_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


class Database:
    """A connection with its transactions. Safe to use from several threads, one at a time."""

    def __init__(self, connection: apsw.Connection, *, path: Path, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._mutex = threading.RLock()
        self._reading = _Reading(self)
        self._mutation = _Mutation(self)
        self._closed = False
        self._depth = 0
        self._writing = False
        self._inner = 0
        self._kept = False
        self._doomed: TalebearerError | None = None
        self._before_commit: list[Callable[[], None]] = []
        self._after_rollback: list[Callable[[], None]] = []
        self._after_commit: list[Callable[[], None]] = []

    @property
    def connection(self) -> apsw.Connection:
        """SQLite's own connection, for whole-database work: streaming, backup, pragmas."""
        return self._connection

    @property
    def in_batch(self) -> bool:
        """Whether a batch is open."""
        return self._depth > 0

    @property
    def in_transaction(self) -> bool:
        """Whether what is read now may still be undone."""
        return self._depth > 0 or self._writing

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Return all rows of *sql*; statements are prepared once and kept."""
        return self._connection.execute(sql, bindings).fetchall()

    def read_rows(self, sql: str, bindings: Bindings) -> list[Row]:
        """Return what :meth:`rows` does for a query that is alone: :meth:`reading`, in one step."""
        self._mutex.acquire()
        try:
            self._check_usable()
            return self._connection.execute(sql, bindings).fetchall()
        except apsw.Error as error:
            raise self._fault(error) from error
        finally:
            self._mutex.release()

    def each(self, sql: str, bindings: Bindings = ()) -> Iterator[Row]:
        """Yield the rows of *sql* as they are read; nothing is written meanwhile."""
        yield from self._connection.execute(sql, bindings)

    def run(self, sql: str, bindings: Bindings = ()) -> None:
        """Execute *sql* for its effect."""
        self._connection.execute(sql, bindings)

    def insert(self, sql: str, bindings: Bindings) -> int:
        """Execute an INSERT and return its row key."""
        self._connection.execute(sql, bindings)
        return self._connection.last_insert_rowid()

    def keep(self) -> None:
        """Have what is written so far stay even if the mutation is then refused.

        It concerns mutations outside of a batch; a batch is all or nothing.
        """
        self._kept = True

    def before_commit(self, check: Callable[[], None]) -> None:
        """Have *check* run at the end of the open batch; if it raises, all is rolled back."""
        self._before_commit.append(check)

    def after_rollback(self, undo: Callable[[], None]) -> None:
        """Have *undo* run if the open transaction is rolled back."""
        self._after_rollback.append(undo)

    def after_commit(self, done: Callable[[], None]) -> None:
        """Have *done* run once the open transaction is committed."""
        self._after_commit.append(done)

    def reading(self) -> AbstractContextManager[None]:
        """Hold the connection for one query."""
        return self._reading

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Hold the connection for several queries that all see the same moment."""
        with self.reading():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                # Nothing was written, so there is nothing to keep.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def interrupt(self) -> None:
        """Have what another thread reads here end with an error."""
        self._connection.interrupt()

    def writing(self) -> AbstractContextManager[None]:
        """Hold the connection for one mutation: a transaction, or a part of the open one."""
        return self._mutation

    @contextmanager
    def part(self) -> Iterator[None]:
        """Make everything inside a part of the open transaction that is undone alone."""
        with self._savepoint():
            yield

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make everything inside one transaction; inside a batch, a part of it with a way back."""
        with self._mutex:
            self._check_usable(writing=True)
            self._depth += 1
            try:
                with self._savepoint() if self._depth > 1 else self._transaction():
                    yield
            finally:
                self._depth -= 1

    def close(self) -> None:
        """Close the connection. Closing again does nothing."""
        with self._mutex:
            self._closed = True
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._begin()
        try:
            yield
        except BaseException as error:
            self._end(error, keeping=False)
            raise
        self._end(None, keeping=False)

    def _begin(self) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            self._abandon(error)
            raise

    def _end(self, error: BaseException | None, *, keeping: bool) -> None:
        """Commit, or roll back for *error*; what of a refused mutation is kept is committed.

        A fault of SQLite's is raised in our words; any other *error* is the caller's to raise.
        """
        refused = None
        if error is not None:
            if not (keeping and self._kept and isinstance(error, TalebearerError)):
                self._abandon(error)
                return
            refused = error
        try:
            self._check_usable()
            self._finish(refused)
        except BaseException as fault:
            self._abandon(fault)
            raise
        self._forget()

    def _abandon(self, error: BaseException) -> None:
        try:
            self._rollback()
            if isinstance(error, apsw.Error):
                raise self._fault(error) from error
        finally:
            self._forget()

    def _forget(self) -> None:
        """Begin anew: no fault, and nothing to be done at the end."""
        self._doomed = None
        self._kept = False
        self._before_commit.clear()
        self._after_rollback.clear()
        self._after_commit.clear()

    def _finish(self, refused: TalebearerError | None) -> None:
        if refused is not None:
            self._undo(self._after_rollback)
            self._commit()
            return
        for check in self._before_commit:
            check()
        self._commit()
        for done in self._after_commit:
            done()

    def _commit(self) -> None:
        """Commit, and only then forget what a rollback would undo.

        An interrupt between the two would undo what is committed, so it waits until both are done.
        """
        if not self._after_rollback:
            self._connection.execute("COMMIT")
            return
        held = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
        try:
            self._connection.execute("COMMIT")
            self._after_rollback.clear()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        checks, undos = len(self._before_commit), len(self._after_rollback)
        dones = len(self._after_commit)
        self._connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction and self._doomed is None:
                self._connection.execute("ROLLBACK TO part")
                self._connection.execute("RELEASE part")
            del self._before_commit[checks:]
            del self._after_commit[dones:]
            self._undo(self._after_rollback[undos:])
            del self._after_rollback[undos:]
            raise
        if self._doomed is None:
            self._connection.execute("RELEASE part")

    def _rollback(self) -> None:
        # After a full disk SQLite has often rolled back by itself; a second ROLLBACK is an error.
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._undo(self._after_rollback)

    def _undo(self, undos: list[Callable[[], None]]) -> None:
        for undo in reversed(undos):
            undo()

    def _check_usable(self, *, writing: bool = False) -> None:
        if self._closed:
            raise UsageFault(f"the store {self.path} is closed")
        if writing and self.read_only:
            raise UsageFault(f"the store {self.path} is open for reading only")
        if self._doomed is not None:
            raise self._doomed

    def _fault(self, error: apsw.Error) -> TalebearerError:
        return engine_fault(error, path=self.path, system_errno=self._connection.system_errno)


class _Reading(AbstractContextManager[None]):
    """The connection, held for one query; every read of a record goes through here."""

    __slots__ = ("_db",)

    def __init__(self, database: Database) -> None:
        self._db = database

    def __enter__(self) -> None:
        self._db._mutex.acquire()
        try:
            self._db._check_usable()
        except BaseException:
            self._db._mutex.release()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        fault = self._db._fault(error) if isinstance(error, apsw.Error) else None
        self._db._mutex.release()
        if fault is not None:
            raise fault from error


class _Mutation(AbstractContextManager[None]):
    """The connection, held for one mutation; every write of a record goes through here."""

    __slots__ = ("_db",)

    def __init__(self, database: Database) -> None:
        self._db = database

    def __enter__(self) -> None:
        db = self._db
        db._mutex.acquire()
        try:
            db._check_usable(writing=True)
            if db._depth or db._writing:
                db._inner += 1
            else:
                db._begin()
                db._writing = True
        except BaseException:
            db._mutex.release()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        db = self._db
        try:
            if db._inner:
                db._inner -= 1
                self._leave_part(error)
                return
            try:
                db._end(error, keeping=True)
            finally:
                db._writing = False
        finally:
            db._mutex.release()

    def _leave_part(self, error: BaseException | None) -> None:
        # Ours are raised before anything is written, so the batch may go on.
        if error is None or isinstance(error, TalebearerError):
            return
        if isinstance(error, apsw.Error):
            self._db._doomed = self._db._fault(error)
            raise self._db._doomed from error
        self._db._doomed = InternalError("a mutation of the batch was cut short")
