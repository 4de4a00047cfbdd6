"""Checks of single fields, shared by events and saves.

Each returns the checked value in its plain form or raises :class:`Malformed`, which the callers
turn into the public error of what they read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from reprlib import Repr
from typing import Any, TypeVar

from talebearer.memory._facts import LearnedVia, Provenance, SourceRef
from talebearer.vocabulary import CHARACTER_REF, FACT_ID, OccurrenceKind, SourceKind

INTEGER_MAX = 2**63 - 1
"""Ticks, sequences and numbers fit a signed 64-bit column."""

INTERACTION_CATEGORY = "interaction."
GOSSIP_CATEGORY = "gossip."
STRESS_MAX = 2**15 - 1
"""Stress is a count from 0 to this, as the specification's 16-bit field has it."""

_E = TypeVar("_E", bound=str)
_FACT = re.compile(FACT_ID)
_CHARACTER = re.compile(CHARACTER_REF)
_REASON_CODE = re.compile("[a-z][a-z_]*")
_REASON = frozenset({"code", "text"})
_REASON_ALLOWED = _REASON | {"details"}
_CAUSE = frozenset({"mind", "stream", "sequence"})
_SOURCE_KINDS = {kind.value: kind for kind in SourceKind}
_OCCURRENCE_KINDS = {kind.value: kind for kind in OccurrenceKind}
_PAYLOADS: Mapping[SourceKind, tuple[frozenset[str], frozenset[str]]] = {
    SourceKind.DIRECT_OBSERVATION: (frozenset(), frozenset()),
    SourceKind.HEARD: (frozenset(), frozenset({"place"})),
    SourceKind.TOLD_BY: (frozenset({"entity"}), frozenset({"entity", "fact"})),
    SourceKind.INFERRED: (frozenset({"from"}), frozenset({"from"})),
    SourceKind.BACKGROUND: (frozenset(), frozenset()),
}
_VIA_REQUIRED = frozenset({"kind"})
_VIA_ALLOWED = frozenset({"kind", "payload"})
_RECEIPT = frozenset({"session", "artifact_digest", "occurrence", "kind", "source_refs"})
_REF = frozenset({"source_id", "start_unit_id", "end_unit_id"})


class Malformed(Exception):
    """A field that is missing or wrong.

    Attributes:
        field: Its path, ``learned_via.kind`` form.
        problem: What is wrong, with the value.
        allowed: What would be right.
    """

    def __init__(self, field: str, problem: str, allowed: str = "") -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem
        self.allowed = allowed

    def under(self, outer: str) -> Malformed:
        """Return the same fault of a field inside *outer*.

        Names are put together only when something is wrong: the fold checks a lot that is right.
        """
        joint = "" if not self.field or self.field.startswith("[") else "."
        return Malformed(f"{outer}{joint}{self.field}", self.problem, self.allowed)


def show(value: object) -> str:
    """Return a short text of *value*, whatever it is."""
    brief = Repr()
    brief.maxstring = brief.maxother = 60
    try:
        return brief.repr(value)
    except ValueError:  # integers of thousands of digits have no text
        return f"a {type(value).__name__}"


def members(
    value: object, field: str, required: frozenset[str], allowed: frozenset[str] | None = None
) -> Mapping[str, Any]:
    """Check that *value* is an object with the *required* members, and others of *allowed* only.

    *allowed* holds the required ones too; without it they are all.
    """
    if type(value) is not dict and not isinstance(value, Mapping):
        raise Malformed(field, f"{show(value)} is not an object", "an object")
    keys = value.keys()
    if keys == required or (allowed is not None and required <= keys <= allowed):
        return value
    dot = f"{field}." if field else ""
    for name in sorted(required):
        if name not in value:
            raise Malformed(f"{dot}{name}", "is missing")
    extra = next(name for name in keys if name not in (allowed or required))
    shown = extra if isinstance(extra, str) and extra.isidentifier() else show(extra)
    known = ", ".join(sorted(allowed or required)) or "no member"
    raise Malformed(f"{dot}{shown}", "is not a member here", known)


def text(value: object, field: str) -> str:
    """Check for a text that is not empty and can be written as UTF-8."""
    if type(value) is str and value and value.isascii():
        return value
    if not isinstance(value, str):
        raise Malformed(field, f"{show(value)} is not a text", "a text")
    if not value:
        raise Malformed(field, "is empty", "a text of at least one character")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise Malformed(field, f"{show(value)} holds half a surrogate pair") from None
    return value if type(value) is str else str.__str__(value)


def whole(value: object, field: str, least: int = 0) -> int:
    """Check for an integer from *least* to :data:`INTEGER_MAX`; true and false are none."""
    if type(value) is int and least <= value <= INTEGER_MAX:
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed(field, f"{show(value)} is not a whole number", "a whole number")
    if not least <= value <= INTEGER_MAX:
        raise Malformed(field, f"{show(value)} is out of range", f"{least} to 2^63-1")
    return int(value)


def flag(value: object, field: str) -> bool:
    """Check for true or false."""
    if value is True or value is False:
        return value
    raise Malformed(field, f"{show(value)} is not true or false", "true or false")


def choice(value: object, field: str, table: Mapping[str, _E]) -> _E:
    """Check for one of the words of *table* and return its member."""
    found = table.get(value) if isinstance(value, str) else None
    if found is None:
        raise Malformed(field, f"{show(value)} is not known", ", ".join(table))
    return found


def listed(value: object, field: str) -> Sequence[Any]:
    """Check for a list."""
    if isinstance(value, list | tuple):
        return value
    raise Malformed(field, f"{show(value)} is not a list", "a list")


def texts(value: object, field: str) -> tuple[str, ...]:
    """Check for a list of texts."""
    if type(value) is list or type(value) is tuple:
        for item in value:
            if type(item) is not str or not item or not item.isascii():
                break
        else:
            return tuple(value)
    return tuple(text(item, f"{field}[{index}]") for index, item in enumerate(listed(value, field)))


def formed(value: object, field: str, pattern: re.Pattern[str]) -> str:
    """Check for a text that matches *pattern* as a whole."""
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise Malformed(field, f"{show(value)} has the wrong form", pattern.pattern)
    return value if type(value) is str else str.__str__(value)


def entity(value: object, field: str) -> str:
    """Check for a reference to a character: ``npc:{slug}``, ``pc:{slug}`` or ``party``."""
    if not isinstance(value, str) or _CHARACTER.fullmatch(value) is None:
        allowed = "npc:{slug}, pc:{slug} or party"
        raise Malformed(field, f"{show(value)} has the wrong form", allowed)
    return value if type(value) is str else str.__str__(value)


def slug_of_entity(reference: str) -> str:
    """Return the slug of a checked reference: what fact ids hold; ``party`` is its own."""
    return reference.rpartition(":")[2]


def signed(value: object, field: str, most: int) -> int:
    """Check for an integer from minus *most* to *most*."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed(field, f"{show(value)} is not a whole number", "a whole number")
    if not -most <= value <= most:
        raise Malformed(field, f"{show(value)} is out of range", f"-{most} to {most}")
    return int(value)


def reason(value: object, field: str) -> str:
    """Check ``{code, text, details?}`` and return the code; details are scalars by name."""
    try:
        data = members(value, "", _REASON, _REASON_ALLOWED)
        text(data["text"], "text")
        details = data.get("details", {})
        if not isinstance(details, Mapping):
            raise Malformed("details", f"{show(details)} is not an object", "an object")
        for name, item in details.items():
            text(name, "details")
            if not isinstance(item, str | int):
                inner = f"details[{show(name)}]"
                raise Malformed(inner, f"{show(item)} is no scalar", "a text, number or flag")
        return formed(data["code"], "code", _REASON_CODE)
    except Malformed as fault:
        raise fault.under(field) from None


def cause(value: object, field: str) -> tuple[str, str, int]:
    """Check ``{mind, stream, sequence}``: the event that something follows from."""
    try:
        data = members(value, "", _CAUSE)
        return (
            entity(data["mind"], "mind"),
            text(data["stream"], "stream"),
            whole(data["sequence"], "sequence", 1),
        )
    except Malformed as fault:
        raise fault.under(field) from None


def fact_id(value: object, field: str) -> str:
    """Check for a fact id of any category."""
    return formed(value, field, _FACT)


def learned_via(value: object, field: str) -> LearnedVia:
    """Check ``{kind, payload}``; a missing payload is an empty one.

    Source: IM-M14.
    """
    try:
        data = members(value, "", _VIA_REQUIRED, _VIA_ALLOWED)
        kind = choice(data["kind"], "kind", _SOURCE_KINDS)
        return LearnedVia(kind=kind, payload=_payload(kind, data.get("payload", {})))
    except Malformed as fault:
        raise fault.under(field) from None


def _payload(kind: SourceKind, value: object) -> dict[str, Any]:
    required, allowed = _PAYLOADS[kind]
    given = members(value, "payload", required, allowed)
    payload: dict[str, Any] = {}
    if "place" in given:
        payload["place"] = text(given["place"], "payload.place")
    if "entity" in given:
        payload["entity"] = formed(given["entity"], "payload.entity", _CHARACTER)
    if "fact" in given:
        payload["fact"] = fact_id(given["fact"], "payload.fact")
    if "from" in given:
        items = enumerate(listed(given["from"], "payload.from"))
        payload["from"] = tuple(fact_id(item, f"payload.from[{index}]") for index, item in items)
    return payload


def provenance(value: object, field: str) -> Provenance:
    """Check the JSON object of a receipt."""
    try:
        data = members(value, "", _RECEIPT)
        receipt = Provenance(
            session=data["session"],
            artifact_digest=data["artifact_digest"],
            occurrence=data["occurrence"],
            kind=choice(data["kind"], "kind", _OCCURRENCE_KINDS),
            source_refs=tuple(_ref(item) for item in listed(data["source_refs"], "source_refs")),
        )
    except Malformed as fault:
        raise fault.under(field) from None
    return checked_receipt(receipt, field)


def _ref(value: object) -> SourceRef:
    data = members(value, "source_refs", _REF)
    return SourceRef(
        source_id=data["source_id"],
        start_unit_id=data["start_unit_id"],
        end_unit_id=data["end_unit_id"],
    )


def checked_receipt(receipt: object, field: str) -> Provenance:
    """Check a receipt that was built in Python, so that it survives a save."""
    try:
        return _receipt(receipt)
    except Malformed as fault:
        raise fault.under(field) from None


def _receipt(receipt: object) -> Provenance:
    if not isinstance(receipt, Provenance):
        raise Malformed("", f"{show(receipt)} is not a Provenance", "a Provenance or None")
    text(receipt.session, "session")
    text(receipt.artifact_digest, "artifact_digest")
    text(receipt.occurrence, "occurrence")
    if not isinstance(receipt.kind, OccurrenceKind):
        raise Malformed("kind", f"{show(receipt.kind)} is not an OccurrenceKind")
    if not isinstance(receipt.source_refs, tuple) or not receipt.source_refs:
        raise Malformed("source_refs", "is not a tuple of at least one range")
    for index, ref in enumerate(receipt.source_refs):
        try:
            _check_ref(ref)
        except Malformed as fault:
            raise fault.under(f"source_refs[{index}]") from None
    return receipt


def _check_ref(ref: object) -> None:
    if not isinstance(ref, SourceRef):
        raise Malformed("", f"{show(ref)} is not a SourceRef")
    text(ref.source_id, "source_id")
    first = whole(ref.start_unit_id, "start_unit_id", 1)
    if whole(ref.end_unit_id, "end_unit_id", 1) < first:
        raise Malformed("end_unit_id", f"{ref.end_unit_id} is before unit {first}")
