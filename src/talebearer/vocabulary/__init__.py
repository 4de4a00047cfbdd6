"""Every closed vocabulary and id pattern of the specifications, once.

Values are the specifications' snake_case strings. JSON Schemas, command-line choices and tables
in the documentation come from here. Ordered vocabularies compare by their declared order, never
by spelling.
"""

from talebearer.vocabulary._defaults import (
    DEFAULT_ENUMS,
    EnumValue,
)
from talebearer.vocabulary._kinds import (
    ArtifactKind,
    Confidence,
    EventKind,
    FactState,
    InteractionState,
    OccurrenceKind,
    RecordType,
    RelationshipState,
    RelationType,
    SourceKind,
    TrustTier,
)
from talebearer.vocabulary._patterns import (
    CHARACTER_REF,
    DIALOGUE_ID,
    ENTITY_REF,
    FACT_ID,
    INTERACTION_ID,
    LANGUAGE,
    LINE_ID,
    MIND_ID,
    MONOLOGUE_ID,
    SLUG,
    SOURCE_ID,
    fullmatch,
)
from talebearer.vocabulary._wire import (
    ARTIFACT_CHUNK_BYTES_MAX,
    REQUEST_BYTES_MAX,
    RESULT_ITEMS_MAX,
    WIRE_VERSION,
    WireCapability,
    WireMethod,
)

__all__ = [
    "ARTIFACT_CHUNK_BYTES_MAX",
    "CHARACTER_REF",
    "DEFAULT_ENUMS",
    "DIALOGUE_ID",
    "ENTITY_REF",
    "FACT_ID",
    "INTERACTION_ID",
    "LANGUAGE",
    "LINE_ID",
    "MIND_ID",
    "MONOLOGUE_ID",
    "REQUEST_BYTES_MAX",
    "RESULT_ITEMS_MAX",
    "SLUG",
    "SOURCE_ID",
    "WIRE_VERSION",
    "ArtifactKind",
    "Confidence",
    "EnumValue",
    "EventKind",
    "FactState",
    "InteractionState",
    "OccurrenceKind",
    "RecordType",
    "RelationType",
    "RelationshipState",
    "SourceKind",
    "TrustTier",
    "WireCapability",
    "WireMethod",
    "fullmatch",
]
