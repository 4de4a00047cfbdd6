"""What the analysis of a pack says can never come, the engine never brings, whatever happens."""

from __future__ import annotations

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
from talebearer.lines import STRATEGIES, LineKey, Scene, load_pack

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
    """Return every line that could be drawn now."""
    found: set[LineKey] = set()
    how: dict[str, Any] = {"tick": table.tick, "strategy": strategy}
    for topics in ((), ("cargo",), ("money",)):
        scene = Scene(**{**SCENE, "topics": topics})
        for speaker in (*SLUGS, "clerk"):
            shown = table.selector.explain_dialogue(speaker, scene, **how)
            found |= {(one.pool, one.line_id) for one in shown.eligible}
    for size in (-1, 0, 1, 2, 3, 4):
        shown = table.selector.explain_monologue(
            "smuggler", "come", location="quay", event={"size": size}, **how
        )
        found |= {(one.pool, one.line_id) for one in shown.eligible}
    return found


@pytest.mark.spec("LP-reach-never")
@settings(max_examples=80)
@given(packs() | packs(ranked), steps)
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
