"""A mind in words, and as a picture's data."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.memory import Mind, picture_of, render_text
from talebearer.vocabulary import EventKind

ODO = "npc:odo-renn"
VESK = "npc:vesk"
WHY = {"code": "authored", "text": "because"}


@pytest.fixture
def full(log: Any, make_receipt: Any) -> Any:
    log.learn("cargo.one", tick=2)
    log.learn("cargo.two", source={"kind": "inferred", "payload": {"from": ["cargo.one"]}})
    log.add(EventKind.FACT_STATE_CHANGED, fact_id="cargo.two", state="stale")
    receipt = make_receipt()
    log.start(stream="s1", receipt=receipt, tick=3)
    log.end("confrontation", stream="s1", receipt=receipt, tick=4)
    log.end(stream="s1", receipt=receipt, tick=9, topics=["cargo"])
    log.start(tick=10, player_initiated=False, participants=[ODO, VESK])
    log.end("walked_away", tick=11, by="other")
    log.start(tick=12)
    log.observe(target=VESK, attributes={"hat": "red"}, tick=12)
    log.stand(-300, forgivable=True)
    log.add(EventKind.WALK_AWAYS_FORGIVEN, target=VESK, count=2, reason=WHY)
    log.add(EventKind.STRESS_CHANGED, delta=4, reason=WHY)
    story = {"about": VESK, "mind": "npc:wick", "fact_id": "interaction.vesk_003"}
    log.add(
        EventKind.GOSSIP_HEARD,
        **story,
        teller="npc:wick",
        confidence="knows_of",
        target="npc:wick",
        interaction_state="conflict_abandoned",
        tick=14,
    )
    return log


TEXT = """\
pc:wren at tick 14, stress 4
people: 2
  npc:odo-renn: known, knows_details, direct observation, standing -300, grudge 300
    interaction.odo-renn_001: completed, knows_details, tick 3 to 9, at the-quay, begun, \
confrontation, about cargo, recorded in s1
    interaction.odo-renn_002: walked_away, knows_details, tick 10 to 11, at the-quay, \
begun by the other, left by the other, with npc:vesk
    interaction.odo-renn_003: active, direct, tick 12 on, at the-quay, begun
  npc:vesk: known, knows_details, direct observation, 2 forgiven, hat=red
facts: 3
  cargo.one: knows_of, told by npc:odo-renn, tick 2
  cargo.two: knows_of, inferred from cargo.one, tick 0, stale
  gossip.vesk_001: knows_of, npc:vesk stormed out on npc:wick, told by npc:wick, tick 14
"""


@pytest.mark.spec("IM-M7-text")
def test_a_mind_reads_as_who_how_sure_and_what_happened(full: Any) -> None:
    assert render_text(full.mind) == TEXT
    assert render_text(Mind.loads(full.mind.dumps())) == TEXT


def test_an_empty_mind_reads_short() -> None:
    assert render_text(Mind("party")) == "party at tick 0\npeople: 0\nfacts: 0\n"


def test_a_place_is_said(log: Any) -> None:
    log.learn("a.b", source={"kind": "heard", "payload": {"place": "the-eel"}})
    assert "a.b: knows_of, heard at the-eel, tick 0" in render_text(log.mind)


def test_a_picture_says_who_knows_whom_and_how_well(full: Any, logs: Any) -> None:
    vesk = logs(VESK)[VESK]
    vesk.add(
        EventKind.GOSSIP_HEARD,
        about="npc:zoe",
        mind="npc:wick",
        fact_id="a.b",
        teller="npc:wick",
        confidence="suspects",
    )
    picture = picture_of([vesk.mind, full.mind])
    assert picture == picture_of([full.mind, vesk.mind])
    nodes = [(node.id, node.is_mind, node.fact_count, node.stress) for node in picture.nodes]
    assert nodes == [
        (ODO, False, 0, 0),
        (VESK, True, 0, 0),
        ("npc:zoe", False, 0, 0),
        ("pc:wren", True, 2, 4),
    ]
    edges = {(edge.source, edge.target): edge for edge in picture.edges}
    assert list(edges) == [(VESK, "npc:zoe"), ("pc:wren", ODO), ("pc:wren", VESK)]
    first = edges["pc:wren", ODO]
    assert (first.confidence, first.sureness, first.relationship) == ("knows_details", 3, "known")
    assert (first.conversations, first.walk_aways, first.left) == (3, 0, 1)
    assert (first.confrontations, first.standing, first.in_progress) == (1, -300, True)
    assert edges["pc:wren", VESK].gossip == ("npc:vesk stormed out on npc:wick",)
    heard = edges[VESK, "npc:zoe"]
    assert (heard.confidence, heard.sureness, heard.relationship) == ("suspects", 1, "unknown")
    data = picture.as_json()
    assert data["edges"][2]["gossip"] == ["npc:vesk stormed out on npc:wick"]
    assert data["nodes"][0] == {"id": ODO, "is_mind": False, "fact_count": 0, "stress": 0}
