"""Gates on characters: their attributes, the relationship to them, the history with them."""

from __future__ import annotations

from dataclasses import dataclass

from talebearer.lines._declared import Scalar
from talebearer.lines.gates._base import (
    TIMED,
    Asked,
    GateResult,
    ReadKey,
    age_in_words,
    aged,
    ticks_in_words,
    undeclared,
)
from talebearer.lines.gates._compare import AT_LEAST_ONE, Comparison, as_number, worded
from talebearer.vocabulary import InteractionState, RelationshipState


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeGate:
    """An attribute of an entity that the mind knows.

    What the mind has seen itself comes first, the profile second. Where a number is asked for, a text
    that is a plain decimal number counts as one.
    """

    entity: str
    key: str
    comparison: Comparison

    traits = 0
    count = 1

    @property
    def value(self) -> Scalar | None:
        """The exact value that is asked for, as the specification has it; None for other bounds."""
        terms = self.comparison.terms
        return terms[0][1] if len(terms) == 1 and terms[0][0] == "=" else None

    @property
    def reads(self) -> frozenset[ReadKey]:
        """The entity."""
        return frozenset((self.entity,))

    def _seen(self, asked: Asked) -> tuple[Scalar | None, bool]:
        """Return the attribute, and whether the mind saw it itself."""
        entity = asked.graph.entity(self.entity) if asked.graph is not None else None
        if entity is None:
            return None, False
        seen = entity.attributes.get(self.key)
        if seen is not None:
            return seen, True
        profile = asked.known.profiles.get(self.entity.partition(":")[2])
        return (None if profile is None else profile.attributes.get(self.key)), False

    def holds(self, asked: Asked) -> bool:
        """Return whether the attribute is as asked.

        Source: the line-pool spec section 4.3; rule LP-L6.
        """
        found, _ = self._seen(asked)
        if isinstance(found, str) and self.comparison.numeric:
            found = as_number(found)
        return self.comparison.holds(found)

    @property
    def words(self) -> str:
        """The condition, to be read."""
        value = self.value
        wanted = f"{self.comparison}" if value is None else worded(value)
        return f"{self.key} of {self.entity} is {wanted}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with the attribute that was found."""
        value, seen = self._seen(asked)
        if asked.graph is None or asked.graph.entity(self.entity) is None:
            found = f"never met{undeclared(self.entity, asked.known)}"
        elif value is None:
            found = f"has no {self.key}"
        else:
            found = worded(value) if seen else f"{worded(value)} (from the profile)"
        return GateResult(
            kind="entity_attribute",
            text=self.words,
            met=self.holds(asked),
            found=found,
            entities=(self.entity,),
        )


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

    traits = 0
    count = 1

    @property
    def reads(self) -> frozenset[ReadKey]:
        """The entity."""
        return frozenset((self.target,))

    def _state(self, asked: Asked) -> RelationshipState:
        entity = asked.graph.entity(self.target) if asked.graph is not None else None
        return RelationshipState.UNKNOWN if entity is None else entity.relationship_state

    def holds(self, asked: Asked) -> bool:
        """Return whether the relationship is so; an entity never met is unknown.

        Source: the line-pool spec section 4.3; rule LP-M5.
        """
        state = self._state(asked)
        return state in self.states if self.state is None else state.rank >= self.state.rank

    @property
    def words(self) -> str:
        """The condition, to be read."""
        wanted = f"{self.state} or beyond" if self.state else " or ".join(self.states)
        return f"the relationship to {self.target} is {wanted}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with the relationship."""
        state = self._state(asked)
        met = asked.graph is not None and asked.graph.entity(self.target) is not None
        stranger = f"{state}: never met{undeclared(self.target, asked.known)}"
        return GateResult(
            kind="relationship",
            text=self.words,
            met=self.holds(asked),
            found=f"{state}" if met else stranger,
            entities=(self.target,),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionGate:
    """The history with an entity.

    Attributes:
        target: The entity, ``npc:slug``.
        state: The state that counts, matched exactly, except that ``confrontation`` counts every
            interaction that ever was one; None counts all.
        comparison: How many there are of them.
        within: The latest one ended, or began while it runs, at most so many ticks ago.
        older_than: That is more than so many ticks ago. What never happened is neither.
    """

    target: str
    state: InteractionState | None = None
    comparison: Comparison = AT_LEAST_ONE
    within: int | None = None
    older_than: int | None = None

    count = 1

    @property
    def min_count(self) -> int | None:
        """The least number, as the specification has it; None for other bounds."""
        terms = self.comparison.terms
        return int(terms[0][1]) if len(terms) == 1 and terms[0][0] == ">=" else None

    @property
    def traits(self) -> int:
        """The tick matters where ages are asked for."""
        return 0 if self.within is None and self.older_than is None else TIMED

    @property
    def reads(self) -> frozenset[ReadKey]:
        """The entity."""
        return frozenset((self.target,))

    def holds(self, asked: Asked) -> bool:
        """Return whether there are so many, and the latest is as old as asked.

        Source: the interaction-memory spec section 6; IM-M2, IM-M8; rule LP-L6.
        """
        graph = asked.graph
        number = 0 if graph is None else graph.interaction_count_with(self.target, self.state)
        # Most gates ask for one at all, which needs no comparison.
        if self.comparison is AT_LEAST_ONE:
            if not number:
                return False
        elif not self.comparison.holds(number):
            return False
        if self.within is None and self.older_than is None:
            return True
        latest = None if graph is None else graph.last_interaction_tick(self.target, self.state)
        return latest is not None and aged(
            asked, latest, within=self.within, older_than=self.older_than
        )

    @property
    def words(self) -> str:
        """The condition, to be read."""
        kind = f"{self.state} " if self.state else ""
        ages = age_in_words(self.within, self.older_than)
        ages = f", the latest{ages}" if ages else ""
        least = self.min_count
        if least == 1:
            article = "an" if kind[:1] in ("", "a") else "a"
            return f"{article} {kind}interaction with {self.target}{ages}"
        if least is not None:
            return f"{least} or more {kind}interactions with {self.target}{ages}"
        if self.comparison.terms == (("=", 0),):
            return f"no {kind}interaction with {self.target}"
        return f"{kind}interactions with {self.target}: {self.comparison}{ages}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with the interactions that count."""
        graph = asked.graph
        ids: list[str] = []
        total = 0
        if graph is not None:
            history = graph.interactions_with(self.target)
            total = len(history)
            names = graph.interaction_ids_with(self.target) if history else ()
            for fact_id, item in zip(names, history, strict=True):
                sticky = self.state is InteractionState.CONFRONTATION and item.confrontation
                if self.state is None or sticky or item.interaction_state is self.state:
                    ids.append(fact_id)
        if not total:
            found = f"never met{undeclared(self.target, asked.known)}"
        else:
            plural = "interaction" if total == 1 else "interactions"
            found = f"{len(ids)} of {total} {plural}" if self.state else f"{total} {plural}"
            found += self._age(asked)
        return GateResult(
            kind="interaction",
            text=self.words,
            met=self.holds(asked),
            found=found,
            fact_ids=tuple(ids),
            entities=(self.target,),
        )

    def _age(self, asked: Asked) -> str:
        if not self.traits or asked.graph is None:
            return ""
        latest = asked.graph.last_interaction_tick(self.target, self.state)
        return "" if latest is None else f", the latest {ticks_in_words(asked.tick - latest)} ago"
