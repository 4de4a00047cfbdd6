"""Formatting: the same data, the same comments, and nothing left to do the second time."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
import yaml_rs
from hypothesis import assume, given
from hypothesis import strategies as st

from talebearer.content.editing import format_text

WORDS = st.one_of(
    st.sampled_from(
        [
            "quay",
            "no",
            "~",
            "12",
            "1e3",
            "0x1f",
            "a: b",
            "# c",
            "- d",
            "it's",
            '"q"',
            "",
            " e ",
            "f\n\ng\n",
        ]
    ),
    st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), max_size=12),
)
KEYS = st.one_of(
    st.sampled_from(["id", "text", "access", "tags", "lines", "prerequisites", "facts", "notes"]),
    WORDS,
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(WORDS, st.integers(-9, 99), st.booleans(), st.none(), st.sampled_from([1.5, 0.25])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=14,
)
NAMES = (
    "m/dialogue/quay/odo.yaml",
    "m/dialogue/quay/odo.plan.yaml",
    "global/npcs/odo.yaml",
    "global/conditions.yaml",
)
FILES = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)


def loads(text: str) -> Any:
    return yaml_rs.loads(text, parse_datetime=False)


@st.composite
def messy(draw: st.DrawFn) -> tuple[Any, str, list[str]]:
    """Draw a mapping, a text that says it in some style, and the comments in that text."""
    value = draw(FILES)
    style: dict[str, Any] = {
        "sort_keys": False,
        "allow_unicode": draw(st.booleans()),
        "default_flow_style": draw(st.sampled_from([None, True, False])),
        "width": draw(st.sampled_from([8, 40, 400])),
        "indent": draw(st.sampled_from([2, 4])),
    }
    text = yaml.safe_dump(value, default_style=draw(st.sampled_from(["", '"', "|"])), **style)
    if "!!" in text:  # numbers in quotes need a tag, which is left alone
        text = yaml.safe_dump(value, **style)
    assume("!!" not in text)
    rows, comments = text.split("\n"), []
    for number in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(rows) - 1))
        mark = f"# {number}"
        new = [*rows]
        if draw(st.booleans()):
            new[at] += f"  {mark}"
        else:
            new.insert(at, " " * draw(st.integers(0, 6)) + mark)
        if draw(st.booleans()):
            new.insert(at, "")
        # Within a text it is no comment, and a blank row there is one more line break.
        if _says(new, value):
            rows = new
            comments.append(mark)
    return value, "\n".join(rows), comments


def _says(rows: list[str], value: Any) -> bool:
    try:
        return bool(loads("\n".join(rows)) == value)
    except Exception:  # whatever the parser refuses is not drawn
        return False


@pytest.mark.spec("LP-8.3-fmt-idempotent")
@given(found=messy(), name=st.sampled_from(NAMES))
def test_data_and_comments_stay_and_twice_is_once(
    found: tuple[Any, str, list[str]], name: str
) -> None:
    value, text, comments = found
    assume(_says(text.split("\n"), value))
    once, problems = format_text(name, text.encode())
    assert problems == ()
    assert loads(once.decode()) == value
    for comment in comments:
        assert comment in once.decode()
    assert format_text(name, once) == (once, ())
