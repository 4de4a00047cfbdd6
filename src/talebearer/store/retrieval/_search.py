"""Finding one page of matching entities, by the cheapest way that is exact.

By ids each entity is looked up; by text the index proposes; in the order of time or id the heads
are read in that order until the page is full. Where conditions let few of them pass, the index
proposes those that hold the texts that the conditions name. What a work unit sees is narrowed by ids
and by the index alone; in the order of time or id everything that it sees is read.

Source: the protocol sheet, section 5.10.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import orjson

from talebearer.store._canonical import decode
from talebearer.store._engine import Database, Row
from talebearer.store._model import EntityRef
from talebearer.store.retrieval._index import FEW_ROWS, TextIndex
from talebearer.store.retrieval._match import (
    SHORT_SCORE,
    expired,
    may_hold,
    needed_texts,
    score,
)
from talebearer.store.retrieval._page import Match, read_cursor, sort_key
from talebearer.store.retrieval._query import Query
from talebearer.store.versions import Stored, Versions

CANDIDATES_MAX = 5_000
"""A text that is in more records than this ranks none of them: they come newest first."""

_JOINED = """
FROM patchouli_entity_version AS v {index}
CROSS JOIN patchouli_entity_head AS h USING (scope_json, entity_type, entity_id, version)
"""
_FIELDS = "SELECT v.entity_type, v.entity_id, v.value_json, v.recorded_at_unix_ms"
_PROPOSED = f"""
{_FIELDS}, (SELECT count(*) FROM patchouli_entity_head AS o WHERE o.scope_json = h.scope_json
    AND o.entity_type = h.entity_type AND o.entity_id = h.entity_id)
{_JOINED.format(index="")} WHERE +v.scope_json = ? AND v.state = 'active' AND v.row_id
"""  # noqa: S608  # made of constants
_BY_ROW = f"{_PROPOSED} = ?"
_TAIL = f"{_PROPOSED} > ?"
_TEXTS = """
SELECT row_id, value_json FROM patchouli_entity_version
WHERE row_id IN (SELECT value FROM json_each(?)) AND value_json IS NOT NULL
"""
_REFS = """
SELECT entity_type, entity_id FROM patchouli_entity_version
WHERE scope_json = ?1 AND row_id > ?2
UNION
SELECT entity_type, entity_id FROM patchouli_entity_version
WHERE +scope_json = ?1 AND row_id IN (SELECT value FROM json_each(?3))
"""
_TIMED = _JOINED.format(index="INDEXED BY patchouli_entity_version_recorded")
_IN_TIME = f"{_FIELDS} {_TIMED} WHERE v.scope_json = ? AND v.state = 'active'"
_OF_TIME = f"""
{_IN_TIME} AND v.recorded_at_unix_ms = ? AND (v.entity_type, v.entity_id) > (?, ?)
ORDER BY v.entity_type, v.entity_id
"""
_BEFORE = f"""
{_IN_TIME} AND v.recorded_at_unix_ms < ?
ORDER BY v.recorded_at_unix_ms DESC, v.entity_type, v.entity_id
"""
"""The index has this order, so that nothing is sorted, however many share a millisecond."""
_NEXT_TIME = """
SELECT recorded_at_unix_ms FROM patchouli_entity_version
WHERE scope_json = ? AND recorded_at_unix_ms > ? ORDER BY recorded_at_unix_ms LIMIT 1
"""
_BY_ID = f"""
{_FIELDS}
FROM patchouli_entity_head AS h
CROSS JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE h.scope_json = ? AND h.entity_type = ? AND v.state = 'active' AND h.entity_id {{bound}}
ORDER BY h.entity_id {{direction}}
"""
_ID_ASC = _BY_ID.format(bound=">= ?", direction="ASC")
_ID_DESC = _BY_ID.format(bound="<= ?", direction="DESC")
_ID_DESC_ALL = _BY_ID.format(bound="<> ?", direction="DESC")
_TIME_MIN, _TIME_MAX = -(2**63), 2**63 - 1
ROWS_MAX = 2**62
LOOKED_ROWS = 256
"""So many rows are looked at in their order before the index is asked to narrow a filter."""

Entity = tuple[EntityRef, list[tuple[str, int]]]
"""An entity with the canonical value and the time of each of its active heads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search.

    Attributes:
        query: What is looked for.
        scope_json: Where.
        types: The record types that may match, sorted.
        limit: How many hits a page has.
        mark: What its cursors are bound to.
        expired_at_ms: The time at which expired records are left out; None keeps them.
        ranked: Whether texts are ranked; else all that match are equal.
    """

    query: Query
    scope_json: str
    types: tuple[str, ...]
    limit: int
    mark: str
    expired_at_ms: int | None = None
    ranked: bool = True


class Searcher:
    """Searches the published heads."""

    def __init__(self, database: Database, versions: Versions, index: TextIndex) -> None:
        self._db = database
        self._versions = versions
        self._index = index

    def page(self, search: Search) -> list[Match]:
        """Return the next matches, one more than the page holds if there are more.

        Raises:
            InvalidRecord: The cursor is none of this query (TB115).
        """
        query = search.query
        after = read_cursor(query.cursor, query.order, search.mark)
        if query.ids is not None:
            return best(search, self._by_ids(search), after)
        if query.text is None:
            return self._filtered(search, after)
        rows = self._proposals(query.text, after)
        if rows is not None:
            return best(search, self._by_rows(search, rows), after)
        return self._in_order(replace(search, ranked=False), after)

    def _filtered(self, search: Search, after: Match | None) -> list[Match]:
        """Return a page of a search without text."""
        texts = needed_texts(search.query)
        if not texts:
            return self._in_order(search, after)
        try:
            return self._in_order(search, after, rows_max=LOOKED_ROWS)
        except _Spent:
            rows = self._index.candidates(texts, most=CANDIDATES_MAX)
        if rows is None:
            return self._in_order(search, after)
        return best(search, self._by_rows(search, rows), after)

    def _in_order(
        self, search: Search, after: Match | None, *, rows_max: int = ROWS_MAX
    ) -> list[Match]:
        """Return a page by reading the heads in their order; at most *rows_max* of them."""
        if search.query.order in ("id_asc", "id_desc"):
            return self._by_id(search, after, rows_max=rows_max)
        return self._by_time(search, after, rows_max=rows_max)

    def _proposals(self, text: str, after: Match | None) -> list[int] | None:
        """Return the rows that the index proposes; None when it does not narrow the search."""
        if after is not None and not after.ranked:
            return None
        # A page that goes on from a ranked one is ranked too, however many there are by now.
        most = ROWS_MAX if after is not None and after.ranked else CANDIDATES_MAX
        return self._index.candidates([text], most=most)

    def proposed_refs(self, search: Search) -> set[EntityRef] | None:
        """Return the entities that may hold the texts now, staged ones too; None for too many."""
        rows = self._index.candidates(needed_texts(search.query), most=CANDIDATES_MAX)
        if rows is None:
            return None
        indexed, _ = self._index.lag()
        bindings = (search.scope_json, indexed, orjson.dumps(rows).decode())
        return {EntityRef(*row) for row in self._db.rows(_REFS, bindings)}

    def matches(self, search: Search, entities: Iterable[Entity]) -> Iterator[Match]:
        """Yield those of *entities* that match."""
        for ref, heads in entities:
            match = self._match(search, ref, heads)
            if match is not None:
                yield match

    def _match(self, search: Search, ref: EntityRef, heads: list[tuple[str, int]]) -> Match | None:
        query, found = search.query, None
        for text, recorded_ms in heads:
            rank = 0.0
            if query.text is not None or query.where or search.expired_at_ms is not None:
                if not may_hold(query, text):
                    continue
                value = decode(text)
                if search.expired_at_ms is not None and expired(value, now_ms=search.expired_at_ms):
                    continue
                scored = score(query, value)
                if scored is None:
                    continue
                rank = scored if search.ranked or query.text is None else SHORT_SCORE
            if found is not None:
                rank, recorded_ms = max(found.score, rank), max(found.recorded_ms, recorded_ms)
            found = Match(ref, rank, recorded_ms, search.ranked)
        return found

    def _by_ids(self, search: Search) -> Iterator[Match]:
        refs = (
            EntityRef(kind, name)
            for kind in search.types
            for name in sorted(search.query.ids or ())
        )
        return self.matches(search, ((ref, self._heads(search.scope_json, ref)) for ref in refs))

    def _by_rows(self, search: Search, rows: list[int]) -> Iterator[Match]:
        """Yield the matches among the proposed rows and those that are not indexed yet."""
        seen: set[EntityRef] = set()
        for row in self._proposed(search, rows):
            ref = EntityRef(row[0], row[1])
            if ref in seen or ref.type not in search.types:
                continue
            match = self._match(search, ref, [(row[2], row[3])])
            if match is not None and row[4] > 1:
                match = self._match(search, ref, self._heads(search.scope_json, ref))
            if match is not None:
                seen.add(ref)
                yield match

    def _proposed(self, search: Search, rows: list[int]) -> Iterator[Row]:
        indexed, _ = self._index.lag()
        yield from self._db.each(_TAIL, (search.scope_json, indexed))
        if len(rows) > FEW_ROWS:
            texts = self._db.each(_TEXTS, (orjson.dumps(rows).decode(),))
            rows = [row_id for row_id, text in texts if may_hold(search.query, text)]
        for row_id in rows:
            yield from self._db.rows(_BY_ROW, (search.scope_json, row_id))

    def _by_time(self, search: Search, after: Match | None, *, rows_max: int) -> list[Match]:
        found: list[Match] = []
        seen: Match | None = None
        for row in _within(self._in_time(search, after), rows_max):
            ref = EntityRef(row[0], row[1])
            if ref.type not in search.types:
                continue
            # Heads of one entity and one millisecond stand together.
            if seen is not None and seen.ref == ref and seen.recorded_ms == row[3]:
                continue
            seen = self._match(search, ref, [(row[2], row[3])])
            match = seen and self._match(search, ref, self._heads(search.scope_json, ref))
            # An entity has its place at the latest of its matching heads.
            if match is not None and match.recorded_ms == row[3]:
                found.append(match)
                if len(found) > search.limit:
                    break
        return found

    def _in_time(self, search: Search, after: Match | None) -> Iterator[Row]:
        """Yield the active heads after *after*, by time, type and id."""
        # What is not ranked is all equal, so that relevance is the order of time as well.
        newest, scope = search.query.order != "oldest", search.scope_json
        time = (_TIME_MAX if newest else _TIME_MIN) if after is None else after.recorded_ms
        if after is not None:
            yield from self._db.each(_OF_TIME, (scope, time, after.ref.type, after.ref.id))
        if newest:
            yield from self._db.each(_BEFORE, (scope, time))
            return
        while True:
            found = self._db.rows(_NEXT_TIME, (scope, time))
            if not found:
                return
            ((time,),) = found
            yield from self._db.each(_OF_TIME, (scope, time, "", ""))

    def _by_id(self, search: Search, after: Match | None, *, rows_max: int) -> list[Match]:
        key: Callable[[Match], tuple[object, ...]] = _key_of(search)
        streams = [
            self._ids_of_type(search, kind, after, rows_max=rows_max) for kind in search.types
        ]
        found: list[Match] = []
        last = None if after is None else key(after)
        for match in heapq.merge(*streams, key=key):
            if last is None or key(match) > last:
                found.append(match)
                if len(found) > search.limit:
                    break
        return found

    def _ids_of_type(
        self, search: Search, kind: str, after: Match | None, *, rows_max: int
    ) -> Iterator[Match]:
        ascending = search.query.order == "id_asc"
        if after is not None:
            sql, start = (_ID_ASC if ascending else _ID_DESC), after.ref.id
        else:
            sql, start = (_ID_ASC if ascending else _ID_DESC_ALL), ""
        rows = _within(self._db.each(sql, (search.scope_json, kind, start)), rows_max)
        for entity_id, group in groupby(rows, key=lambda row: row[1]):
            heads = [(row[2], row[3]) for row in group]
            match = self._match(search, EntityRef(kind, entity_id), heads)
            if match is not None:
                yield match

    def _heads(self, scope_json: str, ref: EntityRef) -> list[tuple[str, int]]:
        return active_heads(self._versions.timed_heads(scope_json, ref))


class _Spent(Exception):  # it never leaves this module
    """So many rows were read as were to be looked at, and the page is not full."""


def _within(rows: Iterable[Row], rows_max: int) -> Iterator[Row]:
    for count, row in enumerate(rows):
        if count == rows_max:
            raise _Spent
        yield row


def best(search: Search, matches: Iterable[Match], after: Match | None) -> list[Match]:
    """Return the first of *matches* after *after*, one more than a page holds."""
    key = _key_of(search)
    if after is not None:
        last = key(after)
        matches = (match for match in matches if key(match) > last)
    return heapq.nsmallest(search.limit + 1, matches, key=key)


def active_heads(heads: Iterable[tuple[Stored, int]]) -> list[tuple[str, int]]:
    """Return value and time of the active ones of *heads*."""
    return [(stored.text, at) for stored, at in heads if stored.text is not None]


def _key_of(search: Search) -> Callable[[Match], tuple[object, ...]]:
    order = search.query.order
    return lambda match: sort_key(match, order)
