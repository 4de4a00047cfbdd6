"""A selector that follows its minds answers like one that is made anew, whatever happens."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_play import SLUGS, Table, packs, steps

from talebearer.memory import fold


@pytest.mark.spec("LP-L6-follows")
@settings(max_examples=200)
@given(packs(), steps)
def test_a_follower_answers_like_one_made_anew(data: bytes, play: list[Any]) -> None:
    table = Table(data)
    table.selector = table.follower()
    for wait, step in play:
        table.tick += wait
        table.play(step)


@pytest.mark.spec("LP-L5-rewind")
@given(packs(), steps, st.data())
def test_a_shorter_log_takes_a_conversation_back(
    data: bytes, play: list[Any], more: st.DataObject
) -> None:
    """What was said once is said again from where the log was cut, also through a pickle."""
    table = Table(data)
    table.selector = table.follower()
    states = []
    for wait, step in play:
        table.tick += wait
        states.append((table.tick, {name: len(log) for name, log in table.logs.items()}))
        table.play(step)
    tick, lengths = more.draw(st.sampled_from(states))
    again = Table(data)
    again.tick = tick
    again.logs = {name: log[: lengths[name]] for name, log in table.logs.items()}
    again.minds = {name: fold(name, log) for name, log in again.logs.items()}
    again.selector = pickle.loads(pickle.dumps(again.follower()))
    for speaker in SLUGS:
        now, _ = again.talk(again.selector, speaker, None, ())
        then, _ = again.talk(again.fresh(), speaker, None, ())
        assert (now and now.as_json()) == (then and then.as_json())
