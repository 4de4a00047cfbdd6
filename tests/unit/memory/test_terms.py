"""Standing, stress and forgiveness as events, and every state with every kind of event."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.errors import IllegalTransition, InvalidEvent
from talebearer.memory import Mind, fold
from talebearer.vocabulary import EventKind, InteractionState, RelationshipState

ODO = "npc:odo-renn"
WHY = {"code": "authored", "text": "because"}
VIA = {"kind": "heard", "payload": {}}
DATA: dict[str, dict[str, Any]] = {
    "interaction_started": {"target": ODO, "player_initiated": True, "location": "quay"},
    "interaction_completed": {"target": ODO, "topics": []},
    "interaction_walked_away": {"target": ODO},
    "interaction_confrontation": {"target": ODO},
    "interaction_conflict_abandoned": {"target": ODO},
    "entity_observed": {"target": ODO, "confidence": "direct", "source": VIA},
    "fact_learned": {"fact_id": "a.b", "confidence": "direct", "source": VIA},
    "relationship_changed": {"target": ODO, "state": "friendly"},
    "line_fired": {"pool": "a", "line": "b"},
    "standing_changed": {"target": ODO, "delta": -700, "reason": WHY},
    "stress_changed": {"delta": 5, "reason": WHY},
    "walk_aways_forgiven": {"target": ODO, "count": 1, "reason": WHY},
    "gossip_heard": {
        "about": ODO,
        "mind": "npc:a",
        "fact_id": "interaction.odo-renn_001",
        "teller": "npc:b",
        "confidence": "knows_of",
    },
    "fact_state_changed": {"fact_id": "a.b", "state": "stale"},
    "knowledge_decayed": {"facts": {"heard": 1}, "entities": {"heard": 1}},
    "counter_added": {"counter": "toasts", "by": 2},
    "value_set": {"value": "tide", "to": "out"},
    "timer_stamped": {"timer": "bell"},
}
WAYS: dict[str, tuple[str, ...]] = {
    "active": (),
    "completed": ("completed",),
    "walked_away": ("walked_away",),
    "confrontation": ("confrontation",),
    "conflict_abandoned": ("confrontation", "conflict_abandoned"),
}
ALLOWED = {
    "active": {"completed": "completed", "walked_away": "walked_away"},
    "confrontation": {"completed": "completed", "conflict_abandoned": "conflict_abandoned"},
}
ALLOWED["active"]["confrontation"] = "confrontation"


@pytest.mark.spec("IM-3.2-every-event")
@pytest.mark.parametrize("state", list(InteractionState))
@pytest.mark.parametrize("kind", list(EventKind))
def test_every_state_with_every_kind_of_event(log: Any, state: Any, kind: Any) -> None:
    """Only the five move a conversation; what is refused changes nothing, what is not, something."""
    log.start(tick=1)
    for end in WAYS[state]:
        log.end(end, tick=1)
    before = log.mind.dumps()
    event = log.event(kind, tick=2, **DATA[kind])
    word = kind.removeprefix("interaction_")
    legal = not kind.startswith("interaction_") or word in ALLOWED.get(state, {})
    legal = legal or (word == "started" and not state.in_progress)
    if not legal:
        with pytest.raises(IllegalTransition):
            log.mind.apply(event)
        assert log.mind.dumps() == before
        return
    log.mind.apply(event)
    first = log.mind.graph.fact("interaction.odo-renn_001").metadata
    assert first.interaction_state.value == ALLOWED.get(state, {}).get(word, state)
    assert Mind.loads(log.mind.dumps()).dumps() == log.mind.dumps() != before
    assert fold("pc:wren", [*log.events, event]).dumps() == log.mind.dumps()


@pytest.mark.spec("IM-M8-turns")
@pytest.mark.parametrize(
    ("before", "delta", "after"),
    [
        ("known", 499, "known"),
        ("known", 500, "friendly"),
        ("known", -499, "known"),
        ("known", -500, "hostile"),
        ("friendly", -1, "known"),
        ("friendly", -1000, "hostile"),
        ("hostile", 1, "known"),
        ("hostile", 1000, "friendly"),
        ("person_of_interest", 900, "person_of_interest"),
        ("person_of_interest", -500, "hostile"),
        ("unknown", 900, "unknown"),
        ("unknown", -500, "hostile"),
    ],
)
def test_the_standing_turns_the_relationship(log: Any, before: str, delta: int, after: str) -> None:
    log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state=before)
    applied = log.stand(delta)
    assert applied.changed_entities == (ODO,)
    assert log.mind.graph.entity(ODO).relationship_state.value == after
    assert Mind.loads(log.mind.dumps()).graph.standing_with(ODO) == log.mind.graph.standing_with(
        ODO
    )


@pytest.mark.parametrize(
    ("delta", "state", "standing"),
    [
        (300, "known", 300),
        (700, "known", 0),
        (300, "friendly", 500),
        (700, "friendly", 700),
        (700, "hostile", -500),
        (-700, "hostile", -700),
        (-700, "unknown", 0),
        (700, "person_of_interest", 700),
    ],
)
def test_an_event_that_disagrees_with_the_standing_sets_it(
    log: Any, delta: int, state: str, standing: int
) -> None:
    log.observe()
    log.stand(delta)
    log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state=state)
    entity = log.mind.graph.entity(ODO)
    assert (entity.relationship_state.value, entity.standing) == (state, standing)


def test_somebody_well_spoken_of_is_a_friend_when_met(log: Any) -> None:
    log.stand(600)
    assert log.mind.graph.entity(ODO).relationship_state is RelationshipState.UNKNOWN
    log.start()
    assert log.mind.graph.entity(ODO).relationship_state is RelationshipState.FRIENDLY


def test_standing_and_stress_stay_in_bounds(log: Any) -> None:
    for delta in (2000, 2000):
        log.stand(delta)
    assert log.mind.graph.standing_with(ODO) == 1000
    for delta, expected in ((32767, 32767), (9, 32767), (-32767, 0), (-5, 0)):
        log.add(EventKind.STRESS_CHANGED, delta=delta, reason=WHY)
        assert log.mind.stress == expected


def test_only_what_was_lost_is_given_back(log: Any) -> None:
    log.stand(-900)
    log.stand(-300, forgivable=True)
    log.stand(50, forgivable=True)
    assert log.mind.grudge(ODO) == 100
    log.add(EventKind.WALK_AWAYS_FORGIVEN, target=ODO, count=2, reason=WHY)
    assert log.mind.graph.standing_with(ODO) == -850
    assert (log.mind.grudge(ODO), log.mind.forgiven_walk_aways(ODO)) == (0, 2)
    log.add(EventKind.WALK_AWAYS_FORGIVEN, target=ODO, count=1, reason=WHY)
    assert log.mind.forgiven_walk_aways(ODO) == 2


@pytest.mark.spec("IM-M13-cause-once")
def test_what_follows_from_an_event_follows_once(log: Any) -> None:
    cause = {"mind": "pc:wren", "stream": "live", "sequence": 3}
    for sequence in (3, 3, 2, 4):
        log.stand(-10, cause={**cause, "sequence": sequence})
    log.stand(-10, "npc:vesk", cause=cause)
    log.stand(-10, cause={**cause, "stream": "other"})
    assert log.mind.graph.standing_with(ODO) == -30
    assert log.mind.graph.standing_with("npc:vesk") == -10
    for sequence in (3, 3):
        log.add(
            EventKind.STRESS_CHANGED, delta=4, reason=WHY, cause={**cause, "sequence": sequence}
        )
    assert log.mind.stress == 4
    assert len(log.mind.snapshot()["causes"]) == 4


def test_an_observation_leaves_the_standing_alone(log: Any) -> None:
    log.observe()
    log.stand(-40)
    log.start(tick=5)
    log.end(tick=6)
    log.observe("direct", attributes={"mood": "cold"}, tick=7)
    assert log.mind.graph.standing_with(ODO) == -40


@pytest.mark.spec("IM-M14-new-kinds-malformed")
@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        ("standing_changed", {"delta": 2001}, "delta"),
        ("standing_changed", {"delta": 1.0}, "delta"),
        ("standing_changed", {"delta": True}, "delta"),
        ("standing_changed", {"reason": None}, "reason"),
        ("standing_changed", {"reason": {"code": "x"}}, "reason.text"),
        ("standing_changed", {"reason": {"code": "X", "text": "x"}}, "reason.code"),
        ("standing_changed", {"reason": {**WHY, "details": {"a": []}}}, "reason.details['a']"),
        ("standing_changed", {"reason": {**WHY, "details": 1}}, "reason.details"),
        ("standing_changed", {"cause": {"mind": "pc:wren"}}, "cause.sequence"),
        ("standing_changed", {"forgivable": 1}, "forgivable"),
        ("stress_changed", {"delta": 32768}, "delta"),
        ("stress_changed", {"target": ODO}, "target"),
        ("walk_aways_forgiven", {"count": -1}, "count"),
        ("gossip_heard", {"confidence": "knows_details"}, "confidence"),
        ("gossip_heard", {"mind": "pc:wren"}, "mind"),
        ("gossip_heard", {"teller": "pc:wren"}, "teller"),
        ("gossip_heard", {"interaction_state": "active"}, "interaction_state"),
        ("gossip_heard", {"hops": 0}, "hops"),
        ("gossip_heard", {"target": "odo"}, "target"),
        ("gossip_heard", {"teller_fact": "x"}, "teller_fact"),
        ("fact_state_changed", {"state": "gone"}, "state"),
        ("fact_state_changed", {"reason": 1}, "reason"),
        ("knowledge_decayed", {"facts": {"heard": 0}}, "facts[heard]"),
        ("knowledge_decayed", {"entities": {"dreamt": 1}}, "entities"),
        ("knowledge_decayed", {"facts": []}, "facts"),
        ("interaction_started", {"participants": []}, "participants"),
        ("interaction_started", {"participants": ["npc:vesk", ODO]}, "participants"),
        ("interaction_started", {"participants": [ODO, ODO]}, "participants"),
        ("interaction_started", {"participants": [ODO, "pc:wren"]}, "participants"),
        ("interaction_started", {"participants": [ODO, "x"]}, "participants[1]"),
        ("interaction_started", {"target": "pc:wren"}, "target"),
        ("interaction_walked_away", {"by": "both"}, "by"),
    ],
)
def test_a_malformed_event_names_its_field(log: Any, kind: str, change: Any, field: str) -> None:
    before = log.mind.dumps()
    with pytest.raises(InvalidEvent) as caught:
        log.add(EventKind(kind), **{**DATA[kind], **change})
    assert caught.value.data == {"field": field}
    assert log.mind.dumps() == before
