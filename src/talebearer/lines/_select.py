"""Picking a line and explaining the pick, for one mind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from talebearer.lines import _words
from talebearer.lines._declared import Scalar
from talebearer.lines._drawing import drawn, text_of
from talebearer.lines._effects import besides_of, heard_of
from talebearer.lines._explain import Verdicts, funnel, judge
from talebearer.lines._following import Views
from talebearer.lines._pack import Pack
from talebearer.lines._pick import Pick
from talebearer.lines._pools import DialoguePool, Pool, variant_name
from talebearer.lines._request import Draws, Request, Source
from talebearer.lines._scene import Scene, Speech
from talebearer.lines._strategies import Drawing
from talebearer.lines._verdicts import Explanation, Funnel
from talebearer.lines.gates import Asked, GateResult
from talebearer.memory import EventDraft, Mind

DIALOGUE_STRATEGY = "top_scored"
MONOLOGUE_STRATEGY = "weighted"
_NO_EVENT: Mapping[str, Scalar] = {}


class Selector:
    """Picks lines of a pack for one mind. It never changes the mind.

    A selector follows its minds: before it answers it looks at what changed in them since, and asks
    again the gates that read that, and no others. Same pack, same minds, same seed and same tick: the
    same line, on every machine.

    Args:
        pack: The compiled content.
        mind: Who listens or thinks.
        seed: The campaign's or the save's seed, any integer.
        world: The mind ``world``, which holds what lines keep for everybody; without it, that is
            nothing yet.

    Source: the line-pool spec sections 3.4, 4.4 and 9.2; rules LP-L1 to LP-L13.
    """

    def __init__(self, pack: Pack, mind: Mind, *, seed: int, world: Mind | None = None) -> None:
        self._pack = pack
        self._mind = mind
        self._world = world
        self._seed = _words.whole("seed", seed)
        self._draws = Draws(mind, seed, pack)
        self._views = Views(pack, mind, world)
        self._speakers: dict[tuple[str, str], Source] = {}
        self._thinkers: dict[tuple[str, str], Source] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self._pack, self._mind, self._seed, self._world))

    def reseed(self, seed: int) -> None:
        """Draw by another seed from now on; what is known of the minds stays."""
        if seed != self._seed:
            self._seed = _words.whole("seed", seed)
            self._draws = Draws(self._mind, seed, self._pack)

    def follow(self) -> None:
        """Take in what changed in the minds; asking for a line does so, too.

        A game that has time right after an event may call it then.
        """
        if not self._views.follow():
            self._anew()
        self._views.settle()

    def _anew(self) -> None:
        """Ask for the views again: those that there were follow the minds no longer."""
        self._speakers.clear()
        self._thinkers.clear()

    # --- conversations ---------------------------------------------------------------------------

    def pick_dialogue(
        self,
        speaker: str,
        scene: Scene,
        *,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
        verdict: bool = True,
    ) -> Pick | None:
        """Return what *speaker* says in *scene*, or None when no line passes.

        Args:
            speaker: Slug of who speaks; ``pools_for`` of the pack says from which pools.
            scene: Where, to whom, and about what.
            tick: Now, from 0.
            strategy: One of :data:`STRATEGIES`; by default the one that the speaker's own pool
                names, or the first pool by path that names one, or ``top_scored``.
            event: Fields of what happened, for gates on them.
            speaking: What is being spoken now: class and character.
            verdict: Whether the pick has a verdict; a game that shows none need not look for it.

        Raises:
            UsageFault: A word of *scene* is not declared, the strategy is unknown, the speaker is
                no slug, an event field or a class is not declared, or the tick is no tick (TB111).
        """
        request = self._saying(speaker, scene, tick, strategy, event, speaking)
        return self._pick(request, verdict)

    def explain_dialogue(
        self,
        speaker: str,
        scene: Scene,
        *,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
    ) -> Explanation:
        """Explain :meth:`pick_dialogue` with the same arguments, line by line.

        The stages are ``access``, ``situation``, ``trust``, ``prerequisites``, ``once``,
        ``cooldown``, ``class``, ``repeat`` and those of the strategy: ``score``, ``specificity``,
        ``recency``, ``bag``.

        Raises:
            UsageFault: As there (TB111).
        """
        return judge(self._saying(speaker, scene, tick, strategy, event, speaking)).explained()

    def judge_dialogue(
        self,
        speaker: str,
        scene: Scene,
        *,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
    ) -> Verdicts:
        """Explain as :meth:`explain_dialogue` does, each line when it is looked at.

        Raises:
            UsageFault: As there (TB111).
        """
        return judge(self._saying(speaker, scene, tick, strategy, event, speaking))

    def count_dialogue(
        self,
        speaker: str,
        scene: Scene,
        *,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
    ) -> Funnel:
        """Count what :meth:`explain_dialogue` with the same arguments lists, about as fast as a pick.

        Raises:
            UsageFault: As there (TB111).
        """
        return funnel(self._saying(speaker, scene, tick, strategy, event, speaking))

    def _saying(
        self,
        speaker: str,
        scene: Scene,
        tick: int,
        strategy: str | None,
        event: Mapping[str, Scalar],
        speaking: Sequence[Speech | tuple[str, str]],
    ) -> Request:
        """Return the request for what *speaker* says, its words checked."""
        if not self._views.follow():
            self._anew()
        _words.scene(scene, self._pack)
        source = self._speakers.get((speaker, scene.location))
        if source is None:
            source = self._speaker(speaker, scene.location, tick)
        spoken: tuple[Speech, ...] = ()
        if event or speaking:
            event, spoken = self._happening(event, None, speaking)
        if type(tick) is not int or tick < 0:
            _words.tick(tick)
        how = source.strategy if strategy is None else _words.strategy(strategy)
        known, draws = self._views.known, self._draws
        return Request(
            source, how, speaker, tick, scene, None, scene.location, event, spoken, known, draws
        )

    def _speaker(self, speaker: str, location: str, tick: int) -> Source:
        _words.slug("speaker", speaker)
        pools = self._pack.pools_for(speaker, location)
        source = self._source(pools, speaker, speaker, DIALOGUE_STRATEGY, tick)
        self._speakers[speaker, location] = source
        return source

    # --- monologues ------------------------------------------------------------------------------

    def pick_monologue(
        self,
        character: str,
        trigger: str,
        *,
        location: str,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
        verdict: bool = True,
    ) -> Pick | None:
        """Return what *character* thinks on *trigger* at *location*, or None.

        Args:
            character: A player character of the pack.
            trigger: What happened.
            location: Where; the pools of this place come first, general ones after them.
            tick: Now, from 0.
            strategy: One of :data:`STRATEGIES`; by default the one that the pool named as the
                place names, else the first pool by path that names one, or ``weighted``.
            event: Fields of what happened, as the trigger declares them.
            speaking: What is being spoken now: class and character.
            verdict: Whether the pick has a verdict; a game that shows none need not look for it.

        Raises:
            UsageFault: Character, trigger, strategy, an event field or a class are not declared, or
                the tick is no tick (TB111).
        """
        request = self._thinking(character, trigger, location, tick, strategy, event, speaking)
        return self._pick(request, verdict)

    def explain_monologue(
        self,
        character: str,
        trigger: str,
        *,
        location: str,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
        every_pool: bool = False,
    ) -> Explanation:
        """Explain :meth:`pick_monologue` with the same arguments, line by line.

        The stages are ``character``, ``location``, ``trigger``, ``prerequisites``, ``once``,
        ``cooldown``, ``class`` and those of the strategy.

        Args:
            character: As there, and so on.
            trigger: As there.
            location: As there.
            tick: As there.
            strategy: As there.
            event: As there.
            speaking: As there.
            every_pool: Also list the lines of other characters and other places.

        Raises:
            UsageFault: As there (TB111).
        """
        return self.judge_monologue(
            character,
            trigger,
            location=location,
            tick=tick,
            strategy=strategy,
            event=event,
            speaking=speaking,
            every_pool=every_pool,
        ).explained()

    def judge_monologue(
        self,
        character: str,
        trigger: str,
        *,
        location: str,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
        every_pool: bool = False,
    ) -> Verdicts:
        """Explain as :meth:`explain_monologue` does, each line when it is looked at.

        Raises:
            UsageFault: As there (TB111).
        """
        request = self._thinking(character, trigger, location, tick, strategy, event, speaking)
        return judge(request, shown=self._pack.monologue_pools if every_pool else None)

    def count_monologue(
        self,
        character: str,
        trigger: str,
        *,
        location: str,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Scalar] = _NO_EVENT,
        speaking: Sequence[Speech | tuple[str, str]] = (),
    ) -> Funnel:
        """Count what :meth:`explain_monologue` lists, as :meth:`count_dialogue` does.

        Raises:
            UsageFault: As there (TB111).
        """
        return funnel(self._thinking(character, trigger, location, tick, strategy, event, speaking))

    def _thinking(
        self,
        character: str,
        trigger: str,
        location: str,
        tick: int,
        strategy: str | None,
        event: Mapping[str, Scalar],
        speaking: Sequence[Speech | tuple[str, str]],
    ) -> Request:
        """Return the request for what *character* thinks, its words checked."""
        if not self._views.follow():
            self._anew()
        pack = self._pack
        if character not in pack.characters:
            _words.declared("character", (character,), pack.characters)
        if trigger not in pack.enums.triggers:
            _words.declared("trigger", (trigger,), pack.enums.triggers)
        source = self._thinkers.get((character, location))
        if source is None:
            pools = pack.monologue_pools_for(character, location)
            source = self._source(pools, character, location, MONOLOGUE_STRATEGY, tick)
            self._thinkers[character, location] = source
        spoken: tuple[Speech, ...] = ()
        if event or speaking:
            event, spoken = self._happening(event, trigger, speaking)
        if type(tick) is not int or tick < 0:
            _words.tick(tick)
        how = source.strategy if strategy is None else _words.strategy(strategy)
        known, draws = self._views.known, self._draws
        return Request(
            source, how, character, tick, None, trigger, location, event, spoken, known, draws
        )

    # --- one request -----------------------------------------------------------------------------

    def _source(
        self, pools: Sequence[Pool[Any]], speaker: str, own: str, default: str, tick: int
    ) -> Source:
        _words.tick(tick)
        views = tuple([self._views.view(pool, speaker, tick) for pool in pools])
        general = tuple([view for view in views if view.pool.general])
        here = tuple([view for view in views if not view.pool.general]) if general else views
        named = [pool for pool in pools if pool.strategy is not None]
        named.sort(key=lambda pool: pool.stem != own)
        strategy = named[0].strategy or default if named else default
        return Source(views, here, general, strategy, tuple([pool.first_path for pool in pools]))

    def _happening(
        self,
        event: Mapping[str, Scalar],
        trigger: str | None,
        speaking: Sequence[Speech | tuple[str, str]],
    ) -> tuple[Mapping[str, Scalar], tuple[Speech, ...]]:
        """Return the fields of what happened and what is being spoken, both checked."""
        declared = self._pack.declared
        return _words.event(event, declared, trigger), _words.speaking(speaking, declared)

    def _pick(self, request: Request, verdict: bool) -> Pick | None:
        found = drawn(request)
        if found is None:
            return None
        drawing, turn = found
        view, position = drawing.view, drawing.position
        pool = view.pool
        shown: dict[str, Any] = {"round": turn} if turn else {}
        text: str = pool.texts[position]
        if position in pool.variants:
            text = text_of(request, drawing, self._views.hearings(view, position))
            shown["variant"] = variant_name(text)
        gates: tuple[GateResult, ...] | None = () if verdict else None
        if verdict and position in pool.when:
            gates = view.looked.get(position) or view.look(position, request.asked)
        return Pick(
            drawing,
            self._draws.mind_id,
            None if request.scene is None else request.speaker,
            text,
            shown,
            gates,
            _interrupted(drawing, request.spoken) if request.spoken else (),
        )

    # --- single lines ----------------------------------------------------------------------------

    def let_hear(self, pick: Pick, *, stream: str, tick: int) -> bool:
        """Let the mind hear a *pick* that has a ``plain_key``, and take that in at once.

        This is :meth:`talebearer.memory.Mind.hear` and what the next request would look for, for those
        who keep no log. What the pick does besides is still to be applied.

        Args:
            pick: The pick, made by this selector.
            stream: The stream of the mind.
            tick: When.

        Returns:
            Whether it was heard; False when its first effect is to be applied, as others are.
        """
        key = pick.plain_key
        if key is None:
            return False
        position = pick.position
        if not self._views.hear(key, pick.pool, position, stream=stream, tick=tick):
            self._anew()
        return True

    def look(self, pool: str, line_id: str, *, speaker: str, tick: int) -> tuple[GateResult, ...]:
        """Return the gates of one line with what is found there at *tick*, whoever asks.

        Gates on the event find none, and nothing is drawn for chances.

        Raises:
            UnknownReference: There is no such line (TB113).
        """
        line = self._pack.line(pool, line_id)
        asked = Asked(self._views.known, tick=tick, speaker=speaker, mind_id=self._mind.mind_id)
        asked.about(pool, line_id)
        return tuple(gate.look(asked) for gate in line.gates)

    def hear(self, pool: str, line_id: str, *, speaker: str) -> tuple[EventDraft, ...]:
        """Return the events of hearing a line from *speaker*, whether or not it would be picked.

        Of a line with several texts it is the first one.

        Raises:
            UnknownReference: There is no such line (TB113).
        """
        self._pack.line(pool, line_id)
        home, position = self._pack.pool(pool), self._pack.pool(pool).position_of(line_id)
        assert position is not None, "the line was found"
        talks = isinstance(home, DialoguePool)
        shown = {"variant": variant_name(home.texts[position])} if position in home.variants else {}
        mind, whom = self._mind.mind_id, speaker if talks else None
        heard = heard_of(home, position, mind=mind, speaker=whom, shown=shown)
        declared = self._pack.declared
        more = besides_of(home, position, mind=mind, speaker=whom, declared=declared, shown=shown)
        return (heard, *more)


def _again(pack: Pack, mind: Mind, seed: int, world: Mind | None) -> Selector:
    return Selector(pack, mind, seed=seed, world=world)


def _interrupted(drawing: Drawing, spoken: tuple[Speech, ...]) -> tuple[Speech, ...]:
    """Return what the line that was drawn cuts short."""
    view = drawing.view
    name = view.pool.classes.get(drawing.position)
    found = view.declared.classes.get(name) if name else None
    if found is None:
        return ()
    return tuple(one for one in spoken if one.speaking_class in found.interrupts)
