"""Minds that are made up keep a turn as a campaign's store does: all of it or nothing."""

from __future__ import annotations

import pytest

from talebearer.campaign import Draft, Now
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


def happen(minds: MadeUpMinds, now: Now, *events: tuple[str, Draft]) -> None:
    with minds.turn(now):
        for mind, draft in events:
            minds.append(mind, draft, now=now)


def test_a_turn_that_is_refused_in_the_middle_leaves_minds_and_clock_as_they_were(
    rehearsal: Rehearsal,
) -> None:
    minds = MadeUpMinds(rehearsal.pack, LineIndex(rehearsal.pack), PARTY)
    minds.put_now(Now(tick=5))
    known = minds.get(PARTY).snapshot()
    now = Now(tick=9)
    with pytest.raises(TalebearerError):
        happen(minds, now, (PARTY, START), (ODO, UNKNOWN))
    assert minds.get(PARTY).snapshot() == known
    assert minds.now() == Now(tick=5)
    assert not minds.get(ODO).marks
    happen(minds, now, (PARTY, START))
    assert minds.get(PARTY).snapshot() != known
    assert minds.now() == Now(tick=9)
