"""Setups: what is tried, whole. Who speaks or thinks, where and when, and what the mind knows.

A setup is a value. It has the members of a plan's case of one step, without its name and without what
is expected, and three forms that say the same: a JSON object, a query string, a case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from talebearer.content import GIVEN_KINDS
from talebearer.lines import Scene

Scalar = str | int | float | bool

MIND = "party"
SINGLE = ("speaker", "character", "trigger", "location", "access", "trust", "strategy")
"""Members that are one word, or not there."""

SEVERAL = ("situations", "topics", "moods")
"""Members that are lists of words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything that decides what can be said or thought, and what is.

    Attributes:
        speaker: Slug of the NPC that speaks; None for a thought.
        character: The player character that thinks; None for a conversation.
        trigger: What happened, for a thought.
        location: Where.
        access: The listener's access tier, for a conversation.
        trust: The listener's trust tier, for a conversation.
        situations: What is going on, for a conversation.
        topics: What the speaker is asked about.
        moods: How the speaker feels.
        strategy: How the draw is made; None leaves it to the pools.
        event: Fields of what happened.
        speaking: What is being spoken now: class and character.
        tick: When, from 0; what was given happened no later.
        seed: The seed of the draws.
        mind: Who listens or thinks.
        given: What the mind knows and what happened before, as in a plan: lists by kind.
    """

    speaker: str | None = None
    character: str | None = None
    trigger: str | None = None
    location: str = ""
    access: str | None = None
    trust: str | None = None
    situations: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    moods: tuple[str, ...] = ()
    strategy: str | None = None
    event: Mapping[str, Scalar] = field(default_factory=dict)
    speaking: tuple[tuple[str, str], ...] = ()
    tick: int = 0
    seed: int = 0
    mind: str = MIND
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_thought(self) -> bool:
        """Whether somebody thinks rather than speaks."""
        return self.character is not None

    @property
    def scene(self) -> Scene:
        """The scene of a conversation, as the engine takes it."""
        return Scene(
            location=self.location,
            access=self.access or "",
            trust=self.trust or "",
            situations=self.situations,
            topics=self.topics,
            moods=self.moods,
        )

    def but(self, **changes: Any) -> Setup:
        """Return this setup with some members changed."""
        return replace(self, **changes)

    def as_json(self) -> dict[str, Any]:
        """Return the setup as a JSON object; what says nothing is left out.

        A conversation's ``situations``, the tick and the seed are always there.
        """
        value: dict[str, Any] = {}
        for name in SINGLE:
            word = getattr(self, name)
            if word is not None:
                value[name] = word
        for name in SEVERAL:
            words = getattr(self, name)
            if words or (name == "situations" and not self.is_thought):
                value[name] = list(words)
        if self.event:
            value["event"] = dict(sorted(self.event.items()))
        if self.speaking:
            value["speaking"] = [{"class": kind, "character": who} for kind, who in self.speaking]
        value["tick"] = self.tick
        value["seed"] = self.seed
        if self.mind != MIND:
            value["mind"] = self.mind
        given = {
            kind: [dict(one) for one in self.given[kind]]
            for kind in GIVEN_KINDS
            if self.given.get(kind)
        }
        if given:
            value["given"] = given
        return value

    @property
    def past(self) -> bytes:
        """What tells this setup's minds from another's: the mind and what it was given."""
        return orjson.dumps([self.mind, self.as_json().get("given", {})])


def setup_of(value: Mapping[str, Any]) -> Setup:
    """Return the setup that the JSON object *value*, which was checked, says."""
    found: dict[str, Any] = {name: value[name] for name in SINGLE if name in value}
    found |= {name: tuple(value[name]) for name in SEVERAL if name in value}
    found |= {name: value[name] for name in ("tick", "seed", "mind") if name in value}
    found["event"] = dict(value.get("event", {}))
    found["speaking"] = tuple((one["class"], one["character"]) for one in value.get("speaking", ()))
    given = value.get("given", {})
    found["given"] = {kind: tuple(given[kind]) for kind in GIVEN_KINDS if given.get(kind)}
    return Setup(**found)
