"""One playthrough: a player goes from place to place, talks, thinks, walks out; the engine answers.

Here is only what a player and a game may do. Who may say what is the selector's, what follows from a
conversation is memory's, and the scene that a relationship gives is the campaign's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from talebearer.campaign import (
    CampaignConfig,
    Now,
    SceneBase,
    SceneDefaults,
    Social,
    scene_base,
)
from talebearer.lines import Pick, Scene, Selector
from talebearer.memory import Event, Mind
from talebearer.rehearsal.simulation._dice import Dice, seed_of
from talebearer.rehearsal.simulation._grants import Grants
from talebearer.rehearsal.simulation._minds import LIVE, RehearsedMinds
from talebearer.rehearsal.simulation._player import Player
from talebearer.rehearsal.simulation._setting import ARRIVAL, Place, Scalar, Setting, Speaker
from talebearer.vocabulary import EventKind

WORLD = "world"
ENTERED, RETURNED, TALKED, WAITED = (
    "enter_location",
    "return_visit",
    "post_conversation",
    "time_idle",
)
_DRIVEN = frozenset({ENTERED, RETURNED, TALKED, WAITED})
IDLE_MAX = 1000
"""Things done in a row that ask for no line, after which a playthrough ends early."""

_BASES_KEPT = 4096
_NO_EVENT: Mapping[str, Scalar] = {}

LineKey = tuple[str, str]
Asked = tuple[str, str, str]
"""Who was asked, where, and the trigger of a thought; an empty text for what is said."""

Outcome = tuple[Asked, LineKey | None]


class Watcher(Protocol):
    """Somebody who is told of every step of a playthrough."""

    def happened(self, mind: str, event: Event) -> None:
        """Something happened to *mind*; what a line does comes after :meth:`asked`."""

    def asked(self, request: Request, pick: Pick | None) -> None:
        """A line was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request for a line.

    Attributes:
        who: Who speaks or thinks.
        tick: When.
        scene: The scene of what is said; None for a thought.
        trigger: What brings a thought up; None for what is said.
        location: Where.
        event: Fields of what happened.
        speaking: What is being spoken.
    """

    who: str
    tick: int
    scene: Scene | None = None
    trigger: str | None = None
    location: str = ""
    event: Mapping[str, Scalar] = field(default_factory=dict)
    speaking: tuple[tuple[str, str], ...] = ()


class Playthrough:
    """One playthrough, from nothing.

    Args:
        setting: What all of them share.
        player: Who plays.
        config: The campaign's rules: scene, circles of gossip, rates of fading.
        seed: The run's seed.
        number: Which playthrough, from 1.
        turns: Lines that are asked for.
        watcher: Who is told of each step.
    """

    def __init__(
        self,
        setting: Setting,
        player: Player,
        config: CampaignConfig,
        *,
        seed: int,
        number: int,
        turns: int,
        watcher: Watcher | None = None,
    ) -> None:
        pack = setting.pack
        self._pack = pack
        self._setting = setting
        self._player = player
        self._config = config
        self._turns = turns
        self._watcher = watcher
        self._dice = Dice(seed, number)
        self._now = Now()
        self._minds = RehearsedMinds(None if watcher is None else watcher.happened)
        own_seed = seed_of(seed, number)
        self._mind: Mind = self._minds.get(player.mind)
        self._graph = self._mind.graph
        self._selector = Selector(pack, self._mind, seed=own_seed, world=self._minds.get(WORLD))
        self._social = Social(self._minds, pack, config, own_seed)
        self._grants = Grants(setting, player, self._minds, self._dice)
        self._character = self._dice.one(setting.characters) if setting.characters else ""
        self._visited: set[str] = set()
        self._place = self._dice.one(setting.places)
        self._going_on: tuple[str, ...] = ()
        self._just_arrived = (ARRIVAL,) if ARRIVAL in pack.enums.situations else ()
        self._own_bases: dict[str, SceneBase] = {}
        self._bases = setting.bases.setdefault(config.scene, {})
        self._arrived = False
        self.outcomes: list[Outcome] = []

    def run(self) -> list[Outcome]:
        """Play until so many lines were asked for, and return what came of each."""
        does = self._player.does
        acts = (
            (does.talk, self._talk),
            (does.move, self._move),
            (does.look, self._look),
            (does.wait, self._wait),
        )
        ways = [act for weight, act in acts for _ in range(weight)]
        self._arrive(self._place)
        idle = 0
        while len(self.outcomes) < self._turns and idle < IDLE_MAX:
            before = len(self.outcomes)
            self._grants.give(self._place, self._now)
            self._dice.one(ways)()
            idle = idle + 1 if len(self.outcomes) == before else 0
        return self.outcomes

    # --- what the player does --------------------------------------------------------------------

    def _move(self) -> None:
        others = [place for place in self._setting.places if place is not self._place]
        if others:
            self._now.tick += self._dice.within(self._player.ticks.move)
            self._arrive(self._dice.one(others))

    def _arrive(self, place: Place) -> None:
        known = place.slug in self._visited
        self._visited.add(place.slug)
        self._place = place
        self._now.location = place.slug
        self._arrived = True
        self._going_on = ()
        if place.situations and self._dice.happens(self._player.talk.situations):
            self._going_on = (self._dice.one(place.situations),)
        self._think(ENTERED)
        if known:
            self._think(RETURNED)

    def _wait(self) -> None:
        self._now.tick += self._dice.within(self._player.ticks.wait)
        self._think(WAITED)

    def _look(self) -> None:
        self._now.tick += self._dice.within(self._player.ticks.look)
        known = self._place.triggers.get(self._character, frozenset()) - _DRIVEN
        if known:
            self._think(self._dice.one(sorted(known)))

    def _talk(self) -> None:
        if not self._place.speakers:
            return
        talk, dice = self._player.talk, self._dice
        speaker = dice.one(self._place.speakers)
        count = dice.within(talk.lines)
        heated_at = dice.below(count) if count and dice.happens(talk.confront) else -1
        self._now.tick += dice.within(self._player.ticks.line)
        self._social.fade(self._player.mind, self._now)
        start = {
            "target": speaker.reference,
            "player_initiated": True,
            "location": self._place.slug,
        }
        self._happen(EventKind.INTERACTION_STARTED, start)
        spoken = _Talk(self, speaker, dice, self._player)
        now, outcomes, turns, has_aloud = self._now, self.outcomes, self._turns, self._place.aloud
        line_ticks = self._player.ticks.line
        silences = 0
        for at in range(count):
            if len(outcomes) >= turns or silences >= talk.patience:
                break
            if at == heated_at:
                self._happen(EventKind.INTERACTION_CONFRONTATION, {"target": speaker.reference})
            silences = 0 if spoken.line() else silences + 1
            if has_aloud:
                self._aloud()
            self._arrived = False
            now.tick += dice.within(line_ticks)
        self._leave(speaker, spoken.topics)

    def _aloud(self) -> None:
        """Let the player character say a line of its own, where it has any."""
        own = self._place.aloud.get(self._character)
        if own is None or len(self.outcomes) >= self._turns:
            return
        base = self._own_bases.get(own.place)
        if base is None:
            base = self._own_bases[own.place] = self.base(own, SceneDefaults(location=own.place))
        self.say(own, base, None)

    def _leave(self, speaker: Speaker, topics: list[str]) -> None:
        data: dict[str, Any] = {"target": speaker.reference}
        active = self._graph.active_interaction()
        assert active is not None, "it began, and nothing else ends it"
        if not self._dice.happens(self._player.talk.walk_out):
            self._happen(EventKind.INTERACTION_COMPLETED, data | {"topics": topics})
        elif active.interaction_state == "confrontation":
            self._happen(EventKind.INTERACTION_CONFLICT_ABANDONED, data)
        else:
            self._happen(EventKind.INTERACTION_WALKED_AWAY, data)
        self._think(TALKED)

    def _happen(self, kind: EventKind, data: Mapping[str, Any]) -> None:
        self._social.happen(self._player.mind, (kind, data), now=self._now)

    # --- lines -----------------------------------------------------------------------------------

    def _think(self, trigger: str) -> None:
        """Let the character think, where there is anything to think at all."""
        place, who = self._place, self._character
        known = place.triggers.get(who)
        if known is None or trigger not in known or len(self.outcomes) >= self._turns:
            return
        fields = self._pack.declared.fields.get(trigger)
        event = self._grants.event(fields) if fields else {}
        tick = self._now.tick
        pick = self._selector.pick_monologue(
            who, trigger, location=place.slug, tick=tick, event=event, verdict=False
        )
        if self._watcher is not None:
            request = Request(who=who, tick=tick, trigger=trigger, location=place.slug, event=event)
            self._watcher.asked(request, pick)
        self._heard((who, place.slug, trigger), pick)

    def base(self, speaker: Speaker, options: SceneDefaults) -> SceneBase:
        """Return what the scenes of *speaker* have in common while it is talked to so."""
        return scene_base(speaker.slug, self._pack, campaign=self._config.scene, options=options)

    def drawn_base(
        self,
        speaker: Speaker,
        access: tuple[str, ...],
        trust: tuple[str, ...],
        moods: tuple[str, ...],
    ) -> SceneBase:
        """Return :meth:`base` for what was drawn, of each tier one or none; playthroughs share it."""
        key = (speaker.asked, access, trust, moods)
        base = self._bases.get(key)
        if base is None:
            options = SceneDefaults(
                location=speaker.place,
                access=access[0] if access else None,
                trust=trust[0] if trust else None,
                topics=(),
                moods=moods,
            )
            if len(self._bases) >= _BASES_KEPT:
                self._bases.clear()
            base = self._bases[key] = self.base(speaker, options)
        return base

    def say(self, speaker: Speaker, base: SceneBase, topics: tuple[str, ...] | None) -> Pick | None:
        """Ask for what *speaker* says, and let it be heard."""
        more = self._going_on
        if self._arrived:
            more = (*more, *self._just_arrived)
        scene = base.scene(self._graph, topics=topics, more=more)
        tick, grants = self._now.tick, self._grants
        event = grants.remark() if grants.remarks else _NO_EVENT
        speaking = grants.speaking(speaker, self._place) if grants.speaks else ()
        pick = self._selector.pick_dialogue(
            speaker.slug, scene, tick=tick, event=event, speaking=speaking, verdict=False
        )
        if self._watcher is not None:
            request = Request(
                who=speaker.slug,
                tick=tick,
                scene=scene,
                location=scene.location,
                event=event,
                speaking=speaking,
            )
            self._watcher.asked(request, pick)
        self._heard(speaker.asked, pick)
        return pick

    def _heard(self, asked: Asked, pick: Pick | None) -> None:
        if pick is None:
            self.outcomes.append((asked, None))
            return
        # An event is made of a line that is only heard where somebody is told of it.
        is_heard = self._watcher is None and self._selector.let_hear(
            pick, stream=LIVE, tick=self._now.tick
        )
        drafts = pick.besides if is_heard else pick.effects
        for draft in drafts:
            self._minds.append(draft.mind, (draft.kind, draft.data), now=self._now)
        self.outcomes.append((asked, (pick.pool, pick.line_id)))


class _Talk:
    """One conversation: the mood, the tiers and the topics of it."""

    def __init__(self, play: Playthrough, speaker: Speaker, dice: Dice, player: Player) -> None:
        talk = player.talk
        self.topics: list[str] = []
        self._play = play
        self._speaker = speaker
        self._dice = dice
        self._talk = talk
        moods = dice.maybe(talk.moods, speaker.moods)
        access = dice.maybe(talk.access, speaker.access)
        trust = dice.maybe(talk.trust, speaker.trust)
        self._base = play.drawn_base(speaker, access, trust, moods)

    def line(self) -> bool:
        """Ask for one line; return whether there was any."""
        topics = self._dice.maybe(self._talk.topics, self._speaker.topics)
        if topics and topics[0] not in self.topics:
            self.topics.append(topics[0])
        return self._play.say(self._speaker, self._base, topics) is not None
