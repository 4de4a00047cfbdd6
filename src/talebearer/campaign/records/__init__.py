"""What the campaign keeps in the store, and how: records, logs, snapshots, session entries."""

from talebearer.campaign.records import ids, values
from talebearer.campaign.records._book import (
    ARTIFACT,
    KNOWLEDGE,
    RELATION,
    Book,
    Now,
    SessionRecord,
)
from talebearer.campaign.records._enter import EnteringSession, drop_session_events
from talebearer.campaign.records._minds import Draft, Minds
from talebearer.campaign.records.values import OccurrenceKey, StoredOccurrence

__all__ = [
    "ARTIFACT",
    "KNOWLEDGE",
    "RELATION",
    "Book",
    "Draft",
    "EnteringSession",
    "Minds",
    "Now",
    "OccurrenceKey",
    "SessionRecord",
    "StoredOccurrence",
    "drop_session_events",
    "ids",
    "values",
]
