"""The controller: every operation of the store, with the metadata that its result carries.

It joins policy, versions, units, merging, feed and artifacts, and holds the transactions. The
typed methods of :class:`Store` and the requests of the wire are two ways in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import orjson

from talebearer.store._canonical import (
    Encoded,
    clip,
    decode,
    encode,
    encode_parsed,
    problem,
    refuse,
    text_problems,
)
from talebearer.store._engine import Database
from talebearer.store._frontiers import Frontiers
from talebearer.store._model import (
    EntityRef,
    EntityVersion,
    ReadResult,
    Reply,
    one_head,
    read_state,
)
from talebearer.store._records import RecordSchemas
from talebearer.store._replays import Replays
from talebearer.store.artifacts import Blobs, Chunk, Managed
from talebearer.store.calls import deadline_ms, encoded, refuse_late
from talebearer.store.merging import Documents, MergeEngine
from talebearer.store.mutations import Endpoints, Mutation, Mutations, Outcome, Plan, Planner
from talebearer.store.policy import Policy, PolicyReader, Request
from talebearer.store.retrieval import LAG_ROWS_MAX, Retrieval, RetrieveResult, parse_query
from talebearer.store.units import Closing, Units
from talebearer.store.versions import (
    PublishedView,
    Stored,
    Versions,
    View,
    entity_version,
    not_found,
    read_data,
)
from talebearer.vocabulary import RecordType

_ARTIFACT = RecordType.ARTIFACT.value


class Controller:
    """All operations on entities and artifacts."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        *,
        policy: Policy,
        engine: MergeEngine | None,
        now_ms: Callable[[], int],
        new_id: Callable[[], str],
        node_id: str,
    ) -> None:
        self.reader = PolicyReader(policy)
        self.managed = Managed(database, blobs, node_id=node_id, now_ms=now_ms)
        self.engine = engine
        self.now_ms = now_ms
        self.new_id = new_id
        self.changed_scopes: set[str] = set()
        self.fallbacks: dict[str, int] = {}
        self._db = database
        self._grouped = False
        self._writes_noted = 0
        self._schemas = RecordSchemas(
            {name: rule.value_schema for name, rule in policy.entity_types.items()}
        )
        self.versions = Versions(database)
        self.documents = Documents(database, engine)
        self.frontiers = Frontiers(database)
        self.units = Units(
            database, self.versions, self.documents, unstaged=lambda: self.retrieval.index.rewind()
        )
        self.retrieval = Retrieval(database, self.versions, self.units)
        self._endpoints = Endpoints(database)
        self._planner = Planner(
            self.versions,
            self.documents,
            engine,
            new_id=new_id,
            check_endpoints=self._check_endpoints,
        )
        self._mutations = Mutations(
            database,
            reader=self.reader,
            versions=self.versions,
            documents=self.documents,
            frontiers=self.frontiers,
            units=self.units,
            replays=Replays(database, retention_ms=policy.idempotency_seconds * 1_000),
            planner=self._planner,
            closing=Closing(
                self.units, self.versions, self._planner, engine, check_value=self._schemas.check
            ),
            endpoints=self._endpoints,
            now_ms=now_ms,
            published=self.changed_scopes_add,
            fell_back=self._note_fallbacks,
        )

    def changed_scopes_add(self, scope_json: str) -> None:
        """Note that a scope has new changes."""
        self.changed_scopes.add(scope_json)

    def take_changed_scopes(self) -> set[str]:
        """Return the scopes with committed changes since the last time."""
        taken, self.changed_scopes = self.changed_scopes, set()
        return taken

    def start(self) -> None:
        """Expire the work units whose time ran out meanwhile."""
        with self._db.writing():
            self.units.sweep(now_ms=self.now_ms())

    def stop(self) -> None:
        """Expire the work units whose time is over."""
        self.start()

    def merge_status(self) -> dict[str, Any]:
        """Return which engine merges, and how often and why it did not."""
        name = None if self.engine is None else self.engine.name
        return {"engine": name, "fallbacks": dict(sorted(self.fallbacks.items()))}

    def begin_feed(self, meta: Mapping[str, Any]) -> str:
        """Check the metadata of a request on the change feed and return its scope."""
        self._begin(meta)
        scope_json, _ = self.reader.read_fields(meta)
        return scope_json

    def list_active(
        self, meta: Mapping[str, Any], entity_type: str, *, id_prefix: str
    ) -> list[tuple[str, str, str]]:
        """Return id, version and value text of the active heads of a type, by id."""
        request = self.reader.read(meta, entity_type)
        with self._db.reading():
            return self.versions.active(request.scope_json, entity_type, id_prefix=id_prefix)

    def begin_upload(self, *, entity_id: str | None, **what: Any) -> str:
        """Begin an upload and return its id."""
        if entity_id is not None:
            check_id(entity_id)
        upload_id = self.new_id()
        self.managed.begin(upload_id, entity_id=entity_id, **what)
        return upload_id

    def create(
        self,
        meta: Mapping[str, Any],
        entity_type: str,
        value: Any,
        *,
        entity_id: str | None,
        parsed: bool = False,
    ) -> Outcome:
        """Create an entity; a *parsed* value is the parser's own."""
        deadline = self._begin(meta)
        request = self.reader.read(meta, entity_type)
        if entity_id is not None:
            check_id(entity_id)
        encoded = encode_parsed(value) if parsed else encode(value)
        data = {"type": entity_type, "id": entity_id, "value": encoded.value}

        def decide(view: View) -> Plan:
            ref = EntityRef(entity_type, self.new_id() if entity_id is None else entity_id)
            return self._planner.create(request, view, ref, encoded)

        return self._mutate(request, "create", data, encoded, decide, deadline)

    def update(
        self, meta: Mapping[str, Any], ref: EntityRef, value: Any, *, parsed: bool = False
    ) -> Outcome:
        """Replace a value on top of the versions that the metadata names."""
        deadline = self._begin(meta)
        request = self._request(meta, ref)
        encoded = encode_parsed(value) if parsed else encode(value)
        data = {"ref": _ref_json(ref), "value": encoded.value}
        decide = partial(self._decide_replace, request, ref, encoded)
        return self._mutate(request, "update", data, encoded, decide, deadline)

    def delete(self, meta: Mapping[str, Any], ref: EntityRef) -> Outcome:
        """Put a tombstone on top of the versions that the metadata names."""
        deadline = self._begin(meta)
        request = self._request(meta, ref)
        decide = partial(self._decide_replace, request, ref, None)
        return self._mutate(request, "delete", {"ref": _ref_json(ref)}, None, decide, deadline)

    def upsert(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> Outcome:
        """Create an entity, or replace all its heads, or do nothing when its value is the same."""
        deadline = self._begin(meta)
        request = self._request(meta, ref)
        self.reader.refuse_bases(request)
        encoded = encode(value)
        if request.unit is None and request.idempotency_json is None:
            same = self._unchanged(request, ref, encoded)
            if same is not None:
                return Outcome(same, {})

        def decide(view: View) -> Plan:
            heads = view.head_versions(ref)
            if not heads:
                return self._planner.create(request, view, ref, encoded)
            return self._planner.replace(request, view, ref, encoded, bases=lambda: heads)

        data = {"ref": _ref_json(ref), "value": encoded.value}
        return self._mutate(request, "upsert", data, encoded, decide, deadline)

    def read(self, meta: Mapping[str, Any], ref: EntityRef) -> ReadResult:
        """Return the heads of an entity."""
        self._begin(meta)
        request = self._request(meta, ref)
        if not request.plain:
            return _read_result(ref, self._look(request, ref)[0])
        rows = self.versions.read_heads(request.scope_json, ref)
        if len(rows) == 1:
            ((version, state, text),) = rows
            return one_head(ref, version, state, None if text is None else decode(text))
        if not rows:
            raise not_found(ref)
        return _read_result(ref, {row[0]: Stored(row[1], row[2]) for row in rows})

    def heads(
        self, meta: Mapping[str, Any], ref: EntityRef
    ) -> tuple[dict[str, Stored], dict[str, Any]]:
        """Return the heads of an entity as they are stored, and the metadata of a read."""
        self._begin(meta)
        request = self._request(meta, ref)
        if request.plain:
            with self._db.reading():
                heads = self.versions.heads(request.scope_json, ref)
            if not heads:
                raise not_found(ref)
            return heads, {}
        return self._look(request, ref)

    def _look(self, request: Request, ref: EntityRef) -> tuple[dict[str, Stored], dict[str, Any]]:
        with self.looking(request):
            heads = self._mutations.view(request).heads(ref)
            if not heads:
                raise not_found(ref)
            self.after_read(request)
            return heads, self.frontiers.read_meta(request)

    def read_encoded(self, meta: Mapping[str, Any], ref: EntityRef) -> bytes:
        """Return the heads of an entity as the JSON text that answers a read of the wire."""
        self._begin(meta)
        request = self._request(meta, ref)
        if not request.plain:
            return _encoded_heads(ref, *self._look(request, ref))
        key = (request.scope_json, ref.type, ref.id)
        recent = self.versions.recent
        with self._db.reading():
            found = recent.get(key)
            if found is None:
                heads = self.versions.heads(request.scope_json, ref)
                if not heads:
                    raise not_found(ref)
                found = _encoded_heads(ref, heads, {})
                # Beside another writer, or before a commit, it may be something else in a moment.
                if not self._db.read_only and not self._db.in_transaction:
                    recent.keep(key, found)
        return found

    def retrieve(
        self,
        meta: Mapping[str, Any],
        query_text: str,
        *,
        types: Sequence[str] | None,
        limit: int,
        exclude_expired: bool,
    ) -> tuple[RetrieveResult, dict[str, Any]]:
        """Return one page of what a query finds."""
        self._begin(meta)
        wanted = self._types(types)
        requests = [self.reader.read(meta, one) for one in wanted]
        self._agree(requests)
        query = parse_query(query_text)
        self.retrieval.prepare(query)
        with self.looking(*requests):
            view = self.view(requests[0])
            found = self.retrieval.find(
                query,
                view,
                types=wanted,
                limit=limit,
                expired_at_ms=self.now_ms() if exclude_expired else None,
            )
            result_meta: dict[str, Any] = {}
            for request in requests:
                self.after_read(request)
                result_meta |= self.frontiers.read_meta(request)
        if found.next_cursor is not None:
            result_meta["next_cursor"] = found.next_cursor
        return found, result_meta

    def reads_plainly(self, meta: Mapping[str, Any], types: Sequence[str] | None) -> bool:
        """Return whether a retrieval waits for nothing, moves nothing and sees what is published.

        Raises:
            InvalidRecord: The metadata or a type is refused (TB115).
        """
        return all(self.reader.read(meta, one).plain for one in self._types(types))

    def _types(self, types: Sequence[str] | None) -> tuple[str, ...]:
        known = self.reader.policy.entity_types
        if types is None:
            return tuple(sorted(known))
        allowed = "allowed: " + ", ".join(sorted(known))
        found = [
            problem(("types", index), f"{clip(repr(one))} is not a configured type", hint=allowed)
            for index, one in enumerate(types)
            if one not in known
        ]
        if not types:
            found = [problem(("types",), "there are no types", hint=allowed)]
        if found:
            refuse(found, what="the request")
        return tuple(sorted(set(types)))

    def _agree(self, requests: Sequence[Request]) -> None:
        """Refuse a request whose types are to be read in different work units."""
        units = {
            (one.unit.identity_json, one.unit.policy_json) if one.unit is not None else None
            for one in requests
        }
        if len(units) > 1:
            message = "the types do not agree on one work unit"
            refuse([problem(("types",), message)], what="the request")

    def upload(
        self,
        meta: Mapping[str, Any],
        data: bytes,
        about: Mapping[str, Any],
        *,
        entity_id: str | None,
    ) -> Outcome:
        """Store bytes and create their artifact, or replace it on the versions that are named."""
        deadline = self._begin(meta)
        request = self.reader.read(meta, _ARTIFACT)
        if entity_id is not None:
            check_id(entity_id)
        value = self.managed.value_of(data, about)
        encoded = encode(value)
        creating = request.behavior.conflict.base_versions not in request.fields

        def decide(view: View) -> Plan:
            ref = EntityRef(_ARTIFACT, self.new_id() if entity_id is None else entity_id)
            if creating:
                plan = self._planner.create(request, view, ref, encoded)
            else:
                plan = self._decide_replace(request, ref, encoded, view)
            self.managed.put(data, digest=value["digest"])
            return plan

        data_json = {"type": _ARTIFACT, "id": entity_id, "value": encoded.value}
        operation = "create" if creating else "update"
        return self._mutate(request, operation, data_json, encoded, decide, deadline)

    def commit_upload(self, meta: Mapping[str, Any], upload_id: str) -> Outcome:
        """Store an upload's bytes and create its artifact."""
        self._begin(meta)
        upload, value = self.managed.complete(upload_id)
        with self._db.writing():
            outcome = self.create(meta, _ARTIFACT, value, entity_id=upload.entity_id)
            self.managed.finish(upload)
        return outcome

    def download(
        self, meta: Mapping[str, Any], entity_id: str, *, version: str | None
    ) -> tuple[EntityVersion, dict[str, Any]]:
        """Return the version of an artifact whose bytes are to be read."""
        ref = EntityRef(_ARTIFACT, entity_id)
        heads, result_meta = self.heads(meta, ref)
        found = _read_result(ref, heads)
        return self.managed.placed_here(ref, found, version=version), result_meta

    def download_chunk(
        self,
        meta: Mapping[str, Any],
        entity_id: str,
        *,
        version: str | None,
        offset: int,
        size_bytes_max: int,
    ) -> tuple[Chunk, dict[str, Any]]:
        """Return a part of an artifact's bytes."""
        chosen, found = self.download(meta, entity_id, version=version)
        part = self.managed.read_chunk(chosen, offset=offset, size_bytes_max=size_bytes_max)
        return part, found

    @contextmanager
    def looking(self, *requests: Request) -> Iterator[None]:
        """Hold the connection for a read; one that moves a session or is in a unit writes."""
        units = any(one.unit is not None for one in requests)
        moves = any(self.frontiers.advances_on_read(one) for one in requests)
        if units or (moves and not self._db.read_only):
            with self._db.writing():
                self._check_frontiers(requests)
                yield
            return
        # A writer's connection is alone with what it reads; beside a writer it takes a snapshot.
        with self._db.snapshot() if self._db.read_only else self._db.reading():
            self._check_frontiers(requests)
            yield

    def _check_frontiers(self, requests: Sequence[Request]) -> None:
        for request in requests:
            self.frontiers.check(request)

    def after_read(self, request: Request) -> None:
        """Note what the sessions of a successful read have seen."""
        if request.sessions and not self._db.read_only:
            self.frontiers.after_read(request)

    def view(self, request: Request) -> View:
        """Return what a read with *request* sees; it is made inside :meth:`looking`."""
        return self._mutations.view(request)

    @contextmanager
    def group(self) -> Iterator[None]:
        """Make everything inside one transaction of requests that know nothing of each other."""
        before, self._grouped = self._grouped, True
        try:
            with self._db.batch():
                # At the beginning: nothing may come between the last look at deadlines and the commit.
                if not before and self.retrieval.index.lag()[1] >= LAG_ROWS_MAX:
                    self.retrieval.index.keep_up(rows_max=LAG_ROWS_MAX)
                yield
        finally:
            self._grouped = before

    def note_write(self) -> None:
        """Count a write, and now and then let the text index catch up.

        Requests that share a commit do so in their transaction, a batch when it is over.
        """
        self._writes_noted += 1
        if self._writes_noted % LAG_ROWS_MAX == 0 and not self._db.in_batch:
            self.retrieval.try_to_keep_up(LAG_ROWS_MAX)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make everything inside one transaction; the text index catches up with it afterwards."""
        with self._db.batch():
            yield
        if not self._db.in_batch and self.retrieval.index.lag()[1] >= LAG_ROWS_MAX:
            self.retrieval.try_to_keep_up()

    def _begin(self, meta: Mapping[str, Any]) -> int | None:
        deadline = deadline_ms(meta)
        refuse_late(deadline, now_ms=self.now_ms() if deadline is not None else 0)
        return deadline

    def _mutate(
        self,
        request: Request,
        operation: str,
        data: Mapping[str, Any],
        encoded: Encoded | None,
        decide: Callable[[View], Plan],
        deadline: int | None,
    ) -> Outcome:
        def check() -> None:
            if encoded is not None:
                self._schemas.check(request.entity_type, encoded.value)

        mutation = Mutation(
            request=request, operation=operation, data=data, decide=decide, check=check
        )
        with self._db.writing():
            outcome = self._mutations.run(mutation)
            if deadline is not None and not self._grouped:
                self._db.before_commit(partial(self._refuse_late, deadline))
        return outcome

    def _check_endpoints(self, entity_type: str, value: Any, view: View) -> None:
        # A caller's batch is one act, so that its parts may come in any order; a unit's are not.
        defer = self._db.in_batch and not self._grouped and isinstance(view, PublishedView)
        self._endpoints.check(entity_type, value, view, defer=defer)

    def _refuse_late(self, deadline: int) -> None:
        refuse_late(deadline, now_ms=self.now_ms())

    def _decide_replace(
        self, request: Request, ref: EntityRef, encoded: Encoded | None, view: View
    ) -> Plan:
        bases = partial(self.reader.base_versions, request)
        return self._planner.replace(request, view, ref, encoded, bases=bases)

    def _unchanged(
        self, request: Request, ref: EntityRef, encoded: Encoded
    ) -> EntityVersion | None:
        with self._db.reading():
            heads = self.versions.heads(request.scope_json, ref)
        if len(heads) != 1:
            return None
        ((version, stored),) = heads.items()
        if stored.text != encoded.text:
            return None
        return EntityVersion(ref=ref, version=version, state="active", value=encoded.value)

    def _request(self, meta: Mapping[str, Any], ref: EntityRef) -> Request:
        request = self.reader.read(meta, ref.type)
        check_id(ref.id)
        return request

    def _note_fallbacks(self, reasons: tuple[str, ...]) -> None:
        for reason in reasons:
            if reason in self.fallbacks or len(self.fallbacks) < 100:
                self.fallbacks[reason] = self.fallbacks.get(reason, 0) + 1


def _read_result(ref: EntityRef, heads: Mapping[str, Stored]) -> ReadResult:
    variants = tuple(entity_version(ref, one, stored) for one, stored in heads.items())
    return ReadResult(state=read_state(variants), variants=variants)


def _encoded_heads(ref: EntityRef, heads: Mapping[str, Stored], meta: dict[str, Any]) -> bytes:
    return encoded(Reply(meta, read_data(ref, heads, value_of=_as_written)))


def _as_written(text: str) -> Any:
    """Return what puts *text* into an answer as it stands: it need not be written a second time.

    It is read all the same, so that damage is found here; and an answer must stay on one line.
    """
    value = decode(text)
    return value if "\n" in text or "\r" in text else orjson.Fragment(text)


def check_id(entity_id: object) -> None:
    """Refuse an entity id that is empty or no text."""
    found = text_problems(entity_id, path=("id",))
    if found:
        refuse(found, what="the request")


def _ref_json(ref: EntityRef) -> dict[str, str]:
    return {"type": ref.type, "id": ref.id}
