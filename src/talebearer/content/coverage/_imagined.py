"""One imagined state of things, for asking a real gate whether it would hold.

What a gate means is decided by the engine alone, so nothing here reads a condition: a gate is asked
with the smallest mind that has the one thing that it reads, and its own answer is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from talebearer.lines import Known, Pack
from talebearer.lines.gates import Asked, Gate
from talebearer.vocabulary import Confidence, FactState, RelationshipState

NOW = 2**40
"""The tick at which everything is imagined; far from 0, so that any age fits before it."""


class FactSeen(NamedTuple):
    """How a fact is known."""

    confidence: Confidence
    state: FactState


class EntitySeen(NamedTuple):
    """How a character is known."""

    relationship_state: RelationshipState
    attributes: Mapping[str, Any]


class LastSaid(NamedTuple):
    """What was said last."""

    tick: int
    character: str
    pool: str
    line: str


@dataclass(slots=True, kw_only=True)
class Imagined:
    """The part of a mind that one gate reads; the same answers for every name that is asked.

    Attributes:
        known_fact: The fact.
        known_entity: The character.
        count: Conversations that count.
        latest: The tick of the latest of them.
        stories: Whether there is gossip.
        stamp: The tick of the timer.
        added: What was added to the counter.
        held: What the value was set to.
        last_said: What was said last.
        event: Fields of what happened.
    """

    known_fact: FactSeen | None = None
    known_entity: EntitySeen | None = None
    count: int = 0
    latest: int | None = None
    stories: bool = False
    stamp: int | None = None
    added: int = 0
    held: Any = None
    last_said: LastSaid | None = None
    event: Mapping[str, Any] = field(default_factory=dict)

    def fact(self, _fact_id: str) -> FactSeen | None:
        """Answer as a mind's graph does; so do all methods below."""
        return self.known_fact

    def entity(self, _target: str) -> EntitySeen | None:
        return self.known_entity

    def interaction_count_with(self, _target: str, _state: Any = None) -> int:
        return self.count

    def last_interaction_tick(self, _target: str, _state: Any = None) -> int | None:
        return self.latest

    def gossip_about(self, _about: str, **_which: Any) -> tuple[str, ...]:
        return ("a story",) if self.stories else ()

    def timer(self, _cell: Any) -> int | None:
        return self.stamp

    def counter(self, _cell: Any) -> int:
        return self.added

    def value(self, _cell: Any) -> Any:
        return self.held


class Asking:
    """Asks gates of one pack about imagined states."""

    def __init__(self, known: Known) -> None:
        self._known = known

    @classmethod
    def of(cls, pack: Pack) -> Asking:
        """Return one that asks as *pack* has it: with its facts, profiles and declarations."""
        return cls(pack.known(None))

    @property
    def known(self) -> Known:
        """What gates are asked against, minds apart."""
        return self._known

    def holds(self, gate: Gate, state: Imagined, trigger: str | None) -> bool:
        """Return whether *gate* would hold in *state*."""
        graph = cast("Any", state)
        known = Known(
            graph=graph,
            profiles=self._known.profiles,
            facts=self._known.facts,
            world=graph,
            declared=self._known.declared,
        )
        asked = Asked(known, tick=NOW, trigger=trigger, event=state.event)
        return gate.holds(asked)
