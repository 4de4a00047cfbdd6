"""How far a scope has come: causal tokens, and what sessions have seen and written.

Source: the protocol sheet, section 5.8.
"""

from __future__ import annotations

from typing import Any

from talebearer.errors import Overloaded
from talebearer.store._canonical import clip, problem, refuse
from talebearer.store._engine import Database
from talebearer.store.policy import Request

_SCOPE = "SELECT cursor, causal_token FROM patchouli_scope_frontier WHERE scope_json = ?"
_TOKEN = "SELECT cursor FROM patchouli_causal_frontier WHERE causal_token = ? AND scope_json = ?"
_SESSION = """
SELECT read_cursor, write_cursor FROM patchouli_session_frontier
WHERE scope_json = ? AND session_key_json = ?
"""
_ADVANCE_READ = """
INSERT INTO patchouli_session_frontier VALUES (?1, ?2, ?3, 0)
ON CONFLICT (scope_json, session_key_json) DO UPDATE SET read_cursor = max(read_cursor, ?3)
"""
_ADVANCE_WRITE = """
INSERT INTO patchouli_session_frontier VALUES (?1, ?2, 0, ?3)
ON CONFLICT (scope_json, session_key_json) DO UPDATE SET write_cursor = max(write_cursor, ?3)
"""


class Frontiers:
    """The frontier tables."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def current(self, scope_json: str) -> tuple[int, str | None]:
        """Return the scope's latest cursor and its token, (0, None) when it has none."""
        rows = self._db.rows(_SCOPE, (scope_json,))
        return (rows[0][0], rows[0][1]) if rows else (0, None)

    def check(self, request: Request, *, reached: int | None = None) -> None:
        """Refuse a request that asks for more than what is *reached*, the current cursor or a baseline.

        Raises:
            InvalidRecord: A token is not text (TB115).
            Overloaded: A token or a session is ahead (TB217).
        """
        if not request.behavior.causal and not request.sessions:
            return
        if reached is None:
            reached, _ = self.current(request.scope_json)
        for one, token in request.tokens:
            self._check_token(request.scope_json, one.token, token, reached)
        for session_json, guarantees in request.sessions:
            rows = self._db.rows(_SESSION, (request.scope_json, session_json))
            read, written = rows[0] if rows else (0, 0)
            ahead = "monotonic_reads" in guarantees and read > reached
            if ahead or ("read_your_writes" in guarantees and written > reached):
                raise Overloaded(
                    f"the session is ahead of cursor {reached}", data={"reached": str(reached)}
                )

    def advances_on_read(self, request: Request) -> bool:
        """Return whether a successful read moves a session."""
        return any("monotonic_reads" in guarantees for _, guarantees in request.sessions)

    def after_read(self, request: Request) -> None:
        """Note what the sessions of *request* have seen: all that is published."""
        cursor, _ = self.current(request.scope_json)
        for session_json, guarantees in request.sessions:
            if "monotonic_reads" in guarantees:
                self._db.run(_ADVANCE_READ, (request.scope_json, session_json, cursor))

    def after_write(self, request: Request, cursor: int) -> None:
        """Note what the sessions of *request* have written."""
        for session_json, guarantees in request.sessions:
            if "read_your_writes" in guarantees:
                self._db.run(_ADVANCE_WRITE, (request.scope_json, session_json, cursor))

    def read_meta(self, request: Request) -> dict[str, Any]:
        """Return the result metadata of a read: the token of the latest change."""
        if not request.behavior.causal:
            return {}
        _, token = self.current(request.scope_json)
        return self.write_meta(request, token)

    def write_meta(self, request: Request, token: str | None) -> dict[str, Any]:
        """Return the result metadata of a mutation whose change has *token*."""
        if token is None:
            return {}
        return {one.token: token for one in request.behavior.causal}

    def _check_token(self, scope_json: str, alias: str, token: Any, reached: int) -> None:
        if not isinstance(token, str):
            message = f"{clip(repr(token))} is no token"
            refuse([problem((alias,), message)], what="the metadata")
        rows = self._db.rows(_TOKEN, (token, scope_json))
        if not rows or rows[0][0] > reached:
            raise Overloaded(
                f"the change of the token {clip(repr(token))} is not reached here",
                hint="send it to where it came from, or again a little later",
            )
