"""What one mind knows, folded from events.

Pure: no files, clock or randomness, and nothing outside the standard library, so that a game can
run it in process. Same events, same bytes, on every machine and under every hash seed.
"""

from talebearer.memory._events import Event
from talebearer.memory._facts import (
    EntityKnowledge,
    FactKnowledge,
    InteractionMetadata,
    LearnedVia,
    Provenance,
    SourceRef,
)
from talebearer.memory._fold import Applied
from talebearer.memory._graph import KnowledgeGraph
from talebearer.memory._mind import Mind, fold
from talebearer.memory._occurrences import Occurrence, occurrence_events
from talebearer.memory._slugs import slug_of
from talebearer.memory._transitions import advance

__all__ = [
    "Applied",
    "EntityKnowledge",
    "Event",
    "FactKnowledge",
    "InteractionMetadata",
    "KnowledgeGraph",
    "LearnedVia",
    "Mind",
    "Occurrence",
    "Provenance",
    "SourceRef",
    "advance",
    "fold",
    "occurrence_events",
    "slug_of",
]
