"""One request: who speaks, when, upon what, and the draws that belong to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from talebearer.lines._declared import Scalar
from talebearer.lines._pack import Pack
from talebearer.lines._random import key_part, more_part, number_of
from talebearer.lines._scene import Speech
from talebearer.lines._view import View
from talebearer.lines.gates import Asked, Known
from talebearer.memory import Mind

DIALOGUE_REQUEST = "dialogue"
"""The request of a dialogue draw; a monologue draw has its trigger there."""


class Source(NamedTuple):
    """From which pools somebody speaks or thinks.

    Attributes:
        views: One a pool, by first path.
        strategy: The one that a pool's header names, or the default.
        paths: The paths that the pools had first.
    """

    views: tuple[View, ...]
    strategy: str
    paths: tuple[str, ...]


class Desk:
    """What all requests to one selector share: whose mind it is, what is known, and the keys of draws.

    Attributes:
        known: What gates are asked against.
        mind_id: Whose mind it is.
        first_path: From a pool's path to the one that it had first.

    Source: rule LP-L5.
    """

    __slots__ = ("_drawn_as", "_mind", "_parts", "_seed", "first_path", "known", "mind_id")

    def __init__(self, mind: Mind, known: Known, seed: int, pack: Pack) -> None:
        self.known = known
        self.first_path = pack.first_path
        self._drawn_as = pack.first_mind(mind.mind_id)
        self.mind_id = mind.mind_id
        self._mind = mind
        self._seed = seed
        self._parts: dict[tuple[Sequence[str], str], str] = {}

    def key(self, paths: tuple[str, ...], request: str, tick: int, more: str = "") -> str:
        """Return the array that a draw hashes."""
        part = self._parts.get((paths, request))
        if part is None:
            part = key_part(self._drawn_as, paths, request)
            self._parts[paths, request] = part
        return f"[{self._seed},{tick}{part}{self._mind.picks_at(tick)}{more}]"


class Moment:
    """One request.

    Attributes:
        source: The pools.
        tick: Now.
        spoken: What is being spoken now.
    """

    __slots__ = ("_asked", "_desk", "_event", "_speaker", "_trigger", "source", "spoken", "tick")

    def __init__(
        self,
        desk: Desk,
        source: Source,
        tick: int,
        speaker: str,
        trigger: str | None,
        event: Mapping[str, Scalar],
        spoken: tuple[Speech, ...],
    ) -> None:
        self.source = source
        self.tick = tick
        self.spoken = spoken
        self._desk = desk
        self._speaker = speaker
        self._trigger = trigger
        self._event = event
        self._asked: Asked | None = None

    @property
    def asked(self) -> Asked:
        """The question for gates that only the moment decides, and for looking at gates."""
        if self._asked is None:
            self._asked = Asked(
                self._desk.known,
                tick=self.tick,
                speaker=self._speaker,
                trigger=self._trigger,
                event=self._event,
                draw=self._chance,
                mind_id=self._desk.mind_id,
            )
        return self._asked

    def number(self) -> int:
        """Return the 64-bit number of the draw."""
        request = DIALOGUE_REQUEST if self._trigger is None else self._trigger
        return number_of(self._desk.key(self.source.paths, request, self.tick))

    def variant(self, pool: str, line: str) -> int:
        """Return the 64-bit number that chooses among a line's texts."""
        return self._more(more_part("variant", self._desk.first_path(pool), line))

    def _chance(self, asked: Asked, condition: str, place: int) -> int:
        pool = self._desk.first_path(asked.pool)
        return self._more(more_part("chance", pool, asked.line, condition, place))

    def _more(self, more: str) -> int:
        request = DIALOGUE_REQUEST if self._trigger is None else self._trigger
        return number_of(self._desk.key(self.source.paths, request, self.tick, more))
