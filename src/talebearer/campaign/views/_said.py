"""What somebody says, why it was picked, and what an ended conversation leads to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """One gate of a line: what it asks, what was found, and what that rests on.

    Attributes:
        text: The condition.
        met: Whether it holds.
        found: The value found.
        fact_ids: The facts and conversations that the answer rests on.
        entities: The entities that it is about.
    """

    text: str
    met: bool
    found: str
    fact_ids: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedView:
    """A fact that a line told.

    Attributes:
        id: The fact's id.
        confidence: How well it is known from the line.
        description: What the catalogue says of it.
    """

    id: str
    confidence: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A line that was said or thought, or the reason why none was.

    Attributes:
        text: What is said; ``None`` when no line fits.
        reference: ``POOL:LINE``, for ``why``.
        speaker: The slug or the player character.
        tick: When.
        interaction: The conversation it belongs to; ``None`` for a thought.
        location: Where.
        gates: The gates that the line passed.
        learned: Facts learned from it.
        eligible: How many lines could have been picked.
        probability: The chance that this one had.
        funnel: How many lines were left after each step.
    """

    text: str | None
    reference: str | None
    speaker: str
    tick: int
    interaction: str | None
    location: str
    gates: tuple[GateView, ...] = ()
    learned: tuple[LearnedView, ...] = ()
    eligible: int = 0
    probability: float | None = None
    funnel: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsequenceView:
    """One step of what follows from the end of a conversation.

    Attributes:
        step: threshold, relationship, stress, memory, drift or forgiveness.
        changed: Whether it changes anything.
        text: What was found and decided, in words.
    """

    step: str
    changed: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a conversation ended or changed.

    Attributes:
        interaction: Its fact id.
        target: The NPC, ``npc:{slug}``.
        state: Its state now.
        confrontation: Whether it ever was a confrontation.
        tick: When.
        consequences: What follows from it, step by step, and why.
    """

    interaction: str
    target: str
    state: str
    confrontation: bool
    tick: int
    consequences: tuple[ConsequenceView, ...] = ()
