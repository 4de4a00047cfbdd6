"""The first reading of an import: what is in the file, noted in temporary tables beside the store.

Everything that can be wrong with the file by itself, or against the policy, is found here.
"""

from __future__ import annotations

import hashlib
from typing import Any

from talebearer.errors import InvalidRecord
from talebearer.errors.findings_store import IMPORT_LACKS, IMPORT_LINE
from talebearer.store._canonical import canonical_text
from talebearer.store._engine import Database
from talebearer.store._records import RecordSchemas
from talebearer.store.policy import Policy
from talebearer.store.upkeep.fsck import DamagedChange, read_change
from talebearer.store.upkeep.transfer._lines import Found, Line, decode_base64

_TABLES = """
PRAGMA temp_store = FILE;
CREATE TEMP TABLE incoming_version (
    scope_json TEXT, entity_type TEXT, entity_id TEXT, version TEXT, value_json TEXT, line INTEGER,
    PRIMARY KEY (scope_json, entity_type, entity_id, version)) WITHOUT ROWID;
CREATE TEMP TABLE incoming_head (
    scope_json TEXT, entity_type TEXT, entity_id TEXT, version TEXT, line INTEGER,
    PRIMARY KEY (scope_json, entity_type, entity_id, version)) WITHOUT ROWID;
CREATE TEMP TABLE incoming_change (change_hash TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE incoming_need (kind TEXT, a TEXT, b TEXT, c TEXT, d TEXT, line INTEGER);
CREATE TEMP TABLE incoming_bytes (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE incoming_plan (
    scope_json TEXT, entity_type TEXT, entity_id TEXT, plan TEXT, begun INTEGER DEFAULT 0,
    PRIMARY KEY (scope_json, entity_type, entity_id)) WITHOUT ROWID;
"""
_VERSION = "INSERT INTO incoming_version VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_HEAD = "INSERT INTO incoming_head VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_NEED = "INSERT INTO incoming_need VALUES (?, ?, ?, ?, ?, ?)"


class Survey:
    """Looks at each line once and notes what the file has and what it needs.

    Attributes:
        whole_history: Whether the file has every version, and not the heads alone.
    """

    def __init__(self, database: Database, policy: Policy, found: Found) -> None:
        self._db = database
        self._scope_fields = sorted(policy.scope_by)
        self._types = sorted(policy.entity_types)
        self._schemas = RecordSchemas(
            {name: rule.value_schema for name, rule in policy.entity_types.items()}
        )
        self._found = found
        self.whole_history = False
        self._open_digest = ""
        self._hasher = hashlib.sha256()
        self._length = 0
        for statement in _TABLES.split(";\n"):
            if statement.strip():
                database.run(statement)

    def take(self, line: Line) -> None:
        """Look at one line."""
        kind = line.document["line"]
        if kind != "bytes":
            self.end_bytes(line.number)
        if kind == "header":
            self.whole_history = line.document["content"] == "history"
        elif kind == "transition":
            self._transition(line)
        elif kind == "merge_change":
            self._merge_change(line)
        elif kind == "bytes":
            self._bytes(line)

    def end_bytes(self, number: int) -> None:
        """Close the object whose pieces came last."""
        if not self._open_digest:
            return
        if f"sha256:{self._hasher.hexdigest()}" != self._open_digest:
            message = f"the pieces before do not make up {self._open_digest}"
            self._found.add(IMPORT_LINE, message, line=number)
        self._db.run("INSERT OR IGNORE INTO incoming_bytes VALUES (?)", (self._open_digest,))
        self._open_digest = ""

    def _transition(self, line: Line) -> None:
        document = line.document
        key = (canonical_text(document["scope"]), document["type"], document["id"])
        if sorted(document["scope"]) != self._scope_fields:
            message = f"the scope {key[0]} has not the fields {', '.join(self._scope_fields)}"
            self._found.add(IMPORT_LINE, message, line=line.number)
        if document["type"] not in self._types:
            message = f"{document['type']!r} is not a configured type"
            hint = f"allowed: {', '.join(self._types)}"
            self._found.add(IMPORT_LINE, message, line=line.number, hint=hint)
            return
        for version in document["versions"]:
            self._version(key, version, line.number)
        for head in document["heads"]:
            self._db.run(_NEED, ("version", *key, head, line.number))
        # The last transition of an entity decides; each one replaces what those before it said.
        self._db.run(
            "DELETE FROM incoming_head WHERE (scope_json, entity_type, entity_id) = (?, ?, ?)", key
        )
        for head in document["heads"]:
            self._db.run(_HEAD, (*key, head, line.number))

    def _version(self, key: tuple[str, str, str], version: dict[str, Any], number: int) -> None:
        name = version["version"]
        value_json = canonical_text(version["value"]) if "value" in version else None
        self._db.run(_VERSION, (*key, name, value_json, number))
        if not self._db.connection.changes():
            message = f"version {name!r} of {key[1]} {key[2]!r} comes twice"
            self._found.add(IMPORT_LINE, message, line=number)
        for hashes in version.get("merge", {}).values():
            for change_hash in hashes:
                self._db.run(_NEED, ("merge change", change_hash, None, None, None, number))
        if value_json is None:
            return
        try:
            self._schemas.check(key[1], version["value"])
        except InvalidRecord as error:
            for problem in error.data["problems"]:
                message = f"{problem['pointer']}: {problem['message']}"
                self._found.add(IMPORT_LINE, message, line=number)
            return
        self._needs(key, version["value"], number)

    def _needs(self, key: tuple[str, str, str], value: Any, number: int) -> None:
        if key[1] == "artifact" and value["placement"]["kind"] == "managed":
            placement = value["placement"]
            self._db.run(
                _NEED,
                ("bytes", value["digest"], placement["provider"], placement["key"], None, number),
            )
        if key[1] == "knowledge_relation":
            for end in (*value["from"], *value["to"]):
                self._db.run(_NEED, ("endpoint", key[0], end["type"], end["id"], None, number))

    def _merge_change(self, line: Line) -> None:
        change_hash = line.document["hash"]
        chunk = decode_base64(line.document["base64"])
        try:
            facts = read_change(chunk or b"")
        except DamagedChange as fault:
            self._found.add(IMPORT_LINE, f"merge change {change_hash}: {fault}", line=line.number)
            return
        if facts.hash != change_hash:
            message = f"merge change {change_hash} holds the bytes of {facts.hash}"
            self._found.add(IMPORT_LINE, message, line=line.number)
        self._db.run("INSERT OR IGNORE INTO incoming_change VALUES (?)", (change_hash,))
        for parent in facts.parents:
            self._db.run(_NEED, ("merge change", parent, None, None, None, line.number))

    def _bytes(self, line: Line) -> None:
        document = line.document
        piece = decode_base64(document["base64"])
        if document["digest"] != self._open_digest:
            self.end_bytes(line.number)
            self._open_digest, self._hasher, self._length = (
                document["digest"],
                hashlib.sha256(),
                0,
            )
        if piece is None or document["offset"] != self._length:
            message = f"the piece at {document['offset']} does not follow {self._length} bytes"
            self._found.add(IMPORT_LINE, message, line=line.number)
            return
        self._hasher.update(piece)
        self._length += len(piece)


LACKS = (
    (
        """SELECT line, d, b || ' ' || c || ' in ' || a FROM incoming_need AS n
        WHERE kind = 'version' AND NOT EXISTS (
            SELECT 1 FROM incoming_version AS i WHERE i.scope_json = n.a AND i.entity_type = n.b
                AND i.entity_id = n.c AND i.version = n.d)
        AND NOT EXISTS (
            SELECT 1 FROM patchouli_entity_version AS v WHERE v.scope_json = n.a
                AND v.entity_type = n.b AND v.entity_id = n.c AND v.version = n.d
                AND v.published_cursor IS NOT NULL)
        ORDER BY line""",
        "the head {0!r} of {1} is nowhere",
    ),
    (
        """SELECT line, a, NULL FROM incoming_need AS n WHERE kind = 'merge change'
        AND NOT EXISTS (SELECT 1 FROM incoming_change AS i WHERE i.change_hash = n.a)
        AND NOT EXISTS (SELECT 1 FROM patchouli_crdt_change AS v WHERE v.change_hash = n.a)
        ORDER BY line""",
        "the merge change {0} is nowhere",
    ),
    (
        """SELECT line, b || ' ' || c, a FROM incoming_need AS n WHERE kind = 'endpoint'
        AND NOT EXISTS (
            SELECT 1 FROM incoming_version AS i WHERE i.scope_json = n.a AND i.entity_type = n.b
                AND i.entity_id = n.c AND (i.value_json IS NOT NULL OR NOT ?1))
        AND NOT EXISTS (
            SELECT 1 FROM patchouli_entity_version AS v WHERE v.scope_json = n.a
                AND v.entity_type = n.b AND v.entity_id = n.c AND v.published_cursor IS NOT NULL
                AND (v.value_json IS NOT NULL OR NOT ?1))
        ORDER BY line""",
        "the endpoint {0} in {1} is nowhere, or was never more than a tombstone",
    ),
)
"""What is asked, and what is said of each row. An endpoint may have been deleted since, so that an
export of the heads alone may have no more of it than its tombstone."""


def find_lacks(database: Database, found: Found, *, whole_history: bool) -> None:
    """Report what the file needs and neither it nor the store has; bytes are looked for apart."""
    for sql, message in LACKS:
        bindings = (whole_history,) if "?1" in sql else ()
        for line, *parts in database.each(sql, bindings):
            found.add(IMPORT_LACKS, message.format(*parts), line=line)
