"""Small valid records, ids and clocks for tests."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from talebearer.store import artifact_metadata, knowledge_value, moment, relation_value

SAMPLE_NOW_MS = 1_700_000_000_000
SAMPLE_ABOUT: dict[str, str] = {
    "now": moment(SAMPLE_NOW_MS),
    "workspace": "tolling-bell",
    "actor": "test",
}


def counting_ids(prefix: str = "v") -> Callable[[], str]:
    """Return a source of ids that count up; their text order is their order of making."""
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers):08}"


def stepping_clock(start_ms: int = SAMPLE_NOW_MS) -> Callable[[], int]:
    """Return a clock that gains one millisecond each time it is read."""
    moments = count(start_ms)
    return lambda: next(moments)


def sample_meta(workspace: str = "w", user: str = "u", **fields: Any) -> dict[str, Any]:
    """Return request metadata with a scope."""
    return {"workspace_id": workspace, "user_id": user, **fields}


def sample_knowledge(text: str = "the bell was recast") -> dict[str, Any]:
    """Return a valid knowledge value with text content."""
    return knowledge_value(text, **SAMPLE_ABOUT)  # type: ignore[arg-type]  # a checked subset


def sample_structured(value: Any) -> dict[str, Any]:
    """Return a valid knowledge value with structured content."""
    content = {"kind": "structured", "value": value}
    return knowledge_value(content, **SAMPLE_ABOUT)  # type: ignore[arg-type]  # a checked subset


def sample_relation(from_id: str, to_id: str, relation: str = "derived_from") -> dict[str, Any]:
    """Return a valid relation from one knowledge record to another."""
    return relation_value(
        relation,
        [from_id],
        [to_id],
        **SAMPLE_ABOUT,  # type: ignore[arg-type]  # a checked subset
    )


def sample_artifact_metadata() -> dict[str, Any]:
    """Return valid artifact metadata."""
    return artifact_metadata(**SAMPLE_ABOUT)  # type: ignore[arg-type]  # a checked subset
