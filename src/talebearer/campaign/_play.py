"""One line at a time, for games: pick it, explain it, keep what came of it.

A conversation in the terminal keeps its own place; a game has its own, and asks for single lines and
tells single events. Both go through the same selector, which stays with its mind and follows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from talebearer.campaign._cells import check_written
from talebearer.campaign._config import SceneDefaults
from talebearer.campaign._names import Npc
from talebearer.campaign._scene import scene_for
from talebearer.campaign._stage import GENERAL, WAIT_TICKS_MAX, Stage
from talebearer.campaign.records import Now
from talebearer.campaign.records.ids import WORLD
from talebearer.campaign.views import to_json
from talebearer.errors import UsageFault, did_you_mean
from talebearer.lines import Explanation, Funnel, Pack, Pick, Scene
from talebearer.memory import Applied, Consequences, Event, Mind, Renamer
from talebearer.vocabulary import EventKind

Scalar = str | int | float | bool
_OF_TALKS = (
    EventKind.INTERACTION_STARTED,
    EventKind.INTERACTION_COMPLETED,
    EventKind.INTERACTION_WALKED_AWAY,
    EventKind.INTERACTION_CONFRONTATION,
    EventKind.INTERACTION_CONFLICT_ABANDONED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOptions:
    """What a request for a line may say beyond who, where and about what.

    Attributes:
        strategy: How the draw is made; None leaves it to the pools.
        event: Fields of what happened, as the triggers declare them.
        speaking: What is being spoken now: class and character.
    """

    strategy: str | None = None
    event: Mapping[str, Scalar] = field(default_factory=dict)
    speaking: tuple[tuple[str, str], ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Return them as a selector takes them."""
        return {"strategy": self.strategy, "event": self.event, "speaking": self.speaking}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineAnswer:
    """What came of one request.

    Attributes:
        mind: Whose memory was asked.
        tick: When.
        scene: What the line was asked for, with all that was filled in.
        pick: The line; None when none passes, or when only an explanation was asked for.
        explanation: What became of every line; None when it was not asked for.
        kept: Whether the pick's effects were kept.
        funnel: How many lines each stage left over; None when it was not asked for.
        said: What is said of the pick in the campaign's language; None where it has none.
    """

    mind: str
    tick: int
    scene: Mapping[str, Any]
    pick: Pick | None = None
    explanation: Explanation | None = None
    kept: bool = False
    funnel: Funnel | None = None
    said: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        value: dict[str, Any] = {
            "mind": self.mind,
            "tick": self.tick,
            "scene": to_json(self.scene),
            "pick": None if self.pick is None else self.pick.as_json(),
            "kept": self.kept,
        }
        if self.said is not None:
            value["said"] = self.said
        if self.explanation is not None:
            value["explanation"] = self.explanation.as_json()
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAnswer:
    """What one event changed.

    Attributes:
        event: The event, with its place in the log.
        applied: What it changed.
        consequences: What the end of a conversation cost, if it was one.
    """

    event: Event
    applied: Applied
    consequences: Consequences | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        steps = self.consequences.steps if self.consequences else ()
        return {
            "event": self.event.as_json(),
            "changed_fact_ids": list(self.applied.changed_fact_ids),
            "changed_entities": list(self.applied.changed_entities),
            "interaction": self.applied.interaction_id,
            "consequences": [
                {"step": step.name, "changed": step.changed, "text": step.text} for step in steps
            ],
        }


def moment(stage: Stage, mind: str, tick: int | None) -> Now:
    """Return the clock at *tick*, by default one tick on.

    Raises:
        UsageFault: *tick* is in the past or out of reach (TB111).
    """
    now = stage.next_tick(mind)
    if tick is None:
        return now
    least = now.tick - 1
    whole = isinstance(tick, int) and not isinstance(tick, bool)
    if not whole or not least <= tick <= least + WAIT_TICKS_MAX:
        past = " is in the past" if whole and tick < least else " is out of reach"
        raise UsageFault(f"tick {tick!r}{past}", hint=f"{least} to {least + WAIT_TICKS_MAX}")
    now.tick = tick
    return now


def scene_of(stage: Stage, speaker: str, mind: str, options: SceneDefaults) -> Scene:
    """Return the scene in which *speaker* speaks to *mind*."""
    graph = stage.minds.get(mind).graph
    return scene_for(speaker, stage.pack, graph, campaign=stage.config.scene, options=options)


def line_of_dialogue(
    stage: Stage,
    speaker: str,
    *,
    mind: str,
    options: SceneDefaults,
    more: LineOptions,
    tick: int | None,
    explain: bool,
    keep: bool,
    pick: bool = True,
    count: bool = False,
) -> LineAnswer:
    """Pick what *speaker* says to *mind*, explain it, or both.

    Args:
        stage: The campaign.
        speaker: Slug of who speaks.
        mind: Who listens.
        options: The scene as far as it is given.
        more: Strategy, event fields, what is being spoken.
        tick: When; one tick from now by default.
        explain: Whether every line is explained.
        keep: Whether the effects are kept.
        pick: Whether a line is picked at all.
        count: Whether the lines that each stage leaves over are counted, and every line is
            explained when none passes.
    """
    now = moment(stage, mind, tick)
    scene = scene_of(stage, speaker, mind, options)
    now.location = scene.location
    selector = stage.selector(stage.minds.get(mind))
    asked: dict[str, Any] = {"tick": now.tick, **more.arguments()}
    chosen = selector.pick_dialogue(speaker, scene, **asked) if pick else None
    told = explain or (count and chosen is None)
    explanation = selector.explain_dialogue(speaker, scene, **asked) if told else None
    funnel = selector.count_dialogue(speaker, scene, **asked) if count else None
    shown = {**to_json(scene), **_shown(more)}
    answer = _answered(stage, mind, now, shown, chosen, explanation, keep=keep and pick)
    return replace(answer, funnel=funnel)


def line_of_monologue(
    stage: Stage,
    character: str,
    trigger: str,
    *,
    mind: str,
    location: str | None,
    more: LineOptions,
    tick: int | None,
    explain: bool,
    keep: bool,
    pick: bool = True,
    every_pool: bool = False,
    count: bool = False,
) -> LineAnswer:
    """Pick what *character* thinks on *trigger*, explain it, or both; as :func:`line_of_dialogue`.

    Raises:
        UsageFault: Character or trigger is not the campaign's, or *tick* lies in the past (TB111).
        UnknownName: *location* is not a place of the content (TB105).
    """
    if character not in stage.pack.characters:
        hint = did_you_mean(str(character), stage.pack.characters)
        raise UsageFault(f"there is no player character {character!r}", hint=hint)
    stage.checked("triggers", (trigger,))
    now = moment(stage, mind, tick)
    if location is not None and location != GENERAL:
        now.location = stage.place(location)
    now.location = now.location or stage.config.scene.location
    place = GENERAL if location == GENERAL else now.location or GENERAL
    selector = stage.selector(stage.minds.get(mind))
    asked: dict[str, Any] = {"location": place, "tick": now.tick, **more.arguments()}
    explanation = None
    if explain:
        explanation = selector.explain_monologue(character, trigger, every_pool=every_pool, **asked)
    chosen = selector.pick_monologue(character, trigger, **asked) if pick else None
    funnel = selector.count_monologue(character, trigger, **asked) if count else None
    shown = {"character": character, "trigger": trigger, "location": place, **_shown(more)}
    answer = _answered(stage, mind, now, shown, chosen, explanation, keep=keep and pick)
    return replace(answer, funnel=funnel)


def _shown(more: LineOptions) -> dict[str, Any]:
    """Return what was asked beyond the usual, for records of a pick."""
    given: dict[str, Any] = {}
    if more.strategy is not None:
        given["strategy"] = more.strategy
    if more.event:
        given["event"] = [f"{name} {value}" for name, value in sorted(more.event.items())]
    if more.speaking:
        given["speaking"] = [f"{kind} by {who}" for kind, who in more.speaking]
    return given


def _answered(
    stage: Stage,
    mind: str,
    now: Now,
    scene: Mapping[str, Any],
    pick: Pick | None,
    explanation: Explanation | None,
    *,
    keep: bool,
) -> LineAnswer:
    if keep:
        stage.keep(mind, pick, now, scene)
    return LineAnswer(
        mind=mind,
        tick=now.tick,
        scene=scene,
        pick=pick,
        explanation=explanation,
        kept=keep and pick is not None,
        said=None if pick is None or stage.texts is None else stage.texts.said(pick),
    )


def apply_event(
    stage: Stage, mind: str, kind: EventKind, data: Mapping[str, Any], *, tick: int | None
) -> EventAnswer:
    """Let something happen to *mind* now, with all that follows from it.

    Conversations also enter the other side's mind, and their ends have consequences.

    Raises:
        InvalidEvent: The event is malformed; nothing has changed (TB102).
        IllegalTransition: The conversation does not allow it; nothing has changed (TB101).
        UsageFault: It writes what the content does not declare so; nothing has changed (TB111).
    """
    now = moment(stage, mind, tick)
    known = stage.minds.get(mind)
    data = _named_now(stage.pack, data)
    place = known.next_sequence("live")
    # A twin takes it first: only what is right may have a mirror and consequences.
    known.copy().apply(Event(stream="live", sequence=place, tick=now.tick, kind=kind, data=data))
    check_written(stage.pack.declared, mind, kind, data)
    if kind in _OF_TALKS and mind != WORLD:
        if kind is EventKind.INTERACTION_STARTED:
            now.location = str(data.get("location") or now.location or "") or None
        event, applied, consequences = stage.social.happen(mind, (kind, data), now=now)
        return EventAnswer(event=event, applied=applied, consequences=consequences)
    with stage.minds.turn(now):
        event, applied = stage.minds.append(mind, (kind, data), now=now)
    return EventAnswer(event=event, applied=applied)


def _named_now(pack: Pack, data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the details of an event with the names of today: a game may know former ones."""
    return Renamer(pack.slugs_now).data(data) if pack.slugs_now else data


class Game:
    """Single lines and single events of one campaign.

    Args:
        stage: Gives the campaign as it is now.
        find: Finds an NPC by slug, name or alias.
        check: Gives a mind by an id that it has or had, and refuses what is none.
    """

    def __init__(
        self,
        stage: Callable[[], Stage],
        find: Callable[[str], Npc],
        check: Callable[[str], Mind],
    ) -> None:
        self._stage = stage
        self._find = find
        self._check = check

    def line(
        self,
        name: str,
        *,
        mind: str = "party",
        scene: SceneDefaults | None = None,
        more: LineOptions | None = None,
        tick: int | None = None,
        explain: bool = False,
        keep: bool = True,
        pick: bool = True,
    ) -> LineAnswer:
        """Return one line of an NPC, outside or inside a conversation, for a game that asks itself.

        Args:
            name: The NPC's slug, name or alias.
            mind: Who listens.
            scene: The scene as far as it is given; the rest is filled in as for a conversation.
            more: Strategy, event fields, what is being spoken.
            tick: When; one tick from now by default.
            explain: Whether to explain every line of the NPC there.
            keep: Whether to keep what the pick does.
            pick: Whether to pick at all; without it nothing is changed.

        Raises:
            UnknownName: Nobody has that name (TB105).
            UsageFault: A word is not declared, or *tick* lies in the past (TB111).
        """
        npc = self._find(name)
        mind = self._check(mind).mind_id
        return line_of_dialogue(
            self._stage(),
            npc.slug,
            mind=mind,
            options=scene or SceneDefaults(),
            more=more or LineOptions(),
            tick=tick,
            explain=explain,
            keep=keep,
            pick=pick,
        )

    def thought(
        self,
        character: str,
        trigger: str,
        *,
        mind: str = "party",
        location: str | None = None,
        more: LineOptions | None = None,
        tick: int | None = None,
        explain: bool = False,
        keep: bool = True,
        pick: bool = True,
        every_pool: bool = False,
    ) -> LineAnswer:
        """Return one thought of a player character, as :meth:`line` returns what an NPC says.

        Args:
            character: A player character of the content's characters.
            trigger: One of the content's triggers.
            mind: Whose memory the gates read.
            location: Where; the place of the last conversation by default.
            more: As for :meth:`line`.
            tick: As for :meth:`line`.
            explain: As for :meth:`line`.
            keep: As for :meth:`line`.
            pick: As for :meth:`line`.
            every_pool: Whether to explain the lines of other places and characters, too.

        Raises:
            UsageFault: A word is not declared, or *tick* lies in the past (TB111).
            UnknownName: *location* is not a place of the content (TB105).
        """
        mind = self._check(mind).mind_id
        return line_of_monologue(
            self._stage(),
            character,
            trigger,
            mind=mind,
            location=location,
            more=more or LineOptions(),
            tick=tick,
            explain=explain,
            keep=keep,
            pick=pick,
            every_pool=every_pool,
        )

    def apply_event(
        self,
        kind: EventKind,
        data: Mapping[str, Any],
        *,
        mind: str = "party",
        tick: int | None = None,
    ) -> EventAnswer:
        """Let something happen to a mind, with all that follows from it.

        Args:
            kind: What happened.
            data: The details, see :class:`talebearer.memory.Event`.
            mind: To whom.
            tick: When; one tick from now by default.

        Raises:
            InvalidEvent: The event is malformed; nothing has changed (TB102).
            IllegalTransition: The conversation does not allow it; nothing has changed (TB101).
            UsageFault: It writes a counter, value or timer that the content does not declare, or
                not so; nothing has changed (TB111).
        """
        mind = self._check(mind).mind_id
        return apply_event(self._stage(), mind, kind, data, tick=tick)
