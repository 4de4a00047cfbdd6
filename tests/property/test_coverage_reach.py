"""What the analysis of a pack says can never come, the engine never brings, whatever happens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_play import (
    SCENE,
    SLUGS,
    Table,
    conditions,
    happenings,
    maybe,
    pack_of,
    packs,
    steps,
)

from talebearer.content.coverage import Fate, reach
from talebearer.lines import STRATEGIES, Explanation, LineKey, Scene, load_pack
from talebearer.rehearsal.simulation import Game, Player, Simulation, Talk
from talebearer.vocabulary import DEFAULT_ENUMS

by_lines = st.sampled_from(
    [
        ("entity_observed", {"target": "npc:odo", "confidence": "knows_of", "attributes": {}}),
        ("relationship_changed", {"target": "npc:odo", "state": "hostile"}),
        (
            "interaction_started",
            {"target": "npc:odo", "player_initiated": True, "location": "quay"},
        ),
        ("interaction_walked_away", {"target": "npc:odo"}),
        ("interaction_completed", {"target": "npc:odo", "topics": []}),
    ]
)
"""What play itself brings, with no help of the game's for facts, counters, values and timers."""

talks = st.tuples(
    st.just("talk"),
    st.tuples(
        st.sampled_from(SLUGS), st.sampled_from([None, *STRATEGIES]), st.just(()), st.just(True)
    ),
)
thoughts = st.tuples(
    st.just("think"),
    st.tuples(st.sampled_from([None, *STRATEGIES]), st.integers(0, 2), st.just(True)),
)
turns = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(talks, thoughts, st.tuples(st.just("happen"), by_lines)),
    ),
    min_size=3,
    max_size=14,
)
ranked = maybe.map(lambda line: {k: v for k, v in line.items() if k not in ("once", "cooldown")})
"""Lines that never rest, so that some are always beaten."""


def drawn(table: Table, strategy: str | None) -> set[LineKey]:
    """Return every line that could be drawn now, from anybody and anywhere."""
    found: set[LineKey] = set()
    for shown in asked(table, strategy):
        found |= {(one.pool, one.line_id) for one in shown.eligible}
    return found


def asked(table: Table, strategy: str | None) -> Iterator[Explanation]:
    """Yield what becomes of all lines in every request that tells lines apart."""
    how: dict[str, Any] = {"tick": table.tick, "strategy": strategy}
    for topics in ((), ("cargo",), ("money",)):
        scene = Scene(**{**SCENE, "topics": topics})
        for speaker in (*SLUGS, "clerk"):
            yield table.selector.explain_dialogue(speaker, scene, **how)
    for place in ("quay", "harbour"):
        for size in (-1, 0, 1, 2, 3, 4):
            yield table.selector.explain_monologue(
                "smuggler", "come", location=place, event={"size": size}, **how
            )


@st.composite
def crowds(draw: st.DrawFn, parts: st.SearchStrategy[dict[str, Any]]) -> bytes:
    """Return a pack whose pools share speakers, places and thinkers, most with a strategy that prefers."""
    value = json.loads(draw(packs(parts)))
    for stem in ("tides", "general"):
        lines = [
            {
                "id": f"x_m_s_{number:03}",
                "text": "Hm.",
                "trigger": "come",
                "priority": draw(st.integers(0, 3)),
                **draw(parts),
            }
            for number in range(1, draw(st.integers(1, 3)) + 1)
        ]
        pool = {
            "path": f"p/monologue/smuggler/{stem}",
            "kind": "monologue",
            "character": "smuggler",
            "location": "quay" if stem == "tides" else stem,
            "lines": lines,
        }
        value["pools"].append(pool)
    for pool in value["pools"]:
        pool.pop("strategy", None)
        if how := draw(
            st.sampled_from(["best_specific", "best_specific", "top_scored", "bag", ""])
        ):
            pool["strategy"] = how
    return json.dumps(value).encode()


@pytest.mark.spec("LP-reach-never")
@settings(max_examples=60)
@given(packs() | packs(ranked) | crowds(ranked) | crowds(maybe), steps)
def test_a_line_that_is_never_said_or_always_beaten_is_never_drawn(
    data: bytes, play: list[Any]
) -> None:
    table = Table(data)
    table.selector = table.follower()
    found = reach(table.pack)
    never, beaten = {*found.of(Fate.NEVER)}, {*found.of(Fate.BEATEN)}
    for wait, step in play:
        table.tick += wait
        table.play(step)
        assert not drawn(table, None) & (never | beaten)
        assert not drawn(table, "weighted") & never


@pytest.mark.spec("LP-reach-needs-game")
@settings(max_examples=80)
@given(packs(), turns)
def test_what_only_the_game_can_open_no_play_of_lines_opens(data: bytes, play: list[Any]) -> None:
    table = Table(data)
    table.selector = table.follower()
    shut = {*reach(table.pack).of(Fate.NEEDS_GAME)}
    for wait, step in play:
        table.tick += wait
        table.play(step)
        assert not drawn(table, "weighted") & shut


@pytest.mark.spec("LP-reach-said")
@settings(max_examples=60)
@given(packs())
def test_a_line_that_is_said_for_certain_can_be_drawn_by_a_mind_that_knows_nothing(
    data: bytes,
) -> None:
    table = Table(data)
    assert {*reach(table.pack).of(Fate.SAID)} <= drawn(table, None)


SEEDS_MAX = 4_000
"""Enough for the least likely of a few lines: with a share of a 400th it is missed once in 20,000 tries."""


@pytest.mark.spec("LP-reach-witness")
@settings(max_examples=25)
@given(packs() | crowds(maybe))
def test_a_line_that_is_said_for_certain_is_picked_by_some_seed(data: bytes) -> None:
    table = Table(data)
    left = {*reach(table.pack).of(Fate.SAID)}
    selector = table.selector
    for seed in range(SEEDS_MAX):
        if not left:
            break
        selector.reseed(seed)
        scene = Scene(**{**SCENE, "topics": ((), ("cargo",), ("money",))[seed % 3]})
        picks = [selector.pick_dialogue(who, scene, tick=0) for who in (*SLUGS, "clerk")]
        for place in ("quay", "harbour"):
            picks.append(selector.pick_monologue("smuggler", "come", location=place, tick=0))
        left -= {(pick.pool, pick.line_id) for pick in picks if pick is not None}
    assert not left


WORDS = ("access", "trust", "situations", "moods")
GIVING = Player(
    talk=Talk(walk_out=0.4, confront=0.3, access=0.5, trust=0.5, speaking=0.2),
    game=Game(facts=0.4, relationships=0.4, attributes=0.4, state=0.4, gossip=0.4),
)
ALONE = Player(
    talk=GIVING.talk, game=Game(facts=0, relationships=0.4, attributes=0, state=0, gossip=0)
)


@pytest.mark.spec("LP-reach-witness")
@settings(max_examples=12)
@given(packs() | crowds(ranked) | crowds(maybe), st.integers(0, 2**32))
def test_what_games_bring_is_not_shut_and_comes_again_in_its_playthrough(
    data: bytes, seed: int
) -> None:
    value = json.loads(data)
    # Who is known better is asked of what is trusted more, so playing takes all the words.
    value["enums"] |= {name: [one.value for one in DEFAULT_ENUMS[name]] for name in WORDS}
    pack = load_pack(json.dumps(value).encode())
    found = reach(pack)
    for player, shut in (
        (GIVING, {Fate.NEVER, Fate.BEATEN}),
        (ALONE, {Fate.NEVER, Fate.BEATEN, Fate.NEEDS_GAME}),
    ):
        simulation = Simulation(player=player, turns=50, seed=seed)
        setting = simulation.setting(pack)
        tally = simulation.played(setting, 1, 3)
        assert not [key for key in tally.heard if found.fates[key] in shut]
        for key, (number, turn) in tally.first.items():
            outcomes = simulation.playthrough(setting, number).run()
            assert outcomes[turn - 1][1] == key


@pytest.mark.spec("LP-reach-never")
@settings(max_examples=75)
@given(conditions.filter(lambda one: "chance" not in str(one) and "named" not in str(one)))
def test_a_condition_and_its_contrary_are_never_met(condition: Any) -> None:
    both = {"all_of": [condition, {"not": condition}]}
    assert fate(both) is Fate.NEVER


@pytest.mark.spec("LP-reach-never")
@settings(max_examples=75)
@given(conditions, st.lists(st.tuples(st.integers(0, 5), happenings), max_size=8))
def test_what_a_mind_meets_is_not_called_impossible(condition: Any, play: list[Any]) -> None:
    table = Table(one_thought(condition))
    table.selector = table.follower()
    verdict = reach(table.pack).of(Fate.NEVER)
    for wait, step in play:
        table.tick += wait
        table.play(("happen", step))
        if verdict:
            assert not drawn(table, None)


def fate(condition: Any) -> Fate:
    """Return the fate of one line behind *condition*."""
    found = reach(load_pack(one_thought(condition)))
    return next(iter(found.fates.values()))


def one_thought(condition: Any) -> bytes:
    """Return a pack with one thought."""
    line = {"id": "x_m_s_001", "text": "Hm.", "trigger": "come", "priority": 1, "when": condition}
    pool = {
        "path": "p/monologue/smuggler/quay",
        "kind": "monologue",
        "character": "smuggler",
        "location": "quay",
        "lines": [line],
    }
    return pack_of([pool], conditions={})
