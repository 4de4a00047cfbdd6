"""Minds that are made up keep a turn as a campaign's store does: all of it or nothing."""

from __future__ import annotations

import pytest

from talebearer.campaign import Now
from talebearer.campaign.plans import MadeUpMinds
from talebearer.content import LineIndex
from talebearer.errors import TalebearerError
from talebearer.rehearsal import Rehearsal
from talebearer.vocabulary import EventKind

PARTY, ODO = "party", "npc:odo"
START = (
    EventKind.INTERACTION_STARTED,
    {"target": ODO, "location": "quay", "player_initiated": True},
)
UNKNOWN = (EventKind.INTERACTION_COMPLETED, {"interaction_id": "interaction.odo_099"})


def test_a_turn_that_is_refused_in_the_middle_leaves_minds_and_clock_as_they_were(
    rehearsal: Rehearsal,
) -> None:
    minds = MadeUpMinds(rehearsal.pack, LineIndex(rehearsal.pack), PARTY)
    minds.put_now(Now(tick=5))
    known = minds.get(PARTY).snapshot()
    with pytest.raises(TalebearerError):
        minds.live({PARTY: [START], ODO: [UNKNOWN]}, now=Now(tick=9))
    assert minds.get(PARTY).snapshot() == known
    assert minds.now() == Now(tick=5)
    assert not minds.get(ODO).marks
    minds.live({PARTY: [START]}, now=Now(tick=9))
    assert minds.get(PARTY).snapshot() != known
    assert minds.now() == Now(tick=9)
