"""The plain model's change log and the feeds that read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.testing.model._parts import Key, copied, invalid, refuse


@dataclass(frozen=True, slots=True)
class ModelChange:
    """One committed transition of an entity's heads."""

    cursor: int
    key: Key
    kind: str
    heads: list[str]
    meta: dict[str, Any]
    recorded_ms: int

    def wire(self) -> dict[str, Any]:
        """Return the change and its metadata as an event carries them."""
        change = {
            "cursor": str(self.cursor),
            "ref": {"type": self.key[1], "id": self.key[2]},
            "kind": self.kind,
            "head_versions": [*self.heads],
        }
        return {"change": change, "meta": copied(self.meta)}


class ModelLog:
    """All changes of all scopes, in one order."""

    def __init__(self, *, retention_ms: int) -> None:
        self.changes: list[ModelChange] = []
        self.last = 0
        self._retention_ms = retention_ms
        self._current: dict[str, int] = {}
        self._pruned: dict[str, int] = {}
        self._tokens: dict[tuple[str, str], int] = {}
        self._latest: dict[str, str] = {}

    def add(
        self,
        key: Key,
        *,
        kind: str,
        heads: list[str],
        token: str,
        meta: dict[str, Any],
        now: int,
    ) -> int:
        """Append a change and return its cursor."""
        self.last += 1
        self.changes.append(ModelChange(self.last, key, kind, heads, meta, now))
        self._current[key[0]] = self.last
        self._tokens[(key[0], token)] = self.last
        self._latest[key[0]] = token
        return self.last

    def current(self, scope: str) -> int:
        """Return the cursor of the scope's latest change, 0 if there was none."""
        return self._current.get(scope, 0)

    def token_cursor(self, scope: str, token: Any) -> int | None:
        """Return where a causal token stands in *scope*."""
        return self._tokens.get((scope, token)) if isinstance(token, str) else None

    def latest_token(self, scope: str) -> str | None:
        """Return the token of the scope's latest change."""
        return self._latest.get(scope)

    def prune(self, now: int) -> None:
        """Forget changes older than the retention."""
        kept = []
        for change in self.changes:
            if change.recorded_ms < now - self._retention_ms:
                scope = change.key[0]
                self._pruned[scope] = max(change.cursor, self._pruned.get(scope, 0))
            else:
                kept.append(change)
        self.changes = kept

    def open(self, scope: str, wanted: Mapping[str, Any], after: Any) -> ModelFeed:
        """Return a feed of *scope*; *after* None begins at its end."""
        if after is None:
            return ModelFeed(self, scope, wanted, self.current(scope))
        if not (isinstance(after, str) and after.isascii() and after.isdecimal()):
            invalid("not a cursor")
        self.check(scope, int(after))
        return ModelFeed(self, scope, wanted, int(after))

    def check(self, scope: str, cursor: int) -> None:
        """Refuse a cursor that the log does not reach."""
        if cursor > self.current(scope) or cursor < self._pruned.get(scope, 0):
            refuse("CURSOR_EXPIRED")


class ModelFeed:
    """Reads one scope's changes in order, filtered."""

    def __init__(self, log: ModelLog, scope: str, wanted: Mapping[str, Any], at: int) -> None:
        self._log = log
        self._scope = scope
        self._wanted = wanted
        self._at = at
        self.cursor = str(at)

    def next_events(self) -> list[dict[str, Any]]:
        """Return the events since the last call."""
        self._log.check(self._scope, self._at)
        new = [
            change
            for change in self._log.changes
            if change.key[0] == self._scope and change.cursor > self._at
        ]
        self._at = new[-1].cursor if new else self._at
        return [
            change.wire()
            for change in new
            if change.key[1] in self._wanted.get("types", [change.key[1]])
            and change.key[2] in self._wanted.get("ids", [change.key[2]])
        ]
