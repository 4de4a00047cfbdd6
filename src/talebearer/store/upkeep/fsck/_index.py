"""The text index against the versions that it is derived from, and building it again.

The index keeps no texts, only which row holds which three characters, and for each row how many it
was given. So a head is compared by that number, and by a sum over all its trigrams, which is taken
once from the lists of the index and once from the value. That the index is whole in itself, SQLite
has looked at with the pages.
"""

from __future__ import annotations

from array import array

from talebearer.errors import StoreCorrupt
from talebearer.errors.findings_store import INDEX_DRIFT
from talebearer.store._canonical import decode
from talebearer.store._open import open_database
from talebearer.store.retrieval import TextIndex, indexed_text, quoted
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._indexing import catch_up
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep._progress import Progress
from talebearer.store.upkeep.fsck._findings import Findings, entity_name

REPORT_EVERY = 2_000
REPORT_LISTS_EVERY = 100
ROWS_AT_ONCE = 4_000_000
"""So many rows have their sums in memory; a larger table is looked at in several turns."""
TRIGRAM_CHARS = 3
_STATE = """
SELECT (SELECT indexed_row FROM patchouli_entity_fts_state),
    (SELECT coalesce(max(row_id), 0) FROM patchouli_entity_version),
    (SELECT count(*) FROM patchouli_entity_head)
"""
_HEADS = """
SELECT v.row_id, v.entity_type, v.entity_id, v.version, v.value_json, d.id, d.sz
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
LEFT JOIN patchouli_entity_fts_docsize AS d ON d.id = v.row_id
WHERE v.state = 'active' AND v.row_id > ? AND v.row_id <= ?
"""
_TERMS = "SELECT term FROM patchouli_entity_fts_terms"
_LIST = """
SELECT rowid FROM patchouli_entity_fts
WHERE patchouli_entity_fts MATCH ? AND rowid > ? AND rowid <= ?
"""
_NOWHERE = """
SELECT d.id FROM patchouli_entity_fts_docsize AS d
LEFT JOIN patchouli_entity_version AS v ON v.row_id = d.id
WHERE v.row_id IS NULL OR d.id > ?
"""


def check_index(reading: Reading, findings: Findings) -> None:
    """Compare what is indexed with the heads; what is not indexed yet is no fault."""
    with findings.stage("text index"):
        ((indexed, last, total),) = reading.rows(_STATE)
        if indexed > last:
            message = f"says that row {indexed} is indexed; the last row is {last}"
            findings.add(INDEX_DRIFT, message, row="patchouli_entity_fts_state")
        for start in range(0, indexed, ROWS_AT_ONCE):
            _check_heads(reading, findings, start, min(start + ROWS_AT_ONCE, indexed), total)
        for (entry,) in reading.each(_NOWHERE, (indexed,)):
            message = f"has an entry for row {entry}, which is not there or not indexed yet"
            findings.add(INDEX_DRIFT, message, row="patchouli_entity_fts")


def rebuild_index(place: Place, told: Progress) -> int:
    """Build the text index again and return how many rows it covers.

    Raises:
        StoreLocked: A writer has the store (TB203).
        StoreFull: There is no space (TB206).
    """
    opened = open_database(place.database, read_only=False)
    try:
        index = TextIndex(opened.database)
        with opened.database.writing():
            index.rebuild()
        return catch_up(opened.database, told)
    finally:
        opened.database.close()
        if opened.lock is not None:
            opened.lock.release()


def _check_heads(reading: Reading, findings: Findings, start: int, end: int, total: int) -> None:
    """Compare the heads among the rows after *start* up to *end* with what is indexed of them."""
    sums = _sums(reading, findings, start, end)
    for done, row in enumerate(reading.each(_HEADS, (start, end))):
        row_id, entity_type, entity_id, version, value_json, entry, size = row
        if done % REPORT_EVERY == 0:
            findings.report("text index", done, total)
        indexed_sum = None if sums is None else sums[row_id - start]
        fault = _fault(str(value_json), entry, size, indexed_sum)
        if fault:
            findings.add(INDEX_DRIFT, fault, row=entity_name(entity_type, entity_id, version))


def _sums(reading: Reading, findings: Findings, start: int, end: int) -> array[int] | None:
    """Return for each row after *start* the sum of the trigrams that the index has for it.

    None where its lists are damaged, which is a finding.
    """
    sums = array("q", bytes(8 * (end - start + 1)))
    try:
        for done, (term,) in enumerate(reading.each(_TERMS)):
            if done % REPORT_LISTS_EVERY == 0:
                findings.report("lists of the text index", done, 0)
            one, question = hash(term), quoted(str(term))
            for (row_id,) in reading.each(_LIST, (question, start, end)):
                sums[row_id - start] ^= one
    except StoreCorrupt as error:
        message = f"its lists cannot be read: {error.message}"
        findings.add(INDEX_DRIFT, message, row="patchouli_entity_fts")
        return None
    return sums


def _fault(value_json: str, entry: int | None, size: bytes | None, indexed_sum: int | None) -> str:
    if entry is None or size is None:
        return "is not in the text index"
    try:
        text = indexed_text(decode(value_json))
    except ValueError:
        return ""  # the check of the values has named it
    wanted = max(len(text) - TRIGRAM_CHARS + 1, 0)
    found = _varint(size)
    if found != wanted:
        return f"was given to the text index with {found} trigrams, not {wanted}"
    if indexed_sum is None:
        return ""
    for trigram in {text[at : at + TRIGRAM_CHARS] for at in range(wanted)}:
        indexed_sum ^= hash(trigram)
    return "has other text in the text index than in its value" if indexed_sum else ""


def _varint(data: bytes) -> int:
    """Return a number as SQLite's full text search stores it: seven bits a byte, highest first."""
    value = 0
    for byte in data:
        value = (value << 7) | (byte & 0x7F)
    return value
