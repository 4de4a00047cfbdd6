"""Shorter ways to a draw and to a hearing come to what the plain ways come to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_play import SCENE, SLUGS, Table, packs, steps

from talebearer.lines import Scene, Selector
from talebearer.lines._drawing import drawn, drawn_at_length
from talebearer.memory import fold

SPEAKING = st.sampled_from([(), (("speech", "wick"),)])


@pytest.mark.spec("LP-L6-follows")
@settings(max_examples=150)
@given(packs(), steps, SPEAKING)
def test_the_short_draw_is_the_long_one(data: bytes, play: list[Any], speaking: Any) -> None:
    table = Table(data)
    table.selector = table.follower()
    for wait, step in play:
        table.tick += wait
        table.play(step)
        for speaker in SLUGS:
            asked = table.selector._saying(speaker, Scene(**SCENE), table.tick, None, {}, speaking)
            assert drawn(asked) == drawn_at_length(asked)
        asked = table.selector._thinking(
            "smuggler", "come", "quay", table.tick, None, {"size": 1}, speaking
        )
        assert drawn(asked) == drawn_at_length(asked)


class Pair:
    """Two who hear the same: one lets the mind hear and takes that in at once, one looks for it later."""

    def __init__(self, table: Table) -> None:
        self.minds = [fold("party", table.logs["party"]) for _ in range(2)]
        world = fold("world", table.logs["world"])
        self.selectors = [Selector(table.pack, mind, seed=5, world=world) for mind in self.minds]

    def ask(self, speaker: str, tick: int) -> list[Any]:
        scene = Scene(**SCENE)
        shown = [
            one.explain_dialogue(speaker, scene, tick=tick).as_json() for one in self.selectors
        ]
        assert shown[0] == shown[1]
        return [one.pick_dialogue(speaker, scene, tick=tick) for one in self.selectors]


@pytest.mark.spec("LP-L6-follows")
@settings(max_examples=100)
@given(
    packs(),
    steps,
    st.lists(st.tuples(st.sampled_from(SLUGS), st.integers(0, 3)), min_size=1, max_size=8),
)
def test_what_is_heard_at_once_is_what_is_found_later(
    data: bytes, play: list[Any], talks: list[tuple[str, int]]
) -> None:
    table = Table(data)
    table.selector = table.follower()
    for wait, step in play:
        table.tick += wait
        table.play(step)
    pair, tick = Pair(table), table.tick
    for speaker, wait in talks:
        tick += wait
        one, other = pair.ask(speaker, tick)
        if one is None:
            continue
        is_heard = pair.selectors[0].let_hear(one, stream="live", tick=tick)
        assert is_heard is (other.plain_key is not None)
        if is_heard:
            pair.minds[1].hear(other.plain_key, stream="live", tick=tick)
            assert one.effects == (one.effects[0], *one.besides)
        assert pair.minds[0].dumps() == pair.minds[1].dumps()
        assert pair.minds[0].revision == pair.minds[1].revision
