"""Tables and views of storage schema version 11.

Everything is STRICT. Three tables keep an integer row key: the version table, because values
inside a WITHOUT ROWID table take three times the room; the change log, whose key is its cursor;
and the one-row runtime state. Keys are compared byte by byte, which is code point order.

Merge changes are referred to by hash without foreign keys: a delete would have to look through
every frontier for each of them. What deletes changes knows what it deletes, and ``fsck`` checks.

Text is checked with ``<> ''`` and never with ``length()``, which stops at a NUL character.

Source: the protocol sheet, sections 4.2 and 4.3; the knowledge model, "SQLite entries".
"""

from __future__ import annotations

APPLICATION_ID = 0x54424C42
SCHEMA_VERSION = 11

_KEY = "scope_json, entity_type, entity_id"


def _is_object(column: str) -> str:
    """SQL that is 1 for the text of a JSON object, and never fails on other text."""
    return f"CASE json_valid({column}) WHEN 1 THEN json_type({column}) = 'object' ELSE 0 END"


_RUNTIME = """
CREATE TABLE patchouli_runtime_state (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    generation INTEGER NOT NULL CHECK (generation >= 0),
    running INTEGER NOT NULL CHECK (running IN (0, 1)),
    started_at_unix_ms INTEGER NOT NULL,
    clean_shutdown_at_unix_ms INTEGER
) STRICT;
"""

_WORK_UNITS = f"""
CREATE TABLE patchouli_work_unit (
    identity_json TEXT PRIMARY KEY,
    scope_json TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'closing', 'committed', 'expired')),
    policy_json TEXT NOT NULL,
    expiry_action TEXT NOT NULL CHECK (expiry_action = 'discard'),
    opened_at_unix_ms INTEGER NOT NULL,
    expires_at_unix_ms INTEGER NOT NULL CHECK (expires_at_unix_ms > opened_at_unix_ms),
    baseline_cursor INTEGER NOT NULL CHECK (baseline_cursor >= 0),
    closed_at_unix_ms INTEGER,
    CHECK ((closed_at_unix_ms IS NOT NULL) = (state IN ('committed', 'expired')))
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_work_unit_entity (
    work_unit_json TEXT NOT NULL REFERENCES patchouli_work_unit ON DELETE CASCADE,
    scope_json TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    conflict_policy_json TEXT,
    causal_token TEXT,
    event_meta_json TEXT,
    write_session_keys_json TEXT,
    close_marker INTEGER NOT NULL DEFAULT 0 CHECK (close_marker IN (0, 1)),
    PRIMARY KEY (work_unit_json, {_KEY})
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_work_unit_base_version (
    work_unit_json TEXT NOT NULL,
    scope_json TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    version TEXT NOT NULL,
    is_head INTEGER NOT NULL CHECK (is_head IN (0, 1)),
    PRIMARY KEY (work_unit_json, {_KEY}, version),
    FOREIGN KEY (work_unit_json, {_KEY})
        REFERENCES patchouli_work_unit_entity ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_work_unit_head (
    work_unit_json TEXT NOT NULL,
    scope_json TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY (work_unit_json, {_KEY}, version),
    FOREIGN KEY (work_unit_json, {_KEY})
        REFERENCES patchouli_work_unit_entity ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_work_unit_idempotency (
    identity_json TEXT PRIMARY KEY,
    work_unit_json TEXT NOT NULL REFERENCES patchouli_work_unit ON DELETE CASCADE,
    request_json TEXT NOT NULL,
    result_json TEXT NOT NULL,
    expires_at_unix_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

_VERSIONS = f"""
CREATE TABLE patchouli_entity_version (
    row_id INTEGER PRIMARY KEY,
    scope_json TEXT NOT NULL CHECK ({_is_object("scope_json")}),
    entity_type TEXT NOT NULL CHECK (entity_type <> ''),
    entity_id TEXT NOT NULL CHECK (entity_id <> ''),
    version TEXT NOT NULL CHECK (version <> ''),
    state TEXT NOT NULL CHECK (state IN ('active', 'deleted')),
    value_json TEXT,
    work_unit_json TEXT REFERENCES patchouli_work_unit ON DELETE CASCADE,
    published_cursor INTEGER CHECK (published_cursor >= 1),
    recorded_at_unix_ms INTEGER NOT NULL,
    UNIQUE ({_KEY}, version),
    CHECK (CASE state WHEN 'active' THEN json_valid(value_json) IS 1 ELSE value_json IS NULL END),
    CHECK ((published_cursor IS NULL) = (work_unit_json IS NOT NULL))
) STRICT;

CREATE INDEX patchouli_entity_version_staged ON patchouli_entity_version (work_unit_json)
WHERE work_unit_json IS NOT NULL;

CREATE INDEX patchouli_entity_version_recorded
ON patchouli_entity_version (scope_json, recorded_at_unix_ms DESC, entity_type, entity_id);

CREATE TABLE patchouli_entity_head (
    scope_json TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY ({_KEY}, version),
    FOREIGN KEY ({_KEY}, version)
        REFERENCES patchouli_entity_version ({_KEY}, version) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_entity_head_history (
    scope_json TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    cursor INTEGER NOT NULL CHECK (cursor >= 1),
    head_versions_json TEXT NOT NULL CHECK (json_array_length(head_versions_json) >= 1),
    PRIMARY KEY ({_KEY}, cursor)
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_crdt_change (
    change_hash TEXT PRIMARY KEY,
    change_bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_crdt_change_parent (
    change_hash TEXT NOT NULL,
    parent_hash TEXT NOT NULL,
    PRIMARY KEY (change_hash, parent_hash),
    CHECK (change_hash <> parent_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_entity_crdt_head (
    scope_json TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    version TEXT NOT NULL,
    field_path TEXT NOT NULL CHECK (field_path GLOB '/?*'),
    change_hash TEXT NOT NULL,
    PRIMARY KEY ({_KEY}, version, field_path, change_hash),
    FOREIGN KEY ({_KEY}, version)
        REFERENCES patchouli_entity_version ({_KEY}, version) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
"""

_CHANGES = f"""
CREATE TABLE patchouli_change (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_json TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    kind TEXT NOT NULL
        CHECK (kind IN ('created', 'updated', 'deleted', 'conflicted', 'resolved')),
    head_versions_json TEXT NOT NULL CHECK (json_array_length(head_versions_json) >= 1),
    causal_token TEXT NOT NULL UNIQUE,
    event_meta_json TEXT NOT NULL CHECK ({_is_object("event_meta_json")}),
    recorded_at_unix_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE patchouli_change_retention (
    scope_json TEXT PRIMARY KEY,
    pruned_through_cursor INTEGER NOT NULL CHECK (pruned_through_cursor > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_causal_frontier (
    causal_token TEXT PRIMARY KEY,
    scope_json TEXT NOT NULL,
    cursor INTEGER NOT NULL CHECK (cursor > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_scope_frontier (
    scope_json TEXT PRIMARY KEY,
    cursor INTEGER NOT NULL CHECK (cursor > 0),
    causal_token TEXT NOT NULL REFERENCES patchouli_causal_frontier
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_session_frontier (
    scope_json TEXT NOT NULL,
    session_key_json TEXT NOT NULL,
    read_cursor INTEGER NOT NULL CHECK (read_cursor >= 0),
    write_cursor INTEGER NOT NULL CHECK (write_cursor >= 0),
    PRIMARY KEY (scope_json, session_key_json)
) STRICT, WITHOUT ROWID;

CREATE TABLE patchouli_idempotency (
    identity_json TEXT PRIMARY KEY,
    request_json TEXT NOT NULL,
    result_json TEXT NOT NULL,
    expires_at_unix_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

_TEXT = """
CREATE VIRTUAL TABLE patchouli_entity_fts USING fts5 (
    strings, content = '', contentless_delete = 1, detail = none,
    tokenize = 'trigram case_sensitive 1'
);

CREATE VIRTUAL TABLE patchouli_entity_fts_terms USING fts5vocab (patchouli_entity_fts, row);

CREATE TABLE patchouli_entity_fts_state (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    indexed_row INTEGER NOT NULL CHECK (indexed_row >= 0)
) STRICT;

INSERT INTO patchouli_entity_fts_state VALUES (1, 0);
"""
"""Derived from the versions, and rebuildable: which of them hold which three characters."""

_ACTIVE_HEADS = """
FROM patchouli_entity_head AS h
JOIN patchouli_entity_version AS v USING (scope_json, entity_type, entity_id, version)
WHERE v.state = 'active' AND v.published_cursor IS NOT NULL AND h.entity_type =
"""

_VIEWS = f"""
CREATE VIEW patchouli_artifact AS SELECT
    h.scope_json AS scope_json,
    h.entity_id AS artifact_id,
    h.version AS version,
    CAST(json_extract(v.value_json, '$.media_type') AS TEXT) AS media_type,
    CAST(json_extract(v.value_json, '$.name') AS TEXT) AS name,
    CAST(json_extract(v.value_json, '$.byte_length') AS INTEGER) AS byte_length,
    CAST(json_extract(v.value_json, '$.digest') AS TEXT) AS digest,
    CAST(json_extract(v.value_json, '$.placement.kind') AS TEXT) AS placement_kind,
    CAST(json_extract(v.value_json, '$.placement') AS TEXT) AS placement_json,
    CAST(json_extract(v.value_json, '$.metadata') AS TEXT) AS metadata_json,
    v.recorded_at_unix_ms AS recorded_at_unix_ms
{_ACTIVE_HEADS} 'artifact';

CREATE VIEW patchouli_knowledge AS SELECT
    h.scope_json AS scope_json,
    h.entity_id AS knowledge_id,
    h.version AS version,
    CAST(json_extract(v.value_json, '$.content') AS TEXT) AS content_json,
    CAST(json_extract(v.value_json, '$.metadata') AS TEXT) AS metadata_json,
    CAST(json_extract(v.value_json, '$.artifact') AS TEXT) AS artifact_json,
    CAST(json_extract(v.value_json, '$.profile') AS TEXT) AS profile_json,
    v.recorded_at_unix_ms AS recorded_at_unix_ms
{_ACTIVE_HEADS} 'knowledge';

CREATE VIEW patchouli_knowledge_relation AS SELECT
    h.scope_json AS scope_json,
    h.entity_id AS relation_id,
    h.version AS version,
    CAST(json_extract(v.value_json, '$.type') AS TEXT) AS relation_type,
    CAST(json_extract(v.value_json, '$.from') AS TEXT) AS from_knowledge_refs_json,
    CAST(json_extract(v.value_json, '$.to') AS TEXT) AS to_knowledge_refs_json,
    CAST(json_extract(v.value_json, '$.metadata') AS TEXT) AS metadata_json,
    v.recorded_at_unix_ms AS recorded_at_unix_ms
{_ACTIVE_HEADS} 'knowledge_relation';
"""

CREATE_ALL = _RUNTIME + _WORK_UNITS + _VERSIONS + _CHANGES + _TEXT + _VIEWS
"""Every table and view, to be run once in an empty database."""
