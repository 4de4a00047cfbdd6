"""What each kind of event does to a mind's state.

Every function checks the whole event first and changes the state only when nothing can fail any
more, so a wrong event changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from talebearer.errors import IllegalTransition
from talebearer.memory import _checks
from talebearer.memory._checks import GOSSIP_CATEGORY, INTERACTION_CATEGORY, Malformed
from talebearer.memory._events import Event
from talebearer.memory._facts import (
    STANDING_TURNS,
    InteractionMetadata,
    LearnedVia,
    Provenance,
    entity_of,
    fact_of,
    metadata_of,
    standing_of,
    with_receipt,
)
from talebearer.memory._state import Cell, MindState
from talebearer.memory._transitions import advance, refused, short
from talebearer.vocabulary import (
    SLUG,
    Confidence,
    EventKind,
    FactState,
    InteractionState,
    RelationshipState,
    SourceKind,
)

_TARGET = frozenset({"target"})
_LEFT_ALLOWED = frozenset({"target", "by"})
_STARTED = frozenset({"target", "player_initiated", "location"})
_STARTED_ALLOWED = _STARTED | {"number", "participants"}
_COMPLETED = frozenset({"target", "topics"})
_OBSERVED = frozenset({"target", "confidence", "source"})
_OBSERVED_ALLOWED = _OBSERVED | {"known", "attributes"}
_LEARNED = frozenset({"fact_id", "confidence", "source"})
_RELATION = frozenset({"target", "state"})

_GOSSIP = re.compile(rf"gossip\.{SLUG}_[0-9]{{3,}}")
_CONFIDENCES = {value.value: value for value in Confidence}
_RELATIONS = {value.value: value for value in RelationshipState}
# Comparing members goes through Python code; a plain rank is several times faster in the fold.
_RANK = {value: index for index, value in enumerate(Confidence)}

# So does every look-up of a member in its class.
_ACTIVE = InteractionState.ACTIVE
_CONFRONTATION = InteractionState.CONFRONTATION
_IN_PROGRESS = frozenset(state for state in InteractionState if state.in_progress)
_HOLDS = FactState.ACTIVE
_DIRECT = Confidence.DIRECT
_KNOWS_DETAILS = Confidence.KNOWS_DETAILS
_UNKNOWN = RelationshipState.UNKNOWN
_KNOWN = RelationshipState.KNOWN
_FRIENDLY = RelationshipState.FRIENDLY
_HOSTILE = RelationshipState.HOSTILE
_SIDES = {"self": "self", "other": "other"}
_WALK_AWAY_KINDS = frozenset(
    {EventKind.INTERACTION_WALKED_AWAY, EventKind.INTERACTION_CONFLICT_ABANDONED}
)
_COMPLETED_KIND = EventKind.INTERACTION_COMPLETED

_TRACKED = (INTERACTION_CATEGORY, GOSSIP_CATEGORY)
"""What facts begin with that events of their own make."""

SEEN = LearnedVia(kind=SourceKind.DIRECT_OBSERVATION)
BACKGROUND = LearnedVia(kind=SourceKind.BACKGROUND)


class Applied(NamedTuple):
    """What an event changed.

    Attributes:
        changed_fact_ids: Facts that are new or different now.
        changed_entities: Entity references of which that is true.
        interaction_id: The interaction that the event began or moved.
        skipped: Whether the event was applied before, so that it changed nothing.
        heard: Character, pool path and line id of a line that was heard.
        cells: Counters, values and timers that were written: the kind and the cell.
    """

    changed_fact_ids: tuple[str, ...] = ()
    changed_entities: tuple[str, ...] = ()
    interaction_id: str | None = None
    skipped: bool = False
    heard: tuple[str, str, str] | None = None
    cells: tuple[tuple[str, Cell], ...] = ()


NOTHING = Applied()
_NONE: tuple[Provenance, ...] = ()
_applied = tuple.__new__
"""What the constructor comes to, without a call in between: most events come here."""


def _started(state: MindState, event: Event) -> Applied:
    """Begin an interaction; the character becomes known.

    Source: the interaction-memory spec section 7.2, 7.3; IM-M1, IM-M3, IM-M4.
    """
    data = _checks.members(event.data, "", _STARTED, _STARTED_ALLOWED)
    target = target_of(state, data["target"])
    others = _others(state, target, data["participants"]) if "participants" in data else ()
    if target == state.mind_id:
        raise Malformed("target", f"{target} is the mind itself", "somebody else")
    location = _checks.text(data["location"], "location")
    player_initiated = _checks.flag(data["player_initiated"], "player_initiated")
    slug = _checks.slug_of_entity(target)
    number = _number(state, slug, data.get("number"))
    return _begin(state, event, target, slug, others, location, player_initiated, number)


def own_started(state: MindState, event: Event) -> Applied:
    """Begin an interaction whose details are right: of two, and of the mind's own next number."""
    data = event.data
    target = target_of(state, data["target"])
    slug = _checks.slug_of_entity(target)
    location, player_initiated = data["location"], data["player_initiated"]
    number = _number(state, slug, None)
    return _begin(state, event, target, slug, (), location, player_initiated, number)


def _begin(
    state: MindState,
    event: Event,
    target: str,
    slug: str,
    others: tuple[str, ...],
    location: str,
    player_initiated: bool,
    number: int,
) -> Applied:
    """Set a new interaction, if no other one is in progress."""
    running = state.running.get(None if event.provenance is None else event.stream)
    if running is not None:
        now = _metadata(state, running)
        details = {"interaction": running, "target": now.target_entity}
        raise refused(now.interaction_state, event.kind, details)
    name = interaction_id(slug, number)
    # One copy of what repeats: the texts of a log that was read are all different objects.
    texts = state.texts
    place = texts.setdefault(location, location)
    metadata = metadata_of(
        target, _ACTIVE, event.tick, None, (), False, player_initiated, place, others, False
    )
    stream = texts.setdefault(event.stream, event.stream)
    receipts = _NONE if event.provenance is None else (event.provenance,)
    fact = fact_of(
        _DIRECT, SEEN, _HOLDS, event.tick, metadata, None, receipts, stream, event.sequence
    )
    state.add_interaction(name, fact, number)
    state.raise_number(slug, number)
    return _seen(state, event, name, metadata)


def _others(state: MindState, target: str, value: object) -> tuple[str, ...]:
    """Check the participants, of which the first is the target, and return the others.

    Source: IM-M7.
    """
    listed = _checks.listed(value, "participants")
    found = tuple(
        target_of(state, item, f"participants[{index}]") for index, item in enumerate(listed)
    )
    if not found or found[0] != target:
        raise Malformed("participants", f"does not begin with {target}", "the target first")
    if len(set(found)) != len(found) or state.mind_id in found:
        raise Malformed("participants", "names somebody twice, or the mind itself")
    return found[1:]


def _seen(state: MindState, event: Event, name: str, metadata: InteractionMetadata) -> Applied:
    """Raise what is known of everybody in the interaction, and say what changed."""
    target = metadata.target_entity
    observe(state, event, target, _KNOWS_DETAILS, SEEN)
    if not metadata.others:
        return _applied(Applied, ((name,), (target,), name, False, None, ()))
    for other in metadata.others:
        observe(state, event, other, _KNOWS_DETAILS, SEEN)
    return Applied((name,), metadata.participants, name)


def interaction_id(slug: str, number: int) -> str:
    """Return the fact id of an interaction: at least three digits, more past 999.

    Source: the interaction-memory spec section 3.1; IM-M1.
    """
    return f"{INTERACTION_CATEGORY}{slug}_{number:03d}"


def _number(state: MindState, slug: str, kept: object) -> int:
    """Return the number that a kept one, or the counter, gives to a new interaction."""
    if kept is None:
        highest = state.numbers.get(slug, 0)
        if highest >= _checks.INTEGER_MAX:
            raise Malformed("number", f"no number is left after {highest}")
        return highest + 1
    number = _checks.whole(kept, "number", 1)
    name = interaction_id(slug, number)
    if name in state.facts:
        raise Malformed("number", f"{number} is taken by {name}", "a number not used before")
    return number


def _moved(state: MindState, event: Event) -> Applied:
    """Take the interaction in progress one step on.

    Source: the interaction-memory spec section 3.2, 7.2; IM-M2, IM-M4.
    """
    kind = event.kind
    completed = kind is _COMPLETED_KIND
    left_by_other = False
    if completed:
        data = _checks.members(event.data, "", _COMPLETED)
        topics = _checks.texts(data["topics"], "topics")
    else:
        allowed = _LEFT_ALLOWED if kind in _WALK_AWAY_KINDS else _TARGET
        data = _checks.members(event.data, "", _TARGET, allowed)
        topics = ()
        left_by_other = "by" in data and _checks.choice(data["by"], "by", _SIDES) == "other"
    return _move(state, event, target_of(state, data["target"]), topics, left_by_other)


def own_moved(state: MindState, event: Event) -> Applied:
    """Take the interaction in progress one step on; the details of the event are right."""
    data = event.data
    topics = tuple(data["topics"]) if event.kind is _COMPLETED_KIND else ()
    return _move(state, event, target_of(state, data["target"]), topics, data.get("by") == "other")


def _move(
    state: MindState, event: Event, target: str, topics: tuple[str, ...], left_by_other: bool
) -> Applied:
    """Set the interaction in progress one step on, if it may go there."""
    kind = event.kind
    slot = None if event.provenance is None else event.stream
    name = state.running.get(slot)
    if name is None:
        raise _none_running(state, kind, target)
    fact = state.facts[name]
    before = _metadata(state, name)
    after_state = _next(name, before, target=target, kind=kind)
    if event.tick < before.started_tick:
        raise Malformed("tick", f"{event.tick} is before the start at {before.started_tick}")
    ended = after_state not in _IN_PROGRESS
    receipts = fact.provenance
    if event.provenance is not None:
        receipts = with_receipt(receipts, event.provenance)
    after = metadata_of(
        target,
        after_state,
        before.started_tick,
        event.tick if ended else None,
        # The one copy that the mind keeps: most conversations repeat one.
        state.topics.setdefault(topics, topics),
        before.confrontation or after_state is _CONFRONTATION,
        before.player_initiated,
        before.location,
        before.others,
        left_by_other,
    )
    state.facts[name] = fact_of(
        _KNOWS_DETAILS if ended else _DIRECT,
        fact.learned_via,
        fact.state,
        fact.acquired_tick,
        after,
        None,
        receipts,
        fact.origin_stream,
        fact.origin_sequence,
    )
    state.histories[target].move(before, after)
    if ended:
        del state.running[slot]
    return _seen(state, event, name, after)


def _next(name: str, now: InteractionMetadata, *, target: str, kind: EventKind) -> InteractionState:
    if now.target_entity != target:
        other, state = now.target_entity, now.interaction_state.value
        raise IllegalTransition(
            f"{short(kind)} with {target} is not allowed while the interaction with {other} "
            f"is {state}",
            hint=f"allowed here: events with {other}",
            data={"state": state, "event": kind.value, "interaction": name, "target": other},
        )
    try:
        return advance(now.interaction_state, kind)
    except IllegalTransition as fault:
        fault.data.update(interaction=name, target=target)
        raise


def _none_running(state: MindState, kind: EventKind, target: str) -> IllegalTransition:
    history = state.histories.get(target)
    if history is not None:
        last = _metadata(state, history.last_id)
        if last.ended_tick is not None:
            details = {"interaction": history.last_id, "target": target}
            return refused(last.interaction_state, kind, details)
    return IllegalTransition(
        f"{short(kind)} is not allowed while no interaction with {target} is in progress",
        hint="allowed here: started",
        data={"state": None, "event": kind.value, "target": target},
    )


def _observed(state: MindState, event: Event) -> Applied:
    """Raise what is known of a character.

    Source: IM-M9, IM-M14.
    """
    data = _checks.members(event.data, "", _OBSERVED, _OBSERVED_ALLOWED)
    target = target_of(state, data["target"])
    confidence = _checks.choice(data["confidence"], "confidence", _CONFIDENCES)
    via = _checks.learned_via(data["source"], "source")
    known = _checks.flag(data.get("known", True), "known")
    attributes = _attributes(data["attributes"]) if "attributes" in data else None
    old = state.entities.get(target)
    observe(state, event, target, confidence, via, known=known, attributes=attributes)
    return Applied((), (target,) if state.entities[target] is not old else ())


def _attributes(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise Malformed("attributes", f"{_checks.show(value)} is not an object", "an object")
    return {
        _checks.text(name, "attributes"): _checks.text(item, f"attributes[{_checks.show(name)}]")
        for name, item in value.items()
    }


def observe(
    state: MindState,
    event: Event,
    target: str,
    confidence: Confidence,
    via: LearnedVia,
    *,
    known: bool = True,
    attributes: Mapping[str, str] | None = None,
) -> None:
    """Raise the entity to at least *confidence*.

    ``learned_via`` goes with the confidence: it changes when that rises.
    """
    tick = event.tick
    old = state.entities.get(target)
    if old is None:
        relation = _KNOWN if known else _UNKNOWN
        receipts = _NONE if event.provenance is None else (event.provenance,)
        new = entity_of(
            target, confidence, relation, via, attributes or {}, tick, tick, receipts, 0
        )
        state.put_entity(new)
        return
    rises = _RANK[confidence] > _RANK[old.confidence]
    relation = old.relationship_state
    if known and relation is _UNKNOWN:
        relation = related_by(old.standing, _KNOWN)
    receipts = old.provenance
    if event.provenance is not None:
        receipts = with_receipt(receipts, event.provenance)
    merged = {**old.attributes, **attributes} if attributes else old.attributes
    if (
        old.first_tick <= tick <= old.last_tick
        and not rises
        and merged == old.attributes
        and relation is old.relationship_state
        and receipts is old.provenance
    ):
        return
    state.entities[target] = entity_of(
        target,
        confidence if rises else old.confidence,
        relation,
        via if rises else old.learned_via,
        merged,
        old.first_tick if old.first_tick < tick else tick,
        old.last_tick if old.last_tick > tick else tick,
        receipts,
        old.standing,
    )


def related_by(standing: int, state: RelationshipState) -> RelationshipState:
    """Return the relationship that *standing* gives to somebody who is *state* now.

    At 500 and above friendly, at -500 and below hostile, between them known. Unknown and person of
    interest are set by events; only reaching hostile ends them.

    Source: IM-M8.
    """
    if standing <= -STANDING_TURNS:
        return _HOSTILE
    if state is _UNKNOWN or state is RelationshipState.PERSON_OF_INTEREST:
        return state
    return _FRIENDLY if standing >= STANDING_TURNS else _KNOWN


def _learned(state: MindState, event: Event) -> Applied:
    """Raise a fact to at least a confidence; never lower it, never touch its state.

    Source: IM-L13.
    """
    data = _checks.members(event.data, "", _LEARNED)
    name = _checks.fact_id(data["fact_id"], "fact_id")
    if name.startswith(INTERACTION_CATEGORY):
        raise Malformed(
            "fact_id",
            f"{name} is an interaction",
            "facts of other categories; start an interaction",
        )
    if name.startswith(GOSSIP_CATEGORY) and _GOSSIP.fullmatch(name):
        raise Malformed("fact_id", f"{name} is gossip", "facts of other categories; gossip_heard")
    confidence = _checks.choice(data["confidence"], "confidence", _CONFIDENCES)
    return _learn(state, event, name, confidence, _checks.learned_via(data["source"], "source"))


def _learn(
    state: MindState, event: Event, name: str, confidence: Confidence, via: LearnedVia
) -> Applied:
    """Set a fact that is new, or raise it."""
    old = state.facts.get(name)
    if old is None:
        receipts = _NONE if event.provenance is None else (event.provenance,)
        stream, sequence = event.stream, event.sequence
        fact = fact_of(confidence, via, _HOLDS, event.tick, None, None, receipts, stream, sequence)
        state.put_fact(name, fact)
        return Applied((name,))
    receipts = old.provenance
    if event.provenance is not None:
        receipts = with_receipt(receipts, event.provenance)
    rises = _RANK[confidence] > _RANK[old.confidence]
    if state.decay_since is not None and (rises or confidence is old.confidence):
        state.fresh[name] = max(event.tick, state.fresh.get(name, 0))
    if not rises and receipts is old.provenance:
        return NOTHING
    state.facts[name] = fact_of(
        confidence if rises else old.confidence,
        old.learned_via,
        old.state,
        old.acquired_tick,
        old.metadata,
        old.gossip,
        receipts,
        old.origin_stream,
        old.origin_sequence,
    )
    return Applied((name,))


def own_learned(state: MindState, event: Event) -> Applied:
    """Raise a fact, of which the details are right: what is known as well already needs no look."""
    data = event.data
    name: str = data["fact_id"]
    if name.startswith(_TRACKED):
        return _learned(state, event)
    old = state.facts.get(name)
    if (
        old is not None
        and event.provenance is None
        and state.decay_since is None
        and _RANK[old.confidence] >= _RANK[data["confidence"]]
    ):
        return NOTHING
    confidence = _checks.choice(data["confidence"], "confidence", _CONFIDENCES)
    return _learn(state, event, name, confidence, _checks.learned_via(data["source"], "source"))


def _related(state: MindState, event: Event) -> Applied:
    """Set where the mind stands with a character, met or not.

    A standing at which that cannot be becomes the one that the state begins with.
    """
    data = _checks.members(event.data, "", _RELATION)
    target = target_of(state, data["target"])
    relation = _checks.choice(data["state"], "state", _RELATIONS)
    old = state.entities.get(target)
    standing = 0 if old is None else old.standing
    if relation is _UNKNOWN:
        # Who is set to a stranger is met as one: nothing of the old terms comes back.
        standing = 0
    elif related_by(standing, relation) is not relation:
        standing = standing_of(relation)
    return put_terms(state, event, target, relation=relation, standing=standing)


def put_terms(
    state: MindState, event: Event, target: str, *, relation: RelationshipState, standing: int
) -> Applied:
    """Set relationship and standing of a character, met or not."""
    old = state.entities.get(target)
    tick = event.tick
    if old is None:
        receipts = _NONE if event.provenance is None else (event.provenance,)
        knows_of = Confidence.KNOWS_OF
        new = entity_of(target, knows_of, relation, BACKGROUND, {}, tick, tick, receipts, standing)
        state.put_entity(new)
        return Applied((), (target,))
    receipts = old.provenance
    if event.provenance is not None:
        receipts = with_receipt(receipts, event.provenance)
    if (
        relation is old.relationship_state
        and standing == old.standing
        and old.first_tick <= tick <= old.last_tick
        and receipts is old.provenance
    ):
        return NOTHING
    state.entities[target] = entity_of(
        target,
        old.confidence,
        relation,
        old.learned_via,
        old.attributes,
        min(old.first_tick, tick),
        max(old.last_tick, tick),
        receipts,
        standing,
    )
    return Applied((), (target,))


def target_of(state: MindState, value: object, field: str = "target") -> str:
    """Check a reference to a character."""
    # A reference that the mind holds was checked when it came in; its own copy is kept.
    if type(value) is str:
        known = state.entities.get(value)
        if known is not None:
            return known.entity
    return _checks.entity(value, field)


def _metadata(state: MindState, name: str) -> InteractionMetadata:
    metadata = state.facts[name].metadata
    assert metadata is not None, name
    return metadata


CORE_HANDLERS: Mapping[EventKind, Callable[[MindState, Event], Applied]] = {
    EventKind.INTERACTION_STARTED: _started,
    EventKind.INTERACTION_COMPLETED: _moved,
    EventKind.INTERACTION_WALKED_AWAY: _moved,
    EventKind.INTERACTION_CONFRONTATION: _moved,
    EventKind.INTERACTION_CONFLICT_ABANDONED: _moved,
    EventKind.ENTITY_OBSERVED: _observed,
    EventKind.FACT_LEARNED: _learned,
    EventKind.RELATIONSHIP_CHANGED: _related,
}
"""Event kind to what it does, for what the specification has; others stand in modules of their own."""


def check_envelope(state: MindState, event: Any) -> None:
    """Check everything but the details, which each handler checks."""
    if type(event) is not Event and not isinstance(event, Event):
        raise Malformed("", f"{_checks.show(event)} is not an Event", "an Event")
    stream, sequence, tick = event.stream, event.sequence, event.tick
    # A stream that has a mark was checked with its first event.
    if type(stream) is not str or stream not in state.marks:
        _checks.text(stream, "stream")
    if type(sequence) is not int or not 1 <= sequence <= _checks.INTEGER_MAX:
        _checks.whole(sequence, "sequence", 1)
    if type(tick) is not int or not 0 <= tick <= _checks.INTEGER_MAX:
        _checks.whole(tick, "tick")
    if type(event.kind) is not EventKind:
        raise Malformed("kind", f"{_checks.show(event.kind)} is not an EventKind")
    receipt = event.provenance
    # The events of one occurrence share their receipt, which is frozen.
    if receipt is not None and receipt is not state.checked_receipt:
        state.checked_receipt = _checks.checked_receipt(receipt, "provenance")
