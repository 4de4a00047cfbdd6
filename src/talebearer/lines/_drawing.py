"""The draw of one request: how lines score, which of those that pass is drawn, and which of its texts.

Source: rules LP-L2 to LP-L5.
"""

from __future__ import annotations

from collections.abc import Sequence

from talebearer.lines._passing import after_gates, firing, passing
from talebearer.lines._pools import DialoguePool, MonologuePool, variant_name
from talebearer.lines._request import Request
from talebearer.lines._scene import Scene
from talebearer.lines._strategies import (
    NARROW,
    SCORE_MIN,
    Drawing,
    Scoring,
    draw,
    draw_by_priority,
    draw_evenly,
    weighted,
)
from talebearer.lines._view import View
from talebearer.memory import Heard


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


_PRIORITY = Priority()


def scoring_of(scene: Scene | None) -> Scoring:
    """Return how lines score in *scene*; None is for thoughts."""
    return _PRIORITY if scene is None else TopicsAndMoods(scene)


def drawn(request: Request) -> tuple[Drawing, int] | None:
    """Return what is drawn of the lines that pass; None where none does.

    Returns:
        The draw, and the turn of the bag that its line gets; 0 without a bag.
    """
    scene, source, strategy = request.scene, request.source, request.strategy
    # Shorter ways to the same draws, for what is asked most.
    if scene is not None:
        if len(source.views) == 1 and strategy == "top_scored":
            drawing = _said_from_one(request, scene, source.views[0])
            return None if drawing is None else (drawing, 0)
    elif strategy == "weighted":
        drawing = _thought(request, source.here) or _thought(request, source.general)
        return None if drawing is None else (drawing, 0)
    return drawn_at_length(request)


def drawn_at_length(request: Request) -> tuple[Drawing, int] | None:
    """Return what :func:`drawn` does, whatever is asked."""
    found = passing(request)
    if not found:
        return None
    groups, turn = NARROW[request.strategy](found, scoring_of(request.scene), None)
    return draw(groups, request.number), turn


def _said_from_one(request: Request, scene: Scene, view: View) -> Drawing | None:
    """Draw from one pool, evenly from the lines with the top score."""
    pool: DialoguePool = view.pool
    mask = pool.layers(scene.access, scene.trust, scene.situations)
    if mask:
        mask = after_gates(view, mask, request)
    if not mask:
        return None
    last = view.last_bit
    if mask & last and mask != last:
        mask ^= last
    score, bits = pool.top(mask, scene.topics, scene.moods)
    return draw_evenly(view, bits, score, request.number)


def _thought(request: Request, views: Sequence[View]) -> Drawing | None:
    """Draw from *views* by priority, from rows that stand ready where there are any."""
    found = firing(views, request)
    if not found:
        return None
    drawing = draw_by_priority(found, request.number)
    return drawing or draw(weighted(found, _PRIORITY).groups, request.number)


def text_of(request: Request, drawing: Drawing, hearings: Sequence[Heard]) -> str:
    """Return one of a line's texts: none again before all were heard, nor twice in a row.

    Args:
        request: What was asked.
        drawing: The line, which has several texts.
        hearings: How it was heard from who speaks.
    """
    pool, position = drawing.view.pool, drawing.position
    texts: tuple[str, ...] = pool.texts_at(position)
    names = [variant_name(text) for text in texts]
    bag = max(hearings, key=lambda one: one.order).variants if hearings else ()
    left = [place for place, name in enumerate(names) if name not in bag]
    if not left:
        left = [place for place, name in enumerate(names) if name != bag[-1]]
    chosen = left[0]
    if len(left) > 1:
        number = request.variant(pool.path, pool.ids[position])
        chosen = left[(number * len(left)) >> 64]
    return texts[chosen]
