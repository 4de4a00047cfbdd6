"""What gossip and fact-state events do to a mind's state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.memory import _checks
from talebearer.memory._checks import GOSSIP_CATEGORY, Malformed
from talebearer.memory._events import Event
from talebearer.memory._facts import FactKnowledge, GossipMetadata, LearnedVia, with_receipt
from talebearer.memory._fold import NOTHING, Applied
from talebearer.memory._state import MindState
from talebearer.vocabulary import Confidence, FactState, InteractionState, SourceKind

GOSSIP_MOST = Confidence.KNOWS_OF
"""Nobody is surer than this of what they were told of others."""

_GOSSIP = frozenset({"about", "mind", "fact_id", "teller", "confidence"})
_GOSSIP_ALLOWED = _GOSSIP | {
    "teller_fact",
    "target",
    "interaction_state",
    "confrontation",
    "hops",
    "number",
}
_FACT_STATE = frozenset({"fact_id", "state"})
_FACT_STATE_ALLOWED = _FACT_STATE | {"reason"}
_CONFIDENCES = {value.value: value for value in Confidence if value <= GOSSIP_MOST}
_ENDED = {value.value: value for value in InteractionState if not value.in_progress}
_FACT_STATES = {value.value: value for value in FactState}


def gossip_heard(state: MindState, event: Event) -> Applied:
    """Learn a story from somebody; heard again, it can only become surer.

    Source: IM-M7.
    """
    data = _checks.members(event.data, "", _GOSSIP, _GOSSIP_ALLOWED)
    gossip = _story(state, data)
    confidence = _checks.choice(data["confidence"], "confidence", _CONFIDENCES)
    payload = {"entity": gossip.teller, "fact": gossip.fact_id}
    if "teller_fact" in data:
        payload["fact"] = _checks.fact_id(data["teller_fact"], "teller_fact")
    kept = _checks.whole(data["number"], "number", 1) if "number" in data else None
    name = state.told.get((gossip.mind, gossip.fact_id))
    if name is not None:
        return _heard_again(state, event, name, confidence)
    slug = _checks.slug_of_entity(gossip.about)
    number = _number(state, slug, kept)
    name = gossip_id(slug, number)
    fact = FactKnowledge(
        confidence=confidence,
        learned_via=LearnedVia(kind=SourceKind.TOLD_BY, payload=payload),
        state=FactState.ACTIVE,
        acquired_tick=event.tick,
        gossip=gossip,
        provenance=with_receipt((), event.provenance),
        origin=(event.stream, event.sequence),
    )
    state.add_gossip(name, fact)
    state.raise_gossip_number(slug, number)
    return Applied((name,))


def gossip_id(slug: str, number: int) -> str:
    """Return the fact id of a story about *slug*: at least three digits, more past 999."""
    return f"{GOSSIP_CATEGORY}{slug}_{number:03d}"


def _story(state: MindState, data: Mapping[str, Any]) -> GossipMetadata:
    how = data.get("interaction_state")
    target = data.get("target")
    gossip = GossipMetadata(
        about=_checks.entity(data["about"], "about"),
        mind=_checks.entity(data["mind"], "mind"),
        fact_id=_checks.fact_id(data["fact_id"], "fact_id"),
        teller=_checks.entity(data["teller"], "teller"),
        target=None if target is None else _checks.entity(target, "target"),
        interaction_state=(
            None if how is None else _checks.choice(how, "interaction_state", _ENDED)
        ),
        confrontation=_checks.flag(data.get("confrontation", False), "confrontation"),
        hops=_checks.whole(data.get("hops", 1), "hops", 1),
    )
    for field in ("mind", "teller"):
        if getattr(gossip, field) == state.mind_id:
            raise Malformed(field, f"{state.mind_id} cannot hear it from itself", "somebody else")
    return gossip


def _number(state: MindState, slug: str, kept: int | None) -> int:
    if kept is None:
        number = state.gossip_numbers.get(slug, 0) + 1
        while gossip_id(slug, number) in state.facts:  # an older save may hold a plain fact there
            number += 1
        return number
    if gossip_id(slug, kept) in state.facts:
        raise Malformed("number", f"{kept} is taken", "a number not used before")
    return kept


def _heard_again(state: MindState, event: Event, name: str, confidence: Confidence) -> Applied:
    old = state.facts[name]
    if state.decay_since is not None and confidence >= old.confidence:
        state.fresh[name] = max(event.tick, state.fresh.get(name, 0))
    if confidence <= old.confidence:
        return NOTHING
    state.facts[name] = changed(old, confidence=confidence)
    return Applied((name,))


def fact_state_changed(state: MindState, event: Event) -> Applied:
    """Say that a fact holds, is contradicted or is out of date; one that is not known stays so.

    That is no error, because a fact can vanish from the log before: a session that was recorded
    again may no longer have what a later event speaks of.
    """
    data = _checks.members(event.data, "", _FACT_STATE, _FACT_STATE_ALLOWED)
    name = _checks.fact_id(data["fact_id"], "fact_id")
    wanted = _checks.choice(data["state"], "state", _FACT_STATES)
    if "reason" in data:
        _checks.reason(data["reason"], "reason")
    old = state.facts.get(name)
    if old is None or old.state is wanted:
        return NOTHING
    state.facts[name] = changed(old, state=wanted)
    return Applied((name,))


def changed(
    old: FactKnowledge, *, confidence: Confidence | None = None, state: FactState | None = None
) -> FactKnowledge:
    """Return *old* with another confidence or state."""
    return FactKnowledge(
        confidence=old.confidence if confidence is None else confidence,
        learned_via=old.learned_via,
        state=old.state if state is None else state,
        acquired_tick=old.acquired_tick,
        metadata=old.metadata,
        gossip=old.gossip,
        provenance=old.provenance,
        origin=old.origin,
    )
