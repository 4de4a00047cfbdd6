"""The verdict of every line: which stage dropped it, or how likely it is to be drawn.

The stages run through the same functions as a pick; this module keeps what is left after each, and puts
into words what was found where a line fell out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from talebearer.lines import _bits
from talebearer.lines._moment import Moment
from talebearer.lines._pools import DialoguePool, MonologuePool, Pool
from talebearer.lines._request import (
    DIALOGUE_STAGES,
    MONOLOGUE_STAGES,
    Priority,
    TopicsAndMoods,
    passing,
    passing_monologue,
)
from talebearer.lines._scene import Scene, Speech
from talebearer.lines._strategies import NARROW, STAGES, Drawn, Found, Scoring, Step
from talebearer.lines._verdicts import Explanation, Funnel, Verdict, in_draw, in_words
from talebearer.lines._view import View, excluder
from talebearer.lines.gates import GateResult

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


def explain_dialogue(scene: Scene, moment: Moment, how: str) -> Explanation:
    """Return the verdict of every line of the speaker's pools."""
    finale = _finale(passing(scene, moment), how, TopicsAndMoods(scene), scored=True)
    verdicts: list[Verdict] = []
    for view in moment.source.views:
        stages = _of_dialogue(view, scene, moment, finale)
        verdicts += _verdicts(view, stages, finale, moment, reached=3)
    return Explanation(verdicts=tuple(verdicts), stages=(*DIALOGUE_STAGES, *STAGES[how]))


def funnel_dialogue(scene: Scene, moment: Moment, how: str) -> Funnel:
    """Return how many lines of the speaker's pools each stage leaves over."""
    finale = _finale(passing(scene, moment), how, TopicsAndMoods(scene), scored=True)
    found = [(view, _of_dialogue(view, scene, moment, finale)) for view in moment.source.views]
    return _funnel(found, (*DIALOGUE_STAGES, *STAGES[how]), finale)


def _of_dialogue(view: View, scene: Scene, moment: Moment, finale: _Finale) -> list[_Stage]:
    layers = _layers(view.pool, scene)
    stages = [*layers, *_gates(view, layers[-1].left, moment)]
    return [*stages, _repeat(view, stages[-1].left, finale)]


def explain_monologue(
    trigger: str,
    moment: Moment,
    how: str,
    *,
    character: str,
    location: str,
    shown: Sequence[MonologuePool] | None,
) -> Explanation:
    """Return the verdict of every line of the candidate pools, or of all lines of those *shown*."""
    views = moment.source.views
    found, general_asked = passing_monologue(trigger, moment)
    finale = _finale(found, how, Priority(), scored=False)
    by_path = {view.pool.path: view for view in views}
    pools: Sequence[MonologuePool] = [view.pool for view in views] if shown is None else shown
    verdicts: list[Verdict] = []
    for pool in pools:
        view = by_path.get(pool.path)
        passed_over = _passed_over(pool, character, location, view, general_asked)
        if passed_over is not None or view is None:
            stage, detail = passed_over or ("location", "")
            verdicts += [
                _dropped(pool, position, stage, detail, ()) for position in range(pool.size)
            ]
            continue
        stages = _of_monologue(view, trigger, moment)
        verdicts += _verdicts(view, stages, finale, moment, reached=1)
    return Explanation(verdicts=tuple(verdicts), stages=(*MONOLOGUE_STAGES, *STAGES[how]))


def funnel_monologue(
    trigger: str, moment: Moment, how: str, *, character: str, location: str
) -> Funnel:
    """Return how many lines of the candidate pools each stage leaves over."""
    passed, general_asked = passing_monologue(trigger, moment)
    finale = _finale(passed, how, Priority(), scored=False)
    found = []
    for view in moment.source.views:
        out = _passed_over(view.pool, character, location, view, general_asked)
        stages = (
            _of_monologue(view, trigger, moment)
            if out is None
            else [_Stage(out[0], 0, lambda _: "")]
        )
        found.append((view, stages))
    return _funnel(found, (*MONOLOGUE_STAGES, *STAGES[how]), finale)


def _of_monologue(view: View, trigger: str, moment: Moment) -> list[_Stage]:
    bits = view.pool.trigger_bits.get(trigger, 0)
    first = _Stage("trigger", bits, _trigger_words(view.pool, trigger))
    return [first, *_gates(view, bits, moment)]


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


def _finale(found: Found, how: str, scoring: Scoring, *, scored: bool) -> _Finale:
    steps: list[Step] = []
    drawn = NARROW[how](found, scoring, steps) if found else Drawn([])
    sizes = [
        (group.weight, sum(bits.bit_count() for _, bits in group.lines)) for group in drawn.groups
    ]
    total = sum(weight * count for weight, count in sizes)
    number = sum(count for _, count in sizes)
    return _Finale(found, steps, drawn, scoring, scored, total, number)


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


def _gates(view: View, left: int, moment: Moment) -> list[_Stage]:
    """Return the stages between the layers and the draw, on what is *left* before them."""
    pool = view.pool
    view.open_at(moment.tick)
    met = view.late(left & ~view.closed, moment.asked)
    once = met & ~view.spent
    rested = once & ~view.resting
    audible = view.audible(rested & ~view.rules.barred_bits, moment.spoken)
    return [
        _Stage("prerequisites", met, lambda _: ""),
        _Stage("once", once, lambda p: f"said once ({pool.once[p]}), and it was"),
        _Stage("cooldown", rested, view.rest_in_words),
        _Stage("class", audible, _class_words(view, moment.spoken)),
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
    gone = left & view.last[1] & ~kept
    return _Stage(
        "repeat", left & ~gone, lambda _: "heard last from this speaker, and another line passes"
    )


def _trigger_words(pool: MonologuePool, trigger: str) -> Words:
    return lambda position: f"needs {pool.triggers[position]}; found: {trigger}"


def _passed_over(
    pool: MonologuePool, character: str, location: str, view: View | None, general_asked: bool
) -> tuple[str, str] | None:
    if pool.character != character:
        return "character", f"needs {pool.character}; found: {character}"
    if view is None:
        return "location", f"needs {pool.location}; found: {location}"
    if pool.general and location != pool.location and not general_asked:
        return "location", f"general; a line of {location} is left, so it is not asked"
    return None


# --- the lines of one pool -----------------------------------------------------------------------


def _verdicts(
    view: View, stages: Sequence[_Stage], finale: _Finale, moment: Moment, *, reached: int
) -> Iterable[Verdict]:
    """Yield the verdict of each line; its gates are looked at once *reached* stages let it through."""
    size = view.pool.size
    left = (1 << size) - 1
    fallen: list[tuple[_Stage, str, int]] = []
    for number, stage in enumerate(stages):
        now = left & stage.left
        fallen.append((stage, _bits.digits(left ^ now, size), number))
        left = now
    passed = _bits.digits(left, size)
    judged = _Judged(view, left, finale)
    for position in range(size):
        if passed[position] == "1":
            yield judged.verdict(position, _looked(view, position, moment))
            continue
        stage, _, number = next(one for one in fallen if one[1][position] == "1")
        gates = _looked(view, position, moment) if number >= reached else ()
        if stage.name == "prerequisites":
            detail = in_words(next(gate for gate in gates if not gate.met))
        else:
            detail = stage.words(position)
        yield _dropped(view.pool, position, stage.name, detail, gates)


def _looked(view: View, position: int, moment: Moment) -> tuple[GateResult, ...]:
    asks = view.pool.when.get(position)
    if asks is None:
        return ()
    asked = moment.asked
    asked.about(view.pool.path, view.pool.ids[position])
    return tuple(gate.look(asked) for gate in asks.gates)


class _Judged:
    """The lines of one view that a strategy judged."""

    def __init__(self, view: View, left: int, finale: _Finale) -> None:
        size = view.pool.size
        self._view = view
        self._finale = finale
        self._scores: dict[int, int] = {}
        if left:
            for score, bits in finale.scoring.levels(view, left):
                self._scores.update(dict.fromkeys(_bits.positions_of(bits), score))
        self._steps = [
            (step, _bits.digits(_of(view, step.left), size), _best_of(step, finale))
            for step in finale.steps
        ]
        self._groups = [
            (group.weight, _bits.digits(_of(view, group.lines), size))
            for group in finale.drawn.groups
        ]

    def verdict(self, position: int, gates: tuple[GateResult, ...]) -> Verdict:
        """Return what became of a line that was left before the strategy."""
        pool, finale = self._view.pool, self._finale
        score = self._scores[position] if finale.scored else None
        for step, kept, best in self._steps:
            if kept[position] == "0":
                detail = self._words(position, step.stage, best)
                return _dropped(pool, position, step.stage, detail, gates, score=score)
        weight = next(weight for weight, kept in self._groups if kept[position] == "1")
        return in_draw(
            (pool.path, pool.ids[position]),
            pool.texts[position],
            weight=weight,
            total=finale.total,
            count=finale.number,
            gates=gates,
            score=score,
        )

    def _words(self, position: int, stage: str, best: str) -> str:
        """Return the line's value at the stage that left it out, and the best one."""
        view = self._view
        if stage == "score":
            what = "score" if self._finale.scored else "priority"
            return f"{what} {self._scores[position]}; the best is {best}"
        if stage == "specificity":
            return f"gates {_count(view, position)}; the best is {best}"
        if stage == "bag":
            turn = view.round_of(1 << position)
            return f"drawn in turn {turn} of the bag; another is still to come"
        return f"heard at tick {view.heard_at(position)}; another was {best}"


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
