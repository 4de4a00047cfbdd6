"""Hits in their order, and the cursor that a page ends with.

Source: the protocol sheet, sections 4.4 and 5.10.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson

from talebearer.store._canonical import canonical_text, problem, refuse
from talebearer.store._model import EntityRef


@dataclass(frozen=True, slots=True)
class Match:
    """An entity that matches.

    Attributes:
        ref: The entity.
        score: The best of its matching heads.
        recorded_ms: The latest of its matching heads.
        ranked: Whether the scores of its page tell records apart.
    """

    ref: EntityRef
    score: float
    recorded_ms: int
    ranked: bool = True


class Descending(str):
    """Text that sorts the other way round."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)

    def __gt__(self, other: str) -> bool:
        return str.__lt__(self, other)


def sort_key(match: Match, order: str) -> tuple[Any, ...]:
    """Return what *match* is sorted by; keys of one order compare with each other only."""
    ref = match.ref
    if order == "relevance":
        return (-match.score, -match.recorded_ms, ref.type, ref.id)
    if order == "newest":
        return (-match.recorded_ms, ref.type, ref.id)
    if order == "oldest":
        return (match.recorded_ms, ref.type, ref.id)
    return (ref.id if order == "id_asc" else Descending(ref.id), ref.type)


def fingerprint(scope_json: str, types: tuple[str, ...], identity_json: str) -> str:
    """Return what a cursor is bound to."""
    whole = canonical_text([scope_json, [*types], identity_json])
    return hashlib.sha256(whole.encode()).hexdigest()


def cursor_after(match: Match, order: str, mark: str) -> str:
    """Return the cursor of the page that *match* ends."""
    return canonical_text(
        {
            "order": order,
            "query": mark,
            "score": match.score,
            "recorded": match.recorded_ms,
            "ranked": match.ranked,
            "type": match.ref.type,
            "id": match.ref.id,
        }
    )


def read_cursor(cursor: str | None, order: str, mark: str) -> Match | None:
    """Return the match that *cursor* stands for.

    Raises:
        InvalidRecord: It is none, or is of another query (TB115).
    """
    if cursor is None:
        return None
    try:
        given = orjson.loads(cursor)
        known = given["query"] == mark and given["order"] == order
        ref = EntityRef(given["type"], given["id"])
        match = Match(ref, given["score"], given["recorded"], given["ranked"])
    except (ValueError, KeyError, TypeError):
        known, match = False, None
    if not known or match is None or not _is_whole(match):
        message = "the cursor is none of this query"
        found = problem(("query", "cursor"), message, hint="send the query as it was before")
        refuse([found], what="the query")
    return match


def _is_whole(match: Match) -> bool:
    texts = isinstance(match.ref.type, str) and isinstance(match.ref.id, str)
    numbers = type(match.score) in (int, float) and type(match.recorded_ms) is int
    return texts and numbers and type(match.ranked) is bool and abs(match.recorded_ms) < 2**62
