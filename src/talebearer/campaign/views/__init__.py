"""What the use cases return: plain values that print, serialise and compare.

Every view turns into JSON by :func:`to_json`; the field names are the contract of ``--json``.
"""

from talebearer.campaign.views._evidence import EventView, Evidence, OccurrenceView, Quote
from talebearer.campaign.views._json import to_json
from talebearer.campaign.views._people import FactView, InteractionView, NpcView, Recollection
from talebearer.campaign.views._recorded import (
    Recording,
    SeatsView,
    SeatView,
    SourceSpeakers,
    SpeakerView,
)
from talebearer.campaign.views._said import ConsequenceView, GateView, LearnedView, Outcome, Reply

__all__ = [
    "ConsequenceView",
    "EventView",
    "Evidence",
    "FactView",
    "GateView",
    "InteractionView",
    "LearnedView",
    "NpcView",
    "OccurrenceView",
    "Outcome",
    "Quote",
    "Recollection",
    "Recording",
    "Reply",
    "SeatView",
    "SeatsView",
    "SourceSpeakers",
    "SpeakerView",
    "to_json",
]
