"""One request: who speaks or thinks, when, upon what, and the draws that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from talebearer.lines._declared import Scalar
from talebearer.lines._pack import Pack
from talebearer.lines._random import key_part, more_part, number_of
from talebearer.lines._scene import Scene, Speech
from talebearer.lines._view import View
from talebearer.lines.gates import Asked, Known
from talebearer.memory import Mind

_MINDS_KEPT = 64
DIALOGUE_REQUEST = "dialogue"
"""The request of a dialogue draw; a monologue draw has its trigger there."""


class Source(NamedTuple):
    """From which pools somebody speaks or thinks.

    Attributes:
        views: One a pool, by path.
        here: Those that belong to a place.
        general: Those that belong to none, for thoughts anywhere.
        strategy: The one that a pool's header names, or the default.
        paths: The paths that the pools had first.
    """

    views: tuple[View, ...]
    here: tuple[View, ...]
    general: tuple[View, ...]
    strategy: str
    paths: tuple[str, ...]


class Draws:
    """The numbers that all requests to one selector draw: whose mind it is, and by which seed.

    Attributes:
        mind_id: Whose mind it is.
        first_path: From a pool's path to the one that it had first.

    Source: rule LP-L5.
    """

    __slots__ = ("_drawn_as", "_mind", "_parts", "_seed", "first_path", "mind_id")

    def __init__(self, mind: Mind, seed: int, pack: Pack) -> None:
        self.first_path = pack.first_path
        self._drawn_as = pack.first_mind(mind.mind_id)
        self.mind_id = mind.mind_id
        self._mind = mind
        self._seed = seed
        kept = pack.key_parts
        if len(kept) >= _MINDS_KEPT:
            kept.clear()
        self._parts = kept.setdefault(self._drawn_as, {})

    def number(self, paths: tuple[str, ...], request: str, tick: int, more: str = "") -> int:
        """Return the 64-bit number of a draw from the pools of *paths*."""
        parts = self._parts
        key = (paths, request)
        part = parts.get(key)
        if part is None:
            part = parts[key] = key_part(self._drawn_as, paths, request)
        return number_of(f"[{self._seed},{tick}{part}{self._mind.picks_at(tick)}{more}]")

    def chance(
        self,
        paths: tuple[str, ...],
        request: str,
        tick: int,
        asked: Asked,
        condition: str,
        place: int,
    ) -> int:
        """Return the 64-bit number that decides a chance of the line that is *asked* about."""
        pool = self.first_path(asked.pool)
        more = more_part("chance", pool, asked.line, condition, place)
        return self.number(paths, request, tick, more)


class Request:
    """One request for a line, its words checked.

    Attributes:
        source: The pools.
        strategy: How to draw.
        speaker: Who speaks or thinks.
        tick: Now.
        scene: The scene of what is said; None for a thought.
        trigger: What brings a thought up; None for what is said.
        location: Where a thought is thought.
        event: The fields of what happened.
        spoken: What is being spoken now.
    """

    __slots__ = (
        "_asked",
        "_draws",
        "_known",
        "event",
        "location",
        "scene",
        "source",
        "speaker",
        "spoken",
        "strategy",
        "tick",
        "trigger",
    )

    def __init__(
        self,
        source: Source,
        strategy: str,
        speaker: str,
        tick: int,
        scene: Scene | None,
        trigger: str | None,
        location: str,
        event: Mapping[str, Scalar],
        spoken: tuple[Speech, ...],
        known: Known,
        draws: Draws,
    ) -> None:
        self.source = source
        self.strategy = strategy
        self.speaker = speaker
        self.tick = tick
        self.scene = scene
        self.trigger = trigger
        self.location = location
        self.event = event
        self.spoken = spoken
        self._known = known
        self._draws = draws
        self._asked: Asked | None = None

    @property
    def asked(self) -> Asked:
        """The question for gates that only the moment decides, and for looking at gates."""
        if self._asked is None:
            name = self.trigger or DIALOGUE_REQUEST
            self._asked = Asked(
                self._known,
                tick=self.tick,
                speaker=self.speaker,
                trigger=self.trigger,
                event=self.event,
                # Nothing that leads back here: a request is gone when it is answered.
                draw=partial(self._draws.chance, self.source.paths, name, self.tick),
                mind_id=self._draws.mind_id,
            )
        return self._asked

    def number(self, more: str = "") -> int:
        """Return the 64-bit number of the draw, or of another one that is told apart by *more*."""
        name = self.trigger or DIALOGUE_REQUEST
        return self._draws.number(self.source.paths, name, self.tick, more)

    def variant(self, pool: str, line: str) -> int:
        """Return the 64-bit number that chooses among a line's texts."""
        return self.number(more_part("variant", self._draws.first_path(pool), line))
