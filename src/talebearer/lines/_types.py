"""Lines as they are handed out: immutable, with the specification's names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from talebearer.lines._declared import Scalar, Scope
from talebearer.lines.gates import (
    AttributeGate,
    FactGate,
    Gate,
    InteractionGate,
    RelationshipGate,
)
from talebearer.vocabulary import Confidence

GENERAL = "general"
"""The header location of monologue pools that belong to no place."""

PRIORITY_DEFAULT = 5
PRIORITY_MAX = 10
TEXT_CHARS_MAX = 160
"""The longest monologue text, in code points."""

LineKey: TypeAlias = tuple[str, str]
"""Pool path and line id: what names a line everywhere, since ids are unique per pool only."""

G = TypeVar("G")


@dataclass(frozen=True, slots=True)
class Prerequisites:
    """Gates that must all be open.

    Attributes:
        gates: All of them.
    """

    gates: tuple[Gate, ...]

    def _of(self, kind: type[G]) -> tuple[G, ...]:
        return tuple(gate for gate in self.gates if isinstance(gate, kind))

    @property
    def facts(self) -> tuple[FactGate, ...]:
        """Gates on facts."""
        return self._of(FactGate)

    @property
    def entity_attributes(self) -> tuple[AttributeGate, ...]:
        """Gates on attributes."""
        return self._of(AttributeGate)

    @property
    def relationships(self) -> tuple[RelationshipGate, ...]:
        """Gates on relationships."""
        return self._of(RelationshipGate)

    @property
    def relationship(self) -> RelationshipGate | None:
        """The first gate on a relationship; the specification has one."""
        return next(iter(self.relationships), None)

    @property
    def interactions(self) -> tuple[InteractionGate, ...]:
        """Gates on the history with somebody."""
        return self._of(InteractionGate)

    @property
    def interaction(self) -> InteractionGate | None:
        """The first gate on the history with somebody; the specification has one."""
        return next(iter(self.interactions), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeGrant:
    """What a mind knows at least after it heard the line."""

    fact_id: str
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValue:
    """The line sets a value."""

    value: str
    to: Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class AddCounter:
    """The line adds to a counter."""

    counter: str
    by: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StampTimer:
    """The line stamps a timer."""

    timer: str


Effect: TypeAlias = KnowledgeGrant | SetValue | AddCounter | StampTimer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """What lines of both kinds have beyond the specification.

    Attributes:
        variants: Further texts under the same id.
        effects: What hearing the line does.
        once: Where the line is out once it was heard there; None is nowhere.
        cooldown: Ticks that must pass before the line fires again.
        speaking_class: How it is spoken, for what it interrupts and what excludes it.
        aliases: Keys that it had before.
    """

    id: str
    text: str
    variants: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    prerequisites: Prerequisites | None = None
    effects: tuple[Effect, ...] = ()
    once: Scope | None = None
    cooldown: int = 0
    speaking_class: str | None = None
    aliases: tuple[LineKey, ...] = ()

    @property
    def gates(self) -> tuple[Gate, ...]:
        """All gates, none when the line has no prerequisites."""
        return self.prerequisites.gates if self.prerequisites else ()

    @property
    def knowledge_grant(self) -> KnowledgeGrant | None:
        """The first fact that the line tells; the specification has one."""
        return next((one for one in self.effects if isinstance(one, KnowledgeGrant)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueLine(_Line):
    """One thing that a role can say.

    Source: the line-pool spec sections 3.3 and 9.1; prerequisites as in section 4.3.
    """

    role: str
    access: tuple[str, ...]
    trust: str
    situation: tuple[str, ...]
    topic: tuple[str, ...] = ()
    mood: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MonologueLine(_Line):
    """One thing that a player character can think.

    Attributes:
        priority: 0-10; the weight is ``2 ** priority``.

    Source: the line-pool spec sections 4.3 and 9.1.
    """

    trigger: str
    priority: int = PRIORITY_DEFAULT
