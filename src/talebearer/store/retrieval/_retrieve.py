"""One retrieval: which types and which view, what matches, and the page that answers.

Source: the protocol sheet, sections 3.3 (rule 6) and 5.10.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from talebearer.errors import StoreError
from talebearer.store._engine import Database
from talebearer.store._model import EntityRef, EntityVersion
from talebearer.store.retrieval._index import LAG_ROWS_MAX, SCANNED_ROWS_MAX, TextIndex
from talebearer.store.retrieval._match import needed_texts
from talebearer.store.retrieval._page import cursor_after, fingerprint, read_cursor
from talebearer.store.retrieval._query import Query
from talebearer.store.retrieval._search import Entity, Search, Searcher, active_heads, best
from talebearer.store.units import Units, UnitView
from talebearer.store.versions import Stored, Versions, View, entity_version

LIMIT_DEFAULT = 10
LIMIT_MAX = 100


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity that was found.

    Attributes:
        score: How well it matches; 0 without text.
        variants: All its heads, also those that do not match.
    """

    score: float
    variants: tuple[EntityVersion, ...]


@dataclass(frozen=True, slots=True)
class RetrieveResult:
    """A page of hits.

    Attributes:
        hits: In the order of the query.
        next_cursor: To be sent in the query for the next page; None when there is none.
    """

    hits: tuple[Hit, ...]
    next_cursor: str | None = None


class Retrieval:
    """Finds entities by text, ids and conditions."""

    def __init__(self, database: Database, versions: Versions, units: Units) -> None:
        self._db = database
        self._versions = versions
        self._units = units
        self.index = TextIndex(database)
        self._searcher = Searcher(database, versions, self.index)

    def find(
        self,
        query: Query,
        view: View,
        *,
        types: Sequence[str],
        limit: int,
        expired_at_ms: int | None,
    ) -> RetrieveResult:
        """Return the page of *view* that *query* asks for; the caller holds a read."""
        known = tuple(sorted(set(types)))
        search = Search(
            query=query,
            scope_json=view.scope_json,
            types=known,
            limit=limit,
            mark=fingerprint(view.scope_json, known, query.identity_json),
            expired_at_ms=expired_at_ms,
        )
        if isinstance(view, UnitView):
            after = read_cursor(query.cursor, query.order, search.mark)
            matches = self._searcher.matches(search, self._entities(search, view))
            found = best(search, matches, after)
        else:
            found = self._searcher.page(search)
        page = found[:limit]
        hits = tuple(Hit(match.score, _variants(view, match.ref)) for match in page)
        if len(found) <= limit:
            return RetrieveResult(hits)
        return RetrieveResult(hits, cursor_after(page[-1], query.order, search.mark))

    def prepare(self, query: Query) -> None:
        """Index what is not indexed yet, where the index may be asked and it is worth it."""
        if query.ids is not None or self._db.read_only or not needed_texts(query):
            return
        with self._db.reading():
            _, lag = self.index.lag()
        if lag > SCANNED_ROWS_MAX:
            self.try_to_keep_up()

    def try_to_keep_up(self, rows_max: int | None = None) -> None:
        """Index what is not indexed yet, as far as the disk lets it.

        A full disk takes nothing from what is stored or found: the rest is looked at directly.
        """
        with suppress(StoreError):
            self.keep_up(rows_max)

    def keep_up(self, rows_max: int | None = None) -> int:
        """Index what is not indexed yet and return how many rows it were.

        Args:
            rows_max: At most this many; None means all.
        """
        done = 0
        while rows_max is None or done < rows_max:
            step = LAG_ROWS_MAX if rows_max is None else min(LAG_ROWS_MAX, rows_max - done)
            with self._db.writing():
                count = self.index.keep_up(rows_max=step)
            done += count
            if count < step:
                break
        return done

    def _entities(self, search: Search, view: UnitView) -> Iterator[Entity]:
        """Yield all that a work unit sees of the wanted types."""
        if search.query.ids is not None:
            refs = {EntityRef(kind, name) for kind in search.types for name in search.query.ids}
        else:
            staged = {touched.ref for touched in self._units.touched(view.unit)}
            refs = {*self._published(search, baseline=view.unit.baseline), *staged}
        for ref in sorted(refs):
            if ref.type in search.types:
                yield ref, active_heads(self._timed(view, ref))

    def _published(self, search: Search, *, baseline: int) -> Iterable[EntityRef]:
        """Return the entities that may match as they were at *baseline*."""
        if needed_texts(search.query):
            # The index knows the heads of now: what has changed since is looked at besides.
            changed = self._versions.changed_since(search.scope_json, baseline)
            proposed = None if changed is None else self._searcher.proposed_refs(search)
            if changed is not None and proposed is not None:
                return proposed.union(changed)
        return self._versions.entities_at(search.scope_json, baseline)

    def _timed(self, view: UnitView, ref: EntityRef) -> Iterator[tuple[Stored, int]]:
        for version, stored in view.heads(ref).items():
            yield stored, self._versions.recorded_ms(view.scope_json, ref, version)


def _variants(view: View, ref: EntityRef) -> tuple[EntityVersion, ...]:
    heads = view.heads(ref).items()
    return tuple(entity_version(ref, version, stored) for version, stored in heads)
