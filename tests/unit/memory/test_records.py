"""Records that are made the short way are the ones that their constructors make."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from talebearer.memory import Event, EventDraft
from talebearer.memory._consequences import Step, _step_of
from talebearer.memory._facts import (
    EntityKnowledge,
    FactKnowledge,
    InteractionMetadata,
    LearnedVia,
    entity_of,
    fact_of,
    metadata_of,
)
from talebearer.vocabulary import (
    Confidence,
    EventKind,
    FactState,
    InteractionState,
    RelationshipState,
    SourceKind,
)

SEEN = LearnedVia(kind=SourceKind.DIRECT_OBSERVATION)
TALK: dict[str, Any] = {
    "target_entity": "npc:odo",
    "interaction_state": InteractionState.COMPLETED,
    "started_tick": 3,
    "ended_tick": 9,
    "topics": ("tide",),
    "confrontation": True,
    "player_initiated": False,
    "location": "the-quay",
    "others": ("npc:ida",),
    "left_by_other": True,
}
FACT: dict[str, Any] = {
    "confidence": Confidence.DIRECT,
    "learned_via": SEEN,
    "state": FactState.ACTIVE,
    "acquired_tick": 4,
    "metadata": InteractionMetadata(**TALK),
    "gossip": None,
    "provenance": (),
}
KNOWN: dict[str, Any] = {
    "entity": "npc:odo",
    "confidence": Confidence.KNOWS_OF,
    "relationship_state": RelationshipState.HOSTILE,
    "learned_via": SEEN,
    "attributes": {"hat": "red"},
    "first_tick": 1,
    "last_tick": 2,
    "provenance": (),
    "standing": -700,
}
EVENT: dict[str, Any] = {
    "stream": "live",
    "sequence": 7,
    "tick": 5,
    "kind": EventKind.LINE_FIRED,
    "data": {"pool": "p", "line": "l"},
    "provenance": None,
}
DRAFT = {"mind": "party", **{name: EVENT[name] for name in ("kind", "data", "provenance")}}
STEP = {"name": "drift", "changed": True, "text": "well", "details": {"delta": 20}}
PAIRS = [
    (Event.of(*EVENT.values()), Event(**EVENT)),
    (EventDraft.of(*DRAFT.values()), EventDraft(**DRAFT)),
    (metadata_of(*TALK.values()), InteractionMetadata(**TALK)),
    (fact_of(*FACT.values(), "live", 8), FactKnowledge(**FACT, origin=("live", 8))),
    (entity_of(*KNOWN.values()), EntityKnowledge(**KNOWN)),
    (_step_of(*STEP.values()), Step(**STEP)),
]


@pytest.mark.parametrize(("made", "wanted"), PAIRS, ids=lambda one: type(one).__name__)
def test_what_is_made_the_short_way_is_the_same_and_as_frozen(made: Any, wanted: Any) -> None:
    assert type(made) is type(wanted)
    assert (made, repr(made)) == (wanted, repr(wanted))
    assert pickle.loads(pickle.dumps(made)) == wanted
    for one in fields(wanted):
        with pytest.raises(FrozenInstanceError):
            setattr(made, one.name, None)
