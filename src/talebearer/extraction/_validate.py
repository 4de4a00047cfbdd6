"""The strict contract of the two payloads; every problem at once, nothing repaired.

Messages quote only what the payload itself says, clipped. The registry is never quoted.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection
from itertools import pairwise
from typing import Any

from talebearer.errors import Problem, Severity, Where
from talebearer.errors import findings_extraction as found
from talebearer.extraction._order import interaction_key, npc_key, range_key
from talebearer.transcripts import Transcript
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

VALUE_CHARS_SHOWN_MAX = 60
KINDS = tuple(kind.value for kind in OccurrenceKind)
RANGE_MEMBERS = ("source_id", "start_unit_id", "end_unit_id")


def canonical_name(name: str) -> str:
    """Return *name* in the form that names are looked up in: NFC and trimmed."""
    return unicodedata.normalize("NFC", name).strip()


def npc_id(name: str) -> str:
    """Return ``npc-`` and the first 12 hex digits of the SHA-256 of the NFC name."""
    return "npc-" + hashlib.sha256(canonical_name(name).encode()).hexdigest()[:12]


def validate_payload(
    kind: ArtifactKind,
    payload: Any,
    *,
    transcript: Transcript | None = None,
    names: Collection[str] | None = None,
) -> list[Problem]:
    """Return every way in which *payload* breaks the contract of *kind*.

    Args:
        kind: Whose contract.
        payload: Any JSON value.
        transcript: If given, ranges must cite its units and its source id.
        names: If given, the canonical names that an interaction may have.

    Source: the roadmap, "Validation And Quality".
    """
    check = _Check(transcript, None if names is None else frozenset(names))
    if kind is ArtifactKind.NPC_LIST:
        check.list_of(payload, "npcs", check.npc)
    else:
        check.list_of(payload, "interactions", check.interaction)
    if not check.problems:
        check.normal_form(kind, payload)
    return check.problems


class _Check:
    """Collects problems while it walks one payload."""

    def __init__(self, transcript: Transcript | None, names: frozenset[str] | None) -> None:
        self.problems: list[Problem] = []
        self._transcript = transcript
        self._last_unit = len(transcript.units) if transcript is not None else None
        self._names = names

    def add(self, code: str, at: str, message: str, hint: str = "") -> None:
        place = Where(pointer=at)
        self.problems.append(
            Problem(code=code, severity=Severity.ERROR, where=place, message=message, hint=hint)
        )

    def members(self, value: Any, at: str, expected: tuple[str, ...]) -> bool:
        """Check that *value* is an object with exactly the *expected* members."""
        if not isinstance(value, dict):
            self.add(found.WRONG_TYPE, at, f"{shown(value)} is not an object")
            return False
        for name in expected:
            if name not in value:
                self.add(found.MISSING_MEMBER, at, f"{name!r} is missing")
        allowed = "allowed here: " + ", ".join(expected)
        for name in value:
            if name not in expected:
                self.add(found.EXTRA_MEMBER, at, f"{shown(name)} is not allowed", allowed)
        return True

    def list_of(self, payload: Any, member: str, check_item: Any) -> None:
        if not self.members(payload, "$", (member,)) or member not in payload:
            return
        items = payload[member]
        if not isinstance(items, list):
            self.add(found.WRONG_TYPE, f"$.{member}", f"{shown(items)} is not an array")
            return
        for index, item in enumerate(items):
            check_item(item, f"$.{member}[{index}]")

    def npc(self, item: Any, at: str) -> None:
        if not self.members(item, at, ("id", "name", "source_refs")):
            return
        if "id" in item and not isinstance(item["id"], str):
            self.add(found.WRONG_TYPE, f"{at}.id", f"{shown(item['id'])} is not a string")
        self.name(item, at)
        self.refs(item, at)

    def interaction(self, item: Any, at: str) -> None:
        if not self.members(item, at, ("name", "kind", "source_refs")):
            return
        if self.name(item, at) and self._names is not None and item["name"] not in self._names:
            message = f"{shown(item['name'])} is not in the registry"
            self.add(found.UNREGISTERED_NAME, f"{at}.name", message)
        if "kind" in item and not (isinstance(item["kind"], str) and item["kind"] in KINDS):
            hint = "allowed here: " + ", ".join(KINDS)
            self.add(found.UNKNOWN_KIND, f"{at}.kind", f"{shown(item['kind'])} is no kind", hint)
        self.refs(item, at)

    def name(self, item: dict[str, Any], at: str) -> bool:
        if "name" not in item:
            return False
        name = item["name"]
        if not isinstance(name, str):
            self.add(found.WRONG_TYPE, f"{at}.name", f"{shown(name)} is not a string")
            return False
        if not name.strip():
            self.add(found.BAD_NAME, f"{at}.name", "the name is empty")
            return False
        if name != canonical_name(name):
            message = f"{shown(name)} is not NFC, or has blanks at an end"
            self.add(found.BAD_NAME, f"{at}.name", message)
            return False
        return True

    def refs(self, item: dict[str, Any], at: str) -> None:
        if "source_refs" not in item:
            return
        refs = item["source_refs"]
        if not isinstance(refs, list):
            self.add(found.WRONG_TYPE, f"{at}.source_refs", f"{shown(refs)} is not an array")
            return
        if not refs:
            self.add(found.NO_EVIDENCE, f"{at}.source_refs", "source_refs is empty")
        for index, ref in enumerate(refs):
            self.ref(ref, f"{at}.source_refs[{index}]")

    def ref(self, ref: Any, at: str) -> None:
        if not self.members(ref, at, RANGE_MEMBERS):
            return
        if "source_id" in ref:
            self.source(ref["source_id"], f"{at}.source_id")
        ends = ("start_unit_id", "end_unit_id")
        good = [name in ref and self.unit(ref[name], f"{at}.{name}") for name in ends]
        if all(good) and ref["end_unit_id"] < ref["start_unit_id"]:
            first, last = ref["start_unit_id"], ref["end_unit_id"]
            self.add(found.BAD_RANGE, at, f"the range {first} to {last} is reversed")

    def source(self, source_id: Any, at: str) -> None:
        if not isinstance(source_id, str) or not source_id:
            self.add(found.WRONG_TYPE, at, f"{shown(source_id)} is not a source id")
        elif self._transcript is not None and source_id != self._transcript.source_id:
            message = f"{shown(source_id)} is not the current source"
            self.add(found.OUT_OF_SOURCE, at, message)

    def unit(self, unit_id: Any, at: str) -> bool:
        # bool is an int in Python, but true is no unit.
        if type(unit_id) is not int:
            self.add(found.WRONG_TYPE, at, f"{shown(unit_id)} is not a whole number")
            return False
        if unit_id < 1:
            self.add(found.BAD_RANGE, at, f"{shown(unit_id)} is below 1, the first unit")
            return False
        if self._last_unit is not None and unit_id > self._last_unit:
            message = f"unit {shown(unit_id)} is after {self._last_unit}, the last unit"
            self.add(found.OUT_OF_SOURCE, at, message)
            return False
        return True

    def normal_form(self, kind: ArtifactKind, payload: dict[str, Any]) -> None:
        member = "npcs" if kind is ArtifactKind.NPC_LIST else "interactions"
        key = npc_key if kind is ArtifactKind.NPC_LIST else interaction_key
        items = payload[member]
        seen_names: set[str] = set()
        for index, item in enumerate(items):
            at = f"$.{member}[{index}]"
            ranges = [range_key(ref) for ref in item["source_refs"]]
            if any(first >= second for first, second in pairwise(ranges)):
                self.add(found.NOT_NORMALISED, at, "its ranges are not in order, each once")
            if index and key(items[index - 1]) >= key(item):
                self.add(found.NOT_NORMALISED, at, "it is out of order, or there twice")
            if kind is ArtifactKind.NPC_LIST:
                self.identity(item, at, seen_names)

    def identity(self, item: dict[str, Any], at: str, seen_names: set[str]) -> None:
        if item["id"] != npc_id(item["name"]):
            message = f"{shown(item['id'])} is not the id of that name"
            self.add(found.NOT_NORMALISED, f"{at}.id", message)
        if item["name"] in seen_names:
            message = f"{shown(item['name'])} is registered twice"
            self.add(found.NOT_NORMALISED, f"{at}.name", message)
        seen_names.add(item["name"])


def shown(value: Any) -> str:
    """Return a short form of *value*; containers by type, so that nothing large is printed."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
        return "a very large number"
    text = repr(value[:VALUE_CHARS_SHOWN_MAX] if isinstance(value, str) else value)
    return text[: VALUE_CHARS_SHOWN_MAX + 2]
