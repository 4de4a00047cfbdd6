"""What walking out costs, whom it is told, and that every mind is what its log says."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import open_fixed, talebearer_here

from talebearer.campaign import Outcome
from talebearer.errors import IllegalTransition

MAELIS = "maelis-brandt"


def _walk_out(folder: Path, times: int) -> list[Outcome]:
    with open_fixed(folder) as campaign:
        return [campaign.talk(MAELIS).walk_away() for _ in range(times)]


def test_patience_runs_out_and_every_step_says_why(recorded: Path) -> None:
    """Maelis puts up with two or three; each one beyond costs standing, each one stresses her."""
    outcomes = _walk_out(recorded, 6)
    steps = [[step.step for step in outcome.consequences if step.changed] for outcome in outcomes]
    assert steps[0] == ["stress"]
    assert "relationship" in steps[-1]
    first_costly = next(n for n, changed in enumerate(steps, start=1) if "relationship" in changed)
    assert first_costly in (3, 4), "her profile says two or three"
    assert all(step.text for outcome in outcomes for step in outcome.consequences)
    with open_fixed(recorded, read_only=True) as campaign:
        assert campaign.recall(MAELIS).relationship == "hostile"
        assert campaign.doctor().faults == ()


def test_the_hostile_say_other_things(recorded: Path) -> None:
    _walk_out(recorded, 6)
    with open_fixed(recorded) as campaign:
        reply = campaign.talk(MAELIS).say("trust")
        assert reply.reference is not None
        line = campaign.pack.line(*reply.reference.rsplit(":", 1))
        assert "hostile" in line.access


def test_three_proper_partings_in_a_row_are_forgiveness(recorded: Path) -> None:
    _walk_out(recorded, 4)
    with open_fixed(recorded) as campaign:
        outcomes = [campaign.talk(MAELIS).complete() for _ in range(3)]
        changed = [step.step for step in outcomes[-1].consequences if step.changed]
        assert "forgiveness" in changed
        assert campaign.recall(MAELIS).walked_away, "what happened stays remembered"


def test_the_other_side_remembers_the_conversation(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        talk.confront()
        talk.walk_away()
        graph = campaign.graph(mind=f"npc:{MAELIS}")
        (metadata,) = graph.interactions_with("party")
        assert metadata.interaction_state == "conflict_abandoned"
        assert metadata.confrontation
        assert not metadata.player_initiated
        assert campaign.replay(mind=f"npc:{MAELIS}")


def test_a_character_is_in_one_conversation_at_a_time(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        before = campaign.timeline(mind="pc:ilse-varr")
        with pytest.raises(IllegalTransition):
            campaign.talk(MAELIS, mind="pc:ilse-varr")
        assert campaign.timeline(mind="pc:ilse-varr") == before
        talk.complete()
        assert campaign.talk(MAELIS, mind="pc:ilse-varr").complete().state == "completed"
        assert campaign.doctor().faults == ()


def test_gossip_goes_round_a_circle_and_names_its_teller(recorded: Path) -> None:
    _walk_out(recorded, 1)
    with open_fixed(recorded, read_only=True) as campaign:
        assert campaign.minds() == (
            "npc:emile-sarrault",
            f"npc:{MAELIS}",
            "npc:odo-renn",
            "npc:wick",
            "party",
        )
        graph = campaign.graph(mind="npc:odo-renn")
        (fact,) = graph.facts.values()
        assert fact.gossip is not None
        assert fact.gossip.teller == f"npc:{MAELIS}"
        assert fact.gossip.interaction_state == "walked_away"
        assert fact.confidence == "knows_of"
        assert "npc:halene-voss" not in campaign.minds(), "she is in no circle"
        assert all(campaign.replay(mind=mind) for mind in campaign.minds())


def test_an_npc_without_a_profile_has_no_mind_but_still_takes_offence(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        outcomes = [campaign.talk("Sergeant Pell").walk_away() for _ in range(7)]
        assert "npc:sergeant-pell" not in campaign.minds()
        assert "relationship" in [s.step for s in outcomes[-1].consequences if s.changed]


def test_memory_fades_only_where_the_campaign_says_so(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        before = campaign.recall("Tamsin Oake").confidence
    settings = recorded / "campaign.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text + "\n[decay.entities]\nheard = 100\n", encoding="utf-8")
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        talk.wait(10_000)
        talk.complete()
        campaign.talk(MAELIS).complete()
        after = campaign.recall("Tamsin Oake").confidence
        kept = campaign.recall("Halene Voss").confidence
        assert campaign.doctor().faults == ()
    assert (before, after, kept) == ("knows_of", "suspects", "knows_details")


def test_a_turn_that_the_other_side_refuses_changes_nobody(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk(MAELIS)
        talk.complete()
        logs = {mind: campaign.timeline(mind=mind) for mind in campaign.minds()}
        with pytest.raises(IllegalTransition):
            talk.walk_away()
        assert {mind: campaign.timeline(mind=mind) for mind in campaign.minds()} == logs


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("show",), ("party at tick", "npc:maelis-brandt: known")),
        (("show", f"npc:{MAELIS}"), ("interaction.party_001", "left by the other")),
        (("facts", "npc:wick"), ("gossip.party_001", "told_by npc:maelis-brandt")),
        (("timeline", "npc:odo-renn"), ("gossip heard: party walked out on npc:maelis-brandt",)),
        (("events", f"npc:{MAELIS}"), ("stress_changed", "interaction_walked_away")),
        (("why", "gossip.party_001", "--mind", "npc:wick"), ("told by npc:maelis-brandt",)),
        (("replay",), ("the same",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mind_on_the_command_line(
    recorded: Path, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    _walk_out(recorded, 1)
    result = talebearer_here("mind", *arguments, cwd=recorded)
    assert result.code == 0, result.err
    flat = " ".join(result.out.split())
    for part in parts:
        assert part in flat, result.out
    assert talebearer_here("mind", *arguments, "--json", cwd=recorded).json


def test_a_mind_that_does_not_exist_is_a_clear_error(recorded: Path) -> None:
    result = talebearer_here("mind", "show", "wick", cwd=recorded)
    assert result.code == 2
    assert "npc:{slug}" in result.err
