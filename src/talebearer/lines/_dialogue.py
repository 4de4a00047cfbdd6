"""The four layers of dialogue, the gates between them, and the strategies.

1. access: the line names the listener's tier.
2. situation: the line names a situation that is active.
3. trust: the line needs no more than the listener has.
   Then its gates; then the line heard last steps back while another is left.
4. topic and mood: a score for each line, from which the strategy makes the draw.

Source: the line-pool spec section 3.4; rules LP-L2, LP-L3, LP-L11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from talebearer.lines._gates import Known, all_open
from talebearer.lines._types import DialogueLine, DialoguePool, LineKey
from talebearer.memory import KnowledgeGraph, Mind

LAYERS = ("access", "situation", "trust", "prerequisites", "repeat")
SCORE_MIN = -2
"""The lowest score: all tags differ on both axes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a dialogue line is asked for.

    Attributes:
        location: Location slug.
        access: The listener's access tier.
        trust: The listener's trust tier, a :class:`~talebearer.vocabulary.TrustTier` or a tier
            of the campaign's own.
        situations: The active situations; a line fires in any of them.
        topics: What the speaker is asked about; may be empty.
        moods: How the speaker feels; may be empty.
    """

    location: str
    access: str
    trust: str
    situations: tuple[str, ...]
    topics: tuple[str, ...] = ()
    moods: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """A line that passed layers 1 to 3 and its gates."""

    pool: DialoguePool
    position: int
    score: int

    @property
    def line(self) -> DialogueLine:
        """The line."""
        return self.pool.lines[self.position]

    @property
    def key(self) -> LineKey:
        """Its composite key."""
        return self.pool.keys[self.position]


Rank: TypeAlias = Callable[[Candidate, Mind], int]


class Strategy(NamedTuple):
    """How a draw is made of scored lines.

    Attributes:
        ranks: Stage names with what must be greatest there, one after the other.
        weight: Weight in the draw, at least 1, from the score.
    """

    ranks: tuple[tuple[str, Rank], ...]
    weight: Callable[[int], int]


class Left(NamedTuple):
    """Why a candidate is not in the draw: the stage, its value there and the best one."""

    stage: str
    value: int
    best: int


def _by_score(candidate: Candidate, _: Mind) -> int:
    return candidate.score


def _by_gates(candidate: Candidate, _: Mind) -> int:
    return len(candidate.line.gates)


def _by_rest(candidate: Candidate, mind: Mind) -> int:
    fired = mind.fired_tick(*candidate.key)
    return 1 if fired is None else -fired


def _even(_: int) -> int:
    return 1


def _doubling(score: int) -> int:
    return 1 << (score - SCORE_MIN)


STRATEGIES: dict[str, Strategy] = {
    "top_scored": Strategy((("score", _by_score),), _even),
    "weighted": Strategy((), _doubling),
    "best_specific": Strategy((("specificity", _by_gates), ("score", _by_score)), _even),
    "least_recent": Strategy((("score", _by_score), ("recency", _by_rest)), _even),
}
"""Strategy by name.

- ``top_scored``: one of the lines with the top score, all equally likely.
- ``weighted``: any line, twice as likely for each point of score.
- ``best_specific``: of the lines with the most gates, one with the top score.
- ``least_recent``: of the lines with the top score, one never heard, or else heard longest ago.
"""


def query_dialogue(
    pool: DialoguePool,
    player_access: str,
    active_situations: Sequence[str],
    player_trust: str,
    npc_topics: Sequence[str],
    npc_mood: Sequence[str],
    *,
    knowledge: KnowledgeGraph | None = None,
    known: Known | None = None,
) -> list[DialogueLine]:
    """Return the top-scored lines of one pool, in file order.

    The arguments after *pool* are those of :class:`Scene`. A value that no line names matches no
    line; this function has no enumerations to check against.

    Args:
        knowledge: What the listener knows; without it no gate on knowledge is met.
        known: The same with profiles and catalogue; counts instead of *knowledge*.

    Source: the line-pool spec section 9.2.
    """
    scene = Scene(
        location=pool.location,
        access=player_access,
        trust=player_trust,
        situations=tuple(active_situations),
        topics=tuple(npc_topics),
        moods=tuple(npc_mood),
    )
    passed = passing((pool,), scene, known or Known(graph=knowledge))
    top = max((candidate.score for candidate in passed), default=0)
    return [candidate.line for candidate in passed if candidate.score == top]


def passing(pools: Iterable[DialoguePool], scene: Scene, known: Known) -> list[Candidate]:
    """Return the lines that pass layers 1 to 3 and their gates, in pack order."""
    topics, moods = frozenset(scene.topics), frozenset(scene.moods)
    passed: list[Candidate] = []
    for pool in pools:
        gated = pool.index.gated
        mask = _layers_mask(pool, scene)
        while mask:
            bit = mask & -mask
            mask ^= bit
            position = bit.bit_length() - 1
            line = pool.lines[position]
            if bit & gated and not all_open(line.gates, known):
                continue
            score = _axis(line.topic_set, topics) + _axis(line.mood_set, moods)
            passed.append(Candidate(pool, position, score))
    return passed


def _layers_mask(pool: DialoguePool, scene: Scene) -> int:
    index = pool.index
    situations = 0
    for situation in scene.situations:
        situations |= index.situation.get(situation, 0)
    return index.access.get(scene.access, 0) & situations & index.trust.get(scene.trust, 0)


def _axis(tags: frozenset[str], asked: frozenset[str]) -> int:
    if not tags or not asked:
        return 0
    return len(tags & asked) or -1


def without_repeat(
    passed: list[Candidate], pools: Sequence[DialoguePool], mind: Mind
) -> tuple[list[Candidate], LineKey | None]:
    """Return *passed* without the line of *pools* that *mind* heard last, and that line's key.

    A line that is the only one left stays. What counts as heard last are the candidates of the
    speaker, all lines of *pools*, whether or not they pass now: only then is it a repeat.

    Source: rule LP-L3.
    """
    if len(passed) < 2:
        return passed, None
    last = mind.last_heard(chain.from_iterable(pool.keys for pool in pools))
    kept = [candidate for candidate in passed if candidate.key != last]
    return kept, last if len(kept) < len(passed) else None


def narrowed(
    candidates: list[Candidate],
    strategy: Strategy,
    mind: Mind,
    *,
    left: dict[LineKey, Left] | None = None,
) -> list[Candidate]:
    """Return those of *candidates* that *strategy* draws from; put the others into *left*."""
    for stage, rank in strategy.ranks:
        if not candidates:
            break
        values = [rank(candidate, mind) for candidate in candidates]
        best = max(values)
        if left is not None:
            for candidate, value in zip(candidates, values, strict=True):
                if value != best:
                    left[candidate.key] = Left(stage, value, best)
        pairs = zip(candidates, values, strict=True)
        candidates = [candidate for candidate, value in pairs if value == best]
    return candidates


def first_layer(pool: DialoguePool, line: DialogueLine, scene: Scene) -> tuple[str, str] | None:
    """Return the first of layers 1 to 3 that drops *line*, with the values met there."""
    if scene.access not in line.access:
        return "access", f"needs {' or '.join(line.access)}; found: {scene.access}"
    if not set(line.situation) & set(scene.situations):
        active = " and ".join(scene.situations) or "none"
        return "situation", f"needs {' or '.join(line.situation)}; found: {active}"
    tiers = pool.trust_order
    if tiers.index(scene.trust) < tiers.index(line.trust):
        return "trust", f"needs {line.trust} or beyond; found: {scene.trust}"
    return None
