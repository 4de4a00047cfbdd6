"""What lines leave in a mind: who said what, counters, values, timers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from talebearer.errors import InvalidEvent, InvalidSave
from talebearer.memory import Applied, Cell, Heard, Mind, fold
from talebearer.vocabulary import EventKind

POOL = "a/dialogue/quay/clerk"


def hear(log: Any, line: str, *, tick: int = 1, **more: Any) -> Applied:
    return log.add(EventKind.LINE_FIRED, tick=tick, pool=POOL, line=line, **more)


@pytest.mark.spec("IM-M10-character-key")
def test_two_who_share_a_file_are_kept_apart(log: Any) -> None:
    hear(log, "x_d_001", speaker="odo-renn", tick=3)
    hear(log, "x_d_001", speaker="wick", tick=7)
    hear(log, "x_d_001", speaker="odo-renn", tick=9)
    hear(log, "x_d_001", tick=11)
    heard = log.mind.graph.heard
    assert heard["odo-renn", POOL, "x_d_001"] == Heard(3, 9, 2)
    assert heard["wick", POOL, "x_d_001"] == Heard(2, 7, 1)
    assert heard["", POOL, "x_d_001"] == Heard(4, 11, 1)
    assert log.mind.fired_tick(POOL, "x_d_001") == 11


def test_what_was_said_last_has_a_speaker(log: Any) -> None:
    assert log.mind.graph.last_said is None
    hear(log, "x_d_001", speaker="wick", tick=3)
    hear(log, "x_m_s_001", tick=4)
    assert log.mind.graph.last_said == (3, "wick", POOL, "x_d_001")


def test_a_variant_heard_again_begins_the_next_turn_of_the_bag(log: Any) -> None:
    bags = []
    for variant in ("aaaaaaaa", "bbbbbbbb", "aaaaaaaa", "cccccccc"):
        hear(log, "x_d_001", variant=variant)
        bags.append(log.mind.graph.heard["", POOL, "x_d_001"].variants)
    assert [len(bag) for bag in bags] == [1, 2, 1, 2]
    assert bags[-1] == ("aaaaaaaa", "cccccccc")


@pytest.mark.spec("IM-M10-written")
def test_counters_add_up_values_are_replaced_timers_never_go_back(log: Any) -> None:
    for by in (2, -5):
        log.add(EventKind.COUNTER_ADDED, counter="toasts", by=by, character="wick")
    for to in ("out", 3.0):
        log.add(EventKind.VALUE_SET, value="tide", to=to)
    for tick in (9, 4):
        log.add(EventKind.TIMER_STAMPED, tick=tick, timer="bell", pool=POOL, line="x_d_001")
    assert log.mind.graph.cells == (
        ("counter", Cell("toasts", "wick"), -3),
        ("value", Cell("tide"), 3),
        ("timer", Cell("bell", "", POOL, "x_d_001"), 9),
    )
    assert isinstance(log.mind.graph.value(Cell("tide")), int)
    assert log.mind.graph.counter(Cell("toasts")) is None


def test_a_counter_stays_within_what_json_readers_keep(log: Any) -> None:
    for _ in range(3):
        log.add(EventKind.COUNTER_ADDED, counter="toasts", by=2**53 - 1)
    assert log.mind.graph.counter(Cell("toasts")) == 2**53 - 1


def played(log: Any) -> Mind:
    """Return a mind with something of everything."""
    hear(log, "x_d_001", speaker="odo-renn", tick=3, variant="00ff00ff", round=2)
    hear(log, "x_d_002", speaker="odo-renn", tick=3)
    log.add(EventKind.COUNTER_ADDED, counter="toasts", by=1)
    log.add(EventKind.VALUE_SET, value="tide", to=True, character="wick")
    log.add(EventKind.TIMER_STAMPED, tick=3, timer="bell")
    mind: Mind = log.mind
    return mind


@pytest.mark.spec("IM-M10-version-3")
def test_a_save_keeps_all_of_it(log: Any) -> None:
    mind = played(log)
    again = Mind.loads(mind.dumps())
    assert mind.snapshot()["schema_version"] == 3
    assert again.dumps() == mind.dumps() == fold("pc:wren", log.events).dumps()
    assert again.graph.heard == mind.graph.heard
    assert again.graph.last_said == mind.graph.last_said
    assert again.graph.cells == mind.graph.cells
    assert (again.picks_at(3), again.fired_tick(POOL, "x_d_001")) == (2, 3)


def test_a_copy_is_of_its_own(log: Any) -> None:
    mind = played(log)
    before = mind.dumps()
    twin = mind.copy()
    log.mind = twin
    hear(log, "x_d_009")
    log.add(EventKind.COUNTER_ADDED, counter="toasts", by=1)
    assert mind.dumps() == before != twin.dumps()


@pytest.mark.spec("IM-M10-pickle")
def test_a_mind_can_be_pickled(log: Any) -> None:
    mind = played(log)
    assert pickle.loads(pickle.dumps(mind)).dumps() == mind.dumps()
    assert copy.deepcopy(mind).dumps() == mind.dumps()


@pytest.mark.parametrize(
    ("kind", "data", "field"),
    [
        ("counter_added", {"counter": "a"}, "by"),
        ("counter_added", {"counter": "a", "by": 2**53}, "by"),
        ("counter_added", {"counter": "a", "by": 1.5}, "by"),
        ("counter_added", {"counter": "", "by": 1}, "counter"),
        ("counter_added", {"counter": "a", "by": 1, "pool": "p"}, "line"),
        ("counter_added", {"counter": "a", "by": 1, "line": "p"}, "pool"),
        ("counter_added", {"counter": "a", "by": 1, "character": "npc:a"}, "character"),
        ("value_set", {"value": "a", "to": None}, "to"),
        ("value_set", {"value": "a", "to": float("nan")}, "to"),
        ("value_set", {"value": "a", "to": 2**60}, "to"),
        ("value_set", {"value": "a", "to": "x" * 4097}, "to"),
        ("value_set", {"value": "a", "to": "\ud800"}, "to"),
        ("timer_stamped", {"timer": "a", "at": 3}, "at"),
        ("line_fired", {"pool": "p", "line": "l", "variant": "AA"}, "variant"),
        ("line_fired", {"pool": "p", "line": "l", "round": 0}, "round"),
    ],
)
def test_a_wrong_event_changes_nothing(log: Any, kind: str, data: Any, field: str) -> None:
    before = log.mind.dumps()
    with pytest.raises(InvalidEvent) as caught:
        log.add(EventKind(kind), **data)
    assert caught.value.data["field"] == field
    assert log.mind.dumps() == before


@pytest.mark.spec("IM-M10-version-3-refused")
@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("heard", [{"pool": "p", "line": "l", "tick": 1}], "heard[0].count"),
        ("heard", [{"pool": "p", "line": "l", "tick": 1, "count": 0}], "heard[0].count"),
        ("heard", [{"pool": "p", "line": "l", "tick": 1, "count": 1}] * 2, "heard[1]"),
        ("counters", [["a", "", "", "", 1], ["a", "", "", "", 2]], "counters[1]"),
        ("counters", [["a", "", "p", "", 1]], "counters[0]"),
        ("counters", [["", "", "", "", 1]], "counters[0]"),
        ("counters", [["a", "Odo", "", "", 1]], "counters[0][1]"),
        ("counters", [["a", 1]], "counters[0]"),
        ("values", [["a", "", "", "", []]], "values[0]"),
        ("timers", [["a", "", "", "", -1]], "timers[0]"),
    ],
)
def test_a_version_3_save_that_no_events_made_is_refused(
    log: Any, name: str, value: Any, field: str
) -> None:
    save = {**played(log).snapshot(), name: value}
    with pytest.raises(InvalidSave) as caught:
        Mind.from_snapshot(save)
    assert caught.value.data["field"] == field


def test_an_older_version_has_no_place_for_it(log: Any) -> None:
    with pytest.raises(InvalidSave):
        Mind.from_snapshot({**played(log).snapshot(), "schema_version": 2})


def test_a_mind_says_what_changed_since_it_was_looked_at(log: Any) -> None:
    mind = log.mind
    assert (mind.revision, mind.changes_since(0)) == (0, [])
    log.learn("a.b")
    hear(log, "x_d_001", speaker="wick")
    log.add(EventKind.TIMER_STAMPED, timer="bell")
    changes = mind.changes_since(0)
    assert [change.changed_fact_ids for change in changes] == [("a.b",), (), ()]
    assert changes[1].heard == ("wick", POOL, "x_d_001")
    assert changes[2].cells == (("timer", Cell("bell")),)
    assert mind.changes_since(mind.revision - 1) == changes[-1:]
    assert mind.changes_since(mind.revision + 1) is None
    for _ in range(2000):
        log.add(EventKind.TIMER_STAMPED, timer="bell")
    assert mind.changes_since(0) is None


def test_a_mind_of_nobody_holds_what_is_everybodys() -> None:
    assert Mind("world").mind_id == "world"
