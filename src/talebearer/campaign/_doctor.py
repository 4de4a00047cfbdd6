"""Doctor: counts, versions, and whether what is kept agrees with itself."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talebearer import __version__
from talebearer.campaign.records import ARTIFACT, RELATION, Book, Minds, SessionRecord, ids
from talebearer.errors import TalebearerError
from talebearer.lines import Pack
from talebearer.memory import Event, fold

STORE_FACTS = ("path", "schema_version", "sqlite_version", "recovered_after_unclean_shutdown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What ``doctor`` found.

    Attributes:
        facts: Versions and counts, in reading order.
        faults: What is wrong, one sentence each; empty when all is well.
    """

    facts: Mapping[str, Any]
    faults: tuple[str, ...]


def describe(pack: Pack) -> str:
    """Return a line about the compiled content."""
    pools = f"{len(pack.dialogue_pools)} dialogue and {len(pack.monologue_pools)} monologue pools"
    return f"{pools}, pack {pack.digest[:19]}…"


def examine(book: Book, minds: Minds, *, content: str, faults: Sequence[str] = ()) -> Health:
    """Check digests, citations, relations, places, and that each mind equals the fold of its log.

    Args:
        book: The campaign's records.
        minds: The campaign's minds.
        content: A line about the content.
        faults: What was found before.
    """
    return _examine(book, minds, content=content, faults=list(faults))


def _examine(book: Book, minds: Minds, *, content: str, faults: list[str]) -> Health:
    occurrences = book.occurrences()
    sessions = book.sessions()
    for session in sessions:
        faults += _session_faults(book, session.id, session.unit_count)
    faults += _shared_places(sessions)
    events = 0
    for mind_id in minds.ids():
        mind = minds.get(mind_id)
        log = [event for event, _ in minds.log(mind_id)]
        events += len(log)
        faults += _log_faults(book, mind_id, log)
        if mind.tick > book.now().tick:
            faults.append(f"the clock is at {book.now().tick}, behind {mind_id} at {mind.tick}")
        if fold(mind_id, log, numbers=mind.numbers).dumps() != mind.dumps():
            faults.append(f"the mind {mind_id} differs from the fold of its log")
    status = book.store.status()
    facts = {
        "talebearer": __version__,
        "python": platform.python_version(),
        **{f"store {key}": status[key] for key in STORE_FACTS},
        "content": content,
        "sessions": len(sessions),
        "occurrences": len(occurrences),
        "draft occurrences": sum(item.draft for item in occurrences),
        "npcs": len(book.npc_names()),
        "minds": len(minds.ids()),
        "events": events,
        "tick": book.now().tick,
    }
    return Health(facts=facts, faults=tuple(faults))


def _shared_places(sessions: Sequence[SessionRecord]) -> list[str]:
    places = Counter(session.ordinal for session in sessions)
    return [f"{count} sessions have the place {n}" for n, count in places.items() if count > 1]


def _log_faults(book: Book, mind: str, log: Sequence[Event]) -> list[str]:
    """Every recorded event leads to its occurrence, by its receipt and by its relation."""
    faults = []
    for event in log:
        if event.provenance is None:
            continue
        entity_id = ids.event_id(mind, event.stream, event.sequence)
        if book.occurrence(event.provenance.occurrence) is None:
            faults.append(f"{entity_id} rests on {event.provenance.occurrence}, which is gone")
        if book.find(RELATION, ids.derivation_id(entity_id)) is None:
            faults.append(f"{entity_id} has no relation to its occurrence")
    return faults


def _session_faults(book: Book, session: str, unit_count: int) -> list[str]:
    faults = []
    for entity_id in ids.artifact_ids(session):
        if book.find(ARTIFACT, entity_id) is None:
            faults.append(f"{entity_id} is missing")
            continue
        try:
            book.store.download(book.meta, entity_id)
        except TalebearerError as error:
            faults.append(f"{entity_id}: {error.message}")
    for item in book.occurrences(session):
        if any(ref.end_unit_id > unit_count for ref in item.source_refs):
            faults.append(f"{item.id} cites units that {session} does not have")
    return faults
