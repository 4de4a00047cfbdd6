"""Patience: what a profile says, and what the seed draws."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.errors import InvalidContent
from talebearer.memory import tolerance_of

FULL = {
    "threshold": 35,
    "walk_away_threshold": 2,
    "walk_away_penalty": 0.25,
    "walk_away_stress_delta": 12,
    "permanent_confrontation_memory": True,
}


@pytest.mark.spec("IM-8.1-profile-values")
def test_a_profile_that_says_everything_is_taken_at_its_word() -> None:
    tolerance = tolerance_of("odo-renn", FULL, seed=7)
    assert tolerance.as_json() == FULL
    assert tolerance.walk_away.walk_away_penalty == 250
    assert [tolerance.strain.strained_at(stress) for stress in (34, 35)] == [False, True]


@pytest.mark.spec("IM-8-tolerance-seeded")
@pytest.mark.parametrize(
    ("seed", "slug", "expected"),
    [
        (7, "odo-renn", (5, 211, False)),
        (8, "odo-renn", (1, 486, True)),
        (7, "vesk", (3, 500, False)),
    ],
)
def test_draws_are_pinned(seed: int, slug: str, expected: Any) -> None:
    found = tolerance_of(slug, {}, seed=seed).walk_away
    assert (
        found.walk_away_threshold,
        found.walk_away_penalty,
        found.permanent_confrontation_memory,
    ) == expected


def test_what_is_left_out_is_drawn_from_the_whole_range() -> None:
    seen = [tolerance_of(f"c-{n}", {}, seed=1) for n in range(300)]
    assert {item.walk_away.walk_away_threshold for item in seen} == {1, 2, 3, 4, 5}
    penalties = [item.walk_away.walk_away_penalty for item in seen]
    assert 100 <= min(penalties) < 110
    assert 490 < max(penalties) <= 500
    assert {item.walk_away.permanent_confrontation_memory for item in seen} == {True, False}
    assert {item.strain.threshold for item in seen} == {50}
    assert {item.walk_away.walk_away_stress_delta for item in seen} == {10}


def test_a_pair_is_a_range() -> None:
    pairs = {"walk_away_threshold": [2, 3], "walk_away_penalty": [0.1, 0.102]}
    seen = [tolerance_of(f"c-{n}", pairs, seed=1).walk_away for n in range(60)]
    assert {item.walk_away_threshold for item in seen} == {2, 3}
    assert {item.walk_away_penalty for item in seen} == {100, 101, 102}


def test_editing_one_field_moves_no_other() -> None:
    bare = tolerance_of("odo", {}, seed=3).walk_away
    more = tolerance_of("odo", {"walk_away_threshold": 5, "threshold": 9}, seed=3).walk_away
    assert more.walk_away_penalty == bare.walk_away_penalty
    assert more.permanent_confrontation_memory is bare.permanent_confrontation_memory


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"walk_away_threshold": 0}, "walk_away_threshold"),
        ({"walk_away_threshold": 6}, "walk_away_threshold"),
        ({"walk_away_threshold": [3, 2]}, "walk_away_threshold"),
        ({"walk_away_threshold": [1, 2, 3]}, "walk_away_threshold"),
        ({"walk_away_threshold": 1.5}, "walk_away_threshold"),
        ({"walk_away_penalty": 0.09}, "walk_away_penalty"),
        ({"walk_away_penalty": [0.1, 0.6]}, "walk_away_penalty"),
        ({"walk_away_penalty": "0.1"}, "walk_away_penalty"),
        ({"walk_away_penalty": float("nan")}, "walk_away_penalty"),
        ({"walk_away_penalty": 10**400}, "walk_away_penalty"),
        ({"walk_away_stress_delta": -1}, "walk_away_stress_delta"),
        ({"threshold": 32768}, "threshold"),
        ({"permanent_confrontation_memory": 1}, "permanent_confrontation_memory"),
        ({"patience": 1}, "patience"),
    ],
)
def test_a_wrong_value_names_character_and_field(change: Any, field: str) -> None:
    with pytest.raises(InvalidContent) as caught:
        tolerance_of("odo-renn", {**FULL, **change}, seed=1)
    assert caught.value.data == {"slug": "odo-renn", "field": f"tolerance.{field}"}
    assert "odo-renn" in str(caught.value)
