"""The embedded store: one writer, any number of readers, every write whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from talebearer.errors import NotFound, TalebearerError, UnsupportedPlacement
from talebearer.store._canonical import Encoded, decode, encode, problem, refuse, text_problems
from talebearer.store._engine import Database
from talebearer.store._model import (
    Call,
    Change,
    EntityRef,
    EntityVersion,
    ReadResult,
    Reply,
    read_state,
)
from talebearer.store._open import WriterLock, open_database
from talebearer.store._policy import DEFAULT_POLICY, Policy, PolicyReader, Request
from talebearer.store._records import RecordSchemas
from talebearer.store._runtime import Runtime
from talebearer.store._schema_sql import SCHEMA_VERSION
from talebearer.store._versions import Versions, Write, check_bases, conflict
from talebearer.store.artifacts import Blobs, Chunk, Uploads, digest_of, key_of
from talebearer.store.calls import answer, answer_many, deadline_ms, refuse_late
from talebearer.store.feed import LIMIT_DEFAULT, PAGE_ROWS, Changes, Feed, FeedFilter
from talebearer.vocabulary import RecordType

_ARTIFACT = RecordType.ARTIFACT.value
_RELATION = RecordType.KNOWLEDGE_RELATION.value

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
        new_id: Callable[[], str],
        node_id: str,
        tightened: tuple[str, ...],
    ) -> None:
        self._db = database
        self._blobs = blobs
        self._lock = lock
        self._runtime = runtime
        self._policy = PolicyReader(policy)
        self._schemas = RecordSchemas(
            {name: rule.value_schema for name, rule in policy.entity_types.items()}
        )
        self._new_id = new_id
        self._node_id = node_id
        self._tightened = tightened
        self._versions = Versions(database)
        self._changes = Changes(database)
        self._uploads = Uploads(blobs.uploads_folder)
        self._changed_scopes: set[str] = set()
        self._grouped = False

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        artifacts: Path,
        now_ms: Callable[[], int],
        new_id: Callable[[], str],
        policy: Policy = DEFAULT_POLICY,
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
        opened = open_database(path, read_only=read_only)
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
            self._runtime.stop()
        except TalebearerError:
            # A full disk cannot take the mark; the next opening then reports an unclean end,
            # which is what the flag is for. Everything acknowledged is already durable.
            pass
        finally:
            self._db.close()
            self._lock.release()
            self._lock = None

    def call(self, call: Call) -> Reply:
        """Answer one request of the wire.

        Raises:
            UsageFault: The store has no such method (TB111).
            TalebearerError: What the method refuses; ``as_wire()`` gives the wire's error.

        Source: the protocol sheet, sections 1.4 and 1.7.
        """
        deadline = deadline_ms(call.meta)
        refuse_late(deadline, now_ms=self._runtime.now_ms())
        return answer(self, call)

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
        refuse_late(deadline_ms(meta), now_ms=self._runtime.now_ms())
        wanted = FeedFilter.parse(filter)
        request = self._policy.read(meta, min(self._policy.policy.entity_types))
        scope_json = request.scope_json
        with self._db.reading():
            if after_cursor is None:
                after_cursor = self._changes.latest(scope_json)
            else:
                self._changes.after(scope_json, cursor=after_cursor, limit=1)
        return Feed(scope_json, cursor=after_cursor, wanted=wanted, page=self._feed_page)

    def _feed_page(self, scope_json: str, cursor: str) -> ChangeList:
        with self._db.reading():
            return self._changes.after(scope_json, cursor=cursor, limit=PAGE_ROWS)

    def take_changed_scopes(self) -> set[str]:
        """Return the scopes with committed changes since the last time, as their feeds name them."""
        taken, self._changed_scopes = self._changed_scopes, set()
        return taken

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
        request = self._policy.read(meta, type)
        if id is not None:
            self._check_id(id)
        encoded = self._encode(type, value)
        with self._db.writing():
            ref = EntityRef(type, self._new_id() if id is None else id)
            return self._create(request, ref, encoded)

    def read(self, meta: Mapping[str, Any], ref: EntityRef) -> ReadResult:
        """Return the current heads of *ref*.

        Raises:
            NotFound: It was never created in this scope (TB204).

        Source: the protocol sheet, section 5.2.
        """
        request = self._request(meta, ref)
        with self._db.reading():
            heads = self._versions.heads(request.scope_json, ref)
        if not heads:
            raise self._not_found(ref)
        return ReadResult(state=read_state(heads), variants=heads)

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
        request = self._request(meta, ref)
        encoded = self._encode(ref.type, value)
        with self._db.writing():
            return self._replace(request, ref, encoded)

    def delete(self, meta: Mapping[str, Any], ref: EntityRef) -> EntityVersion:
        """Put a tombstone in the place of the named heads and return it.

        Raises:
            InvalidRecord: ``base_versions`` is missing (TB115).
            NotFound: It was never created in this scope (TB204).
            VersionConflict: A base was never published, or the strategy refuses (TB205).

        Source: the protocol sheet, section 5.4.
        """
        request = self._request(meta, ref)
        with self._db.writing():
            return self._replace(request, ref, None)

    def upsert(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Create *ref*, or replace all its heads, or do nothing when its value is the same.

        Values are compared by their canonical text. The base versions are the heads at the
        moment of the write, so a conflict ends here.

        Raises:
            InvalidRecord: The schema refuses *value*, ``base_versions`` is given, or a
                relation's endpoint is not there (TB115).
        """
        request = self._request(meta, ref)
        if request.base_versions is not None:
            refuse([self._policy.unwanted_bases()], what="the metadata")
        encoded = self._encode(ref.type, value)
        with self._db.writing():
            heads = self._versions.head_texts(request.scope_json, ref)
            if not heads:
                return self._create(request, ref, encoded)
            before = tuple(heads)
            if len(before) == 1 and heads[before[0]] == encoded.text:
                return EntityVersion(
                    ref=ref, version=before[0], state="active", value=encoded.value
                )
            self._check_endpoints(request.scope_json, ref.type, encoded.value)
            return self._publish(request, ref, encoded, before=before, replaced=before)

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
        request = self._policy.read(meta, type)
        if id_prefix:
            self._check_id(id_prefix)
        with self._db.reading():
            rows = self._versions.active(request.scope_json, type, id_prefix=id_prefix)
        return (
            EntityVersion(
                ref=EntityRef(type, entity_id),
                version=version,
                state="active",
                value=decode(value_json),
            )
            for entity_id, version, value_json in rows
        )

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
        request = self._policy.read(meta, min(self._policy.policy.entity_types))
        with self._db.reading():
            return self._changes.after(request.scope_json, cursor=after_cursor, limit=limit)

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
        digest = digest_of(data)
        value = {
            "media_type": media_type,
            "name": name,
            "byte_length": len(data),
            "digest": digest,
            "placement": {"kind": "managed", "provider": self._node_id, "key": key_of(digest)},
            "metadata": dict(metadata),
        }
        request = self._policy.read(meta, _ARTIFACT)
        if id is not None:
            self._check_id(id)
        encoded = self._encode(_ARTIFACT, value)
        with self._db.writing():
            ref = EntityRef(_ARTIFACT, self._new_id() if id is None else id)
            write = self._create if request.base_versions is None else self._replace
            return write(request, ref, encoded, stored=partial(self._put, data, digest=digest))

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
        value = self._placed_here(meta, id, version=version).value
        return self._blobs.get(
            key=value["placement"]["key"],
            digest=value["digest"],
            size_bytes=value["byte_length"],
        )

    def _placed_here(
        self, meta: Mapping[str, Any], id: str, *, version: str | None
    ) -> EntityVersion:
        """Return the head of an artifact whose bytes are to be read."""
        ref = EntityRef(_ARTIFACT, id)
        heads = {head.version: head for head in self.read(meta, ref).variants}
        if version is None and len(heads) > 1:
            raise conflict(ref, tuple(heads))
        chosen = heads.get(min(heads) if version is None else version)
        if chosen is None or not chosen.active:
            raise self._not_found(ref, version=version)
        placement = chosen.value["placement"]
        if placement["kind"] != "managed" or placement["provider"] != self._node_id:
            raise UnsupportedPlacement(
                f"the bytes of artifact {id!r} are held by {placement['provider']!r}",
                data={"id": id, "provider": placement["provider"]},
            )
        return chosen

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
        upload = self._uploads.begin(
            self._new_id(),
            about={"media_type": media_type, "name": name, "metadata": dict(metadata)},
            entity_id=id,
            expected_size_bytes=expected_size_bytes,
            expected_digest=expected_digest,
        )
        return upload.id

    def upload_chunk(self, upload_id: str, chunk: bytes, *, offset: int) -> int:
        """Add *chunk* to an upload and return the next offset.

        Raises:
            InvalidRecord: The chunk is empty, too long or out of place (TB115).
            UploadNotFound: There is no such upload (TB220).
        """
        return self._uploads.add(upload_id, chunk, offset=offset)

    def commit_upload(self, meta: Mapping[str, Any], upload_id: str) -> EntityVersion:
        """Store an upload's bytes and create its artifact.

        When the artifact is refused, the upload stays and can be committed again.

        Raises:
            InvalidRecord: The bytes are not what was announced, or the schema refuses (TB115).
            UploadNotFound: There is no such upload (TB220).
            VersionConflict: The artifact exists (TB205).
            ArtifactDamaged: Other bytes stand under the same digest (TB207).
        """
        upload = self._uploads.get(upload_id)
        self._uploads.check_complete(upload)
        digest = upload.digest
        if not upload.stored:
            self._blobs.adopt(upload.part, digest=digest)
            upload.stored = True
        value = {
            **upload.about,
            "byte_length": upload.size_bytes,
            "digest": digest,
            "placement": {"kind": "managed", "provider": self._node_id, "key": key_of(digest)},
        }
        with self._db.batch():
            made = self.create(meta, _ARTIFACT, value, id=upload.entity_id)
            upload.finished = True
            self._db.after_commit(partial(self._uploads.forget, upload))
            self._db.after_rollback(partial(setattr, upload, "finished", False))
        return made

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
        chosen = self._placed_here(meta, id, version=version)
        value = chosen.value
        length = value["byte_length"]
        if offset > length:
            found = problem(
                ("offset",), f"{offset} is beyond the end", hint=f"allowed: 0 to {length}"
            )
            refuse([found], what="the request")
        data = self._blobs.get_part(
            key=value["placement"]["key"],
            digest=value["digest"],
            size_bytes=length,
            offset=offset,
            size_bytes_max=size_bytes_max,
        )
        at_end = offset + len(data) == length
        return Chunk(entity=chosen, offset=offset, data=data, at_end=at_end)

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
            **self._runtime.status(),
        }

    def checkpoint(self) -> None:
        """Move the write-ahead log into the database file.

        Raises:
            StoreLocked: A reader stands in the way (TB203).
        """
        self._runtime.checkpoint()

    def _create(
        self,
        request: Request,
        ref: EntityRef,
        encoded: Encoded,
        *,
        stored: Callable[[], None] | None = None,
    ) -> EntityVersion:
        heads = tuple(self._versions.head_texts(request.scope_json, ref))
        if heads:
            raise conflict(ref, heads)
        self._check_endpoints(request.scope_json, ref.type, encoded.value)
        if stored is not None:
            stored()
        return self._publish(request, ref, encoded, before=(), replaced=())

    def _replace(
        self,
        request: Request,
        ref: EntityRef,
        encoded: Encoded | None,
        *,
        stored: Callable[[], None] | None = None,
    ) -> EntityVersion:
        heads = tuple(self._versions.head_texts(request.scope_json, ref))
        if not heads:
            raise self._not_found(ref)
        bases = request.base_versions
        if bases is None:
            refuse([self._policy.missing_bases()], what="the metadata")
        if self._versions.unknown_bases(request.scope_json, ref, bases):
            raise conflict(ref, heads)
        check_bases(heads, bases, strategy=request.strategy, ref=ref)
        if encoded is not None:
            self._check_endpoints(request.scope_json, ref.type, encoded.value)
        if stored is not None:
            stored()
        replaced = tuple(head for head in heads if head in bases)
        return self._publish(request, ref, encoded, before=heads, replaced=replaced)

    def _put(self, data: bytes, *, digest: str) -> None:
        """Store bytes once nothing else can refuse; what is rolled back takes them away again."""
        if self._blobs.put(data, digest=digest):
            self._db.after_rollback(partial(self._blobs.discard, digest))

    def _publish(
        self,
        request: Request,
        ref: EntityRef,
        encoded: Encoded | None,
        *,
        before: tuple[str, ...],
        replaced: tuple[str, ...],
    ) -> EntityVersion:
        write = Write(
            scope_json=request.scope_json,
            ref=ref,
            version=self._new_id(),
            value_json=None if encoded is None else encoded.text,
            before=before,
            replaced=replaced,
            event_meta_json=request.event_meta_json,
            recorded_at_ms=self._runtime.now_ms(),
        )
        self._versions.publish(write)
        self._db.after_commit(partial(self._changed_scopes.add, request.scope_json))
        return EntityVersion(
            ref=ref,
            version=write.version,
            state=write.state,
            value=None if encoded is None else encoded.value,
        )

    def _request(self, meta: Mapping[str, Any], ref: EntityRef) -> Request:
        request = self._policy.read(meta, ref.type)
        self._check_id(ref.id)
        return request

    def _encode(self, entity_type: str, value: Any) -> Encoded:
        encoded = encode(value)
        self._schemas.check(entity_type, encoded.value)
        return encoded

    def _check_id(self, entity_id: object) -> None:
        found = text_problems(entity_id, path=("id",))
        if found:
            refuse(found, what="the request")

    def _check_endpoints(self, scope_json: str, entity_type: str, value: Any) -> None:
        """Refuse a relation to nothing; in a batch, what is missing now may still come."""
        if entity_type != _RELATION or not self._missing_endpoints(scope_json, value):
            return
        if self._db.in_batch and not self._grouped:
            self._db.before_commit(partial(self._refuse_missing_endpoints, scope_json, value))
        else:
            self._refuse_missing_endpoints(scope_json, value)

    def _missing_endpoints(self, scope_json: str, value: Any) -> tuple[tuple[str, int, str], ...]:
        return tuple(
            (side, index, endpoint["id"])
            for side in ("from", "to")
            for index, endpoint in enumerate(value[side])
            if not self._versions.is_active(scope_json, EntityRef(endpoint["type"], endpoint["id"]))
        )

    def _refuse_missing_endpoints(self, scope_json: str, value: Any) -> None:
        missing = self._missing_endpoints(scope_json, value)
        if missing:
            found = [
                problem(
                    (side, index, "id"),
                    f"there is no active knowledge {entity_id!r} in this scope",
                    hint="create it first, or in the same batch",
                )
                for side, index, entity_id in missing
            ]
            refuse(found, what="the knowledge_relation value")

    def _not_found(self, ref: EntityRef, *, version: str | None = None) -> NotFound:
        at = f" at version {version}" if version is not None else ""
        return NotFound(
            f"there is no {ref.type} {ref.id!r}{at} in this scope",
            data={"type": ref.type, "id": ref.id},
        )


class _Group:
    """A store as a group of requests uses it: relations are checked at once, not at the end."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.now_ms = store._runtime.now_ms

    def answer(self, call: Call) -> Reply:
        return self._store.call(call)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        store = self._store
        before, store._grouped = store._grouped, True
        try:
            with store._db.batch():
                yield
        finally:
            store._grouped = before
