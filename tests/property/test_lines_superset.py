"""No gate, effect, strategy or scene where the package and the plain reference differ.

The older reference beside this one reads the specification's own keys without any part of the package.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_play import DECLARED, FORMER, SCENE, SLUGS, Table, packs, steps

from talebearer.lines import STRATEGIES, Scene

questions = st.one_of(
    st.tuples(
        st.just("talk"),
        st.sampled_from(SLUGS),
        st.sampled_from([None, *STRATEGIES]),
        st.sampled_from([(), (("speech", "wick"),), (("shout", "odo"), ("speech", "wick"))]),
    ),
    st.tuples(st.just("think"), st.sampled_from([None, *STRATEGIES]), st.integers(0, 2)),
)


@pytest.mark.spec("LP-L6-reference")
@settings(max_examples=150)
@given(packs(), steps, st.lists(questions, min_size=1, max_size=4))
def test_the_package_answers_as_the_plain_reading_of_the_rules(
    data: bytes, play: list[Any], asked: list[tuple[Any, ...]]
) -> None:
    table = Table(data)
    table.selector = table.follower()
    for wait, step in play:
        table.tick += wait
        table.play(step)
        table.compare(asked[0])
    for question in asked:
        table.compare(question)


turns = st.tuples(
    st.integers(0, 1),
    st.tuples(
        st.just("talk"),
        st.tuples(
            st.just("odo"), st.sampled_from(["bag", *STRATEGIES]), st.just(()), st.just(True)
        ),
    ),
)
plain = st.fixed_dictionaries({}, optional={"variants": st.just(["Two.", "Three."])})


@pytest.mark.spec("LP-L3-turns")
@settings(max_examples=50)
@given(packs(plain), st.lists(turns, min_size=4, max_size=14))
def test_turns_of_bags_go_as_the_rules_say(data: bytes, play: list[Any]) -> None:
    """All lines pass and all are heard, so that turns are what decides."""
    table = Table(data)
    table.selector = table.follower()
    for wait, step in play:
        table.tick += wait
        table.play(step)
        table.compare(("talk", "odo", "bag", ()))


@pytest.mark.spec("LP-L1-former-cells")
@pytest.mark.parametrize(
    ("kind", "data", "gate"),
    [
        (
            "counter_added",
            {"counter": "c-line", "by": 2},
            {"counters": [{"counter": "c-line", "=": 3}]},
        ),
        ("value_set", {"value": "v-line", "to": 5}, {"values": [{"value": "v-line", "=": 5}]}),
        ("timer_stamped", {"timer": "t-line"}, {"timers": [{"timer": "t-line", "within": 0}]}),
    ],
)
def test_what_a_line_kept_under_a_former_name_counts(
    kind: str, data: dict[str, Any], gate: dict[str, Any]
) -> None:
    table = Table(one_line(gate))
    table.selector = table.follower()
    asked = ("talk", "odo", None, ())
    scene = Scene(**SCENE)
    assert table.selector.pick_dialogue("odo", scene, tick=0) is None
    table.play(("happen", (kind, {**data, **FORMER})))
    assert table.selector.pick_dialogue("odo", scene, tick=0) is not None
    table.compare(asked)


def one_line(gate: dict[str, Any]) -> bytes:
    """Return a pack with one line, which had another name once."""
    line = {
        "id": "x_d_001",
        "text": "One.",
        "role": "clerk",
        "access": ["public"],
        "trust": "surface",
        "situation": ["social"],
        "aliases": [f"{FORMER['pool']}#{FORMER['line']}"],
        "when": gate,
    }
    pool = {"path": FORMER["pool"], "kind": "dialogue", "location": "quay", "role": "clerk"}
    value = {
        "format": "talebearer.pack",
        "version": 1,
        "enums": {
            "access": ["public"],
            "trust": ["surface"],
            "situations": ["social"],
            "topics": ["cargo"],
            "moods": [],
            "triggers": [],
        },
        "characters": {},
        "facts": {},
        "profiles": {"odo": {"name": "odo"}},
        "conditions": {},
        "state": DECLARED,
        "triggers": {},
        "pools": [{**pool, "lines": [line]}],
    }
    return json.dumps(value).encode()
