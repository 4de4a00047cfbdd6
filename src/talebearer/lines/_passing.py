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

from talebearer.lines._request import Request
from talebearer.lines._scene import Scene
from talebearer.lines._strategies import Found
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


def passing(request: Request) -> Found:
    """Return the lines that pass everything before the score."""
    scene = request.scene
    return thoughts(request)[0] if scene is None else _sayings(request, scene)


def _sayings(request: Request, scene: Scene) -> Found:
    found: Found = []
    views = request.source.views
    heard = False
    for view in views:
        mask = view.pool.layers(scene.access, scene.trust, scene.situations)
        if mask:
            mask = after_gates(view, mask, request)
            if mask:
                found.append((view, mask))
                heard = heard or mask & view.last_bit != 0
    return without_repeat(found, views) if heard else found


def after_gates(view: View, mask: int, request: Request) -> int:
    """Return *mask* without what gates, ``once``, cooldowns and classes bar."""
    opened = view.open_at(request.tick)
    if opened is not None:
        mask &= opened
    if view.rules.late_bits and mask:
        mask = view.late(mask, request.asked)
    if request.spoken and mask:
        mask = view.audible(mask, request.spoken)
    return mask


def without_repeat(found: Found, views: Iterable[View]) -> Found:
    """Return *found* without the line of *views* that was heard last; a line that is alone stays.

    What counts as heard last are all lines of the speaker's pools, whether or not they pass now: only
    then is it a repeat.

    Source: rule LP-L3.
    """
    order, bit, last = 0, 0, None
    for view in views:
        if view.last_order > order:
            order, bit, last = view.last_order, view.last_bit, view
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


def thoughts(request: Request) -> tuple[Found, bool]:
    """Return the lines that can fire, and whether the general pools were asked."""
    source = request.source
    found = firing(source.here, request)
    if found:
        return found, False
    return firing(source.general, request), True


def firing(views: Iterable[View], request: Request) -> Found:
    """Return the lines of *views* that can fire."""
    found: Found = []
    for view in views:
        mask = view.pool.trigger_bits.get(request.trigger, 0)
        if mask:
            mask = after_gates(view, mask, request)
            if mask:
                found.append((view, mask))
    return found
