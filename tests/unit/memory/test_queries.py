from __future__ import annotations

from typing import Any

import pytest

from talebearer.memory import InteractionMetadata
from talebearer.vocabulary import Confidence, InteractionState

ODO = "npc:odo-renn"
SERA = "npc:sera-venn"


@pytest.mark.spec("IM-5.3-first-time")
@pytest.mark.spec("IM-5.1-never-met")
def test_nobody_was_met_at_first(log: Any) -> None:
    graph = log.mind.graph
    assert graph.interaction_count_with(ODO) == 0
    assert not graph.has_interacted_with(ODO)
    assert graph.last_interaction_with(ODO) is None
    assert graph.interactions_with(ODO) == []
    assert not graph.has_walked_away_from(ODO)
    assert not graph.has_confronted(ODO)
    assert graph.active_interaction() is None


@pytest.mark.spec("IM-5.3-walked-away-last")
def test_the_last_conversation_tells_of_a_walk_out(log: Any) -> None:
    log.start(tick=1)
    log.end("walked_away", tick=2)
    last = log.mind.graph.last_interaction_with(ODO)
    assert last.interaction_state is InteractionState.WALKED_AWAY
    log.start(tick=3)
    log.end(tick=4)
    graph = log.mind.graph
    assert graph.last_interaction_with(ODO).interaction_state is InteractionState.COMPLETED
    assert graph.has_walked_away_from(ODO)


@pytest.mark.spec("IM-5.3-how-often")
def test_conversations_are_counted(log: Any) -> None:
    for _ in range(3):
        log.start()
        log.end()
    assert log.mind.graph.interaction_count_with(ODO) == 3
    assert log.mind.graph.interaction_count_with(SERA) == 0


@pytest.mark.spec("IM-5.3-confronted")
@pytest.mark.parametrize("end", ["completed", "conflict_abandoned"])
def test_a_confrontation_is_remembered_however_it_ended(log: Any, end: str) -> None:
    log.start()
    log.end("confrontation")
    log.end(end)
    assert log.mind.graph.has_confronted(ODO)
    assert log.mind.graph.interaction_count_with(ODO, InteractionState.CONFRONTATION) == 1


@pytest.mark.spec("IM-5.3-active-now")
def test_a_running_conversation_is_known(log: Any) -> None:
    log.start(tick=5)
    active = log.mind.graph.active_interaction()
    assert (active.target_entity, active.started_tick) == (ODO, 5)
    log.end("confrontation", tick=6)
    assert log.mind.graph.active_interaction().confrontation
    log.end(tick=7)
    assert log.mind.graph.active_interaction() is None


@pytest.mark.spec("IM-M8-walk-aways")
def test_an_abandoned_conflict_is_a_walk_away(log: Any) -> None:
    log.start()
    log.end("confrontation")
    log.end("conflict_abandoned")
    assert log.mind.graph.has_walked_away_from(ODO)
    assert log.mind.graph.interaction_count_with(ODO, InteractionState.WALKED_AWAY) == 0


@pytest.mark.spec("IM-M8-count-by-state")
def test_states_count_exactly_but_confrontation_by_its_mark(log: Any) -> None:
    for ends in (["completed"], ["confrontation", "completed"], ["walked_away"]):
        log.start()
        for kind in ends:
            log.end(kind)
    log.start()
    counts = {
        state.value: log.mind.graph.interaction_count_with(ODO, state) for state in InteractionState
    }
    assert counts == {
        "active": 1,
        "completed": 2,
        "walked_away": 1,
        "confrontation": 1,
        "conflict_abandoned": 0,
    }


@pytest.mark.spec("IM-5.1-order")
@pytest.mark.spec("IM-M1-order")
def test_conversations_come_by_tick_then_number(log: Any, make_receipt: Any) -> None:
    for number, tick in ((1000, 5), (7, 5), (999, 2)):
        log.start(number=number, tick=tick)
        log.end(tick=tick)
    graph = log.mind.graph
    ids = graph.interaction_ids_with(ODO)
    assert [name.rpartition("_")[2] for name in ids] == ["999", "007", "1000"]
    assert [item.started_tick for item in graph.interactions_with(ODO)] == [2, 5, 5]
    assert graph.last_interaction_with(ODO) is graph.interactions_with(ODO)[-1]


@pytest.mark.spec("IM-5.2-prefix")
def test_a_slug_that_begins_like_another_is_another(log: Any) -> None:
    for target in (ODO, "npc:odo", "npc:odo-renn-2"):
        log.start(target)
        log.end(target=target)
    graph = log.mind.graph
    assert graph.interaction_ids_with("npc:odo") == ("interaction.odo_001",)
    assert graph.interaction_ids_with(ODO) == ("interaction.odo-renn_001",)
    assert graph.interactions_with("odo") == []


@pytest.mark.spec("IM-2-ordered")
def test_facts_and_entities_come_in_order(log: Any) -> None:
    for name in ("zeal.one", "cargo.two", "cargo.one"):
        log.learn(name)
    log.start(SERA)
    log.end(target=SERA)
    log.observe()
    graph = log.mind.graph
    assert list(graph.facts) == ["cargo.one", "cargo.two", "interaction.sera-venn_001", "zeal.one"]
    assert list(graph.entities) == [ODO, SERA]
    assert len(graph.facts) == 4
    assert "cargo.one" in graph.facts
    assert "cargo.three" not in graph.facts


def test_many_new_facts_are_sorted_in(log: Any) -> None:
    names = [f"cargo.f{number:02d}" for number in range(40)]
    for name in reversed(names):
        log.learn(name)
    assert list(log.mind.graph.facts) == names
    log.learn("cargo.a")
    assert next(iter(log.mind.graph.facts)) == "cargo.a"


def test_applying_while_somebody_iterates_is_safe(log: Any) -> None:
    log.learn("cargo.b")
    seen = []
    for name in log.mind.graph.facts:
        log.learn("cargo.a")
        assert len(list(log.mind.graph.facts)) == 2
        seen.append(name)
    assert seen == ["cargo.b"]


@pytest.mark.spec("IM-4-decay-floor")
def test_conversations_have_a_floor() -> None:
    assert InteractionMetadata.DECAY_FLOOR is Confidence.KNOWS_DETAILS
