"""Played conversations: a campaign's own rules, kept nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
import rehearsed
from campaigns import create_fixed, open_fixed

from talebearer.campaign import Conversation, Outcome, Reply, SceneDefaults, to_json
from talebearer.errors import IllegalTransition, InvalidCampaign, UsageFault
from talebearer.memory import render_text
from talebearer.rehearsal import Move, Rehearsal, Setup, Turn

SEED = 11
MOVES = [
    [Move(kind="say", words=("cargo",)), Move(kind="say"), Move(kind="complete")],
    [
        Move(kind="say"),
        Move(kind="confront"),
        Move(kind="say", words=("cargo",)),
        Move(kind="wait", ticks=600),
        Move(kind="walk_away"),
    ],
    [Move(kind="mood", words=("anxious",)), Move(kind="say"), Move(kind="walk_away")],
    [Move(kind="at", location="quay"), Move(kind="say"), Move(kind="say"), Move(kind="walk_away")],
]


def _in_a_campaign(talk: Conversation, move: Move) -> Reply | Outcome | None:
    if move.kind == "say":
        return talk.say(*move.words)
    if move.kind == "mood":
        talk.mood(*move.words)
    elif move.kind == "at":
        talk.at(move.location)
    elif move.kind == "wait":
        talk.wait(move.ticks)
    else:
        outcome: Outcome = getattr(talk, move.kind)()
        return outcome
    return None


def _same(turn: Turn, found: Reply | Outcome | None) -> bool:
    if isinstance(found, Outcome):
        return (turn.state, turn.consequences) == (found.state, found.consequences)
    return to_json(turn.reply) == to_json(found)


@pytest.mark.spec("LP-rehearsal-talk")
@pytest.mark.parametrize("moves", MOVES)
def test_a_played_conversation_is_that_of_a_campaign(
    tmp_path: Path, talk: Setup, rehearsal: Rehearsal, moves: list[Move]
) -> None:
    folder = tmp_path / "campaign"
    create_fixed(folder).close()
    rehearsed.write(folder / "content")
    config = folder / "campaign.toml"
    config.write_text(config.read_text().replace("seed = 1\n", f"seed = {SEED}\n"))
    options = SceneDefaults(
        location="quay",
        access="public",
        trust="surface",
        situations=("social",),
        topics=(),
        moods=(),
    )
    played = rehearsal.play(talk.but(seed=SEED, tick=1))
    with open_fixed(folder) as campaign:
        conversation = campaign.talk("odo", scene=options)
        for move in moves:
            turn = played.do(move)
            assert _same(turn, _in_a_campaign(conversation, move)), (move, turn)
            assert (played.tick, played.state) == (conversation.tick, conversation.state)
        assert tuple(played.minds()) == campaign.minds()
        for name, mind in played.minds().items():
            assert render_text(mind) == campaign.mind_text(mind=name)
            graph = campaign.graph(mind=name)
            assert dict(mind.graph.facts) == dict(graph.facts)
            assert dict(mind.graph.entities) == dict(graph.entities)
            assert dict(mind.graph.heard) == dict(graph.heard)
            assert mind.graph.cells == graph.cells


@pytest.mark.spec("LP-rehearsal-talk")
def test_what_a_walk_out_changes_is_told(rehearsal: Rehearsal, talk: Setup) -> None:
    played = rehearsal.play(talk.but(topics=("cargo",)))
    said = played.say("cargo")
    assert said.reply is not None
    assert said.reply.text == "The price of it."
    played.confront()
    end = played.walk_away()
    assert (end.state, played.is_over) == ("conflict_abandoned", True)
    assert [step.step for step in end.consequences] == [
        "threshold",
        "relationship",
        "stress",
        "memory",
    ]
    changed = {
        (mind.mind, one.kind, one.name): (one.before, one.after)
        for mind in played.changes()
        for one in mind.changes
    }
    assert changed["party", "fact", "people.him"] == (None, "suspects")
    assert changed["party", "interaction", "interaction.odo_001"] == (
        None,
        "conflict_abandoned, confronted",
    )
    assert changed["party", "counter", "asked odo"] == (None, 1)
    assert changed["party", "heard", f"{rehearsed.ODO}#odo_d_002 (odo)"] == (None, 1)
    assert ("npc:odo", "stress", "npc:odo") in changed
    assert [mind for mind, kind, _ in changed if kind == "gossip"] == ["npc:vesk"]
    assert played.history == "The first time that you talk."


CAMPAIGN = """\
id = "harbour"
name = "Harbour"

[content]
path = "{content}"

[gossip]
circles = [["odo", "mara"]]

[decay.facts]
background = 10
"""


@pytest.mark.spec("LP-rehearsal-campaign")
@pytest.mark.parametrize("place", ["content", "writing/all"])
def test_content_of_a_campaign_is_tried_by_its_circles_and_fading(
    tmp_path: Path, talk: Setup, place: str
) -> None:
    """Mara is elsewhere: she hears of a walk-out by a circle only. What is known fades meanwhile."""
    root = rehearsed.write(
        tmp_path / place, **{"global/npcs/mara.yaml": "name: Mara\nlocation: chapel\n"}
    )
    known = {"facts": ({"fact_id": "people.him", "confidence": "direct"},)}
    tried = Rehearsal(root)

    def changed() -> dict[tuple[str, str, str], tuple[object, object]]:
        played = tried.play(talk.but(given=known, tick=20))
        played.walk_away()
        return {
            (mind.mind, one.kind, one.name): (one.before, one.after)
            for mind in played.changes()
            for one in mind.changes
        }

    alone = changed()
    assert not [mind for mind, kind, _ in alone if (mind, kind) == ("npc:mara", "gossip")]
    assert ("party", "fact", "people.him") not in alone
    (tmp_path / "campaign.toml").write_text(CAMPAIGN.format(content=place), encoding="utf-8")
    together = changed()
    assert [mind for mind, kind, _ in together if (mind, kind) == ("npc:mara", "gossip")]
    assert together["party", "fact", "people.him"] == ("direct", "knows_of")
    # Settings with a fault are told when a conversation begins; a funnel needs none of them.
    (tmp_path / "campaign.toml").write_text("id = 7\n", encoding="utf-8")
    assert tried.ask(talk).eligible
    with pytest.raises(InvalidCampaign):
        changed()


@pytest.mark.spec("LP-rehearsal-campaign")
def test_a_campaign_further_up_with_other_content_is_none_of_ours(
    tmp_path: Path, talk: Setup
) -> None:
    root = rehearsed.write(tmp_path / "drafts" / "all")
    (tmp_path / "campaign.toml").write_text("id = 7\n", encoding="utf-8")
    with pytest.raises(InvalidCampaign):
        Rehearsal(root).play(talk)
    (tmp_path / "campaign.toml").write_text(CAMPAIGN.format(content="content"), encoding="utf-8")
    assert Rehearsal(root).play(talk).walk_away().state == "walked_away"


@pytest.mark.spec("LP-rehearsal-talk")
def test_moves_played_again_come_out_the_same_and_leave_the_scene_as_it_was(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    before = rehearsal.ask(talk)
    played = rehearsal.play(talk)
    played.say()
    played.wait(5)
    played.say("routine")
    played.complete()
    again = rehearsal.play(talk, played.moves)
    assert again.turns == played.turns
    assert again.changes() == played.changes()
    assert rehearsal.ask(talk) == before


def test_what_is_no_move_is_refused_and_changes_nothing(rehearsal: Rehearsal, talk: Setup) -> None:
    played = rehearsal.play(talk)
    with pytest.raises(UsageFault):
        played.do(Move(kind="dance"))
    with pytest.raises(UsageFault):
        played.say("weather")
    with pytest.raises(UsageFault):
        played.wait(-1)
    assert played.turns == []
    played.complete()
    with pytest.raises(IllegalTransition):
        played.say()
    with pytest.raises(UsageFault):
        rehearsal.play(rehearsal.first_setup(rehearsed.THOUGHTS))
