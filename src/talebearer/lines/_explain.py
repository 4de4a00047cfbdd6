"""The verdict of every line: which stage dropped it, or how likely it is to be drawn.

The stages run through the same functions as a pick; this module only puts them in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from talebearer.lines._dialogue import (
    LAYERS,
    Candidate,
    Left,
    Scene,
    Strategy,
    first_layer,
    narrowed,
    passing,
    without_repeat,
)
from talebearer.lines._gates import GateResult, Known, look
from talebearer.lines._monologue import MONOLOGUE_STAGES, Moment, Thought, eligible, first_stage
from talebearer.lines._types import (
    DialogueLine,
    DialoguePool,
    LineKey,
    MonologueLine,
    MonologuePool,
)
from talebearer.lines._verdicts import Explanation, Verdict, in_words
from talebearer.memory import Mind


def looked(line: DialogueLine | MonologueLine, known: Known) -> tuple[GateResult, ...]:
    """Return every gate of *line* with what was found there."""
    return tuple(look(gate, known) for gate in line.gates)


def in_draw(
    key: LineKey,
    line: DialogueLine | MonologueLine,
    *,
    weight: int,
    weights: Sequence[int],
    gates: tuple[GateResult, ...],
    score: int | None = None,
) -> Verdict:
    """Return the verdict of a line in the draw; *weights* are those of all lines in it."""
    return Verdict(
        pool=key[0],
        line_id=key[1],
        text=line.text,
        detail=f"one of {len(weights)} in the draw",
        gates=gates,
        score=score,
        weight=weight,
        probability=Fraction(weight, sum(weights)),
    )


def explain_dialogue(
    pools: Sequence[DialoguePool], scene: Scene, *, known: Known, mind: Mind, how: Strategy
) -> Explanation:
    """Return the verdict of every line of *pools*."""
    passed = passing(pools, scene, known)
    kept, repeated = without_repeat(passed, pools, mind)
    left: dict[LineKey, Left] = {}
    drawn = narrowed(kept, how, mind, left=left)
    fates = _fates(passed, drawn, how=how, repeated=repeated, left=left, known=known)
    return Explanation(
        verdicts=tuple(
            fates.get(key) or _dropped(pool, line, scene=scene, known=known)
            for pool in pools
            for key, line in zip(pool.keys, pool.lines, strict=True)
        ),
        stages=(*LAYERS, *(stage for stage, _ in how.ranks)),
    )


def explain_monologue(
    asked: Sequence[MonologuePool],
    moment: Moment,
    *,
    shown: Sequence[MonologuePool],
    character: str,
    location: str,
) -> Explanation:
    """Return the verdict of every line of *shown* when *asked* are the candidate pools."""
    thoughts, general_asked = eligible(asked, moment)
    weights = [thought.weight for thought in thoughts]
    by_key = {thought.key: thought for thought in thoughts}
    verdicts: list[Verdict] = []
    for pool in shown:
        passed_over = _passed_over(
            pool, character=character, location=location, general_asked=general_asked
        )
        for line in pool.lines:
            thought = by_key.get((pool.path, line.id))
            if thought is not None:
                verdicts.append(_thought_in_draw(thought, weights, moment))
                continue
            reason = passed_over or first_stage(pool, line, moment)
            assert reason is not None, "a line that passes every stage is in the draw"
            verdicts.append(_unthought(pool, line, reason, moment))
    return Explanation(verdicts=tuple(verdicts), stages=MONOLOGUE_STAGES)


def _fates(
    passed: Iterable[Candidate],
    drawn: Iterable[Candidate],
    *,
    how: Strategy,
    repeated: LineKey | None,
    left: dict[LineKey, Left],
    known: Known,
) -> dict[LineKey, Verdict]:
    """Return the verdict of every line that passed layers 1 to 3 and its gates."""
    weights = [how.weight(candidate.score) for candidate in drawn]
    fates: dict[LineKey, Verdict] = {}
    for candidate in passed:
        key, line = candidate.key, candidate.line
        gates = looked(line, known)
        if key == repeated:
            fates[key] = Verdict(
                pool=key[0],
                line_id=key[1],
                text=line.text,
                dropped_by="repeat",
                detail="heard last from this speaker, and another line passes",
                gates=gates,
            )
        elif key in left:
            stage, value, best = left[key]
            fates[key] = Verdict(
                pool=key[0],
                line_id=key[1],
                text=line.text,
                dropped_by=stage,
                detail=_left_in_words(stage, value, best),
                gates=gates,
                score=candidate.score,
            )
        else:
            fates[key] = in_draw(
                key,
                line,
                weight=how.weight(candidate.score),
                weights=weights,
                gates=gates,
                score=candidate.score,
            )
    return fates


def _left_in_words(stage: str, value: int, best: int) -> str:
    if stage == "recency":
        other = "never heard" if best > 0 else f"heard at tick {-best}"
        return f"heard at tick {-value}; another was {other}"
    what = "gates" if stage == "specificity" else "score"
    return f"{what} {value}; the best is {best}"


def _dropped(pool: DialoguePool, line: DialogueLine, *, scene: Scene, known: Known) -> Verdict:
    reason = first_layer(pool, line, scene)
    gates: tuple[GateResult, ...] = ()
    if reason is None:
        gates = looked(line, known)
        reason = "prerequisites", in_words(next(gate for gate in gates if not gate.met))
    return Verdict(
        pool=pool.path,
        line_id=line.id,
        text=line.text,
        dropped_by=reason[0],
        detail=reason[1],
        gates=gates,
    )


def _passed_over(
    pool: MonologuePool, *, character: str, location: str, general_asked: bool
) -> tuple[str, str] | None:
    if pool.character != character:
        return "character", f"needs {pool.character}; found: {character}"
    if pool.general and location != pool.location and not general_asked:
        return "location", f"general; a line of {location} is left, so it is not asked"
    if not pool.general and pool.location != location:
        return "location", f"needs {pool.location}; found: {location}"
    return None


def _thought_in_draw(thought: Thought, weights: Sequence[int], moment: Moment) -> Verdict:
    return in_draw(
        thought.key,
        thought.line,
        weight=thought.weight,
        weights=weights,
        gates=looked(thought.line, moment.known),
    )


def _unthought(
    pool: MonologuePool, line: MonologueLine, reason: tuple[str, str], moment: Moment
) -> Verdict:
    stage, detail = reason
    reached = stage in ("prerequisites", "cooldown")
    return Verdict(
        pool=pool.path,
        line_id=line.id,
        text=line.text,
        dropped_by=stage,
        detail=detail,
        gates=looked(line, moment.known) if reached else (),
    )
