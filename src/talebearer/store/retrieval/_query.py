"""The query of a retrieval: a JSON object in a string, read and checked.

Source: the protocol sheet, section 5.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

from talebearer.errors import InvalidRecord, Problem
from talebearer.store._canonical import (
    Path,
    canonical_text,
    clip,
    problem,
    refuse,
    text_problems,
)
from talebearer.store.policy import is_pointer, pointer_path

MEMBERS = ("cursor", "ids", "order", "text", "where")
ORDERS = ("id_asc", "id_desc", "newest", "oldest", "relevance")
OPERATORS = ("$contains", "$eq", "$gt", "$gte", "$lt", "$lte", "$ne")

IDS_MAX = 10_000
CONDITIONS_MAX = 256
"""Every condition may be looked at on every record of a scope."""

Finding = tuple[Path, Problem]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on one place of the value.

    Attributes:
        path: Where it is.
        operator: Such as ``$eq``.
        wanted: What it is compared with.
        wanted_text: Canonical text of *wanted*; equality is equality of texts.
    """

    path: Path
    operator: str
    wanted: Any
    wanted_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for.

    Attributes:
        text: What some string of the value contains, in any case; None for anything.
        ids: The entity ids that may match; None for any.
        where: All must hold.
        order: How hits are ordered.
        cursor: Where the page before ended; None begins.
        identity_json: What a cursor is bound to, besides scope and types.
    """

    text: str | None
    ids: frozenset[str] | None
    where: tuple[Predicate, ...]
    order: str
    cursor: str | None
    identity_json: str


def parse_query(text: str) -> Query:
    """Return the query in *text*.

    Raises:
        InvalidRecord: It is no JSON object, or a member is wrong (TB115); all places are listed.
    """
    try:
        given = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        _refuse([problem(("query",), "the query is no JSON", hint='send {"text": "..."}')])
    if not isinstance(given, dict):
        _refuse([problem(("query",), "the query is no JSON object")])
    found = [*_unknown(given), *_text(given), *_ids(given), *_where(given), *_order(given)]
    if found:
        _refuse(found)
    return _query(given)


def query_text(query: Mapping[str, Any]) -> str:
    """Return a query as text.

    Raises:
        InvalidRecord: JSON cannot hold it, or it is nested too deep (TB115).
    """
    try:
        return canonical_text(dict(query))
    except InvalidRecord as error:
        found = [
            problem(("query", *pointer_path(one["pointer"])), one["message"], hint=one["hint"])
            for one in error.data["problems"]
        ]
        _refuse(found)


def _query(given: dict[str, Any]) -> Query:
    wanted = given["text"].strip() if "text" in given else None
    order = given.get("order", "newest" if wanted is None else "relevance")
    ids = given.get("ids")
    where = given.get("where", {})
    # Before the conditions are taken apart: this is where what JSON cannot hold is refused.
    identity_json = query_text(
        {
            "text": wanted,
            "ids": None if ids is None else sorted(ids),
            "where": where,
            "order": order,
        }
    )
    return Query(
        text=wanted,
        ids=None if ids is None else frozenset(ids),
        where=tuple(_predicate(pointer, one) for pointer, one in sorted(where.items())),
        order=order,
        cursor=given.get("cursor"),
        identity_json=identity_json,
    )


def _predicate(pointer: str, given: Any) -> Predicate:
    operator, wanted = "$eq", given
    name = _operator(given)
    if name is not None:
        operator, wanted = name, given[name]
    return Predicate(pointer_path(pointer), operator, wanted, canonical_text(wanted))


def _operator(given: Any) -> str | None:
    """Return the operator of a predicate; what has several members is a literal."""
    if isinstance(given, dict) and len(given) == 1:
        (name,) = given
        if isinstance(name, str) and name.startswith("$"):
            return name
    return None


def _unknown(given: dict[str, Any]) -> Iterator[Finding]:
    hint = "allowed: " + ", ".join(MEMBERS)
    for name in sorted(given.keys() - set(MEMBERS)):
        yield problem(("query", name), f"{clip(repr(name))} is no member of a query", hint=hint)
    if "cursor" in given and not isinstance(given["cursor"], str):
        yield problem(("query", "cursor"), "the cursor is not text")


def _text(given: dict[str, Any]) -> Iterator[Finding]:
    if "text" not in given:
        return
    if not isinstance(given["text"], str):
        yield problem(("query", "text"), f"{clip(repr(given['text']))} is not text")
    elif not given["text"].strip():
        yield problem(("query", "text"), "the text is blank")


def _ids(given: dict[str, Any]) -> Iterator[Finding]:
    if "ids" not in given:
        return
    ids = given["ids"]
    if not isinstance(ids, list) or not ids:
        yield problem(("query", "ids"), "the ids are no list of at least one")
        return
    if len(ids) > IDS_MAX:
        yield problem(("query", "ids"), f"there are {len(ids):,} ids; at most {IDS_MAX:,} go")
        return
    seen: set[str] = set()
    for index, one in enumerate(ids):
        if text_problems(one, path=()) or not one.strip():
            yield problem(("query", "ids", index), f"{clip(repr(one))} is no id")
        elif one in seen:
            yield problem(("query", "ids", index), f"{clip(repr(one))} is there twice")
        else:
            seen.add(one)


def _where(given: dict[str, Any]) -> Iterator[Finding]:
    where = given.get("where", {})
    if not isinstance(where, dict):
        yield problem(("query", "where"), "this is no object of pointers")
        return
    if len(where) > CONDITIONS_MAX:
        message = f"there are {len(where):,} conditions; at most {CONDITIONS_MAX:,} go"
        yield problem(("query", "where"), message)
        return
    for pointer, one in where.items():
        path = ("query", "where", pointer)
        if not is_pointer(pointer):
            yield problem(path, f"{clip(repr(pointer))} is no JSON pointer into the value")
        name = _operator(one)
        if name is not None and name not in OPERATORS:
            hint = "allowed: " + ", ".join(OPERATORS)
            yield problem((*path, name), f"{clip(repr(name))} is no operator", hint=hint)


def _order(given: dict[str, Any]) -> Iterator[Finding]:
    if "order" not in given:
        return
    if given["order"] not in ORDERS:
        hint = "allowed: " + ", ".join(ORDERS)
        yield problem(("query", "order"), f"{clip(repr(given['order']))} is no order", hint=hint)
    elif given["order"] == "relevance" and "text" not in given:
        yield problem(("query", "order"), "relevance needs text")


def _refuse(found: list[Finding]) -> NoReturn:
    refuse(found, what="the query")
