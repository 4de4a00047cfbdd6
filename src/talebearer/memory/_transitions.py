"""The interaction state machine, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.errors import IllegalTransition
from talebearer.vocabulary import EventKind, InteractionState

_EDGES: Mapping[InteractionState, Mapping[EventKind, InteractionState]] = {
    InteractionState.ACTIVE: {
        EventKind.INTERACTION_COMPLETED: InteractionState.COMPLETED,
        EventKind.INTERACTION_WALKED_AWAY: InteractionState.WALKED_AWAY,
        EventKind.INTERACTION_CONFRONTATION: InteractionState.CONFRONTATION,
    },
    InteractionState.CONFRONTATION: {
        EventKind.INTERACTION_COMPLETED: InteractionState.COMPLETED,
        EventKind.INTERACTION_CONFLICT_ABANDONED: InteractionState.CONFLICT_ABANDONED,
    },
    InteractionState.COMPLETED: {},
    InteractionState.WALKED_AWAY: {},
    InteractionState.CONFLICT_ABANDONED: {},
}


def advance(state: InteractionState, kind: EventKind) -> InteractionState:
    """Return the interaction state after the event *kind*.

    Args:
        state: Where the interaction is now.
        kind: What just happened.

    Returns:
        The next state; never ``ACTIVE``, which only a start gives.

    Raises:
        IllegalTransition: *state* has no edge for *kind* (TB101).

    Source: the interaction-memory spec section 3.2 (state diagram), 7.2 (event flow).
    """
    after = _EDGES[state].get(kind)
    if after is None:
        raise refused(state, kind, {})
    return after


def refused(state: InteractionState, kind: EventKind, data: dict[str, Any]) -> IllegalTransition:
    """Return the error for an event that *state* does not allow."""
    allowed = ", ".join(short(edge) for edge in _EDGES[state])
    return IllegalTransition(
        f"{short(kind)} is not allowed while the interaction is {state.value}",
        hint=f"allowed here: {allowed or 'nothing, this state is final'}",
        data={"state": state.value, "event": kind.value, **data},
    )


def short(kind: EventKind) -> str:
    """Return the word for *kind* in messages."""
    return kind.value.removeprefix("interaction_")
