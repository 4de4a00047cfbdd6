"""The embedded store: one writer, any number of readers, every write whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import apsw

from talebearer.errors import TalebearerError
from talebearer.store._canonical import canonical_text, decode, problem, refuse
from talebearer.store._controller import Controller, check_id
from talebearer.store._engine import Database
from talebearer.store._model import Call, Change, EntityRef, EntityVersion, ReadResult, Reply
from talebearer.store._open import Durability, WriterLock, open_database
from talebearer.store._runtime import Runtime
from talebearer.store._schema_sql import SCHEMA_VERSION
from talebearer.store.artifacts import Blobs, Chunk
from talebearer.store.calls import WRITING_METHODS, answer, answer_many, reads_aside
from talebearer.store.feed import LIMIT_DEFAULT, Changes, Feed
from talebearer.store.merging import MergeEngine, automerge_engine
from talebearer.store.policy import DEFAULT_POLICY, Policy
from talebearer.store.retrieval import LIMIT_DEFAULT as LIMIT_HITS_DEFAULT
from talebearer.store.retrieval import LIMIT_MAX, RetrieveResult

ChangeList = list[Change]


class Store:
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
        reply = answer(self._controller, self, call)
        if call.method in WRITING_METHODS:
            self._controller.note_write()
        return reply

    def call_many(self, calls: Sequence[Call]) -> list[Reply | TalebearerError]:
        """Answer requests in order with one shared commit, each undone alone if it is refused.

        A request sees the writes of those before it. Returns when everything is durable; a
        request whose deadline passes before the commit is answered DeadlineExceeded (TB215) and
        has stored nothing.
        """
        return answer_many(_Group(self), calls)

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

    def create(
        self,
        meta: Mapping[str, Any],
        type: str,
        value: Any,
        *,
        id: str | None = None,
    ) -> EntityVersion:
        """Create an entity and return its first version.

        Args:
            meta: The request's metadata.
            type: A configured record type.
            value: Its value; the store keeps a copy.
            id: Its id; None has one made.

        Raises:
            InvalidRecord: The schema refuses *value*, or a relation's endpoint is not there
                (TB115).
            VersionConflict: The entity exists, even as a tombstone; ``data["current_versions"]``
                has its heads (TB205).

        Source: the protocol sheet, section 5.1.
        """
        return self._controller.create(meta, type, value, entity_id=id).entity

    def read(self, meta: Mapping[str, Any], ref: EntityRef) -> ReadResult:
        """Return the current heads of *ref*.

        Raises:
            NotFound: It was never created in this scope (TB204).

        Source: the protocol sheet, section 5.2.
        """
        return self._controller.read(meta, ref).result

    def update(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Replace the value of *ref* as a whole and return the new version.

        Heads that ``base_versions`` does not name stay beside the new one, unless the strategy
        is ``reject``.

        Raises:
            InvalidRecord: The schema refuses *value*, ``base_versions`` is missing, or a
                relation's endpoint is not there (TB115).
            NotFound: It was never created in this scope (TB204).
            VersionConflict: A base was never published, or the strategy refuses (TB205).

        Source: the protocol sheet, section 5.3.
        """
        return self._controller.update(meta, ref, value).entity

    def delete(self, meta: Mapping[str, Any], ref: EntityRef) -> EntityVersion:
        """Put a tombstone in the place of the named heads and return it.

        Raises:
            InvalidRecord: ``base_versions`` is missing (TB115).
            NotFound: It was never created in this scope (TB204).
            VersionConflict: A base was never published, or the strategy refuses (TB205).

        Source: the protocol sheet, section 5.4.
        """
        return self._controller.delete(meta, ref).entity

    def upsert(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Create *ref*, or replace all its heads, or do nothing when its value is the same.

        Values are compared by their canonical text. The base versions are the heads at the
        moment of the write, so a conflict ends here.

        Raises:
            InvalidRecord: The schema refuses *value*, ``base_versions`` is given, or a
                relation's endpoint is not there (TB115).
        """
        return self._controller.upsert(meta, ref, value).entity

    def list(
        self,
        meta: Mapping[str, Any],
        type: str,
        *,
        id_prefix: str = "",
    ) -> Iterator[EntityVersion]:
        """Return the active heads of a type in the order of their ids, all of one moment.

        An entity in conflict comes once for each active head, deleted ones not at all.

        Args:
            meta: The request's metadata.
            type: A configured record type.
            id_prefix: Only ids that begin with this text, taken literally.
        """
        if id_prefix:
            check_id(id_prefix)
        rows = self._controller.list_active(meta, type, id_prefix=id_prefix)
        return (
            EntityVersion(
                ref=EntityRef(type, entity_id),
                version=version,
                state="active",
                value=decode(value_json),
            )
            for entity_id, version, value_json in rows
        )

    def retrieve(
        self,
        meta: Mapping[str, Any],
        query: Mapping[str, Any] | str,
        *,
        types: Sequence[str] | None = None,
        limit: int = LIMIT_HITS_DEFAULT,
        exclude_expired: bool = False,
    ) -> RetrieveResult:
        """Return one page of the entities that *query* finds.

        Text is looked for in the strings of a value, without regard to case; keys are no text.

        Args:
            meta: The request's metadata.
            query: ``text``, ``ids``, ``where``, ``order`` and ``cursor``, or their JSON text.
            types: The record types that may match; None means all.
            limit: At most this many hits, 1 to 100.
            exclude_expired: Whether records whose ``lifecycle.expires_at`` is reached are left
                out.

        Raises:
            InvalidRecord: The query, a type or the limit is refused (TB115).

        Source: the protocol sheet, section 5.10.
        """
        text = query if isinstance(query, str) else canonical_text(dict(query))
        if type(limit) is not int or not 1 <= limit <= LIMIT_MAX:
            hint = f"allowed: 1 to {LIMIT_MAX}"
            refuse([problem(("limit",), f"a limit of {limit}", hint=hint)], what="the request")
        found, _ = self._controller.retrieve(
            meta, text, types=types, limit=limit, exclude_expired=exclude_expired
        )
        return found

    def keep_up(self, rows_max: int | None = None) -> int:
        """Index texts that are not indexed yet and return how many versions it were.

        Nothing depends on it: a search looks at what is not indexed. It makes the next one fast.

        Args:
            rows_max: At most this many; None means all.
        """
        return self._controller.retrieval.keep_up(rows_max)

    def changes(
        self,
        meta: Mapping[str, Any],
        *,
        after_cursor: str | None = None,
        limit: int = LIMIT_DEFAULT,
    ) -> ChangeList:
        """Return the scope's changes strictly after *after_cursor*, oldest first.

        Args:
            meta: The request's metadata.
            after_cursor: The last cursor seen; None starts at the oldest change.
            limit: At most this many, 1 to 4096.

        Raises:
            CursorExpired: The cursor is not of this scope's log (TB211).

        Source: the protocol sheet, section 5.9.
        """
        scope_json = self._controller.begin_feed(meta)
        return self._changes.after(scope_json, cursor=after_cursor, limit=limit)

    def upload(
        self,
        meta: Mapping[str, Any],
        data: bytes,
        *,
        media_type: str,
        name: str | None,
        metadata: Mapping[str, Any],
        id: str | None = None,
    ) -> EntityVersion:
        """Store *data* and create its artifact; equal bytes are stored once.

        With ``base_versions`` in *meta*, the artifact exists and its named heads are replaced,
        as by :meth:`update`.

        Args:
            meta: The request's metadata.
            data: The bytes, which may be none.
            media_type: Such as ``application/json``.
            name: A display name, or None.
            metadata: The artifact's metadata, see ``artifact_metadata``.
            id: Its id; None has one made.

        Raises:
            InvalidRecord: The schema refuses the artifact (TB115).
            NotFound: ``base_versions`` is given, and there is no such artifact (TB204).
            VersionConflict: The entity exists, or the base versions do not fit (TB205).
            StoreCorrupt: Other bytes stand under the same digest (TB207).

        Source: the protocol sheet, section 5.11.
        """
        about = {"media_type": media_type, "name": name, "metadata": dict(metadata)}
        return self._controller.upload(meta, data, about, entity_id=id).entity

    def download(
        self,
        meta: Mapping[str, Any],
        id: str,
        *,
        version: str | None = None,
    ) -> bytes:
        """Return the bytes of an artifact, checked against their digest.

        Args:
            meta: The request's metadata.
            id: The artifact.
            version: One of its active heads; None wants it to have one head only.

        Raises:
            NotFound: No such artifact, a deleted one, or not a current version (TB204).
            VersionConflict: It has several heads and *version* is None (TB205).
            StoreCorrupt: The bytes are missing or damaged; ``data["file"]`` says where (TB207).
            UnsupportedPlacement: Another provider holds the bytes (TB212).

        Source: the protocol sheet, section 5.11.
        """
        chosen, _ = self._controller.download(meta, id, version=version)
        return self._controller.managed.read(chosen)

    def begin_upload(
        self,
        *,
        media_type: str,
        name: str | None,
        metadata: Mapping[str, Any],
        id: str | None = None,
        expected_size_bytes: int | None = None,
        expected_digest: str | None = None,
    ) -> str:
        """Begin an upload in chunks and return its id.

        Raises:
            Overloaded: Too many uploads are open (TB217).

        Source: the protocol sheet, section 5.11.
        """
        return self._controller.begin_upload(
            media_type=media_type,
            name=name,
            metadata=metadata,
            entity_id=id,
            expected_size_bytes=expected_size_bytes,
            expected_digest=expected_digest,
        )

    def upload_chunk(self, upload_id: str, chunk: bytes, *, offset: int) -> int:
        """Add *chunk* to an upload and return the next offset.

        Raises:
            InvalidRecord: The chunk is empty, too long or out of place (TB115).
            UploadNotFound: There is no such upload (TB220).
        """
        return self._controller.managed.add(upload_id, chunk, offset=offset)

    def commit_upload(self, meta: Mapping[str, Any], upload_id: str) -> EntityVersion:
        """Store an upload's bytes and create its artifact.

        When the artifact is refused, the upload stays and can be committed again.

        Raises:
            InvalidRecord: The bytes are not what was announced, or the schema refuses (TB115).
            UploadNotFound: There is no such upload (TB220).
            VersionConflict: The artifact exists (TB205).
            ArtifactDamaged: Other bytes stand under the same digest (TB207).
        """
        return self._controller.commit_upload(meta, upload_id).entity

    def download_chunk(
        self,
        meta: Mapping[str, Any],
        id: str,
        *,
        offset: int,
        size_bytes_max: int,
        version: str | None = None,
    ) -> Chunk:
        """Return a part of an artifact's bytes.

        Args:
            meta: The request's metadata.
            id: The artifact.
            offset: Where the part begins, at most the artifact's length.
            size_bytes_max: At most this many bytes.
            version: One of its active heads; None wants it to have one head only.

        Raises:
            InvalidRecord: The offset is beyond the end (TB115).
            NotFound: No such artifact, a deleted one, or not a current version (TB204).
            VersionConflict: It has several heads and *version* is None (TB205).
            ArtifactDamaged: The bytes are missing or damaged (TB207).
            UnsupportedPlacement: Another provider holds the bytes (TB212).

        Source: the protocol sheet, section 5.11.
        """
        part, _ = self._controller.download_chunk(
            meta, id, version=version, offset=offset, size_bytes_max=size_bytes_max
        )
        return part

    def batch(self) -> AbstractContextManager[None]:
        """Return a context in which everything is one transaction: all of it, or nothing.

        Readers see nothing of it before its end, and an error that leaves it undoes it.
        A call that is refused inside it and caught there has changed nothing, and the rest goes
        on. A batch inside a batch is a part of the outer one that can be undone alone. Relations
        may name records that are created later in the same batch.

        Raises:
            InvalidRecord: At the end, a relation's endpoint is still not there (TB115).
        """
        return self._db.batch()

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


class _Group:
    """A store as a group of requests uses it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.now_ms = store._runtime.now_ms
        self.transaction = store._controller.group

    def answer(self, call: Call) -> Reply:
        """Answer one request."""
        return self._store.call(call)
