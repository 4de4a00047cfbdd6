"""Decay, contradiction and staleness."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.errors import UsageFault
from talebearer.memory import Applied, DecayPolicy, InteractionMetadata, Mind, decay_due
from talebearer.vocabulary import Confidence, EventKind, FactState, SourceKind

ODO = "npc:odo-renn"
HEARD = {"kind": "heard", "payload": {}}
FACTS = DecayPolicy(facts={SourceKind.HEARD: 10, SourceKind.TOLD_BY: 100})
PEOPLE = DecayPolicy(entities={SourceKind.HEARD: 10, SourceKind.DIRECT_OBSERVATION: 10})


def fade(log: Any, policy: DecayPolicy, tick: int) -> Any:
    draft = decay_due(log.mind, policy, tick=tick)
    return None if draft is None else log.take(draft, tick=tick)


def confidence(log: Any, name: str = "a.b") -> str:
    return str(log.mind.graph.fact(name).confidence.value)


@pytest.mark.spec("IM-M4-decay-off")
def test_nothing_fades_unless_a_rate_is_set(log: Any) -> None:
    log.learn("a.b", "direct", source=HEARD)
    assert decay_due(log.mind, DecayPolicy(), tick=10**9) is None


@pytest.mark.spec("IM-M4-decay-policy")
def test_facts_fade_by_the_way_they_were_learned(log: Any) -> None:
    fade(log, FACTS, 0)
    log.learn("a.b", "direct", source=HEARD)
    log.learn("a.c", "direct")
    log.learn("a.d", "direct", source={"kind": "background"})
    seen = []
    for tick in (9, 10, 29, 30, 400):
        fade(log, FACTS, tick)
        seen.append([confidence(log, f"a.{name}") for name in "bcd"])
    assert seen == [
        ["direct", "direct", "direct"],
        ["knows_details", "direct", "direct"],
        ["knows_of", "direct", "direct"],
        ["suspects", "direct", "direct"],
        ["suspects", "suspects", "direct"],
    ]


def test_the_first_event_starts_the_clock(log: Any) -> None:
    log.learn("a.b", "direct", source=HEARD)
    assert fade(log, FACTS, 1000) == Applied()
    assert fade(log, FACTS, 1009) is None
    assert fade(log, FACTS, 1010).changed_fact_ids == ("a.b",)


def test_many_short_waits_are_one_long_one(log: Any, logs: Any) -> None:
    other = logs("pc:wren")["pc:wren"]
    for each in (log, other):
        fade(each, FACTS, 0)
        each.learn("a.b", "direct", source=HEARD)
        each.learn("a.c", "direct", source=HEARD, tick=4)
    for tick in range(1, 26):
        fade(log, FACTS, tick)
    fade(other, FACTS, 25)
    for name in ("a.b", "a.c"):
        assert log.mind.graph.fact(name) == other.mind.graph.fact(name)
    assert log.mind.snapshot()["decay"] == other.mind.snapshot()["decay"]


def test_hearing_it_again_keeps_it_fresh(log: Any) -> None:
    fade(log, FACTS, 0)
    log.learn("a.b", "knows_of", source=HEARD)
    log.learn("a.b", "knows_of", source=HEARD, tick=8)
    assert fade(log, FACTS, 17) is None
    log.learn("a.b", "suspects", source=HEARD, tick=17)
    assert fade(log, FACTS, 18) is not None
    assert confidence(log) == "suspects"
    log.learn("a.b", "knows_details", source=HEARD, tick=20)
    assert fade(log, FACTS, 29) is None


@pytest.mark.spec("IM-4-decay-clamp")
def test_conversations_never_fade(log: Any) -> None:
    policy = DecayPolicy(facts=dict.fromkeys(SourceKind, 1), entities=dict.fromkeys(SourceKind, 1))
    fade(log, policy, 0)
    log.start()
    log.end()
    log.start()
    fade(log, policy, 1000)
    graph = log.mind.graph
    done, running = (graph.fact(name) for name in graph.interaction_ids_with(ODO))
    assert done.confidence is InteractionMetadata.DECAY_FLOOR
    assert running.confidence is Confidence.DIRECT
    assert graph.entity(ODO).confidence is Confidence.KNOWS_OF


@pytest.mark.spec("IM-M4-entity-decay")
def test_characters_fade_from_the_last_event_about_them(log: Any) -> None:
    fade(log, PEOPLE, 0)
    log.observe("knows_details", tick=5)
    log.stand(-100, tick=9)
    assert fade(log, PEOPLE, 18) is None
    assert fade(log, PEOPLE, 19).changed_entities == (ODO,)
    assert fade(log, PEOPLE, 500).changed_entities == (ODO,)
    entity = log.mind.graph.entity(ODO)
    assert (entity.confidence, entity.standing) == (Confidence.SUSPECTS, -100)
    log.observe("knows_of", tick=600)
    assert fade(log, PEOPLE, 609) is None


def test_gossip_fades_like_anything_told(log: Any) -> None:
    fade(log, FACTS, 0)
    story = {"about": ODO, "mind": "npc:a", "fact_id": "x.y", "teller": "npc:b"}
    log.add(EventKind.GOSSIP_HEARD, **story, confidence="knows_of")
    log.add(EventKind.GOSSIP_HEARD, **story, confidence="knows_of", tick=50)
    assert fade(log, FACTS, 149) is None
    fade(log, FACTS, 150)
    assert confidence(log, "gossip.odo-renn_001") == "suspects"
    log.add(EventKind.GOSSIP_HEARD, **story, confidence="knows_of", tick=160)
    assert confidence(log, "gossip.odo-renn_001") == "knows_of"


@pytest.mark.spec("IM-9.2-relationship-decay")
def test_terms_fade_slower_the_more_was_talked(log: Any, logs: Any) -> None:
    policy = DecayPolicy(standing=10)
    other = logs("pc:wren")["pc:wren"]
    for each in (log, other):
        fade(each, policy, 0)
    for _ in range(6):
        other.start()
        other.end()
    seen = []
    for each in (log, other):
        each.stand(-650)
        for tick in (9, 10, 49, 50):
            fade(each, policy, tick)
            entity = each.mind.graph.entity(ODO)
            seen.append((entity.standing, entity.relationship_state.value))
        assert Mind.loads(each.mind.dumps()).dumps() == each.mind.dumps()
    assert seen[:4] == [(-650, "hostile"), (-550, "hostile"), (-250, "known"), (-150, "known")]
    assert seen[4:] == [(-650, "hostile")] * 3 + [(-550, "hostile")]
    fade(log, policy, 1000)
    assert log.mind.graph.standing_with(ODO) == 0
    assert fade(log, policy, 2000) is None


def test_a_save_keeps_the_clock(log: Any) -> None:
    fade(log, FACTS, 0)
    log.learn("a.b", "direct", source=HEARD)
    fade(log, FACTS, 14)
    again = Mind.loads(log.mind.dumps())
    assert again.dumps() == log.mind.dumps()
    for tick in (19, 20):
        due = decay_due(log.mind, FACTS, tick=tick)
        assert decay_due(again, FACTS, tick=tick) == due
        assert (due is None) is (tick == 19)


@pytest.mark.parametrize("step", [0, -1, 1.5, True])
def test_a_rate_is_a_number_of_ticks(step: Any) -> None:
    with pytest.raises(UsageFault):
        DecayPolicy(facts={SourceKind.HEARD: step})


@pytest.mark.spec("IM-3.4-fact-states")
@pytest.mark.parametrize("first", list(FactState))
@pytest.mark.parametrize("second", list(FactState))
def test_facts_change_their_state_any_way(log: Any, first: FactState, second: FactState) -> None:
    log.learn("a.b")
    log.add(EventKind.FACT_STATE_CHANGED, fact_id="a.b", state=first)
    reason = {"code": "contradicted", "text": "Vesk says otherwise", "details": {"fact": "a.c"}}
    applied = log.add(EventKind.FACT_STATE_CHANGED, fact_id="a.b", state=second, reason=reason)
    assert applied.changed_fact_ids == (("a.b",) if first is not second else ())
    fact = log.mind.graph.fact("a.b")
    assert (fact.state, fact.confidence.value) == (second, "knows_of")
    assert Mind.loads(log.mind.dumps()).graph.fact("a.b") == fact


def test_a_conversation_can_be_contradicted_and_still_counts(log: Any) -> None:
    name = log.start().interaction_id
    log.add(EventKind.FACT_STATE_CHANGED, fact_id=name, state="contradicted")
    log.end()
    assert log.mind.graph.fact(name).state is FactState.CONTRADICTED
    assert log.mind.graph.interaction_count_with(ODO) == 1
    assert Mind.loads(log.mind.dumps()).dumps() == log.mind.dumps()


def test_a_fact_that_vanished_has_no_state(log: Any) -> None:
    applied = log.add(EventKind.FACT_STATE_CHANGED, fact_id="a.b", state="stale")
    assert applied.changed_fact_ids == ()
    assert log.mind.graph.fact("a.b") is None
