"""Conversations and thoughts: the scene is derived, a line picked, its effects kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from talebearer.campaign._config import SceneDefaults
from talebearer.campaign._names import Npc
from talebearer.campaign._play import (
    LineAnswer,
    LineOptions,
    line_of_dialogue,
    line_of_monologue,
)
from talebearer.campaign._scene import scene_for
from talebearer.campaign._stage import WAIT_TICKS_MAX, Stage
from talebearer.campaign.views import (
    ConsequenceView,
    Evidence,
    GateView,
    LearnedView,
    Outcome,
    Reply,
)
from talebearer.errors import IllegalTransition, UsageFault
from talebearer.lines import Explanation, Scene
from talebearer.memory import InteractionMetadata
from talebearer.vocabulary import EventKind, InteractionState

SILENCE_LINES_MAX = 30


def reply_of(answer: LineAnswer, stage: Stage, *, speaker: str, interaction: str | None) -> Reply:
    """Return what people and programs see of a pick whose lines were counted."""
    facts = stage.pack.facts
    pick, funnel = answer.pick, answer.funnel
    assert funnel is not None, "the caller asked for it"
    location = str(answer.scene["location"])
    if pick is None:
        return Reply(
            text=None,
            reference=None,
            speaker=speaker,
            tick=answer.tick,
            interaction=interaction,
            location=location,
            funnel=funnel.steps,
        )
    learned = [
        LearnedView(
            id=one.data["fact_id"],
            confidence=str(one.data["confidence"]),
            description=facts.get(one.data["fact_id"], ""),
        )
        for one in pick.effects
        if one.kind == EventKind.FACT_LEARNED
    ]
    chance = pick.verdict.probability
    return Reply(
        text=stage.said(pick),
        reference=f"{pick.pool}:{pick.line_id}",
        speaker=speaker,
        tick=answer.tick,
        interaction=interaction,
        location=location,
        gates=tuple(
            GateView(
                text=gate.text,
                met=gate.met,
                found=gate.found,
                fact_ids=gate.fact_ids,
                entities=gate.entities,
            )
            for gate in pick.verdict.gates
        ),
        learned=tuple(learned),
        eligible=funnel.eligible,
        probability=None if chance is None else float(chance),
        funnel=funnel.steps,
    )


@dataclass(slots=True)
class Conversation:
    """A live conversation with one NPC; it began when this was made, or is taken up again.

    Attributes:
        interaction: Its fact id.
        npc: Whom it is with.
    """

    _stage: Stage
    npc: Npc
    mind_id: str
    interaction: str
    options: SceneDefaults = field(default_factory=SceneDefaults)
    more: LineOptions = field(default_factory=LineOptions)
    resumed: bool = False
    _asked: list[str] = field(default_factory=list)
    _last: str | None = None
    _silence: Explanation | None = None

    @property
    def slug(self) -> str:
        """The NPC's slug."""
        return self.npc.slug

    @property
    def name(self) -> str:
        """The NPC's name."""
        return self.npc.name

    @property
    def location(self) -> str:
        """Where it takes place."""
        return self._scene().location

    @property
    def state(self) -> InteractionState:
        """Where the conversation is, or how it ended."""
        return self._metadata().interaction_state

    @property
    def moods(self) -> tuple[str, ...]:
        """The moods that lines are scored by."""
        return self._scene().moods

    @property
    def tick(self) -> int:
        """The campaign's tick now."""
        return self._stage.book.now().tick

    def history(self) -> str:
        """Return one sentence about the earlier conversations."""
        graph = self._stage.minds.get(self.mind_id).graph
        target = f"npc:{self.slug}"
        if self.resumed:
            return "You take up where you left off."
        earlier = graph.interaction_ids_with(target)[:-1]
        if not earlier:
            return "The first time that you talk."
        last = graph.facts[earlier[-1]].metadata
        assert last is not None, "an interaction id names a fact with metadata"
        times = "once" if len(earlier) == 1 else f"{len(earlier)} times"
        how = {
            InteractionState.COMPLETED: "the last time you parted properly",
            InteractionState.WALKED_AWAY: "the last time you walked out",
            InteractionState.CONFLICT_ABANDONED: "the last time you stormed out of a quarrel",
        }[last.interaction_state]
        return f"You have talked {times} before; {how}."

    def say(self, *topics: str) -> Reply:
        """Bring up *topics* (none: anything) and return what the NPC says to that.

        Raises:
            UsageFault: A topic is not in the campaign's enumeration (TB111).
            IllegalTransition: The conversation is over (TB101).
        """
        self._must_run()
        self._stage.checked("topics", topics)
        options = replace(self.options, topics=topics) if topics else self.options
        answer = line_of_dialogue(
            self._stage,
            self.slug,
            mind=self.mind_id,
            options=options,
            more=self.more,
            tick=None,
            explain=False,
            count=True,
            keep=True,
        )
        self._asked.extend(topic for topic in topics if topic not in self._asked)
        reply = reply_of(
            answer,
            self._stage,
            speaker=self.slug,
            interaction=self.interaction,
        )
        self._last = reply.reference
        self._silence = None if answer.pick else answer.explanation
        return reply

    def mood(self, *moods: str) -> None:
        """Set the NPC's mood from now on; none clears it.

        Raises:
            UsageFault: A mood is not in the campaign's enumeration (TB111).
        """
        self.options = replace(self.options, moods=self._stage.checked("moods", moods))

    def at(self, location: str) -> None:
        """Move the conversation to *location*.

        Raises:
            UnknownName: No pool and no profile of the content is there (TB105).
        """
        place = self._stage.place(location)
        self.options = replace(self.options, location=place)

    def wait(self, ticks: int) -> None:
        """Let *ticks* pass, 0 to 10**12.

        Raises:
            UsageFault: *ticks* is out of bounds (TB111).
        """
        whole = isinstance(ticks, int) and not isinstance(ticks, bool)
        if not whole or not 0 <= ticks <= WAIT_TICKS_MAX:
            raise UsageFault(f"cannot wait {ticks!r} ticks", hint=f"0 to {WAIT_TICKS_MAX}")
        now = self._stage.book.now()
        now.tick = max(now.tick, self._stage.minds.get(self.mind_id).tick) + ticks
        self._stage.book.put_now(now)

    def confront(self) -> Outcome:
        """Escalate to a confrontation; the conversation goes on."""
        return self._event(EventKind.INTERACTION_CONFRONTATION)

    def complete(self) -> Outcome:
        """End the conversation properly, with the topics that came up."""
        return self._event(EventKind.INTERACTION_COMPLETED, topics=list(self._asked))

    def walk_away(self) -> Outcome:
        """Walk out; a confrontation is abandoned."""
        confronting = self.state is InteractionState.CONFRONTATION
        return self._event(
            EventKind.INTERACTION_CONFLICT_ABANDONED
            if confronting
            else EventKind.INTERACTION_WALKED_AWAY
        )

    def why(self) -> Evidence:
        """Explain the last line, or why there was none.

        Raises:
            UsageFault: Nothing was said yet, or no campaign keeps what lines rest on (TB111).
        """
        if self._silence is not None:
            return silence(self.name, self._silence)
        if self._stage.investigator is None:
            raise UsageFault(
                "nothing is recorded here that a line could rest on",
                hint="ask in a campaign: talebearer why",
            )
        if self._last is None:
            raise UsageFault(
                "nothing was said yet", hint="say something first, an empty line will do"
            )
        return self._stage.investigator.why(self._last, mind=self.mind_id)

    def _scene(self) -> Scene:
        return scene_for(
            self.slug,
            self._stage.pack,
            self._stage.minds.get(self.mind_id).graph,
            campaign=self._stage.config.scene,
            options=self.options,
        )

    def _metadata(self) -> InteractionMetadata:
        metadata = self._stage.minds.get(self.mind_id).graph.facts[self.interaction].metadata
        assert metadata is not None, "a conversation is a fact with metadata"
        return metadata

    def _must_run(self) -> None:
        if not self.state.in_progress:
            raise IllegalTransition(
                f"the conversation {self.interaction} is {self.state}",
                hint="begin another: campaign.talk(NAME)",
            )

    def _event(self, kind: EventKind, **details: Any) -> Outcome:
        self._must_run()
        now = self._stage.next_tick(self.mind_id)
        now.location = self.location
        data = {"target": f"npc:{self.slug}", **details}
        _, _, result = self._stage.social.happen(self.mind_id, (kind, data), now=now)
        metadata = self._metadata()
        return Outcome(
            interaction=self.interaction,
            target=metadata.target_entity,
            state=metadata.interaction_state.value,
            confrontation=metadata.confrontation,
            tick=now.tick,
            consequences=tuple(
                ConsequenceView(step=step.name, changed=step.changed, text=step.text)
                for step in (result.steps if result else ())
            ),
        )


def silence(name: str, explanation: Explanation) -> Evidence:
    """Return why nobody said anything: what stopped each line of the speaker's pools."""
    stopped = [
        Evidence(
            kind="line",
            id=f"{verdict.pool}:{verdict.line_id}",
            text=f"“{verdict.text}” stopped at {verdict.dropped_by}: {verdict.detail}",
        )
        for verdict in explanation.verdicts
    ]
    if not stopped:
        return Evidence(kind="line", text=f"{name} has no pool at this place")
    more = len(stopped) - SILENCE_LINES_MAX
    if more > 0:
        stopped = [*stopped[:SILENCE_LINES_MAX], Evidence(kind="line", text=f"and {more} more")]
    return Evidence(
        kind="line", text=f"no line of {name}'s fits the scene", children=tuple(stopped)
    )


def begin(
    stage: Stage,
    npc: Npc,
    *,
    mind: str,
    options: SceneDefaults,
    more: LineOptions,
) -> Conversation:
    """Begin a conversation with *npc*, or take up one that was left in progress.

    Raises:
        IllegalTransition: A conversation with somebody else is in progress (TB101).
    """
    graph = stage.minds.get(mind).graph
    active = graph.in_progress_id
    target = f"npc:{npc.slug}"
    if active is not None:
        other = graph.active_interaction()
        assert other is not None, "an id in progress has its metadata"
        if other.target_entity == target:
            return Conversation(stage, npc, mind, active, options=options, more=more, resumed=True)
        raise IllegalTransition(
            f"interaction_started is not allowed while {active} is {other.interaction_state}",
            hint=f"end it first: talebearer talk {other.target_entity.removeprefix('npc:')}, /bye",
        )
    scene = scene_for(npc.slug, stage.pack, graph, campaign=stage.config.scene, options=options)
    now = stage.next_tick(mind)
    now.location = scene.location
    data = {"target": target, "player_initiated": True, "location": scene.location}
    stage.social.fade(mind, now)
    draft = (EventKind.INTERACTION_STARTED, data)
    _, applied, _ = stage.social.happen(mind, draft, now=now)
    assert applied.interaction_id is not None, "a start gives an interaction"
    return Conversation(stage, npc, mind, applied.interaction_id, options=options, more=more)


def think(
    stage: Stage,
    character: str,
    trigger: str,
    *,
    mind: str,
    location: str | None,
    tick: int | None,
    more: LineOptions,
) -> Reply:
    """Pick what *character* thinks on *trigger*, and keep that it was thought.

    Raises:
        UsageFault: Character or trigger is not the campaign's, or *tick* lies in the past (TB111).
        UnknownName: *location* is not a place of the content (TB105).
    """
    answer = line_of_monologue(
        stage,
        character,
        trigger,
        mind=mind,
        location=location,
        more=more,
        tick=tick,
        explain=False,
        count=True,
        keep=True,
    )
    return reply_of(answer, stage, speaker=character, interaction=None)
