"""Canonical JSON text: keys sorted by code point, no spaces, non-ASCII as it is.

What is refused, because it would come back as something else: NaN and infinities, integers
outside -2**63..2**64-1, text with lone surrogates, keys that are not text, objects that JSON has
no form for, and nesting deeper than :data:`DEPTH_MAX`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

import orjson

from talebearer.errors import InputError, InvalidRecord, Problem, Severity, Where

DEPTH_MAX = 250
INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**64 - 1
MESSAGE_CHARS_MAX = 240

Path = tuple[str | int, ...]


class Encoded(NamedTuple):
    """A value twice: its canonical text, and a copy in plain JSON types."""

    text: str
    value: Any


def encode(value: Any) -> Encoded:
    """Return the canonical text of *value* and a copy that shares nothing with it.

    Tuples become arrays and string enumerations become their text.

    Raises:
        InvalidRecord: JSON cannot hold *value* faithfully (TB115); all places are listed.

    Source: the protocol sheet, section 3.4.
    """
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError as fault:
        refuse(json_problems(value) or [problem((), str(fault))])
    plain = orjson.loads(data)
    # orjson writes NaN as null and dates as text; only a value that survives is taken as it is.
    if plain != value:
        refusals = json_problems(value)
        if refusals:
            refuse(refusals)
    return Encoded(data.decode(), plain)


def encode_parsed(value: Any) -> Encoded:
    """Return the canonical text of a value that a JSON parser has made, and the value itself.

    Raises:
        InvalidRecord: It holds an integer of more than 64 bits (TB115); all places are listed.
    """
    try:
        return Encoded(orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode(), value)
    except TypeError as fault:
        refuse(json_problems(value) or [problem((), str(fault))])


def canonical_text(value: Any) -> str:
    """Return the canonical text of *value*; see :func:`encode`."""
    return encode(value).text


def decode(text: str) -> Any:
    """Return the value of stored canonical text."""
    return orjson.loads(text)


def text_problems(text: object, *, path: Path) -> list[tuple[Path, Problem]]:
    """Return what is wrong with *text* as an id or a type: it is non-empty, valid Unicode."""
    if type(text) is str and text and text.isascii():
        return []
    if not isinstance(text, str):
        return [problem(path, f"{clip(repr(text))} is not text")]
    if not text:
        return [problem(path, "the text is empty")]
    if not _is_unicode(text):
        return [problem(path, f"{clip(repr(text))} holds half of a surrogate pair")]
    return []


def problem(
    path: Path, message: str, *, hint: str = "", error: type[InputError] = InvalidRecord
) -> tuple[Path, Problem]:
    """Return a finding at *path* of a record or request, or of what *error* is about."""
    found = Problem(
        code=error.code,
        severity=Severity.ERROR,
        where=Where(pointer=_dollar_path(path)),
        message=clip(message),
        hint=hint,
    )
    return path, found


def refuse(
    found: list[tuple[Path, Problem]],
    *,
    what: str = "the value",
    error: type[InputError] = InvalidRecord,
) -> NoReturn:
    """Raise *error* for *found*, with every place as a JSON pointer."""
    problems = [
        {**one.as_json(), "pointer": json_pointer(path)}
        for path, one in sorted(found, key=lambda pair: (_sort_key(pair[0]), pair[1].message))
    ]
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    raise error(
        f"{what} is refused at {first['pointer'] or 'its top'}: {first['message']}{more}",
        hint=first["hint"],
        data={"problems": problems},
    )


def json_pointer(path: Path) -> str:
    """Return *path* as a JSON pointer, RFC 6901."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def clip(text: str) -> str:
    """Return *text*, shortened in the middle when it is long."""
    if len(text) <= MESSAGE_CHARS_MAX:
        return text
    half = MESSAGE_CHARS_MAX // 2
    return f"{text[:half]} … {text[-half:]}"


def json_problems(value: Any, *, path: Path = ()) -> list[tuple[Path, Problem]]:
    """Return what in *value* is no JSON that can be stored; *path* is where it stands."""
    return list(_refusals(value, path))


def _refusals(value: Any, path: Path) -> Iterator[tuple[Path, Problem]]:
    if len(path) > DEPTH_MAX:
        yield problem(path[:8], f"nested deeper than {DEPTH_MAX} levels")
    elif isinstance(value, str):
        if not _is_unicode(value):
            yield problem(path, f"{value!r} holds half of a surrogate pair")
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            yield problem(
                path,
                f"an integer of {value.bit_length()} bits",
                hint=f"allowed: {INTEGER_MIN} to {INTEGER_MAX}; keep larger numbers as text",
            )
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield problem(path, f"{value} is no JSON number", hint="use null for an unknown number")
    elif isinstance(value, dict):
        yield from _object_refusals(value, path)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _refusals(item, (*path, index))
    else:
        yield problem(path, f"JSON has no form for {type(value).__name__}")


def _object_refusals(value: dict[Any, Any], path: Path) -> Iterator[tuple[Path, Problem]]:
    for key, item in value.items():
        if type(key) is not str:
            yield problem(path, f"the key {clip(repr(key))} is not text")
        elif not _is_unicode(key):
            yield problem(path, f"the key {key!r} holds half of a surrogate pair")
        else:
            yield from _refusals(item, (*path, key))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _dollar_path(path: Path) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "$" + "".join(parts)


def _sort_key(path: Path) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, part, "") if isinstance(part, int) else (1, 0, part) for part in path)
