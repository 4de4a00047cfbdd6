"""Doctor: counts, versions, and whether what is kept agrees with itself."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talebearer import __version__
from talebearer.campaign import _ids
from talebearer.campaign._book import ARTIFACT, Book
from talebearer.campaign._minds import Minds
from talebearer.errors import TalebearerError
from talebearer.memory import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What ``doctor`` found.

    Attributes:
        facts: Versions and counts, in reading order.
        faults: What is wrong, one sentence each; empty when all is well.
    """

    facts: Mapping[str, Any]
    faults: tuple[str, ...]


def examine(book: Book, minds: Minds, *, content: str) -> Health:
    """Check digests, citations and that each mind equals the fold of its log."""
    faults: list[str] = []
    occurrences = book.occurrences()
    sessions = book.sessions()
    for session in sessions:
        faults += _session_faults(book, session.id, session.unit_count)
    events = 0
    for mind_id in minds.ids():
        mind = minds.get(mind_id)
        log = [event for event, _ in minds.log(mind_id)]
        events += len(log)
        if fold(mind_id, log, numbers=mind.numbers).dumps() != mind.dumps():
            faults.append(f"the mind {mind_id} differs from the fold of its log")
    status = book.store.status()
    facts = {
        "talebearer": __version__,
        "python": platform.python_version(),
        **{f"store {key}": value for key, value in sorted(status.items())},
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


def _session_faults(book: Book, session: str, unit_count: int) -> list[str]:
    faults = []
    for entity_id in (
        _ids.transcript_id(session),
        _ids.registry_id(session),
        _ids.interactions_id(session),
    ):
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
