"""Edits of YAML in any layout: right to the byte."""

from __future__ import annotations

import copy
import io
import itertools
from typing import Any

import pytest
import yaml
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from talebearer.content.editing import Edits
from talebearer.errors import EditRefused

WORDS = st.sampled_from(
    ["a", "warm", "No", "1.0", "x: y", "#no", "- x", "it's", '"q"', "", " lead", "trail ", "null"]
)
# What content may hold: everything but control characters and halves of surrogate pairs.
CHARACTERS = st.characters(
    exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"
) | st.sampled_from("\n\n\t \u2028\u2029\x85\u202e\u200f\ufeff😀:#'\"\\-")
TEXTS = WORDS | st.text(CHARACTERS, max_size=40) | st.text("ab \n", max_size=200)
SCALARS = TEXTS | st.integers(-(2**31), 2**31) | st.booleans() | st.none()
LISTS = st.lists(TEXTS, max_size=5, unique=True)
STYLES = ("{}", "'{}'", '"{}"', "|\n      {}", ">-\n      {}", "|- # why\n        {}")


@pytest.mark.spec("LP-L8-edit-in-place")
@settings(max_examples=200)
@given(style=st.sampled_from(STYLES), value=TEXTS, tail=st.sampled_from(["", "  # a comment"]))
def test_any_text_can_take_the_place_of_any_other(style: str, value: str, tail: str) -> None:
    block = style[0] in "|>"
    before = "lines:\n  # first\n  - id: x\n    text: "
    after = f"{'' if block else tail}\n    trust: real\n# the end\n"
    edits = Edits(f"{before}{style.format('old')}{after}".encode())
    edits.replace(("lines", 0, "text"), value)
    text = edits.result()
    assert text.startswith(before)
    assert text.endswith(after)
    assert Edits(text.encode()).value == {"lines": [{"id": "x", "text": value, "trust": "real"}]}


def lines() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"id": st.from_regex(r"[a-z]{1,3}_d_[0-9]{3}", fullmatch=True), "text": TEXTS},
        optional={
            "access": LISTS,
            "tags": LISTS,
            "priority": st.integers(0, 10),
            "dual_lens": st.dictionaries(st.sampled_from(["smuggler", "detective"]), TEXTS),
            "effects": st.lists(st.dictionaries(st.sampled_from("abc"), SCALARS), max_size=2),
        },
    )


POOLS = st.fixed_dictionaries({"location": TEXTS, "lines": st.lists(lines(), max_size=4)})


def written(value: Any, layout: str) -> str:
    if layout == "ruamel":
        stream = io.StringIO()
        writer = YAML()
        writer.indent(mapping=4, sequence=6, offset=3)
        writer.dump(value, stream)
        return stream.getvalue()
    flow = {"flow": True, "block": False, "mixed": None}[layout]
    return yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True, sort_keys=False)


# Shrinking what is drawn in this many steps takes minutes; the first example that fails is small.
@settings(max_examples=150, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(data=st.data(), pool=POOLS, layout=st.sampled_from(["flow", "block", "mixed", "ruamel"]))
def test_edits_of_any_layout_read_back_as_meant(
    data: st.DataObject, pool: dict[str, Any], layout: str
) -> None:
    text = written(pool, layout)
    try:
        edits = Edits(text.encode())
    except EditRefused:
        assume(False)
    assume(edits.value == pool)  # the dumper writes YAML 1.1, which this may not be
    wanted = copy.deepcopy(pool)
    before = data.draw(st.integers(0, len(pool["lines"])), label="insert before")
    line = data.draw(lines(), label="line")
    edits.insert(("lines",), before, line)
    for at in data.draw(st.sets(st.sampled_from(range(len(pool["lines"])))) if pool["lines"] else
                        st.just(set()), label="changed"):  # fmt: skip
        new = data.draw(lines(), label="as")
        edits.replace(("lines", at), new)
        wanted["lines"][at] = new
    wanted["lines"].insert(before, line)
    assert Edits(edits.data()).value == wanted


@pytest.mark.parametrize("layout", ["flow", "block", "mixed", "ruamel"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_any_entries_of_a_list_go_together(layout: str, count: int) -> None:
    for entries in (list("abcd")[:count], [{"id": one, "tags": [one]} for one in "abcd"[:count]]):
        value = {"lines": [{"tags": entries, "x": 1}], "last": "a"}
        text = written(value, layout)
        for gone in itertools.product([False, True], repeat=count):
            edits = Edits(text.encode())
            for at in (at for at, goes in enumerate(gone) if goes):
                edits.remove(("lines", 0, "tags", at))
            left = [one for one, goes in zip(entries, gone, strict=True) if not goes]
            wanted = {"lines": [{"tags": left, "x": 1}], "last": "a"}
            assert Edits(edits.data()).value == wanted


def test_a_value_that_was_left_out_comes_before_what_is_put_after_it() -> None:
    edits = Edits(b"effects:\n- a:\n")
    edits.replace(("effects",), [{"a": True, "b": 1}, {"c": 2}])
    assert edits.result() == "effects:\n- a: true\n  b: 1\n- c: 2\n"
