"""Gates on what a mind knows: facts and gossip."""

from __future__ import annotations

from dataclasses import dataclass

from talebearer.lines.gates._base import Asked, GateResult, ReadKey, undeclared
from talebearer.vocabulary import Confidence, FactState, InteractionState

_NEVER_DECLARED = ("interaction.", "gossip.")
"""Fact categories that memory makes itself; no catalogue has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactGate:
    """What the mind knows of a fact.

    Attributes:
        fact_id: The fact.
        min_confidence: It is known at least this well.
        confidence: It is known exactly this well.
        absent: It is not known.
        fact_state: The state that counts; a fact in another one is not known here.
    """

    fact_id: str
    min_confidence: Confidence | None = None
    confidence: Confidence | None = None
    absent: bool = False
    fact_state: FactState = FactState.ACTIVE

    traits = 0
    count = 1

    @property
    def reads(self) -> frozenset[ReadKey]:
        """The fact."""
        return frozenset((self.fact_id,))

    def holds(self, asked: Asked) -> bool:
        """Return whether the fact is known so.

        Source: the line-pool spec section 4.3; rules LP-L6, LP-L13.
        """
        graph = asked.graph
        fact = None if graph is None else graph.fact(self.fact_id)
        if fact is not None and fact.state is not self.fact_state:
            fact = None
        if self.absent:
            return fact is None and not self._undeclared(asked)
        if fact is None:
            return False
        if self.min_confidence is not None:
            return fact.confidence.rank >= self.min_confidence.rank
        return fact.confidence is self.confidence

    def _undeclared(self, asked: Asked) -> bool:
        facts = asked.known.facts
        if facts is None or self.fact_id in facts:
            return False
        return not self.fact_id.startswith(_NEVER_DECLARED)

    @property
    def words(self) -> str:
        """The condition, to be read."""
        as_what = "" if self.fact_state is FactState.ACTIVE else f" as {self.fact_state}"
        if self.absent:
            return f"{self.fact_id} is not known{as_what}"
        if self.min_confidence is not None:
            return f"{self.fact_id} is known{as_what} at {self.min_confidence} or better"
        return f"{self.fact_id} is known{as_what} at exactly {self.confidence}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with how well the fact is known."""
        fact = None if asked.graph is None else asked.graph.fact(self.fact_id)
        if fact is None:
            automatic = self.fact_id.startswith(_NEVER_DECLARED)
            found = "never happened" if automatic else "never learned"
            if self._undeclared(asked):
                found += ", and no fact of that id is declared"
        elif fact.state is not self.fact_state:
            found = f"{fact.confidence}, but {fact.state}; only {self.fact_state} facts count"
        else:
            found = f"{fact.confidence}"
        return GateResult(
            kind="fact",
            text=self.words,
            met=self.holds(asked),
            found=found,
            fact_ids=() if fact is None else (self.fact_id,),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GossipGate:
    """The mind was told a story.

    Attributes:
        about: Whom it is about, ``npc:slug``: the one who did it.
        state: How the conversation ended that it is of, if that matters.
        target: To whom it was done, if that matters.
    """

    about: str
    state: InteractionState | None = None
    target: str | None = None

    traits = 0
    count = 1

    @property
    def reads(self) -> frozenset[ReadKey]:
        """All gossip about that character."""
        return frozenset((f"gossip.{self.about.partition(':')[2]}",))

    def _stories(self, asked: Asked) -> tuple[str, ...]:
        if asked.graph is None:
            return ()
        return asked.graph.gossip_about(self.about, state=self.state, target=self.target)

    def holds(self, asked: Asked) -> bool:
        """Return whether there is such a story.

        Source: IM-M7, IM-M2.
        """
        return bool(self._stories(asked))

    @property
    def words(self) -> str:
        """The condition, to be read."""
        how = f", {self.state}" if self.state else ""
        whom = f", done to {self.target}" if self.target else ""
        return f"gossip about {self.about}{how}{whom}"

    def look(self, asked: Asked) -> GateResult:
        """Return the answer with the stories that were heard."""
        stories = self._stories(asked)
        if stories:
            found = "one story" if len(stories) == 1 else f"{len(stories)} stories"
        else:
            found = f"nothing heard{undeclared(self.about, asked.known)}"
        return GateResult(
            kind="gossip",
            text=self.words,
            met=bool(stories),
            found=found,
            fact_ids=stories,
            entities=(self.about,),
        )
