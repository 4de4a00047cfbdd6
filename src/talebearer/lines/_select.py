"""Picking a line and explaining the pick, for one mind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from talebearer.errors import UsageFault, nearest
from talebearer.lines._dialogue import (
    STRATEGIES,
    Candidate,
    Scene,
    Strategy,
    narrowed,
    passing,
    without_repeat,
)
from talebearer.lines._explain import explain_dialogue, explain_monologue, in_draw, looked
from talebearer.lines._gates import Known
from talebearer.lines._monologue import Moment, eligible
from talebearer.lines._pack import Pack
from talebearer.lines._random import pick_index
from talebearer.lines._types import (
    DialogueLine,
    DialoguePool,
    LineKey,
    MonologueLine,
    MonologuePool,
)
from talebearer.lines._verdicts import Explanation, Verdict
from talebearer.memory import Mind
from talebearer.vocabulary import SLUG, EventKind, SourceKind, fullmatch

DIALOGUE_REQUEST = "dialogue"
"""The request of a dialogue draw; a monologue draw has its trigger there."""

Effect: TypeAlias = tuple[EventKind, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """One line, picked.

    Attributes:
        pool: The pool path; with ``line.id`` it names the line.
        line: The line.
        effects: Events, kind and data, that make the mind remember the pick: ``line_fired``
            first, then ``fact_learned`` if the line grants a fact. The caller applies them; until
            then nothing has happened.
        verdict: Why this line could be picked.
    """

    pool: str
    line: DialogueLine | MonologueLine
    effects: tuple[Effect, ...]
    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """Return the pick as a JSON object."""
        effects = [{"kind": kind.value, "data": data} for kind, data in self.effects]
        return {
            "pool": self.pool,
            "line_id": self.line.id,
            "text": self.line.text,
            "effects": effects,
            "verdict": self.verdict.as_json(),
        }


class Selector:
    """Picks lines of a pack for one mind. It never changes the mind.

    Same pack, same mind, same seed and same tick: same line, on every machine.

    Args:
        pack: The compiled content.
        mind: Who listens or thinks.
        seed: The campaign's or the save's seed, any integer.

    Source: the line-pool spec sections 3.4, 4.4 and 9.2; rules LP-L1 to LP-L13.
    """

    def __init__(self, pack: Pack, mind: Mind, *, seed: int) -> None:
        self._pack = pack
        self._mind = mind
        self._seed = _whole("seed", seed)

    def pick_dialogue(
        self, speaker: str, scene: Scene, *, tick: int, strategy: str = "top_scored"
    ) -> Pick | None:
        """Return what *speaker* says in *scene*, or None when no line passes.

        Args:
            speaker: Slug of who speaks; ``pools_for`` of the pack says from which pools.
            scene: Where, to whom, and about what.
            tick: Now, from 0.
            strategy: One of :data:`STRATEGIES`.

        Raises:
            UsageFault: A word of *scene* is not declared, the strategy is unknown, the speaker is
                no slug, or the tick is no tick (TB111).
        """
        how = self._checked(speaker, scene, tick=tick, strategy=strategy)
        pools = self._pack.pools_for(speaker, scene.location)
        known = self._known()
        passed, _ = without_repeat(passing(pools, scene, known), pools, self._mind)
        drawn = narrowed(passed, how, self._mind)
        if not drawn:
            return None
        weights = [how.weight(candidate.score) for candidate in drawn]
        chosen = drawn[self._draw(weights, pools, request=DIALOGUE_REQUEST, tick=tick)]
        return Pick(
            pool=chosen.pool.path,
            line=chosen.line,
            effects=_dialogue_effects(chosen, speaker),
            verdict=in_draw(
                chosen.key,
                chosen.line,
                weight=how.weight(chosen.score),
                weights=weights,
                gates=looked(chosen.line, known),
                score=chosen.score,
            ),
        )

    def pick_monologue(
        self, character: str, trigger: str, *, location: str, tick: int
    ) -> Pick | None:
        """Return what *character* thinks on *trigger* at *location*, or None.

        Raises:
            UsageFault: Character or trigger are not declared, or the tick is no tick (TB111).
        """
        moment = self._moment(character, trigger, tick=tick)
        pools = self._pack.monologue_pools_for(character, location)
        thoughts, _ = eligible(pools, moment)
        if not thoughts:
            return None
        weights = [thought.weight for thought in thoughts]
        chosen = thoughts[self._draw(weights, pools, request=trigger, tick=tick)]
        fired: Effect = (EventKind.LINE_FIRED, _fired(chosen.key))
        return Pick(
            pool=chosen.pool.path,
            line=chosen.line,
            effects=(fired,),
            verdict=in_draw(
                chosen.key,
                chosen.line,
                weight=chosen.weight,
                weights=weights,
                gates=looked(chosen.line, moment.known),
            ),
        )

    def explain_dialogue(
        self, speaker: str, scene: Scene, *, tick: int, strategy: str = "top_scored"
    ) -> Explanation:
        """Explain :meth:`pick_dialogue` with the same arguments, line by line.

        The stages are ``access``, ``situation``, ``trust``, ``prerequisites``, ``repeat`` and
        those of the strategy: ``score``, ``specificity``, ``recency``.

        Raises:
            UsageFault: As there (TB111).
        """
        how = self._checked(speaker, scene, tick=tick, strategy=strategy)
        pools = self._pack.pools_for(speaker, scene.location)
        return explain_dialogue(pools, scene, known=self._known(), mind=self._mind, how=how)

    def explain_monologue(
        self,
        character: str,
        trigger: str,
        *,
        location: str,
        tick: int,
        every_pool: bool = False,
    ) -> Explanation:
        """Explain :meth:`pick_monologue` with the same arguments, line by line.

        The stages are ``character``, ``location``, ``trigger``, ``prerequisites``, ``cooldown``.

        Args:
            every_pool: Also list the lines of other characters and other places.

        Raises:
            UsageFault: As there (TB111).
        """
        moment = self._moment(character, trigger, tick=tick)
        asked = self._pack.monologue_pools_for(character, location)
        shown = self._pack.monologue_pools if every_pool else asked
        return explain_monologue(asked, moment, shown=shown, character=character, location=location)

    def _known(self) -> Known:
        pack = self._pack
        return Known(graph=self._mind.graph, profiles=pack.profiles, facts=pack.facts)

    def _moment(self, character: str, trigger: str, *, tick: int) -> Moment:
        _declared("character", (character,), self._pack.characters)
        _declared("trigger", (trigger,), self._pack.enums.triggers)
        mind = self._mind
        return Moment(trigger, self._known(), lambda key: mind.fired_tick(*key), _tick(tick))

    def _checked(self, speaker: str, scene: Scene, *, tick: int, strategy: str) -> Strategy:
        enums = self._pack.enums
        _declared("access tier", (scene.access,), enums.access)
        _declared("trust tier", (scene.trust,), enums.trust)
        _declared("situation", scene.situations, enums.situations)
        _declared("topic", scene.topics, enums.topics)
        _declared("mood", scene.moods, enums.moods)
        _declared("strategy", (strategy,), STRATEGIES)
        if not fullmatch(SLUG, speaker):
            raise UsageFault(f"speaker {speaker!r} is no slug", hint=f"slugs match {SLUG}")
        _tick(tick)
        return STRATEGIES[strategy]

    def _draw(
        self,
        weights: Sequence[int],
        pools: Iterable[DialoguePool | MonologuePool],
        *,
        request: str,
        tick: int,
    ) -> int:
        return pick_index(
            weights,
            seed=self._seed,
            tick=tick,
            mind=self._mind.mind_id,
            pools=[pool.path for pool in pools],
            request=request,
            draw=self._mind.picks_at(tick),
        )


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageFault(f"{name} {value!r} is no integer", hint="give a whole number")
    return value


def _tick(tick: int) -> int:
    if _whole("tick", tick) < 0:
        raise UsageFault(f"tick {tick} is negative", hint="ticks count from 0")
    return tick


def _declared(what: str, words: Iterable[str], allowed: Collection[str]) -> None:
    for word in words:
        if word not in allowed:
            close = nearest(word, allowed)
            hint = f"did you mean {' or '.join(close)}? " if close else ""
            raise UsageFault(
                f"{what} {word!r} is not known",
                hint=f"{hint}allowed: {', '.join(allowed) or 'none'}",
            )


def _fired(key: LineKey) -> dict[str, Any]:
    return {"pool": key[0], "line": key[1]}


def _dialogue_effects(chosen: Candidate, speaker: str) -> tuple[Effect, ...]:
    """Return what the pick does; a grant raises only, which the fold of memory sees to (L13)."""
    fired: Effect = (EventKind.LINE_FIRED, {**_fired(chosen.key), "speaker": speaker})
    grant = chosen.line.knowledge_grant
    if grant is None:
        return (fired,)
    told_by = {"kind": SourceKind.TOLD_BY.value, "payload": {"entity": f"npc:{speaker}"}}
    learned = {
        "fact_id": grant.fact_id,
        "confidence": grant.confidence.value,
        "source": told_by,
    }
    return (fired, (EventKind.FACT_LEARNED, learned))
