"""From what a transcript shows to what happened to the party's mind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from talebearer.memory import _checks
from talebearer.memory._checks import Malformed
from talebearer.memory._events import Event, invalid_event
from talebearer.memory._facts import Provenance, SourceRef
from talebearer.vocabulary import SLUG, Confidence, EventKind, OccurrenceKind, SourceKind

_SLUG = re.compile(SLUG)
_MOVES: dict[OccurrenceKind, tuple[EventKind, ...]] = {
    OccurrenceKind.DIALOGUE: (),
    OccurrenceKind.COMBAT_OPPONENT: (EventKind.INTERACTION_CONFRONTATION,),
}
_SIGHTINGS: dict[OccurrenceKind, tuple[Confidence, SourceKind]] = {
    OccurrenceKind.COMBAT_ALLY: (Confidence.KNOWS_DETAILS, SourceKind.DIRECT_OBSERVATION),
    OccurrenceKind.NONCOMBAT_PRESENCE: (Confidence.KNOWS_DETAILS, SourceKind.DIRECT_OBSERVATION),
    OccurrenceKind.OTHER: (Confidence.KNOWS_OF, SourceKind.DIRECT_OBSERVATION),
    OccurrenceKind.MENTIONED: (Confidence.KNOWS_OF, SourceKind.HEARD),
}

_Step = tuple[EventKind, int, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One evidence-cited record of an artifact, on its way into a mind.

    Attributes:
        slug: The character's slug.
        kind: What the transcript shows.
        source_refs: The unit ranges that prove it; at least one.
        occurrence: Entity id of the record in the store.
        artifact_digest: Digest of the artifact that holds it.
        number: The interaction number it had before, when the session is recorded again.
    """

    slug: str
    kind: OccurrenceKind
    source_refs: tuple[SourceRef, ...]
    occurrence: str
    artifact_digest: str
    number: int | None = None


def occurrence_events(
    items: Iterable[Occurrence], *, session: str, stream: str, first_sequence: int, base_tick: int
) -> list[Event]:
    """Return the events of a session's occurrences, in the order given.

    A dialogue is started and completed; a combat opponent has a confrontation in between; every
    other kind is a sighting. Unit *u* stands at ``base_tick + u``: an interaction begins at its
    first unit and ends at its last.

    Args:
        items: The occurrences, in artifact order.
        session: The session's id, kept on every event.
        stream: The event stream; one for each session.
        first_sequence: Sequence of the first event, from 1; the others follow densely.
        base_tick: Tick at which the session begins.

    Raises:
        InvalidEvent: An occurrence is malformed (TB102).

    Source: IM-M9, IM-M12, IM-M13.
    """
    events: list[Event] = []
    for item in items:
        try:
            receipt = _receipt(item, session)
        except Malformed as fault:
            raise invalid_event(fault) from None
        for kind, unit_id, data in _steps(item):
            events.append(
                Event(
                    stream=stream,
                    sequence=first_sequence + len(events),
                    tick=base_tick + unit_id,
                    kind=kind,
                    data=data,
                    provenance=receipt,
                )
            )
    return events


def _receipt(item: Occurrence, session: str) -> Provenance:
    _checks.formed(item.slug, "slug", _SLUG)
    receipt = Provenance(
        session=session,
        artifact_digest=item.artifact_digest,
        occurrence=item.occurrence,
        kind=item.kind,
        source_refs=item.source_refs,
    )
    return _checks.checked_receipt(receipt, "occurrence")


def _steps(item: Occurrence) -> Iterator[_Step]:
    """Yield kind, unit and details of each event of one occurrence."""
    target = f"npc:{item.slug}"
    first = min(ref.start_unit_id for ref in item.source_refs)
    moves = _MOVES.get(item.kind)
    if moves is None:
        confidence, source = _SIGHTINGS[item.kind]
        via: dict[str, Any] = {"kind": source.value, "payload": {}}
        known = item.kind is not OccurrenceKind.MENTIONED
        yield (
            EventKind.ENTITY_OBSERVED,
            first,
            {"target": target, "confidence": confidence.value, "source": via, "known": known},
        )
        return
    start = {"target": target, "player_initiated": True, "location": "unknown"}
    if item.number is not None:
        start["number"] = item.number
    yield EventKind.INTERACTION_STARTED, first, start
    for kind in moves:
        yield kind, first, {"target": target}
    last = max(ref.end_unit_id for ref in item.source_refs)
    yield EventKind.INTERACTION_COMPLETED, last, {"target": target, "topics": []}
