"""Gates on what lines wrote: timers, counters and values."""

from __future__ import annotations

from dataclasses import dataclass

from talebearer.lines._declared import Scalar, Scope
from talebearer.lines.gates._base import (
    LINE,
    SPEAKER,
    TIMED,
    Asked,
    GateResult,
    ReadKey,
    age_in_words,
    aged,
    ticks_in_words,
)
from talebearer.lines.gates._compare import Comparison, worded
from talebearer.memory import Cell


def traits_of(scope: Scope | None) -> int:
    """Return what the key of a cell depends on; None is one that nobody declared."""
    if scope is Scope.LINE:
        return LINE
    return SPEAKER if scope is not None and scope.of_speaker else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerGate:
    """How long ago a timer was stamped; one that never was meets only ``never``.

    Attributes:
        timer: Its id.
        scope: Whose it is; None when nobody declared it.
        within: At most so many ticks ago.
        older_than: More than so many ticks ago.
        never: It was never stamped.
    """

    timer: str
    scope: Scope | None
    within: int | None = None
    older_than: int | None = None
    never: bool = False

    count = 1

    @property
    def traits(self) -> int:
        """The tick, of which ``never`` tells when it is looked at, and what the scope asks for."""
        return traits_of(self.scope) | TIMED

    @property
    def reads(self) -> frozenset[ReadKey]:
        """The timer."""
        return frozenset((("timer", self.timer),))

    def _tick(self, asked: Asked, scope: Scope) -> tuple[int | None, Cell]:
        """Return the latest stamp, under whichever name the line had, and where it stands."""
        graph, cells = asked.cells(self.timer, scope)
        stamps = [] if graph is None else [(graph.timer(cell), cell) for cell in cells]
        found = [(tick, cell) for tick, cell in stamps if tick is not None]
        return max(found, key=lambda one: one[0]) if found else (None, cells[0])

    def holds(self, asked: Asked) -> bool:
        """Return whether the stamp is as old as asked.

        Source: rule LP-L6.
        """
        if self.scope is None:
            return False
        tick, _ = self._tick(asked, self.scope)
        if tick is None or self.never:
            return self.never and tick is None
        return aged(asked, tick, within=self.within, older_than=self.older_than)

    @property
    def words(self) -> str:
        """The condition, to be read."""
        if self.never:
            return f"the timer {self.timer} was never stamped"
        return f"the timer {self.timer} was stamped{age_in_words(self.within, self.older_than)}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with the age of the stamp."""
        if self.scope is None:
            found, cells = "no timer of that id is declared", _NO_CELLS
        else:
            tick, cell = self._tick(asked, self.scope)
            found = (
                "never"
                if tick is None
                else f"{ticks_in_words(asked.tick - tick)} ago, at tick {tick}"
            )
            cells = (("timer", asked.owner(self.scope), cell),)
        return GateResult(
            kind="timer", text=self.words, met=self.holds(asked), found=found, cells=cells
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterGate:
    """What a counter stands at.

    Attributes:
        counter: Its id.
        scope: Whose it is; None when nobody declared it.
        initial: What it begins at.
        comparison: What is asked of it.
    """

    counter: str
    scope: Scope | None
    comparison: Comparison
    initial: int = 0

    count = 1

    @property
    def traits(self) -> int:
        """What the scope asks for."""
        return traits_of(self.scope)

    @property
    def reads(self) -> frozenset[ReadKey]:
        """The counter."""
        return frozenset((("counter", self.counter),))

    def _total(self, asked: Asked, scope: Scope) -> tuple[int, Cell]:
        """Return what was added under all names of the line, and where it is added now."""
        graph, cells = asked.cells(self.counter, scope)
        added = [] if graph is None else [graph.counter(cell) or 0 for cell in cells]
        return self.initial + sum(added), cells[0]

    def holds(self, asked: Asked) -> bool:
        """Return whether the counter stands so.

        Source: rule LP-L6.
        """
        return self.scope is not None and self.comparison.holds(self._total(asked, self.scope)[0])

    @property
    def words(self) -> str:
        """The condition, to be read."""
        return f"the counter {self.counter} is {self.comparison}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with what the counter stands at."""
        if self.scope is None:
            found, cells = "no counter of that id is declared", _NO_CELLS
        else:
            total, cell = self._total(asked, self.scope)
            found, cells = str(total), (("counter", asked.owner(self.scope), cell),)
        return GateResult(
            kind="counter", text=self.words, met=self.holds(asked), found=found, cells=cells
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueGate:
    """What a value is.

    Attributes:
        name: Its id.
        scope: Whose it is; None when nobody declared it.
        initial: What it is before it was set; None is nothing.
        comparison: What is asked of it.
    """

    name: str
    scope: Scope | None
    comparison: Comparison
    initial: Scalar | None = None

    count = 1

    @property
    def traits(self) -> int:
        """What the scope asks for."""
        return traits_of(self.scope)

    @property
    def reads(self) -> frozenset[ReadKey]:
        """The value."""
        return frozenset((("value", self.name),))

    def _value(self, asked: Asked, scope: Scope) -> tuple[Scalar | None, Cell]:
        """Return what was set under the line's own name, else under a former one, and where."""
        graph, cells = asked.cells(self.name, scope)
        for cell in cells if graph is not None else ():
            found = graph.value(cell) if graph is not None else None
            if found is not None:
                return found, cell
        return self.initial, cells[0]

    def holds(self, asked: Asked) -> bool:
        """Return whether the value is so.

        Source: rule LP-L6.
        """
        return self.scope is not None and self.comparison.holds(self._value(asked, self.scope)[0])

    @property
    def words(self) -> str:
        """The condition, to be read."""
        return f"the value {self.name} is {self.comparison}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with the value."""
        if self.scope is None:
            found, cells = "no value of that id is declared", _NO_CELLS
        else:
            value, cell = self._value(asked, self.scope)
            found, cells = worded(value), (("value", asked.owner(self.scope), cell),)
        return GateResult(
            kind="value", text=self.words, met=self.holds(asked), found=found, cells=cells
        )


_NO_CELLS: tuple[tuple[str, str, Cell], ...] = ()
