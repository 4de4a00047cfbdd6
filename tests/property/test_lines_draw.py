"""The draw gives each line exactly its share."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.lines import draw_key, pick_index, weighted_index

weights = st.lists(st.integers(1, 2**10), min_size=1, max_size=40)
words = st.text(max_size=20)


def first_number(cumulative: int, total: int) -> int:
    """Return the least 64-bit number whose point reaches *cumulative*."""
    return -(-cumulative * 2**64 // total)


@pytest.mark.spec("LP-L5-draw")
@settings(max_examples=100, deadline=None)
@given(weights)
def test_each_index_owns_its_share_of_the_numbers(shares: list[int]) -> None:
    """The bounds of each index's range are where they must be, so its size is the share."""
    total, before = sum(shares), 0
    for index, share in enumerate(shares):
        low = first_number(before, total)
        high = first_number(before + share, total) - 1
        assert weighted_index(low, shares) == index
        assert weighted_index(high, shares) == index
        assert abs((high - low + 1) * total - share * 2**64) < total
        before += share


@settings(max_examples=50, deadline=None)
@given(weights, st.integers(), st.integers(0), words, st.lists(words, max_size=3), st.integers(0))
def test_any_arguments_give_an_index_and_the_same_one_again(
    shares: list[int], seed: int, tick: int, request: str, pools: list[str], draw: int
) -> None:
    key = {
        "seed": seed,
        "tick": tick,
        "mind": "party",
        "pools": pools,
        "request": request,
        "draw": draw,
    }
    index = pick_index(shares, **key)
    assert 0 <= index < len(shares)
    assert pick_index(list(shares), **key) == index
    assert b"\n" not in draw_key(**key)


def test_even_draws_are_even_over_ticks_and_draws() -> None:
    """Of 6,000 draws each of six gets 1,000, give or take five standard deviations of 29."""
    key = {"seed": 1, "mind": "party", "pools": ["a"], "request": "dialogue"}
    for varied in ("tick", "draw"):
        fixed = {"tick": 0, "draw": 0}
        counts = [0] * 6
        for number in range(6000):
            counts[pick_index([1] * 6, **{**key, **fixed, varied: number})] += 1
        assert all(855 < count < 1145 for count in counts), counts
