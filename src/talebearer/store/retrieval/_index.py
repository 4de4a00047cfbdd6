"""The text index: trigrams of the strings of every version, derived and rebuildable.

It follows the version table by row, not by transaction: a write costs it nothing, and what has
not been indexed yet is looked at directly. It only ever proposes versions; whether they are
current, in scope and really match is checked on the versions themselves, so that entries of
superseded versions do no harm.

Texts are folded before they are indexed and end in two separators, so that the last characters
of a string begin a trigram too: with the list of trigrams, also one or two characters are found.

Source: the protocol sheet, sections 4.2 and 5.10.
"""

from __future__ import annotations

from collections.abc import Sequence

from talebearer.store._canonical import decode
from talebearer.store._engine import Database
from talebearer.store.retrieval._match import INDEXED_CHARS, fold, strings

LAG_ROWS_MAX = 1_024
STEP_ROWS = 64
"""So many values are in memory at once while they are indexed."""
SCANNED_ROWS_MAX = 64
"""Up to this many rows that are not indexed yet are looked at rather than indexed first."""
TRIGRAMS_ASKED_MAX = 24
SHORT_TRIGRAMS_MAX = 512
NARROW_ROWS_MAX = 1_024
FEW_ROWS = 16
INDEXED_CHARS_MAX = 65_536
"""Of a value with more characters only the fact is indexed; every search looks at it."""
LONG = "\x1e\x1e\x1e"
END = "\x1f\x1f"

_LAST = "SELECT coalesce(max(row_id), 0) FROM patchouli_entity_version"
_STATE = "SELECT indexed_row FROM patchouli_entity_fts_state"
_SET_STATE = "UPDATE patchouli_entity_fts_state SET indexed_row = ?"
_PENDING = """
SELECT row_id, scope_json, entity_type, entity_id, version, value_json, published_cursor
FROM patchouli_entity_version WHERE row_id > ? ORDER BY row_id LIMIT ?
"""
_IS_HEAD = """
SELECT 1 FROM patchouli_entity_head
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_HISTORY = """
SELECT head_versions_json FROM patchouli_entity_head_history
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND cursor <= ?
ORDER BY cursor DESC LIMIT 2
"""
_ROW = """
SELECT row_id FROM patchouli_entity_version
WHERE scope_json = ? AND entity_type = ? AND entity_id = ? AND version = ?
"""
_ADD = "INSERT INTO patchouli_entity_fts (rowid, strings) VALUES (?, ?)"
_REMOVE = "DELETE FROM patchouli_entity_fts WHERE rowid = ?"
_CLEAR = "INSERT INTO patchouli_entity_fts (patchouli_entity_fts) VALUES ('delete-all')"
_FIND = """
SELECT rowid FROM patchouli_entity_fts WHERE patchouli_entity_fts MATCH ? LIMIT ?
"""
_IS_COMMON = """
SELECT 1 FROM patchouli_entity_fts WHERE patchouli_entity_fts MATCH ? LIMIT 1 OFFSET ?
"""
_TERMS = "SELECT term FROM patchouli_entity_fts_terms WHERE term >= ? AND term < ? LIMIT ?"


class TextIndex:
    """The text index of one database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def lag(self) -> tuple[int, int]:
        """Return the last row that is indexed, and how many come after it."""
        ((last,),) = self._db.rows(_LAST)
        ((indexed,),) = self._db.rows(_STATE)
        return indexed, max(0, last - indexed)

    def keep_up(self, *, rows_max: int) -> int:
        """Index up to *rows_max* rows and return how many it were; the caller holds a write."""
        done = 0
        while done < rows_max:
            count = self._index_some(min(STEP_ROWS, rows_max - done))
            done += count
            if count < STEP_ROWS:
                break
        return done

    def _index_some(self, rows_max: int) -> int:
        ((indexed,),) = self._db.rows(_STATE)
        rows = self._db.rows(_PENDING, (indexed, rows_max))
        for row_id, scope_json, entity_type, entity_id, version, text, cursor in rows:
            key = (scope_json, entity_type, entity_id)
            if cursor is not None:
                self._drop_replaced(key, cursor, indexed=indexed)
            # What is staged is indexed with the rest: nothing tells when it is published.
            if text is not None and (cursor is None or self._is_head(key, version)):
                self._db.run(_ADD, (row_id, indexed_text(decode(text))))
        if rows:
            self._db.run(_SET_STATE, (rows[-1][0],))
        return len(rows)

    def rebuild(self) -> None:
        """Forget everything, so that it is indexed anew; the caller holds a write."""
        self._db.run(_CLEAR)
        self._db.run(_SET_STATE, (0,))

    def rewind(self) -> None:
        """Note that the last rows were deleted, whose numbers will be given again."""
        ((last,),) = self._db.rows(_LAST)
        self._db.run(
            "UPDATE patchouli_entity_fts_state SET indexed_row = min(indexed_row, ?)", (last,)
        )

    def candidates(self, texts: Sequence[str], *, most: int) -> list[int] | None:
        """Return the rows that may hold all of *texts*; None when there are too many."""
        found = self._proposed([_without_nul(fold(text)) for text in texts], most=most)
        long = self._ask(quoted(LONG), most=most)
        if found is None or long is None:
            return None
        return sorted({*found, *long}) if long else found

    def _proposed(self, folded: Sequence[str], *, most: int) -> list[int] | None:
        asked = _asked([text for text in folded if len(text) >= INDEXED_CHARS])
        if not asked:
            return self._of_short(max(folded, key=len), most=most)
        narrow = self._of_narrow(asked)
        if narrow is not None:
            return narrow if len(narrow) <= most else None
        return self._ask(" AND ".join(map(quoted, asked)), most=most)

    def _ask(self, question: str, *, most: int) -> list[int] | None:
        found = self._db.rows(_FIND, (question, most + 1))
        return None if len(found) > most else [row_id for (row_id,) in found]

    def _of_narrow(self, trigrams: list[str]) -> list[int] | None:
        """Return the rows that hold all rare ones of *trigrams*; None when none of them is rare.

        The engine reads every list to its end, also that of a trigram which is everywhere, so that
        the rare ones are asked alone.
        """
        common: set[int] | None = None
        for trigram in trigrams:
            # Most are everywhere, and skipping rows costs less than fetching them.
            if self._db.rows(_IS_COMMON, (quoted(trigram), NARROW_ROWS_MAX)):
                continue
            rows = [
                row_id for (row_id,) in self._db.rows(_FIND, (quoted(trigram), NARROW_ROWS_MAX))
            ]
            common = set(rows) if common is None else common.intersection(rows)
            if len(common) <= FEW_ROWS:
                break
        return None if common is None else sorted(common)

    def _of_short(self, folded: str, *, most: int) -> list[int] | None:
        terms = self._db.rows(_TERMS, (folded, _next(folded), SHORT_TRIGRAMS_MAX + 1))
        if len(terms) > SHORT_TRIGRAMS_MAX:
            return None
        if not terms:
            return []
        return self._ask(" OR ".join(quoted(term) for (term,) in terms), most=most)

    def _is_head(self, key: tuple[str, str, str], version: str) -> bool:
        return bool(self._db.rows(_IS_HEAD, (*key, version)))

    def _drop_replaced(self, key: tuple[str, str, str], cursor: int, *, indexed: int) -> None:
        rows = self._db.rows(_HISTORY, (*key, cursor))
        if len(rows) < 2:
            return
        after, before = (set(decode(text)) for (text,) in rows)
        for version in sorted(before - after):
            for (row_id,) in self._db.rows(_ROW, (*key, version)):
                if row_id <= indexed:
                    self._db.run(_REMOVE, (row_id,))


def indexed_text(value: object) -> str:
    """Return what the index holds of *value*."""
    whole = "".join(f"{_without_nul(fold(text))}{END}" for text in strings(value))
    return whole if len(whole) <= INDEXED_CHARS_MAX else LONG


def _asked(folded: Sequence[str]) -> list[str]:
    """Return trigrams of the texts, so many as are asked, from all parts of them.

    A word that few records have is so found by one of its own, wherever it stands.
    """
    trigrams = dict.fromkeys(text[at : at + 3] for text in folded for at in range(len(text) - 2))
    step = -(-len(trigrams) // TRIGRAMS_ASKED_MAX)
    return [*trigrams][:: max(step, 1)]


def _without_nul(text: str) -> str:
    # A query ends at a NUL; what this confuses is told apart on the record.
    return text.replace("\x00", "\x1f")


def quoted(term: str) -> str:
    """Return the question for the rows that have *term*."""
    doubled = term.replace('"', '""')
    return f'"{doubled}"'


def _next(text: str) -> str:
    """Return a text after every trigram that begins with *text*."""
    return text + "\U0010ffff" * 3
