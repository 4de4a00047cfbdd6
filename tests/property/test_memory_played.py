"""What lines leave behind, against a plain model of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talebearer.memory import Event, Mind, fold
from talebearer.vocabulary import EventKind

LIMIT = 2**53 - 1
scopes = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"character": st.sampled_from(["odo", "wick"])}),
    st.fixed_dictionaries({"pool": st.sampled_from("pq"), "line": st.sampled_from("xy")}),
)
numbers = st.integers(-9, 9) | st.sampled_from([LIMIT, -LIMIT])
scalars = numbers | st.booleans() | st.text("ab\u00e9", max_size=3) | st.sampled_from([1.0, 0.25])
added = st.tuples(
    st.just(EventKind.COUNTER_ADDED),
    st.builds(lambda s, b: {**s, "counter": "c", "by": b}, scopes, numbers),
)
put = st.tuples(
    st.just(EventKind.VALUE_SET),
    st.builds(lambda s, v: {**s, "value": "v", "to": v}, scopes, scalars),
)
stamped = st.tuples(
    st.just(EventKind.TIMER_STAMPED), st.builds(lambda s: {**s, "timer": "t"}, scopes)
)
heard = st.tuples(
    st.just(EventKind.LINE_FIRED),
    st.fixed_dictionaries(
        {"pool": st.sampled_from("pq"), "line": st.sampled_from("xy")},
        optional={
            "speaker": st.sampled_from(["odo", "wick"]),
            "variant": st.sampled_from(["00000000", "11111111", "22222222"]),
            "round": st.integers(1, 3),
        },
    ),
)
steps = st.lists(st.tuples(st.integers(0, 5), st.one_of(added, put, stamped, heard)), max_size=25)


def key(data: dict[str, Any], name: str) -> tuple[str, ...]:
    return (name, data.get("character", ""), data.get("pool", ""), data.get("line", ""))


def plainly(log: list[tuple[int, tuple[EventKind, dict[str, Any]]]]) -> dict[str, Any]:
    """Return what the mind should hold, read from the whole log each time."""
    counters: dict[Any, int] = {}
    values: dict[Any, Any] = {}
    timers: dict[Any, int] = {}
    lines: dict[Any, dict[str, Any]] = {}
    for order, (tick, (kind, data)) in enumerate(log):
        if kind is EventKind.COUNTER_ADDED:
            total = counters.get(key(data, "c"), 0) + data["by"]
            counters[key(data, "c")] = min(LIMIT, max(-LIMIT, total))
        elif kind is EventKind.VALUE_SET:
            values[key(data, "v")] = data["to"]
        elif kind is EventKind.TIMER_STAMPED:
            timers[key(data, "t")] = max(tick, timers.get(key(data, "t"), 0))
        else:
            who = (data.get("speaker", ""), data["pool"], data["line"])
            line = lines.setdefault(who, {"tick": 0, "times": 0, "bag": [], "round": 0})
            line["order"] = order
            line["tick"] = max(tick, line["tick"])
            line["times"] += 1
            line["round"] = max(line["round"], data.get("round", 0))
            if "variant" in data:
                if data["variant"] in line["bag"]:
                    line["bag"] = []
                line["bag"].append(data["variant"])
    return {"counters": counters, "values": values, "timers": timers, "lines": lines}


@pytest.mark.spec("IM-M10-written")
@given(steps)
def test_a_mind_holds_what_a_plain_reading_of_the_log_says(log: list[Any]) -> None:
    events = [
        Event(stream="s", sequence=place, tick=tick, kind=kind, data=data)
        for place, (tick, (kind, data)) in enumerate(log, start=1)
    ]
    mind = fold("party", events)
    model = plainly(log)
    for mind_now in (mind, Mind.loads(mind.dumps()), mind.copy()):
        graph = mind_now.graph
        cells = {"counter": {}, "value": {}, "timer": {}}
        for kind, cell, held in graph.cells:
            cells[kind][tuple(cell)] = held
        assert cells == {kind: model[f"{kind}s"] for kind in cells}
        assert {
            who: (one.tick, one.times, list(one.variants), one.round)
            for who, one in graph.heard.items()
        } == {
            who: (one["tick"], one["times"], one["bag"], one["round"])
            for who, one in model["lines"].items()
        }
        by_order = sorted(graph.heard, key=lambda who: graph.heard[who].order)
        assert by_order == sorted(model["lines"], key=lambda who: model["lines"][who]["order"])
        spoken = [who for who in by_order if who[0]]
        said = graph.last_said
        assert (said and said[1:]) == (spoken[-1] if spoken else None)
    assert Mind.loads(mind.dumps()).dumps() == mind.dumps()
