"""Keyed idempotency: the first result of a key is the result of every later request with it.

Source: the protocol sheet, section 5.7.
"""

from __future__ import annotations

from typing import Any

from talebearer.errors import IdempotencyConflict
from talebearer.store._canonical import canonical_text, decode
from talebearer.store._engine import Database

_FIND = """
SELECT request_json, result_json, expires_at_unix_ms FROM patchouli_idempotency
WHERE identity_json = ?
"""
_EXPIRE = "DELETE FROM patchouli_idempotency WHERE identity_json = ?"
_KEEP = "INSERT INTO patchouli_idempotency VALUES (?, ?, ?, ?)"
_FIND_STAGED = """
SELECT request_json, result_json, work_unit_json FROM patchouli_work_unit_idempotency
WHERE identity_json = ?
"""
_KEEP_STAGED = "INSERT OR REPLACE INTO patchouli_work_unit_idempotency VALUES (?, ?, ?, ?, ?)"
_PUBLISH_STAGED = """
INSERT INTO patchouli_idempotency
SELECT identity_json, request_json, result_json, expires_at_unix_ms
FROM patchouli_work_unit_idempotency WHERE work_unit_json = ?
"""
_DROP_STAGED = "DELETE FROM patchouli_work_unit_idempotency WHERE work_unit_json = ?"


class Replays:
    """The idempotency tables."""

    def __init__(self, database: Database, *, retention_ms: int) -> None:
        self._db = database
        self._retention_ms = retention_ms

    def find(self, identity: str, request_json: str, *, now_ms: int) -> dict[str, Any] | None:
        """Return the published result of the key *identity*, None when it is free.

        Raises:
            IdempotencyConflict: The key stands for another mutation (TB213).
        """
        for stored, result, expires_at_ms in self._db.rows(_FIND, (identity,)):
            if expires_at_ms <= now_ms:
                self._db.run(_EXPIRE, (identity,))
                return None
            _refuse_other(identity, stored, request_json)
            found: dict[str, Any] = decode(result)
            return found
        return None

    def find_staged(
        self, identity: str, request_json: str, *, unit: str | None, asks_again: bool
    ) -> dict[str, Any] | None:
        """Return the result that is staged under the key in the request's own unit.

        Args:
            asks_again: Whether the request is attempted rather than answered with that: it closes
                the unit, or the unit is sealed.

        Raises:
            IdempotencyConflict: The key stands for another mutation, or is taken by another
                open unit (TB213).
        """
        for stored, result, holder in self._db.rows(_FIND_STAGED, (identity,)):
            if holder != unit:
                _refuse_other(identity, stored, "")
            _refuse_other(identity, stored, request_json)
            if asks_again:
                return None
            found: dict[str, Any] = decode(result)
            return found
        return None

    def keep(self, identity: str, request_json: str, result: Any, *, now_ms: int) -> None:
        """Keep the result of a published mutation."""
        expires_at_ms = now_ms + self._retention_ms
        self._db.run(_KEEP, (identity, request_json, canonical_text(result), expires_at_ms))

    def stage(
        self, identity: str, request_json: str, result: Any, *, unit: str, now_ms: int
    ) -> None:
        """Keep the result of a staged mutation; it is published or discarded with its unit."""
        expires_at_ms = now_ms + self._retention_ms
        row = (identity, unit, request_json, canonical_text(result), expires_at_ms)
        self._db.run(_KEEP_STAGED, row)

    def publish(self, unit: str) -> None:
        """Make the staged results of a unit published ones."""
        self._db.run(_PUBLISH_STAGED, (unit,))
        self._db.run(_DROP_STAGED, (unit,))


def request_identity(operation: str, data: Any) -> str:
    """Return what a repeated request must be equal in; metadata is no part of it."""
    return canonical_text({"operation": operation, "data": data})


def _refuse_other(identity: str, stored: str, request_json: str) -> None:
    if stored != request_json:
        raise IdempotencyConflict(
            "the idempotency key was sent before with another mutation",
            hint="send a new key with a new mutation",
            data={"identity": identity},
        )
