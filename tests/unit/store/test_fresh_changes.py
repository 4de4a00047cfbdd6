"""First changes from templates are what the engine would have made."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from talebearer.store import MergeEngine, automerge_engine

ENGINE = automerge_engine()
pytestmark = pytest.mark.skipif(ENGINE is None, reason="the merge engine is not installed")
KEYS = st.text(min_size=1, max_size=6)
TEXTS = st.text(st.characters(max_codepoint=127), max_size=40) | st.text(max_size=6)


def _engine() -> MergeEngine:
    engine = automerge_engine()
    assert engine is not None
    return engine


def _actor(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()[:16]


@pytest.mark.spec("PP-5.5-merge-documents")
@settings(max_examples=60)
@given(st.dictionaries(KEYS, TEXTS, min_size=1, max_size=4), st.integers(0, 99))
@example({"kind": "text", "text": "the bell " * 15}, 1)
@example({"kind": "text", "text": "text"}, 2)
@example({"kind": "", "text": ""}, 3)
@example({"value": "value", "a": "aaaaaaaa"}, 4)
def test_the_third_document_of_a_shape_is_byte_for_byte_the_first(
    value: dict[str, str], number: int
) -> None:
    """The first is the engine's own, the second proves the shape, the third is filled in."""
    engine = _engine()
    other = {key: text[::-1] for key, text in value.items()}
    for one, actor in ((value, _actor(number)), (other, _actor(number + 1)), (value, _actor(7))):
        fresh = _engine()
        expected = fresh.new(one, actor=actor)
        made = engine.new(one, actor=actor)
        assert engine.changes(made) == fresh.changes(expected)
        assert engine.heads(made) == fresh.heads(expected)
        assert engine.value(made) == one


def test_documents_that_were_filled_in_merge_and_change() -> None:
    engine = _engine()
    for number in range(4):
        base: Any = engine.new({"kind": "text", "text": "some value"}, actor=_actor(number))
    left = engine.edit(base, {"kind": "text", "text": "some day"}, actor=_actor(10))
    right = engine.edit(base, {"kind": "text", "text": "another value"}, actor=_actor(11))
    joined = engine.join([left, right, base])
    assert engine.value(joined) == {"kind": "text", "text": "another day"}
    (head,) = engine.heads(base)
    assert engine.changes(base, since=[head]) == []
    assert [change.parents for change in engine.changes(left, since=[head])] == [(head,)]


def test_what_the_engine_refuses_is_refused_each_time() -> None:
    from talebearer.store.merging._engine import EngineRefusal

    engine = _engine()
    for _ in range(3):
        for value in ({"": "x"}, {"text": "x" * 20_000}):
            with pytest.raises(EngineRefusal):
                engine.new(value, actor=_actor(1))


def test_the_usual_shape_is_filled_in_from_its_third_document_on() -> None:
    from talebearer.store.merging._automerge import _Begun

    engine = _engine()
    made = [
        engine.new({"kind": "text", "text": f"note {number} of the bell"}, actor=_actor(number))
        for number in range(4)
    ]
    assert [isinstance(one, _Begun) for one in made] == [False, True, True, True]
