"""What an import does with each entity, decided before anything is written.

An entity that the store does not have is new. One whose heads the file knows, and goes on from, is
continued. One that has all the file's versions already stays as it is. Anything else is a conflict,
and the caller's choice decides it: two lines of history that know nothing of each other.
"""

from __future__ import annotations

from enum import StrEnum

from talebearer.errors.findings_store import IMPORT_CONFLICT
from talebearer.store._engine import Database
from talebearer.store.upkeep.transfer._lines import Found


class OnConflict(StrEnum):
    """What an import does with an entity that both sides changed.

    ``fail`` imports nothing; ``skip`` leaves the store's; ``replace`` makes the file's heads the
    heads; ``keep-both`` leaves the heads of both side by side, a conflict for a reader to resolve.
    """

    FAIL = "fail"
    SKIP = "skip"
    REPLACE = "replace"
    KEEP_BOTH = "keep-both"


_PLAN = """
INSERT INTO incoming_plan (scope_json, entity_type, entity_id, plan)
SELECT e.scope_json, e.entity_type, e.entity_id, CASE
    WHEN NOT EXISTS (
        SELECT 1 FROM patchouli_entity_head AS h WHERE h.scope_json = e.scope_json
            AND h.entity_type = e.entity_type AND h.entity_id = e.entity_id) THEN 'new'
    WHEN NOT EXISTS (
        SELECT 1 FROM incoming_version AS i WHERE i.scope_json = e.scope_json
            AND i.entity_type = e.entity_type AND i.entity_id = e.entity_id AND NOT EXISTS (
                SELECT 1 FROM patchouli_entity_version AS v WHERE v.scope_json = i.scope_json
                    AND v.entity_type = i.entity_type AND v.entity_id = i.entity_id
                    AND v.version = i.version AND v.published_cursor IS NOT NULL)) THEN 'same'
    WHEN NOT EXISTS (
        SELECT 1 FROM patchouli_entity_head AS h WHERE h.scope_json = e.scope_json
            AND h.entity_type = e.entity_type AND h.entity_id = e.entity_id AND NOT EXISTS (
                SELECT 1 FROM incoming_version AS i WHERE i.scope_json = h.scope_json
                    AND i.entity_type = h.entity_type AND i.entity_id = h.entity_id
                    AND i.version = h.version)) THEN 'continue'
    ELSE ?1 END
FROM (SELECT DISTINCT scope_json, entity_type, entity_id FROM incoming_version) AS e
"""
_CHANGED = """
SELECT i.line, i.entity_type, i.entity_id, i.version
FROM incoming_version AS i
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE v.value_json IS NOT i.value_json OR v.published_cursor IS NULL
ORDER BY i.line
"""
_CONFLICTS = """
SELECT (SELECT min(line) FROM incoming_version AS i WHERE i.scope_json = p.scope_json
        AND i.entity_type = p.entity_type AND i.entity_id = p.entity_id) AS line,
    p.entity_type, p.entity_id,
    (SELECT group_concat(version, ', ') FROM patchouli_entity_head AS h
        WHERE h.scope_json = p.scope_json AND h.entity_type = p.entity_type
            AND h.entity_id = p.entity_id)
FROM incoming_plan AS p WHERE p.plan = 'fail' ORDER BY line
"""
_COUNTS = "SELECT plan, count(*) FROM incoming_plan GROUP BY plan ORDER BY plan"


def make_plan(database: Database, choice: OnConflict, found: Found) -> dict[str, int]:
    """Decide for each entity of the file, and return how many there are of each decision."""
    for line, entity_type, entity_id, version in database.each(_CHANGED):
        message = (
            f"version {version!r} of {entity_type} {entity_id!r} has another value in the store"
        )
        found.add(IMPORT_CONFLICT, message, line=line, hint="one of the two was tampered with")
    database.run(_PLAN, (choice.value,))
    for line, entity_type, entity_id, heads in database.each(_CONFLICTS):
        message = f"{entity_type} {entity_id!r} is in the store already, at {heads}"
        hint = "choose with --on-conflict: skip, replace or keep-both"
        found.add(IMPORT_CONFLICT, message, line=line, hint=hint)
    return dict(database.rows(_COUNTS))
