from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from talebearer.errors import InvalidEvent
from talebearer.memory import Occurrence, SourceRef, fold, occurrence_events
from talebearer.vocabulary import OccurrenceKind


def occurrence(kind: str, slug: str = "odo-renn", **more: Any) -> Occurrence:
    refs = (
        SourceRef(source_id="s1", start_unit_id=10, end_unit_id=14),
        SourceRef(source_id="s1", start_unit_id=30, end_unit_id=31),
    )
    return Occurrence(
        slug=slug,
        kind=OccurrenceKind(kind),
        source_refs=refs,
        occurrence=f"occurrence:s1:{kind}",
        artifact_digest="sha256:" + "1" * 64,
        **more,
    )


def events_of(*items: Occurrence) -> Any:
    return occurrence_events(items, session="s1", stream="s1", first_sequence=1, base_tick=1000)


@pytest.mark.spec("IM-M9-dialogue")
def test_a_dialogue_is_a_completed_interaction() -> None:
    events = events_of(occurrence("dialogue"))
    assert [event.kind.value for event in events] == [
        "interaction_started",
        "interaction_completed",
    ]
    fact = fold("party", events).graph.fact("interaction.odo-renn_001")
    metadata = fact.metadata
    assert (metadata.topics, metadata.location, metadata.player_initiated) == ((), "unknown", True)
    assert not metadata.confrontation
    receipt = fact.provenance[0]
    assert (receipt.session, receipt.occurrence) == ("s1", "occurrence:s1:dialogue")
    assert [ref.start_unit_id for ref in receipt.source_refs] == [10, 30]


@pytest.mark.spec("IM-M12-unit-ticks")
def test_units_become_ticks() -> None:
    events = events_of(occurrence("combat_opponent"))
    assert [event.tick for event in events] == [1010, 1010, 1031]


@pytest.mark.spec("IM-M9-combat-opponent")
def test_a_fight_is_a_completed_confrontation() -> None:
    mind = fold("party", events_of(occurrence("combat_opponent")))
    last = mind.graph.last_interaction_with("npc:odo-renn")
    assert last.interaction_state.value == "completed"
    assert last.confrontation


@pytest.mark.spec("IM-M9-sightings")
@pytest.mark.parametrize(
    ("kind", "confidence", "source", "relation"),
    [
        ("combat_ally", "knows_details", "direct_observation", "known"),
        ("noncombat_presence", "knows_details", "direct_observation", "known"),
        ("other", "knows_of", "direct_observation", "known"),
        ("mentioned", "knows_of", "heard", "unknown"),
    ],
)
def test_other_kinds_make_no_fact(kind: str, confidence: str, source: str, relation: str) -> None:
    mind = fold("party", events_of(occurrence(kind)))
    entity = mind.graph.entity("npc:odo-renn")
    assert not mind.graph.facts
    assert entity.confidence.value == confidence
    assert entity.learned_via.kind.value == source
    assert entity.relationship_state.value == relation
    assert entity.provenance[0].kind.value == kind


def test_a_mention_does_not_undo_an_acquaintance() -> None:
    mind = fold("party", events_of(occurrence("dialogue"), occurrence("mentioned")))
    entity = mind.graph.entity("npc:odo-renn")
    assert entity.relationship_state.value == "known"
    assert entity.confidence.value == "knows_details"
    assert len(entity.provenance) == 2


@pytest.mark.spec("IM-M13-stream")
def test_sequences_are_dense_from_the_first() -> None:
    items = [occurrence("mentioned"), occurrence("dialogue"), occurrence("combat_opponent")]
    events = occurrence_events(items, session="s1", stream="t", first_sequence=4, base_tick=0)
    assert [event.sequence for event in events] == [4, 5, 6, 7, 8, 9]
    assert {event.stream for event in events} == {"t"}
    assert events[1].provenance.artifact_digest.endswith("1")


def test_a_kept_number_is_given_again() -> None:
    mind = fold("party", events_of(occurrence("dialogue", number=7), occurrence("dialogue")))
    assert list(mind.graph.facts) == ["interaction.odo-renn_007", "interaction.odo-renn_008"]


@pytest.mark.parametrize("change", [{"slug": "Odo"}, {"source_refs": ()}, {"kind": "dialogue"}])
def test_a_malformed_occurrence_is_refused(change: Any) -> None:
    with pytest.raises(InvalidEvent):
        events_of(replace(occurrence("dialogue"), **change))
