"""Small parts of the daemon: the registry of methods, counters, the log."""

from __future__ import annotations

import io
import json

import pytest

from talebearer.errors import UsageFault
from talebearer.server.daemon import Log, MethodRegistry
from talebearer.server.daemon._metrics import Histogram, Metrics
from talebearer.store import Call, Reply


def _answer(call: Call) -> Reply:
    return Reply({}, dict(call.data))


def test_methods_have_names_with_a_version_and_one_handler() -> None:
    registry = MethodRegistry()
    registry.register("talebearer.why@1", _answer)
    registry.register("talebearer.line.pick@2", _answer)
    assert [*registry] == ["talebearer.line.pick@2", "talebearer.why@1"]
    assert registry["talebearer.why@1"] is _answer
    for name in ("talebearer.why@1", "patchouli.entity.create@1", "why", "a.b", "a.b@0", "a b.c@1"):
        with pytest.raises(UsageFault):
            registry.register(name, _answer)
    assert len(registry) == 2


def test_a_histogram_counts_what_is_at_most_each_bound() -> None:
    histogram = Histogram((1.0, 2.5))
    for value in (0.5, 1.0, 2.0, 3.0):
        histogram.observe(value)
    assert [*histogram.lines("h", 'm="x",')] == [
        'h_bucket{m="x",le="1"} 2',
        'h_bucket{m="x",le="2.5"} 3',
        'h_bucket{m="x",le="+Inf"} 4',
        'h_sum{m="x"} 6.5',
        'h_count{m="x"} 4',
    ]


def test_metrics_without_a_request_are_whole() -> None:
    lines = Metrics().text({"g": ("A gauge.", 1.5)}).splitlines()
    assert lines[:3] == ["# HELP g A gauge.", "# TYPE g gauge", "g 1.5"]
    assert "talebearer_bytes_in_total 0" in lines


def test_log_lines_are_json_with_their_time() -> None:
    stream = io.StringIO()
    log = Log(stream, now_ms=lambda: 1_767_297_600_123)
    log.write("said", level="warning", text='a "quote"\nand a line')
    assert json.loads(stream.getvalue()) == {
        "time": "2026-01-01T20:00:00.123+00:00",
        "level": "warning",
        "event": "said",
        "text": 'a "quote"\nand a line',
    }
    assert stream.getvalue().count("\n") == 1
    log.close()
    log.write("after the end")
    assert log.lost == 0
