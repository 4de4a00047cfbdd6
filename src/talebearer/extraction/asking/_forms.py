"""The private response form of each lane: what a model may answer, and how it is checked.

It is narrower than the artifact: names, kinds and unit ranges. The source's identity, the order and
everything durable are ours. Messages quote the reply clipped and never quote a reference.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from talebearer.errors import CATALOGUE, Problem, Severity, Where
from talebearer.errors import findings_extraction as found
from talebearer.extraction._validate import KINDS, canonical_name, shown
from talebearer.vocabulary import ArtifactKind

PROBLEMS_MAX = 100
RE_ASK_CHARS_MAX = 1000
NAME_CHARS_MAX = 200
ENUM_NAMES_MAX = 500
ITEMS_PER_UNIT_MAX = 4
RANGES_MAX = 8

_RANGES: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"start": {"type": "integer"}, "end": {"type": "integer"}},
        "required": ["start", "end"],
        "additionalProperties": False,
    },
}


def list_member(kind: ArtifactKind) -> str:
    """Return the one member of a lane's reply and payload."""
    return "npcs" if kind is ArtifactKind.NPC_LIST else "interactions"


def item_members(kind: ArtifactKind) -> tuple[str, ...]:
    """Return the members of one item of a reply."""
    return ("name", "ranges") if kind is ArtifactKind.NPC_LIST else ("name", "kind", "ranges")


def response_schema(kind: ArtifactKind) -> dict[str, Any]:
    """Return the JSON Schema of a lane's reply, in the subset that every provider knows.

    Only structure: all members required, none more, string enumerations, no bounds.

    Source: the roadmap, "Prompt And Model Boundary".
    """
    properties: dict[str, Any] = {"name": {"type": "string"}}
    if kind is ArtifactKind.NPC_INTERACTION_LIST:
        properties["kind"] = {"type": "string", "enum": list(KINDS)}
    properties["ranges"] = _RANGES
    item = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    member = list_member(kind)
    return {
        "type": "object",
        "properties": {member: {"type": "array", "items": item}},
        "required": [member],
        "additionalProperties": False,
    }


def tight_schema(
    kind: ArtifactKind, first: int, last: int, names: Sequence[str] | None
) -> dict[str, Any]:
    """Return the response schema for one chunk, as narrow as a grammar can make it.

    Units lie within the chunk, every item has a range, names are the registry's unless there are too
    many to list, and a reply that runs in circles ends. What a reply means is the same as ever.

    Args:
        kind: Whose form.
        first: First unit that may be cited.
        last: Last unit that may be cited.
        names: The registry's names; None where any name goes.
    """
    schema = copy.deepcopy(response_schema(kind))
    items = schema["properties"][list_member(kind)]
    items["maxItems"] = ITEMS_PER_UNIT_MAX * (last - first + 1)
    properties = items["items"]["properties"]
    if names and len(names) <= ENUM_NAMES_MAX:
        properties["name"]["enum"] = list(names)
    ranges = properties["ranges"]
    ranges.update(minItems=1, maxItems=RANGES_MAX)
    for end in ranges["items"]["properties"].values():
        end.update(minimum=first, maximum=last)
    return schema


def schema_identity(kind: ArtifactKind) -> dict[str, str]:
    """Return name and digest of the private response schema, for manifest and checkpoints."""
    text = json.dumps(response_schema(kind), sort_keys=True, separators=(",", ":"))
    digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    return {"name": f"{list_member(kind)}_response_v1", "digest": digest}


def reply_problems(
    kind: ArtifactKind,
    value: Any,
    *,
    first: int,
    last: int,
    names: Collection[str] | None = None,
) -> list[Problem]:
    """Return how *value* breaks the response form, at most a hundred problems.

    Args:
        kind: Whose form.
        value: Any JSON value.
        first: First unit that may be cited.
        last: Last unit that may be cited.
        names: The registry's names; None where any name goes.
    """
    check = _ReplyCheck(kind, first, last, names)
    check.reply(value)
    return check.problems[:PROBLEMS_MAX]


def re_ask_text(problems: Collection[Problem], *, first: int, last: int) -> str:
    """Return the errors of a rejected reply for the re-ask, at most 1,000 characters.

    Places and titles only: nothing of the rejected reply is sent back.

    Source: rule NI-E6-re-ask.
    """
    head = (
        "\nAn earlier answer was rejected. Answer again. Cite only units "
        f"{first} to {last}. What was wrong:\n"
    )
    lines = dict.fromkeys(f"- {one.where.pointer}: {CATALOGUE[one.code].title}" for one in problems)
    text = head
    for line in lines:
        if len(text) + len(line) + 1 > RE_ASK_CHARS_MAX:
            break
        text += line + "\n"
    return text


class _ReplyCheck:
    """Collects problems while it walks one reply."""

    def __init__(
        self, kind: ArtifactKind, first: int, last: int, names: Collection[str] | None
    ) -> None:
        self.problems: list[Problem] = []
        self._kind = kind
        self._first = first
        self._last = last
        self._known = None if names is None else {canonical_name(name) for name in names}

    def add(self, code: str, at: str, message: str) -> None:
        place = Where(pointer=at)
        self.problems.append(
            Problem(code=code, severity=Severity.ERROR, where=place, message=message)
        )

    def members(self, value: Any, at: str, expected: tuple[str, ...]) -> bool:
        if not isinstance(value, dict):
            self.add(found.WRONG_TYPE, at, f"{shown(value)} is not an object")
            return False
        missing = [name for name in expected if name not in value]
        for name in missing:
            self.add(found.MISSING_MEMBER, at, f"{name!r} is missing")
        for name in value:
            if name not in expected:
                self.add(found.EXTRA_MEMBER, at, f"{shown(name)} is not allowed")
                break
        return not missing

    def reply(self, value: Any) -> None:
        member = list_member(self._kind)
        if not self.members(value, "$", (member,)):
            return
        items = value[member]
        if not isinstance(items, list):
            self.add(found.WRONG_TYPE, f"$.{member}", f"{shown(items)} is not an array")
            return
        for index, item in enumerate(items):
            if len(self.problems) >= PROBLEMS_MAX:
                return
            self.item(item, f"$.{member}[{index}]")

    def item(self, item: Any, at: str) -> None:
        if not self.members(item, at, item_members(self._kind)):
            return
        self.name(item["name"], f"{at}.name")
        if "kind" in item and self._kind is ArtifactKind.NPC_INTERACTION_LIST:
            kind = item["kind"]
            if not (isinstance(kind, str) and kind in KINDS):
                self.add(found.UNKNOWN_KIND, f"{at}.kind", f"{shown(kind)} is no kind")
        self.ranges(item["ranges"], f"{at}.ranges")

    def name(self, name: Any, at: str) -> None:
        if not isinstance(name, str):
            self.add(found.WRONG_TYPE, at, f"{shown(name)} is not a string")
        elif not name.strip():
            self.add(found.BAD_NAME, at, "the name is empty")
        elif len(name) > NAME_CHARS_MAX or not name.isprintable():
            self.add(found.BAD_NAME, at, f"{shown(name)} is too long, or has control characters")
        elif self._known is not None and canonical_name(name) not in self._known:
            self.add(found.UNREGISTERED_NAME, at, f"{shown(name)} is not in the registry")

    def ranges(self, ranges: Any, at: str) -> None:
        if not isinstance(ranges, list):
            self.add(found.WRONG_TYPE, at, f"{shown(ranges)} is not an array")
            return
        if not ranges:
            self.add(found.NO_EVIDENCE, at, "no range is given")
        for index, one in enumerate(ranges[: PROBLEMS_MAX * 100]):
            if len(self.problems) >= PROBLEMS_MAX:
                return
            self.range(one, f"{at}[{index}]")

    def range(self, one: Any, at: str) -> None:
        if not self.members(one, at, ("start", "end")):
            return
        good = [self.unit(one[name], f"{at}.{name}") for name in ("start", "end")]
        if all(good) and one["end"] < one["start"]:
            self.add(found.BAD_RANGE, at, f"the range {one['start']} to {one['end']} is reversed")

    def unit(self, unit_id: Any, at: str) -> bool:
        # bool is an int in Python, but true is no unit.
        if type(unit_id) is not int:
            self.add(found.WRONG_TYPE, at, f"{shown(unit_id)} is not a whole number")
            return False
        if not self._first <= unit_id <= self._last:
            message = f"unit {shown(unit_id)} is not one of {self._first} to {self._last}"
            self.add(found.OUT_OF_SOURCE, at, message)
            return False
        return True


def candidates(
    kind: ArtifactKind, value: Mapping[str, Any], source_id: str
) -> list[dict[str, Any]]:
    """Return the items of an accepted reply with the current source attached to every range."""
    made = []
    for item in value[list_member(kind)]:
        refs = [
            {
                "source_id": source_id,
                "start_unit_id": one["start"],
                "end_unit_id": one["end"],
            }
            for one in item["ranges"]
        ]
        kept = {name: item[name] for name in item_members(kind) if name != "ranges"}
        made.append({**kept, "source_refs": refs})
    return made
