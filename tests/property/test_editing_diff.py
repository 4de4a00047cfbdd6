"""Diffs of authored files: right, and no larger than the change."""

from __future__ import annotations

from difflib import unified_diff
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talebearer.content.editing._diff import opcodes, unified

rows = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d"]), max_size=12)


def least(before: list[str], after: list[str]) -> int:
    """Return how many rows come and go at least: all of both but the longest common part, twice."""
    longest = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i, j in product(range(len(before)), range(len(after))):
        same = before[i] == after[j]
        longest[i + 1][j + 1] = (
            longest[i][j] + 1 if same else max(longest[i][j + 1], longest[i + 1][j])
        )
    return len(before) + len(after) - 2 * longest[-1][-1]


@pytest.mark.spec("LP-8.3-diff")
@given(rows, rows)
def test_a_diff_is_right_and_least(before: list[str], after: list[str]) -> None:
    i = j = changed = 0
    for tag, i1, i2, j1, j2 in opcodes(before, after):
        assert (i1, j1) == (i, j)
        if tag == "equal":
            assert before[i1:i2] == after[j1:j2] != []
        else:
            changed += i2 - i1 + j2 - j1
        i, j = i2, j2
    assert (i, j) == (len(before), len(after))
    assert changed == least(before, after)


@pytest.mark.spec("LP-8.3-diff")
def test_a_line_in_a_large_pool_shows_itself_and_its_neighbours() -> None:
    rows = [row for n in range(400) for row in (f"- id: l_{n}\n", "  access: [public]\n", "\n")]
    new = ["- id: l_new\n", "  access: [public]\n", "\n"]
    after = [*rows[:600], *new, *rows[600:900], *rows[903:]]
    found = list(unified(rows, after, "a/x", "b/x"))
    assert sum(row.startswith(("+", "-")) for row in found[2:]) == 6
    assert "".join(found).count("@@ ") == 2
    small = ["a\n", "b\n"], ["a\n", "c\n"]
    assert list(unified(*small, "a/x", "b/x")) == list(unified_diff(*small, "a/x", "b/x"))
    assert list(unified(rows, rows, "a/x", "b/x")) == []
    assert list(unified([], ["x\n"], "a/x", "b/x"))[2] == "@@ -0,0 +1 @@\n"


def test_texts_of_which_nothing_stays_are_told_in_bounded_time() -> None:
    before = [f"{n}\n" for n in range(3_000)]
    after = [f"x{n}\n" for n in range(3_000)]
    assert [tag for tag, *_ in opcodes(before, after)] == ["replace"]
