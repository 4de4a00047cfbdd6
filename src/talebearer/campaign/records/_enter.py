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

        An occurrence with the same name, kind and ranges as one of *former* keeps its number, also
        when only the name that goes with its slug is new; a number that vanishes is not given again.
        """
        before = self.minds.get(ids.PARTY)
        kept = _kept(occurrences, former, self._numbers(before))
        stream = ids.session_stream(self.session)
        events = occurrence_events(
            [self._occurrence(item, kept.get(item.id)) for item in occurrences],
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

    def _numbers(self, mind: Mind) -> dict[str, int]:
        """Return the interaction numbers that the session's occurrences have in *mind*, by id."""
        numbers: dict[str, int] = {}
        for fact_id, fact in mind.graph.facts.items():
            for receipt in fact.provenance:
                if fact.metadata is not None and receipt.session == self.session:
                    numbers[receipt.occurrence] = int(fact_id.rpartition("_")[2])
        return numbers


def _kept(
    occurrences: Sequence[StoredOccurrence],
    former: Mapping[OccurrenceKey, StoredOccurrence],
    numbers: Mapping[str, int],
) -> dict[str, int]:
    """Return the number that each occurrence keeps, by its id; each number is kept once."""
    kept: dict[str, int] = {}
    # Another NPC under the same name, after a merge was undone, has numbers of its own.
    same = {item.id: former.get(item.key) for item in occurrences}
    left = {key: item for key, item in former.items() if item not in same.values()}
    by_slug = {item.slug_key: item for item in left.values()}
    for item in occurrences:
        before = same[item.id]
        if before is None or before.slug != item.slug:
            before = by_slug.pop(item.slug_key, None)
        if before is not None and before.id in numbers:
            kept[item.id] = numbers[before.id]
    return kept


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
