"""What the campaign keeps in the store, and how: records, logs, snapshots, session entries."""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use
from talebearer.campaign.records import ids
from talebearer.campaign.records._now import Draft, Now

if TYPE_CHECKING:
    from talebearer.campaign.records import values
    from talebearer.campaign.records._book import (
        ARTIFACT,
        KNOWLEDGE,
        RELATION,
        Book,
        SessionRecord,
    )
    from talebearer.campaign.records._enter import EnteringSession, drop_session_events
    from talebearer.campaign.records._minds import Minds
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

__getattr__ = opened_on_use(
    __name__,
    {
        "_book": "ARTIFACT KNOWLEDGE RELATION Book SessionRecord",
        "_enter": "EnteringSession drop_session_events",
        "_minds": "Minds",
        "values": "OccurrenceKey StoredOccurrence",
    },
)
