"""The plain model's search: every entity in view is looked at."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from talebearer.testing.model._parts import Version, invalid, is_text, resolve, text_of

_ORDERS = ("relevance", "newest", "oldest", "id_asc", "id_desc")
_OPERATORS = ("$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$contains")


def parse_query(text: Any) -> dict[str, Any]:
    """Return the members of a query, checked."""
    try:
        query = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        query = None
    if not isinstance(query, dict) or set(query) - {"text", "ids", "where", "order", "cursor"}:
        invalid("the query is not an object of its members")
    if "text" in query:
        if not isinstance(query["text"], str) or not query["text"].strip():
            invalid("the text is blank")
        query["text"] = query["text"].strip()
    if "ids" in query:
        _check_ids(query["ids"])
    _check_where(query.get("where", {}))
    query.setdefault("order", "relevance" if "text" in query else "newest")
    if query["order"] not in _ORDERS:
        invalid("not an order")
    if query["order"] == "relevance" and "text" not in query:
        invalid("relevance needs text")
    if "cursor" in query and not isinstance(query["cursor"], str):
        invalid("the cursor is no text")
    return query


def search(
    entities: Sequence[Sequence[Version]],
    query: Mapping[str, Any],
    *,
    scope: str,
    types: Sequence[str],
    limit: int,
    expired_at_ms: int | None = None,
) -> tuple[list[dict[str, Any]], str | None]:
    """Return one page of hits among *entities*, and the cursor of the next.

    Source: the protocol sheet, section 5.10.
    """
    identity = {name: query.get(name) for name in ("text", "ids", "where", "order")}
    mark = hashlib.sha256(text_of([scope, sorted(types), identity]).encode()).hexdigest()
    rows = []
    for heads in entities:
        matching = [
            one
            for one in heads
            if one.state == "active"
            and _matches(one, query)
            and (expired_at_ms is None or not _expired(one.value, expired_at_ms))
        ]
        if matching:
            newest = max(one.recorded_ms for one in matching)
            rows.append((newest, heads[0].key[1], heads[0].key[2], heads))
    rows = _ordered(rows, query["order"])
    start = _start(query.get("cursor"), mark)
    page = rows[start : start + limit]
    score = 0.0 if "text" not in query else 1.0
    hits = [
        {"score": score, "variants": [one.wire() for one in sorted(heads, key=_by_version)]}
        for *_, heads in page
    ]
    more = start + limit < len(rows)
    return hits, json.dumps([mark, start + limit]) if more else None


def _ordered(rows: list[Any], order: str) -> list[Any]:
    by_name = sorted(rows, key=lambda row: (row[1], row[2]))
    if order in ("relevance", "newest"):
        return sorted(by_name, key=lambda row: -row[0])
    if order == "oldest":
        return sorted(by_name, key=lambda row: row[0])
    by_type = sorted(rows, key=lambda row: row[1])
    return sorted(by_type, key=lambda row: row[2], reverse=order == "id_desc")


def _start(cursor: str | None, mark: str) -> int:
    if cursor is None:
        return 0
    try:
        found, start = json.loads(cursor)
    except (ValueError, TypeError):
        invalid("not a cursor")
    if found != mark:
        invalid("a cursor of another query")
    return int(start)


def _matches(one: Version, query: Mapping[str, Any]) -> bool:
    if "ids" in query and one.key[2] not in query["ids"]:
        return False
    if "text" in query and not _says(one.value, query["text"].casefold()):
        return False
    return all(
        _holds(*resolve(one.value, pointer), predicate)
        for pointer, predicate in query.get("where", {}).items()
    )


def _says(value: Any, wanted: str) -> bool:
    """Return whether a text of *value*, other than a key, holds *wanted*, which is folded."""
    if isinstance(value, str):
        return wanted in value.casefold()
    parts = value.values() if isinstance(value, dict) else value
    return isinstance(value, (dict, list)) and any(_says(one, wanted) for one in parts)


def _expired(value: Any, now_ms: int) -> bool:
    _, text = resolve(value, "/metadata/core/lifecycle/expires_at")
    try:
        when = datetime.fromisoformat(str(text))
    except ValueError:
        return False
    return when.tzinfo is not None and when.timestamp() * 1000 <= now_ms


def _holds(present: bool, value: Any, predicate: Any) -> bool:
    if not present:
        return False
    operator, wanted = _operator(predicate)
    if operator == "$eq":
        return text_of(value) == text_of(wanted)
    if operator == "$ne":
        return text_of(value) != text_of(wanted)
    if operator == "$contains":
        if isinstance(value, list):
            return text_of(wanted) in [text_of(item) for item in value]
        return isinstance(value, str) and isinstance(wanted, str) and wanted in value
    if isinstance(value, str) and isinstance(wanted, str):
        left, right = value.encode(), wanted.encode()
        return _compare(operator, left, right)
    if _is_number(value) and _is_number(wanted):
        return _compare(operator, value, wanted)
    return False


def _compare(operator: str, left: Any, right: Any) -> bool:
    answers = {"$lt": left < right, "$lte": left <= right, "$gt": left > right}
    return bool({**answers, "$gte": left >= right}[operator])


def _operator(predicate: Any) -> tuple[str, Any]:
    if isinstance(predicate, dict) and len(predicate) == 1:
        ((name, wanted),) = predicate.items()
        if name.startswith("$"):
            if name not in _OPERATORS:
                invalid("not an operator")
            return name, wanted
    return "$eq", predicate


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _by_version(one: Version) -> str:
    return one.version


def _check_ids(ids: Any) -> None:
    if not isinstance(ids, list) or not ids:
        invalid("ids are a list of at least one")
    if not all(is_text(one) and one.strip() for one in ids) or len(set(ids)) != len(ids):
        invalid("ids are distinct and not blank")


def _check_where(where: Any) -> None:
    if not isinstance(where, dict):
        invalid("where is an object")
    for pointer, predicate in where.items():
        if not pointer.startswith("/"):
            invalid("not a pointer")
        if any(part[:1] not in ("0", "1") for part in pointer.split("~")[1:]):
            invalid("not a pointer")
        _operator(predicate)
