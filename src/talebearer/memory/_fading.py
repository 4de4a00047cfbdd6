"""Fading: what a decay event does to a mind's state, and when one is due.

Nothing fades unless a rate is set. Fading is an event and no view of the present moment, because
gates read the graph: what a line rested on can be replayed, whatever rates later content has.

* The first such event starts the clock: ages count from its tick on at the earliest, so that rates
  set for an old campaign do not wipe its memory out at once.
* The age of a fact counts from the tick at which its confidence was last reached or confirmed, that
  of a character from the latest event about it.
* For every full step of that age the confidence falls by one, and the rest of the age stays on the
  clock, so that many short waits and one long one come to the same.
* Conversations never fade: they stand at ``InteractionMetadata.DECAY_FLOOR`` once they have ended.
  Other facts stop at ``suspects``; a character with whom there was a conversation stops at
  ``knows_of``, since the conversation is remembered, others at ``suspects``.
* A standing moves 100 thousandths towards 0, never across, for every full step since the latest
  event about the character, and the relationship follows it. The step is longer the more
  conversations ended well: one and as much again for each, up to four.

Source: the interaction-memory spec section 4, 9.2; IM-M4, IM-M8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from talebearer.errors import UsageFault
from talebearer.memory import _checks
from talebearer.memory._events import Event, EventDraft
from talebearer.memory._facts import EntityKnowledge
from talebearer.memory._fold import Applied, related_by
from talebearer.memory._state import MindState
from talebearer.memory._told import changed
from talebearer.vocabulary import Confidence, EventKind, InteractionState, SourceKind

if TYPE_CHECKING:  # a mind is made of this module
    from talebearer.memory._mind import Mind

Steps = Mapping[SourceKind, int]
Faded = dict[str, tuple[Confidence, int]]
"""Fact id or entity reference to its new confidence and the tick from which its age counts."""

STANDING_STEP_THOUSANDTHS = 100
LASTING_CONVERSATIONS_MAX = 4

_DECAYED = frozenset({"facts", "entities"})
_DECAYED_ALLOWED = _DECAYED | {"standing"}
_COMPLETED = InteractionState.COMPLETED
_SOURCES = {kind.value: kind for kind in SourceKind}
_CONFIDENCES = tuple(Confidence)
_KNOWS_OF = Confidence.KNOWS_OF.rank


def knowledge_decayed(state: MindState, event: Event) -> Applied:
    """Let facts and characters fade up to the event's tick."""
    data = _checks.members(event.data, "", _DECAYED, _DECAYED_ALLOWED)
    fact_steps = _steps(data["facts"], "facts")
    entity_steps = _steps(data["entities"], "entities")
    step = _checks.whole(data["standing"], "standing", 1) if "standing" in data else None
    if state.decay_since is None:
        state.decay_since = event.tick
    facts = faded_facts(state, fact_steps, event.tick)
    entities = faded_entities(state, entity_steps, event.tick)
    for name, (confidence, since) in facts.items():
        state.facts[name] = changed(state.facts[name], confidence=confidence)
        state.fresh[name] = since
    for name, (confidence, since) in entities.items():
        old = state.entities[name]
        state.entities[name] = _changed(old, confidence, old.standing)
        state.fresh[name] = since
    standings = faded_standings(state, step, event.tick)
    for name, (standing, since) in standings.items():
        old = state.entities[name]
        state.entities[name] = _changed(old, old.confidence, standing)
        state.fresh[_terms_of(name)] = since
    return Applied(tuple(sorted(facts)), tuple(sorted({*entities, *standings})))


def faded_facts(state: MindState, steps: Steps, tick: int) -> Faded:
    """Return the facts that have faded by *tick*."""
    faded: Faded = {}
    if not steps:
        return faded
    for name, fact in state.facts.items():
        step = steps.get(fact.learned_via.kind)
        if step is None or fact.metadata is not None or name.startswith("interaction."):
            continue
        since = _since(state, name, fact.acquired_tick)
        found = _fainter_by((tick - since) // step, fact.confidence, 0)
        if found is not None:
            faded[name] = (found[0], since + found[1] * step)
    return faded


def faded_entities(state: MindState, steps: Steps, tick: int) -> Faded:
    """Return the characters of whom the memory has faded by *tick*."""
    faded: Faded = {}
    if not steps:
        return faded
    for name, entity in state.entities.items():
        step = steps.get(entity.learned_via.kind)
        if step is None:
            continue
        floor = _KNOWS_OF if name in state.histories or name in state.joint else 0
        since = _since(state, name, entity.last_tick)
        found = _fainter_by((tick - since) // step, entity.confidence, floor)
        if found is not None:
            faded[name] = (found[0], since + found[1] * step)
    return faded


def faded_standings(state: MindState, step: int | None, tick: int) -> dict[str, tuple[int, int]]:
    """Return the standings that have faded by *tick*, and the tick from which their age counts."""
    faded: dict[str, tuple[int, int]] = {}
    if step is None:
        return faded
    for name, entity in state.entities.items():
        standing = entity.standing
        if standing == 0:
            continue
        history = state.histories.get(name)
        kept = 0 if history is None else min(history.counts[_COMPLETED], LASTING_CONVERSATIONS_MAX)
        long_step = step * (1 + kept)
        since = _since(state, _terms_of(name), entity.last_tick)
        # As many steps as lead to 0, the last of which may be a short one.
        left = -(-abs(standing) // STANDING_STEP_THOUSANDTHS)
        taken = min((tick - since) // long_step, left)
        if taken > 0:
            rest = max(abs(standing) - taken * STANDING_STEP_THOUSANDTHS, 0)
            faded[name] = (rest if standing > 0 else -rest, since + taken * long_step)
    return faded


def _terms_of(name: str) -> str:
    """Return under which name the age of a standing is kept."""
    return f"terms {name}"


def _since(state: MindState, name: str, recorded_tick: int) -> int:
    started = state.decay_since or 0
    return max(recorded_tick, started, state.fresh.get(name, 0))


def _fainter_by(count: int, now: Confidence, floor: int) -> tuple[Confidence, int] | None:
    """Return the confidence *count* steps down, and the steps taken, or None for no change."""
    taken = min(count, now.rank - floor)
    return None if taken <= 0 else (_CONFIDENCES[now.rank - taken], taken)


def _steps(value: object, field: str) -> dict[SourceKind, int]:
    if not isinstance(value, Mapping):
        raise _checks.Malformed(field, f"{_checks.show(value)} is not an object", "an object")
    return {
        _checks.choice(name, field, _SOURCES): _checks.whole(item, f"{field}[{name}]", 1)
        for name, item in value.items()
    }


def _changed(old: EntityKnowledge, confidence: Confidence, standing: int) -> EntityKnowledge:
    relation = old.relationship_state
    return EntityKnowledge(
        entity=old.entity,
        confidence=confidence,
        relationship_state=relation if standing == old.standing else related_by(standing, relation),
        learned_via=old.learned_via,
        attributes=old.attributes,
        first_tick=old.first_tick,
        last_tick=old.last_tick,
        provenance=old.provenance,
        standing=standing,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DecayPolicy:
    """How fast memory fades: the ticks that take one step of confidence, by way of learning.

    Attributes:
        facts: For facts; a way that is missing never fades.
        entities: For characters, by how the present confidence came about.
        standing: The ticks that take a standing one step towards 0; None never.

    Raises:
        UsageFault: A rate is not a whole number from 1 (TB111).

    Source: IM-M4.
    """

    facts: Mapping[SourceKind, int] = field(default_factory=dict)
    entities: Mapping[SourceKind, int] = field(default_factory=dict)
    standing: int | None = None

    def __post_init__(self) -> None:
        terms = {} if self.standing is None else {"standing": self.standing}
        for steps in (self.facts, self.entities, terms):
            for kind, step in steps.items():
                if not isinstance(step, int) or isinstance(step, bool) or step < 1:
                    raise UsageFault(f"{step!r} is no rate for {kind}", hint="ticks, 1 or more")


def decay_due(mind: Mind, policy: DecayPolicy, *, tick: int) -> EventDraft | None:
    """Return the event that lets *mind* fade up to *tick*, or None where nothing would change.

    The first with any rate set is always due: it starts the clock. Asking costs a pass over what
    the mind knows, so ask when time has passed, such as at the start of a conversation.

    Args:
        mind: The mind.
        policy: The rates; without any nothing is ever due.
        tick: Up to when; the event is to carry the same.
    """
    if not policy.facts and not policy.entities and policy.standing is None:
        return None
    state = mind._state
    started = state.decay_since is not None
    facts = {SourceKind(kind): step for kind, step in policy.facts.items()}
    entities = {SourceKind(kind): step for kind, step in policy.entities.items()}
    faded = (
        faded_facts(state, facts, tick),
        faded_entities(state, entities, tick),
        faded_standings(state, policy.standing, tick),
    )
    if started and not any(faded):
        return None
    data: dict[str, Any] = {
        "facts": {kind.value: facts[kind] for kind in sorted(facts)},
        "entities": {kind.value: entities[kind] for kind in sorted(entities)},
    }
    if policy.standing is not None:
        data["standing"] = policy.standing
    return EventDraft(mind=mind.mind_id, kind=EventKind.KNOWLEDGE_DECAYED, data=data)
