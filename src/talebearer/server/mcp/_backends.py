"""What the tools work on: an embedded store, or a daemon's connection. Both have one scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from talebearer.errors import CursorExpired, NotFound
from talebearer.store import Call, EntityRef, Store, moment
from talebearer.store.upkeep import Reading, find_place, history, tail

FEED_START = "0"
ANSWER_SECONDS = 30.0


class Backend(Protocol):
    """One scope of one store."""

    def call(self, method: str, meta: Mapping[str, Any], data: Mapping[str, Any]) -> Answer:
        """Make one request of the wire; *meta* is added to that of the scope."""

    def history(self, ref: EntityRef) -> list[dict[str, Any]]:
        """Return what is known of an entity's past, oldest first."""

    def changes(self, after_cursor: str | None) -> Iterator[dict[str, Any]]:
        """Yield the scope's changes after a cursor up to now, oldest first."""


class Answer(Protocol):
    """What a request gives."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """The result's metadata."""

    @property
    def data(self) -> Any:
        """The result."""


class Connection(Protocol):
    """What is needed of a daemon's client."""

    def call(self, method: str, meta: Mapping[str, Any], data: Mapping[str, Any]) -> Answer:
        """Make one request."""

    def follow(self, meta: Mapping[str, Any], *, after_cursor: str | None = None) -> Any:
        """Return a follower of the scope's changes."""


class Past:
    """The past of one scope, read from the store's files beside whoever writes.

    Args:
        root: The store's root or a campaign's folder.
        scope_json: The scope's canonical text.
    """

    def __init__(self, root: Path, scope_json: str) -> None:
        self._reading = Reading(find_place(root))
        self._scope_json = scope_json

    def close(self) -> None:
        """Close the files."""
        self._reading.close()

    def history(self, ref: EntityRef) -> list[dict[str, Any]]:
        """Return every published version of an entity, oldest first."""
        return [
            {
                "cursor": one.cursor,
                "kind": one.kind,
                "version": one.version,
                "head": one.head,
                "state": one.state,
                "recorded_at": moment(one.recorded_at_unix_ms),
                **({"value": one.value} if one.state == "active" else {}),
            }
            for one in history(self._reading, self._scope_json, ref)
        ]

    def changes(self, after_cursor: str | None) -> Iterator[dict[str, Any]]:
        """Yield the changes after a cursor, or all that are kept."""
        for change in tail(self._reading, self._scope_json, after_cursor=after_cursor):
            yield _change(change)


class EmbeddedBackend:
    """A store that this process writes to.

    Args:
        store: The store.
        meta: The request metadata that is the scope.
        past: The same scope's past.
    """

    def __init__(self, store: Store, meta: Mapping[str, Any], past: Past) -> None:
        self._store = store
        self._meta = meta
        self._past = past

    def call(self, method: str, meta: Mapping[str, Any], data: Mapping[str, Any]) -> Answer:
        """Make one request of the wire on the store itself."""
        return self._store.call(Call(method, {**meta, **self._meta}, data))

    def history(self, ref: EntityRef) -> list[dict[str, Any]]:
        """Return every published version of an entity, oldest first."""
        return self._past.history(ref)

    def changes(self, after_cursor: str | None) -> Iterator[dict[str, Any]]:
        """Yield the changes after a cursor, or all that are kept."""
        return self._past.changes(after_cursor)


class DaemonBackend:
    """A daemon that somebody else runs.

    Args:
        connection: The connection to it.
        meta: The request metadata that is the scope.
        past: The same scope's past, where the store's files are at hand. Without it the history is
            what the feed still has: transitions, and the values of the current heads.
    """

    def __init__(
        self, connection: Connection, meta: Mapping[str, Any], past: Past | None = None
    ) -> None:
        self._connection = connection
        self._meta = meta
        self._past = past

    def call(self, method: str, meta: Mapping[str, Any], data: Mapping[str, Any]) -> Answer:
        """Make one request of the wire."""
        return self._connection.call(method, {**meta, **self._meta}, data)

    def history(self, ref: EntityRef) -> list[dict[str, Any]]:
        """Return every published version, or what the feed still has of them."""
        if self._past is not None:
            return self._past.history(ref)
        asked = {"ref": {"type": ref.type, "id": ref.id}}
        heads = self.call("patchouli.entity.read@1", {}, asked).data["variants"]
        current = {head["version"]: head for head in heads}
        told = [one for one in self.changes(None) if (one["type"], one["id"]) == (ref.type, ref.id)]
        entries = list(_transitions(told, current))
        if not entries:
            raise NotFound(
                f"the feed has nothing of {ref.type} {ref.id!r} any more",
                hint="start with --root as well: the store's files have the whole history",
            )
        return entries

    def changes(self, after_cursor: str | None) -> Iterator[dict[str, Any]]:
        """Yield the changes after a cursor up to now; without one, from the oldest that is kept."""
        if self._past is not None:
            yield from self._past.changes(after_cursor)
            return
        with self._connection.follow(self._meta) as now:
            last = now.cursor
        try:
            follower = self._connection.follow(self._meta, after_cursor=after_cursor or FEED_START)
        except CursorExpired:
            if after_cursor is not None:
                raise
            # Older changes were pruned, and only the files could say where the rest begins.
            return
        with follower:
            while follower.cursor != last:
                change = follower.wait(ANSWER_SECONDS)
                if change is None:
                    return
                yield _change(change)


def _transitions(
    changes: list[dict[str, Any]], current: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    before: set[str] = set()
    for change in changes:
        for version in change["head_versions"]:
            if version in before:
                continue
            entry = {
                "cursor": change["cursor"],
                "kind": change["kind"],
                "version": version,
                "head": version in current,
            }
            known = current.get(version, {})
            yield {**entry, **{name: known[name] for name in ("state", "value") if name in known}}
        before = set(change["head_versions"])


def _change(change: Any) -> dict[str, Any]:
    return {
        "cursor": change.cursor,
        "type": change.ref.type,
        "id": change.ref.id,
        "kind": change.kind,
        "head_versions": list(change.head_versions),
    }


def first(entries: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return at most *count* of the entries."""
    return list(islice(entries, count))
