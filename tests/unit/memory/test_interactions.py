"""Interactions: numbering, states, confidence, and what a wrong event leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.errors import IllegalTransition, InvalidEvent
from talebearer.memory import Mind, fold
from talebearer.vocabulary import Confidence, FactState, InteractionState, SourceKind

ODO = "npc:odo-renn"
SERA = "npc:sera-venn"
FIRST = "interaction.odo-renn_001"


@pytest.mark.spec("IM-3.1-id-format")
def test_ids_are_numbered_per_character(log: Any) -> None:
    ids = []
    for target in (ODO, ODO, SERA):
        ids.append(log.start(target).interaction_id)
        log.end(target=target)
    assert ids == [FIRST, "interaction.odo-renn_002", "interaction.sera-venn_001"]


@pytest.mark.spec("IM-7.2-started")
@pytest.mark.spec("IM-4-direct-in-progress")
@pytest.mark.spec("IM-3.3-metadata")
def test_a_start_makes_an_active_fact(log: Any) -> None:
    applied = log.start(tick=7, player_initiated=False)
    fact = log.mind.graph.fact(FIRST)
    assert applied.changed_fact_ids == (FIRST,)
    assert applied.changed_entities == (ODO,)
    assert (fact.confidence, fact.state) == (Confidence.DIRECT, FactState.ACTIVE)
    assert fact.learned_via.kind is SourceKind.DIRECT_OBSERVATION
    assert (fact.acquired_tick, fact.provenance, fact.origin) == (7, (), ("live", 1))
    metadata = fact.metadata
    assert metadata.interaction_state is InteractionState.ACTIVE
    assert (metadata.target_entity, metadata.started_tick, metadata.ended_tick) == (ODO, 7, None)
    assert (metadata.topics, metadata.confrontation) == ((), False)
    assert (metadata.player_initiated, metadata.location) == (False, "the-quay")


@pytest.mark.spec("IM-7.2-completed")
@pytest.mark.spec("IM-4-details-from-end")
def test_completion_records_topics_and_settles(log: Any) -> None:
    log.start(tick=1)
    log.end(tick=9, topics=["cargo", "money"])
    fact = log.mind.graph.fact(FIRST)
    assert fact.confidence is Confidence.KNOWS_DETAILS
    assert fact.metadata.interaction_state is InteractionState.COMPLETED
    assert fact.metadata.topics == ("cargo", "money")
    assert fact.metadata.ended_tick == 9
    assert log.mind.graph.in_progress_id is None


@pytest.mark.spec("IM-7.2-walked-away")
def test_walking_away_is_recorded(log: Any) -> None:
    log.start()
    log.end("walked_away", tick=3)
    fact = log.mind.graph.fact(FIRST)
    assert fact.confidence is Confidence.KNOWS_DETAILS
    assert fact.metadata.interaction_state is InteractionState.WALKED_AWAY
    assert not fact.metadata.confrontation


@pytest.mark.spec("IM-7.2-confrontation")
def test_a_confrontation_goes_on(log: Any) -> None:
    log.start()
    log.end("confrontation", tick=3)
    fact = log.mind.graph.fact(FIRST)
    assert fact.confidence is Confidence.DIRECT
    assert fact.metadata.confrontation
    assert fact.metadata.ended_tick is None
    assert log.mind.graph.in_progress_id == FIRST


@pytest.mark.spec("IM-7.2-conflict-abandoned")
def test_a_confrontation_can_be_abandoned(log: Any) -> None:
    log.start()
    log.end("confrontation")
    log.end("conflict_abandoned", tick=4)
    metadata = log.mind.graph.fact(FIRST).metadata
    assert metadata.interaction_state is InteractionState.CONFLICT_ABANDONED
    assert (metadata.confrontation, metadata.ended_tick) == (True, 4)


@pytest.mark.spec("IM-M2-sticky")
def test_a_completed_confrontation_keeps_its_mark(log: Any) -> None:
    log.start()
    log.end("confrontation")
    log.end()
    metadata = log.mind.graph.fact(FIRST).metadata
    assert metadata.interaction_state is InteractionState.COMPLETED
    assert metadata.confrontation


@pytest.mark.spec("IM-M1-past-999")
def test_numbers_grow_past_three_digits_in_order(log: Any) -> None:
    for number in (999, 1000):
        log.start(number=number)
        log.end()
    graph = log.mind.graph
    expected = ("interaction.odo-renn_999", "interaction.odo-renn_1000")
    assert graph.interaction_ids_with(ODO) == expected
    assert tuple(graph.facts) == expected
    assert log.start().interaction_id == "interaction.odo-renn_1001"


@pytest.mark.spec("IM-M1-counter")
@pytest.mark.spec("IM-7.3-next-number")
def test_a_kept_number_raises_the_counter_and_none_is_reused(log: Any) -> None:
    log.start(number=5)
    log.end()
    log.start(number=2)
    log.end()
    assert log.start().interaction_id == "interaction.odo-renn_006"
    assert log.mind.numbers == {"odo-renn": 6}


def test_a_rebuilt_mind_never_gives_a_vanished_number(log: Any) -> None:
    log.mind = Mind("pc:wren", numbers={"odo-renn": 4})
    assert log.start().interaction_id == "interaction.odo-renn_005"


@pytest.mark.spec("IM-M13-kept-number")
def test_a_kept_number_must_be_free(log: Any) -> None:
    log.start(number=3)
    log.end()
    with pytest.raises(InvalidEvent, match=r"number .*3 is taken by interaction\.odo-renn_003"):
        log.start(number=3)


@pytest.mark.spec("IM-M3-one-in-progress")
@pytest.mark.parametrize("target", [ODO, SERA])
def test_a_second_conversation_is_refused(log: Any, target: str) -> None:
    log.start()
    before = log.mind.dumps()
    with pytest.raises(IllegalTransition) as caught:
        log.start(target)
    assert str(caught.value) == "TB101: started is not allowed while the interaction is active"
    assert caught.value.data["interaction"] == FIRST
    assert log.mind.dumps() == before


@pytest.mark.spec("IM-M3-illegal-changes-nothing")
def test_an_illegal_move_changes_nothing(log: Any) -> None:
    log.start()
    log.end()
    before = log.mind.dumps()
    with pytest.raises(IllegalTransition) as caught:
        log.end()
    assert caught.value.message == "completed is not allowed while the interaction is completed"
    assert caught.value.hint == "allowed here: nothing, this state is final"
    assert log.mind.dumps() == before


def test_a_move_without_a_conversation_is_refused(log: Any) -> None:
    with pytest.raises(IllegalTransition, match=f"while no interaction with {ODO} is in progress"):
        log.end()


def test_a_move_of_somebody_elses_conversation_is_refused(log: Any) -> None:
    log.start()
    with pytest.raises(IllegalTransition, match=f"with {SERA} is not allowed while .*{ODO} is act"):
        log.end(target=SERA)


def test_walking_away_from_a_confrontation_has_its_own_event(log: Any) -> None:
    log.start()
    log.end("confrontation")
    with pytest.raises(IllegalTransition) as caught:
        log.end("walked_away")
    assert caught.value.hint == "allowed here: completed, conflict_abandoned"
    assert caught.value.data["interaction"] == FIRST


def test_an_end_before_the_start_is_refused(log: Any) -> None:
    log.start(tick=5)
    with pytest.raises(InvalidEvent, match=r"tick .*4 is before the start at 5"):
        log.end(tick=4)


@pytest.mark.spec("IM-M9-live-untouched")
def test_a_recorded_session_never_touches_a_live_conversation(log: Any, make_receipt: Any) -> None:
    log.start()
    receipt = make_receipt()
    log.start(stream="s1", receipt=receipt, tick=2)
    log.end(stream="s1", receipt=receipt, tick=3)
    graph = log.mind.graph
    assert graph.in_progress_id == FIRST
    assert graph.fact("interaction.odo-renn_002").provenance == (receipt,)
    log.end(tick=9)
    assert graph.fact(FIRST).metadata.ended_tick == 9


def test_recorded_streams_do_not_touch_each_other(log: Any, make_receipt: Any) -> None:
    for stream in ("s1", "s2"):
        log.start(stream=stream, receipt=make_receipt(stream))
    assert log.mind.graph.active_interaction() is None
    with pytest.raises(IllegalTransition):
        log.start(stream="s1", receipt=make_receipt("s1"))
    log.end(stream="s2", receipt=make_receipt("s2"))
    states = [item.interaction_state.value for item in log.mind.graph.interactions_with(ODO)]
    assert states == ["active", "completed"]


def test_two_live_streams_share_one_conversation(log: Any) -> None:
    log.start(stream="keyboard")
    log.end(stream="pad")
    assert log.mind.graph.in_progress_id is None
    assert fold("pc:wren", log.events).dumps() == log.mind.dumps()
