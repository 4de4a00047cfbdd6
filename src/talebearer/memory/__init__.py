"""What one mind knows, folded from events.

Pure: no files, clock or randomness, and nothing outside the standard library, so that a game can
run it in process. Same events, same bytes, on every machine and under every hash seed.

The fold is a mind's only way to change. What follows from what happened (consequences of walking
out, the other side of a conversation, gossip, fading) is worked out by pure functions that return
drafts of events; the caller puts them into logs.
"""

from talebearer.memory._consequences import (
    Consequences,
    Step,
    consequences,
    stress_delta,
)
from talebearer.memory._events import Event, EventDraft, drafts_by_mind
from talebearer.memory._facts import (
    EntityKnowledge,
    FactKnowledge,
    GossipMetadata,
    InteractionMetadata,
    LearnedVia,
    Provenance,
    SourceRef,
)
from talebearer.memory._fading import DecayPolicy, decay_due
from talebearer.memory._fold import Applied
from talebearer.memory._gossip import (
    GossipPolicy,
    gossip_confidence,
    spread_gossip,
)
from talebearer.memory._graph import KnowledgeGraph
from talebearer.memory._mind import Mind, fold, numbered
from talebearer.memory._mirror import mirrored, mirrored_data
from talebearer.memory._occurrences import Occurrence, occurrence_events
from talebearer.memory._picture import Edge, Node, Picture, picture_of
from talebearer.memory._registry import EntityRegistry
from talebearer.memory._renamed import Renamer, renamed_log, renamed_snapshot
from talebearer.memory._slugs import slug_of
from talebearer.memory._state import Cell, Heard, Said
from talebearer.memory._text import gossip_text, render_text
from talebearer.memory._tolerance import (
    InteractionTolerance,
    Tolerance,
    ToleranceThreshold,
    tolerance_of,
)
from talebearer.memory._transitions import advance
from talebearer.memory.saving._file import SavedMind, dump_file, load_file

__all__ = [
    "Applied",
    "Cell",
    "Consequences",
    "DecayPolicy",
    "Edge",
    "EntityKnowledge",
    "EntityRegistry",
    "Event",
    "EventDraft",
    "FactKnowledge",
    "GossipMetadata",
    "GossipPolicy",
    "Heard",
    "InteractionMetadata",
    "InteractionTolerance",
    "KnowledgeGraph",
    "LearnedVia",
    "Mind",
    "Node",
    "Occurrence",
    "Picture",
    "Provenance",
    "Renamer",
    "Said",
    "SavedMind",
    "SourceRef",
    "Step",
    "Tolerance",
    "ToleranceThreshold",
    "advance",
    "consequences",
    "decay_due",
    "drafts_by_mind",
    "dump_file",
    "fold",
    "gossip_confidence",
    "gossip_text",
    "load_file",
    "mirrored",
    "mirrored_data",
    "numbered",
    "occurrence_events",
    "picture_of",
    "renamed_log",
    "renamed_snapshot",
    "render_text",
    "slug_of",
    "spread_gossip",
    "stress_delta",
    "tolerance_of",
]
