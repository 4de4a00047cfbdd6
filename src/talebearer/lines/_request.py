"""Which lines pass, in a conversation and in a monologue.

Conversation:

1. access: the line names the listener's tier.
2. situation: the line names a situation that is active.
3. trust: the line needs no more than the listener has.
   Then its gates, ``once``, its cooldown, and what its class says to what is being spoken; then the
   line heard last steps back while another is left.
4. topic and mood: a score for each line, from which the strategy makes the draw.

Monologue: character, place, trigger, gates, ``once``, cooldown, class; the general pools are asked only
when no line of the place is left.

Source: the line-pool spec sections 3.4 and 4.4; rules LP-L2, LP-L3, LP-L11, LP-L12.
"""

from __future__ import annotations

from collections.abc import Iterable

from talebearer.lines._moment import Moment
from talebearer.lines._pools import DialoguePool, MonologuePool
from talebearer.lines._scene import Scene
from talebearer.lines._strategies import SCORE_MIN, Found
from talebearer.lines._view import View

DIALOGUE_STAGES = (
    "access",
    "situation",
    "trust",
    "prerequisites",
    "once",
    "cooldown",
    "class",
    "repeat",
)
MONOLOGUE_STAGES = (
    "character",
    "location",
    "trigger",
    "prerequisites",
    "once",
    "cooldown",
    "class",
)


class TopicsAndMoods:
    """The score of a conversation."""

    __slots__ = ("_moods", "_topics")

    def __init__(self, scene: Scene) -> None:
        self._topics = scene.topics
        self._moods = scene.moods

    def top(self, view: View, mask: int) -> tuple[int, int]:
        """Return the top score of *mask* and the lines that have it."""
        pool: DialoguePool = view.pool
        return pool.top(mask, self._topics, self._moods)

    def levels(self, view: View, mask: int) -> list[tuple[int, int]]:
        """Return each score with its lines, most first."""
        pool: DialoguePool = view.pool
        return pool.levels(mask, self._topics, self._moods)

    def weight(self, score: int) -> int:
        """Return twice the weight for each point."""
        return 1 << (score - SCORE_MIN)


class Priority:
    """The score of a thought."""

    __slots__ = ()

    def top(self, view: View, mask: int) -> tuple[int, int]:
        """Return the highest priority of *mask* and the lines that have it."""
        return self.levels(view, mask)[0]

    def levels(self, view: View, mask: int) -> list[tuple[int, int]]:
        """Return each priority with its lines, highest first."""
        pool: MonologuePool = view.pool
        return pool.levels(mask)

    def weight(self, score: int) -> int:
        """Return 2 to the power of the priority.

        Source: rule LP-L4.
        """
        return 1 << score


def passing(scene: Scene, moment: Moment) -> Found:
    """Return the lines that pass everything before the score."""
    found: Found = []
    views = moment.source.views
    for view in views:
        mask = view.pool.layers(scene.access, scene.trust, scene.situations)
        if mask:
            mask = after_gates(view, mask, moment)
            if mask:
                found.append((view, mask))
    return without_repeat(found, views)


def after_gates(view: View, mask: int, moment: Moment) -> int:
    """Return *mask* without what gates, ``once``, cooldowns and classes bar."""
    opened = view.open_at(moment.tick)
    if opened is not None:
        mask &= opened
    if view.rules.late_bits and mask:
        mask = view.late(mask, moment.asked)
    if moment.spoken and mask:
        mask = view.audible(mask, moment.spoken)
    return mask


def without_repeat(found: Found, views: Iterable[View]) -> Found:
    """Return *found* without the line of *views* that was heard last; a line that is alone stays.

    What counts as heard last are all lines of the speaker's pools, whether or not they pass now: only
    then is it a repeat.

    Source: rule LP-L3.
    """
    order, bit, last = 0, 0, None
    for view in views:
        if view.last[0] > order:
            (order, bit), last = view.last, view
    if last is None:
        return found
    for place, (view, mask) in enumerate(found):
        if view is last and mask & bit:
            left = mask ^ bit
            if left:
                return [*found[:place], (view, left), *found[place + 1 :]]
            if len(found) > 1:
                return [*found[:place], *found[place + 1 :]]
    return found


def passing_monologue(trigger: str, moment: Moment) -> tuple[Found, bool]:
    """Return the lines that can fire, and whether the general pools were asked."""
    views = moment.source.views
    found = _firing([view for view in views if not view.pool.general], trigger, moment)
    if found:
        return found, False
    return _firing([view for view in views if view.pool.general], trigger, moment), True


def _firing(views: Iterable[View], trigger: str, moment: Moment) -> Found:
    found: Found = []
    for view in views:
        mask = view.pool.trigger_bits.get(trigger, 0)
        if mask:
            mask = after_gates(view, mask, moment)
            if mask:
                found.append((view, mask))
    return found
