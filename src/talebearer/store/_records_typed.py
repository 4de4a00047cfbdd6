"""Records, typed: what a program that holds a store calls, where a client sends requests.

Each method is the controller's operation of the same name; metadata of results, which the wire
carries, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from talebearer.store._canonical import decode, problem, refuse
from talebearer.store._controller import Controller, check_id
from talebearer.store._model import Change, EntityRef, EntityVersion, ReadResult
from talebearer.store.feed import LIMIT_DEFAULT, Changes
from talebearer.store.retrieval import LIMIT_DEFAULT as LIMIT_HITS_DEFAULT
from talebearer.store.retrieval import LIMIT_MAX, RetrieveResult, query_text

ChangeList = list[Change]


class Records:
    """The methods of a store that write, read, find and follow records."""

    _controller: Controller
    _changes: Changes

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
        made = self._controller.create(meta, type, value, entity_id=id).entity
        self._controller.note_write()
        return made

    def read(self, meta: Mapping[str, Any], ref: EntityRef) -> ReadResult:
        """Return the current heads of *ref*.

        Raises:
            NotFound: It was never created in this scope (TB204).

        Source: the protocol sheet, section 5.2.
        """
        return self._controller.read(meta, ref)

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
        made = self._controller.update(meta, ref, value).entity
        self._controller.note_write()
        return made

    def delete(self, meta: Mapping[str, Any], ref: EntityRef) -> EntityVersion:
        """Put a tombstone in the place of the named heads and return it.

        Raises:
            InvalidRecord: ``base_versions`` is missing (TB115).
            NotFound: It was never created in this scope (TB204).
            VersionConflict: A base was never published, or the strategy refuses (TB205).

        Source: the protocol sheet, section 5.4.
        """
        made = self._controller.delete(meta, ref).entity
        self._controller.note_write()
        return made

    def upsert(self, meta: Mapping[str, Any], ref: EntityRef, value: Any) -> EntityVersion:
        """Create *ref*, or replace all its heads, or do nothing when its value is the same.

        Values are compared by their canonical text. The base versions are the heads at the
        moment of the write, so a conflict ends here.

        Raises:
            InvalidRecord: The schema refuses *value*, ``base_versions`` is given, or a
                relation's endpoint is not there (TB115).
        """
        made = self._controller.upsert(meta, ref, value).entity
        self._controller.note_write()
        return made

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
        text = query if isinstance(query, str) else query_text(query)
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
