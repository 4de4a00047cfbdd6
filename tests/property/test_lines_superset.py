"""No gate, effect, strategy or scene where the package and the plain reference differ.

The older reference beside this one reads the specification's own keys without any part of the package.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_play import SLUGS, Table, packs, steps

from talebearer.lines import STRATEGIES

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
