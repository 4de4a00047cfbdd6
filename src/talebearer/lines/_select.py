"""Picking a line and explaining the pick, for one mind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from talebearer.lines import _words
from talebearer.lines._declared import Scalar
from talebearer.lines._effects import effects_of
from talebearer.lines._explain import (
    Verdicts,
    funnel_dialogue,
    funnel_monologue,
    judge_dialogue,
    judge_monologue,
)
from talebearer.lines._heard import HeardLines
from talebearer.lines._moment import Desk, Moment, Source
from talebearer.lines._pack import Pack
from talebearer.lines._pick import Pick
from talebearer.lines._pools import DialoguePool, Pool, variant_name
from talebearer.lines._request import Priority, TopicsAndMoods, passing, passing_monologue
from talebearer.lines._scene import Scene, Speech
from talebearer.lines._strategies import NARROW, Drawing, draw, draw_by_priority, draw_evenly
from talebearer.lines._verdicts import Explanation, Funnel
from talebearer.lines._view import Blank, Hearings, View, hearings_of
from talebearer.lines.gates import SAID, Asked, GateResult, ReadKey
from talebearer.memory import Applied, EventDraft, KnowledgeGraph, Mind

DIALOGUE_STRATEGY = "top_scored"
MONOLOGUE_STRATEGY = "weighted"
_SCENES_KEPT = 4096
_NO_EVENT: Mapping[str, Scalar] = {}
_NO_CHANGE: list[Applied] | None = []
_NO_HEARING: Hearings = {}


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
        self._start()

    def _start(self) -> None:
        pack, mind, world = self._pack, self._mind, self._world
        self._known = pack.known(mind.graph, world=None if world is None else world.graph)
        self._asked = Asked(self._known, mind_id=mind.mind_id)
        self._mine = HeardLines(pack, mind)
        self._theirs = HeardLines(pack, world)
        self._revisions = (mind.revision, 0 if world is None else world.revision)
        self._views: dict[tuple[str, str], View] = {}
        self._by_path: dict[str, list[View]] = {}
        self._stale: set[View] = set()  # those with gates that :meth:`follow` asks again
        self._speakers: dict[tuple[str, str], Source] = {}
        self._thinkers: dict[tuple[str, str], Source] = {}
        self._desk = Desk(mind, self._known, self._seed, pack)
        is_blank = _knows_nothing(mind) and (world is None or _knows_nothing(world))
        # What changed since the minds knew nothing; None when that is not known.
        self._seen: set[ReadKey] | None = set() if is_blank else None

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self._pack, self._mind, self._seed, self._world))

    def reseed(self, seed: int) -> None:
        """Draw by another seed from now on; what is known of the minds stays."""
        if seed != self._seed:
            self._seed = _words.whole("seed", seed)
            self._desk = Desk(self._mind, self._known, self._seed, self._pack)

    # --- the minds -------------------------------------------------------------------------------

    def follow(self) -> None:
        """Take in what changed in the minds; asking for a line does so, too.

        A game that has time right after an event may call it then.
        """
        self._follow()
        for view in self._stale:
            view.settle()
        self._stale.clear()

    def _follow(self) -> None:
        """Tell the views what changed; each asks its gates again when it is asked itself."""
        mind, world = self._mind, self._world
        before, world_before = self._revisions
        mine = mind.changes_since(before)
        theirs = _NO_CHANGE if world is None else world.changes_since(world_before)
        if mine is None or theirs is None:
            self._start()
            return
        if not mine and not theirs:
            return
        self._revisions = (before + len(mine), world_before + len(theirs))
        if not theirs and len(mine) == 1 and mine[0].heard is not None:
            self._take_one(mine[0].heard)
            return
        touched: list[tuple[str, int]] = []
        keys: set[ReadKey] = set()
        self._take(mine, self._mine, mind.graph, touched, keys)
        if theirs:
            self._take(theirs, self._theirs, self._known.world, touched, keys)
        if self._seen is not None:
            self._seen |= keys
        self._tell(touched, keys)

    def _take_one(self, key: tuple[str, str, str]) -> None:
        """Take in one line that the mind heard, as most requests find it."""
        if self._seen is not None:
            self._seen.add(SAID)
        place = self._mine.add(key, self._mind.graph.hearing(key))
        if place is not None:
            self._tell_hearing(*place)
        self._tell_change(SAID)

    def _take(
        self,
        changes: Sequence[Applied],
        heard: HeardLines,
        graph: KnowledgeGraph | None,
        touched: list[tuple[str, int]],
        keys: set[ReadKey],
    ) -> None:
        """Add to *touched* the lines that were heard, and to *keys* what else changed."""
        for change in changes:
            one = change.heard
            if one is None:
                _add_keys(change, keys)
            elif graph is not None:
                keys.add(SAID)
                place = heard.add(one, graph.hearing(one))
                if place is not None:
                    touched.append(place)

    def _tell(self, touched: Iterable[tuple[str, int]], keys: Iterable[ReadKey]) -> None:
        """Tell the views what changed, and each only what it has or what its gates read."""
        for path, position in touched:
            self._tell_hearing(path, position)
        for key in keys:
            self._tell_change(key)

    def _tell_hearing(self, path: str, position: int) -> None:
        views = self._by_path.get(path)
        if views is None:
            return
        mine = self._mine.of(path).get(position, _NO_HEARING)
        theirs = self._theirs.of(path).get(position, _NO_HEARING)
        for view in views:
            if view.hear(position, mine, theirs):
                view.reopen()

    def _tell_change(self, key: ReadKey) -> None:
        for path in self._pack.readers.get(key, ()):
            for view in self._by_path.get(path, ()):
                view.changed(key)
                self._stale.add(view)

    def _blank(self, pool: Pool[Any], speaker: str) -> Blank:
        """Return what a mind that knows nothing is answered; the pack keeps it for all minds."""
        kept = self._pack.blanks
        key = (pool.path, speaker)
        if key not in kept:
            asked = Asked(self._pack.known(None))
            kept[key] = View(pool, speaker, asked=asked, declared=self._pack.declared).blank
        return kept[key]

    def _view(self, pool: Pool[Any], speaker: str, tick: int) -> View:
        key = (pool.path, speaker)
        view = self._views.get(key)
        if view is None:
            self._asked.tick = tick
            blank = None if self._seen is None else self._blank(pool, speaker)
            view = View(
                pool,
                speaker,
                asked=self._asked,
                declared=self._pack.declared,
                blank=blank,
                seen=self._seen or (),
            )
            view.heard(self._mine.of(pool.path), self._theirs.of(pool.path))
            self._views[key] = view
            self._by_path.setdefault(pool.path, []).append(view)
        return view

    def _source(
        self, pools: Sequence[Pool[Any]], speaker: str, own: str, default: str, tick: int
    ) -> Source:
        views = tuple(self._view(pool, speaker, tick) for pool in pools)
        named = [pool for pool in pools if pool.strategy is not None]
        named.sort(key=lambda pool: pool.stem != own)
        strategy = named[0].strategy if named else None
        return Source(views, strategy or default, tuple(pool.first_path for pool in pools))

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
        self._follow()
        source = self._speaker(speaker, scene, tick)
        moment = self._moment(source, tick, speaker, None, event, speaking)
        found = passing(scene, moment)
        if not found:
            return None
        how = source.strategy if strategy is None else _words.strategy(strategy)
        if how == "top_scored" and len(found) == 1:
            ((view, mask),) = found
            score, bits = view.pool.top(mask, scene.topics, scene.moods)
            drawing = draw_evenly(view, bits, score, moment.number)
            return self._pick(drawing, moment, speaker, verdict)
        drawn = NARROW[how](found, TopicsAndMoods(scene), None)
        return self._pick(draw(drawn.groups, moment.number), moment, speaker, verdict, drawn.round)

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
        return self.judge_dialogue(
            speaker, scene, tick=tick, strategy=strategy, event=event, speaking=speaking
        ).explained()

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
        self._follow()
        source = self._speaker(speaker, scene, tick)
        moment = self._moment(source, tick, speaker, None, event, speaking)
        how = source.strategy if strategy is None else _words.strategy(strategy)
        return judge_dialogue(scene, moment, how)

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
        self._follow()
        source = self._speaker(speaker, scene, tick)
        moment = self._moment(source, tick, speaker, None, event, speaking)
        how = source.strategy if strategy is None else _words.strategy(strategy)
        return funnel_dialogue(scene, moment, how)

    def _speaker(self, speaker: str, scene: Scene, tick: int) -> Source:
        """Check the words of a request and return the speaker's pools."""
        words = (scene.access, scene.trust, scene.situations, scene.topics, scene.moods)
        scenes = self._pack.scenes
        if words not in scenes:
            _words.scene(scene, self._pack.enums)
            if len(scenes) >= _SCENES_KEPT:
                scenes.clear()
            scenes.add(words)
        if type(tick) is not int or tick < 0:
            _words.tick(tick)
        key = (speaker, scene.location)
        source = self._speakers.get(key)
        if source is None:
            _words.slug("speaker", speaker)
            pools = self._pack.pools_for(speaker, scene.location)
            source = self._source(pools, speaker, speaker, DIALOGUE_STRATEGY, tick)
            self._speakers[key] = source
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
            strategy: One of :data:`STRATEGIES`; by default the one that the first pool by path
                names that names one, or ``weighted``.
            event: Fields of what happened, as the trigger declares them.
            speaking: What is being spoken now: class and character.
            verdict: Whether the pick has a verdict; a game that shows none need not look for it.

        Raises:
            UsageFault: Character, trigger, strategy, an event field or a class are not declared, or
                the tick is no tick (TB111).
        """
        self._follow()
        source = self._thinker(character, trigger, location, tick)
        moment = self._moment(source, tick, character, trigger, event, speaking)
        found, _ = passing_monologue(trigger, moment)
        if not found:
            return None
        how = source.strategy if strategy is None else _words.strategy(strategy)
        if how == "weighted":
            drawing = draw_by_priority(found, moment.number)
            if drawing is not None:
                return self._pick(drawing, moment, None, verdict)
        drawn = NARROW[how](found, Priority(), None)
        return self._pick(draw(drawn.groups, moment.number), moment, None, verdict, drawn.round)

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
        self._follow()
        source = self._thinker(character, trigger, location, tick)
        moment = self._moment(source, tick, character, trigger, event, speaking)
        how = source.strategy if strategy is None else _words.strategy(strategy)
        shown = self._pack.monologue_pools if every_pool else None
        return judge_monologue(
            trigger, moment, how, character=character, location=location, shown=shown
        )

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
        self._follow()
        source = self._thinker(character, trigger, location, tick)
        moment = self._moment(source, tick, character, trigger, event, speaking)
        how = source.strategy if strategy is None else _words.strategy(strategy)
        return funnel_monologue(trigger, moment, how, character=character, location=location)

    def _thinker(self, character: str, trigger: str, location: str, tick: int) -> Source:
        pack = self._pack
        if character not in pack.characters:
            _words.declared("character", (character,), pack.characters)
        if trigger not in pack.enums.triggers:
            _words.declared("trigger", (trigger,), pack.enums.triggers)
        if type(tick) is not int or tick < 0:
            _words.tick(tick)
        key = (character, location)
        source = self._thinkers.get(key)
        if source is None:
            pools = pack.monologue_pools_for(character, location)
            source = self._source(pools, character, location, MONOLOGUE_STRATEGY, tick)
            self._thinkers[key] = source
        return source

    # --- the moment ------------------------------------------------------------------------------

    def look(self, pool: str, line_id: str, *, speaker: str, tick: int) -> tuple[GateResult, ...]:
        """Return the gates of one line with what is found there at *tick*, whoever asks.

        Gates on the event find none, and nothing is drawn for chances.

        Raises:
            UnknownReference: There is no such line (TB113).
        """
        line = self._pack.line(pool, line_id)
        asked = Asked(self._known, tick=tick, speaker=speaker, mind_id=self._mind.mind_id)
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
        return effects_of(
            home,
            position,
            mind=self._mind.mind_id,
            speaker=speaker if talks else None,
            declared=self._pack.declared,
            shown=shown,
        )

    def _moment(
        self,
        source: Source,
        tick: int,
        speaker: str,
        trigger: str | None,
        event: Mapping[str, Scalar],
        speaking: Sequence[Speech | tuple[str, str]],
    ) -> Moment:
        if not event and not speaking:
            return Moment(self._desk, source, tick, speaker, trigger, _NO_EVENT, ())
        declared = self._pack.declared
        fields = _words.event(event, declared, trigger)
        spoken = _words.speaking(speaking, declared)
        return Moment(self._desk, source, tick, speaker, trigger, fields, spoken)

    def _pick(
        self,
        drawing: Drawing,
        moment: Moment,
        speaker: str | None,
        verdict: bool,
        turn: int = 0,
    ) -> Pick:
        position = drawing.position
        pool = drawing.view.pool
        shown: dict[str, Any] = {"round": turn} if turn else {}
        text: str = pool.texts[position]
        if position in pool.variants:
            text = self._variant(drawing, shown, moment)
        gates: tuple[GateResult, ...] | None = () if verdict else None
        if verdict and position in pool.when:
            view = drawing.view
            gates = view.looked.get(position) or view.look(position, moment.asked)
        return Pick(
            drawing,
            mind=self._desk.mind_id,
            speaker=speaker,
            text=text,
            shown=shown,
            gates=gates,
            interrupts=self._interrupted(drawing, moment.spoken) if moment.spoken else (),
        )

    def _interrupted(self, drawing: Drawing, spoken: tuple[Speech, ...]) -> tuple[Speech, ...]:
        name = drawing.view.pool.classes.get(drawing.position)
        found = self._pack.declared.classes.get(name) if name else None
        if found is None:
            return ()
        return tuple(one for one in spoken if one.speaking_class in found.interrupts)

    def _variant(self, drawing: Drawing, shown: dict[str, Any], moment: Moment) -> str:
        """Draw one of a line's texts: none again before all were heard, nor twice in a row."""
        pool, position = drawing.view.pool, drawing.position
        texts: tuple[str, ...] = pool.texts_at(position)
        names = [variant_name(text) for text in texts]
        hearings = self._mine.of(pool.path).get(position, {})
        here = hearings_of(hearings, drawing.view.speaker)
        bag = max(here, key=lambda one: one.order).variants if here else ()
        left = [place for place, name in enumerate(names) if name not in bag]
        if not left:
            left = [place for place, name in enumerate(names) if name != bag[-1]]
        chosen = left[0]
        if len(left) > 1:
            number = moment.variant(pool.path, pool.ids[position])
            chosen = left[(number * len(left)) >> 64]
        shown["variant"] = names[chosen]
        return texts[chosen]


def _again(pack: Pack, mind: Mind, seed: int, world: Mind | None) -> Selector:
    return Selector(pack, mind, seed=seed, world=world)


def _knows_nothing(mind: Mind) -> bool:
    graph = mind.graph
    is_told = graph.facts or graph.entities or graph.heard or graph.cells or graph.last_said
    return mind.revision == 0 and not is_told


def _add_keys(change: Applied, keys: set[ReadKey]) -> None:
    """Add to *keys* what gates read of a change that is no line heard."""
    for name in change.changed_fact_ids:
        keys.add(name)
        if name.startswith("gossip."):
            keys.add(name.rpartition("_")[0])
    keys.update(change.changed_entities)
    for kind, cell in change.cells:
        keys.add((kind, cell.id))
