"""The plain model itself: the protocol's methods over dictionaries and lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from talebearer.testing.model import _artifacts as artifacts
from talebearer.testing.model._conflicts import Clash, join_heads, proposal_documents
from talebearer.testing.model._feed import ModelFeed, ModelLog
from talebearer.testing.model._parts import (
    Answer,
    Joiner,
    Key,
    Refused,
    Unit,
    Version,
    copied,
    invalid,
    is_count,
    is_text,
    refuse,
    text_of,
)
from talebearer.testing.model._policy import Chosen, ModelPolicy
from talebearer.testing.model._retrieve import parse_query, search

_RELATION = "knowledge_relation"


class ModelController:
    """The store's whole contract, written from the specification and from nothing else.

    It decides everything anew for each request and keeps all that it ever knew. Give the same
    calls to it and to a real store, with clocks and ids that count alike, and both must answer
    the same.

    Args:
        policy: A policy document that is known to be correct.
        now_ms: The clock.
        new_id: Gives version ids, and before them entity ids where a request leaves them out.
        joiner: The merge engine; None makes ``merge`` behave as ``mvcc``.
        node_id: The placement provider of uploads.
    """

    def __init__(
        self,
        policy: Mapping[str, Any],
        *,
        now_ms: Callable[[], int],
        new_id: Callable[[], str],
        joiner: Joiner | None = None,
        node_id: str = "local",
    ) -> None:
        self._policy = ModelPolicy(policy)
        self._now = now_ms
        self._new_id = new_id
        self._joiner = joiner
        self._node_id = node_id
        self._versions: dict[Key, dict[str, Version]] = {}
        self._heads: dict[Key, list[str]] = {}
        self._history: dict[Key, list[tuple[int, list[str]]]] = {}
        self._log = ModelLog(retention_ms=policy["retention"]["changes_seconds"] * 1000)
        self._replays: dict[str, tuple[str, Answer, int]] = {}
        self._replay_ms = policy["retention"]["idempotency_seconds"] * 1000
        self._units: dict[str, Unit] = {}
        self._uploads: dict[str, artifacts.Upload] = {}
        self._bytes: dict[str, bytes] = {}

    # --- requests ------------------------------------------------------------------------------

    def call(self, method: str, meta: Any, data: Any) -> Answer:
        """Answer one request; *method* is the wire name.

        Raises:
            Refused: With the number, the reason and the data of the wire.
        """
        handlers: dict[str, Callable[[Any, Any], Answer]] = {
            "patchouli.control.status@1": self._status,
            "patchouli.control.checkpoint@1": self._checkpoint,
            "patchouli.entity.create@1": self._create,
            "patchouli.entity.read@1": self._read,
            "patchouli.entity.update@1": self._update,
            "patchouli.entity.delete@1": self._delete,
            "patchouli.entity.retrieve@1": self._retrieve,
            "patchouli.artifact.upload.begin@1": self._upload_begin,
            "patchouli.artifact.upload.chunk@1": self._upload_chunk,
            "patchouli.artifact.upload.commit@1": self._upload_commit,
            "patchouli.artifact.download.chunk@1": self._download,
        }
        if method not in handlers:
            raise Refused(-32601, None)
        if not isinstance(meta, dict) or not isinstance(data, dict):
            invalid("meta and data are objects")
        return handlers[method](meta, data)

    def open_feed(
        self,
        meta: Any,
        *,
        filter: Any = None,
        after_cursor: str | None = None,
    ) -> ModelFeed:
        """Return the scope's changes after a cursor, or those to come."""
        wanted = {} if filter is None else filter
        lists = [wanted[name] for name in ("types", "ids") if name in wanted]
        if not isinstance(wanted, dict) or not all(isinstance(one, list) for one in lists):
            invalid("a filter has lists of types and ids")
        if not all(is_text(text) for one in lists for text in one):
            invalid("a filter has texts")
        self._check_deadline(meta)
        scope = text_of(self._policy.scope(self._policy.fields(meta)))
        self._log.prune(self._now())
        return self._log.open(scope, wanted, after_cursor)

    def restart(self) -> None:
        """Forget what does not outlive a daemon: unfinished uploads."""
        self._uploads.clear()

    def _status(self, meta: Any, data: Any) -> Answer:
        self._nothing_in(meta, data)
        return Answer({}, {"ready": True, "provider": "model", "generation": 1})

    def _checkpoint(self, meta: Any, data: Any) -> Answer:
        self._nothing_in(meta, data)
        return Answer({}, {"completed": True})

    def _nothing_in(self, meta: Any, data: Any) -> None:
        if data:
            invalid("there is nothing to say here")
        self._check_deadline(meta)

    def _create(self, meta: Any, data: Any) -> Answer:
        entity_id = data.get("id")
        if not is_text(data.get("type")) or "value" not in data:
            invalid("a type and a value")
        if entity_id is not None and not is_text(entity_id):
            invalid("an id is non-empty text")
        return self._mutate("create", meta, data, (data["type"], entity_id))

    def _update(self, meta: Any, data: Any) -> Answer:
        ref = self._ref(data)
        if "value" not in data:
            invalid("a value")
        return self._mutate("update", meta, data, ref)

    def _delete(self, meta: Any, data: Any) -> Answer:
        return self._mutate("delete", meta, data, self._ref(data))

    def _ref(self, data: Mapping[str, Any]) -> tuple[str, str]:
        ref = data.get("ref")
        if not isinstance(ref, dict) or not is_text(ref.get("type")) or not is_text(ref.get("id")):
            invalid("a reference has a type and an id")
        return ref["type"], ref["id"]

    def _check_deadline(self, meta: Mapping[str, Any]) -> None:
        if "deadline_unix_ms" in meta:
            if not is_count(meta["deadline_unix_ms"]):
                invalid("a deadline is a count of milliseconds")
            if self._now() >= meta["deadline_unix_ms"]:
                refuse("DEADLINE_EXCEEDED")

    # --- reading -------------------------------------------------------------------------------

    def _read(self, meta: Any, data: Any) -> Answer:
        entity_type, entity_id = self._ref(data)
        self._check_deadline(meta)
        chosen = self._policy.choose(meta, entity_type)
        heads = self._view_for_reading(chosen, (chosen.scope, entity_type, entity_id))
        state = heads[0].state if len(heads) == 1 else "conflicted"
        return Answer(
            self._token_now(chosen), {"state": state, "variants": [one.wire() for one in heads]}
        )

    def _view_for_reading(self, chosen: Chosen, key: Key) -> list[Version]:
        unit = self._enter(chosen)
        self._reach(chosen, unit)
        heads = self._view(unit, key)
        if not heads:
            refuse("NOT_FOUND")
        return heads

    def _retrieve(self, meta: Any, data: Any) -> Answer:
        self._check_deadline(meta)
        limit = data.get("limit", 10)
        if not is_count(limit) or not 1 <= limit <= 100:
            invalid("1 to 100 hits")
        types = data.get("types", sorted(self._policy.types))
        if not isinstance(types, list) or not types or not all(is_text(one) for one in types):
            invalid("types are a list of at least one")
        exclude = data.get("exclude_expired", False)
        if not isinstance(exclude, bool):
            invalid("exclude_expired is true or false")
        choices = [self._policy.choose(meta, one) for one in sorted(set(types))]
        if len({(one.unit, one.descriptor) for one in choices}) != 1:
            invalid("the types do not agree on a work unit")
        query = parse_query(data.get("query"))
        unit = self._enter(choices[0])
        for chosen in choices:
            self._reach(chosen, unit)
        scope = choices[0].scope
        keys = [key for key in self._versions if key[0] == scope and key[1] in types]
        hits, cursor = search(
            [heads for heads in (self._view(unit, key) for key in keys) if heads],
            query,
            scope=scope,
            types=sorted(set(types)),
            limit=limit,
            expired_at_ms=self._now() if exclude else None,
        )
        result_meta = {} if cursor is None else {"next_cursor": cursor}
        return Answer({**self._token_now(choices[0]), **result_meta}, {"hits": hits})

    def _view(self, unit: Unit | None, key: Key) -> list[Version]:
        """Return the heads that a request sees: the published ones, or a unit's own."""
        names = self._heads.get(key, [])
        if unit is not None:
            names = unit.staged.get(key, self._heads_at(key, unit.baseline))
        return [self._versions[key][name] for name in sorted(names)]

    def _heads_at(self, key: Key, cursor: int) -> list[str]:
        earlier = [heads for at, heads in self._history.get(key, []) if at <= cursor]
        return earlier[-1] if earlier else []

    def _reach(self, chosen: Chosen, unit: Unit | None = None) -> None:
        """Refuse a request that asks for a state which this one does not hold."""
        tokens, _ = self._policy.tokens(chosen)
        for token in tokens:
            cursor = self._log.token_cursor(chosen.scope, token)
            if cursor is None or (unit is not None and cursor > unit.baseline):
                refuse("OVERLOADED")

    def _token_now(self, chosen: Chosen) -> dict[str, Any]:
        _, aliases = self._policy.tokens(chosen)
        token = self._log.latest_token(chosen.scope)
        return {} if token is None else dict.fromkeys(aliases, token)

    # --- writing -------------------------------------------------------------------------------

    def _mutate(self, operation: str, meta: Any, data: Any, name: tuple[str, str | None]) -> Answer:
        self._check_deadline(meta)
        chosen = self._policy.choose(meta, name[0], mutation=True)
        request = text_of({"operation": operation, "data": data})
        if chosen.replay is not None:
            self._reach(chosen)
            stored = self._replayed(chosen, request)
            if stored is not None:
                return Answer(copied(stored.meta), copied(stored.data))
        value = data.get("value")
        if operation != "delete":
            self._policy.check_value(name[0], value)
        unit = self._enter(chosen)
        self._reach(chosen, unit)
        key = (chosen.scope, name[0], name[1] if name[1] is not None else "")
        current = self._view(unit, key) if name[1] is not None else []
        bases = [] if operation == "create" else self._bases(chosen, unit, key, current)
        if operation == "create" and current:
            self._conflict(current)
        if name[1] is None:
            key = (*key[:2], self._new_id())
        if name[0] == _RELATION and operation != "delete":
            self._check_endpoints(chosen.scope, value, unit)
        self._check_deadline(meta)
        state = "deleted" if operation == "delete" else "active"
        made = Version(key, self._new_id(), state, copied(value), self._now())
        heads = self._decide(chosen, made, bases, current)
        return self._keep(chosen, unit, made, heads, request)

    def _bases(
        self, chosen: Chosen, unit: Unit | None, key: Key, current: Sequence[Version]
    ) -> list[Version]:
        if not current:
            refuse("NOT_FOUND")
        names = chosen.fields.get(chosen.conflict["base_versions"])
        if not isinstance(names, list) or not names or not all(is_text(one) for one in names):
            invalid("base versions are a list of texts")
        if len(set(names)) != len(names):
            invalid("base versions are distinct")
        known = {
            one.version: one for one in self._versions[key].values() if self._is_known(one, unit)
        }
        if not set(names) <= set(known):
            self._conflict(current)
        if chosen.strategy == "reject" and set(names) != {one.version for one in current}:
            self._conflict(current)
        return [known[name] for name in names]

    def _is_known(self, one: Version, unit: Unit | None) -> bool:
        if unit is None:
            return one.cursor is not None
        if one.cursor is not None:
            return one.cursor <= unit.baseline
        return one.unit is not None and self._units.get(one.unit) is unit

    def _decide(
        self, chosen: Chosen, made: Version, bases: list[Version], current: list[Version]
    ) -> list[Version]:
        """Return the heads after *made*, which may take joined content."""
        named = {one.version for one in bases}
        others = [one for one in current if one.version not in named]
        conflict = chosen.conflict
        try:
            if made.state == "deleted":
                if others and conflict["otherwise"] == "reject":
                    raise Clash
                return [made, *others]
            made.documents = proposal_documents(
                made.value, bases, version=made.version, conflict=conflict, joiner=self._joiner
            )
            if not others or chosen.strategy != "merge":
                return [made, *others]
            return join_heads(
                [made, *others],
                conflict=conflict,
                joiner=self._joiner,
                renew=lambda one, value, documents: self._renew(one, made, value, documents),
            )
        except Clash:
            self._conflict(current)

    def _renew(
        self, one: Version, made: Version | None, value: Any, documents: dict[str, Any]
    ) -> Version:
        if one is made:
            one.value, one.documents = value, documents
            return one
        version, now = self._new_id(), self._now()
        return Version(one.key, version, "active", value, now, documents=documents)

    def _conflict(self, current: Sequence[Version]) -> NoReturn:
        names = sorted(one.version for one in current)
        data: dict[str, Any] = {"current_versions": names} if names else {}
        refuse("VERSION_CONFLICT", **data)

    def _check_endpoints(self, scope: str, value: Any, unit: Unit | None) -> None:
        for endpoint in (*value["from"], *value["to"]):
            heads = self._view(unit, (scope, "knowledge", endpoint["id"]))
            if not any(one.state == "active" for one in heads):
                invalid("an endpoint is not there")

    def _keep(
        self,
        chosen: Chosen,
        unit: Unit | None,
        made: Version,
        heads: list[Version],
        request: str,
    ) -> Answer:
        stored = dict(self._versions.get(made.key, {}))
        for one in heads:
            self._versions.setdefault(made.key, {})[one.version] = one
        self._versions[made.key][made.version] = made
        names = sorted(one.version for one in heads)
        reply = Answer({}, {"entity": made.wire()})
        if unit is None:
            self._publish(made.key, names, token=made.version, fields=chosen.fields)
            _, aliases = self._policy.tokens(chosen)
            reply = Answer(dict.fromkeys(aliases, made.version), reply.data)
            if chosen.replay is not None:
                self._replays[chosen.replay] = (request, reply, self._now() + self._replay_ms)
            return reply
        for one in (made, *heads):
            if one.cursor is None:
                one.unit = chosen.unit
        staged, touched, replays = dict(unit.staged), dict(unit.touched), dict(unit.replays)
        unit.staged[made.key] = names
        unit.touched[made.key] = {
            "chosen": chosen,
            "token": made.version,
            "closing": chosen.closes,
        }
        if chosen.replay is not None:
            unit.replays[chosen.replay] = (request, reply, self._now() + self._replay_ms)
        if not chosen.closes:
            return reply
        try:
            return self._close(chosen, unit, made, reply)
        except Refused:
            # The unit, sealed or not, is left without this request.
            self._versions[made.key] = stored
            unit.staged, unit.touched, unit.replays = staged, touched, replays
            raise

    def _publish(
        self, key: Key, names: list[str], *, token: str, fields: Mapping[str, Any]
    ) -> None:
        before = self._heads.get(key, [])
        states = {self._versions[key][name].state for name in names}
        if not before:
            kind = "created"
        elif len(names) > 1:
            kind = "conflicted"
        elif len(before) > 1:
            kind = "resolved"
        else:
            kind = "deleted" if states == {"deleted"} else "updated"
        cursor = self._log.add(
            key, kind=kind, heads=names, token=token, meta=copied(dict(fields)), now=self._now()
        )
        self._heads[key] = names
        self._history.setdefault(key, []).append((cursor, names))
        for one in self._versions[key].values():
            if one.cursor is None and (one.unit is None or one.version in names):
                one.cursor = cursor

    # --- idempotency ---------------------------------------------------------------------------

    def _replayed(self, chosen: Chosen, request: str) -> Answer | None:
        assert chosen.replay is not None
        self._sweep()
        if chosen.replay in self._replays:
            known, reply, expires = self._replays[chosen.replay]
            if self._now() >= expires:
                del self._replays[chosen.replay]
            elif known != request:
                refuse("IDEMPOTENCY_CONFLICT")
            else:
                return reply
        for name, unit in self._units.items():
            if chosen.replay in unit.replays:
                known, reply, _ = unit.replays[chosen.replay]
                if known != request or name != chosen.unit:
                    refuse("IDEMPOTENCY_CONFLICT")
                if not chosen.closes and unit.state == "open":
                    return reply  # type: ignore[no-any-return]  # a staged answer
        return None

    # --- work units ----------------------------------------------------------------------------

    def _sweep(self) -> None:
        now = self._now()
        for name, unit in self._units.items():
            if unit.state in ("open", "closing") and now >= unit.expires_ms:
                unit.state = "expired"
                unit.staged, unit.touched, unit.replays = {}, {}, {}
                for versions in self._versions.values():
                    for one in [*versions.values()]:
                        if one.cursor is None and one.unit == name:
                            del versions[one.version]

    def _enter(self, chosen: Chosen) -> Unit | None:
        """Return the request's unit, opened if it is new."""
        self._sweep()
        if chosen.unit is None:
            return None
        unit = self._units.get(chosen.unit)
        if unit is None:
            ttl = chosen.behavior["publication"]["staging_ttl_ms"]
            baseline = self._log.current(chosen.scope)
            unit = Unit(chosen.scope, chosen.descriptor, baseline, self._now() + ttl)
            self._units[chosen.unit] = unit
        if unit.state == "expired":
            refuse("WORK_UNIT_EXPIRED")
        if unit.state != "open" or unit.descriptor != chosen.descriptor:
            invalid("the work unit is closed, or of another policy")
        return unit

    def _close(self, chosen: Chosen, unit: Unit, made: Version, reply: Answer) -> Answer:
        order = sorted(unit.touched, key=lambda key: (unit.touched[key]["closing"], *key))
        final: dict[Key, list[Version]] = {}
        clashes = []
        drifted = set()
        for key in order:
            staged = self._view(unit, key)
            final[key] = staged
            published = self._view(None, key)
            if [one.version for one in published] != self._heads_at(key, unit.baseline):
                drifted.add(key)
                try:
                    final[key] = self._resolved_drift(
                        unit.touched[key]["chosen"], staged, published
                    )
                except Clash:
                    names = sorted(one.version for one in published)
                    shown = {"ref": {"type": key[1], "id": key[2]}}
                    clashes.append({**shown, "current_versions": names})
        if clashes:
            unit.state = "closing"
            refuse("VERSION_CONFLICT", conflicts=clashes)
        self._check_closing(final)
        for key in order:
            last = unit.touched[key]
            for one in final[key]:
                self._versions[key].setdefault(one.version, one)
            names = sorted(one.version for one in final[key])
            self._publish(key, names, token=last["token"], fields=last["chosen"].fields)
            for one in self._versions[key].values():
                if one.cursor is None and one.unit == chosen.unit:
                    one.cursor = self._log.current(key[0])
        unit.state = "committed"
        self._replays.update(unit.replays)
        unit.replays = {}
        if made.key in drifted:
            left = self._view(None, made.key)
            active = [one for one in left if one.state == "active"]
            reply = Answer({}, {"entity": (active or left)[0].wire()})
            if chosen.replay is not None:
                known, _, expires = self._replays[chosen.replay]
                self._replays[chosen.replay] = (known, reply, expires)
        return reply

    def _check_closing(self, final: Mapping[Key, list[Version]]) -> None:
        """Refuse to publish relations whose endpoints would then not be there."""
        for key, heads in final.items():
            before = self._heads.get(key, [])
            for one in heads if key[1] == _RELATION else []:
                if one.state != "active" or one.version in before:
                    continue
                for endpoint in (*one.value["from"], *one.value["to"]):
                    other = (key[0], "knowledge", endpoint["id"])
                    then = final[other] if other in final else self._view(None, other)
                    if not any(head.state == "active" for head in then):
                        invalid("an endpoint would not be there")

    def _resolved_drift(
        self, chosen: Chosen, staged: list[Version], published: list[Version]
    ) -> list[Version]:
        if chosen.strategy == "reject":
            raise Clash
        every = {one.version: one for one in (*staged, *published)}
        candidates = [every[name] for name in sorted(every)]
        if chosen.strategy == "mvcc":
            return candidates
        return join_heads(
            candidates,
            conflict=chosen.conflict,
            joiner=self._joiner,
            renew=lambda one, value, documents: self._renew(one, None, value, documents),
        )

    # --- artifacts -----------------------------------------------------------------------------

    def _upload_begin(self, meta: Any, data: Any) -> Answer:
        artifacts.check_opening(data)
        self._check_deadline(meta)
        name = self._new_id()
        self._uploads[name] = artifacts.Upload(copied(data))
        return Answer({}, {"upload_id": name, "max_chunk_bytes": artifacts.CHUNK_BYTES_MAX})

    def _upload_chunk(self, meta: Any, data: Any) -> Answer:
        upload = self._upload(meta, data)
        upload.data += artifacts.chunk_bytes(data, upload)
        return Answer({}, {"next_offset": len(upload.data)})

    def _upload_commit(self, meta: Any, data: Any) -> Answer:
        upload = self._upload(meta, data)
        value = artifacts.sealed_value(upload, self._node_id)
        upload.sealed = True
        self._bytes[value["placement"]["key"]] = bytes(upload.data)
        wanted = {"type": "artifact", "value": value}
        if upload.opened.get("id") is not None:
            wanted["id"] = upload.opened["id"]
        reply = self._create(meta, wanted)
        del self._uploads[data["upload_id"]]
        return reply

    def _upload(self, meta: Any, data: Any) -> artifacts.Upload:
        if not is_text(data.get("upload_id")):
            invalid("an upload has an id")
        self._check_deadline(meta)
        if data["upload_id"] not in self._uploads:
            raise artifacts.unknown_upload()
        return self._uploads[data["upload_id"]]

    def _download(self, meta: Any, data: Any) -> Answer:
        version = data.get("version")
        if not is_text(data.get("id")) or not (version is None or is_text(version)):
            invalid("an artifact has an id and perhaps a version")
        self._check_deadline(meta)
        chosen = self._policy.choose(meta, "artifact")
        heads = self._view_for_reading(chosen, (chosen.scope, "artifact", data["id"]))
        if version is None and len(heads) > 1:
            self._conflict(heads)
        found = [one for one in heads if version in (None, one.version)]
        if not found or found[0].state == "deleted":
            refuse("NOT_FOUND")
        placement = found[0].value["placement"]
        if placement["kind"] != "managed" or placement["provider"] != self._node_id:
            refuse("UNSUPPORTED_CAPABILITY")
        page = artifacts.download_page(self._bytes[placement["key"]], data)
        return Answer(self._token_now(chosen), {"entity": found[0].wire(), **page})
