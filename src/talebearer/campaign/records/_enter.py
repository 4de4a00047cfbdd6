"""A recorded session enters the party's memory: its events take the place of former ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from talebearer.campaign.records import ids
from talebearer.campaign.records._book import KNOWLEDGE, RELATION, Book
from talebearer.campaign.records._minds import Minds, log_order
from talebearer.campaign.records.values import OccurrenceKey, StoredOccurrence
from talebearer.memory import Event, Mind, Occurrence, fold, occurrence_events
from talebearer.vocabulary import EventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteringSession:
    """One session on its way into the mind of the party.

    Attributes:
        minds: The campaign's minds.
        session: Session id.
        base_tick: The tick at which it begins.
        artifact_digest: Digest of the artifact that holds its occurrences.
    """

    minds: Minds
    session: str
    base_tick: int
    artifact_digest: str

    def enter(
        self,
        occurrences: Sequence[StoredOccurrence],
        former: Mapping[OccurrenceKey, StoredOccurrence],
    ) -> Mind:
        """Replace the session's events in the party's log and build its mind again.

        An occurrence with the same name, kind and ranges as one of *former* keeps its number; a
        number that vanishes is not given again.
        """
        before = self.minds.get(ids.PARTY)
        kept = self._kept_numbers(before, former)
        stream = ids.session_stream(self.session)
        events = occurrence_events(
            [self._occurrence(item, kept.get(item.key)) for item in occurrences],
            session=self.session,
            stream=stream,
            first_sequence=1,
            base_tick=self.base_tick,
        )
        numbered = _numbered(events, highest=dict(before.numbers))
        others = [event for event, _ in self.minds.log(ids.PARTY) if event.stream != stream]
        log = sorted([*others, *numbered], key=log_order)
        mind = fold(ids.PARTY, log, numbers=before.numbers)
        for event in numbered:
            self.minds.put_event(ids.PARTY, event)
        self.minds.put_snapshot(mind)
        return mind

    def _occurrence(self, item: StoredOccurrence, number: int | None) -> Occurrence:
        return Occurrence(
            slug=item.slug,
            kind=item.kind,
            source_refs=item.source_refs,
            occurrence=item.id,
            artifact_digest=self.artifact_digest,
            number=number,
        )

    def _kept_numbers(
        self, mind: Mind, former: Mapping[OccurrenceKey, StoredOccurrence]
    ) -> dict[OccurrenceKey, int]:
        """Return the interaction numbers that the session's former occurrences have in *mind*."""
        numbers: dict[str, int] = {}
        for fact_id, fact in mind.graph.facts.items():
            for receipt in fact.provenance:
                if fact.metadata is not None and receipt.session == self.session:
                    numbers[receipt.occurrence] = int(fact_id.rpartition("_")[2])
        return {key: numbers[item.id] for key, item in former.items() if item.id in numbers}


def drop_session_events(book: Book, session: str) -> None:
    """Delete a session's events from the party's log, relations first; versions stay."""
    prefix = f"event:{ids.PARTY}:{ids.session_stream(session)}:"
    for version in list(book.each(KNOWLEDGE, prefix)):
        book.drop(RELATION, ids.derivation_id(version.ref.id))
        book.drop(KNOWLEDGE, version.ref.id)


def _numbered(events: Sequence[Event], *, highest: dict[str, int]) -> list[Event]:
    """Return *events* with a number on every start, above all that were ever given."""
    numbered: list[Event] = []
    for event in events:
        if event.kind == EventKind.INTERACTION_STARTED and event.data.get("number") is None:
            slug = event.data["target"].removeprefix("npc:")
            highest[slug] = highest.get(slug, 0) + 1
            event = replace(event, data={**event.data, "number": highest[slug]})
        numbered.append(event)
    return numbered
