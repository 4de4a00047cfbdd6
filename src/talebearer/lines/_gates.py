"""Gates: is one condition met by what a mind knows, and what was found.

:func:`is_open` is the fast answer, :func:`look` the same answer in words; the second calls the
first, so they cannot disagree. What never happened, and what nobody declared, is never met.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from talebearer.lines._types import (
    AttributeGate,
    FactGate,
    Gate,
    InteractionGate,
    Profile,
    RelationshipGate,
)
from talebearer.memory import KnowledgeGraph
from talebearer.vocabulary import FactState, InteractionState, RelationshipState

_NEVER_DECLARED = ("interaction.", "gossip.")
"""Fact categories that memory makes itself; no catalogue has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate and what was found there.

    Attributes:
        kind: ``fact``, ``entity_attribute``, ``relationship`` or ``interaction``.
        text: The condition, to be read.
        met: Whether it holds.
        found: The value found, in words.
        fact_ids: The facts and interactions that the answer rests on.
        entities: The entities that the condition is about.
    """

    kind: str
    text: str
    met: bool
    found: str
    fact_ids: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {
            "kind": self.kind,
            "text": self.text,
            "met": self.met,
            "found": self.found,
            "fact_ids": list(self.fact_ids),
            "entities": list(self.entities),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What gates are asked against.

    Attributes:
        graph: What the mind knows; None is a mind that knows nothing.
        profiles: Slug to profile, for attributes that the mind has not seen itself.
        facts: The declared fact ids; None when no catalogue is at hand.
    """

    graph: KnowledgeGraph | None
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    facts: Collection[str] | None = None


def all_open(gates: tuple[Gate, ...], known: Known) -> bool:
    """Return whether every gate is met; true for none.

    Source: the line-pool spec section 4.3.
    """
    return all(is_open(gate, known) for gate in gates)


def is_open(gate: Gate, known: Known) -> bool:
    """Return whether *gate* is met."""
    graph = known.graph
    if isinstance(gate, FactGate):
        fact = graph.fact(gate.fact_id) if graph is not None else None
        return (
            fact is not None
            and fact.state is FactState.ACTIVE
            and fact.confidence.rank >= gate.min_confidence.rank
        )
    if isinstance(gate, InteractionGate):
        return _count(gate, known) >= gate.min_count
    if isinstance(gate, RelationshipGate):
        state = _relationship(gate.target, known)
        if gate.state is None:
            return state in gate.states
        return state.rank >= gate.state.rank
    return _attribute(gate, known) == gate.value


def look(gate: Gate, known: Known) -> GateResult:
    """Return *gate* with what was found there."""
    if isinstance(gate, FactGate):
        return _look_fact(gate, known)
    if isinstance(gate, InteractionGate):
        return _look_interaction(gate, known)
    if isinstance(gate, RelationshipGate):
        return _look_relationship(gate, known)
    return _look_attribute(gate, known)


def _look_fact(gate: FactGate, known: Known) -> GateResult:
    fact = known.graph.fact(gate.fact_id) if known.graph is not None else None
    if fact is None:
        automatic = gate.fact_id.startswith(_NEVER_DECLARED)
        found = "never happened" if automatic else "never learned"
        if not automatic and known.facts is not None and gate.fact_id not in known.facts:
            found += ", and no fact of that id is declared"
    elif fact.state is not FactState.ACTIVE:
        found = f"{fact.confidence}, but {fact.state}; only active facts count"
    else:
        found = f"{fact.confidence}"
    return GateResult(
        kind="fact",
        text=f"{gate.fact_id} is known at {gate.min_confidence} or better",
        met=is_open(gate, known),
        found=found,
        fact_ids=() if fact is None else (gate.fact_id,),
    )


def _count(gate: InteractionGate, known: Known) -> int:
    """Return how many count; memory counts each that ever was a confrontation as one."""
    if known.graph is None:
        return 0
    return known.graph.interaction_count_with(gate.target, gate.state)


def _look_interaction(gate: InteractionGate, known: Known) -> GateResult:
    ids: list[str] = []
    total = 0
    if known.graph is not None:
        history = known.graph.interactions_with(gate.target)
        total = len(history)
        for fact_id, item in zip(
            known.graph.interaction_ids_with(gate.target), history, strict=True
        ):
            sticky = gate.state is InteractionState.CONFRONTATION and item.confrontation
            if gate.state is None or sticky or item.interaction_state is gate.state:
                ids.append(fact_id)
    if not total:
        found = f"never met{_undeclared(gate.target, known)}"
    else:
        plural = "interaction" if total == 1 else "interactions"
        found = f"{len(ids)} of {total} {plural}" if gate.state else f"{total} {plural}"
    return GateResult(
        kind="interaction",
        text=_in_words(gate),
        met=is_open(gate, known),
        found=found,
        fact_ids=tuple(ids),
        entities=(gate.target,),
    )


def _in_words(gate: InteractionGate) -> str:
    kind = f"{gate.state} " if gate.state else ""
    if gate.min_count == 1:
        article = "an" if kind[:1] in ("", "a") else "a"
        return f"{article} {kind}interaction with {gate.target}"
    return f"{gate.min_count} or more {kind}interactions with {gate.target}"


def _relationship(target: str, known: Known) -> RelationshipState:
    entity = known.graph.entity(target) if known.graph is not None else None
    return RelationshipState.UNKNOWN if entity is None else entity.relationship_state


def _look_relationship(gate: RelationshipGate, known: Known) -> GateResult:
    state = _relationship(gate.target, known)
    met = known.graph is not None and known.graph.entity(gate.target) is not None
    wanted = f"{gate.state} or beyond" if gate.state else " or ".join(gate.states)
    return GateResult(
        kind="relationship",
        text=f"the relationship to {gate.target} is {wanted}",
        met=is_open(gate, known),
        found=f"{state}" if met else f"{state}: never met{_undeclared(gate.target, known)}",
        entities=(gate.target,),
    )


def _attribute(gate: AttributeGate, known: Known) -> str | None:
    entity = known.graph.entity(gate.entity) if known.graph is not None else None
    if entity is None:
        return None
    seen = entity.attributes.get(gate.key)
    return seen if seen is not None else _from_profile(gate, known)


def _from_profile(gate: AttributeGate, known: Known) -> str | None:
    profile = known.profiles.get(_slug(gate.entity))
    return None if profile is None else profile.attributes.get(gate.key)


def _look_attribute(gate: AttributeGate, known: Known) -> GateResult:
    entity = known.graph.entity(gate.entity) if known.graph is not None else None
    value = _attribute(gate, known)
    if entity is None:
        found = f"never met{_undeclared(gate.entity, known)}"
    elif value is None:
        found = f"has no {gate.key}"
    else:
        found = value if gate.key in entity.attributes else f"{value} (from the profile)"
    return GateResult(
        kind="entity_attribute",
        text=f"{gate.key} of {gate.entity} is {gate.value}",
        met=is_open(gate, known),
        found=found,
        entities=(gate.entity,),
    )


def _undeclared(entity: str, known: Known) -> str:
    if known.facts is None or _slug(entity) in known.profiles:
        return ""
    return ", and no such character is declared"


def _slug(entity: str) -> str:
    return entity.partition(":")[2]
