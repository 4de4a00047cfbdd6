"""Counters and histograms of a daemon, and their Prometheus text form.

The loop updates plain numbers; text is made when somebody asks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

LATENCY_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
GROUP_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
OK = "ok"


class Histogram:
    """Counts of values by upper bound."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: str) -> Iterator[str]:
        """Yield the sample lines; *labels* is empty or ends with a comma."""
        sums = list(accumulate(self.counts))
        for bound, count in zip((*map(_number, self.bounds), "+Inf"), sums, strict=True):
            yield f'{name}_bucket{{{labels}le="{bound}"}} {count}'
        plain = f"{{{labels.rstrip(',')}}}" if labels else ""
        yield f"{name}_sum{plain} {_number(self.total)}"
        yield f"{name}_count{plain} {sums[-1]}"


class Metrics:
    """Everything that a daemon counts.

    Attributes:
        bytes_in: Bytes read from clients.
        bytes_out: Bytes handed to clients.
        connections_total: Connections accepted since the start.
        connections_refused: Those refused because too many were open.
        requests_shed: Requests answered OVERLOADED because too many waited.
        events_sent: Change events handed to subscribers.
        subscribers_dropped: Connections dropped because they took nothing, by reason.
        group_size: Requests that shared one commit.
    """

    def __init__(self) -> None:
        self.bytes_in = 0
        self.bytes_out = 0
        self.connections_total = 0
        self.connections_refused = 0
        self.requests_shed = 0
        self.events_sent = 0
        self.subscribers_dropped: dict[str, int] = {}
        self.group_size = Histogram(GROUP_SIZES)
        self._requests: dict[tuple[str, str], int] = {}
        self._latency: dict[str, Histogram] = {}

    def answered(self, method: str, outcome: str, *, seconds: float) -> None:
        """Count one answered request; *outcome* is ``ok`` or the error's reason or number."""
        key = (method, outcome)
        self._requests[key] = self._requests.get(key, 0) + 1
        histogram = self._latency.get(method)
        if histogram is None:
            histogram = self._latency[method] = Histogram(LATENCY_SECONDS)
        histogram.observe(seconds)

    def dropped(self, reason: str) -> None:
        """Count one connection that was dropped for *reason*."""
        self.subscribers_dropped[reason] = self.subscribers_dropped.get(reason, 0) + 1

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return all of it in Prometheus' text form.

        Args:
            gauges: Name to help text and value, of what is only known now.
        """
        return "\n".join([*self._lines(gauges), ""])

    def _lines(self, gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
        for name, (text, value) in sorted(gauges.items()):
            kind = "counter" if name.endswith("_total") else "gauge"
            yield from _head(name, kind, text)
            yield f"{name} {_number(value)}"
        for name, text, count in (
            ("bytes_in", "Bytes read from clients.", self.bytes_in),
            ("bytes_out", "Bytes handed to clients.", self.bytes_out),
            ("connections_accepted", "Connections accepted.", self.connections_total),
            ("connections_refused", "Connections over the limit.", self.connections_refused),
            ("requests_shed", "Requests refused because too many waited.", self.requests_shed),
            ("feed_events", "Change events handed to subscribers.", self.events_sent),
        ):
            yield from _head(f"talebearer_{name}_total", "counter", text)
            yield f"talebearer_{name}_total {count}"
        name = "talebearer_connections_dropped_total"
        yield from _head(name, "counter", "Connections dropped by the daemon, by reason.")
        for reason, count in sorted(self.subscribers_dropped.items()):
            yield f'{name}{{reason="{reason}"}} {count}'
        name = "talebearer_requests_total"
        yield from _head(name, "counter", "Requests answered, by method and outcome.")
        for (method, outcome), count in sorted(self._requests.items()):
            yield f'{name}{{method="{method}",outcome="{outcome}"}} {count}'
        name = "talebearer_request_seconds"
        yield from _head(name, "histogram", "From the arrival of a request to its answer.")
        for method, histogram in sorted(self._latency.items()):
            yield from histogram.lines(name, f'method="{method}",')
        name = "talebearer_group_size"
        yield from _head(name, "histogram", "Requests that shared one commit.")
        yield from self.group_size.lines(name, "")


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(float(value))
