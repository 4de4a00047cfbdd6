"""Whatever comes in, the answer is a value or the documented error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.errors import IllegalTransition, InvalidEvent, InvalidSave
from talebearer.memory import Event, Mind, slug_of
from talebearer.vocabulary import SLUG, EventKind, fullmatch

texts = st.text(st.characters(), max_size=6)
WORDS = """
format schema_version mind tick marks numbers facts entities fired picks confidence source state
acquired_tick metadata provenance origin kind payload target target_entity interaction_state
started_tick ended_tick topics number confrontation player_initiated location fact_id learned_via
known attributes interaction.odo_001 npc:odo cargo.one pool line speaker
"""
names = st.sampled_from(WORDS.split())
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.sampled_from(["npc:odo", "knows_of", "heard", "active", "interaction", "cargo.one"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names | texts, inner, max_size=5),
    max_leaves=8,
)


def start() -> Mind:
    mind = Mind("party")
    data = {"target": "npc:odo", "player_initiated": True, "location": "quay"}
    via = {"kind": "told_by", "payload": {"entity": "npc:odo"}}
    steps: list[tuple[EventKind, dict[str, Any]]] = [
        (EventKind.INTERACTION_STARTED, data),
        (EventKind.INTERACTION_CONFRONTATION, {"target": "npc:odo"}),
        (
            EventKind.FACT_LEARNED,
            {"fact_id": "cargo.one", "confidence": "knows_of", "learned_via": via},
        ),
        (EventKind.LINE_FIRED, {"pool": "a", "line": "b"}),
    ]
    for number, (kind, details) in enumerate(steps, 1):
        mind.apply(Event(stream="live", sequence=number, tick=number, kind=kind, data=details))
    return mind


SAVE = json.dumps(start().snapshot())


def paths(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [way, *(found for key, item in inner for found in paths(item, (*way, key)))]


PATHS = paths(json.loads(SAVE))[1:]


def accepts(value: object) -> None:
    try:
        mind = Mind.from_snapshot(value)
    except InvalidSave:
        return
    again = Mind.loads(mind.dumps())
    assert again.dumps() == mind.dumps()
    assert list(mind.graph.facts) == list(again.graph.facts)


@pytest.mark.spec("IM-M10-fuzz")
@settings(max_examples=100, deadline=None)
@given(values)
def test_any_json_loads_or_is_refused(value: Any) -> None:
    accepts(value)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PATHS), values, st.booleans(), st.data())
def test_a_damaged_save_loads_or_is_refused(
    way: tuple[Any, ...], value: Any, drop: bool, data: st.DataObject
) -> None:
    save = json.loads(SAVE)
    for path in (way, data.draw(st.sampled_from(PATHS))):
        holder: Any = save
        try:
            for key in path[:-1]:
                holder = holder[key]
            if drop:
                del holder[path[-1]]
            else:
                holder[path[-1]] = value
        except (LookupError, TypeError):
            pass  # the first damage took the place away
    accepts(save)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(EventKind)), st.dictionaries(names | texts, values, max_size=5))
def test_any_event_is_applied_or_refused(kind: EventKind, data: dict[str, Any]) -> None:
    mind = start()
    before = mind.dumps()
    try:
        mind.apply(Event(stream="live", sequence=9, tick=9, kind=kind, data=data))
    except (InvalidEvent, IllegalTransition):
        assert mind.dumps() == before
    else:
        assert Mind.loads(mind.dumps()).dumps() == mind.dumps()


@settings(max_examples=100, deadline=None)
@given(values)
def test_any_json_is_an_event_or_refused(value: Any) -> None:
    try:
        event = Event.from_json(value)
    except InvalidEvent:
        return
    assert Event.from_json(event.as_json()).as_json() == event.as_json()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=8), st.sets(st.sampled_from(["a", "a-2", "npc-1", "odo"])))
def test_a_slug_is_a_free_slug(name: str, taken: set[str]) -> None:
    slug = slug_of(name, taken=taken, profiles={"odo-2": ("Somebody",)})
    assert fullmatch(SLUG, slug)
    assert slug not in taken
    assert slug != "odo-2" or name.strip() == "Somebody"
    assert slug == slug_of(f" {name}\n", taken=taken, profiles={"odo-2": ("Somebody",)})
