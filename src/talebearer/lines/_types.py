"""Lines and pools as the runtime holds them: checked, immutable, with what speeds look-ups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from talebearer.vocabulary import Confidence, InteractionState, RelationshipState, TrustTier

GENERAL = "general"
"""The header location of monologue pools that belong to no place."""

PRIORITY_DEFAULT = 5
PRIORITY_MAX = 10
TEXT_CHARS_MAX = 160
"""The longest monologue text, in code points."""

LineKey: TypeAlias = tuple[str, str]
"""Pool path and line id: what names a line everywhere, since ids are unique per pool only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactGate:
    """The mind knows an active fact at least this well."""

    fact_id: str
    min_confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeGate:
    """An entity that the mind knows has an attribute with exactly this value."""

    entity: str
    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipGate:
    """The mind's relationship to an entity.

    Attributes:
        target: The entity, ``npc:slug``.
        state: The least state, in the declared order; None when *states* is given.
        states: The allowed states; empty when *state* is given.
    """

    target: str
    state: RelationshipState | None = None
    states: tuple[RelationshipState, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionGate:
    """Enough interactions with an entity.

    Attributes:
        target: The entity, ``npc:slug``.
        state: The state that counts, matched exactly, except that ``confrontation`` counts every
            interaction that ever was one; None counts all.
        min_count: How many are needed, from 1.
    """

    target: str
    state: InteractionState | None = None
    min_count: int = 1


Gate: TypeAlias = FactGate | AttributeGate | RelationshipGate | InteractionGate


@dataclass(frozen=True, slots=True, kw_only=True)
class Prerequisites:
    """Gates that must all be open.

    Attributes:
        facts: Gates on facts.
        entity_attributes: Gates on attributes.
        relationship: A gate on a relationship.
        interaction: A gate on the history with somebody.
        gates: All of them, in this order.
    """

    facts: tuple[FactGate, ...] = ()
    entity_attributes: tuple[AttributeGate, ...] = ()
    relationship: RelationshipGate | None = None
    interaction: InteractionGate | None = None
    gates: tuple[Gate, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        single = (self.relationship, self.interaction)
        present = tuple(gate for gate in single if gate is not None)
        object.__setattr__(self, "gates", (*self.facts, *self.entity_attributes, *present))


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeGrant:
    """What a mind knows at least after it heard the line."""

    fact_id: str
    confidence: Confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueLine:
    """One thing that a role can say.

    Source: the line-pool spec sections 3.3 and 9.1; prerequisites as in section 4.3.
    """

    id: str
    text: str
    role: str
    access: tuple[str, ...]
    trust: str
    situation: tuple[str, ...]
    topic: tuple[str, ...] = ()
    mood: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    knowledge_grant: KnowledgeGrant | None = None
    prerequisites: Prerequisites | None = None
    topic_set: frozenset[str] = field(init=False, repr=False, compare=False)
    mood_set: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "topic_set", frozenset(self.topic))
        object.__setattr__(self, "mood_set", frozenset(self.mood))

    @property
    def gates(self) -> tuple[Gate, ...]:
        """All gates, none when the line has no prerequisites."""
        return self.prerequisites.gates if self.prerequisites else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MonologueLine:
    """One thing that a player character can think.

    Attributes:
        priority: 0-10; the weight is ``2 ** priority``.
        cooldown: Ticks that must pass before the line fires again for the same mind.

    Source: the line-pool spec sections 4.3 and 9.1.
    """

    id: str
    text: str
    trigger: str
    priority: int = PRIORITY_DEFAULT
    cooldown: int = 0
    tags: tuple[str, ...] = ()
    prerequisites: Prerequisites | None = None

    @property
    def gates(self) -> tuple[Gate, ...]:
        """All gates, none when the line has no prerequisites."""
        return self.prerequisites.gates if self.prerequisites else ()


@dataclass(frozen=True, slots=True)
class DialogueIndex:
    """Which lines of a pool carry a value: bit *i* stands for the line at index *i*.

    Attributes:
        access: Access tier to the lines that name it.
        situation: Situation to the lines that name it.
        trust: Trust tier to the lines that need it or less.
        gated: The lines that have gates.
    """

    access: Mapping[str, int]
    situation: Mapping[str, int]
    trust: Mapping[str, int]
    gated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DialoguePool:
    """The lines of one dialogue file.

    Attributes:
        path: The pool path, relative to the content folder, without suffix.
        location: Header location.
        role: Header role.
        lines: In file order.
        trust_order: The trust tiers from least to most.
        keys: The composite key of each line, in the same order.
        index: For layers 1 to 3.
    """

    path: str
    location: str
    role: str
    lines: tuple[DialogueLine, ...]
    trust_order: tuple[str, ...] = tuple(tier.value for tier in TrustTier)
    keys: tuple[LineKey, ...] = field(init=False, repr=False, compare=False)
    index: DialogueIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple((self.path, line.id) for line in self.lines))
        object.__setattr__(self, "index", _index(self.lines, self.trust_order))

    @property
    def stem(self) -> str:
        """The file name without suffix."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class MonologuePool:
    """The lines of one monologue file.

    Attributes:
        path: The pool path, relative to the content folder, without suffix.
        character: Whose thoughts these are; never crossed.
        location: Header location, or ``general``.
        lines: In file order.
        by_trigger: Trigger to its lines, in file order.
    """

    path: str
    character: str
    location: str
    lines: tuple[MonologueLine, ...]
    by_trigger: Mapping[str, tuple[MonologueLine, ...]] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        groups: dict[str, list[MonologueLine]] = {}
        for line in self.lines:
            groups.setdefault(line.trigger, []).append(line)
        frozen = {trigger: tuple(lines) for trigger, lines in groups.items()}
        object.__setattr__(self, "by_trigger", frozen)

    @property
    def general(self) -> bool:
        """Whether the pool belongs to no place."""
        return self.location == GENERAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One character of the campaign, as its profile file describes it."""

    slug: str
    name: str
    aliases: tuple[str, ...] = ()
    role: str | None = None
    location: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    scene: Mapping[str, Any] = field(default_factory=dict)
    tolerance: Mapping[str, Any] = field(default_factory=dict)


def _index(lines: tuple[DialogueLine, ...], trust_order: tuple[str, ...]) -> DialogueIndex:
    access: dict[str, int] = {}
    situation: dict[str, int] = {}
    trust = dict.fromkeys(trust_order, 0)
    gated = 0
    for position, line in enumerate(lines):
        bit = 1 << position
        for value in line.access:
            access[value] = access.get(value, 0) | bit
        for value in line.situation:
            situation[value] = situation.get(value, 0) | bit
        trust[line.trust] |= bit
        gated |= bit if line.gates else 0
    return DialogueIndex(access, situation, _at_or_below(trust), gated)


def _at_or_below(exact: Mapping[str, int]) -> dict[str, int]:
    total = 0
    reached: dict[str, int] = {}
    for tier, mask in exact.items():
        total |= mask
        reached[tier] = total
    return reached
