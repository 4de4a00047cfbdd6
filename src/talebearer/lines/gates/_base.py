"""What gates are asked against, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from talebearer.lines._declared import Declared, Profile, Scalar, Scope, cell_of
from talebearer.memory import Cell, KnowledgeGraph

TIMED, SPEAKER, LINE, EVENT, CHANCE = 1, 2, 4, 8, 16
"""What an answer may depend on besides the minds: the tick, who speaks, which line it is, the
event, the draw."""

LATE = EVENT | CHANCE
"""What is only known when a line is asked for."""

ReadKey: TypeAlias = str | tuple[str, str]
"""Something in a mind that a gate reads: a fact id, an entity reference, ``gossip.`` and a slug, or
the kind and id of a counter, value or timer; ``("said", "")`` is the last thing that was said."""

SAID: ReadKey = ("said", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate and what was found there.

    Attributes:
        kind: ``fact``, ``entity_attribute``, ``relationship``, ``interaction``, ``gossip``,
            ``timer``, ``counter``, ``value``, ``event``, ``reply_to``, ``chance``, ``condition``,
            ``all_of``, ``any_of`` or ``not``.
        text: The condition, to be read.
        met: Whether it holds.
        found: The value found, in words.
        fact_ids: The facts and interactions that the answer rests on.
        entities: The entities that the condition is about.
        cells: The counters, values and timers that were read: kind, mind id and cell.
        parts: The gates inside, of one that is made of others.
    """

    kind: str
    text: str
    met: bool
    found: str
    fact_ids: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    cells: tuple[tuple[str, str, Cell], ...] = ()
    parts: tuple[GateResult, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object; ``cells`` and ``parts`` only where there are any."""
        value: dict[str, Any] = {
            "kind": self.kind,
            "text": self.text,
            "met": self.met,
            "found": self.found,
            "fact_ids": list(self.fact_ids),
            "entities": list(self.entities),
        }
        if self.cells:
            value["cells"] = [[kind, mind, *cell] for kind, mind, cell in self.cells]
        if self.parts:
            value["parts"] = [part.as_json() for part in self.parts]
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What gates are asked against.

    Attributes:
        graph: What the mind knows; None is a mind that knows nothing.
        profiles: Slug to profile, for attributes that the mind has not seen itself.
        facts: The declared fact ids; None when no catalogue is at hand.
        world: What the mind ``world`` holds; None is nothing.
        declared: The campaign's timers, counters, values and event fields.
        former: Key of a renamed line to the keys that it had, as far as no line has them now.
    """

    graph: KnowledgeGraph | None
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    facts: Collection[str] | None = None
    world: KnowledgeGraph | None = None
    declared: Declared = field(default_factory=Declared)
    former: Mapping[tuple[str, str], tuple[tuple[str, str], ...]] = field(default_factory=dict)


Draw: TypeAlias = Callable[["Asked", str, int], int]
"""From the question, a named condition (or nothing) and a place in it to a 64-bit number."""


class Asked:
    """One question to gates: the minds, when, who speaks, which line, and what happened.

    Attributes:
        known: The minds and what is declared.
        tick: Now.
        speaker: Slug of who speaks or thinks.
        pool: The pool path of the line in question.
        line: Its id.
        trigger: What happened; None in a conversation.
        event: The fields of what happened.
        draw: For chances; None lets none of them hold.
        mind_id: Whose mind it is.
        until: The first later tick at which the answer may be another one; None for never.
        named: Answers of named conditions, for one line and one moment.
        said: How often something was said or thought since the minds are followed.
    """

    __slots__ = (
        "draw",
        "event",
        "graph",
        "known",
        "line",
        "mind_id",
        "named",
        "pool",
        "said",
        "speaker",
        "tick",
        "trigger",
        "until",
    )

    def __init__(
        self,
        known: Known,
        *,
        tick: int = 0,
        speaker: str = "",
        trigger: str | None = None,
        event: Mapping[str, Scalar] | None = None,
        draw: Draw | None = None,
        mind_id: str = "party",
    ) -> None:
        self.known = known
        self.graph = known.graph
        self.tick = tick
        self.speaker = speaker
        self.pool = ""
        self.line = ""
        self.trigger = trigger
        self.event: Mapping[str, Scalar] = event or {}
        self.draw = draw
        self.mind_id = mind_id
        self.until: int | None = None
        self.named: dict[str, bool] = {}
        self.said = 0

    def about(self, pool: str, line: str) -> None:
        """Turn to another line."""
        self.pool, self.line = pool, line
        self.until = None
        if self.named:
            self.named = {}

    def flips_at(self, tick: int) -> None:
        """Note that the answer may be another one from *tick* on, if that is later than now."""
        if tick > self.tick and (self.until is None or tick < self.until):
            self.until = tick

    def cell(self, name: str, scope: Scope) -> tuple[KnowledgeGraph | None, Cell]:
        """Return where *name* is kept for this speaker and line, and under which key."""
        cell = cell_of(name, scope, speaker=self.speaker, pool=self.pool, line=self.line)
        return (self.known.world if scope.shared else self.graph), cell

    def cells(self, name: str, scope: Scope) -> tuple[KnowledgeGraph | None, tuple[Cell, ...]]:
        """Return :meth:`cell` with, behind it, the cells of the line's former names.

        Source: rule LP-L1.
        """
        graph, cell = self.cell(name, scope)
        if scope is not Scope.LINE:
            return graph, (cell,)
        former = self.known.former.get((self.pool, self.line), ())
        return graph, (cell, *(Cell(name, "", pool, line) for pool, line in former))

    def owner(self, scope: Scope) -> str:
        """Return the id of the mind that keeps what has *scope*."""
        return "world" if scope.shared else self.mind_id


class Gate(Protocol):
    """One condition on what the minds hold, or one made of others."""

    @property
    def traits(self) -> int:
        """What the answer depends on, of TIMED, SPEAKER, LINE, EVENT and CHANCE."""

    @property
    def reads(self) -> frozenset[ReadKey]:
        """Everything in the minds that the answer depends on."""

    @property
    def count(self) -> int:
        """How many gates it is, for the strategy that prefers many."""

    @property
    def words(self) -> str:
        """The condition, to be read."""

    def holds(self, asked: Asked) -> bool:
        """Return whether it is met."""

    def look(self, asked: Asked) -> GateResult:
        """Return the same answer with what was found."""


def aged(asked: Asked, tick: int, *, within: int | None, older_than: int | None) -> bool:
    """Return whether what happened at *tick* is young and old enough, and note when that changes.

    ``within`` holds up to and with so many ticks, ``older_than`` after them.
    """
    age = asked.tick - tick
    young = within is None or age <= within
    old = older_than is None or age > older_than
    if within is not None:
        asked.flips_at(tick + within + 1)
    if older_than is not None:
        asked.flips_at(tick + older_than + 1)
    return young and old


def ticks_in_words(count: int) -> str:
    """Return *count* ticks, to be read."""
    return "1 tick" if count == 1 else f"{count} ticks"


def age_in_words(within: int | None, older_than: int | None) -> str:
    """Return the bounds of an age, with a space in front, or nothing."""
    parts = [] if within is None else [f"within {ticks_in_words(within)}"]
    if older_than is not None:
        parts.append(f"more than {ticks_in_words(older_than)} ago")
    return f" {' and '.join(parts)}" if parts else ""


def undeclared(entity: str, known: Known) -> str:
    """Return the words for an entity that no profile has, or nothing."""
    if known.facts is None or entity.partition(":")[2] in known.profiles:
        return ""
    return ", and no such character is declared"
