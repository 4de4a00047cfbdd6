"""The verdict of every line: which stage dropped it, or how likely it is to be drawn.

The stages run through the same functions as a pick; this module keeps what is left after each, and puts
into words what was found where a line fell out. What is kept are sets of lines: the words are made line by
line, when a line is looked at, so that a screen of a large pool costs as much as a screen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, overload

from talebearer.lines import _bits
from talebearer.lines._drawing import scoring_of
from talebearer.lines._passing import DIALOGUE_STAGES, MONOLOGUE_STAGES, passing, thoughts
from talebearer.lines._pools import DialoguePool, MonologuePool, Pool
from talebearer.lines._request import Request
from talebearer.lines._scene import Scene, Speech
from talebearer.lines._strategies import NARROW, STAGES, Drawn, Found, Scoring, Step
from talebearer.lines._types import LineKey
from talebearer.lines._verdicts import Explanation, Funnel, Verdict, in_draw, in_words
from talebearer.lines._view import View, excluder
from talebearer.lines.gates import GateResult

_GATED = "prerequisites"
"""The stage from which on the gates of a line are looked at."""

Words = Callable[[int], str]
"""From a line's position to what was found where it fell out."""


class _Stage(NamedTuple):
    """What is left of a pool after a stage, and the words for what is not."""

    name: str
    left: int
    words: Words


class _Finale(NamedTuple):
    """The end of a request: repeats, the strategy and the draw.

    Attributes:
        unrepeated: What is left after repeats.
        steps: What is left after each stage of the strategy.
        drawn: What is drawn from.
        scoring: How lines score.
        scored: Whether scores are shown; a thought's is its priority, which is no score.
        total: The sum of all weights in the draw.
        number: How many lines are in it.
    """

    unrepeated: Found
    steps: list[Step]
    drawn: Drawn
    scoring: Scoring
    scored: bool
    total: int
    number: int


def judge(request: Request, *, shown: Sequence[MonologuePool] | None = None) -> Verdicts:
    """Judge every line of the candidate pools, or of a thought all lines of those *shown*."""
    finale, general_asked = _finale(request)
    by_path = {view.pool.path: view for view in request.source.views}
    pools = [view.pool for view in request.source.views] if shown is None else shown
    parts: list[_Judged | _PassedOver] = []
    for pool in pools:
        view = by_path.get(pool.path)
        out = _passed_over(pool, request, view, general_asked)
        if out is not None or view is None:
            parts.append(_PassedOver(pool, *(out or ("location", ""))))
        else:
            parts.append(_Judged(view, _stages(view, request, finale), finale, request))
    return Verdicts(parts, _names(request), finale.number)


def funnel(request: Request) -> Funnel:
    """Return how many lines of the candidate pools each stage leaves over."""
    finale, general_asked = _finale(request)
    found = []
    for view in request.source.views:
        out = _passed_over(view.pool, request, view, general_asked)
        stages = (
            _stages(view, request, finale) if out is None else [_Stage(out[0], 0, lambda _: "")]
        )
        found.append((view, stages))
    return _funnel(found, _names(request), finale)


def _names(request: Request) -> tuple[str, ...]:
    """Return the stages of a request, in the order in which they drop lines."""
    before = MONOLOGUE_STAGES if request.scene is None else DIALOGUE_STAGES
    return (*before, *STAGES[request.strategy])


def _stages(view: View, request: Request, finale: _Finale) -> list[_Stage]:
    """Return what is left of a pool after each stage before the strategy."""
    scene = request.scene
    if scene is None:
        first = [_triggered(view.pool, request.trigger)]
        return [*first, *_gates(view, first[0].left, request)]
    layers = _layers(view.pool, scene)
    stages = [*layers, *_gates(view, layers[-1].left, request)]
    return [*stages, _repeat(view, stages[-1].left, finale)]


def _funnel(
    found: Iterable[tuple[View, list[_Stage]]], names: Sequence[str], finale: _Finale
) -> Funnel:
    """Count what is left after each of the stages *names*, over all views."""
    dropped: Counter[str] = Counter()
    size = 0
    for view, stages in found:
        size += view.pool.size
        left = (1 << view.pool.size) - 1
        for stage in stages:
            now = left & stage.left
            dropped[stage.name] += left.bit_count() - now.bit_count()
            left = now
    last = sum(bits.bit_count() for _, bits in finale.unrepeated)
    for step in finale.steps:
        now = sum(bits.bit_count() for _, bits in step.left)
        dropped[step.stage] += last - now
        last = now
    steps = [("lines", size)]
    for name in names:
        steps.append((name, steps[-1][1] - dropped[name]))
    return Funnel(steps=tuple(steps), eligible=finale.number)


def _finale(request: Request) -> tuple[_Finale, bool]:
    """Return the end of a request, and whether general pools were asked for a thought."""
    general_asked = False
    if request.scene is None:
        found, general_asked = thoughts(request)
    else:
        found = passing(request)
    scoring = scoring_of(request.scene)
    steps: list[Step] = []
    drawn = NARROW[request.strategy](found, scoring, steps) if found else Drawn([])
    sizes = [
        (group.weight, sum(bits.bit_count() for _, bits in group.lines)) for group in drawn.groups
    ]
    total = sum(weight * count for weight, count in sizes)
    number = sum(count for _, count in sizes)
    scored = request.scene is not None
    return _Finale(found, steps, drawn, scoring, scored, total, number), general_asked


# --- the stages of one pool ----------------------------------------------------------------------


def _layers(pool: DialoguePool, scene: Scene) -> list[_Stage]:
    index = pool.index
    access = index.access.get(scene.access, 0)
    active = 0
    for situation in scene.situations:
        active |= index.situation.get(situation, 0)
    situations = access & active
    trust = situations & index.trust.get(scene.trust, 0)
    now = " and ".join(scene.situations) or "none"
    return [
        _Stage(
            "access",
            access,
            lambda p: f"needs {' or '.join(pool.access[p])}; found: {scene.access}",
        ),
        _Stage(
            "situation",
            situations,
            lambda p: f"needs {' or '.join(pool.situation[p])}; found: {now}",
        ),
        _Stage("trust", trust, lambda p: f"needs {pool.trust[p]} or beyond; found: {scene.trust}"),
    ]


def _gates(view: View, left: int, request: Request) -> list[_Stage]:
    """Return the stages between the layers and the draw, on what is *left* before them."""
    pool = view.pool
    view.open_at(request.tick)
    met = view.late(left & ~view.closed, request.asked)
    once = met & ~view.spent
    rested = once & ~view.resting
    audible = view.audible(rested & ~view.rules.barred_bits, request.spoken)
    return [
        _Stage(_GATED, met, lambda _: ""),
        _Stage("once", once, lambda p: f"said once ({pool.once[p]}), and it was"),
        _Stage("cooldown", rested, view.rest_in_words),
        _Stage("class", audible, _class_words(view, request.spoken)),
    ]


def _class_words(view: View, spoken: Sequence[Speech]) -> Words:
    def words(position: int) -> str:
        name = view.pool.classes[position]
        found = view.declared.classes.get(name)
        if found is None:
            return f"no class {name} is declared"
        other = excluder(found, spoken)
        assert other is not None, "something excluded the line"
        return f"{name} waits while {other.character} speaks {other.speaking_class}"

    return words


def _repeat(view: View, left: int, finale: _Finale) -> _Stage:
    kept = _of(view, finale.unrepeated)
    # Only the line heard last is ever taken away; a view without any other line falls out with it.
    gone = left & view.last_bit & ~kept
    return _Stage(
        "repeat", left & ~gone, lambda _: "heard last from this speaker, and another line passes"
    )


def _triggered(pool: MonologuePool, trigger: str | None) -> _Stage:
    return _Stage(
        "trigger",
        pool.trigger_bits.get(trigger, 0),
        lambda position: f"needs {pool.triggers[position]}; found: {trigger}",
    )


def _passed_over(
    pool: DialoguePool | MonologuePool, request: Request, view: View | None, general_asked: bool
) -> tuple[str, str] | None:
    """Return the stage at which all lines of a pool fell out, and the words for it, or None."""
    if isinstance(pool, DialoguePool):
        return None
    character, location = request.speaker, request.location
    if pool.character != character:
        return "character", f"needs {pool.character}; found: {character}"
    if view is None:
        return "location", f"needs {pool.location}; found: {location}"
    if pool.general and location != pool.location and not general_asked:
        return "location", f"general; a line of {location} is left, so it is not asked"
    return None


# --- the lines of one pool -----------------------------------------------------------------------


def _looked(view: View, position: int, request: Request) -> tuple[GateResult, ...]:
    asks = view.pool.when.get(position)
    if asks is None:
        return ()
    asked = request.asked
    asked.about(view.pool.path, view.pool.ids[position])
    return tuple(gate.look(asked) for gate in asks.gates)


class _PassedOver:
    """The lines of a pool that was not asked."""

    def __init__(self, pool: Pool[Any], stage: str, detail: str) -> None:
        self.pool = pool
        self.fallen = [(stage, (1 << pool.size) - 1)]
        self.drawable = 0
        self._stage = stage
        self._detail = detail

    def weight(self, position: int) -> int:  # noqa: ARG002  # reason: as of those that were asked
        """Return 0: none of these can be drawn."""
        return 0

    def verdict(self, position: int) -> Verdict:
        """Return what became of a line."""
        return _dropped(self.pool, position, self._stage, self._detail, ())


class _Judged:
    """The lines of one view: where each fell out, and what those are worth that did not.

    Attributes:
        pool: The pool.
        fallen: Each stage with the lines that it dropped.
        drawable: The lines that can be drawn.
    """

    def __init__(
        self,
        view: View,
        stages: Sequence[_Stage],
        finale: _Finale,
        request: Request,
    ) -> None:
        self.pool: Pool[Any] = view.pool
        self._view = view
        self._finale = finale
        self._request = request
        self._stages = stages
        self._reached = next(at for at, stage in enumerate(stages) if stage.name == _GATED)
        left = (1 << view.pool.size) - 1
        self.fallen: list[tuple[str, int]] = []
        for stage in stages:
            self.fallen.append((stage.name, left & ~stage.left))
            left &= stage.left
        self._scored = left
        for step in finale.steps:
            kept = _of(view, step.left)
            self.fallen.append((step.stage, left & ~kept))
            left &= kept
        self.drawable = left

    @cached_property
    def _fates(self) -> list[str]:
        """For each stage, and for the draw, its lines by position."""
        size = self.pool.size
        return [_bits.digits(bits, size) for _, bits in (*self.fallen, ("", self.drawable))]

    @cached_property
    def _levels(self) -> list[tuple[int, str]]:
        if not self._scored:
            return []
        levels = self._finale.scoring.levels(self._view, self._scored)
        return [(score, _bits.digits(bits, self.pool.size)) for score, bits in levels]

    @cached_property
    def _weights(self) -> list[tuple[int, str]]:
        return [
            (group.weight, _bits.digits(_of(self._view, group.lines), self.pool.size))
            for group in self._finale.drawn.groups
        ]

    @cached_property
    def _best(self) -> list[str]:
        return [_best_of(step, self._finale) for step in self._finale.steps]

    def weight(self, position: int) -> int:
        """Return the line's weight in the draw, 0 when it cannot be drawn."""
        return next((weight for weight, kept in self._weights if kept[position] == "1"), 0)

    def verdict(self, position: int) -> Verdict:
        """Return what became of a line; its gates are looked at once it came as far as they."""
        number = next(at for at, fate in enumerate(self._fates) if fate[position] == "1")
        if number >= len(self._stages):
            return self._judged(position, number - len(self._stages))
        stage = self._stages[number]
        gates = self._gates(position) if number >= self._reached else ()
        if stage.name == _GATED:
            detail = in_words(next(gate for gate in gates if not gate.met))
        else:
            detail = stage.words(position)
        return _dropped(self.pool, position, stage.name, detail, gates)

    def _gates(self, position: int) -> tuple[GateResult, ...]:
        return _looked(self._view, position, self._request)

    def _judged(self, position: int, step: int) -> Verdict:
        """Return what became of a line that was left before the strategy."""
        finale, gates = self._finale, self._gates(position)
        level = next(score for score, kept in self._levels if kept[position] == "1")
        score = level if finale.scored else None
        if step < len(finale.steps):
            stage = finale.steps[step].stage
            detail = self._words(position, stage, self._best[step], level)
            return _dropped(self.pool, position, stage, detail, gates, score=score)
        return in_draw(
            (self.pool.path, self.pool.ids[position]),
            self.pool.texts[position],
            weight=self.weight(position),
            total=finale.total,
            count=finale.number,
            gates=gates,
            score=score,
        )

    def _words(self, position: int, stage: str, best: str, level: int) -> str:
        """Return the line's value at the stage that left it out, and the best one."""
        view = self._view
        if stage == "score":
            what = "score" if self._finale.scored else "priority"
            return f"{what} {level}; the best is {best}"
        if stage == "specificity":
            return f"gates {_count(view, position)}; the best is {best}"
        if stage == "bag":
            turn = view.round_of(1 << position)
            return f"drawn in turn {turn} of the bag; another is still to come"
        return f"heard at tick {view.heard_at(position)}; another was {best}"


class Verdicts(Sequence[Verdict]):
    """What became of every line of the candidate pools, in pack order, told line by line.

    Each verdict is made when it is looked at, from the minds as they are then: use it before they
    change.

    Attributes:
        stages: The stages in the order in which they drop lines.
        eligible: How many lines can be drawn.
    """

    def __init__(
        self, parts: Sequence[_Judged | _PassedOver], stages: tuple[str, ...], eligible: int
    ) -> None:
        self.stages = stages
        self.eligible = eligible
        self._parts = parts
        self._starts = [0, *accumulate(part.pool.size for part in parts)]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> Verdict: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, place: int | slice) -> Verdict | tuple[Verdict, ...]:
        if isinstance(place, slice):
            return tuple([self._at(index) for index in range(len(self))[place]])
        return self._at(range(len(self))[place])

    def _at(self, index: int) -> Verdict:
        number = bisect_right(self._starts, index) - 1
        return self._parts[number].verdict(index - self._starts[number])

    def weight(self, index: int) -> int:
        """Return the weight of the line at *index* in the draw, 0 when it cannot be drawn."""
        number = bisect_right(self._starts, index) - 1
        return self._parts[number].weight(index - self._starts[number])

    def dropped_by(self, stage: str | None) -> Iterator[int]:
        """Yield the indexes of the lines that *stage* dropped; None: of those that can be drawn."""
        for start, part in zip(self._starts, self._parts, strict=False):
            fallen = part.fallen if stage is not None else [(None, part.drawable)]
            for name, bits in fallen:
                if name == stage:
                    yield from (start + position for position in _bits.positions_of(bits))

    def keys(self) -> Iterator[LineKey]:
        """Yield pool path and id of every line."""
        for part in self._parts:
            yield from ((part.pool.path, line_id) for line_id in part.pool.ids)

    def texts(self) -> Iterator[str]:
        """Yield the text of every line."""
        for part in self._parts:
            yield from part.pool.texts

    @property
    def pools(self) -> tuple[tuple[str, int], ...]:
        """Path and size of each pool, in order."""
        return tuple((part.pool.path, part.pool.size) for part in self._parts)

    @property
    def funnel(self) -> Funnel:
        """How many lines each stage leaves over; ``lines`` is before any."""
        dropped: Counter[str] = Counter()
        for part in self._parts:
            for name, bits in part.fallen:
                dropped[name] += bits.bit_count()
        steps = [("lines", len(self))]
        for name in self.stages:
            steps.append((name, steps[-1][1] - dropped[name]))
        return Funnel(steps=tuple(steps), eligible=self.eligible)

    def explained(self) -> Explanation:
        """Return all verdicts at once."""
        return Explanation(verdicts=tuple(self), stages=self.stages)


def _best_of(step: Step, finale: _Finale) -> str:
    """Return in words what the lines have that a stage left over."""
    if not step.left:
        return ""
    view, bits = step.left[0]
    if step.stage == "score":
        return str(finale.scoring.top(view, bits)[0])
    first = next(_bits.positions_of(bits))
    if step.stage == "specificity":
        return str(_count(view, first))
    heard = view.heard_bits >> first & 1
    return f"heard at tick {view.heard_at(first)}" if heard else "never heard"


def _of(view: View, found: Found) -> int:
    """Return the lines of *view* in *found*."""
    return next((bits for one, bits in found if one is view), 0)


def _count(view: View, position: int) -> int:
    asks = view.pool.when.get(position)
    return 0 if asks is None else sum(gate.count for gate in asks.gates)


def _dropped(
    pool: Pool[Any],
    position: int,
    stage: str,
    detail: str,
    gates: tuple[GateResult, ...],
    *,
    score: int | None = None,
) -> Verdict:
    return Verdict(
        pool=pool.path,
        line_id=pool.ids[position],
        text=pool.texts[position],
        dropped_by=stage,
        detail=detail,
        gates=gates,
        score=score,
    )
