"""Gates on the moment: the event, what was said last, and chance."""

from __future__ import annotations

from dataclasses import dataclass

from talebearer.lines.gates._base import (
    CHANCE,
    EVENT,
    SAID,
    TIMED,
    Asked,
    GateResult,
    ReadKey,
    age_in_words,
    aged,
    ticks_in_words,
)
from talebearer.lines.gates._compare import Comparison, worded

MILLION = 1_000_000
_NOTHING: frozenset[ReadKey] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGate:
    """A field of what happened, declared by its trigger.

    Attributes:
        field: The field's name.
        comparison: What is asked of it.
    """

    field: str
    comparison: Comparison

    traits = EVENT
    count = 1
    reads = _NOTHING

    def holds(self, asked: Asked) -> bool:
        """Return whether the event has the field, and it is so.

        Source: rule LP-L6.
        """
        if self.field not in asked.known.declared.fields_of(asked.trigger):
            return False
        return self.comparison.holds(asked.event.get(self.field))

    @property
    def words(self) -> str:
        """The condition, to be read."""
        return f"{self.field} of the event is {self.comparison}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with the field's value."""
        if self.field in asked.known.declared.fields_of(asked.trigger):
            found = worded(asked.event.get(self.field))
        else:
            of = f"{asked.trigger} has" if asked.trigger else "no trigger has"
            found = f"{of} no field of that name" if asked.trigger else f"{of} a field of that name"
        return GateResult(kind="event", text=self.words, met=self.holds(asked), found=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyGate:
    """The last thing that was said in the mind's hearing.

    Attributes:
        pool: The pool path of the line that is answered, with *line*.
        line: Its id.
        character: Slug of who is answered, when no line is given.
        keys: The line's former names, and its own.
        after: It was said at least so many ticks ago.
        within: It was said at most so many ticks ago.
    """

    pool: str = ""
    line: str = ""
    character: str = ""
    keys: frozenset[tuple[str, str]] = frozenset()
    after: int = 0
    within: int | None = None

    traits = TIMED
    count = 1

    @property
    def reads(self) -> frozenset[ReadKey]:
        """What was said last."""
        return frozenset((SAID,))

    def holds(self, asked: Asked) -> bool:
        """Return whether the last thing said is the one that is answered, and at the right time.

        Source: rule LP-L6.
        """
        said = asked.graph.last_said if asked.graph is not None else None
        if said is None:
            return False
        named = (said.pool, said.line) in self.keys
        answered = said.character == self.character if self.character else named
        older_than = self.after - 1 if self.after else None
        return answered and aged(asked, said.tick, within=self.within, older_than=older_than)

    @property
    def words(self) -> str:
        """The condition, to be read."""
        whom = self.character or f"{self.pool}#{self.line}"
        late = f" after {ticks_in_words(self.after)} or more" if self.after else ""
        return f"an answer to {whom}{late}{age_in_words(self.within, None)}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with what was said last."""
        said = asked.graph.last_said if asked.graph is not None else None
        if said is None:
            found = "nothing was said yet"
        else:
            age = ticks_in_words(asked.tick - said.tick)
            found = f"{said.pool}#{said.line}, said by {said.character} {age} ago"
        return GateResult(kind="reply_to", text=self.words, met=self.holds(asked), found=found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceGate:
    """A chance, drawn for each line and each decision.

    Attributes:
        parts_per_million: How likely it is, 1 to 1,000,000.
        condition: The named condition that it stands in, or nothing.
        place: Its place among the chances there, from 0.
    """

    parts_per_million: int
    condition: str = ""
    place: int = 0

    traits = CHANCE
    count = 1
    reads = _NOTHING

    def _drawn(self, asked: Asked) -> int | None:
        """Return the parts per million that were drawn, 0 to 999,999."""
        if asked.draw is None:
            return None
        return (asked.draw(asked, self.condition, self.place) * MILLION) >> 64

    def holds(self, asked: Asked) -> bool:
        """Return whether the draw falls below the chance.

        Source: rules LP-L5, LP-L6.
        """
        drawn = self._drawn(asked)
        return drawn is not None and drawn < self.parts_per_million

    @property
    def words(self) -> str:
        """The condition, to be read."""
        return f"a chance of {self.parts_per_million / MILLION:g}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with what was drawn."""
        drawn = self._drawn(asked)
        found = "nothing is drawn here" if drawn is None else f"drew {drawn / MILLION:.6f}"
        return GateResult(kind="chance", text=self.words, met=self.holds(asked), found=found)
