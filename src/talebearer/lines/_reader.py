"""Checked reading of JSON values: each function returns what it names, or refuses the pack."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection
from typing import Any, NoReturn, TypeVar

from talebearer.errors import InvalidPack, nearest
from talebearer.vocabulary import fullmatch

E = TypeVar("E", bound=str)
# Reading an enumeration's members anew for each of thousands of gates takes most of their time.
_WORDS: dict[type, dict[str, Any]] = {}


def refuse(at: str, what: str, *, hint: str = "") -> NoReturn:
    """Refuse the pack for *what* is wrong at the place *at* (``$.pools[0].path`` form)."""
    raise InvalidPack(f"{at}: {what}", hint=hint, data={"pointer": at})


def parse_json(data: bytes) -> Any:
    """Return the JSON value in *data*; duplicate members and NaN are no JSON here."""
    try:
        text = data.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
        # Escapes can smuggle in half a surrogate pair, which no UTF-8 output could carry again.
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        raise InvalidPack(f"the pack is no valid UTF-8 JSON: {reason}") from error
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"member {name!r} is there twice")
            seen.add(name)
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def shown(value: Any) -> str:
    """Return *value* for a message, cut to a readable length."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def members(
    value: Any, at: str, *, required: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Return the object *value*, which has all *required* members and none that is unknown."""
    found = mapping(value, at)
    for name in required:
        if name not in found:
            refuse(at, f"member {name!r} is missing")
    for name in found:
        if name not in required and name not in optional:
            refuse(
                f"{at}.{name}",
                "this version knows no such member",
                hint=f"known here: {', '.join([*required, *optional])}",
            )
    return found


def mapping(value: Any, at: str) -> dict[str, Any]:
    """Return the object *value*."""
    if not isinstance(value, dict):
        refuse(at, f"expected an object, found {shown(value)}")
    return value


def items(value: Any, at: str) -> list[Any]:
    """Return the array *value*."""
    if not isinstance(value, list):
        refuse(at, f"expected an array, found {shown(value)}")
    return value


def string(value: Any, at: str, *, empty: bool = False) -> str:
    """Return the string *value*; an empty one only when *empty* allows it."""
    if not isinstance(value, str):
        refuse(at, f"expected a string, found {shown(value)}")
    if not value and not empty:
        refuse(at, "the string is empty")
    return value


def strings(value: Any, at: str, *, count_min: int = 0, unique: bool = True) -> tuple[str, ...]:
    """Return the array of strings *value*, with at least *count_min* items."""
    found = items(value, at)
    for position, item in enumerate(found):
        string(item, f"{at}[{position}]")
    if len(found) < count_min:
        refuse(at, f"expected at least {count_min} item(s)")
    if unique and len(set(found)) != len(found):
        refuse(at, f"an item is there twice in {shown(found)}")
    return tuple(found)


def chosen(value: Any, at: str, *, allowed: Collection[str], count_min: int = 0) -> tuple[str, ...]:
    """Return the array of strings *value*, unique and all of *allowed*."""
    found = strings(value, at, count_min=count_min)
    for position, item in enumerate(found):
        one_of(item, f"{at}[{position}]", allowed=allowed)
    return found


def one_of(value: Any, at: str, *, allowed: Collection[str]) -> str:
    """Return the string *value*, which is one of *allowed*."""
    if string(value, at) not in allowed:
        close = nearest(value, allowed) or tuple(allowed)
        refuse(at, f"{shown(value)} is not declared", hint=f"declared: {', '.join(close)}")
    return str(value)


def member_of(value: Any, at: str, vocabulary: type[E]) -> E:
    """Return the *vocabulary* (an enumeration) member that the string *value* names."""
    table = _WORDS.get(vocabulary)
    if table is None:
        words = list(vocabulary)  # type: ignore[call-overload]  # reason: enumeration classes iterate; the bound names only str
        table = _WORDS[vocabulary] = {str(word): word for word in words}
    found = table.get(value) if isinstance(value, str) else None
    if found is None:
        one_of(value, at, allowed=list(table))
        raise AssertionError("what is not in the table is refused")
    member: E = found
    return member


def matching(value: Any, at: str, pattern: str) -> str:
    """Return the string *value*, all of which has the form *pattern*."""
    if not fullmatch(pattern, string(value, at)):
        refuse(at, f"{shown(value)} does not match {pattern}")
    return str(value)


def integer(value: Any, at: str, *, minimum: int, maximum: int) -> int:
    """Return the integer *value*, within the bounds, both inclusive."""
    if isinstance(value, bool) or not isinstance(value, int):
        refuse(at, f"expected an integer, found {shown(value)}")
    if not minimum <= value <= maximum:
        refuse(at, f"{value} is not within {minimum} and {maximum}")
    return value


def scalar(value: Any, at: str, *, number_max: int) -> str | int | float | bool:
    """Return the string, number or flag *value*; a number is finite and no greater than the bound.

    A whole number comes as an integer, however it was written.
    """
    if isinstance(value, bool | str):
        return value
    if not isinstance(value, int | float):
        refuse(at, f"expected a string, a number or a flag, found {shown(value)}")
    if not -number_max <= value <= number_max:
        refuse(at, f"{shown(value)} is not within {-number_max} and {number_max}")
    return int(value) if isinstance(value, float) and value.is_integer() else value


def line_key(value: Any, at: str) -> tuple[str, str]:
    """Return pool path and line id of the key *value*, which has the form ``pool#id``."""
    path, hash_sign, line_id = string(value, at).rpartition("#")
    if not hash_sign or not line_id:
        refuse(at, f"{shown(value)} is no key of a line", hint="the form is pool/path#line-id")
    return pool_path(path, at), line_id


def pool_path(value: Any, at: str) -> str:
    """Return the pool path *value*: POSIX, relative, no empty or dot segments, NFC."""
    path = string(value, at)
    segments = path.split("/")
    if any(segment in ("", ".", "..") for segment in segments) or "\\" in path:
        refuse(at, f"{shown(path)} is no relative POSIX path")
    if not unicodedata.is_normalized("NFC", path):
        refuse(at, f"{shown(path)} is not in Unicode form NFC")
    return path
