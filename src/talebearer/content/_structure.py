"""From what a JSON Schema refuses to findings that a writer can act on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

import jsonschema_rs

from talebearer.content._findings import Draft, ValuePath
from talebearer.content._schemas import DEFINITIONS, Checker
from talebearer.content._yaml import kind_of
from talebearer.errors import findings_content as codes
from talebearer.errors import meant, nearest
from talebearer.vocabulary import DIALOGUE_ID, MONOLOGUE_ID

_SHOWN_CHARS_MAX = 60
_LISTED_MAX = 14
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_FORMS = {
    "name": "lower-case letters, digits, _ and -, beginning with a letter",
    "slug": "lower-case letters, digits and hyphens, beginning with a letter",
    "fact_id": "category.topic, such as places.lighthouse_dark",
    "entity_ref": "npc: and a slug, such as npc:odo-renn",
    f"^{DIALOGUE_ID}$": "slug, _d_, three digits, such as odo-renn_d_001",
    f"^{MONOLOGUE_ID}$": "slug, _m_, letter, _, three digits, such as pc-detective_m_d_001",
}
_EITHER = {
    frozenset(("state", "states")): "state: at or beyond this one; states: exactly one of these",
    frozenset(
        ("min_count", "count")
    ): "min_count: at least so many; count: exactly, or a comparison",
}
_ELSEWHERE = {
    "priority": "only thoughts have one; what is said is scored by topic and mood",
    "trigger": "only thoughts have one; what is said is asked for",
}
_NOUNS = {"access": "access tier", "trust": "trust tier", "confidence": "confidence level"}
_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def check(value: dict[str, Any], checker: Checker) -> Iterator[Draft]:
    """Yield what *checker*'s schema refuses in *value*, one finding a fault."""
    for error in checker.errors(value):
        path: ValuePath = tuple(error.instance_path)
        yield from _Fault(error, path, _at(value, path), checker).drafts()


def shown(value: Any) -> str:
    """Return *value* for a message, cut to a readable length."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARS_MAX else text[: _SHOWN_CHARS_MAX - 1] + "…"


@lru_cache(maxsize=1024)
def likeliest(word: str, allowed: tuple[str, ...]) -> str | None:
    """Return the one of *allowed* that *word* was meant to be, if any is like it.

    Writers repeat their slips, and likeness is dear to compute: answers are kept.
    """
    return next(iter(nearest(word, allowed, count_max=1)), None)


def suggestion(word: str, allowed: Sequence[str]) -> str:
    """Return a hint that names the likeliest of *allowed*, or as many as one can read."""
    close = likeliest(word, tuple(allowed))
    listed = ", ".join(allowed[:_LISTED_MAX]) + (", …" if len(allowed) > _LISTED_MAX else "")
    if close:
        return f"{meant([close])} allowed: {listed}"
    return f"allowed: {listed}" if allowed else ""


def _at(value: Any, path: ValuePath) -> Any:
    for part in path:
        value = value[part]
    return value


class _Fault:
    """One error of the validator, told in our words."""

    def __init__(
        self, error: jsonschema_rs.ValidationError, path: ValuePath, value: Any, checker: Checker
    ) -> None:
        self.kind: Any = error.kind
        self.checker = checker
        self.path = path
        self.value = value
        self.schema_path: list[str | int] = list(error.schema_path)
        self.owner: Any = checker.node(self.schema_path[:-1])

    def drafts(self) -> Iterator[Draft]:
        tell = getattr(self, f"_{self.kind.name}", self._otherwise)
        yield from tell()

    def _draft(self, code: str, message: str, hint: str = "") -> Iterator[Draft]:
        yield Draft(code=code, message=message, hint=hint, path=self.path)

    @property
    def _field(self) -> str:
        """The name of the field that is wrong, for a sentence."""
        names = [part for part in self.path if isinstance(part, str)]
        return names[-1] if names else "the file"

    def _required(self) -> Iterator[Draft]:
        name = self.kind.property
        needed = ", ".join(self.owner["required"])
        yield from self._draft(codes.MISSING_FIELD, f"field {name!r} is missing", f"needs {needed}")

    def _additionalProperties(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        known = list(self.owner["properties"])
        for name in self.kind.unexpected:
            elsewhere = _ELSEWHERE.get(name) if "access" in known else None
            yield Draft(
                code=codes.UNKNOWN_FIELD,
                message=f"unknown field {shown(name)}",
                hint=elsewhere or suggestion(name, known),
                path=(*self.path, name),
                on_key=True,
            )

    def _propertyNames(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        inner = self.kind.error
        allowed = list(inner.kind.options) if inner.kind.name == "enum" else []
        hint = suggestion(inner.instance, allowed) if allowed else "snake_case: letters, digits, _"
        yield Draft(
            code=codes.UNKNOWN_VALUE if allowed else codes.BAD_FORM,
            message=f"{shown(inner.instance)} is no name that {self._field} takes",
            hint=hint,
            path=(*self.path, inner.instance),
            on_key=True,
        )

    def _type(self) -> Iterator[Draft]:
        if isinstance(self.value, float) and not isfinite(self.value):
            message = f"{self._field} {self.value} is no finite number"
            yield from self._draft(codes.OUT_OF_RANGE, message)
            return
        wanted = " or ".join(_KINDS[name] for name in self.kind.types)
        found = kind_of(self.value)
        message = f"{self._field} is {found} ({shown(self.value)}) where {wanted} belongs"
        yield from self._draft(codes.WRONG_TYPE, message, self._type_hint())

    def _type_hint(self) -> str:
        """Say how the value is written as the type that belongs there."""
        if self.value is None:
            return "leave the field out if it has no value"
        wanted = set(self.kind.types)
        if "array" in wanted:
            return self._list_hint()
        if "object" in wanted:
            return self._mapping_hint()
        if isinstance(self.value, list):
            only = str(shown(self.value[0])).strip(chr(34)) if len(self.value) == 1 else ""
            return f"one value, without brackets{only and ': '}{only}"
        if wanted & {"integer", "number"} and "string" not in wanted:
            return self._number_hint()
        if "string" in wanted and isinstance(self.value, bool | int | float):
            if "enum" in self.owner:
                return suggestion(str(self.value), list(self.owner["enum"]))
            return "put it in quotes"  # not the value: 007 was read as 7
        return ""

    def _list_hint(self) -> str:
        if isinstance(self.value, str | bool | int | float):
            return f"write it as a list: [{str(shown(self.value)).strip(chr(34))}]"
        return "begin each entry with a dash and a blank"

    def _mapping_hint(self) -> str:
        if isinstance(self.value, list):
            return "write its fields without a dash or brackets"
        known = self._known
        names = ", ".join(known[:_LISTED_MAX]) + (", …" if len(known) > _LISTED_MAX else "")
        return f"its fields are: {names}" if known else "write it as field: value"

    def _number_hint(self) -> str:
        if isinstance(self.value, str) and re.fullmatch(r"-?[0-9]{1,15}", self.value):
            return f"without quotes: {self.value}"
        return "digits only, such as 3" if "integer" in self.kind.types else "such as 3 or 0.5"

    def _enum(self) -> Iterator[Draft]:
        allowed = list(self.owner["enum"])
        definition = str(self.schema_path[-2])
        what = f"no {_NOUNS.get(definition, definition.replace('_', ' '))}"
        if definition in DEFINITIONS:
            what += f" of global/enums/{DEFINITIONS[definition]}.yaml"
        if not isinstance(self.value, str):
            return  # the type is reported already
        hint = suggestion(self.value, allowed)
        yield from self._draft(codes.UNKNOWN_VALUE, f"{shown(self.value)} is {what}", hint)

    def _pattern(self) -> Iterator[Draft]:
        if self.owner["pattern"] == r"\S":
            yield from self._draft(codes.EMPTY_TEXT, f"{self._field} is blank: {shown(self.value)}")
            return
        is_line_id = self.path[:1] == ("lines",) and self.path[2:] == ("id",)
        pattern = self.owner["pattern"]
        form = _FORMS.get(str(self.schema_path[-2])) or _FORMS.get(pattern, pattern)
        yield from self._draft(
            codes.BAD_LINE_ID if is_line_id else codes.BAD_FORM,
            f"{self._field} {shown(self.value)} does not have its form",
            f"form: {form}",
        )

    def _minLength(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        yield from self._draft(codes.EMPTY_TEXT, f"{self._field} has an empty text")

    def _maxLength(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        limit = self.owner["maxLength"]
        message = f"{len(self.value)} characters where {limit} fit: {shown(self.value)}"
        hint = f"{len(self.value) - limit} too many"
        yield from self._draft(codes.TEXT_TOO_LONG, message, hint)

    def _minItems(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        count = self.owner["minItems"]
        message = f"{self._field} has {len(self.value)} values where at least {count} must be"
        yield from self._draft(codes.TOO_FEW, message)

    def _maxItems(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        count = self.owner["maxItems"]
        message = f"{self._field} has {len(self.value)} values where at most {count} may be"
        yield from self._draft(codes.TOO_FEW, message)

    def _uniqueItems(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        first: dict[str, int] = {}
        for index, item in enumerate(self.value):
            key = json.dumps(item, sort_keys=True)
            if first.setdefault(key, index) != index:
                yield Draft(
                    code=codes.DUPLICATE_ITEM,
                    message=f"{shown(item)} is in {self._field} twice",
                    path=(*self.path, index),
                )

    def _minimum(self) -> Iterator[Draft]:
        yield from self._out_of_range()

    def _maximum(self) -> Iterator[Draft]:
        yield from self._out_of_range()

    def _out_of_range(self) -> Iterator[Draft]:
        low, high = self.owner.get("minimum"), self.owner.get("maximum")
        message = f"{self._field} {shown(self.value)} is not within {low} and {high}"
        yield from self._draft(codes.OUT_OF_RANGE, message, f"allowed: {low} to {high}")

    def _exclusiveMinimum(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        low, high = self.owner["exclusiveMinimum"], self.owner.get("maximum")
        message = f"{self._field} {shown(self.value)} is not above {low}"
        yield from self._draft(codes.OUT_OF_RANGE, message, f"allowed: above {low}, up to {high}")

    def _const(self) -> Iterator[Draft]:
        message = (
            f"{self._field} is {shown(self.value)}; it can only be {shown(self.owner['const'])}"
        )
        yield from self._draft(codes.UNKNOWN_VALUE, message, "leave the field out otherwise")

    def _minProperties(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        known = [name for name in self._known if name not in self.value]
        shown_names = ", ".join(known[:_LISTED_MAX]) + (", …" if len(known) > _LISTED_MAX else "")
        hint = f"needs one of: {shown_names}" if known else "needs one field or more"
        message = (
            f"{self._field} says nothing" if not self.value else f"{self._field} lacks a field"
        )
        yield from self._draft(codes.EMPTY_CONDITION, message, hint)

    def _maxProperties(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        names = " and ".join(self.value)
        message = f"{self._field} has {names} at once"
        yield from self._draft(codes.WRONG_COMBINATION, message, "make one entry of each")

    @property
    def _known(self) -> list[str]:
        """The fields that the value may have, where the schema names them."""
        owner: Any = self.owner
        if "$ref" in owner:
            owner = self.checker.node(owner["$ref"].removeprefix("#/").split("/"))
        return list(owner.get("properties", ()))

    def _not(self) -> Iterator[Draft]:
        if isinstance(self.value, dict):  # else the type is reported already
            yield from self._together(self.owner["not"]["required"])

    def _oneOf(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        yield from self._choice("oneOf")

    def _anyOf(self) -> Iterator[Draft]:  # noqa: N802  # the keyword's own name
        yield from self._choice("anyOf")

    def _choice(self, keyword: str) -> Iterator[Draft]:
        """One of several fields must be there, and by ``oneOf`` only one."""
        names = [option["required"][0] for option in self.owner[keyword]]
        if not isinstance(self.value, dict):
            return  # the type is reported already
        present = [name for name in names if name in self.value]
        if present:
            yield from self._together(present)
            return
        listed = " or ".join(repr(name) for name in names if name not in _OPERATORS)
        comparison = " or a comparison" if any(name in _OPERATORS for name in names) else ""
        message = f"field {listed}{comparison} is missing"
        yield from self._draft(codes.MISSING_FIELD, message, f"needs one of {', '.join(names)}")

    def _together(self, names: Sequence[str]) -> Iterator[Draft]:
        """Tell of fields that exclude each other, at the later one."""
        order = [name for name in self.value if name in names]
        yield Draft(
            code=codes.WRONG_COMBINATION,
            message=f"{self._field} has both {order[0]} and {order[1]}",
            hint=_EITHER.get(frozenset(order[:2]), f"keep {order[0]} or {order[1]}"),
            path=(*self.path, order[1]),
            on_key=True,
        )

    def _otherwise(self) -> Iterator[Draft]:
        message = f"{self._field} {shown(self.value)} is refused"
        yield from self._draft(codes.WRONG_TYPE, message)
