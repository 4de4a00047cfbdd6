"""Work units: a fixed baseline, what is staged on it, and how long it may stay open.

Source: the protocol sheet, section 5.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from talebearer.errors import TalebearerError, WorkUnitExpired
from talebearer.store._canonical import canonical_text, decode, problem, refuse
from talebearer.store._engine import Database
from talebearer.store._model import EntityRef
from talebearer.store.merging import Documents
from talebearer.store.policy import Conflict, ConflictStrategy, MergeRule, Request, UnitKey
from talebearer.store.versions import NewVersion, Stored, Versions

_FIND = """
SELECT scope_json, state, policy_json, opened_at_unix_ms, expires_at_unix_ms, baseline_cursor
FROM patchouli_work_unit WHERE identity_json = ?
"""
_OPEN = "INSERT INTO patchouli_work_unit VALUES (?, ?, 'open', ?, 'discard', ?, ?, ?, NULL)"
_SET_STATE = (
    "UPDATE patchouli_work_unit SET state = ?, closed_at_unix_ms = ? WHERE identity_json = ?"
)
_DUE = "SELECT min(expires_at_unix_ms) FROM patchouli_work_unit WHERE state IN ('open', 'closing')"
_OVERDUE = """
SELECT identity_json FROM patchouli_work_unit
WHERE state IN ('open', 'closing') AND expires_at_unix_ms <= ? ORDER BY identity_json
"""
_STAGED = """
SELECT scope_json, entity_type, entity_id, version FROM patchouli_entity_version
WHERE work_unit_json = ?
"""
_UNSTAGE = "DELETE FROM patchouli_entity_version WHERE work_unit_json = ?"
_FORGET_ENTITIES = "DELETE FROM patchouli_work_unit_entity WHERE work_unit_json = ?"
_FORGET_RESULTS = "DELETE FROM patchouli_work_unit_idempotency WHERE work_unit_json = ?"
_HEADS = """
SELECT version FROM patchouli_work_unit_head
WHERE work_unit_json = ? AND scope_json = ? AND entity_type = ? AND entity_id = ? ORDER BY version
"""
_CLEAR_HEADS = """
DELETE FROM patchouli_work_unit_head
WHERE work_unit_json = ? AND scope_json = ? AND entity_type = ? AND entity_id = ?
"""
_ADD_HEAD = "INSERT INTO patchouli_work_unit_head VALUES (?, ?, ?, ?, ?)"
_ADD_BASE = "INSERT OR IGNORE INTO patchouli_work_unit_base_version VALUES (?, ?, ?, ?, ?, ?)"
_TOUCH = """
INSERT INTO patchouli_work_unit_entity VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?)
ON CONFLICT (work_unit_json, scope_json, entity_type, entity_id) DO UPDATE SET
    conflict_policy_json = excluded.conflict_policy_json, causal_token = excluded.causal_token,
    event_meta_json = excluded.event_meta_json,
    close_marker = max(close_marker, excluded.close_marker)
"""
_ENTITIES = """
SELECT entity_type, entity_id, conflict_policy_json, causal_token, event_meta_json
FROM patchouli_work_unit_entity
WHERE work_unit_json = ? AND causal_token IS NOT NULL
ORDER BY close_marker, scope_json, entity_type, entity_id
"""
_NEVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Unit:
    """An open work unit.

    Attributes:
        identity: Canonical text of its scope and key.
        scope_json: Its scope.
        baseline: The cursor at which it sees what is published.
    """

    identity: str
    scope_json: str
    baseline: int


@dataclass(frozen=True, slots=True)
class Touched:
    """An entity that a unit has mutated, with what its last mutation asked for."""

    ref: EntityRef
    strategy: ConflictStrategy
    conflict: Conflict
    token: str
    event_meta_json: str


class Units:
    """The work unit tables."""

    def __init__(
        self,
        database: Database,
        versions: Versions,
        documents: Documents,
        *,
        unstaged: Callable[[], None],
    ) -> None:
        self._db = database
        self._unstaged = unstaged
        self._versions = versions
        self._documents = documents
        self._due_ms = 0

    def sweep(self, *, now_ms: int) -> None:
        """Expire every unit whose time is over; the caller holds a write."""
        if now_ms < self._due_ms:
            return
        overdue = self._db.rows(_OVERDUE, (now_ms,))
        for (identity,) in overdue:
            self._expire(identity, now_ms=now_ms)
        if overdue:
            self._unstaged()
            self._db.keep()
            self._db.after_rollback(self._look_again)
        ((due,),) = self._db.rows(_DUE)
        self._due_ms = _NEVER if due is None else due

    def enter(self, request: Request, key: UnitKey, *, baseline: int, now_ms: int) -> Unit:
        """Return the unit of *key*; its first request opens it at *baseline*.

        That it is open stays, whatever becomes of the request.

        Raises:
            InvalidRecord: It is committed or sealed already, or other requests had another
                policy (TB115).
            WorkUnitExpired: Its time is over (TB216).
        """
        rows = self._db.rows(_FIND, (key.identity_json,))
        if not rows:
            expires_at_ms = now_ms + key.staging_ttl_ms
            row = (key.identity_json, request.scope_json, key.policy_json)
            self._db.run(_OPEN, (*row, now_ms, expires_at_ms, baseline))
            self._db.keep()
            self._due_ms = min(self._due_ms, expires_at_ms)
            return Unit(key.identity_json, request.scope_json, baseline)
        ((scope_json, state, policy_json, _, _, found_baseline),) = rows
        if state == "expired":
            raise _expired(key)
        if state != "open":
            word = "committed" if state == "committed" else "sealed: it could not be published"
            _refuse(f"the work unit is already {word}", hint="begin another one")
        if policy_json != key.policy_json:
            _refuse("the work unit was opened under another policy", hint="begin another one")
        return Unit(key.identity_json, scope_json, found_baseline)

    def is_sealed(self, identity: str) -> bool:
        """Return whether a unit takes no more, because it was closed, refused to close or expired."""
        rows = self._db.rows(_FIND, (identity,))
        return bool(rows) and rows[0][1] != "open"

    def heads(self, unit: Unit, ref: EntityRef) -> tuple[str, ...]:
        """Return the staged heads of *ref*, none when the unit has not mutated it."""
        rows = self._db.rows(_HEADS, (unit.identity, unit.scope_json, ref.type, ref.id))
        return tuple(version for (version,) in rows)

    def stage(
        self,
        unit: Unit,
        request: Request,
        ref: EntityRef,
        *,
        made: Iterable[NewVersion],
        after: tuple[str, ...],
        bases: Iterable[str],
        token: str,
        closes: bool,
        now_ms: int,
    ) -> None:
        """Write what a mutation of *ref* makes of it inside the unit."""
        key = (unit.identity, unit.scope_json, ref.type, ref.id)
        conflict_json = _conflict_json(request)
        row = (*key, conflict_json, token, request.event_meta_json, int(closes))
        first = not self.heads(unit, ref)
        self._db.run(_TOUCH, row)
        if first:
            heads = self._versions.heads_at(unit.scope_json, ref, unit.baseline)
            for version in heads:
                self._db.run(_ADD_BASE, (*key, version, 1))
        for version in bases:
            self._db.run(_ADD_BASE, (*key, version, 0))
        self._versions.stage(unit.identity, unit.scope_json, ref, made, now_ms=now_ms)
        self._db.run(_CLEAR_HEADS, key)
        for version in after:
            self._db.run(_ADD_HEAD, (*key, version))

    def touched(self, unit: Unit) -> list[Touched]:
        """Return the mutated entities in the order of publication, the closing call's last."""
        return [
            Touched(EntityRef(kind, name), *_read_conflict(policy), token, event_meta)
            for kind, name, policy, token, event_meta in self._db.rows(_ENTITIES, (unit.identity,))
        ]

    def set_state(self, unit: Unit, state: str, *, now_ms: int) -> None:
        """Note that a unit is ``closing`` (sealed) or ``committed``; then its overlay is dropped."""
        closed_at_ms = now_ms if state == "committed" else None
        self._db.run(_SET_STATE, (state, closed_at_ms, unit.identity))
        if state == "committed":
            self._db.run(_FORGET_ENTITIES, (unit.identity,))

    def _look_again(self) -> None:
        self._due_ms = 0

    def _expire(self, identity: str, *, now_ms: int) -> None:
        self._drop_changes(identity)
        self._db.run(_UNSTAGE, (identity,))
        self._db.run(_FORGET_ENTITIES, (identity,))
        self._db.run(_FORGET_RESULTS, (identity,))
        self._db.run(_SET_STATE, ("expired", now_ms, identity))

    def _drop_changes(self, identity: str) -> None:
        """Delete the merge changes that only the staged versions of a unit rest on.

        A change is written for one version of one entity, so that no other entity rests on it.
        """
        entities: dict[tuple[str, EntityRef], set[str]] = {}
        for scope_json, kind, name, version in self._db.rows(_STAGED, (identity,)):
            entities.setdefault((scope_json, EntityRef(kind, name)), set()).add(version)
        for (scope_json, ref), staged in entities.items():
            own: set[str] = set()
            for version in staged:
                own |= self._documents.frontier(scope_json, ref, version)
            kept: set[str] = set()
            for version in self._versions.others(scope_json, ref, staged):
                kept |= self._documents.frontier(scope_json, ref, version)
            reachable = self._documents.reachable(own)
            if reachable:
                self._documents.forget(reachable - self._documents.reachable(kept))


class UnitView:
    """What a work unit sees: what it staged, on its baseline."""

    def __init__(self, units: Units, versions: Versions, unit: Unit) -> None:
        self.scope_json = unit.scope_json
        self.unit = unit
        self._units = units
        self._versions = versions

    def heads(self, ref: EntityRef) -> dict[str, Stored]:
        """Return the heads of *ref* in the order of their version text."""
        heads = self.head_versions(ref)
        found = {one: self._versions.version(self.scope_json, ref, one) for one in heads}
        return {version: stored for version, stored in found.items() if stored is not None}

    def head_versions(self, ref: EntityRef) -> tuple[str, ...]:
        """Return the head versions of *ref*, sorted."""
        heads = self._units.heads(self.unit, ref)
        return heads or self._versions.heads_at(self.scope_json, ref, self.unit.baseline)

    def unknown_bases(self, ref: EntityRef, bases: Iterable[str]) -> tuple[str, ...]:
        """Return those of *bases* that are neither staged here nor published at the baseline."""
        return tuple(base for base in bases if not self._known(ref, base))

    def is_active(self, ref: EntityRef) -> bool:
        """Return whether *ref* has a live head."""
        return any(stored.state == "active" for stored in self.heads(ref).values())

    def _known(self, ref: EntityRef, version: str) -> bool:
        stored = self._versions.version(self.scope_json, ref, version)
        if stored is None:
            return False
        if stored.cursor is not None:
            return stored.cursor <= self.unit.baseline
        return stored.unit == self.unit.identity


def _conflict_json(request: Request) -> str:
    conflict = request.behavior.conflict
    return canonical_text(
        {
            "strategy": str(request.strategy),
            "merge": [{"path": rule.path, "group_by": [*rule.group_by]} for rule in conflict.merge],
            "otherwise": conflict.otherwise,
        }
    )


def _read_conflict(policy_json: str) -> tuple[ConflictStrategy, Conflict]:
    policy = decode(policy_json)
    rules = (
        MergeRule(path=one["path"], group_by=tuple(one["group_by"])) for one in policy["merge"]
    )
    strategy = ConflictStrategy(policy["strategy"])
    return strategy, Conflict(
        default_strategy=strategy,
        strategy_from="",
        base_versions="",
        merge=tuple(rules),
        otherwise=policy["otherwise"],
    )


def _expired(key: UnitKey) -> TalebearerError:
    return WorkUnitExpired(
        "the work unit was not closed in time", data={"work_unit": key.identity_json}
    )


def _refuse(message: str, *, hint: str) -> None:
    refuse([problem((), message, hint=hint)], what="the request")
