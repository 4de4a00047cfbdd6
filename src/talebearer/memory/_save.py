"""Saves: a mind's state as JSON, and back. Loading trusts nothing.

A save holds what cannot be worked out from the rest; aggregates, order and what is in progress are
derived on loading, so they cannot disagree with the facts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from talebearer.errors import InvalidSave
from talebearer.memory import _checks
from talebearer.memory._checks import INTERACTION_CATEGORY, Malformed, show
from talebearer.memory._facts import EntityKnowledge, FactKnowledge, InteractionMetadata
from talebearer.memory._fold import interaction_id
from talebearer.memory._state import MindState, slot_of
from talebearer.vocabulary import (
    ENTITY_REF,
    INTERACTION_ID,
    MIND_ID,
    SLUG,
    Confidence,
    FactState,
    InteractionState,
    RelationshipState,
)

FORMAT = "talebearer.mind"
SCHEMA_VERSION = 1

_MEMBERS = frozenset(
    {
        "format",
        "schema_version",
        "mind",
        "tick",
        "marks",
        "numbers",
        "facts",
        "entities",
        "fired",
        "picks",
    }
)
_FACT = frozenset({"confidence", "source", "state", "acquired_tick"})
_FACT_ALLOWED = _FACT | {"metadata", "provenance", "origin"}
_ENTITY = frozenset(
    {
        "confidence",
        "relationship_state",
        "source",
        "attributes",
        "first_tick",
        "last_tick",
        "provenance",
    }
)
_METADATA = frozenset(
    {
        "kind",
        "target_entity",
        "interaction_state",
        "started_tick",
        "ended_tick",
        "topics",
        "confrontation",
        "player_initiated",
        "location",
    }
)
_PICKS = frozenset({"tick", "count"})

_REF = re.compile(ENTITY_REF)
_MIND = re.compile(MIND_ID)
_SLUG = re.compile(SLUG)
_INTERACTION = re.compile(INTERACTION_ID)
_CONFIDENCES = {value.value: value for value in Confidence}
_FACT_STATES = {value.value: value for value in FactState}
_INTERACTION_STATES = {value.value: value for value in InteractionState}
_RELATIONS = {value.value: value for value in RelationshipState}
_DIGITS_MAX = 19


def encode(state: MindState) -> dict[str, Any]:
    """Return *state* as a JSON object of schema version 1."""
    heard = sorted(state.fired.items(), key=lambda item: item[1][0])
    tick, count = state.picks
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "mind": state.mind_id,
        "tick": state.tick,
        "marks": dict(state.marks),
        "numbers": dict(state.numbers),
        "facts": {name: fact.as_json() for name, fact in state.facts.items()},
        "entities": {name: entity.as_json() for name, entity in state.entities.items()},
        "fired": [[pool, line, fired] for (pool, line), (_, fired) in heard],
        "picks": {"tick": tick, "count": count},
    }


def to_bytes(value: Mapping[str, Any]) -> bytes:
    """Return the canonical bytes: UTF-8, members in code point order, no spaces, one final LF."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8") + b"\n"


def from_bytes(data: bytes) -> object:
    """Read JSON, refusing what it does not define.

    Raises:
        InvalidSave: The bytes are no JSON document (TB116).
    """
    try:
        value: object = json.loads(
            data, parse_constant=_refuse_constant, object_pairs_hook=_distinct
        )
    except (ValueError, RecursionError) as fault:
        raise InvalidSave(f"the save is no JSON document: {fault}") from fault
    return value


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object names a member twice")
    return value


def decode(value: object) -> MindState:
    """Check *value* and return the state that it describes.

    Raises:
        InvalidSave: It is malformed, or newer than this version (TB116).
    """
    try:
        return _decode(value)
    except Malformed as fault:
        hint = f"allowed here: {fault.allowed}" if fault.allowed else ""
        name = fault.field or "the save"
        raise InvalidSave(
            f"{name}: {fault.problem}", hint=hint, data={"field": fault.field}
        ) from None


def _decode(value: object) -> MindState:
    if not isinstance(value, Mapping):
        raise Malformed("", f"{show(value)} is not an object", "an object")
    _check_version(value)
    given = _checks.members(value, "", _MEMBERS)
    state = MindState(_checks.formed(given["mind"], "mind", _MIND))
    state.tick = _checks.whole(given["tick"], "tick")
    state.marks.update(_counters(given["marks"], "marks"))
    for slug, number in _counters(given["numbers"], "numbers").items():
        state.raise_number(_checks.formed(slug, "numbers", _SLUG), number)
    for name, item in _object(given["entities"], "entities"):
        state.put_entity(_entity(name, item))
    for name, item in _object(given["facts"], "facts"):
        _add_fact(state, name, item)
    _add_fired(state, given["fired"])
    picks = _checks.members(given["picks"], "picks", _PICKS)
    tick = _checks.whole(picks["tick"], "picks.tick")
    state.picks = (tick, _checks.whole(picks["count"], "picks.count"))
    return state


def _check_version(value: Mapping[Any, Any]) -> None:
    if value.get("format") != FORMAT:
        raise Malformed("format", f"{show(value.get('format'))} is no saved mind", FORMAT)
    version = _checks.whole(value.get("schema_version"), "schema_version", 1)
    if version > SCHEMA_VERSION:
        raise Malformed(
            "schema_version",
            f"{version} is newer than {SCHEMA_VERSION}, the newest that this version knows",
        )


def _object(value: object, field: str) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise Malformed(field, f"{show(value)} is not an object", "an object")
    return [(_checks.text(name, field), item) for name, item in value.items()]


def _counters(value: object, field: str) -> dict[str, int]:
    return {
        name: _checks.whole(item, f"{field}[{show(name)}]", 1)
        for name, item in _object(value, field)
    }


def _entity(name: str, value: object) -> EntityKnowledge:
    field = f"entities[{show(name)}]"
    given = _checks.members(value, field, _ENTITY)
    relation = given["relationship_state"]
    first = _checks.whole(given["first_tick"], f"{field}.first_tick")
    return EntityKnowledge(
        entity=_checks.formed(name, "entities", _REF),
        confidence=_checks.choice(given["confidence"], f"{field}.confidence", _CONFIDENCES),
        relationship_state=_checks.choice(relation, f"{field}.relationship_state", _RELATIONS),
        learned_via=_checks.learned_via(given["source"], f"{field}.source"),
        attributes={
            key: _checks.text(item, f"{field}.attributes[{show(key)}]")
            for key, item in _object(given["attributes"], f"{field}.attributes")
        },
        first_tick=first,
        last_tick=_checks.whole(given["last_tick"], f"{field}.last_tick", first),
        provenance=_receipts(given["provenance"], field),
    )


def _receipts(value: object, field: str) -> tuple[Any, ...]:
    items = enumerate(_checks.listed(value, f"{field}.provenance"))
    return tuple(_checks.provenance(item, f"{field}.provenance[{index}]") for index, item in items)


def _add_fact(state: MindState, name: str, value: object) -> None:
    field = f"facts[{show(name)}]"
    _checks.fact_id(name, "facts")
    fact = _fact(value, field)
    if not name.startswith(INTERACTION_CATEGORY):
        if fact.metadata is not None:
            raise Malformed(f"{field}.metadata", "only interactions have it")
        state.put_fact(name, fact)
        return
    slug, number = _slug_and_number(name)
    # Also where an older save has no metadata: its number was given and is never given again.
    state.raise_number(slug, number)
    if fact.metadata is None:
        state.put_fact(name, fact)
        return
    if fact.metadata.target_entity != f"npc:{slug}":
        raise Malformed(f"{field}.metadata.target_entity", "is not the one of the fact id")
    _check_confidence(fact, field)
    if fact.metadata.ended_tick is None and slot_of(fact) in state.running:
        raise Malformed(field, f"{state.running[slot_of(fact)]} is in progress as well")
    state.add_interaction(name, fact, number)


def _slug_and_number(name: str) -> tuple[str, int]:
    match = _INTERACTION.fullmatch(name)
    # The length is checked first: reading thousands of digits is refused by the language.
    if match is None or len(match[2]) > _DIGITS_MAX:
        raise Malformed("facts", f"{show(name)} is no interaction id", "interaction.{slug}_{NNN}")
    number = _checks.whole(int(match[2]), f"facts[{show(name)}]", 1)
    if interaction_id(match[1], number) != name:
        raise Malformed("facts", f"{show(name)} is padded", interaction_id(match[1], number))
    return match[1], number


def _fact(value: object, field: str) -> FactKnowledge:
    given = _checks.members(value, field, _FACT, _FACT_ALLOWED)
    return FactKnowledge(
        confidence=_checks.choice(given["confidence"], f"{field}.confidence", _CONFIDENCES),
        learned_via=_checks.learned_via(given["source"], f"{field}.source"),
        state=_checks.choice(given["state"], f"{field}.state", _FACT_STATES),
        acquired_tick=_checks.whole(given["acquired_tick"], f"{field}.acquired_tick"),
        metadata=_metadata(given.get("metadata"), f"{field}.metadata"),
        provenance=_receipts(given.get("provenance", ()), field),
        origin=_origin(given.get("origin", ("", 0)), f"{field}.origin"),
    )


def _origin(value: object, field: str) -> tuple[str, int]:
    pair = _checks.listed(value, field)
    if tuple(pair) == ("", 0):
        return ("", 0)
    if len(pair) != 2:
        raise Malformed(field, f"{show(value)} is not a pair", "[stream, sequence]")
    return _checks.text(pair[0], f"{field}[0]"), _checks.whole(pair[1], f"{field}[1]", 1)


def _metadata(value: object, field: str) -> InteractionMetadata | None:
    if value is None:
        return None
    given = _checks.members(value, field, _METADATA)
    if given["kind"] != "interaction":
        raise Malformed(f"{field}.kind", f"{show(given['kind'])} is not known", "interaction")
    started = _checks.whole(given["started_tick"], f"{field}.started_tick")
    ended = given["ended_tick"]
    metadata = InteractionMetadata(
        target_entity=_checks.formed(given["target_entity"], f"{field}.target_entity", _REF),
        interaction_state=_checks.choice(
            given["interaction_state"], f"{field}.interaction_state", _INTERACTION_STATES
        ),
        started_tick=started,
        ended_tick=None if ended is None else _checks.whole(ended, f"{field}.ended_tick", started),
        topics=_checks.texts(given["topics"], f"{field}.topics"),
        confrontation=_checks.flag(given["confrontation"], f"{field}.confrontation"),
        player_initiated=_checks.flag(given["player_initiated"], f"{field}.player_initiated"),
        location=_checks.text(given["location"], f"{field}.location"),
    )
    _check_metadata(metadata, field)
    return metadata


def _check_metadata(metadata: InteractionMetadata, field: str) -> None:
    """Refuse what no sequence of events could have made."""
    state = metadata.interaction_state
    if state.in_progress is not (metadata.ended_tick is None):
        raise Malformed(f"{field}.ended_tick", f"does not go with {state.value}")
    marked = state in (InteractionState.CONFRONTATION, InteractionState.CONFLICT_ABANDONED)
    impossible = state in (InteractionState.ACTIVE, InteractionState.WALKED_AWAY)
    if (marked and not metadata.confrontation) or (impossible and metadata.confrontation):
        raise Malformed(f"{field}.confrontation", f"does not go with {state.value}")


def _check_confidence(fact: FactKnowledge, field: str) -> None:
    if fact.confidence < InteractionMetadata.DECAY_FLOOR:
        raise Malformed(
            f"{field}.confidence",
            f"{fact.confidence.value} is below what a conversation leaves behind",
            f"{InteractionMetadata.DECAY_FLOOR.value} or more",
        )


def _add_fired(state: MindState, value: object) -> None:
    for index, item in enumerate(_checks.listed(value, "fired")):
        field = f"fired[{index}]"
        entry = _checks.listed(item, field)
        if len(entry) != 3:
            raise Malformed(field, f"{show(item)} is not [pool, line, tick]")
        key = (_checks.text(entry[0], f"{field}[0]"), _checks.text(entry[1], f"{field}[1]"))
        if key in state.fired:
            raise Malformed(field, "the line stands here twice")
        state.fired[key] = (index + 1, _checks.whole(entry[2], f"{field}[2]"))
        state.heard_count = index + 1
