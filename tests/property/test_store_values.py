"""Any JSON value is stored exactly or refused, under a text that depends on nothing else."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.errors import InvalidRecord
from talebearer.store import canonical_text

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_a_value_comes_back_equal_or_is_refused(value):
    try:
        text = canonical_text(value)
    except InvalidRecord:
        return
    faithful = json.dumps(value, sort_keys=True, allow_nan=False)
    assert repr(json.loads(text)) == repr(json.loads(faithful))


@settings(max_examples=150, deadline=None)
@given(PLAIN)
def test_the_text_is_the_sorted_compact_form(value):
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical_text(value) == expected


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(), st.integers(0, 9)))
def test_the_order_of_members_does_not_matter(value):
    backwards = dict(reversed(list(value.items())))
    assert canonical_text(value) == canonical_text(backwards)
