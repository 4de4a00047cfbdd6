"""What a database holds, in numbers that a backup and its restored copy must agree on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from talebearer.store._canonical import canonical_text
from talebearer.store.upkeep._access import Reading

_TABLES = """
SELECT name FROM sqlite_schema
WHERE type = 'table' AND name LIKE 'patchouli\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'
    AND name NOT LIKE 'patchouli\\_entity\\_fts%' ESCAPE '\\'
ORDER BY name
"""
_HEADS = """
SELECT scope_json, entity_type, entity_id, version FROM patchouli_entity_head
ORDER BY scope_json, entity_type, entity_id, version
"""
_SCOPES = "SELECT scope_json, cursor FROM patchouli_scope_frontier ORDER BY scope_json"
_SEQUENCE = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'patchouli_change'"


def facts_of(reading: Reading, *, told: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return the row count of each table, count and digest of all heads, and the feed's cursors."""
    counts = {}
    for (table,) in reading.rows(_TABLES):
        told()
        counts[table] = reading.value(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - a schema's own name
    hasher, heads = hashlib.sha256(), 0
    for row in reading.each(_HEADS):
        hasher.update(canonical_text(list(row)).encode() + b"\n")
        heads += 1
    return {
        "counts": counts,
        "heads": {"count": heads, "digest": f"sha256:{hasher.hexdigest()}"},
        "feed": {
            "cursor": str(reading.value(_SEQUENCE)),
            "scopes": [
                {"scope_json": scope_json, "cursor": str(cursor)}
                for scope_json, cursor in reading.each(_SCOPES)
            ],
        },
    }
