"""Whether a value is what a query looks for, and how well.

Text is looked for in the strings of a value, each on its own, without regard to case; keys and
punctuation of the stored JSON are not text. Equality is exact in types.

Source: the protocol sheet, section 5.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from talebearer.store._canonical import canonical_text
from talebearer.store.policy import ABSENT, resolve
from talebearer.store.retrieval._query import Predicate, Query

INDEXED_CHARS = 3
"""Texts of at least this many characters are ranked."""
SHORT_SCORE = 1.0
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_LENGTH_TYPICAL = 1_000
_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75


def fold(text: str) -> str:
    """Return *text* without regard to case."""
    return text.casefold()


def may_hold(query: Query, text: str) -> bool:
    """Return whether the canonical *text* of a value may match, without decoding it.

    What JSON escapes has another form there, so that such texts are not told apart.
    """
    if query.text is None or not query.text.isprintable() or _ESCAPED.search(query.text):
        return True
    return fold(query.text) in fold(text)


def needed_texts(query: Query) -> list[str]:
    """Return texts that the index can be asked for: every match has all of them in its strings.

    That is the text that is looked for, or those of the conditions that it has trigrams of.
    """
    if query.text is not None:
        return [query.text]
    wanted = [one.wanted for one in query.where if one.operator in ("$eq", "$contains")]
    return [text for text in strings(wanted) if len(fold(text)) >= INDEXED_CHARS]


def strings(value: Any) -> Iterator[str]:
    """Yield every string of *value*, not the keys."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            todo.extend(one.values())
        elif isinstance(one, list):
            todo.extend(one)


def score(query: Query, value: Any) -> float | None:
    """Return how well *value* matches, None when it does not."""
    if not all(_holds(predicate, value) for predicate in query.where):
        return None
    if query.text is None:
        return 0.0
    wanted = fold(query.text)
    count = length = 0
    for text in strings(value):
        folded = fold(text)
        count += folded.count(wanted)
        length += len(folded)
    if not count:
        return None
    return SHORT_SCORE if len(query.text) < INDEXED_CHARS else _rank(count, length)


def expired(value: Any, *, now_ms: int) -> bool:
    """Return whether ``metadata.core.lifecycle.expires_at`` of *value* is reached.

    Any text is allowed there; what is no time never is.
    """
    text = resolve(value, ("metadata", "core", "lifecycle", "expires_at"))
    if not isinstance(text, str):
        return False
    try:
        when = datetime.fromisoformat(text)
        return when.tzinfo is not None and when.timestamp() * 1_000 <= now_ms
    except (ValueError, OverflowError):
        return False


def _rank(count: int, length: int) -> float:
    """Return a score after BM25 with one term; the corpus plays no part, so that pages agree."""
    norm = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * length / _LENGTH_TYPICAL
    return count * (_SATURATION + 1) / (count + _SATURATION * norm)


def _holds(predicate: Predicate, value: Any) -> bool:
    found = resolve(value, predicate.path)
    if found is ABSENT:
        return False
    operator, wanted = predicate.operator, predicate.wanted
    if operator == "$eq":
        return canonical_text(found) == predicate.wanted_text
    if operator == "$ne":
        return canonical_text(found) != predicate.wanted_text
    if operator == "$contains":
        if isinstance(found, list):
            return any(canonical_text(one) == predicate.wanted_text for one in found)
        return isinstance(found, str) and isinstance(wanted, str) and wanted in found
    if isinstance(found, str) and isinstance(wanted, str):
        # Python orders texts by code point, which is the order of their UTF-8 bytes.
        return _compares(operator, found, wanted)
    if _is_number(found) and _is_number(wanted):
        return _compares(operator, found, wanted)
    return False


def _compares(operator: str, found: Any, wanted: Any) -> bool:
    if operator == "$lt":
        return bool(found < wanted)
    if operator == "$lte":
        return bool(found <= wanted)
    if operator == "$gt":
        return bool(found > wanted)
    return bool(found >= wanted)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
