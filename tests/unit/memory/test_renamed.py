"""A save is read under the names that characters have now."""

from __future__ import annotations

import pytest

from talebearer.memory import Event, Mind, Renamer, fold, renamed_log
from talebearer.vocabulary import EventKind

K = EventKind
ODO = "npc:odo"


def event(n: int, kind: EventKind, **data: object) -> Event:
    return Event(stream="live", sequence=n, tick=n, kind=kind, data=data)


def story(name: str) -> list[Event]:
    """Return a log with something of everything of npc:*name*, and words that only look like it."""
    who = f"npc:{name}"
    told = {"about": who, "mind": "npc:wick", "fact_id": f"interaction.{name}_001"}
    return [
        event(1, K.INTERACTION_STARTED, target=who, player_initiated=True, location="odo"),
        event(2, K.INTERACTION_COMPLETED, target=who, topics=[ODO]),
        event(3, K.LINE_FIRED, pool="d/quay/odo", line="odo_d_001", speaker=name),
        event(4, K.COUNTER_ADDED, counter="c", by=2, character=name),
        event(5, K.VALUE_SET, value="v", to=ODO, character=name),
        event(6, K.TIMER_STAMPED, timer="t", character=name),
        event(7, K.GOSSIP_HEARD, **told, teller="npc:wick", target=who, confidence="suspects"),
        event(8, K.ENTITY_OBSERVED, target=who, confidence="direct", source={"kind": "background"},
              attributes={"a": ODO}),
        event(9, K.FACT_LEARNED, fact_id="sea.deep", confidence="direct",
              source={"kind": "told_by", "payload": {"entity": who}}),
    ]  # fmt: skip


@pytest.mark.spec("IM-M10-renamed")
def test_a_save_goes_on_under_the_name_of_today() -> None:
    before, names = fold("party", story("odo")), {"odo": "renn"}
    now = Mind.loads(before.dumps()).renamed(names)
    assert now.graph.interaction_ids_with("npc:renn") == ("interaction.renn_001",)
    assert now.graph.entity(ODO) is None
    # As if it had been so from the first: what authors wrote there themselves is none of it.
    assert now.dumps() == fold("party", story("renn")).dumps()
    # The log says the same.
    assert fold("party", renamed_log(story("odo"), names)).dumps() == now.dumps()
    more = event(10, K.INTERACTION_STARTED, target="npc:renn", player_initiated=True, location="q")
    now.apply(more)
    assert now.graph.interaction_ids_with("npc:renn")[-1] == "interaction.renn_002"


def test_the_mind_of_a_renamed_character_is_that_character_s() -> None:
    own = fold(ODO, [event(1, K.ENTITY_OBSERVED, target="party", confidence="direct",
                           source={"kind": "background"})])  # fmt: skip
    assert own.renamed({"odo": "renn"}).mind_id == "npc:renn"


def test_who_is_known_under_both_names_as_two_stays_two() -> None:
    meets = {"player_initiated": True, "location": "q", "number": 1}
    both = [
        event(1, K.INTERACTION_STARTED, target=ODO, **meets),
        event(2, K.INTERACTION_COMPLETED, target=ODO, topics=[]),
        event(3, K.INTERACTION_STARTED, target="npc:renn", **meets),
    ]
    mind = fold("party", both)
    assert mind.renamed({"odo": "renn", "x": "y"}) is mind
    assert renamed_log(both, {"odo": "renn"}) == both


def test_nothing_is_made_anew_where_nobody_was_renamed() -> None:
    mind = fold("party", story("odo"))
    assert mind.renamed({"wicked": "renn"}) is mind
    assert mind.renamed({}) is mind


def test_what_is_verbatim_stays_so_wherever_it_stands() -> None:
    given = {"reason": "npc:old", "about": "npc:old", "more": [{"reason": "npc:old"}]}
    told = {"reason": "npc:old", "about": "npc:new", "more": [{"reason": "npc:old"}]}
    assert Renamer({"old": "new"}).value(given) == told
    assert Renamer({"old": "new"}).data(given) == told
