"""The built-in validators and the order in which they stand by default."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import jsonschema_rs

from talebearer.errors import Problem, Severity, Where
from talebearer.errors import findings_extraction as found
from talebearer.extraction._validate import KINDS, canonical_name, shown, validate_payload
from talebearer.extraction.asking import list_member, reply_problems, response_schema
from talebearer.extraction.pipeline._components import Component, Role, Stage, Subject
from talebearer.transcripts import Transcript, Unit
from talebearer.vocabulary import ArtifactKind

PREFIX = {
    ArtifactKind.NPC_LIST: "dnd/npcs",
    ArtifactKind.NPC_INTERACTION_LIST: "dnd/npc-interactions",
}
SHAPE = (
    found.MISSING_MEMBER,
    found.EXTRA_MEMBER,
    found.WRONG_TYPE,
    found.BAD_NAME,
    found.UNKNOWN_KIND,
    found.NO_EVIDENCE,
)
REGISTRY = (found.UNREGISTERED_NAME,)
SOURCE_REFS = (found.BAD_RANGE, found.OUT_OF_SOURCE)
INVARIANTS = (found.NOT_NORMALISED,)
NEARBY_UNITS = 10
WARNINGS_MAX = 10
_EVERYWHERE = frozenset({"the", "and", "for", "from", "with"})
SCHEMA_PROBLEMS_MAX = 20
PATH_PARTS_MAX = 8

_REF = {
    "type": "object",
    "properties": {
        "source_id": {"type": "string", "minLength": 1},
        "start_unit_id": {"type": "integer", "minimum": 1},
        "end_unit_id": {"type": "integer", "minimum": 1},
    },
    "required": ["source_id", "start_unit_id", "end_unit_id"],
    "additionalProperties": False,
}


def default_chain(kind: ArtifactKind, stage: Stage) -> tuple[str, ...]:
    """Return the keys of a lane's default chain.

    Source: the NPC-interaction artifact spec, "Validation And Metadata".
    """
    prefix = PREFIX[kind]
    names = "registry" if kind is ArtifactKind.NPC_INTERACTION_LIST else "named"
    checks = [f"{prefix}/{check}" for check in ("shape", names, "source-refs")]
    invariants = [f"{prefix}/invariants"] if stage is Stage.NORMALIZE else []
    return (
        "generic/valid_json",
        *checks,
        "generic/valid_json_schema",
        *invariants,
        f"{prefix}/relatedness",
    )


def durable_schema(kind: ArtifactKind) -> dict[str, Any]:
    """Return the JSON Schema of a durable payload."""
    properties: dict[str, Any] = {"name": {"type": "string", "minLength": 1}}
    if kind is ArtifactKind.NPC_LIST:
        properties["id"] = {"type": "string", "pattern": "^npc-[0-9a-f]{12}$"}
    else:
        properties["kind"] = {"enum": list(KINDS)}
    properties["source_refs"] = {"type": "array", "minItems": 1, "items": _REF}
    item = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    member = list_member(kind)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {member: {"type": "array", "items": item}},
        "required": [member],
        "additionalProperties": False,
    }


def contract_problems(subject: Subject) -> list[Problem]:
    """Return every way in which the subject breaks its form, whatever chain is configured."""
    if subject.parse_problems:
        return list(subject.parse_problems)
    # Each check of the chain asks for its part of the same list.
    if "contract" not in subject.memo:
        subject.memo["contract"] = _contract_problems(subject)
    return list(subject.memo["contract"])


def _contract_problems(subject: Subject) -> list[Problem]:
    if subject.stage is Stage.EXTRACT:
        return reply_problems(
            subject.kind,
            subject.value,
            first=subject.first,
            last=subject.last,
            names=subject.names,
        )
    return validate_payload(
        subject.kind, subject.value, transcript=subject.transcript, names=subject.names
    )


def validators() -> tuple[Component, ...]:
    """Return the built-in validators."""
    made = [
        _validator("generic/valid_json", None, _valid_json),
        _validator("generic/valid_json_schema", None, _valid_schema),
        _validator("dnd/npc-interactions/registry", _INTERACTIONS, _only(REGISTRY)),
        _validator("dnd/npcs/named", ArtifactKind.NPC_LIST, _named),
    ]
    for kind, prefix in PREFIX.items():
        made += [
            _validator(f"{prefix}/shape", kind, _only(SHAPE)),
            _validator(f"{prefix}/source-refs", kind, _only(SOURCE_REFS)),
            _validator(f"{prefix}/invariants", kind, _only(INVARIANTS)),
            _validator(f"{prefix}/relatedness", kind, _related, warning_only=True),
        ]
    return tuple(made)


_INTERACTIONS = ArtifactKind.NPC_INTERACTION_LIST
Work = Callable[[Subject], list[Problem]]


def _validator(
    key: str, kind: ArtifactKind | None, work: Work, *, warning_only: bool = False
) -> Component:
    return Component(
        key=key, role=Role.VALIDATE, kind=kind, work=work, warning_only=warning_only, draft=False
    )


def _valid_json(subject: Subject) -> list[Problem]:
    return list(subject.parse_problems)


def _only(codes: Collection[str]) -> Work:
    def check(subject: Subject) -> list[Problem]:
        return [one for one in contract_problems(subject) if one.code in codes]

    return check


def _valid_schema(subject: Subject) -> list[Problem]:
    schema = durable_schema(subject.kind)
    if subject.stage is Stage.EXTRACT:
        schema = response_schema(subject.kind)
    problems: list[Problem] = []
    for error in jsonschema_rs.validator_for(schema).iter_errors(subject.value):
        parts = list(error.instance_path)[:PATH_PARTS_MAX]
        # The schema's own message may quote whole lists, so that only place and rule are told.
        pointer = "$" + "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts
        )
        rule = "/".join(str(part) for part in list(error.schema_path)[-2:])
        problems.append(
            _error(found.WRONG_TYPE, pointer[:120], f"the schema rule {rule} is broken")
        )
        if len(problems) >= SCHEMA_PROBLEMS_MAX:
            break
    return problems


def _named(subject: Subject) -> list[Problem]:
    """Report registry entries that have no word in common with the units that they come from.

    At ``extract`` these are the units of the chunk and those just before it, at ``normalize`` the
    whole source.
    """
    first = max(1, subject.first - NEARBY_UNITS) if subject.stage is Stage.EXTRACT else 1
    text = folded(" ".join(unit.text for unit in _units(subject.transcript, first, subject.last)))
    member = list_member(subject.kind)
    problems = []
    for index, item in enumerate(_items(subject)):
        if not mentions([text], item["name"], _spellings(subject)):
            message = f"{shown(item['name'])} does not occur in the transcript"
            problems.append(_error(found.INVENTED_NAME, f"$.{member}[{index}].name", message))
    return problems


def _related(subject: Subject) -> list[Problem]:
    """Warn of items whose units, and those just before them, do not have the name."""
    problems: list[Problem] = []
    for item in _items(subject):
        ranges = _ranges(item)
        texts = (
            _folded_unit(subject, unit)
            for start, end in ranges
            for unit in _units(subject.transcript, max(1, start - NEARBY_UNITS), end)
        )
        if not mentions(texts, item["name"], _spellings(subject)):
            where = Where(first_unit=min(ranges)[0], last_unit=max(end for _, end in ranges))
            message = "neither these units nor the ten before them have the name of the record"
            problems.append(
                Problem(
                    code=found.UNRELATED_SOURCE,
                    severity=Severity.WARNING,
                    where=where,
                    message=message,
                )
            )
        if len(problems) >= WARNINGS_MAX:
            break
    return problems


def folded(text: str) -> str:
    """Return *text* in the form that names are searched in: NFC, one apostrophe, no case."""
    return unicodedata.normalize("NFC", text).replace("’", "'").casefold()


def mentions(texts: Iterable[str], name: str, spellings: Mapping[str, Sequence[str]]) -> bool:
    """Whether one of the folded *texts* has *name*, a word of it, or a known spelling.

    Args:
        texts: Folded.
        name: Whose.
        spellings: Canonical name to its other spellings, folded.
    """
    words = folded(name).split()
    longest = max(map(len, words), default=0)
    # Short words and those that any sentence has say nothing unless the name has no other.
    telling = [word for word in words if len(word) > 2 and word not in _EVERYWHERE]
    telling = telling or [word for word in words if len(word) == longest]
    wanted = (*telling, *spellings.get(canonical_name(name), ()))
    return any(_stands_in(word, text) for text in texts for word in wanted)


def _stands_in(word: str, text: str) -> bool:
    """Whether a word of *text* begins with *word*; in scripts without blanks it may stand anywhere."""
    at = text.find(word)
    while at > 0 and word[0].isascii() and text[at - 1].isalnum():
        at = text.find(word, at + 1)
    return at >= 0


def _spellings(subject: Subject) -> Mapping[str, Sequence[str]]:
    """Return the folded spellings of every canonical name, worked out once a subject."""
    if "spellings" not in subject.memo:
        made: dict[str, list[str]] = {}
        for name, others in subject.glossary.items():
            made.setdefault(canonical_name(name), []).extend(map(folded, others))
        subject.memo["spellings"] = made
    known: Mapping[str, Sequence[str]] = subject.memo["spellings"]
    return known


def _folded_unit(subject: Subject, unit: Unit) -> str:
    """Return the folded text of *unit*; many items cite the same units, so each is folded once."""
    texts: dict[int, str] = subject.memo.setdefault("texts", {})
    if unit.unit_id not in texts:
        texts[unit.unit_id] = folded(unit.text)
    return texts[unit.unit_id]


def _items(subject: Subject) -> list[dict[str, Any]]:
    """Return the items of a subject whose form is right; others find nothing to compare."""
    wrong = (*SHAPE, *SOURCE_REFS, found.MALFORMED_JSON, found.DUPLICATE_KEY)
    if any(problem.code in wrong for problem in contract_problems(subject)):
        return []
    items: list[dict[str, Any]] = subject.value[list_member(subject.kind)]
    return items


def _ranges(item: Mapping[str, Any]) -> list[tuple[int, int]]:
    if "ranges" in item:
        return [(one["start"], one["end"]) for one in item["ranges"]]
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in item["source_refs"]]


def _units(transcript: Transcript, first: int, last: int) -> Iterable[Unit]:
    return transcript.units[first - 1 : last]


def _error(code: str, pointer: str, message: str) -> Problem:
    return Problem(
        code=code, severity=Severity.ERROR, where=Where(pointer=pointer), message=message
    )
