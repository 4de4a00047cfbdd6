"""Checks of the database: its pages, its rows, and what they say of each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import apsw
import orjson

from talebearer.errors import StoreCorrupt, TalebearerError
from talebearer.errors.findings_store import (
    BROKEN_REFERENCE,
    DAMAGED_CHANGE,
    DAMAGED_PAGE,
    DAMAGED_VALUE,
    INDEX_DRIFT,
    WRONG_HEADS,
    WRONG_LOG,
    WRONG_UNIT,
)
from talebearer.store._canonical import canonical_text
from talebearer.store._engine import Row
from talebearer.store.upkeep._access import Reading
from talebearer.store.upkeep.fsck._findings import Findings, entity_name

PAGES_LISTED_MAX = 1_000
REPORT_EVERY = 2_000
_INDEX = "patchouli_entity_fts"


class Rule(NamedTuple):
    """A query that must find nothing.

    Attributes:
        code: The finding for each row that it finds.
        table: The table that is at fault.
        message: What is wrong.
        sql: Gives entity type and id (or null and a text), a version or cursor or null.
    """

    code: str
    table: str
    message: str
    sql: str


RULES = (
    Rule(
        BROKEN_REFERENCE,
        "patchouli_entity_crdt_head",
        "has a merge frontier that refers to nothing in patchouli_crdt_change",
        """SELECT h.entity_type, h.entity_id, 'version ' || h.version
        FROM patchouli_entity_crdt_head AS h
        LEFT JOIN patchouli_crdt_change AS c USING (change_hash)
        WHERE c.change_hash IS NULL""",
    ),
    Rule(
        BROKEN_REFERENCE,
        "patchouli_crdt_change_parent",
        "refers to nothing in patchouli_crdt_change",
        """SELECT NULL, 'change ' || p.change_hash, 'parent ' || p.parent_hash
        FROM patchouli_crdt_change_parent AS p
        LEFT JOIN patchouli_crdt_change AS c ON c.change_hash = p.parent_hash
        LEFT JOIN patchouli_crdt_change AS d ON d.change_hash = p.change_hash
        WHERE c.change_hash IS NULL OR d.change_hash IS NULL""",
    ),
    Rule(
        WRONG_HEADS,
        "patchouli_entity_head",
        "is a head, but no such version was published",
        """SELECT h.entity_type, h.entity_id, 'version ' || h.version FROM patchouli_entity_head AS h
        LEFT JOIN patchouli_entity_version AS o USING (scope_json, entity_type, entity_id, version)
        WHERE o.published_cursor IS NULL""",
    ),
    Rule(
        WRONG_HEADS,
        "patchouli_entity_head_history",
        "was a head once, but no such version was published",
        """SELECT h.entity_type, h.entity_id, 'version ' || j.value
        FROM patchouli_entity_head_history AS h
        JOIN json_each(h.head_versions_json) AS j
        LEFT JOIN patchouli_entity_version AS o
            ON o.scope_json = h.scope_json AND o.entity_type = h.entity_type
                AND o.entity_id = h.entity_id AND o.version = j.value
        WHERE o.published_cursor IS NULL""",
    ),
    Rule(
        WRONG_HEADS,
        "patchouli_entity_head",
        "has heads, but no change ever gave it any",
        """SELECT h.entity_type, h.entity_id, NULL FROM patchouli_entity_head AS h
        LEFT JOIN patchouli_entity_head_history AS o USING (scope_json, entity_type, entity_id)
        WHERE o.cursor IS NULL""",
    ),
    Rule(
        WRONG_LOG,
        "patchouli_entity_version",
        "was published by a change that the history of heads lacks",
        """SELECT v.entity_type, v.entity_id, 'version ' || v.version FROM patchouli_entity_version AS v
        LEFT JOIN patchouli_entity_head_history AS o
            ON o.scope_json = v.scope_json AND o.entity_type = v.entity_type
                AND o.entity_id = v.entity_id AND o.cursor = v.published_cursor
        WHERE v.published_cursor IS NOT NULL AND o.cursor IS NULL""",
    ),
    Rule(
        WRONG_LOG,
        "patchouli_change",
        "has other heads in the change log than in the history",
        """SELECT c.entity_type, c.entity_id, 'after change ' || c.cursor FROM patchouli_change AS c
        LEFT JOIN patchouli_entity_head_history AS o
            USING (scope_json, entity_type, entity_id, cursor)
        WHERE o.head_versions_json IS NOT c.head_versions_json""",
    ),
    Rule(
        WRONG_LOG,
        "patchouli_change",
        "has a causal token that leads to another change",
        """SELECT c.entity_type, c.entity_id, 'at change ' || c.cursor FROM patchouli_change AS c
        LEFT JOIN patchouli_causal_frontier AS o USING (causal_token)
        WHERE o.cursor IS NOT c.cursor OR o.scope_json IS NOT c.scope_json""",
    ),
    Rule(
        WRONG_LOG,
        "patchouli_scope_frontier",
        "is a scope whose frontier is behind its changes, or missing",
        """SELECT NULL, h.scope_json, 'at change ' || h.latest FROM (
            SELECT scope_json, max(cursor) AS latest FROM patchouli_entity_head_history
            GROUP BY scope_json) AS h
        LEFT JOIN patchouli_scope_frontier AS f USING (scope_json)
        WHERE coalesce(f.cursor, 0) < h.latest""",
    ),
    Rule(
        DAMAGED_CHANGE,
        "patchouli_entity_crdt_head",
        "rests on a merge change that is missing",
        """SELECT h.entity_type, h.entity_id,
            'version ' || h.version || ' at ' || h.field_path || ', change ' || h.change_hash
        FROM patchouli_entity_crdt_head AS h
        LEFT JOIN patchouli_crdt_change AS o USING (change_hash)
        WHERE o.change_hash IS NULL""",
    ),
    Rule(
        WRONG_UNIT,
        "patchouli_entity_version",
        "is staged in a unit that is over",
        """SELECT v.entity_type, v.entity_id, 'version ' || v.version FROM patchouli_entity_version AS v
        JOIN patchouli_work_unit AS u ON u.identity_json = v.work_unit_json
        WHERE v.published_cursor IS NULL AND u.state IN ('committed', 'expired')""",
    ),
    Rule(
        WRONG_UNIT,
        "patchouli_work_unit_head",
        "is a staged head, but no such version is there",
        """SELECT h.entity_type, h.entity_id, 'version ' || h.version FROM patchouli_work_unit_head AS h
        LEFT JOIN patchouli_entity_version AS o USING (scope_json, entity_type, entity_id, version)
        WHERE o.version IS NULL""",
    ),
)
_KEYS = """
SELECT scope_json, entity_type, entity_id, version, row_id FROM patchouli_entity_version
ORDER BY scope_json, entity_type, entity_id, version
"""
_ROW = "SELECT state, value_json FROM patchouli_entity_version WHERE row_id = ?"
_LAST_HEADS = """
SELECT h.entity_type, h.entity_id, max(h.cursor), h.head_versions_json, (
    SELECT json_group_array(version) FROM (
        SELECT version FROM patchouli_entity_head AS o
        WHERE o.scope_json = h.scope_json AND o.entity_type = h.entity_type
            AND o.entity_id = h.entity_id
        ORDER BY version))
FROM patchouli_entity_head_history AS h
GROUP BY h.scope_json, h.entity_type, h.entity_id
"""
_COUNT = "SELECT count(*) FROM patchouli_entity_version"
_SEQUENCE = """
SELECT
    (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'patchouli_change'),
    (SELECT coalesce(max(cursor), 0) FROM patchouli_scope_frontier)
"""


def check_pages(reading: Reading, findings: Findings) -> None:
    """Let SQLite look at every page, tree and index, and at what refers to what."""
    with findings.stage("pages"):
        try:
            for (text,) in reading.each(f"PRAGMA integrity_check({PAGES_LISTED_MAX})"):
                if text != "ok":
                    derived = _INDEX in str(text)
                    findings.add(INDEX_DRIFT if derived else DAMAGED_PAGE, str(text))
        except StoreCorrupt as error:
            findings.add(DAMAGED_PAGE, str(error))
    with findings.stage("references"):
        for table, row_id, parent, _ in reading.each("PRAGMA foreign_key_check"):
            row = f"{table}[{row_id}]" if row_id is not None else str(table)
            findings.add(BROKEN_REFERENCE, f"a row refers to nothing in {parent}", row=row)


def check_values(reading: Reading, findings: Findings) -> None:
    """Read every version by its key, so that what a damaged page hides is named.

    The keys come from the index and the values from the table: a page of the one that is gone does
    not take the other along.
    """
    with findings.stage("values"):
        total = int(reading.value(_COUNT))
        for done, (_, entity_type, entity_id, version, row_id) in enumerate(reading.each(_KEYS)):
            name = entity_name(entity_type, entity_id, version)
            try:
                found = reading.connection.execute(_ROW, (row_id,)).fetchall()
            except apsw.Error as error:
                findings.add(DAMAGED_PAGE, f"cannot be read: {error}", row=name)
                continue
            fault = _value_fault(found)
            if fault:
                findings.add(DAMAGED_VALUE, fault, row=name)
            if done % REPORT_EVERY == 0:
                findings.report("values", done, total)


def _value_fault(found: list[Row]) -> str:
    if not found:
        return "is in the index and not in the table"
    ((state, value_json),) = found
    if (state == "active") != (value_json is not None):
        return f"is {state} and has {'a' if value_json is not None else 'no'} value"
    if value_json is None:
        return ""
    try:
        if canonical_text(orjson.loads(value_json)) != value_json:
            return "is not in canonical form"
    except (ValueError, TalebearerError) as error:
        return f"has a value that cannot be read: {error}"
    return ""


def check_heads_and_log(reading: Reading, findings: Findings) -> None:
    """Compare heads, history, log, frontiers and work units with each other."""
    with findings.stage("heads"):
        for name, message in _wrong_heads(reading):
            findings.add(WRONG_HEADS, message, row=name)
    for rule in RULES:
        with findings.stage(rule.table):
            for entity_type, entity_id, detail in reading.each(rule.sql):
                name = str(entity_id)
                if entity_type is not None:
                    name = entity_name(entity_type, entity_id)
                name = f"{name} {detail}" if detail is not None else name
                findings.add(rule.code, rule.message, row=name)
    with findings.stage("sequence"):
        ((sequence, frontier),) = reading.rows(_SEQUENCE)
        if sequence < frontier:
            message = f"the next cursor would be {sequence + 1}, but {frontier} was given already"
            findings.add(WRONG_LOG, message, row="sqlite_sequence")


def _wrong_heads(reading: Reading) -> Iterator[tuple[str, str]]:
    for entity_type, entity_id, cursor, then, now in reading.each(_LAST_HEADS):
        if then != now:
            name = entity_name(entity_type, entity_id)
            yield name, f"has the heads {now}, but change {cursor} left {then}"
