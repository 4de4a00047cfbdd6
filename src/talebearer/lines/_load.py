"""Pack bytes to a checked :class:`Pack`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from talebearer.errors import InvalidPack
from talebearer.lines import _reader as read
from talebearer.lines._pack import Enums, Pack
from talebearer.lines._types import (
    PRIORITY_DEFAULT,
    PRIORITY_MAX,
    TEXT_CHARS_MAX,
    AttributeGate,
    DialogueLine,
    DialoguePool,
    FactGate,
    InteractionGate,
    KnowledgeGrant,
    MonologueLine,
    MonologuePool,
    Prerequisites,
    Profile,
    RelationshipGate,
)
from talebearer.vocabulary import (
    DIALOGUE_ID,
    ENTITY_REF,
    FACT_ID,
    MONOLOGUE_ID,
    SLUG,
    Confidence,
    InteractionState,
    RelationshipState,
    fullmatch,
)

PACK_FORMAT = "talebearer.pack"
PACK_VERSION = 1

_COOLDOWN_TICKS_MAX = 2**32 - 1
_COUNT_MAX = 2**32 - 1
_PACK_MEMBERS = (
    "format",
    "version",
    "enums",
    "characters",
    "facts",
    "profiles",
    "conditions",
    "pools",
)
_PACK_EXTRAS = ("state", "triggers")
_ENUM_NAMES = ("access", "trust", "situations", "topics", "moods", "triggers")
_PROFILE_MEMBERS = ("aliases", "role", "location", "attributes", "scene", "tolerance")
_DIALOGUE_MEMBERS = ("id", "text", "role", "access", "trust", "situation")
_DIALOGUE_EXTRAS = ("topic", "mood", "tags", "knowledge_grant", "prerequisites")
_MONOLOGUE_EXTRAS = ("priority", "cooldown", "tags", "prerequisites")
_PREREQUISITES = ("facts", "entity_attributes", "relationship", "interaction")


def load_pack(data: bytes) -> Pack:
    """Return the pack in *data*, the bytes of a pack file, checked as a whole.

    Members that the line-pool spec calls optional may be left out. Nothing unknown is ignored: a
    gate of a later version that was dropped would open a line that its author had closed.

    Raises:
        InvalidPack: *data* is no pack, of a newer version, or malformed anywhere (TB114); the
            message and ``data["pointer"]`` name the place.

    Source: the line-pool spec section 9.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InvalidPack(
            f"a pack is bytes, not {type(data).__name__}",
            hint="give the pack file's bytes, such as compile_content(folder).data",
        )
    top = read.mapping(read.parse_json(data), "$")
    _check_version(top)
    top = read.members(top, "$", required=_PACK_MEMBERS, optional=_PACK_EXTRAS)
    read.mapping(top["conditions"], "$.conditions")
    enums = _enums(top["enums"])
    characters = _characters(top["characters"])
    dialogue, monologue = _pools(top["pools"], enums=enums, characters=characters)
    return Pack(
        digest=f"sha256:{hashlib.sha256(data).hexdigest()}",
        enums=enums,
        characters=characters,
        facts=_facts(top["facts"]),
        profiles=_profiles(top["profiles"]),
        dialogue_pools=dialogue,
        monologue_pools=monologue,
    )


def _check_version(top: dict[str, Any]) -> None:
    if top.get("format") != PACK_FORMAT:
        read.refuse("$.format", f"expected {PACK_FORMAT!r}, found {read.shown(top.get('format'))}")
    version = read.integer(top.get("version"), "$.version", minimum=1, maximum=10**9)
    if version > PACK_VERSION:
        raise InvalidPack(
            f"the pack is of version {version}, and this program knows up to {PACK_VERSION}",
            hint="install a newer Talebearer, or build the pack with this one",
            data={"pointer": "$.version", "found": version, "known_max": PACK_VERSION},
        )


def _enums(value: Any) -> Enums:
    found = read.members(value, "$.enums", required=_ENUM_NAMES)
    return Enums(**{name: read.strings(found[name], f"$.enums.{name}") for name in _ENUM_NAMES})


def _characters(value: Any) -> dict[str, str]:
    letters: dict[str, str] = {}
    for name, entry in read.mapping(value, "$.characters").items():
        at = f"$.characters.{name}"
        read.matching(name, at, SLUG)
        letter = read.matching(
            read.members(entry, at, required=("letter",))["letter"], f"{at}.letter", "[a-z]"
        )
        if letter in letters.values():
            read.refuse(f"{at}.letter", f"{letter!r} is another character's letter, too")
        letters[name] = letter
    return letters


def _facts(value: Any) -> dict[str, str]:
    facts = read.mapping(value, "$.facts")
    for fact_id, description in facts.items():
        read.matching(fact_id, f"$.facts.{fact_id}", FACT_ID)
        read.string(description, f"$.facts.{fact_id}", empty=True)
    return facts


def _profiles(value: Any) -> dict[str, Profile]:
    entries = read.mapping(value, "$.profiles").items()
    return {slug: _profile(slug, entry, f"$.profiles.{slug}") for slug, entry in entries}


def _profile(slug: str, value: Any, at: str) -> Profile:
    found = read.members(value, at, required=("name",), optional=_PROFILE_MEMBERS)
    attributes = read.mapping(found.get("attributes", {}), f"{at}.attributes")
    for key, word in attributes.items():
        if not isinstance(word, int | float):  # numbers and flags are for comparisons
            read.string(word, f"{at}.attributes.{key}", empty=True)
    return Profile(
        slug=read.matching(slug, at, SLUG),
        name=read.string(found["name"], f"{at}.name"),
        aliases=read.strings(found.get("aliases", []), f"{at}.aliases", unique=False),
        role=_slug_or_none(found.get("role"), f"{at}.role"),
        location=_slug_or_none(found.get("location"), f"{at}.location"),
        attributes=attributes,
        scene=read.mapping(found.get("scene", {}), f"{at}.scene"),
        tolerance=read.mapping(found.get("tolerance", {}), f"{at}.tolerance"),
    )


def _slug_or_none(value: Any, at: str) -> str | None:
    return None if value is None else read.matching(value, at, SLUG)


def _pools(
    value: Any, *, enums: Enums, characters: dict[str, str]
) -> tuple[list[DialoguePool], list[MonologuePool]]:
    dialogue: list[DialoguePool] = []
    monologue: list[MonologuePool] = []
    paths: set[str] = set()
    for position, entry in enumerate(read.items(value, "$.pools")):
        at = f"$.pools[{position}]"
        kind = read.mapping(entry, at).get("kind")
        if read.one_of(kind, f"{at}.kind", allowed=("dialogue", "monologue")) == "dialogue":
            dialogue.append(_dialogue_pool(entry, at, enums=enums))
        else:
            monologue.append(_monologue_pool(entry, at, enums=enums, characters=characters))
        path = entry["path"]
        if path in paths:
            read.refuse(f"{at}.path", f"another pool has the path {path!r}, too")
        paths.add(path)
    return dialogue, monologue


def _dialogue_pool(value: dict[str, Any], at: str, *, enums: Enums) -> DialoguePool:
    read.members(value, at, required=("path", "kind", "location", "role", "lines"))
    entries = enumerate(read.items(value["lines"], f"{at}.lines"))
    lines = tuple(_dialogue_line(entry, f"{at}.lines[{n}]", enums=enums) for n, entry in entries)
    _check_unique((line.id for line in lines), at)
    return DialoguePool(
        path=read.pool_path(value["path"], f"{at}.path"),
        location=read.matching(value["location"], f"{at}.location", SLUG),
        role=read.matching(value["role"], f"{at}.role", SLUG),
        lines=lines,
        trust_order=enums.trust,
    )


def _monologue_pool(
    value: dict[str, Any], at: str, *, enums: Enums, characters: dict[str, str]
) -> MonologuePool:
    read.members(value, at, required=("path", "kind", "character", "location", "lines"))
    character = read.one_of(value["character"], f"{at}.character", allowed=characters)
    entries = enumerate(read.items(value["lines"], f"{at}.lines"))
    lines = tuple(
        _monologue_line(entry, f"{at}.lines[{n}]", enums=enums, letter=characters[character])
        for n, entry in entries
    )
    _check_unique((line.id for line in lines), at)
    return MonologuePool(
        path=read.pool_path(value["path"], f"{at}.path"),
        character=character,
        location=read.matching(value["location"], f"{at}.location", SLUG),
        lines=lines,
    )


def _check_unique(ids: Iterable[str], at: str) -> None:
    seen: set[str] = set()
    for position, line_id in enumerate(ids):
        if line_id in seen:
            read.refuse(f"{at}.lines[{position}].id", f"{line_id!r} is there twice")
        seen.add(line_id)


def _dialogue_line(value: Any, at: str, *, enums: Enums) -> DialogueLine:
    value = _in_the_spec_s_words(value, at)
    found = read.members(value, at, required=_DIALOGUE_MEMBERS, optional=_DIALOGUE_EXTRAS)
    return DialogueLine(
        id=read.matching(found["id"], f"{at}.id", DIALOGUE_ID),
        text=read.string(found["text"], f"{at}.text"),
        role=read.matching(found["role"], f"{at}.role", SLUG),
        access=read.chosen(found["access"], f"{at}.access", allowed=enums.access, count_min=1),
        trust=read.one_of(found["trust"], f"{at}.trust", allowed=enums.trust),
        situation=read.chosen(
            found["situation"], f"{at}.situation", allowed=enums.situations, count_min=1
        ),
        topic=read.chosen(found.get("topic", []), f"{at}.topic", allowed=enums.topics),
        mood=read.chosen(found.get("mood", []), f"{at}.mood", allowed=enums.moods),
        tags=read.strings(found.get("tags", []), f"{at}.tags", unique=False),
        knowledge_grant=_grant(found, at),
        prerequisites=_prerequisites(found, at),
    )


def _monologue_line(value: Any, at: str, *, enums: Enums, letter: str) -> MonologueLine:
    required = ("id", "text", "trigger")
    value = _in_the_spec_s_words(value, at)
    found = read.members(value, at, required=required, optional=_MONOLOGUE_EXTRAS)
    text = read.string(found["text"], f"{at}.text")
    if len(text) > TEXT_CHARS_MAX:
        read.refuse(f"{at}.text", f"{len(text)} characters, more than {TEXT_CHARS_MAX}")
    line_id = read.matching(found["id"], f"{at}.id", MONOLOGUE_ID)
    if not fullmatch(rf".*_m_{letter}_[0-9]+", line_id):
        read.refuse(f"{at}.id", f"{line_id!r} lacks the character's letter {letter!r}")
    return MonologueLine(
        id=line_id,
        text=text,
        trigger=read.one_of(found["trigger"], f"{at}.trigger", allowed=enums.triggers),
        priority=read.integer(
            found.get("priority", PRIORITY_DEFAULT),
            f"{at}.priority",
            minimum=0,
            maximum=PRIORITY_MAX,
        ),
        cooldown=read.integer(
            found.get("cooldown", 0), f"{at}.cooldown", minimum=0, maximum=_COOLDOWN_TICKS_MAX
        ),
        tags=read.strings(found.get("tags", []), f"{at}.tags", unique=False),
        prerequisites=_prerequisites(found, at),
    )


def _in_the_spec_s_words(value: Any, at: str) -> dict[str, Any]:
    """Return the line *value* with ``when`` and ``effects`` as the spec's fields.

    What those fields cannot say is refused, so that no gate is lost.
    """
    line = dict(read.mapping(value, at))
    if "when" in line:
        line["prerequisites"] = _gates_of_the_spec(line.pop("when"), f"{at}.when")
    if "effects" in line:
        where = f"{at}.effects"
        effects = read.items(line.pop("effects"), where)
        if len(effects) != 1:
            read.refuse(where, "only one effect is known here")
        line["knowledge_grant"] = read.members(effects[0], where, required=("grant",))["grant"]
    return line


def _gates_of_the_spec(value: Any, at: str) -> dict[str, Any]:
    known = ("facts", "entity_attributes", "relationships", "interactions")
    when = read.members(value, at, required=(), optional=known)
    gates = {name: when[name] for name in ("facts",) if name in when}
    for gate in when.get("entity_attributes", ()):
        renamed = {"value" if name == "=" else name: part for name, part in gate.items()}
        gates.setdefault("entity_attributes", []).append(renamed)
    for many, one in (("relationships", "relationship"), ("interactions", "interaction")):
        entries = when.get(many, [])
        if len(entries) > 1:
            read.refuse(f"{at}.{many}", "only one is known here")
        if entries:
            gates[one] = dict(entries[0])
    count = gates.get("interaction", {}).pop("count", None)
    if count is not None:
        gates["interaction"]["min_count"] = read.members(count, at, required=(">=",))[">="]
    return gates


def _grant(line: dict[str, Any], at: str) -> KnowledgeGrant | None:
    if "knowledge_grant" not in line:
        return None
    at = f"{at}.knowledge_grant"
    found = read.members(line["knowledge_grant"], at, required=("fact_id", "confidence"))
    fact_id = read.matching(found["fact_id"], f"{at}.fact_id", FACT_ID)
    if fact_id.startswith("interaction."):  # memory would refuse it in the middle of a game
        read.refuse(f"{at}.fact_id", f"{fact_id!r} is an interaction, which no line can grant")
    return KnowledgeGrant(
        fact_id=fact_id,
        confidence=read.member_of(found["confidence"], f"{at}.confidence", Confidence),
    )


def _prerequisites(line: dict[str, Any], at: str) -> Prerequisites | None:
    if "prerequisites" not in line:
        return None
    at = f"{at}.prerequisites"
    found = read.members(line["prerequisites"], at, required=(), optional=_PREREQUISITES)
    facts = enumerate(read.items(found.get("facts", []), f"{at}.facts"))
    attributes = enumerate(
        read.items(found.get("entity_attributes", []), f"{at}.entity_attributes")
    )
    return Prerequisites(
        facts=tuple(_fact_gate(gate, f"{at}.facts[{n}]") for n, gate in facts),
        entity_attributes=tuple(
            _attribute_gate(gate, f"{at}.entity_attributes[{n}]") for n, gate in attributes
        ),
        relationship=(
            _relationship_gate(found["relationship"], f"{at}.relationship")
            if "relationship" in found
            else None
        ),
        interaction=(
            _interaction_gate(found["interaction"], f"{at}.interaction")
            if "interaction" in found
            else None
        ),
    )


def _fact_gate(value: Any, at: str) -> FactGate:
    found = read.members(value, at, required=("fact_id", "min_confidence"))
    return FactGate(
        fact_id=read.matching(found["fact_id"], f"{at}.fact_id", FACT_ID),
        min_confidence=read.member_of(found["min_confidence"], f"{at}.min_confidence", Confidence),
    )


def _attribute_gate(value: Any, at: str) -> AttributeGate:
    found = read.members(value, at, required=("entity", "key", "value"))
    return AttributeGate(
        entity=read.matching(found["entity"], f"{at}.entity", ENTITY_REF),
        key=read.string(found["key"], f"{at}.key"),
        value=read.string(found["value"], f"{at}.value", empty=True),
    )


def _relationship_gate(value: Any, at: str) -> RelationshipGate:
    found = read.members(value, at, required=("target",), optional=("state", "states"))
    if ("state" in found) == ("states" in found):
        read.refuse(at, "expected one of 'state' and 'states'")
    target = read.matching(found["target"], f"{at}.target", ENTITY_REF)
    if "state" in found:
        state = read.member_of(found["state"], f"{at}.state", RelationshipState)
        return RelationshipGate(target=target, state=state)
    known = [state.value for state in RelationshipState]
    states = read.chosen(found["states"], f"{at}.states", allowed=known, count_min=1)
    return RelationshipGate(target=target, states=tuple(map(RelationshipState, states)))


def _interaction_gate(value: Any, at: str) -> InteractionGate:
    found = read.members(value, at, required=("target",), optional=("state", "min_count"))
    state = None
    if "state" in found:
        state = read.member_of(found["state"], f"{at}.state", InteractionState)
    return InteractionGate(
        target=read.matching(found["target"], f"{at}.target", ENTITY_REF),
        state=state,
        min_count=read.integer(
            found.get("min_count", 1), f"{at}.min_count", minimum=1, maximum=_COUNT_MAX
        ),
    )
