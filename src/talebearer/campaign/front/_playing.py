"""The front door for play: conversations, thoughts, and single lines for a game."""

from __future__ import annotations

from talebearer.campaign._config import SceneDefaults
from talebearer.campaign._converse import Conversation, begin
from talebearer.campaign._converse import think as _think
from talebearer.campaign._play import Game, LineOptions
from talebearer.campaign._social import Social
from talebearer.campaign._stage import Stage
from talebearer.campaign._why import Investigator
from talebearer.campaign.front._opened import Opened
from talebearer.campaign.records import ids
from talebearer.campaign.views import Reply

PARTY = ids.PARTY


class PlayPart(Opened):
    """What is said, and what comes of it."""

    def talk(
        self,
        name: str,
        *,
        mind: str = PARTY,
        scene: SceneDefaults | None = None,
        more: LineOptions | None = None,
    ) -> Conversation:
        """Begin a conversation with an NPC, or take up the one that is in progress with it.

        Raises:
            UnknownName: Nobody has that name (TB105).
            IllegalTransition: A conversation with somebody else is in progress (TB101).
        """
        npc = self._npc(name)
        mind = self._mind(mind).mind_id
        options = scene or SceneDefaults()
        return begin(self._stage(), npc, mind=mind, options=options, more=more or LineOptions())

    def think(
        self,
        character: str,
        trigger: str,
        *,
        location: str | None = None,
        tick: int | None = None,
        mind: str = PARTY,
        more: LineOptions | None = None,
    ) -> Reply:
        """Return what a player character thinks on *trigger*, and keep that it was thought.

        Args:
            character: A player character of the content's characters.
            trigger: One of the content's triggers.
            location: Where; the place of the last conversation by default.
            tick: When; one tick from now by default.
            mind: Whose memory the gates read.
            more: Strategy, event fields, what is being spoken.
        """
        mind = self._mind(mind).mind_id
        return _think(
            self._stage(),
            character,
            trigger,
            mind=mind,
            location=location,
            tick=tick,
            more=more or LineOptions(),
        )

    @property
    def game(self) -> Game:
        """Single lines and single events, for a game that keeps its own place."""
        return Game(self._stage, self._npc, self._mind)

    def _stage(self) -> Stage:
        return Stage(
            self._book,
            self._minds,
            self.config,
            self.pack,
            self._seed,
            Investigator(self._book, self._minds, self.pack),
            Social(self._minds, self.pack, self.config, self._seed),
            self._selectors,
            self.texts,
        )
