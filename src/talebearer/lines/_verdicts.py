"""Why a line is said, and why the others are not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from talebearer.lines._types import LineKey
from talebearer.lines.gates import GateResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one line.

    Attributes:
        pool: The pool path.
        line_id: The line's id in that pool.
        text: The line's text.
        dropped_by: The first stage that dropped it, one of those of the explanation's funnel;
            None for a line that can be drawn.
        detail: What was found at that stage.
        gates: Every gate of the line, when the layers before the gates let it through.
        score: Topic and mood score of a dialogue line that was scored.
        weight: Weight in the draw, of a line that can be drawn.
        probability: Exact chance of the draw: weight over the sum of weights. The 64-bit draw
            itself is off by less than 2**-64.
    """

    pool: str
    line_id: str
    text: str
    dropped_by: str | None = None
    detail: str = ""
    gates: tuple[GateResult, ...] = ()
    score: int | None = None
    weight: int | None = None
    probability: Fraction | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as a JSON object; the probability as a ratio and as a number."""
        chance = self.probability
        return {
            "pool": self.pool,
            "line_id": self.line_id,
            "text": self.text,
            "dropped_by": self.dropped_by,
            "detail": self.detail,
            "gates": [gate.as_json() for gate in self.gates],
            "score": self.score,
            "weight": self.weight,
            "probability": None if chance is None else float(chance),
            "probability_ratio": None if chance is None else str(chance),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """How many lines each stage leaves over: what an :class:`Explanation` counts, without the lines.

    Attributes:
        steps: Each stage with the number of lines left after it; ``lines`` is before any.
        eligible: How many lines can be drawn.
    """

    steps: tuple[tuple[str, int], ...]
    eligible: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Every line of every candidate pool, in pack order, and what became of it.

    Attributes:
        verdicts: One a line.
        stages: The stages in the order in which they drop lines.
    """

    verdicts: tuple[Verdict, ...]
    stages: tuple[str, ...]

    @property
    def eligible(self) -> tuple[Verdict, ...]:
        """The lines that can be drawn."""
        return tuple(verdict for verdict in self.verdicts if verdict.dropped_by is None)

    @property
    def funnel(self) -> list[tuple[str, int]]:
        """Each stage with the number of lines left after it; ``lines`` is before any."""
        dropped = Counter(verdict.dropped_by for verdict in self.verdicts)
        left = len(self.verdicts)
        steps = [("lines", left)]
        for stage in self.stages:
            left -= dropped[stage]
            steps.append((stage, left))
        return steps

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as a JSON object."""
        return {
            "verdicts": [verdict.as_json() for verdict in self.verdicts],
            "funnel": [[stage, left] for stage, left in self.funnel],
        }


def in_draw(
    key: LineKey,
    text: str,
    *,
    weight: int,
    total: int,
    count: int,
    gates: tuple[GateResult, ...],
    score: int | None = None,
) -> Verdict:
    """Return the verdict of a line in the draw, one of *count* lines that weigh *total*."""
    return Verdict(
        pool=key[0],
        line_id=key[1],
        text=text,
        detail=f"one of {count} in the draw",
        gates=gates,
        score=score,
        weight=weight,
        probability=Fraction(weight, total),
    )


def in_words(gate: GateResult) -> str:
    """Return what a closed gate wanted and what it found."""
    return f"needs: {gate.text}; found: {gate.found}"
