"""What a run has used and may still use. Failed attempts count, too."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from talebearer.errors import CostLimitReached, PriceUnknown
from talebearer.extraction.providers import PRICES_AS_OF, Price, Usage

STOP_CHECK_S = 0.1


@dataclass(slots=True)
class Meter:
    """Counts requests, tokens and dollars of one run, across threads.

    Args:
        price: Of the model; None when it is not known.
        max_cost: Most dollars, or None. It is a hard limit: a request is sent only if its largest
            possible cost is still left.

    Raises:
        PriceUnknown: There is a limit but no price (TB309).
    """

    price: Price | None
    max_cost: float | None = None
    counts: dict[str, int] = field(default_factory=dict)
    cost: float = 0.0
    _reserved: float = 0.0
    _in_flight: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        if self.max_cost is not None and self.price is None:
            raise PriceUnknown(
                "a cost limit is set, but the price of the model is not known",
                hint="give [provider.prices] input and output, dollars per million tokens",
            )

    def reserve(self, worst: Usage, stop: threading.Event) -> float | None:
        """Return the dollars set aside for a request that uses *worst* at most.

        Waits while requests that run could still leave enough; None when *stop* ends the wait.

        Raises:
            CostLimitReached: The request could cost more than is left (TB308).
        """
        wanted = 0.0 if self.price is None else self.price.of(worst)
        with self._changed:
            while not self._fits(wanted):
                if stop.is_set():
                    return None
                if self._in_flight == 0:
                    raise CostLimitReached(
                        f"${self.cost:.4f} of ${self.max_cost or 0:.4f} are spent, and the next request "
                        f"could cost ${wanted:.4f}",
                        data={"cost_usd": round(self.cost, 6), "max_cost_usd": self.max_cost},
                    )
                self._changed.wait(STOP_CHECK_S)
            self._reserved += wanted
            self._in_flight += 1
        return wanted

    def settle(self, reserved: float, usage: Usage | None, outcome: str) -> None:
        """Count a request that ended with *outcome*; *usage* is None when nothing came back."""
        with self._changed:
            self._reserved -= reserved
            self._in_flight -= 1
            self.count("requests")
            self.count(outcome)
            if usage is not None:
                self.count("input_tokens", usage.input_tokens or 0)
                self.count("output_tokens", usage.output_tokens or 0)
                self.count("cached_tokens", usage.cached_tokens)
                if self.price is not None:
                    self.cost += self.price.of(usage)
            self._changed.notify_all()

    def note(self, what: str) -> None:
        """Count something that is no request of its own."""
        with self._changed:
            self.count(what)

    def count(self, what: str, amount: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + amount

    def report(self) -> dict[str, Any]:
        """Return the cost report, JSON-ready; a cost that is not known is null."""
        with self._changed:
            known = self.price is not None
            return {
                **{name: self.counts[name] for name in sorted(self.counts)},
                "cost_usd": round(self.cost, 6) if known else None,
                "max_cost_usd": self.max_cost,
                "prices_as_of": PRICES_AS_OF,
            }

    def _fits(self, wanted: float) -> bool:
        return self.max_cost is None or self.cost + self._reserved + wanted <= self.max_cost
