"""The flow of monologue: character, place, trigger, gates, cooldown, priority.

Source: the line-pool spec section 4.4; rules LP-L1, LP-L4, LP-L12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from talebearer.lines._gates import Known, all_open, look
from talebearer.lines._types import LineKey, MonologueLine, MonologuePool
from talebearer.lines._verdicts import in_words
from talebearer.memory import KnowledgeGraph

MONOLOGUE_STAGES = ("character", "location", "trigger", "prerequisites", "cooldown")

Fired: TypeAlias = Callable[[LineKey], int | None]
"""When a line fired last, or None."""


class Thought(NamedTuple):
    """A line that passed every stage."""

    pool: MonologuePool
    line: MonologueLine

    @property
    def key(self) -> LineKey:
        """Its composite key."""
        return (self.pool.path, self.line.id)

    @property
    def weight(self) -> int:
        """Weight in the draw; equal priorities are equally likely."""
        return 1 << self.line.priority


class Moment(NamedTuple):
    """What a monologue line is asked against."""

    trigger: str
    known: Known
    fired: Fired
    now: int


def query_monologue(
    pools: Sequence[MonologuePool],
    character: str,
    trigger: str,
    knowledge: KnowledgeGraph | None,
    fired_cooldowns: Mapping[LineKey, int],
    now: int,
    *,
    known: Known | None = None,
) -> list[MonologueLine]:
    """Return the lines that can fire, in the order of *pools*.

    Args:
        pools: The pools of the current place, and general ones; these count only when no line of
            the place is left. Pools of another character never count.
        character: Whose thoughts.
        trigger: What happened.
        knowledge: What the mind knows; without it no gate on knowledge is met.
        fired_cooldowns: Pool path and line id to the tick of the last firing.
        now: The tick of the question.
        known: *knowledge* with profiles and catalogue; counts instead of it.

    Source: the line-pool spec section 9.2.
    """
    mine = [pool for pool in pools if pool.character == character]
    moment = Moment(trigger, known or Known(graph=knowledge), fired_cooldowns.get, now)
    return [thought.line for thought in eligible(mine, moment)[0]]


def eligible(pools: Iterable[MonologuePool], moment: Moment) -> tuple[list[Thought], bool]:
    """Return the lines that can fire, and whether the general pools were asked."""
    here: list[MonologuePool] = []
    general: list[MonologuePool] = []
    for pool in pools:
        (general if pool.general else here).append(pool)
    of_the_place = _passing(here, moment)
    if of_the_place:
        return of_the_place, False
    return _passing(general, moment), True


def _passing(pools: Iterable[MonologuePool], moment: Moment) -> list[Thought]:
    return [
        Thought(pool, line)
        for pool in pools
        for line in pool.by_trigger.get(moment.trigger, ())
        if _rested(pool, line, moment) and all_open(line.gates, moment.known)
    ]


def _rested(pool: MonologuePool, line: MonologueLine, moment: Moment) -> bool:
    if not line.cooldown:
        return True
    fired = moment.fired((pool.path, line.id))
    return fired is None or moment.now - fired >= line.cooldown


def first_stage(pool: MonologuePool, line: MonologueLine, moment: Moment) -> tuple[str, str] | None:
    """Return the first of trigger, gates and cooldown that drops *line*, with what it found."""
    if line.trigger != moment.trigger:
        return "trigger", f"needs {line.trigger}; found: {moment.trigger}"
    for gate in line.gates:
        result = look(gate, moment.known)
        if not result.met:
            return "prerequisites", in_words(result)
    if not _rested(pool, line, moment):
        fired = moment.fired((pool.path, line.id)) or 0
        ready = fired + line.cooldown
        return "cooldown", f"fired at tick {fired}, ready at {ready}; found: tick {moment.now}"
    return None
