"""Whatever comes in, the answer is a value or the documented error."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.errors import IllegalTransition, InvalidEvent, InvalidSave
from talebearer.memory import Event, Mind, dump_file, load_file, slug_of
from talebearer.vocabulary import SLUG, EventKind, fullmatch

texts = st.text(st.characters(), max_size=6)
WORDS = """
format schema_version mind tick marks numbers facts entities fired picks confidence source state
acquired_tick metadata provenance origin kind payload target target_entity interaction_state
started_tick ended_tick topics number confrontation player_initiated location fact_id source
known attributes interaction.odo_001 npc:odo cargo.one pool line speaker
stress bonds grudge forgiven causes gossip_numbers decay since fresh standing participants
left_by_other about mind teller hops gossip.odo_001 pc:wren delta reason cause code text details
stream sequence count forgivable heard told_by by self other npc:vesk facts entities
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
            {"fact_id": "cargo.one", "confidence": "knows_of", "source": via},
        ),
        (EventKind.LINE_FIRED, {"pool": "a", "line": "b"}),
    ]
    give(mind, steps)
    return mind


def give(mind: Mind, steps: list[tuple[EventKind, dict[str, Any]]]) -> list[Event]:
    log = []
    for kind, details in steps:
        number = mind.next_sequence("live")
        event = Event(stream="live", sequence=number, tick=number, kind=kind, data=details)
        mind.apply(event)
        log.append(event)
    return log


WHY = {"code": "authored", "text": "because"}
CAUSE = {"mind": "party", "stream": "live", "sequence": 1}
STORY = {"about": "npc:odo", "mind": "npc:vesk", "fact_id": "interaction.odo_001"}
LATER: list[tuple[EventKind, dict[str, Any]]] = [
    (EventKind.INTERACTION_CONFLICT_ABANDONED, {"target": "npc:odo", "by": "other"}),
    (
        EventKind.INTERACTION_STARTED,
        {
            "target": "pc:wren",
            "player_initiated": True,
            "location": "quay",
            "participants": ["pc:wren", "npc:odo"],
        },
    ),
    (
        EventKind.STANDING_CHANGED,
        {"target": "npc:odo", "delta": -600, "reason": WHY, "cause": CAUSE, "forgivable": True},
    ),
    (EventKind.STRESS_CHANGED, {"delta": 9, "reason": WHY}),
    (EventKind.GOSSIP_HEARD, {**STORY, "teller": "npc:vesk", "confidence": "knows_of"}),
    (EventKind.KNOWLEDGE_DECAYED, {"facts": {"told_by": 1}, "entities": {"heard": 1}}),
    (EventKind.FACT_STATE_CHANGED, {"fact_id": "cargo.one", "state": "stale"}),
    (EventKind.KNOWLEDGE_DECAYED, {"facts": {"told_by": 1}, "entities": {"heard": 1}}),
]


def later() -> tuple[Mind, list[Event]]:
    """Return a mind in which everything newer happened, too."""
    mind = start()
    return mind, give(mind, LATER)


SAVE = json.dumps(start().snapshot())
SAVE_2 = json.dumps(later()[0].snapshot())
FILE = dump_file(later()[0], later()[1], compress=False)


def paths(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [way, *(found for key, item in inner for found in paths(item, (*way, key)))]


PATHS = paths(json.loads(SAVE))[1:]
PATHS_2 = paths(json.loads(SAVE_2))[1:]
HEAD, _, BODY = FILE.partition(b"\n")
TABLE = BODY[: json.loads(HEAD)["sections"][0]["size_bytes"]]
PATHS_TABLE = paths(json.loads(TABLE))[1:]


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


def damaged(text: str | bytes, ways: Any, value: Any, drop: bool) -> Any:
    """Return the JSON of *text* with *value* put at the *ways*, or what was there removed."""
    save = json.loads(text)
    for path in ways:
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
    return save


def two(ways: list[Any]) -> Any:
    return st.lists(st.sampled_from(ways), min_size=1, max_size=2)


@settings(max_examples=100, deadline=None)
@given(two(PATHS), values, st.booleans())
def test_a_damaged_save_loads_or_is_refused(ways: Any, value: Any, drop: bool) -> None:
    accepts(damaged(SAVE, ways, value, drop))


@settings(max_examples=120, deadline=None)
@given(two(PATHS_2), values, st.booleans())
def test_a_damaged_newer_save_loads_or_is_refused(ways: Any, value: Any, drop: bool) -> None:
    accepts(damaged(SAVE_2, ways, value, drop))


@pytest.mark.spec("IM-M10-file-fuzz")
@settings(max_examples=120, deadline=None)
@given(two(PATHS_TABLE), values, st.booleans())
def test_a_damaged_table_loads_or_is_refused(ways: Any, value: Any, drop: bool) -> None:
    """The digest is made to fit, so that the table itself is what is read."""
    body = json.dumps(damaged(TABLE, ways, value, drop)).encode("utf-8", "surrogatepass")
    head = json.loads(HEAD)
    head["sections"][0].update(
        stored_bytes=len(body), size_bytes=len(body), sha256=hashlib.sha256(body).hexdigest()
    )
    data = json.dumps(head).encode() + b"\n" + body + BODY[len(TABLE) :]
    try:
        mind = load_file(data).mind
    except InvalidSave:
        return
    assert load_file(dump_file(mind)).mind.dumps() == mind.dumps()
    assert Mind.loads(mind.dumps()).dumps() == mind.dumps()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(FILE) - 1), st.integers(0, 255), st.booleans())
def test_any_damaged_byte_loads_or_is_refused(place: int, value: int, compress: bool) -> None:
    data = bytearray(dump_file(*later(), compress=compress))
    data[place % len(data)] = value
    try:
        saved = load_file(bytes(data))
        saved.log()
    except InvalidSave:
        return
    assert saved.mind.dumps() == later()[0].dumps()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidSave):
        load_file(data)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(EventKind)), st.dictionaries(names | texts, values, max_size=5))
def test_any_event_is_applied_or_refused(kind: EventKind, data: dict[str, Any]) -> None:
    mind = start()
    takes(mind, kind, data)


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(LATER), st.lists(st.tuples(names, values), max_size=2), st.booleans())
def test_a_damaged_newer_event_is_applied_or_refused(
    step: Any, changes: list[tuple[str, Any]], drop: bool
) -> None:
    kind, data = step
    data = dict(data)
    if drop:
        data.pop(sorted(data)[0])
    for name, value in changes:
        data[sorted(data)[len(name) % len(data)] if data else name] = value
    takes(later()[0], kind, data)


def takes(mind: Mind, kind: EventKind, data: dict[str, Any]) -> None:
    before = mind.dumps()
    try:
        mind.apply(Event(stream="live", sequence=99, tick=9, kind=kind, data=data))
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
