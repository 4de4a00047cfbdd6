"""What standing, stress and forgiveness events do to a mind's state.

Each says how much and why, resolved: a replay needs neither profiles nor a seed. A change that
follows from another event names it as its cause, and follows from it once: the mind keeps the
highest sequence of each stream from which such a change came, so that what is kept does not grow
with the events.
"""

from __future__ import annotations

from talebearer.memory import _checks
from talebearer.memory._events import Event
from talebearer.memory._facts import STANDING_MAX
from talebearer.memory._fold import NOTHING, Applied, put_terms, related_by, target_of
from talebearer.memory._state import Bond, Cause, MindState
from talebearer.vocabulary import RelationshipState

_STANDING = frozenset({"target", "delta", "reason"})
_STANDING_ALLOWED = _STANDING | {"cause", "forgivable"}
_STRESS = frozenset({"delta", "reason"})
_STRESS_ALLOWED = _STRESS | {"cause"}
_FORGIVEN = frozenset({"target", "count", "reason"})
_FORGIVEN_ALLOWED = _FORGIVEN | {"cause"}


def standing_changed(state: MindState, event: Event) -> Applied:
    """Move the standing with a character, and the relationship with it.

    Source: IM-M8.
    """
    data = _checks.members(event.data, "", _STANDING, _STANDING_ALLOWED)
    target = target_of(state, data["target"])
    delta = _checks.signed(data["delta"], "delta", 2 * STANDING_MAX)
    forgivable = _checks.flag(data.get("forgivable", False), "forgivable")
    _checks.reason(data["reason"], "reason")
    if not _follows(state, event, target, data.get("cause")):
        return NOTHING
    return _move_standing(state, event, target, delta, forgivable=forgivable)


def own_standing_changed(state: MindState, event: Event) -> Applied:
    """Move the standing with a character; the details are those of what follows from an end."""
    data = event.data
    target, cause = target_of(state, data["target"]), data["cause"]
    if not _is_first(state, event, target, cause["mind"], cause["stream"], cause["sequence"]):
        return NOTHING
    forgivable = data.get("forgivable", False)
    return _move_standing(state, event, target, data["delta"], forgivable=forgivable)


def _move_standing(
    state: MindState, event: Event, target: str, delta: int, *, forgivable: bool
) -> Applied:
    before = _standing(state, target)
    after = _bounded(before + delta)
    if forgivable:
        # What the bound took off was not lost, so it is not given back.
        state.bonds.setdefault(target, Bond()).grudge += max(before - after, 0)
    return _set(state, event, target, after)


def stress_changed(state: MindState, event: Event) -> Applied:
    """Move the stress of the mind's owner, within 0 and 32767.

    Source: the interaction-memory spec section 8.1; IM-M8.
    """
    data = _checks.members(event.data, "", _STRESS, _STRESS_ALLOWED)
    delta = _checks.signed(data["delta"], "delta", _checks.STRESS_MAX)
    _checks.reason(data["reason"], "reason")
    if _follows(state, event, "", data.get("cause")):
        state.stress = min(max(state.stress + delta, 0), _checks.STRESS_MAX)
    return NOTHING


def own_stress_changed(state: MindState, event: Event) -> Applied:
    """Move the stress; the details are those of what follows from an end."""
    data = event.data
    cause = data["cause"]
    if _is_first(state, event, "", cause["mind"], cause["stream"], cause["sequence"]):
        state.stress = min(max(state.stress + data["delta"], 0), _checks.STRESS_MAX)
    return NOTHING


def walk_aways_forgiven(state: MindState, event: Event) -> Applied:
    """Give back what walk-aways took, and count them no longer; the marks of IM-M2 stay.

    Source: IM-M8.
    """
    data = _checks.members(event.data, "", _FORGIVEN, _FORGIVEN_ALLOWED)
    target = target_of(state, data["target"])
    count = _checks.whole(data["count"], "count")
    _checks.reason(data["reason"], "reason")
    if not _follows(state, event, target, data.get("cause")):
        return NOTHING
    bond = state.bonds.setdefault(target, Bond())
    given_back, bond.grudge = bond.grudge, 0
    bond.forgiven = max(bond.forgiven, count)
    return _set(state, event, target, _bounded(_standing(state, target) + given_back))


def _follows(state: MindState, event: Event, target: str, given: object) -> bool:
    """Note what *event* follows from; return whether it does so for the first time."""
    if given is None:
        return True
    return _is_first(state, event, target, *_checks.cause(given, "cause"))


def _is_first(
    state: MindState, event: Event, target: str, mind: str, stream: str, sequence: int
) -> bool:
    """Note the cause of *event*; return whether such a change follows from it for the first time."""
    cause = Cause(event.kind.value, target, mind, stream)
    if sequence <= state.causes.get(cause, 0):
        return False
    state.causes[cause] = sequence
    return True


def _set(state: MindState, event: Event, target: str, standing: int) -> Applied:
    entity = state.entities.get(target)
    now = RelationshipState.UNKNOWN if entity is None else entity.relationship_state
    relation = related_by(standing, now)
    return put_terms(state, event, target, relation=relation, standing=standing)


def _standing(state: MindState, target: str) -> int:
    entity = state.entities.get(target)
    return 0 if entity is None else entity.standing


def _bounded(standing: int) -> int:
    return min(max(standing, -STANDING_MAX), STANDING_MAX)
