"""A plain store in memory: the specification's rules over dictionaries, nothing shared.

It is the oracle that a real store must agree with, so it decides everything anew and uses none
of the real one's modules: no schemas, no canonical text beyond :mod:`json`, no files. Record
values are taken as they are; only ids and metadata are checked.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from talebearer.errors import CursorExpired, InvalidRecord, NotFound, VersionConflict
from talebearer.store import Change, EntityRef, EntityVersion, ReadResult

_Key = tuple[str, EntityRef]
_TYPES = ("artifact", "knowledge", "knowledge_relation")
_STRATEGIES = ("merge", "mvcc", "reject")


class ModelStore:
    """The store's calls over dictionaries, one scope key and one head list for each entity.

    Args:
        new_id: Gives version ids, and entity ids where a call leaves them out.
        node_id: The placement provider of uploads.
    """

    def __init__(self, *, new_id: Callable[[], str], node_id: str = "local") -> None:
        self._new_id = new_id
        self._node_id = node_id
        self._heads: dict[_Key, dict[str, EntityVersion]] = {}
        self._published: dict[_Key, set[str]] = {}
        self._log: list[tuple[str, Change]] = []
        self._bytes: dict[str, bytes] = {}
        self._depth = 0
        self._relations: list[tuple[str, Any]] = []

    def create(
        self,
        meta: Mapping[str, Any],
        type: str,
        value: Any,
        *,
        id: str | None = None,
    ) -> EntityVersion:
        """Create an entity."""
        scope = self._scope(meta, type, "x" if id is None else id)
        ref = EntityRef(type, self._new_id() if id is None else id)
        heads = self._heads.get((scope, ref), {})
        if heads:
            raise self._conflict(heads)
        return self._write(scope, ref, value, meta=meta, kept={}, kind="created")

    def read(self, meta: Mapping[str, Any], ref: EntityRef) -> ReadResult:
        """Return the heads."""
        heads = self._existing(self._scope(meta, ref.type, ref.id), ref)
        variants = tuple(copy.deepcopy(heads[version]) for version in sorted(heads))
        if len(variants) > 1:
            return ReadResult(state="conflicted", variants=variants)
        return ReadResult(state=variants[0].state, variants=variants)

    def update(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Replace the named heads by a value."""
        return self._replace(meta, ref, value, state="active")

    def delete(self, meta: Mapping[str, Any], ref: EntityRef) -> EntityVersion:
        """Replace the named heads by a tombstone."""
        return self._replace(meta, ref, None, state="deleted")

    def upsert(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Create, replace all heads, or leave an equal value alone."""
        scope = self._scope(meta, ref.type, ref.id)
        if "base_versions" in meta:
            raise InvalidRecord("an upsert takes no base versions")
        heads = self._heads.get((scope, ref), {})
        if not heads:
            return self.create(meta, ref.type, value, id=ref.id)
        if len(heads) == 1:
            (only,) = heads.values()
            if only.state == "active" and _text(only.value) == _text(value):
                return copy.deepcopy(only)
        kind = "resolved" if len(heads) > 1 else "updated"
        return self._write(scope, ref, value, meta=meta, kept={}, kind=kind)

    def list(
        self,
        meta: Mapping[str, Any],
        type: str,
        *,
        id_prefix: str = "",
    ) -> Iterator[EntityVersion]:
        """Return active heads by id."""
        scope = self._scope(meta, type, "x")
        found = [
            head
            for (where, ref), heads in self._heads.items()
            if where == scope and ref.type == type and ref.id.startswith(id_prefix)
            for head in heads.values()
            if head.state == "active"
        ]
        return iter(copy.deepcopy(sorted(found, key=lambda head: (head.ref.id, head.version))))

    def changes(
        self, meta: Mapping[str, Any], *, after_cursor: str | None = None, limit: int = 256
    ) -> list[Change]:  # type: ignore[valid-type]  # the builtin, not the method above
        """Return the scope's changes after a cursor."""
        scope = self._scope(meta, "knowledge", "x")
        own = [change for where, change in self._log if where == scope]
        start = 0
        if after_cursor is not None:
            if not (after_cursor.isascii() and after_cursor.isdecimal()):
                raise InvalidRecord(f"{after_cursor!r} is no cursor")
            start = int(after_cursor)
            if start > (int(own[-1].cursor) if own else 0):
                raise CursorExpired(f"{after_cursor} is beyond the log")
        return [change for change in own if int(change.cursor) > start][:limit]

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
        """Keep bytes and create, or with base versions update, their artifact."""
        digest = hashlib.sha256(data).hexdigest()
        value = {
            "media_type": media_type,
            "name": name,
            "byte_length": len(data),
            "digest": f"sha256:{digest}",
            "placement": {
                "kind": "managed",
                "provider": self._node_id,
                "key": f"sha256/{digest}",
            },
            "metadata": dict(metadata),
        }
        self._bytes[f"sha256/{digest}"] = bytes(data)
        if "base_versions" in meta and id is not None:
            return self.update(meta, EntityRef("artifact", id), value)
        return self.create(meta, "artifact", value, id=id)

    def download(
        self,
        meta: Mapping[str, Any],
        id: str,
        *,
        version: str | None = None,
    ) -> bytes:
        """Return the bytes of an artifact's head."""
        ref = EntityRef("artifact", id)
        heads = self._existing(self._scope(meta, ref.type, id), ref)
        if version is None and len(heads) > 1:
            raise self._conflict(heads)
        chosen = heads.get(min(heads) if version is None else version)
        if chosen is None or chosen.state == "deleted":
            raise NotFound(f"no current bytes of {id!r}")
        return self._bytes[chosen.value["placement"]["key"]]

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Undo everything inside if an error leaves it."""
        before = (copy.deepcopy(self._heads), copy.deepcopy(self._published), [*self._log])
        relations = [*self._relations]
        self._depth += 1
        try:
            yield
            if self._depth == 1:
                for scope, value in self._relations:
                    self._check_endpoints(scope, value)
        except BaseException:
            self._heads, self._published, self._log = before
            self._relations = relations
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self._relations = []

    def _replace(
        self, meta: Mapping[str, Any], ref: EntityRef, value: Any, *, state: str
    ) -> EntityVersion:
        scope = self._scope(meta, ref.type, ref.id)
        heads = self._existing(scope, ref)
        if "base_versions" not in meta:
            raise InvalidRecord("base versions are missing")
        bases = set(meta["base_versions"])
        if not bases <= self._published[(scope, ref)]:
            raise self._conflict(heads)
        if meta.get("conflict_strategy") == "reject" and bases != set(heads):
            raise self._conflict(heads)
        kept = {version: head for version, head in heads.items() if version not in bases}
        if meta.get("conflict_strategy") == "merge" and state == "active":
            kept = _one_of_each(kept, value)
        if kept:
            kind = "conflicted"
        elif len(heads) > 1:
            kind = "resolved"
        else:
            kind = "deleted" if state == "deleted" else "updated"
        return self._write(scope, ref, value, meta=meta, kept=kept, kind=kind, state=state)

    def _write(
        self,
        scope: str,
        ref: EntityRef,
        value: Any,
        *,
        meta: Mapping[str, Any],
        kept: dict[str, EntityVersion],
        kind: str,
        state: str = "active",
    ) -> EntityVersion:
        if ref.type == "knowledge_relation" and state == "active":
            try:
                self._check_endpoints(scope, value)
            except InvalidRecord:
                if not self._depth:
                    raise
                self._relations.append((scope, value))
        value = None if state == "deleted" else json.loads(_text(value))
        made = EntityVersion(ref=ref, version=self._new_id(), state=state, value=value)  # type: ignore[arg-type]  # one of the two
        self._heads[(scope, ref)] = {**kept, made.version: made}
        self._published.setdefault((scope, ref), set()).add(made.version)
        change = Change(
            cursor=str(len(self._log) + 1),
            ref=ref,
            kind=kind,  # type: ignore[arg-type]  # one of the five
            head_versions=tuple(sorted(self._heads[(scope, ref)])),
            meta={name: meta[name] for name in _META if name in meta},
        )
        self._log.append((scope, change))
        return copy.deepcopy(made)

    def _check_endpoints(self, scope: str, value: Any) -> None:
        for endpoint in (*value["from"], *value["to"]):
            heads = self._heads.get((scope, EntityRef("knowledge", endpoint["id"])), {})
            if not any(head.state == "active" for head in heads.values()):
                raise InvalidRecord(f"no knowledge {endpoint['id']!r}")

    def _scope(self, meta: Mapping[str, Any], entity_type: str, entity_id: str) -> str:
        scope = {name: meta.get(name) for name in ("user_id", "workspace_id")}
        if not all(isinstance(value, str) and value for value in scope.values()):
            raise InvalidRecord("the scope is incomplete")
        bases = meta.get("base_versions", ["x"])
        if not bases or len(set(bases)) != len(bases) or not all(bases):
            raise InvalidRecord("the base versions are no set of versions")
        if meta.get("conflict_strategy", "merge") not in _STRATEGIES:
            raise InvalidRecord("an unknown strategy")
        if entity_type not in _TYPES or not entity_id:
            raise InvalidRecord("an unknown type or an empty id")
        return _text(scope)

    def _existing(self, scope: str, ref: EntityRef) -> dict[str, EntityVersion]:
        heads = self._heads.get((scope, ref))
        if not heads:
            raise NotFound(f"no {ref.type} {ref.id!r}")
        return heads

    def _conflict(self, heads: Mapping[str, EntityVersion]) -> VersionConflict:
        return VersionConflict("not the current versions", data={"current_versions": sorted(heads)})


_META = ("workspace_id", "user_id", "channel_id", "conflict_strategy", "base_versions")


def _one_of_each(kept: dict[str, EntityVersion], value: Any) -> dict[str, EntityVersion]:
    """Return the heads without those whose value stands already: a merge takes equals for one."""
    seen, left = {_text(value)}, {}
    for version in sorted(kept):
        head = kept[version]
        if head.state == "deleted" or _text(head.value) not in seen:
            left[version] = head
            seen |= {_text(head.value)} if head.state == "active" else set()
    return left


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
