"""Events that the engine made itself: a mind that does not check them again knows the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from talebearer.errors import TalebearerError
from talebearer.memory import (
    Applied,
    Event,
    Mind,
    consequences,
    mirrored,
    tolerance_of,
)
from talebearer.vocabulary import EventKind

LIVE = "live"
WHOM = st.sampled_from(["npc:odo", "npc:wick", "pc:ash"])
MOVES = st.sampled_from(
    [
        EventKind.INTERACTION_COMPLETED,
        EventKind.INTERACTION_WALKED_AWAY,
        EventKind.INTERACTION_CONFRONTATION,
        EventKind.INTERACTION_CONFLICT_ABANDONED,
    ]
)
STARTS = st.tuples(st.just("start"), WHOM, st.booleans(), st.sampled_from(["quay", "mill"]))
ENDS = st.tuples(
    st.just("move"), WHOM, MOVES, st.lists(st.sampled_from(["tide", "toll"]), max_size=2)
)
LINES = st.tuples(
    st.just("line"),
    st.sampled_from(["", "odo", "wick"]),
    st.sampled_from(["l_d_001", "l_d_002"]),
    st.sampled_from(
        [{}, {"variant": "0123abcd"}, {"round": 2}, {"variant": "ffffffff", "round": 1}]
    ),
)
FACTS = st.tuples(
    st.just("fact"),
    st.sampled_from(["tide.late", "toll.paid", "interaction.odo_001"]),
    st.sampled_from(["suspects", "knows_of", "direct"]),
)
STEPS = st.lists(st.tuples(st.one_of(STARTS, ENDS, LINES, FACTS), st.integers(-3, 40)), max_size=25)


def made(step: tuple[Any, ...]) -> tuple[EventKind, dict[str, Any]]:
    match step:
        case ("start", whom, initiated, place):
            data = {"target": whom, "player_initiated": initiated, "location": place}
            return EventKind.INTERACTION_STARTED, data
        case ("move", whom, kind, topics):
            more = {"topics": topics} if kind is EventKind.INTERACTION_COMPLETED else {}
            return kind, {"target": whom, **more}
        case ("line", speaker, line, shown):
            spoken = {"speaker": speaker} if speaker else {}
            return EventKind.LINE_FIRED, {"pool": "p/d/odo", "line": line, **spoken, **shown}
        case (_, fact, confidence):
            source = {"kind": "background"}
            learned = {"fact_id": fact, "confidence": confidence, "source": source}
            return EventKind.FACT_LEARNED, learned
    raise AssertionError(step)


class Both:
    """Two pairs of minds that are told the same: one checks everything, the other what it must."""

    def __init__(self) -> None:
        self.checked: dict[str, Mind] = {}
        self.own: dict[str, Mind] = {}

    def happen(self, mind: str, kind: EventKind, tick: int, data: dict[str, Any]) -> Event | None:
        checked = self.checked.setdefault(mind, Mind(mind))
        own = self.own.setdefault(mind, Mind(mind))
        sequence = checked.next_sequence(LIVE)
        assert own.next_sequence(LIVE) == sequence
        event = Event(stream=LIVE, sequence=sequence, tick=tick, kind=kind, data=data)
        wanted = answer(checked.apply, event)
        if sequence % 2:
            found = answer(own.apply_own, event)
        else:
            found = answer(lambda _: own.next_own(kind, data, stream=LIVE, tick=tick)[1], event)
        assert found == wanted
        assert (own.dumps(), own.revision) == (checked.dumps(), checked.revision)
        assert own.changes_since(0) == checked.changes_since(0)
        if not isinstance(wanted, Applied):
            return None
        assert own.apply_own(event).skipped, "it was taken in before"
        return event


def answer(apply: Any, event: Event) -> Applied | tuple[str, str]:
    try:
        applied: Applied = apply(event)
    except TalebearerError as fault:
        return fault.code, str(fault)
    return applied


@given(STEPS)
def test_the_mind_is_the_same(steps: list[tuple[tuple[Any, ...], int]]) -> None:
    both = Both()
    tick = 10
    for step, later in steps:
        tick = max(tick + later, 0)
        kind, data = made(step)
        event = both.happen("party", kind, tick, data)
        if event is None:
            continue
        for draft in mirrored(event, mind="party"):
            both.happen(draft.mind, draft.kind, tick, dict(draft.data))
        target = str(data.get("target", ""))
        if not target.startswith("npc:"):
            continue
        patience = tolerance_of(target.removeprefix("npc:"), {}, seed=3)
        for mind in (both.checked, both.own):
            lazy = consequences(mind["party"], lambda now=patience: now, event)
            assert lazy == consequences(both.checked["party"], patience, event)
        for draft in lazy.drafts:
            both.happen(draft.mind, draft.kind, tick, dict(draft.data))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "odo", "wick"]), st.sampled_from(["a", "b"]), st.integers(0, 9)
        ),
        max_size=12,
    )
)
def test_hearing_without_an_event_is_hearing_with_one(heard: list[tuple[str, str, int]]) -> None:
    with_event, without = Mind("party"), Mind("party")
    for number, (speaker, line, tick) in enumerate(heard, start=1):
        spoken = {"speaker": speaker} if speaker else {}
        data = {"pool": "p/d/odo", "line": line, **spoken}
        with_event.apply(
            Event(stream=LIVE, sequence=number, tick=tick, kind=EventKind.LINE_FIRED, data=data)
        )
        without.hear((speaker, "p/d/odo", line), stream=LIVE, tick=tick)
        assert without.dumps() == with_event.dumps()
        assert without.picks_at(tick) == with_event.picks_at(tick)
        assert without.graph.last_said == with_event.graph.last_said
    assert without.changes_since(0) == with_event.changes_since(0)
    assert without.marks == with_event.marks
