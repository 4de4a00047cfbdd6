"""Facts, characters, lines heard, relationships, and events that are malformed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from talebearer.errors import InvalidEvent, InvalidId
from talebearer.memory import Event, Mind
from talebearer.vocabulary import Confidence, EventKind, RelationshipState, SourceKind

ODO = "npc:odo-renn"
HEARD = {"kind": "heard", "payload": {"place": "the-quay"}}
FACT = "contraband.ring_exists"


@pytest.mark.spec("IM-L13-new-fact")
def test_an_unknown_fact_takes_its_source(log: Any) -> None:
    applied = log.learn(FACT, tick=4)
    fact = log.mind.graph.fact(FACT)
    assert applied.changed_fact_ids == (FACT,)
    assert fact.learned_via.kind is SourceKind.TOLD_BY
    assert fact.learned_via.payload == {"entity": ODO}
    assert (fact.acquired_tick, fact.metadata, fact.origin) == (4, None, ("live", 1))


@pytest.mark.spec("IM-L13-raise-only")
@pytest.mark.parametrize("first", list(Confidence))
@pytest.mark.parametrize("second", list(Confidence))
def test_learning_raises_and_never_lowers(log: Any, first: Any, second: Any) -> None:
    log.learn(FACT, first)
    applied = log.learn(FACT, second, source=HEARD, tick=8)
    fact = log.mind.graph.fact(FACT)
    assert fact.confidence is max(first, second)
    assert fact.learned_via.kind is SourceKind.TOLD_BY
    assert fact.acquired_tick == 0
    assert applied.changed_fact_ids == ((FACT,) if second > first else ())


@pytest.mark.spec("IM-L13-state-alone")
def test_learning_leaves_the_fact_state_alone(log: Any) -> None:
    log.learn(FACT)
    save = log.mind.snapshot()
    save["facts"][FACT]["state"] = "contradicted"
    log.mind = Mind.from_snapshot(save)
    log.learn(FACT, "direct")
    fact = log.mind.graph.fact(FACT)
    assert (fact.state.value, fact.confidence.value) == ("contradicted", "direct")


def test_interactions_are_not_learned(log: Any) -> None:
    with pytest.raises(InvalidEvent, match=r"fact_id .*is an interaction"):
        log.learn("interaction.odo-renn_001")


def test_receipts_gather_on_a_fact(log: Any, make_receipt: Any) -> None:
    first, second = make_receipt("a"), make_receipt("b")
    for receipt in (first, first, second):
        log.learn(FACT, receipt=receipt, stream="s1")
    assert log.mind.graph.fact(FACT).provenance == (first, second)


def test_receipts_stay_bounded(log: Any, make_receipt: Any) -> None:
    for number in range(50):
        log.observe(stream="s1", receipt=make_receipt(f"o{number}"))
    kept = [receipt.occurrence for receipt in log.mind.graph.entity(ODO).provenance]
    assert kept == ["o0", *(f"o{number}" for number in range(19, 50))]


@pytest.mark.spec("IM-M9-entity-raise")
def test_an_observation_raises_what_is_known(log: Any) -> None:
    log.observe("knows_details", source=HEARD, tick=5)
    log.observe("knows_of", tick=3)
    log.observe("direct", source={"kind": "direct_observation"}, tick=9)
    entity = log.mind.graph.entity(ODO)
    assert entity.confidence is Confidence.DIRECT
    assert entity.learned_via.kind is SourceKind.DIRECT_OBSERVATION
    assert (entity.first_tick, entity.last_tick) == (3, 9)


def test_an_observation_that_adds_nothing_changes_nothing(log: Any) -> None:
    log.observe(attributes={"mood": "warm"})
    before = log.mind.graph.entity(ODO)
    assert log.observe(attributes={"mood": "warm"}).changed_entities == ()
    assert log.mind.graph.entity(ODO) is before


@pytest.mark.parametrize(("known", "state"), [(None, "known"), (True, "known"), (False, "unknown")])
def test_a_mention_leaves_somebody_unknown(log: Any, known: bool | None, state: str) -> None:
    log.observe(**({} if known is None else {"known": known}))
    assert log.mind.graph.entity(ODO).relationship_state.value == state


def test_later_attributes_replace_earlier_ones(log: Any) -> None:
    log.observe(attributes={"mood": "warm", "hat": "red"})
    log.observe(attributes={"mood": "cold"})
    assert log.mind.graph.entity(ODO).attributes == {"mood": "cold", "hat": "red"}


def test_a_conversation_makes_somebody_known(log: Any) -> None:
    log.observe(known=False)
    log.start(tick=2)
    log.end(tick=6)
    entity = log.mind.graph.entity(ODO)
    assert entity.confidence is Confidence.KNOWS_DETAILS
    assert entity.relationship_state is RelationshipState.KNOWN
    assert entity.learned_via.kind is SourceKind.DIRECT_OBSERVATION
    assert entity.last_tick == 6


def test_a_conversation_keeps_a_friend(log: Any) -> None:
    log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state="friendly")
    log.start()
    assert log.mind.graph.entity(ODO).relationship_state is RelationshipState.FRIENDLY


def test_a_relationship_with_a_stranger_can_be_set(log: Any) -> None:
    applied = log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state="hostile", tick=2)
    entity = log.mind.graph.entity(ODO)
    assert applied.changed_entities == (ODO,)
    assert entity.confidence is Confidence.KNOWS_OF
    assert entity.learned_via.kind is SourceKind.BACKGROUND
    assert log.add(EventKind.RELATIONSHIP_CHANGED, target=ODO, state="hostile", tick=2)[1] == ()


def test_lines_heard_are_keyed_by_pool_and_line(log: Any) -> None:
    for tick, pool in ((3, "a"), (3, "b"), (4, "a")):
        log.add(EventKind.LINE_FIRED, pool=pool, line="x_d_001", tick=tick, speaker="odo-renn")
    mind = log.mind
    assert mind.fired_tick("a", "x_d_001") == 4
    assert mind.fired_tick("b", "x_d_002") is None
    assert mind.last_heard([("b", "x_d_001"), ("a", "x_d_001")]) == ("a", "x_d_001")
    assert mind.last_heard([("c", "x_d_001")]) is None
    assert (mind.picks_at(4), mind.picks_at(3), mind.picks_at(5)) == (1, 0, 0)


def test_picks_count_within_a_tick(log: Any) -> None:
    for _ in range(3):
        log.add(EventKind.LINE_FIRED, pool="a", line="x_d_001", tick=7)
    assert log.mind.picks_at(7) == 3


def test_a_late_line_keeps_the_latest_tick(log: Any) -> None:
    log.add(EventKind.LINE_FIRED, pool="a", line="x_d_001", tick=7)
    log.add(EventKind.LINE_FIRED, pool="a", line="x_d_001", tick=2)
    assert (log.mind.fired_tick("a", "x_d_001"), log.mind.picks_at(7)) == (7, 1)


@pytest.mark.spec("IM-M13-idempotent")
def test_an_event_is_applied_once(log: Any) -> None:
    log.learn(FACT)
    log.start()
    before = log.mind.dumps()
    for event in log.events:
        assert log.mind.apply(event).skipped
    assert log.mind.dumps() == before
    assert log.mind.marks == {"live": 2}
    assert log.mind.next_sequence("live") == 3


def test_marks_are_kept_per_stream_and_skip_gaps(log: Any) -> None:
    event = replace(log.event(EventKind.LINE_FIRED, pool="a", line="x_d_001"), sequence=10)
    assert not log.mind.apply(event).skipped
    assert log.mind.apply(replace(event, sequence=9)).skipped
    assert not log.mind.apply(replace(event, stream="other", sequence=1)).skipped
    assert log.mind.marks == {"live": 10, "other": 1}


START = {"target": ODO, "player_initiated": True, "location": "the-quay"}
LEARN = {"fact_id": FACT, "confidence": "knows_of", "source": HEARD}
SEE = {"target": ODO, "confidence": "knows_of", "source": HEARD}


def via(kind: str, payload: object) -> dict[str, Any]:
    return {**LEARN, "source": {"kind": kind, "payload": payload}}


@pytest.mark.spec("IM-M13-malformed")
@pytest.mark.parametrize(
    ("kind", "data", "field"),
    [
        ("interaction_started", {"target": ODO, "location": "x"}, "player_initiated"),
        ("interaction_started", {**START, "target": "odo-renn"}, "target"),
        ("interaction_started", {**START, "target": "npc:odo-renn\n"}, "target"),
        ("interaction_started", {**START, "target": ["npc:a"]}, "target"),
        ("interaction_started", {**START, "player_initiated": 1}, "player_initiated"),
        ("interaction_started", {**START, "location": ""}, "location"),
        ("interaction_started", {**START, "location": "\ud800"}, "location"),
        ("interaction_started", {**START, "number": 0}, "number"),
        ("interaction_started", {**START, "number": True}, "number"),
        ("interaction_started", {**START, "number": 2**63}, "number"),
        ("interaction_started", {**START, "place": "x"}, "place"),
        ("interaction_started", {**START, 10**5000: "x"}, None),
        ("interaction_completed", {"target": ODO}, "topics"),
        ("interaction_completed", {"target": ODO, "topics": "cargo"}, "topics"),
        ("interaction_completed", {"target": ODO, "topics": ["cargo", 1]}, "topics[1]"),
        ("interaction_walked_away", {"target": ODO, "topics": []}, "topics"),
        ("interaction_confrontation", {}, "target"),
        ("fact_learned", {**LEARN, "fact_id": "Ring"}, "fact_id"),
        ("fact_learned", {**LEARN, "confidence": "sure"}, "confidence"),
        ("fact_learned", {**LEARN, "confidence": 10**5000}, "confidence"),
        ("fact_learned", {**LEARN, "source": None}, "source"),
        ("fact_learned", {**LEARN, "source": {"kind": "dream"}}, "source.kind"),
        ("fact_learned", via("told_by", {}), "source.payload.entity"),
        ("fact_learned", via("told_by", {"entity": "x:y"}), "source.payload.entity"),
        ("fact_learned", via("inferred", {"from": ["x"]}), "source.payload.from[0]"),
        ("fact_learned", via("background", {"a": 1}), "source.payload.a"),
        ("entity_observed", {**SEE, "known": "yes"}, "known"),
        ("entity_observed", {**SEE, "attributes": []}, "attributes"),
        ("entity_observed", {**SEE, "attributes": {"mood": 1}}, "attributes['mood']"),
        ("line_fired", {"pool": "a"}, "line"),
        ("line_fired", {"pool": "a", "line": "b", "speaker": "npc:odo"}, "speaker"),
        ("relationship_changed", {"target": ODO, "state": "smitten"}, "state"),
        ("relationship_changed", [], ""),
    ],
)
def test_a_malformed_event_names_its_field(
    log: Any, kind: str, data: Any, field: str | None
) -> None:
    event = Event(stream="live", sequence=1, tick=1, kind=EventKind(kind), data=data)
    before = log.mind.dumps()
    with pytest.raises(InvalidEvent) as caught:
        log.mind.apply(event)
    if field is not None:
        assert caught.value.data == {"field": field}
    assert log.mind.dumps() == before


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"stream": ""}, "stream"),
        ({"sequence": 0}, "sequence"),
        ({"sequence": 1.0}, "sequence"),
        ({"tick": -1}, "tick"),
        ({"kind": "line_fired"}, "kind"),
        ({"provenance": {}}, "provenance"),
    ],
)
def test_a_malformed_envelope_names_its_field(log: Any, change: Any, field: str) -> None:
    event = replace(log.event(EventKind.LINE_FIRED, pool="a", line="b"), **change)
    with pytest.raises(InvalidEvent) as caught:
        log.mind.apply(event)
    assert caught.value.data == {"field": field}


def test_a_receipt_is_checked_before_it_is_kept(log: Any, make_receipt: Any) -> None:
    bad = make_receipt(first=4, last=2)
    with pytest.raises(InvalidEvent, match=r"source_refs\[0\].end_unit_id .*2 is before unit 4"):
        log.observe(receipt=bad, stream="s1")
    with pytest.raises(InvalidEvent, match="not an Event"):
        log.mind.apply({"kind": "line_fired"})


@pytest.mark.spec("IM-M14-payloads")
@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("direct_observation", {}),
        ("heard", {}),
        ("heard", {"place": "the-quay"}),
        ("told_by", {"entity": ODO}),
        ("told_by", {"entity": "pc:wren", "fact": FACT}),
        ("inferred", {"from": [FACT]}),
        ("background", {}),
    ],
)
def test_every_way_of_learning_survives_a_save(log: Any, kind: str, payload: Any) -> None:
    log.learn(FACT, source={"kind": kind, "payload": payload})
    again = Mind.loads(log.mind.dumps())
    assert again.graph.fact(FACT) == log.mind.graph.fact(FACT)
    assert again.graph.fact(FACT).learned_via.as_json() == {"kind": kind, "payload": payload}


def test_what_the_caller_does_later_does_not_reach_the_mind(log: Any) -> None:
    data = {**SEE, "attributes": {"mood": "warm"}}
    log.add(EventKind.ENTITY_OBSERVED, **data)
    data["attributes"]["mood"] = "cold"
    assert log.mind.graph.entity(ODO).attributes == {"mood": "warm"}


def test_events_survive_json(log: Any, make_receipt: Any) -> None:
    log.observe(stream="s1", receipt=make_receipt(), confidence=Confidence.DIRECT)
    log.start()
    log.end(topics=("cargo",))
    for event in log.events:
        again = Event.from_json(event.as_json())
        assert again.as_json() == event.as_json()
        assert again.provenance == event.provenance


@pytest.mark.parametrize("change", [{"kind": "x"}, {"extra": 1}, {"data": []}, {"provenance": 1}])
def test_a_malformed_json_event_is_refused(log: Any, change: Any) -> None:
    value = {**log.event(EventKind.LINE_FIRED, pool="a", line="b").as_json(), **change}
    with pytest.raises(InvalidEvent):
        Event.from_json(value)


@pytest.mark.parametrize("mind_id", ["", "Party", "pc:", "npc:Odo", "party\n", 3])
def test_a_mind_has_a_proper_id(mind_id: Any) -> None:
    with pytest.raises(InvalidId):
        Mind(mind_id)
