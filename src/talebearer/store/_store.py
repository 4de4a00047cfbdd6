"""The embedded store: one writer, any number of readers, every write whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

import apsw

from talebearer.errors import TalebearerError
from talebearer.store._bytes_typed import Bytes
from talebearer.store._controller import Controller
from talebearer.store._engine import Database
from talebearer.store._model import Call, Reply
from talebearer.store._open import Durability, WriterLock, open_database
from talebearer.store._records_typed import Records
from talebearer.store._runtime import Runtime
from talebearer.store._schema_sql import SCHEMA_VERSION
from talebearer.store.artifacts import Blobs
from talebearer.store.calls import (
    WRITING_METHODS,
    answer,
    answer_encoded,
    answer_many,
    reads_aside,
)
from talebearer.store.feed import Changes, Feed
from talebearer.store.merging import MergeEngine, automerge_engine
from talebearer.store.policy import DEFAULT_POLICY, Policy

T = TypeVar("T")


class Store(Records, Bytes):
    """Versioned records and content-addressed bytes, in one database and one folder.

    Open it with :meth:`open` and use it as a context manager. *meta*, everywhere, is the
    request's metadata: under the default policy ``workspace_id`` and ``user_id`` are the scope,
    ``base_versions`` names what a write is based on, and ``conflict_strategy`` overrides what
    happens to heads that it does not name.

    Every method may raise, besides what it lists: InvalidRecord for metadata, a type or an id
    that is refused (TB115); StoreFull (TB206), StoreCorrupt (TB207), StoreLocked (TB203) and
    StoreUnavailable (TB210) for what the disk does; UsageFault on a closed store, or for a write
    on one that is open for reading only (TB111). A write that raises has stored nothing.
    """

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        *,
        lock: WriterLock | None,
        runtime: Runtime,
        policy: Policy,
        engine: MergeEngine | None,
        new_id: Callable[[], str],
        node_id: str,
        tightened: tuple[str, ...],
    ) -> None:
        self._db = database
        self._blobs = blobs
        self._lock = lock
        self._runtime = runtime
        self._node_id = node_id
        self._tightened = tightened
        self._policy = policy
        self._engine = engine
        self._new_id = new_id
        self._controller = Controller(
            database,
            blobs,
            policy=policy,
            engine=engine,
            now_ms=runtime.now_ms,
            new_id=new_id,
            node_id=node_id,
        )
        self._changes = Changes(
            database, retention_ms=policy.changes_seconds * 1_000, now_ms=runtime.now_ms
        )
        if not database.read_only:
            self._controller.start()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        artifacts: Path,
        now_ms: Callable[[], int],
        new_id: Callable[[], str],
        policy: Policy = DEFAULT_POLICY,
        engine: MergeEngine | Literal["automerge"] | None = "automerge",
        durability: Durability = "full",
        read_only: bool = False,
        node_id: str = "local",
    ) -> Store:
        """Open the store, and create it when there is none.

        Args:
            path: The database file; ``<path>.lock`` beside it is held while writing.
            artifacts: The folder of the bytes.
            now_ms: The clock, Unix milliseconds.
            new_id: Gives ids that never repeat; called once for each new version, and once
                before it for an entity without an id.
            policy: Types, scope and metadata.
            engine: What merges; by default Automerge where it is installed, None for nothing.
            durability: ``full`` survives power loss; ``normal`` is faster where syncing is slow,
                and may lose the last acknowledged writes when the power fails.
            read_only: Open beside a running writer; nothing is created or changed.
            node_id: This node's name as a placement provider.

        Raises:
            SchemaTooNew: The database is of a newer schema version (TB201).
            ForeignDatabase: The file is no database, or another program's (TB202).
            StoreLocked: Another process writes; ``data["pid"]`` says which (TB203).
            UnsafeSqlite: The linked SQLite may corrupt it (TB208).
            SchemaTooOld: The database is of an older schema version (TB209).
            StoreUnavailable: There is nothing to read, or the file system refuses (TB210).

        Source: the protocol sheet, section 4.1.
        """
        opened = open_database(path, read_only=read_only, durability=durability)
        blobs = Blobs(artifacts)
        try:
            runtime = Runtime(opened.database, now_ms=now_ms)
            tightened = opened.tightened
            if not read_only:
                tightened += blobs.prepare()
                runtime.start()
            return cls(
                opened.database,
                blobs,
                lock=opened.lock,
                runtime=runtime,
                policy=policy,
                engine=automerge_engine() if engine == "automerge" else engine,
                new_id=new_id,
                node_id=node_id,
                tightened=tightened,
            )
        except BaseException:
            opened.database.close()
            if opened.lock is not None:
                opened.lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Mark the end as clean, close, and give the lock back. Closing again does nothing."""
        if self._lock is None:
            self._db.close()
            return
        try:
            self._controller.stop()
            self._runtime.stop()
        except TalebearerError:
            # A full disk cannot take the mark; the next opening then reports an unclean end,
            # which is what the flag is for. Everything acknowledged is already durable.
            pass
        finally:
            self._db.close()
            self._lock.release()
            self._lock = None

    def reader(self) -> Store:
        """Open a second store on the same files that only reads; the caller closes it.

        It may be used in another thread while this one writes. Each retrieval of it sees one
        moment: everything that was durable when it began, and nothing of what came later.
        """
        return Store.open(
            self._db.path,
            artifacts=self._blobs.root,
            now_ms=self._runtime.now_ms,
            new_id=self._new_id,
            policy=self._policy,
            engine=self._engine,
            read_only=True,
            node_id=self._node_id,
        )

    def may_read_aside(self, call: Call) -> bool:
        """Return whether a :meth:`reader` answers *call* as this store would.

        That is a retrieval outside of work units that moves no session and waits for no token.
        """
        return reads_aside(self._controller, call)

    def interrupt(self) -> None:
        """Have what another thread reads here end with an error, soon."""
        self._db.interrupt()

    def call(self, call: Call) -> Reply:
        """Answer one request of the wire.

        Raises:
            UsageFault: The store has no such method (TB111).
            TalebearerError: What the method refuses; ``as_wire()`` gives the wire's error.

        Source: the protocol sheet, sections 1.4 and 1.7.
        """
        return self._noted(call, answer(self._controller, self, call))

    def call_encoded(self, call: Call) -> bytes:
        """Answer one request of the wire with the JSON text of its result: ``data`` and ``meta``.

        It is what :meth:`call` gives, encoded; for reads and writes of records much cheaper than to
        encode that.
        """
        return self._noted(call, answer_encoded(self._controller, self, call))

    def call_many(self, calls: Sequence[Call]) -> list[Reply | TalebearerError]:
        """Answer requests in order with one shared commit, each undone alone if it is refused.

        A request sees the writes of those before it. Returns when everything is durable; a
        request whose deadline passes before the commit is answered DeadlineExceeded (TB215) and
        has stored nothing.
        """
        return answer_many(_Group(self, self.call), calls)

    def call_many_encoded(self, calls: Sequence[Call]) -> list[bytes | TalebearerError]:
        """Answer requests as :meth:`call_many` does, each result as :meth:`call_encoded` gives it."""
        return answer_many(_Group(self, self.call_encoded), calls)

    def _noted(self, call: Call, answered: T) -> T:
        if call.method in WRITING_METHODS:
            self._controller.note_write()
        return answered

    def open_feed(
        self,
        meta: Mapping[str, Any],
        *,
        filter: Mapping[str, Any] | None = None,
        after_cursor: str | None = None,
    ) -> Feed:
        """Return the feed of the scope's changes after *after_cursor*, or after now.

        Args:
            meta: The request's metadata.
            filter: ``types`` and ``ids``, lists; both conditions must hold.
            after_cursor: The last cursor seen; None begins with the next change.

        Raises:
            InvalidRecord: The filter or the cursor is none (TB115).
            CursorExpired: The cursor is not of this scope's log (TB211).

        Source: the protocol sheet, section 5.9.
        """
        scope_json = self._controller.begin_feed(meta)
        return self._changes.open(scope_json, filter=filter, after_cursor=after_cursor)

    def take_changed_scopes(self) -> set[str]:
        """Return the scopes with committed changes since the last time, as their feeds name them."""
        return self._controller.take_changed_scopes()

    def batch(self) -> AbstractContextManager[None]:
        """Return a context in which everything is one transaction: all of it, or nothing.

        Readers see nothing of it before its end, and an error that leaves it undoes it.
        A call that is refused inside it and caught there has changed nothing, and the rest goes
        on. A batch inside a batch is a part of the outer one that can be undone alone. Relations
        may name records that are created later in the same batch.

        Raises:
            InvalidRecord: At the end, a relation's endpoint is still not there (TB115).
        """
        return self._controller.batch()

    def status(self) -> dict[str, Any]:
        """Return what the store is and how it was opened, as a JSON object."""
        return {
            "ready": True,
            "provider": "sqlite",
            "path": str(self._db.path),
            "artifacts": str(self._blobs.root),
            "read_only": self._db.read_only,
            "schema_version": SCHEMA_VERSION,
            "sqlite_version": apsw.sqlite_lib_version(),
            "pid": os.getpid(),
            "node_id": self._node_id,
            "tightened": [*self._tightened],
            "merge": self._controller.merge_status(),
            **self._runtime.status(),
        }

    def checkpoint(self) -> None:
        """Move the write-ahead log into the database file.

        Raises:
            StoreLocked: A reader stands in the way (TB203).
        """
        self._runtime.checkpoint()


class _Group(Generic[T]):
    """A store as a group of requests uses it."""

    def __init__(self, store: Store, answer: Callable[[Call], T]) -> None:
        self.answer = answer
        self.now_ms = store._runtime.now_ms
        self.transaction = store._controller.group
