"""What the lanes of one run share, what a lane tells of itself, and what it gives for a chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from talebearer.errors import Problem
from talebearer.extraction.asking._chunks import Chunk
from talebearer.extraction.asking._meter import Meter
from talebearer.extraction.providers import Provider, ProviderSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProgress:
    """How far a lane is.

    Attributes:
        lane: The lane's name.
        chunks_done: Chunks that need no more requests.
        chunks_total: All chunks of the lane.
        input_tokens: Of the run until now, all lanes.
        output_tokens: Likewise.
        cost_usd: Of the run until now; None when the price is not known.
        left_s: Seconds that the lane still needs at its pace, chunks kept from before left out; None
            when no clock was given or nothing was asked yet.
    """

    lane: str
    chunks_done: int
    chunks_total: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    left_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRun:
    """What the lanes of one run share.

    Attributes:
        provider: Whom to ask.
        settings: Chunk sizes, workers, attempts and limits.
        max_cost: Most dollars of the whole run; None: no limit.
        checkpoints: Folder of accepted results; None keeps nothing.
        resume: Whether accepted results of earlier runs are used.
        progress: Told at the start of each lane and after each chunk, in the calling thread.
        sleep: Waits some seconds; by default a wait that ends when the run does.
        clock: Seconds that only grow, for the time left; None: no estimate.
        meter: What was used until now; of one run, so that a new run needs a new object.

    Raises:
        PriceUnknown: There is a limit, and no price is known (TB309).
    """

    provider: Provider
    settings: ProviderSettings
    max_cost: float | None = None
    checkpoints: Path | None = None
    resume: bool = True
    progress: Callable[[ModelProgress], None] | None = None
    sleep: Callable[[float], None] | None = None
    clock: Callable[[], float] | None = None
    meter: Meter = field(init=False, compare=False)

    def __post_init__(self) -> None:
        meter = Meter(price=self.settings.price, max_cost=self.max_cost)
        object.__setattr__(self, "meter", meter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one chunk, or a part of it, gave.

    Attributes:
        chunk: Which units.
        value: The accepted reply; None when it was refused.
        warnings: Findings that do not reject.
    """

    chunk: Chunk
    value: Any
    warnings: tuple[Problem, ...] = ()


@dataclass(slots=True)
class Watch:
    """The pace of a lane.

    Args:
        clock: Seconds that only grow, or None.
        resumed: How many chunks earlier lanes had from before.
    """

    clock: Callable[[], float] | None
    resumed: int
    _begun: float = field(init=False)

    def __post_init__(self) -> None:
        self._begun = self.clock() if self.clock is not None else 0.0

    def pace_s(self, done: int, resumed: int) -> float | None:
        """Return the seconds that an asked chunk took; None before the first."""
        asked = done - (resumed - self.resumed)
        if self.clock is None or asked <= 0:
            return None
        return (self.clock() - self._begun) / asked
