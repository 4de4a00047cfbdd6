"""Gossip: who hears what of whom, and how sure."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.errors import InvalidEvent
from talebearer.memory import (
    GossipPolicy,
    Mind,
    drafts_by_mind,
    gossip_confidence,
    gossip_text,
    spread_gossip,
)
from talebearer.vocabulary import Confidence, EventKind, InteractionState, SourceKind

KAEL, LERA, ODO, VESK = "npc:kael", "npc:lera", "npc:odo", "npc:vesk"
WREN = "pc:wren"
STORY = {
    "about": WREN,
    "mind": KAEL,
    "fact_id": "interaction.wren_001",
    "teller": LERA,
    "teller_fact": "gossip.wren_001",
    "confidence": "knows_of",
    "target": KAEL,
    "interaction_state": "walked_away",
    "hops": 2,
}


@pytest.fixture
def town(logs: Any) -> Any:
    """Four characters; a player walked out on Kael."""
    minds = logs(KAEL, LERA, ODO, VESK)
    minds[KAEL].start(WREN, tick=1)
    minds[KAEL].end("walked_away", WREN, tick=2, by="other")
    return minds


def meet(town: Any, *meetings: Any, tick: int = 10, **policy: Any) -> Any:
    """Let people meet and put what is told into their logs."""
    minds = {name: log.mind for name, log in town.items()}
    drafts = spread_gossip(minds, meetings, tick=tick, policy=GossipPolicy(**policy))
    for draft in drafts:
        town[draft.mind].take(draft, tick=tick)
    return drafts


@pytest.mark.spec("IM-M7-gossip")
@pytest.mark.spec("IM-3.4-gossip-metadata")
def test_i_heard_that_you_walked_out_on_kael(town: Any) -> None:
    (draft,) = meet(town, [KAEL, LERA])
    assert (draft.mind, draft.kind) == (LERA, EventKind.GOSSIP_HEARD)
    lera = town[LERA].mind.graph
    assert lera.gossip_about(WREN) == ("gossip.wren_001",)
    fact = lera.fact("gossip.wren_001")
    assert fact.confidence is Confidence.KNOWS_OF
    assert fact.learned_via.kind is SourceKind.TOLD_BY
    assert fact.learned_via.payload == {"entity": KAEL, "fact": "interaction.wren_001"}
    gossip = fact.gossip
    assert (gossip.about, gossip.target, gossip.mind) == (WREN, KAEL, KAEL)
    assert (gossip.fact_id, gossip.teller) == ("interaction.wren_001", KAEL)
    assert gossip.interaction_state is InteractionState.WALKED_AWAY
    assert gossip_text(gossip) == "pc:wren walked out on npc:kael"
    assert fact.metadata is None
    assert Mind.loads(town[LERA].mind.dumps()).graph.fact("gossip.wren_001") == fact


@pytest.mark.spec("IM-M7-gossip-confidence")
@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("direct", "knows_of"),
        ("knows_details", "knows_of"),
        ("knows_of", "suspects"),
        ("suspects", None),
    ],
)
def test_telling_costs_a_step(known: str, told: str | None) -> None:
    assert gossip_confidence(Confidence(known)) == told


@pytest.mark.spec("IM-M7-gossip-provenance")
def test_a_story_goes_two_tellings_and_keeps_where_it_came_from(town: Any) -> None:
    meet(town, [KAEL, LERA])
    meet(town, [LERA, ODO], tick=20)
    assert meet(town, [ODO, VESK], tick=30) == ()
    fact = town[ODO].mind.graph.fact("gossip.wren_001")
    assert fact.confidence is Confidence.SUSPECTS
    assert (fact.gossip.mind, fact.gossip.fact_id) == (KAEL, "interaction.wren_001")
    assert (fact.gossip.teller, fact.gossip.hops) == (LERA, 2)
    assert fact.learned_via.payload == {"entity": LERA, "fact": "gossip.wren_001"}


def test_nothing_travels_twice_within_a_tick(town: Any) -> None:
    meet(town, [KAEL, LERA], [LERA, ODO])
    assert town[ODO].mind.graph.gossip_about(WREN) == ()


def test_nobody_hears_what_they_know(town: Any) -> None:
    meet(town, [KAEL, LERA])
    assert meet(town, [KAEL, LERA, KAEL], [LERA, KAEL]) == ()


def test_heard_from_the_source_later_it_is_surer(town: Any) -> None:
    meet(town, [KAEL, LERA])
    meet(town, [LERA, ODO])
    (draft,) = meet(town, [KAEL, ODO], tick=40)
    assert draft.mind == ODO
    fact = town[ODO].mind.graph.fact("gossip.wren_001")
    assert fact.confidence is Confidence.KNOWS_OF
    assert (fact.gossip.teller, fact.acquired_tick) == (LERA, 10)
    assert town[ODO].mind.graph.gossip_about(WREN) == ("gossip.wren_001",)


def test_ordinary_talk_is_not_told(town: Any) -> None:
    town[VESK].start(ODO, tick=1)
    assert meet(town, [VESK, LERA]) == ()
    town[VESK].end("completed", ODO, tick=2)
    assert meet(town, [VESK, LERA]) == ()


def test_a_settled_quarrel_is_told(town: Any) -> None:
    town[VESK].start(ODO, tick=1)
    town[VESK].end("confrontation", ODO, tick=2)
    assert meet(town, [VESK, LERA]) == ()
    town[VESK].end("completed", ODO, tick=3)
    (draft,) = meet(town, [VESK, LERA])
    graph = town[LERA].mind.graph
    assert graph.gossip_about(ODO, state=InteractionState.CONFRONTATION, target=VESK)
    assert graph.gossip_about(ODO, state=InteractionState.COMPLETED)
    assert not graph.gossip_about(ODO, state=InteractionState.WALKED_AWAY)
    assert not graph.gossip_about(ODO, target=KAEL)
    assert gossip_text(graph.fact("gossip.odo_001").gossip) == "npc:odo quarrelled with npc:vesk"
    assert meet(town, [VESK, ODO]) == ()
    assert draft.data["confrontation"] is True


def test_who_walked_out_is_whom_it_is_about(town: Any) -> None:
    town[VESK].start(ODO, tick=1)
    town[VESK].end("walked_away", ODO, tick=2)
    (draft,) = meet(town, [VESK, LERA])
    assert (draft.data["about"], draft.data["target"]) == (VESK, ODO)


def test_players_neither_tell_nor_hear(town: Any, logs: Any) -> None:
    town.update(logs(WREN, "party"))
    town[WREN].start(ODO, tick=1)
    town[WREN].end("walked_away", ODO, tick=2)
    assert {draft.mind for draft in meet(town, [WREN, "party", LERA, KAEL])} == {LERA}


def test_those_without_a_mind_are_left_out(town: Any) -> None:
    assert meet(town, [KAEL, "npc:nobody"]) == ()


def test_nobody_tells_an_enemy(town: Any) -> None:
    town[KAEL].add(EventKind.RELATIONSHIP_CHANGED, target=LERA, state="hostile")
    assert meet(town, [KAEL, LERA]) == ()


def test_what_no_longer_holds_is_not_told(town: Any) -> None:
    data = {"fact_id": "interaction.wren_001", "state": "contradicted"}
    town[KAEL].add(EventKind.FACT_STATE_CHANGED, **data)
    assert meet(town, [KAEL, LERA]) == ()


@pytest.mark.spec("IM-M7-gossip-bounded")
def test_telling_is_bounded_and_the_newest_comes_first(town: Any) -> None:
    for number in range(2, 6):
        town[KAEL].start(WREN, tick=number)
        town[KAEL].end("walked_away", WREN, tick=number, by="other")
    told = [draft.data["fact_id"] for draft in meet(town, [KAEL, LERA])]
    assert told == ["interaction.wren_005", "interaction.wren_004"]
    assert len(meet(town, [KAEL, LERA], stories_max=9)) == 3
    assert len(meet(town, [KAEL, ODO, VESK], drafts_max=3)) == 3
    assert meet(town, [LERA, ODO], hops_max=1) == ()
    assert meet(town, [KAEL, VESK], tick=500, age_ticks_max=100) == ()


def test_the_order_of_meetings_does_not_matter(town: Any) -> None:
    minds = {name: log.mind for name, log in town.items()}
    one = spread_gossip(minds, [[KAEL, LERA], [ODO, KAEL]], tick=9)
    other = spread_gossip(dict(reversed(minds.items())), [(KAEL, ODO), {LERA, KAEL}], tick=9)
    assert one == other
    assert list(drafts_by_mind(one)) == [LERA, ODO]


def test_a_story_of_the_future_is_not_told(town: Any) -> None:
    assert meet(town, [KAEL, LERA], tick=1) == ()


@pytest.mark.spec("IM-M7-gossip-numbers")
def test_stories_are_numbered_by_whom_they_are_about(town: Any) -> None:
    log = town[ODO]
    ids = [
        log.add(EventKind.GOSSIP_HEARD, **{**STORY, "fact_id": f"interaction.wren_{n:03d}", **more})
        for n, more in enumerate([{}, {"number": 999}, {}, {"about": "npc:wren"}])
    ]
    assert [applied.changed_fact_ids[0] for applied in ids] == [
        "gossip.wren_001",
        "gossip.wren_999",
        "gossip.wren_1000",
        "gossip.wren_1001",
    ]
    assert log.mind.graph.gossip_about("npc:wren") == ("gossip.wren_1001",)
    with pytest.raises(InvalidEvent, match="999 is taken"):
        log.add(EventKind.GOSSIP_HEARD, **{**STORY, "fact_id": "a.b", "number": 999})
    assert Mind.loads(log.mind.dumps()).dumps() == log.mind.dumps()


def test_gossip_is_not_learned_as_a_fact(town: Any) -> None:
    with pytest.raises(InvalidEvent, match=r"gossip\.wren_001 is gossip"):
        town[ODO].learn("gossip.wren_001")
    town[ODO].learn("gossip.of-the-town")
    assert town[ODO].mind.graph.gossip_about("npc:of-the-town") == ()


def test_an_older_plain_fact_keeps_its_place(town: Any) -> None:
    town[ODO].learn("a.b")
    save = town[ODO].mind.snapshot()
    save["facts"]["gossip.wren_001"] = save["facts"]["a.b"]
    mind = Mind.from_snapshot(save)
    event = town[ODO].event(EventKind.GOSSIP_HEARD, **STORY)
    assert mind.apply(event).changed_fact_ids == ("gossip.wren_002",)


def test_a_story_that_is_of_no_conversation_has_words(town: Any) -> None:
    data = {name: STORY[name] for name in ("about", "mind", "teller", "confidence")}
    town[ODO].add(EventKind.GOSSIP_HEARD, **data, fact_id="a.b")
    gossip = town[ODO].mind.graph.fact("gossip.wren_001").gossip
    assert gossip_text(gossip) == "a.b of npc:kael, about pc:wren"
