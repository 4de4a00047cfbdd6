"""What the tools take and give, as JSON Schema; nothing beyond it is accepted."""

from __future__ import annotations

from typing import Any

IDS_MAX = 100
RETRIEVED_MAX = 100
LISTED_MAX = 100
TEXT_CHARS_MAX = 1_000_000
NAME_CHARS_MAX = 1_000

NAME = {"type": "string", "minLength": 1, "maxLength": NAME_CHARS_MAX}
TYPE = {**NAME, "description": "The record type, such as knowledge."}
ID = {**NAME, "description": "The entity's id."}
VERSIONS = {
    "type": "array",
    "items": NAME,
    "minItems": 1,
    "maxItems": 1_000,
    "uniqueItems": True,
    "description": "The versions that the change is based on, as a read gave them.",
}
TEXT = {
    "type": "string",
    "minLength": 1,
    "maxLength": TEXT_CHARS_MAX,
    "description": "For knowledge: what is known, in plain words; the rest of the record is made.",
}
VALUE = {"description": "The whole record value, for any type; instead of text."}
NAMES = {"type": "array", "items": NAME, "minItems": 1, "maxItems": IDS_MAX, "uniqueItems": True}
CURSOR = {"type": "string", "minLength": 1, "maxLength": 10_000}


def closed(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an object with exactly these members."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": sorted(required),
        "additionalProperties": False,
    }


def limit(most: int, default: int) -> dict[str, Any]:
    """Return the schema of a limit."""
    return {"type": "integer", "minimum": 1, "maximum": most, "default": default}


VARIANT = closed(
    {"version": {"type": "string"}, "state": {"enum": ["active", "deleted"]}}, {"value": {}}
)
ENTITY = closed(
    {
        "type": {"type": "string"},
        "id": {"type": "string"},
        "version": {"type": "string"},
        "state": {"enum": ["active", "deleted"]},
    },
    {"value": {}},
)
CHANGE = closed(
    {
        "cursor": {"type": "string"},
        "type": {"type": "string"},
        "id": {"type": "string"},
        "kind": {"enum": ["created", "updated", "deleted", "conflicted", "resolved"]},
        "head_versions": {"type": "array", "items": {"type": "string"}},
    }
)
PAST = closed(
    {
        "cursor": {"type": "string"},
        "kind": {"type": "string"},
        "version": {"type": "string"},
        "head": {"type": "boolean"},
    },
    {
        "state": {"enum": ["active", "deleted"]},
        "recorded_at": {"type": "string"},
        "value": {},
    },
)
ERROR = closed(
    {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "hint": {"type": "string"},
    },
    {
        "reason": {"type": "string"},
        "current_versions": {"type": "array"},
        "problems": {"type": "array"},
    },
)
