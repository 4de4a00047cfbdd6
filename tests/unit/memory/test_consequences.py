"""What walking out costs, and what mends it."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.errors import UsageFault
from talebearer.memory import Consequences, Mind, consequences, fold, stress_delta, tolerance_of
from talebearer.vocabulary import EventKind, InteractionState, RelationshipState

ODO = "npc:odo-renn"


def patience(**change: Any) -> Any:
    values = {
        "threshold": 40,
        "walk_away_threshold": 1,
        "walk_away_penalty": 0.3,
        "walk_away_stress_delta": 10,
        "permanent_confrontation_memory": False,
    }
    return tolerance_of("odo-renn", {**values, **change}, seed=1)


def ended(log: Any, how: str, tolerance: Any, *, keep: bool = True, stress: int = 0) -> Any:
    """Hold a conversation that ends *how*, and put what follows into the log."""
    tick = log.mind.tick + 1
    log.start(tick=tick)
    if how == "conflict_abandoned" or how == "settled":
        log.end("confrontation", tick=tick)
    log.end("completed" if how == "settled" else how, tick=tick)
    found = consequences(log.mind, tolerance, log.events[-1], stress=stress)
    if keep:
        for draft in found.drafts:
            if draft.mind == log.mind.mind_id:
                log.take(draft, tick=tick)
    return found


def step(found: Consequences, name: str) -> Any:
    return next(item for item in found.steps if item.name == name)


@pytest.mark.spec("IM-8.1-four-steps")
def test_a_walk_away_goes_four_steps(log: Any) -> None:
    found = ended(log, "walked_away", patience())
    assert [item.name for item in found.steps] == ["threshold", "relationship", "stress", "memory"]
    assert [item.changed for item in found.steps] == [False, False, True, False]
    assert all(item.text for item in found.steps)
    assert step(found, "threshold").details == {"count": 1, "threshold": 1, "beyond": False}


@pytest.mark.spec("IM-8-tolerance-threshold")
def test_only_walk_aways_beyond_the_threshold_cost(log: Any) -> None:
    standings = [ended(log, "walked_away", patience()).standing for _ in range(4)]
    assert standings == [(0, 0), (0, -300), (-300, -600), (-600, -900)]
    assert log.mind.graph.standing_with(ODO) == -900


@pytest.mark.spec("IM-M8-standing")
def test_the_relationship_follows_the_standing(log: Any) -> None:
    seen = [ended(log, "walked_away", patience()).relationship[1].value for _ in range(4)]
    assert seen == ["known", "known", "hostile", "hostile"]
    assert log.mind.graph.entity(ODO).relationship_state is RelationshipState.HOSTILE


def test_the_standing_has_an_end(log: Any) -> None:
    for _ in range(9):
        found = ended(log, "walked_away", patience(walk_away_penalty=0.5))
    assert found.standing == (-1000, -1000)
    assert log.mind.graph.standing_with(ODO) == -1000
    assert log.mind.grudge(ODO) == 1000


@pytest.mark.spec("IM-8-tolerance-stress")
@pytest.mark.spec("IM-M8-stress-formula")
@pytest.mark.parametrize(
    ("base", "stress", "threshold", "expected"),
    [
        (10, 0, 40, 10),
        (10, 20, 40, 15),
        (10, 39, 40, 19),
        (10, 40, 40, 20),
        (10, 900, 40, 20),
        (10, 0, 0, 20),
        (0, 40, 40, 0),
    ],
)
def test_stress_makes_it_worse(base: int, stress: int, threshold: int, expected: int) -> None:
    assert stress_delta(base, stress=stress, threshold=threshold) == expected


def test_each_walk_away_adds_stress_to_the_character(log: Any) -> None:
    found = ended(log, "walked_away", patience(), stress=20)
    (draft,) = found.drafts
    assert (draft.mind, draft.kind) == (ODO, EventKind.STRESS_CHANGED)
    assert draft.data["delta"] == 15
    assert draft.data["cause"] == {"mind": "pc:wren", "stream": "live", "sequence": 2}
    assert draft.data["reason"]["code"] == "walk_away"
    assert found.stress == (20, 35)
    assert not step(found, "stress").details["strained"]


@pytest.mark.spec("IM-7.2-abandoned-is-worst")
def test_an_abandoned_confrontation_stresses_twice(log: Any) -> None:
    found = ended(log, "conflict_abandoned", patience(), stress=20)
    assert found.stress == (20, 50)
    assert step(found, "stress").details["strained"]


def test_a_character_without_temper_gets_no_stress(log: Any) -> None:
    found = ended(log, "walked_away", patience(walk_away_stress_delta=0))
    assert found.drafts == ()


@pytest.mark.spec("IM-8-tolerance-permanent")
def test_an_abandoned_confrontation_may_never_be_forgiven(log: Any) -> None:
    tolerance = patience(permanent_confrontation_memory=True)
    ended(log, "walked_away", tolerance)
    found = ended(log, "conflict_abandoned", tolerance)
    assert step(found, "memory").changed
    assert log.mind.grudge(ODO) == 0
    for _ in range(3):
        last = ended(log, "completed", tolerance)
    assert step(last, "forgiveness").details["grudge"] == 0
    assert log.mind.graph.standing_with(ODO) == -300 + 60
    assert log.mind.forgiven_walk_aways(ODO) == 1
    found = ended(log, "walked_away", tolerance)
    assert step(found, "threshold").details["count"] == 2


@pytest.mark.spec("IM-M8-forgiveness")
def test_three_good_conversations_in_a_row_are_forgiven(log: Any) -> None:
    tolerance = patience()
    for how in ("walked_away", "conflict_abandoned"):
        ended(log, how, tolerance)
    assert log.mind.grudge(ODO) == 300
    forgiven = [step(ended(log, "completed", tolerance), "forgiveness") for _ in range(3)]
    assert [item.changed for item in forgiven] == [False, False, True]
    assert log.mind.grudge(ODO) == 0
    assert log.mind.graph.standing_with(ODO) == 60
    assert log.mind.forgiven_walk_aways(ODO) == 2
    graph = log.mind.graph
    assert graph.has_confronted(ODO)
    assert graph.has_walked_away_from(ODO)
    found = ended(log, "walked_away", tolerance)
    assert step(found, "threshold").details == {"count": 1, "threshold": 1, "beyond": False}


def test_a_walk_away_starts_the_row_again(log: Any) -> None:
    tolerance = patience()
    ways = ("walked_away", "completed", "completed", "walked_away", "completed", "completed")
    rows = [ended(log, how, tolerance) for how in ways]
    assert step(rows[-1], "forgiveness").details["row"] == 2
    assert log.mind.grudge(ODO) == 300


def test_there_may_be_nothing_to_forgive(log: Any) -> None:
    found = ended(log, "completed", patience())
    assert step(found, "forgiveness").text == "there is nothing to forgive"


@pytest.mark.spec("IM-9.2-relationship-drift")
def test_good_conversations_bring_people_together(log: Any) -> None:
    for number in range(1, 27):
        found = ended(log, "completed", patience())
        assert found.standing == (20 * number - 20, 20 * number)
    assert log.mind.graph.entity(ODO).relationship_state is RelationshipState.FRIENDLY


def test_a_settled_confrontation_moves_nothing(log: Any) -> None:
    found = ended(log, "settled", patience())
    assert (found.standing, found.drafts) == ((0, 0), ())


def test_small_talk_does_not_end_hostility(log: Any) -> None:
    log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state="hostile")
    found = ended(log, "completed", patience())
    assert found.standing == (-500, -500)
    assert found.relationship == (RelationshipState.HOSTILE, RelationshipState.HOSTILE)


def test_nobody_gets_beyond_the_best_terms(log: Any) -> None:
    log.stand(1000)
    assert ended(log, "completed", patience()).drafts == ()


@pytest.mark.parametrize("kind", list(EventKind))
def test_only_ends_have_consequences(log: Any, kind: EventKind) -> None:
    ends = {
        EventKind.INTERACTION_COMPLETED,
        EventKind.INTERACTION_WALKED_AWAY,
        EventKind.INTERACTION_CONFLICT_ABANDONED,
    }
    log.start()
    log.end("walked_away")
    event = log.event(kind, target=ODO)
    log.mind.apply(log.event(EventKind.LINE_FIRED, pool="a", line="b"))
    found = consequences(log.mind, patience(), event)
    assert bool(found.steps) is (kind in ends)
    if kind not in ends:
        assert found.drafts == ()
        assert found.standing == (0, 0)


def test_who_is_left_takes_no_offence_at_itself(log: Any) -> None:
    log.start()
    log.end("walked_away", by="other")
    found = consequences(log.mind, patience(), log.events[-1])
    assert found.drafts == ()
    assert [item.text for item in found.steps] == [
        "npc:odo-renn walked out itself, so it takes no offence"
    ]
    assert log.mind.graph.walk_away_count_from(ODO) == 0
    assert log.mind.graph.was_left_by(ODO)
    assert log.mind.graph.interaction_count_with(ODO, InteractionState.WALKED_AWAY) == 1


@pytest.mark.spec("IM-M13-penalty-once")
def test_a_penalty_is_taken_once(log: Any, logs: Any) -> None:
    ended(log, "walked_away", patience())
    first = ended(log, "walked_away", patience(), keep=False)
    event = log.events[-1]
    odo = logs(ODO)[ODO]
    for _ in range(2):
        for draft in first.drafts:
            (odo if draft.mind == ODO else log).take(draft)
    assert log.mind.graph.standing_with(ODO) == -300
    assert log.mind.grudge(ODO) == 300
    assert odo.mind.stress == 10
    again = consequences(log.mind, patience(), event)
    assert [draft.kind for draft in again.drafts] == [EventKind.STRESS_CHANGED]
    assert "has been counted already" in step(again, "relationship").text


@pytest.mark.spec("IM-M8-replay-without-content")
def test_a_replay_needs_neither_profile_nor_seed(log: Any) -> None:
    for how in ("walked_away", "walked_away", "conflict_abandoned", "completed"):
        ended(log, how, patience())
    assert fold("pc:wren", log.events).dumps() == log.mind.dumps()
    assert Mind.loads(log.mind.dumps()).dumps() == log.mind.dumps()


def test_an_event_must_be_taken_in_first(log: Any) -> None:
    log.start()
    event = log.event(EventKind.INTERACTION_WALKED_AWAY, target=ODO)
    with pytest.raises(UsageFault, match="has not taken in interaction_walked_away live 2"):
        consequences(log.mind, patience(), event)


def test_patience_is_ones_own(log: Any) -> None:
    log.start()
    log.end("walked_away")
    with pytest.raises(UsageFault, match="the tolerance of vesk is not the one of npc:odo-renn"):
        consequences(log.mind, tolerance_of("vesk", {}, seed=1), log.events[-1])


def test_the_result_is_data(log: Any) -> None:
    ended(log, "walked_away", patience())
    found = ended(log, "walked_away", patience(), stress=3)
    data = found.as_json()
    assert data["standing"] == [0, -300]
    assert data["relationship"] == ["known", "known"]
    assert data["stress"] == [3, 13]
    assert [item["kind"] for item in data["drafts"]] == ["standing_changed", "stress_changed"]
    assert data["steps"][1]["text"] == "one walk-away too many costs 300: standing 0 to -300"
