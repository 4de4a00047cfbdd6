"""Setups from outside: JSON objects and query strings, checked whole before anything is made of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, urlencode

from talebearer.content import GIVEN_KINDS, CaseCheck
from talebearer.errors import Problem, Severity, UsageFault, Where, did_you_mean, findings_content
from talebearer.lines import Pack
from talebearer.rehearsal._setup import SEVERAL, SINGLE, Setup, setup_of

ADDRESS_CHARS_MAX = 32_768
"""The longest query string that is read."""

VALUES_MAX = 2_000
"""How many values a setup may have, nested ones counted."""

TEXT_CHARS_MAX = 400
DEPTH_MAX = 12
NUMBER_MAX = 2**63 - 1

_MEMBERS = (*SINGLE, *SEVERAL, "event", "speaking", "tick", "seed", "mind", "given")
_SINGULAR = {"situations": "situation", "topics": "topic", "moods": "mood"}
_NUMBERS = ("tick", "seed")
_SHOWN_MAX = 12


class SetupReader:
    """Reads setups against the names of one pack.

    Args:
        pack: The content.
    """

    def __init__(self, pack: Pack) -> None:
        self._check = CaseCheck(pack)

    def json(self, value: object) -> Setup:
        """Return the setup that the JSON object *value* says.

        Raises:
            UsageFault: Something in it is wrong; ``data["problems"]`` has everything (TB111).
        """
        return self._read(value, [])

    def address(self, query: str, *, beside: Iterable[str] = ()) -> Setup:
        """Return the setup that the query string *query* says.

        Args:
            query: As :func:`address` writes it, without the question mark.
            beside: Names of further members that are somebody else's and passed over.

        Raises:
            UsageFault: As for :meth:`json`.
        """
        problems: list[Problem] = []
        value = _Query(query, frozenset(beside), problems).value()
        return self._read(value, problems)

    def problems(self, setup: Setup) -> tuple[Problem, ...]:
        """Return what is wrong with *setup*, which was made in Python."""
        return tuple(self._faults(setup.as_json()))

    def _read(self, value: object, problems: list[Problem]) -> Setup:
        problems += self._faults(value)
        if problems:
            raise refused(problems)
        assert isinstance(value, Mapping), "it was checked"
        return setup_of(value)

    def _faults(self, value: object) -> list[Problem]:
        """Return what is wrong with *value*: its bounds first, then its structure and names."""
        if not isinstance(value, Mapping):
            return [fault("$", f"a scene is an object, not {type(value).__name__}")]
        problems = list(_out_of_bounds(value))
        for name in value:
            if name not in _MEMBERS:
                hint = did_you_mean(str(name), _MEMBERS)
                problems.append(fault(f"$.{name}"[:80], f"unknown member {str(name)[:60]!r}", hint))
        if problems:
            return problems
        problems += self._check.problems(value)
        if not problems:
            problems += _too_early(value)
        return problems


def refused(problems: list[Problem]) -> UsageFault:
    """Return the error that tells all *problems*."""
    told = [f"{one.where.pointer or '$'}: {one.message}" for one in problems[:_SHOWN_MAX]]
    more = len(problems) - _SHOWN_MAX
    if more > 0:
        told.append(f"and {more} more")
    return UsageFault(
        f"the scene has {len(problems)} faults: {'; '.join(told)}"
        if len(problems) > 1
        else f"the scene is wrong: {told[0]}",
        hint="; ".join(dict.fromkeys(one.hint for one in problems[:_SHOWN_MAX] if one.hint)),
        data={"problems": [one.as_json() for one in problems]},
    )


def fault(pointer: str, message: str, hint: str = "") -> Problem:
    """Return one problem of a setup."""
    return Problem(
        code=findings_content.BAD_STEP,
        severity=Severity.ERROR,
        where=Where(pointer=pointer),
        message=message,
        hint=hint,
    )


def _too_early(value: Mapping[str, Any]) -> list[Problem]:
    latest = max(
        (
            max(one.get("tick", 0), one.get("ended", 0))
            for entries in value.get("given", {}).values()
            for one in entries
        ),
        default=0,
    )
    if value.get("tick", 0) >= latest:
        return []
    message = f"tick {value.get('tick', 0)} is before tick {latest}, when something given happened"
    return [fault("$.tick", message, f"{latest} or later")]


def _out_of_bounds(value: Mapping[str, Any]) -> Iterable[Problem]:
    """Yield what no reader of structure should see: endless, odd or too many values."""
    count = 0
    pending: list[tuple[str, object, int]] = [("$", value, 0)]
    while pending:
        at, part, depth = pending.pop()
        count += 1
        if count > VALUES_MAX:
            yield fault("$", f"the scene has more than {VALUES_MAX} values")
            return
        if isinstance(part, Mapping | list | tuple) and depth >= DEPTH_MAX:
            yield fault(at, f"it nests more than {DEPTH_MAX} levels deep")
        elif isinstance(part, Mapping):
            for name, inner in part.items():
                if not isinstance(name, str) or not _is_text(name):
                    yield fault(at, f"a member is named {str(name)[:60]!r}")
                else:
                    pending.append((f"{at}.{name}", inner, depth + 1))
        elif isinstance(part, list | tuple):
            pending += [(f"{at}[{place}]", inner, depth + 1) for place, inner in enumerate(part)]
        else:
            message = _odd(part)
            if message:
                yield fault(at, message)


def _odd(part: object) -> str:
    """Return what is odd about a single value, if anything is."""
    if isinstance(part, bool):
        return ""
    if isinstance(part, int):
        return "" if abs(part) <= NUMBER_MAX else "the number has more than 63 bits"
    if isinstance(part, float):
        return "" if isfinite(part) else f"{part} is no number"
    if isinstance(part, str):
        return "" if _is_text(part) else f"{part[:60]!r} is no text of up to {TEXT_CHARS_MAX}"
    return f"{type(part).__name__} is no value of a scene"


def _is_text(text: str) -> bool:
    return len(text) <= TEXT_CHARS_MAX and (text.isprintable() or text == "")


# --- query strings -------------------------------------------------------------------------------


def address(setup: Setup) -> str:
    """Return *setup* as a query string, without a question mark; :meth:`SetupReader.address` reads it."""
    value = setup.as_json()
    pairs: list[tuple[str, str]] = []
    for name in SINGLE:
        if name in value:
            pairs.append((name, value[name]))
    for name in SEVERAL:
        pairs += [(_SINGULAR[name], word) for word in value.get(name, ())]
    pairs += [(f"event.{name}", _dumped(one)) for name, one in value.get("event", {}).items()]
    pairs += [("speaking", f"{kind}:{who}") for kind, who in setup.speaking]
    pairs += [(name, str(value[name])) for name in _NUMBERS]
    if "mind" in value:
        pairs.append(("mind", value["mind"]))
    for kind, entries in value.get("given", {}).items():
        pairs += [(f"given.{kind}", _dumped(entry)) for entry in entries]
    return urlencode(pairs)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class _Query:
    """A query string, taken apart; what is wrong goes to *problems*."""

    def __init__(self, query: str, beside: frozenset[str], problems: list[Problem]) -> None:
        self._query = query
        self._beside = beside
        self._problems = problems
        self._value: dict[str, Any] = {}
        self._several = {word: name for name, word in _SINGULAR.items()}

    def value(self) -> dict[str, Any]:
        """Return the JSON object that it says, as far as it can be read."""
        for name, text in self._pairs():
            if name not in self._beside:
                self._take(name, text)
        if "speaker" in self._value:
            self._value.setdefault("situations", [])
        return self._value

    def _pairs(self) -> list[tuple[str, str]]:
        if len(self._query) > ADDRESS_CHARS_MAX:
            self._fault("$", f"the address has more than {ADDRESS_CHARS_MAX} characters")
            return []
        try:
            return parse_qsl(
                self._query, keep_blank_values=True, max_num_fields=VALUES_MAX, errors="strict"
            )
        except ValueError as error:  # too many members, or bytes that are no UTF-8
            self._fault("$", f"the address cannot be read: {error}")
            return []

    def _take(self, name: str, text: str) -> None:
        head, _, rest = name.partition(".")
        if name in self._several:
            self._value.setdefault(self._several[name], []).append(text)
        elif name in (*SINGLE, "mind"):
            self._once(name, text)
        elif name in _NUMBERS:
            self._once(name, self._number(name, text))
        elif name == "speaking":
            kind, _, who = text.partition(":")
            self._value.setdefault("speaking", []).append({"class": kind, "character": who})
        elif head == "event" and rest:
            event = self._value.setdefault("event", {})
            if rest in event:
                self._fault(f"$.event.{rest}"[:80], "it is there twice")
            event[rest] = self._json(f"$.event.{rest}"[:80], text)
        elif head == "given" and rest in GIVEN_KINDS:
            entries = self._value.setdefault("given", {}).setdefault(rest, [])
            entries.append(self._json(f"$.given.{rest}[{len(entries)}]", text))
        else:
            known = (*SINGLE, *self._several, *_NUMBERS, "speaking", "mind", "event.NAME")
            allowed = (*known, *(f"given.{kind}" for kind in GIVEN_KINDS))
            self._fault(
                f"$.{name}"[:80], f"unknown member {name[:60]!r}", did_you_mean(name[:80], allowed)
            )

    def _once(self, name: str, value: object) -> None:
        if name in self._value:
            self._fault(f"$.{name}", "it is there twice")
        self._value[name] = value

    def _number(self, name: str, text: str) -> int:
        digits = text[1:] if text[:1] == "-" else text
        if digits.isascii() and digits.isdigit() and len(digits) <= 19:
            return int(text)
        self._fault(f"$.{name}", f"{text[:60]!r} is no whole number")
        return 0

    def _json(self, at: str, text: str) -> Any:
        try:
            return json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            self._fault(at, f"{text[:60]!r} is not JSON", 'text stands in quotes: "lantern"')
            return None

    def _fault(self, at: str, message: str, hint: str = "") -> None:
        self._problems.append(fault(at, message, hint))


def _refuse_constant(word: str) -> Any:
    raise ValueError(word)
