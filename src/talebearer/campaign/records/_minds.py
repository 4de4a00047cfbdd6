"""Minds: the logs that make them, the snapshots that spare reading the logs, and live play.

A mind is what its log says. A snapshot of it is written when a session is recorded, and in live
play whenever a quarter of the log is newer than the last one: so reading a mind stays cheap, and
what the snapshots take grows no faster than the log.

Records keep the names of characters that were current when they were written, and stay where they are;
they are read under the names of today.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from talebearer.campaign._config import TICKS_PER_SESSION
from talebearer.campaign.records import ids, values
from talebearer.campaign.records._book import KNOWLEDGE, RELATION, Book
from talebearer.campaign.records._now import Draft, Now
from talebearer.memory import (
    Applied,
    Event,
    Mind,
    Renamer,
    fold,
    numbered,
    renamed_log,
    renamed_snapshot,
)
from talebearer.vocabulary import RelationType

SNAPSHOT_EVENTS_MIN = 64
SNAPSHOT_SHARE = 4
"""A snapshot is due when one event in so many is newer than it."""


@dataclass(slots=True)
class Minds:
    """The minds of one campaign."""

    book: Book
    _open: dict[str, Mind] = field(default_factory=dict)
    # Mind to the live events after its snapshot; None while it has no snapshot.
    _unsaved: dict[str, int | None] = field(default_factory=dict)
    # Mind to that under whose id its records are: of a renamed character the one that it had first.
    _homes: dict[str, str] = field(default_factory=dict)

    def get(self, mind: str) -> Mind:
        """Return what *mind* knows: its snapshot and the live events after it.

        A reader asks the store each time, since a writer may have gone on beside it. A former name of
        a character is as good as the one that it has now.
        """
        mind = self.book.now_called(mind)
        if mind not in self._open or self.book.read_only:
            version = self.book.find(KNOWLEDGE, ids.mind_record_id(self.home(mind)))
            known = Mind(mind) if version is None else self._saved(mind, version.value)
            caught_up = self._catch_up(known)
            self._unsaved[mind] = None if version is None else caught_up
            self._open[mind] = known
        return self._open[mind]

    def home(self, mind: str) -> str:
        """Return under whose id the records of *mind* are: its own, or one that it had before."""
        found = self._homes.get(mind)
        if found is None:
            found = mind
            former = [
                f"npc:{old}" for old, new in self.book.names().items() if mind == f"npc:{new}"
            ]
            for one in (mind, *former) if former else ():
                if self.book.find(KNOWLEDGE, ids.mind_record_id(one)) is not None:
                    found = one
                    break
            self._homes[mind] = found
        return found

    def _saved(self, mind: str, value: Mapping[str, Any]) -> Mind:
        """Return the mind of a snapshot."""
        names = self.book.names()
        snapshot = values.content_of(value)
        if names:
            snapshot, kept = renamed_snapshot(snapshot, names)
            if len(kept) < len(names):
                # It has somebody under two names; the log tells whether these are two.
                events = [event for event, _ in self.log(mind)]
                return fold(mind, events, numbers=Mind.from_snapshot(snapshot).numbers)
        return Mind.from_snapshot(snapshot)

    def _catch_up(self, mind: Mind) -> int:
        """Apply the live events that *mind* lacks and return how many there were."""
        count = 0
        home = self.home(mind.mind_id)
        while True:
            sequence = mind.next_sequence(ids.LIVE)
            version = self.book.find(KNOWLEDGE, ids.event_id(home, ids.LIVE, sequence))
            if version is None:
                return count
            mind.apply(self._event(version.value))
            count += 1

    def _event(self, value: Mapping[str, Any]) -> Event:
        event = Event.from_json(values.content_of(value))
        names = self.book.names()
        return renamed_log([event], names)[0] if names else event

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all minds that have something to remember."""
        found = {
            self.book.now_called(version.ref.id.removeprefix("mind:"))
            for version in self.book.each(KNOWLEDGE, "mind:")
        }
        return tuple(sorted(found))

    def log(self, mind: str) -> list[tuple[Event, Mapping[str, Any] | None]]:
        """Return a mind's log in its one order, see :func:`log_order`, each with its pick."""
        log: list[tuple[Event, Mapping[str, Any] | None]] = []
        names = self.book.names()
        for version in self.book.each(KNOWLEDGE, f"event:{self.home(self.book.now_called(mind))}:"):
            event = Event.from_json(values.content_of(version.value))
            pick = version.value["metadata"]["extensions"].get(values.PICK_KEY)
            log.append((event, pick if not names else Renamer(names).value(pick)))
        log.sort(key=lambda item: log_order(item[0]))
        if not names:
            return log
        renamed = renamed_log((event for event, _ in log), names)
        return [(event, pick) for event, (_, pick) in zip(renamed, log, strict=True)]

    def put_event(self, mind: str, event: Event, *, pick: Mapping[str, Any] | None = None) -> None:
        """Keep one event of *mind*, and lead from it to the occurrence that proves it."""
        receipt = event.provenance
        writer = self.book.writer(session=receipt.session if receipt else None, mind=mind)
        entity_id = ids.event_id(self.home(mind), event.stream, event.sequence)
        self.book.put(KNOWLEDGE, entity_id, values.event_value(writer, event, pick=pick))
        if receipt is not None:
            relation = writer.relation(RelationType.DERIVED_FROM, entity_id, receipt.occurrence)
            self.book.put(RELATION, ids.derivation_id(entity_id), relation)

    def put_snapshot(self, mind: Mind) -> None:
        """Keep a mind's snapshot, and take it as what the mind knows from now on."""
        writer = self.book.writer(mind=mind.mind_id)
        value = values.mind_value(writer, mind)
        self.book.put(KNOWLEDGE, ids.mind_record_id(self.home(mind.mind_id)), value)
        self._open[mind.mind_id] = mind
        self._unsaved[mind.mind_id] = 0

    @contextmanager
    def turn(self, now: Now) -> Iterator[None]:
        """Keep all that is appended inside, and the clock after it, or nothing."""
        try:
            with self.book.batch():
                yield
                self.book.put_now(now)
        except BaseException:
            # What was applied before the fault is in memory only; read it from the store again.
            self.forget()
            raise

    def append(
        self, mind: str, draft: Draft, *, now: Now, pick: Mapping[str, Any] | None = None
    ) -> tuple[Event, Applied]:
        """Apply one live event to *mind* and keep it; inside :meth:`turn`."""
        kind, data = draft
        known = self.get(mind)
        event = Event(
            stream=ids.LIVE,
            sequence=known.next_sequence(ids.LIVE),
            tick=now.tick,
            kind=kind,
            data=data,
        )
        change = known.apply(event)
        event = numbered(event, change)
        self.put_event(mind, event, pick=pick)
        self._note(known)
        return event, change

    def _note(self, mind: Mind) -> None:
        """Count an event after the snapshot, and write a new snapshot when one is due."""
        unsaved = self._unsaved[mind.mind_id]
        if unsaved is None:
            # The first snapshot comes at once, so that ids() knows every mind that has a log.
            self.put_snapshot(mind)
            return
        self._unsaved[mind.mind_id] = unsaved = unsaved + 1
        due = unsaved * SNAPSHOT_SHARE >= sum(mind.marks.values())
        if unsaved >= SNAPSHOT_EVENTS_MIN and due:
            self.put_snapshot(mind)

    def forget(self, minds: Iterable[str] | None = None) -> None:
        """Drop what is kept in memory of *minds*, or of all."""
        for mind in list(self._open) if minds is None else minds:
            self._open.pop(mind, None)


def log_order(event: Event) -> tuple[int, str, int]:
    """Return where *event* stands in a mind's log.

    A recorded session enters as a whole at the tick where it begins, in the order of its artifact:
    its conversations may overlap, and sorting them by tick would interleave them. Live events stand
    at their own tick.
    """
    tick = event.tick
    if event.provenance is not None:
        tick -= tick % TICKS_PER_SESSION
    return tick, event.stream, event.sequence
