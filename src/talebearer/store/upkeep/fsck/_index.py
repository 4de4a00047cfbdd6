"""The text index against the versions that it is derived from, and building it again.

The index keeps no texts, only which row holds which three characters, and for each row how many it
was given. So a head is compared by that number, which differs as soon as the text is another one of
another length; that the index is whole in itself, SQLite has looked at with the pages.
"""

from __future__ import annotations

from talebearer.errors.findings_store import INDEX_DRIFT
from talebearer.store._canonical import decode
from talebearer.store._open import open_database
from talebearer.store.retrieval import TextIndex, indexed_text
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep._place import Place
from talebearer.store.upkeep._progress import Progress
from talebearer.store.upkeep.fsck._findings import Findings, entity_name

REPORT_EVERY = 2_000
ROWS_A_COMMIT = 2_000
TRIGRAM_CHARS = 3
_STATE = """
SELECT (SELECT indexed_row FROM patchouli_entity_fts_state),
    (SELECT coalesce(max(row_id), 0) FROM patchouli_entity_version),
    (SELECT count(*) FROM patchouli_entity_head)
"""
_HEADS = """
SELECT v.entity_type, v.entity_id, v.version, v.value_json, d.id, d.sz
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
LEFT JOIN patchouli_entity_fts_docsize AS d ON d.id = v.row_id
WHERE v.state = 'active' AND v.row_id <= ?
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
        for done, row in enumerate(reading.each(_HEADS, (indexed,))):
            entity_type, entity_id, version, value_json, entry, size = row
            if done % REPORT_EVERY == 0:
                findings.report("text index", done, total)
            fault = _fault(value_json, entry, size)
            if fault:
                findings.add(INDEX_DRIFT, fault, row=entity_name(entity_type, entity_id, version))
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
        done = 0
        while True:
            with opened.database.writing():
                count = index.keep_up(rows_max=ROWS_A_COMMIT)
            if not count:
                return done
            done += count
            told("building the text index", done, 0)
    finally:
        opened.database.close()
        if opened.lock is not None:
            opened.lock.release()


def _fault(value_json: str, entry: int | None, size: bytes | None) -> str:
    if entry is None or size is None:
        return "is not in the text index"
    try:
        text = indexed_text(decode(value_json))
    except ValueError:
        return ""  # the check of the values has named it
    wanted = max(len(text) - TRIGRAM_CHARS + 1, 0)
    found = _varint(size)
    return (
        ""
        if found == wanted
        else f"was given to the text index with {found} trigrams, not {wanted}"
    )


def _varint(data: bytes) -> int:
    """Return a number as SQLite's full text search stores it: seven bits a byte, highest first."""
    value = 0
    for byte in data:
        value = (value << 7) | (byte & 0x7F)
    return value
