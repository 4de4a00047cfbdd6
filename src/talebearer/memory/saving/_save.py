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
from talebearer.memory import _checks, _played
from talebearer.memory._checks import INTERACTION_CATEGORY, Malformed, show
from talebearer.memory._facts import (
    STANDING_MAX,
    EntityKnowledge,
    FactKnowledge,
    GossipMetadata,
    InteractionMetadata,
    standing_of,
)
from talebearer.memory._fold import interaction_id, related_by
from talebearer.memory._state import Bond, Cause, MindState, slot_of
from talebearer.memory._told import GOSSIP_MOST, gossip_id
from talebearer.vocabulary import (
    INTERACTION_ID,
    MIND_ID,
    SLUG,
    Confidence,
    EventKind,
    FactState,
    InteractionState,
    RelationshipState,
)

FORMAT = "talebearer.mind"
SCHEMA_VERSION = 3
"""1 has no stress, standing, gossip or decay, and only interactions with one NPC each; 2 has no
counters, values or timers, and does not say who was heard and how often."""

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
_MEMBERS_2 = frozenset({"stress", "bonds", "causes", "gossip_numbers", "decay"})
_MEMBERS_3 = frozenset({"heard", "counters", "values", "timers"})
_BOND = frozenset({"grudge", "forgiven"})
_DECAY = frozenset({"since", "fresh"})
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
_ENTITY_ALLOWED = _ENTITY | {"standing"}
_GOSSIP = frozenset(
    {
        "kind",
        "about",
        "mind",
        "fact_id",
        "teller",
        "target",
        "interaction_state",
        "confrontation",
        "hops",
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
_METADATA_ALLOWED = _METADATA | {"participants", "left_by_other"}
_PICKS = frozenset({"tick", "count"})

_MIND = re.compile(MIND_ID)
_SLUG = re.compile(SLUG)
_INTERACTION = re.compile(INTERACTION_ID)
_CONFIDENCES = {value.value: value for value in Confidence}
_FACT_STATES = {value.value: value for value in FactState}
_INTERACTION_STATES = {value.value: value for value in InteractionState}
_ENDED = {value.value: value for value in InteractionState if not value.in_progress}
_RELATIONS = {value.value: value for value in RelationshipState}
_GOSSIP_ID = re.compile(rf"gossip\.({SLUG})_([0-9]{{3,}})")
_CAUSED = {
    kind.value: kind.value
    for kind in (
        EventKind.STANDING_CHANGED,
        EventKind.STRESS_CHANGED,
        EventKind.WALK_AWAYS_FORGIVEN,
    )
}
_DIGITS_MAX = 19


def encode(state: MindState) -> dict[str, Any]:
    """Return *state* as a JSON object of the oldest schema version that can say it.

    So a mind in which nothing newer happened is saved as it always was, byte for byte.
    """
    value = {
        **header(state),
        "facts": {name: fact.as_json() for name, fact in state.facts.items()},
        "entities": {name: entity.as_json() for name, entity in state.entities.items()},
    }
    extras = encode_extras(state)
    if extras or _needs_2(state):
        value["schema_version"] = 2
        value.update(extras)
    played = _played.encode(state)
    if played:
        value["schema_version"] = SCHEMA_VERSION
        value.update(played)
    return value


def header(state: MindState) -> dict[str, Any]:
    """Return everything of schema version 1 but facts and entities.

    What was heard is left out where only version 3 can say all of it.
    """
    plain = _played.is_plain(state)
    heard = sorted(state.fired.items(), key=lambda item: item[1][0]) if plain else ()
    tick, count = state.picks
    return {
        "format": FORMAT,
        "schema_version": 1,
        "mind": state.mind_id,
        "tick": state.tick,
        "marks": dict(state.marks),
        "numbers": dict(state.numbers),
        "fired": [[pool, line, fired] for (pool, line), (_, fired) in heard],
        "picks": {"tick": tick, "count": count},
    }


def encode_extras(state: MindState) -> dict[str, Any]:
    """Return the members that schema version 2 adds, those that say something."""
    extras: dict[str, Any] = {
        "stress": state.stress,
        "bonds": {
            name: {"grudge": bond.grudge, "forgiven": bond.forgiven}
            for name, bond in state.bonds.items()
        },
        "causes": [[*cause, state.causes[cause]] for cause in sorted(state.causes)],
        "gossip_numbers": dict(state.gossip_numbers),
    }
    if state.decay_since is not None:
        extras["decay"] = {"since": state.decay_since, "fresh": dict(state.fresh)}
    return {name: item for name, item in extras.items() if item}


def _needs_2(state: MindState) -> bool:
    """Whether facts or entities hold what version 1 has no place for."""
    for name, entity in state.entities.items():
        if not name.startswith("npc:") or entity.standing != standing_of(entity.relationship_state):
            return True
    for fact in state.facts.values():
        metadata = fact.metadata
        if fact.gossip is not None or (
            metadata is not None and (metadata.others or metadata.left_by_other)
        ):
            return True
    return False


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
    version = _check_version(value)
    allowed = _MEMBERS
    if version > 1:
        allowed |= _MEMBERS_2
    if version > 2:
        allowed |= _MEMBERS_3
    given = _checks.members(value, "", _MEMBERS, allowed)
    state = decode_header(given)
    for name, item in _object(given["entities"], "entities"):
        state.put_entity(_entity(name, item, version))
    for name, item in _object(given["facts"], "facts"):
        add_fact(state, name, item, version)
    return state


def decode_header(given: Mapping[str, Any]) -> MindState:
    """Check everything but facts and entities, and return the state without these."""
    state = MindState(_checks.formed(given["mind"], "mind", _MIND))
    state.tick = _checks.whole(given["tick"], "tick")
    state.marks.update(_counters(given["marks"], "marks"))
    for slug, number in _counters(given["numbers"], "numbers").items():
        state.raise_number(_checks.formed(slug, "numbers", _SLUG), number)
    _add_fired(state, given["fired"])
    picks = _checks.members(given["picks"], "picks", _PICKS)
    tick = _checks.whole(picks["tick"], "picks.tick")
    state.picks = (tick, _checks.whole(picks["count"], "picks.count"))
    _add_extras(state, given)
    _played.decode(state, given)
    return state


def _add_extras(state: MindState, given: Mapping[str, Any]) -> None:
    state.stress = _checks.whole(given.get("stress", 0), "stress")
    if state.stress > _checks.STRESS_MAX:
        raise Malformed("stress", f"{state.stress} is out of range", f"0 to {_checks.STRESS_MAX}")
    for name, item in _object(given.get("bonds", {}), "bonds"):
        field = f"bonds[{show(name)}]"
        members = _checks.members(item, field, _BOND)
        state.bonds[_checks.entity(name, "bonds")] = Bond(
            _checks.whole(members["grudge"], f"{field}.grudge"),
            _checks.whole(members["forgiven"], f"{field}.forgiven"),
        )
    for index, item in enumerate(_checks.listed(given.get("causes", ()), "causes")):
        _add_cause(state, item, f"causes[{index}]")
    for slug, number in _counters(given.get("gossip_numbers", {}), "gossip_numbers").items():
        state.raise_gossip_number(_checks.formed(slug, "gossip_numbers", _SLUG), number)
    if "decay" in given:
        decay = _checks.members(given["decay"], "decay", _DECAY)
        state.decay_since = _checks.whole(decay["since"], "decay.since")
        for name, item in _object(decay["fresh"], "decay.fresh"):
            state.fresh[name] = _checks.whole(item, f"decay.fresh[{show(name)}]")


def _add_cause(state: MindState, value: object, field: str) -> None:
    entry = _checks.listed(value, field)
    if len(entry) != 5:
        raise Malformed(field, f"{show(value)} is not [kind, target, mind, stream, sequence]")
    kind = _checks.choice(entry[0], f"{field}[0]", _CAUSED)
    target = "" if entry[1] == "" else _checks.entity(entry[1], f"{field}[1]")
    mind = _checks.entity(entry[2], f"{field}[2]")
    cause = Cause(kind, target, mind, _checks.text(entry[3], f"{field}[3]"))
    if cause in state.causes:
        raise Malformed(field, "stands here twice")
    state.causes[cause] = _checks.whole(entry[4], f"{field}[4]", 1)


def _check_version(value: Mapping[Any, Any]) -> int:
    if value.get("format") != FORMAT:
        raise Malformed("format", f"{show(value.get('format'))} is no saved mind", FORMAT)
    version = _checks.whole(value.get("schema_version"), "schema_version", 1)
    if version > SCHEMA_VERSION:
        raise Malformed(
            "schema_version",
            f"{version} is newer than {SCHEMA_VERSION}, the newest that this version knows",
        )
    return version


def _object(value: object, field: str) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        raise Malformed(field, f"{show(value)} is not an object", "an object")
    return [(_checks.text(name, field), item) for name, item in value.items()]


def _counters(value: object, field: str) -> dict[str, int]:
    return {
        name: _checks.whole(item, f"{field}[{show(name)}]", 1)
        for name, item in _object(value, field)
    }


def _entity(name: str, value: object, version: int) -> EntityKnowledge:
    field = f"entities[{show(name)}]"
    given = _checks.members(value, field, _ENTITY, _ENTITY if version == 1 else _ENTITY_ALLOWED)
    relation = _checks.choice(
        given["relationship_state"], f"{field}.relationship_state", _RELATIONS
    )
    first = _checks.whole(given["first_tick"], f"{field}.first_tick")
    return EntityKnowledge(
        entity=_checks.entity(name, "entities"),
        confidence=_checks.choice(given["confidence"], f"{field}.confidence", _CONFIDENCES),
        relationship_state=relation,
        learned_via=_checks.learned_via(given["source"], f"{field}.source"),
        attributes={
            key: _checks.text(item, f"{field}.attributes[{show(key)}]")
            for key, item in _object(given["attributes"], f"{field}.attributes")
        },
        first_tick=first,
        last_tick=_checks.whole(given["last_tick"], f"{field}.last_tick", first),
        provenance=_receipts(given["provenance"], field),
        standing=_standing(given.get("standing"), relation, f"{field}.standing"),
    )


def _standing(value: object, relation: RelationshipState, field: str) -> int:
    if value is None:
        return standing_of(relation)
    standing = _checks.signed(value, field, STANDING_MAX)
    if related_by(standing, relation) is not relation:
        raise Malformed(field, f"{standing} does not go with {relation.value}")
    return standing


def _receipts(value: object, field: str) -> tuple[Any, ...]:
    items = enumerate(_checks.listed(value, f"{field}.provenance"))
    return tuple(_checks.provenance(item, f"{field}.provenance[{index}]") for index, item in items)


def add_fact(state: MindState, name: str, value: object, version: int) -> None:
    """Check one fact of a save and set it."""
    field = f"facts[{show(name)}]"
    _checks.fact_id(name, "facts")
    fact = _fact(value, field, version)
    if fact.gossip is not None:
        _add_gossip(state, name, fact, field)
        return
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
    if _checks.slug_of_entity(fact.metadata.target_entity) != slug:
        raise Malformed(f"{field}.metadata.target_entity", "is not the one of the fact id")
    if state.mind_id in fact.metadata.participants:
        raise Malformed(f"{field}.metadata", "the mind itself is the other side")
    _check_confidence(fact, field)
    if fact.metadata.ended_tick is None and slot_of(fact) in state.running:
        raise Malformed(field, f"{state.running[slot_of(fact)]} is in progress as well")
    state.add_interaction(name, fact, number)


def _add_gossip(state: MindState, name: str, fact: FactKnowledge, field: str) -> None:
    gossip = fact.gossip
    assert gossip is not None, name
    match = _GOSSIP_ID.fullmatch(name)
    if match is None or len(match[2]) > _DIGITS_MAX or int(match[2]) < 1:
        raise Malformed("facts", f"{show(name)} is no gossip id", "gossip.{slug}_{NNN}")
    number = _checks.whole(int(match[2]), f"facts[{show(name)}]", 1)
    if gossip_id(match[1], number) != name or _checks.slug_of_entity(gossip.about) != match[1]:
        raise Malformed(f"{field}.metadata.about", "is not the one of the fact id")
    if fact.confidence > GOSSIP_MOST:
        allowed = f"{GOSSIP_MOST.value} or less"
        raise Malformed(f"{field}.confidence", f"{fact.confidence.value} is too sure", allowed)
    if state.mind_id in (gossip.mind, gossip.teller):
        raise Malformed(f"{field}.metadata", "the mind heard it from itself")
    if (gossip.mind, gossip.fact_id) in state.told:
        raise Malformed(field, f"{state.told[gossip.mind, gossip.fact_id]} is the same story")
    state.add_gossip(name, fact)
    state.raise_gossip_number(match[1], number)


def _slug_and_number(name: str) -> tuple[str, int]:
    match = _INTERACTION.fullmatch(name)
    # The length is checked first: reading thousands of digits is refused by the language.
    if match is None or len(match[2]) > _DIGITS_MAX:
        raise Malformed("facts", f"{show(name)} is no interaction id", "interaction.{slug}_{NNN}")
    number = _checks.whole(int(match[2]), f"facts[{show(name)}]", 1)
    if interaction_id(match[1], number) != name:
        raise Malformed("facts", f"{show(name)} is padded", interaction_id(match[1], number))
    return match[1], number


def _fact(value: object, field: str, version: int) -> FactKnowledge:
    given = _checks.members(value, field, _FACT, _FACT_ALLOWED)
    metadata, gossip = _metadata(given.get("metadata"), f"{field}.metadata", version)
    return FactKnowledge(
        confidence=_checks.choice(given["confidence"], f"{field}.confidence", _CONFIDENCES),
        learned_via=_checks.learned_via(given["source"], f"{field}.source"),
        state=_checks.choice(given["state"], f"{field}.state", _FACT_STATES),
        acquired_tick=_checks.whole(given["acquired_tick"], f"{field}.acquired_tick"),
        metadata=metadata,
        gossip=gossip,
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


def _metadata(
    value: object, field: str, version: int
) -> tuple[InteractionMetadata | None, GossipMetadata | None]:
    """Return the metadata of an interaction or of gossip, by its kind."""
    if value is None:
        return None, None
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if version > 1 and kind == "gossip":
        return None, _gossip(_checks.members(value, field, _GOSSIP), field)
    allowed = _METADATA if version == 1 else _METADATA_ALLOWED
    given = _checks.members(value, field, _METADATA, allowed)
    if kind != "interaction":
        known = "interaction" if version == 1 else "interaction, gossip"
        raise Malformed(f"{field}.kind", f"{show(kind)} is not known", known)
    return _interaction(given, field), None


def _gossip(given: Mapping[str, Any], field: str) -> GossipMetadata:
    target, how = given["target"], given["interaction_state"]
    return GossipMetadata(
        about=_checks.entity(given["about"], f"{field}.about"),
        mind=_checks.entity(given["mind"], f"{field}.mind"),
        fact_id=_checks.fact_id(given["fact_id"], f"{field}.fact_id"),
        teller=_checks.entity(given["teller"], f"{field}.teller"),
        target=None if target is None else _checks.entity(target, f"{field}.target"),
        interaction_state=(
            None if how is None else _checks.choice(how, f"{field}.interaction_state", _ENDED)
        ),
        confrontation=_checks.flag(given["confrontation"], f"{field}.confrontation"),
        hops=_checks.whole(given["hops"], f"{field}.hops", 1),
    )


def _interaction(given: Mapping[str, Any], field: str) -> InteractionMetadata:
    started = _checks.whole(given["started_tick"], f"{field}.started_tick")
    ended = given["ended_tick"]
    metadata = InteractionMetadata(
        target_entity=_checks.entity(given["target_entity"], f"{field}.target_entity"),
        interaction_state=_checks.choice(
            given["interaction_state"], f"{field}.interaction_state", _INTERACTION_STATES
        ),
        started_tick=started,
        ended_tick=None if ended is None else _checks.whole(ended, f"{field}.ended_tick", started),
        topics=_checks.texts(given["topics"], f"{field}.topics"),
        confrontation=_checks.flag(given["confrontation"], f"{field}.confrontation"),
        player_initiated=_checks.flag(given["player_initiated"], f"{field}.player_initiated"),
        location=_checks.text(given["location"], f"{field}.location"),
        others=_others(given, field),
        left_by_other=_checks.flag(given.get("left_by_other", False), f"{field}.left_by_other"),
    )
    _check_metadata(metadata, field)
    return metadata


def _others(given: Mapping[str, Any], field: str) -> tuple[str, ...]:
    if "participants" not in given:
        return ()
    inner = f"{field}.participants"
    items = enumerate(_checks.listed(given["participants"], inner))
    found = tuple(_checks.entity(item, f"{inner}[{index}]") for index, item in items)
    if len(found) < 2 or found[0] != given["target_entity"] or len(set(found)) != len(found):
        raise Malformed(inner, f"{show(found)} is not the target and others, each once")
    return found[1:]


def _check_metadata(metadata: InteractionMetadata, field: str) -> None:
    """Refuse what no sequence of events could have made."""
    state = metadata.interaction_state
    if state.in_progress is not (metadata.ended_tick is None):
        raise Malformed(f"{field}.ended_tick", f"does not go with {state.value}")
    marked = state in (InteractionState.CONFRONTATION, InteractionState.CONFLICT_ABANDONED)
    impossible = state in (InteractionState.ACTIVE, InteractionState.WALKED_AWAY)
    if metadata.left_by_other and not state.walk_away:
        raise Malformed(f"{field}.left_by_other", f"does not go with {state.value}")
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
        _played.hear(state, ("", *key), _checks.whole(entry[2], f"{field}[2]"), _played.PLAINLY)
