"""Both sides of a conversation, several participants, several players."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.errors import IllegalTransition
from talebearer.memory import Mind, consequences, mirrored, tolerance_of
from talebearer.vocabulary import EventKind, InteractionState

KAEL = "npc:kael"
LERA = "npc:lera"
WREN = "pc:wren"
STORM = "pc:storm"


def talk(logs: Any, mind: str, *ends: str, tick: int = 0, **start: Any) -> None:
    """Hold a conversation of *mind*, and give its mirror to every other log there is."""
    log = logs[mind]
    data = {"target": KAEL, "player_initiated": True, "location": "quay", **start}
    steps = [(EventKind.INTERACTION_STARTED, data)]
    for end in ends:
        details: dict[str, Any] = {"target": data["target"]}
        if end == "completed":
            details["topics"] = ["cargo"]
        steps.append((EventKind(f"interaction_{end}"), details))
    whom = data.get("participants", (data["target"],))
    for kind, details in steps:
        event = log.event(kind, tick=tick, **details)
        for draft in mirrored(event, mind=mind, participants=whom):
            if draft.mind in logs:
                logs[draft.mind].take(draft, tick=tick)
        log.add(kind, tick=tick, **details)


@pytest.mark.spec("IM-M7-both-sides")
@pytest.mark.parametrize("began", [True, False])
def test_the_other_side_remembers_it_under_the_minds_slug(logs: Any, began: bool) -> None:
    both = logs(WREN, KAEL)
    talk(both, WREN, "confrontation", "completed", tick=4, player_initiated=began)
    kael = both[KAEL].mind.graph
    assert kael.interaction_ids_with(WREN) == ("interaction.wren_001",)
    item = kael.last_interaction_with(WREN)
    assert item.player_initiated is not began
    assert (item.interaction_state, item.confrontation) == (InteractionState.COMPLETED, True)
    assert (item.topics, item.location, item.started_tick) == (("cargo",), "quay", 4)
    assert kael.entity(WREN).relationship_state.value == "known"


@pytest.mark.spec("IM-M7-who-left")
def test_it_is_known_who_walked_out(logs: Any) -> None:
    both = logs(WREN, KAEL)
    talk(both, WREN, "walked_away")
    wren, kael = both[WREN].mind.graph, both[KAEL].mind.graph
    assert wren.has_walked_away_from(KAEL)
    assert not wren.was_left_by(KAEL)
    assert kael.was_left_by(WREN)
    assert not kael.has_walked_away_from(WREN)
    assert kael.interaction_count_with(WREN, InteractionState.WALKED_AWAY) == 1
    event = both[KAEL].event(EventKind.INTERACTION_WALKED_AWAY, target=WREN, by="other")
    assert mirrored(event, mind=KAEL)[0].data == {"target": KAEL, "by": "self"}
    for log in both.values():
        assert Mind.loads(log.mind.dumps()).dumps() == log.mind.dumps()


def test_the_party_is_somebody_to_talk_to(logs: Any) -> None:
    both = logs("party", KAEL)
    talk(both, "party", "completed")
    assert both[KAEL].mind.graph.interaction_ids_with("party") == ("interaction.party_001",)


@pytest.mark.spec("IM-9.2-npc-interactions")
def test_characters_talk_to_each_other(logs: Any) -> None:
    both = logs(KAEL, LERA)
    talk(both, LERA, "confrontation", "conflict_abandoned")
    assert both[LERA].mind.graph.has_walked_away_from(KAEL)
    assert both[KAEL].mind.graph.was_left_by(LERA)
    assert both[KAEL].mind.graph.has_confronted(LERA)
    patience = tolerance_of("kael", {"walk_away_stress_delta": 9}, seed=1)
    found = consequences(both[LERA].mind, patience, both[LERA].events[-1])
    assert [(draft.mind, draft.data["delta"]) for draft in found.drafts] == [(KAEL, 18)]


@pytest.mark.spec("IM-9.2-many-participants")
@pytest.mark.spec("IM-M7-participants")
def test_several_take_part_and_the_first_is_the_target(logs: Any) -> None:
    three = logs(WREN, KAEL, LERA)
    talk(three, WREN, "completed", participants=[KAEL, LERA], tick=3)
    wren = three[WREN].mind.graph
    item = wren.last_interaction_with(KAEL)
    assert item.participants == (KAEL, LERA)
    assert wren.joint_interactions_with(LERA) == [item]
    assert wren.interactions_with(LERA) == []
    assert wren.entity(LERA).confidence.value == "knows_details"
    assert three[KAEL].mind.graph.last_interaction_with(WREN).participants == (WREN, LERA)
    assert three[LERA].mind.graph.last_interaction_with(WREN).participants == (WREN, KAEL)
    assert three[LERA].mind.graph.joint_interactions_with(KAEL)
    for log in three.values():
        again = Mind.loads(log.mind.dumps())
        assert again.dumps() == log.mind.dumps()
        assert again.graph.joint_interactions_with(LERA) == (
            log.mind.graph.joint_interactions_with(LERA)
        )


def test_everybody_there_is_reported_as_changed(logs: Any) -> None:
    log = logs(WREN)[WREN]
    applied = log.start(KAEL, participants=[KAEL, LERA])
    assert applied.changed_entities == (KAEL, LERA)


@pytest.mark.spec("IM-M7-players-apart")
def test_players_never_mix(logs: Any) -> None:
    minds = logs(WREN, STORM, KAEL)
    talk(minds, WREN, "walked_away")
    before = minds[STORM].mind.dumps()
    talk(minds, WREN, "walked_away")
    assert minds[STORM].mind.dumps() == before
    talk(minds, STORM, "completed")
    kael = minds[KAEL].mind.graph
    assert kael.was_left_by(WREN)
    assert not kael.was_left_by(STORM)
    assert kael.interaction_count_with(STORM) == 1
    minds[KAEL].stand(-600, WREN)
    assert kael.standing_with(STORM) == 0


def test_a_busy_character_refuses_the_second(logs: Any) -> None:
    minds = logs(WREN, STORM, KAEL)
    talk(minds, WREN)
    with pytest.raises(IllegalTransition):
        talk(minds, STORM)
    assert minds[STORM].events == []


def test_a_player_and_a_character_may_share_a_slug(logs: Any) -> None:
    log = logs(KAEL)[KAEL]
    ids = []
    for target in ("pc:ash", "npc:ash", "pc:ash"):
        ids.append(log.start(target).interaction_id)
        log.end(target=target)
    assert ids == ["interaction.ash_001", "interaction.ash_002", "interaction.ash_003"]
    graph = log.mind.graph
    assert graph.interaction_ids_with("pc:ash") == (ids[0], ids[2])
    assert graph.interaction_count_with("npc:ash") == 1
    assert Mind.loads(log.mind.dumps()).dumps() == log.mind.dumps()


@pytest.mark.parametrize("kind", list(EventKind))
def test_only_conversations_have_another_side(log: Any, kind: EventKind) -> None:
    data = {"target": KAEL, "player_initiated": True, "location": "x", "topics": [], "number": 4}
    drafts = mirrored(log.event(kind, **data), mind=WREN)
    assert bool(drafts) is kind.startswith("interaction_")
    assert all("number" not in draft.data for draft in drafts)


def test_the_mirror_keeps_the_receipt(log: Any, make_receipt: Any) -> None:
    receipt = make_receipt()
    event = log.event(EventKind.INTERACTION_CONFRONTATION, target=KAEL, receipt=receipt)
    (draft,) = mirrored(event, mind=WREN)
    assert draft.provenance is receipt
    assert draft.event("session:s1", 7, tick=3).provenance is receipt
    assert draft.as_json() == {
        "mind": KAEL,
        "kind": "interaction_confrontation",
        "data": {"target": WREN},
    }
