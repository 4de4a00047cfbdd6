"""What a step expects, held against what came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talebearer.content import names_line
from talebearer.lines import Explanation, Pick, Verdict

_SHOWN_MAX = 6

StepPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmet:
    """One expectation that was not met.

    Attributes:
        path: Its place in the step.
        on_key: Whether the key of that place is meant.
        message: Expected and found.
        why: The first thing that stopped the expected line, or what let the other one through.
    """

    path: StepPath
    message: str
    why: str = ""
    on_key: bool = False


def unmet(step: Mapping[str, Any], pick: Pick | None, explanation: Explanation) -> list[Unmet]:
    """Return what *step* expects and what did not come."""
    held = _Held(step, pick, explanation)
    return [fault for check in _CHECKS if check in step for fault in getattr(held, f"_{check}")()]


_CHECKS = ("says", "one_of", "eligible", "never", "nothing", "dropped", "text")


class _Held:
    def __init__(
        self, step: Mapping[str, Any], pick: Pick | None, explanation: Explanation
    ) -> None:
        self._step = step
        self._pick = pick
        self._verdicts = explanation.verdicts
        self._drawable = explanation.eligible

    @property
    def _came(self) -> str:
        pick = self._pick
        return "nothing" if pick is None else f"{pick.line_id} “{pick.text}”"

    def _is_picked(self, line: str) -> bool:
        pick = self._pick
        return pick is not None and names_line(line, (pick.pool, pick.line_id))

    def _of(self, line: str) -> list[Verdict]:
        return [one for one in self._verdicts if names_line(line, (one.pool, one.line_id))]

    def _stopped(self, line: str) -> str:
        """Say what the first thing is that stopped *line*."""
        found = self._of(line)
        if not found:
            return f"{line} is in no pool that is asked here"
        verdict = found[0]
        if verdict.dropped_by is None:
            return f"{line} could have been drawn: {verdict.detail}; another seed may draw it"
        return f"{line} was stopped by {verdict.dropped_by}: {verdict.detail}"

    def _says(self) -> Iterator[Unmet]:
        line = self._step["says"]
        if not self._is_picked(line):
            message = f"expected {line}, got {self._came}"
            yield Unmet(path=("says",), message=message, why=self._stopped(line))

    def _one_of(self) -> Iterator[Unmet]:
        lines: Sequence[str] = self._step["one_of"]
        if not any(map(self._is_picked, lines)):
            message = f"expected one of {_listed(lines)}, got {self._came}"
            why = "; ".join(self._stopped(line) for line in lines[:_SHOWN_MAX])
            yield Unmet(path=("one_of",), message=message, why=why)

    def _eligible(self) -> Iterator[Unmet]:
        lines: Sequence[str] = self._step["eligible"]
        for at, line in enumerate(lines):
            if not any(names_line(line, (one.pool, one.line_id)) for one in self._drawable):
                message = f"expected that {line} can be drawn"
                yield Unmet(path=("eligible", at), message=message, why=self._stopped(line))
        for verdict in self._drawable:
            if not any(names_line(line, (verdict.pool, verdict.line_id)) for line in lines):
                message = f"{verdict.line_id} can be drawn, too"
                yield Unmet(path=("eligible",), message=message, why=_let_through(verdict))

    def _never(self) -> Iterator[Unmet]:
        for at, line in enumerate(self._step["never"]):
            for verdict in self._drawable:
                if names_line(line, (verdict.pool, verdict.line_id)):
                    message = f"expected {line} never, but it can be drawn"
                    yield Unmet(path=("never", at), message=message, why=_let_through(verdict))

    def _nothing(self) -> Iterator[Unmet]:
        if self._pick is not None:
            why = f"{len(self._drawable)} can be drawn"
            yield Unmet(path=("nothing",), message=f"expected nothing, got {self._came}", why=why)

    def _dropped(self) -> Iterator[Unmet]:
        for line, stage in self._step["dropped"].items():
            found = self._of(line)
            if found and all(verdict.dropped_by == stage for verdict in found):
                continue
            message = f"expected {line} to be dropped by {stage}"
            path = ("dropped", line)
            yield Unmet(path=path, message=message, why=self._stopped(line), on_key=True)

    def _text(self) -> Iterator[Unmet]:
        wanted = self._step["text"]
        if self._pick is None or self._pick.text != wanted:
            yield Unmet(path=("text",), message=f"expected “{wanted}”, got {self._came}")


def _let_through(verdict: Verdict) -> str:
    gates = "; ".join(f"{gate.text}: {gate.found}" for gate in verdict.gates[:_SHOWN_MAX])
    return gates or f"it has no gate; {verdict.detail}"


def _listed(lines: Sequence[str]) -> str:
    more = f" and {len(lines) - _SHOWN_MAX} more" if len(lines) > _SHOWN_MAX else ""
    return ", ".join(lines[:_SHOWN_MAX]) + more
