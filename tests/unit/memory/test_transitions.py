from __future__ import annotations

import pytest

from talebearer.errors import IllegalTransition
from talebearer.memory import advance
from talebearer.vocabulary import EventKind, InteractionState

EDGES = {
    ("active", "interaction_completed"): "completed",
    ("active", "interaction_walked_away"): "walked_away",
    ("active", "interaction_confrontation"): "confrontation",
    ("confrontation", "interaction_completed"): "completed",
    ("confrontation", "interaction_conflict_abandoned"): "conflict_abandoned",
}


@pytest.mark.spec("IM-3.2-edges")
@pytest.mark.parametrize("state", list(InteractionState))
@pytest.mark.parametrize("kind", list(EventKind))
def test_every_state_with_every_event(state: InteractionState, kind: EventKind) -> None:
    after = EDGES.get((state.value, kind.value))
    if after is not None:
        assert advance(state, kind) is InteractionState(after)
    else:
        with pytest.raises(IllegalTransition) as caught:
            advance(state, kind)
        assert caught.value.data == {"state": state.value, "event": kind.value}


@pytest.mark.spec("IM-3.2-final")
def test_a_final_state_says_so() -> None:
    with pytest.raises(IllegalTransition) as caught:
        advance(InteractionState.COMPLETED, EventKind.INTERACTION_COMPLETED)
    expected = "TB101: completed is not allowed while the interaction is completed"
    assert str(caught.value) == expected
    assert caught.value.hint == "allowed here: nothing, this state is final"


@pytest.mark.parametrize(
    ("state", "hint"),
    [
        ("active", "allowed here: completed, walked_away, confrontation"),
        ("confrontation", "allowed here: completed, conflict_abandoned"),
    ],
)
def test_the_hint_names_the_edges(state: str, hint: str) -> None:
    with pytest.raises(IllegalTransition) as caught:
        advance(InteractionState(state), EventKind.INTERACTION_STARTED)
    assert caught.value.message == f"started is not allowed while the interaction is {state}"
    assert caught.value.hint == hint
