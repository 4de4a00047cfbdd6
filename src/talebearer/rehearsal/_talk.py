"""A whole conversation, played: a campaign's own rules on minds that nobody keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from talebearer.errors import UsageFault, did_you_mean
from talebearer.lines import Pack
from talebearer.memory import Mind
from talebearer.rehearsal._changes import MindChanges, changes_between
from talebearer.rehearsal._setup import Setup

if TYPE_CHECKING:
    from talebearer.campaign import CampaignConfig, ConsequenceView, Conversation, Reply
    from talebearer.campaign import SceneDefaults as SceneOptions
    from talebearer.campaign.plans import MadeUpMinds

MOVES = ("say", "mood", "at", "wait", "confront", "complete", "walk_away")
"""What can be done in a conversation."""

MOVES_MAX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One thing that is done in a conversation.

    Attributes:
        kind: One of :data:`MOVES`.
        words: Topics to say, or moods to be in.
        location: The place to go to, for ``at``.
        ticks: How long to wait, for ``wait``.
    """

    kind: str
    words: tuple[str, ...] = ()
    location: str = ""
    ticks: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the move as a JSON object."""
        value: dict[str, Any] = {"kind": self.kind}
        if self.words:
            value["words"] = list(self.words)
        if self.location:
            value["location"] = self.location
        if self.ticks:
            value["ticks"] = self.ticks
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What came of one move.

    Attributes:
        move: The move.
        tick: When.
        state: Where the conversation is after it.
        reply: What was said; None when nobody was asked.
        consequences: What the end cost or gave, step by step.
    """

    move: Move
    tick: int
    state: str
    reply: Reply | None = None
    consequences: tuple[ConsequenceView, ...] = ()


class Played:
    """A conversation that is played, turn after turn.

    Attributes:
        setup: How it began.
        turns: What was done so far, and what came of it.
        history: One sentence about earlier conversations.
    """

    def __init__(
        self, setup: Setup, pack: Pack, minds: MadeUpMinds, config: CampaignConfig
    ) -> None:
        # They bring half of a campaign along, which the first funnel of a page need not wait for.
        from talebearer.campaign import LineOptions
        from talebearer.campaign.plans import made_up_conversation

        if setup.speaker is None:
            raise UsageFault("a thought is no conversation", hint="give a speaker")
        self.setup = setup
        self.turns: list[Turn] = []
        self._pack = pack
        self._minds = minds
        self._before = minds.copy()
        self._talk: Conversation = made_up_conversation(
            pack,
            minds,
            config,
            seed=setup.seed,
            npc=setup.speaker,
            tick=setup.tick,
            options=_options(setup),
            more=LineOptions(
                strategy=setup.strategy, event=dict(setup.event), speaking=setup.speaking
            ),
        )
        self.history = self._talk.history()

    @property
    def is_over(self) -> bool:
        """Whether the conversation has ended."""
        return not self._talk.state.in_progress

    @property
    def state(self) -> str:
        """Where the conversation is."""
        return self._talk.state.value

    @property
    def tick(self) -> int:
        """The tick now."""
        return self._talk.tick

    @property
    def moves(self) -> tuple[Move, ...]:
        """What was done so far; played again, it comes out the same."""
        return tuple(turn.move for turn in self.turns)

    def do(self, move: Move) -> Turn:
        """Do one thing and return what came of it.

        Raises:
            UsageFault: There is no such move, or one of its words is not declared (TB111).
            UnknownName: There is no such place (TB105).
            IllegalTransition: The conversation does not allow it (TB101).
        """
        if move.kind not in MOVES:
            hint = did_you_mean(str(move.kind), MOVES)
            raise UsageFault(f"there is no move {move.kind!r}", hint=hint)
        if len(self.turns) >= MOVES_MAX:
            raise UsageFault(f"a conversation has at most {MOVES_MAX} moves")
        reply, consequences = self._done(move)
        turn = Turn(
            move=move,
            tick=self.tick,
            state=self.state,
            reply=reply,
            consequences=consequences,
        )
        self.turns.append(turn)
        return turn

    def _done(self, move: Move) -> tuple[Reply | None, tuple[ConsequenceView, ...]]:
        talk = self._talk
        if move.kind == "say":
            return talk.say(*move.words), ()
        if move.kind == "mood":
            talk.mood(*move.words)
        elif move.kind == "at":
            talk.at(move.location)
        elif move.kind == "wait":
            talk.wait(move.ticks)
        else:
            ends = {
                "confront": talk.confront,
                "complete": talk.complete,
                "walk_away": talk.walk_away,
            }
            return None, ends[move.kind]().consequences
        return None, ()

    def say(self, *topics: str) -> Turn:
        """Bring up *topics*, none for anything."""
        return self.do(Move(kind="say", words=topics))

    def confront(self) -> Turn:
        """Escalate to a confrontation."""
        return self.do(Move(kind="confront"))

    def complete(self) -> Turn:
        """End the conversation properly."""
        return self.do(Move(kind="complete"))

    def walk_away(self) -> Turn:
        """Walk out."""
        return self.do(Move(kind="walk_away"))

    def wait(self, ticks: int) -> Turn:
        """Let *ticks* pass."""
        return self.do(Move(kind="wait", ticks=ticks))

    def minds(self) -> dict[str, Mind]:
        """Return every mind that something happened to, by its id; nobody may change them."""
        found = {mind: self._minds.get(mind) for mind in self._minds.ids()}
        return {mind: known for mind, known in found.items() if known.marks}

    def changes(self) -> tuple[MindChanges, ...]:
        """Return what every mind knows otherwise than before the conversation, by mind."""
        return changes_between(self._before, self._minds)


def _options(setup: Setup) -> SceneOptions:
    from talebearer.campaign import SceneDefaults as SceneOptions

    return SceneOptions(
        location=setup.location,
        situations=setup.situations,
        access=setup.access,
        trust=setup.trust,
        topics=setup.topics,
        moods=setup.moods,
    )
