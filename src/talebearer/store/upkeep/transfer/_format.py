"""The form of an export: JSON Lines, each line canonical, the same store giving the same bytes.

A first line says what the file is. Then come merge changes, by hash; transitions, which are changes
of an entity's heads with the versions that they published; the bytes of artifacts, by digest, in
pieces; and a last line with the digest of all before it, so that a file that was cut off is known.

Cursors are no part of it: they are of one store. Order says what came after what.
"""

from __future__ import annotations

from typing import Any

EXPORT_FORMAT = "talebearer.export"
EXPORT_VERSION = 1
PIECE_BYTES = 384 * 1024
LINE_BYTES_MAX = 256 * 1024 * 1024

_TEXT = {"type": "string", "minLength": 1}
_HASH = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_DIGEST = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_COUNT = {"type": "integer", "minimum": 0}
_NAMES = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}


def _closed(line: str, required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    members = {"line": {"const": line}, **required}
    return {
        "type": "object",
        "properties": {**members, **optional},
        "required": sorted(members),
        "additionalProperties": False,
    }


_MERGE = {
    "type": "object",
    "propertyNames": {"pattern": "^/."},
    "additionalProperties": {"type": "array", "items": _HASH, "minItems": 1, "uniqueItems": True},
}
_VERSION = {
    "type": "object",
    "properties": {
        "version": _TEXT,
        "state": {"enum": ["active", "deleted"]},
        "value": True,
        "recorded_at_unix_ms": {"type": "integer"},
        "merge": _MERGE,
    },
    "required": ["version", "state", "recorded_at_unix_ms"],
    "additionalProperties": False,
    "if": {"properties": {"state": {"const": "active"}}},
    "then": {"required": ["value"]},
    "else": {"not": {"required": ["value"]}},
}
LINES: dict[str, dict[str, Any]] = {
    "header": _closed(
        "header",
        {
            "format": {"const": EXPORT_FORMAT},
            "version": {"const": EXPORT_VERSION},
            "schema_version": {"type": "integer"},
            "content": {"enum": ["history", "heads"]},
        },
        {},
    ),
    "merge_change": _closed("merge_change", {"hash": _HASH, "base64": {"type": "string"}}, {}),
    "transition": _closed(
        "transition",
        {
            "scope": {"type": "object"},
            "type": _TEXT,
            "id": _TEXT,
            "heads": _NAMES,
            "versions": {"type": "array", "items": _VERSION, "minItems": 1},
        },
        {"meta": {"type": "object"}},
    ),
    "bytes": _closed(
        "bytes", {"digest": _DIGEST, "offset": _COUNT, "base64": {"type": "string"}}, {}
    ),
    "end": _closed("end", {"lines": _COUNT, "digest": _DIGEST}, {}),
}
"""The JSON Schema of each kind of line."""
