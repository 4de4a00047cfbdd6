"""The front door for memory: who was met, what a mind knows, why, and whether all of it holds."""

from __future__ import annotations

from dataclasses import replace

from talebearer.campaign._doctor import Health, describe, examine
from talebearer.campaign._names import find_npc
from talebearer.campaign._recall import fact_views, npc_views, occurrence_views, recollect
from talebearer.campaign._timeline import timeline
from talebearer.campaign._why import Investigator
from talebearer.campaign.front._opened import Opened
from talebearer.campaign.records import SessionRecord, ids
from talebearer.campaign.records.ids import WORLD
from talebearer.campaign.views import (
    EventView,
    Evidence,
    FactView,
    NpcView,
    OccurrenceView,
    Recollection,
)
from talebearer.errors import InvalidContent, UnknownReference
from talebearer.memory import KnowledgeGraph, Picture, Renamer, fold, picture_of, render_text
from talebearer.transcripts import Transcript

PARTY = ids.PARTY


class MemoryPart(Opened):
    """What is asked of memory; nothing here changes it."""

    def sessions(self) -> tuple[SessionRecord, ...]:
        """Return the recorded sessions in campaign order."""
        return self._book.sessions()

    def transcript(self, session: str) -> Transcript:
        """Return a recorded session's transcript, read from the stored bytes.

        Raises:
            UnknownReference: No such session is recorded (TB113).
        """
        return self._book.transcript(session)

    def npcs(self) -> tuple[NpcView, ...]:
        """Return everybody that a session names or the party knows, those with most to tell first."""
        people, mind = self._people(), self._minds.get(PARTY)
        return npc_views(self._book, self._everybody(people), mind, people)

    def occurrences(self) -> tuple[OccurrenceView, ...]:
        """Return all occurrences in campaign order, with the units that prove them."""
        return occurrence_views(self._book, self._people())

    def recall(self, name: str, *, mind: str = PARTY) -> Recollection:
        """Return what *mind* remembers of the NPC called *name*: slug, name or alias.

        Raises:
            UnknownName: Nobody has that name (TB105); the hint names the nearest.
        """
        people = self._people()
        npc = find_npc(name, self._everybody(people))
        known = recollect(self._book, npc, self._mind(mind), self._shown, people)
        return replace(known, facts=self._unveiled(known.facts, lambda fact: fact.description))

    def graph(self, *, mind: str = PARTY) -> KnowledgeGraph:
        """Return what a mind knows, to be asked: the core queries and more.

        Args:
            mind: ``party``, ``pc:{slug}`` or ``npc:{slug}``.

        Raises:
            InvalidId: *mind* is no mind id (TB109).
        """
        return self._mind(mind).graph

    def minds(self) -> tuple[str, ...]:
        """Return the ids of all minds that have something to remember."""
        return self._minds.ids()

    def mind_text(self, *, mind: str = PARTY) -> str:
        """Return what a mind knows as lines of text: people, conversations, facts."""
        return render_text(self._mind(mind))

    def picture(self) -> Picture:
        """Return who knows what of whom, and how sure, over all minds."""
        people = (mind for mind in self._minds.ids() if mind != WORLD)
        return picture_of(self._minds.get(mind) for mind in people)

    def replay(self, *, mind: str = PARTY) -> bool:
        """Return whether a mind equals the fold of its log, byte for byte."""
        known = self._mind(mind)
        log = [event for event, _ in self._minds.log(mind)]
        return fold(mind, log, numbers=known.numbers).dumps() == known.dumps()

    def facts(self, *, mind: str = PARTY) -> tuple[FactView, ...]:
        """Return the facts that a mind knows, conversations apart."""
        facts = fact_views(self._mind(mind).graph, self._shown)
        return self._unveiled(facts, lambda fact: f"{fact.id} {fact.description}")

    def why(self, reference: str, *, mind: str = PARTY) -> Evidence:
        """Return the chain of evidence behind a fact, interaction, ``POOL:LINE`` or occurrence.

        For players a line that was not said yet, and whatever is kept from them, is unknown.

        Raises:
            UnknownReference: Nothing has that id (TB113).
        """
        mind = self._mind(mind).mind_id
        if self._slugs_now():
            reference = Renamer(self._slugs_now()).value(reference)
        investigator = Investigator(
            self._book, self._minds, self._shown, heard_only=self._veil is not None
        )
        if self._veil is None:
            return investigator.why(reference, mind=mind)
        try:
            pruned = self._veil.pruned(investigator.why(reference, mind=mind))
        except UnknownReference:
            # Its hint lists what is near, which may be what is hidden.
            pruned = None
        if pruned is None:
            raise UnknownReference(
                f"nothing is called {str(reference)[:200]!r}", hint="see `talebearer recall NAME`"
            )
        return pruned

    def timeline(self, *, mind: str = PARTY) -> tuple[EventView, ...]:
        """Return everything that happened to a mind, recorded and live, in order."""
        mind = self._mind(mind).mind_id
        events = timeline(self._minds, self._shown, mind)
        return self._unveiled(events, lambda event: event.text)

    def doctor(self) -> Health:
        """Check the campaign and return versions, counts and faults; content errors are faults."""
        faults: tuple[str, ...] = ()
        try:
            content = describe(self.pack)
        except InvalidContent as error:
            content, faults = "has errors", (f"{error.code}: {error.message}",)
        return examine(self._book, self._minds, content=content, faults=faults)
