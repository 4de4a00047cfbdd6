"""The error tree and the codes of everything that can go wrong.

Two kinds, never mixed. A :class:`Problem` is a value: one finding about authored content, a
transcript, model output or configuration; they are collected and returned together. A
:class:`TalebearerError` is raised by a call that cannot do its job. Both carry a code that is
never reused; ``docs/errors.md`` has one section for each.
"""

from talebearer.errors import (
    findings_content,
    findings_extraction,
    findings_store,
    findings_transcripts,
)
from talebearer.errors._catalogue import CATALOGUE, Entry
from talebearer.errors._input import (
    AlreadyRecorded,
    CampaignNotFound,
    IllegalTransition,
    InvalidArtifact,
    InvalidCampaign,
    InvalidContent,
    InvalidEvent,
    InvalidId,
    InvalidPack,
    InvalidRecord,
    InvalidSave,
    InvalidTranscript,
    TranscriptTooLarge,
    UnknownName,
    UnknownReference,
    UsageFault,
)
from talebearer.errors._problem import Problem, Severity, Where
from talebearer.errors._provider import (
    BadModelOutput,
    CostLimitReached,
    InputTruncated,
    InvalidProvider,
    NoRecording,
    PriceUnknown,
    ProviderBusy,
    ProviderFailed,
    ProviderNotInstalled,
    UnknownProvider,
)
from talebearer.errors._show import visible
from talebearer.errors._store import (
    CursorExpired,
    ForeignDatabase,
    NotFound,
    SchemaTooNew,
    SchemaTooOld,
    StoreCorrupt,
    StoreFull,
    StoreLocked,
    StoreUnavailable,
    UnsafeSqlite,
    UnsupportedPlacement,
    VersionConflict,
)
from talebearer.errors._suggest import did_you_mean, nearest
from talebearer.errors._tree import (
    InputError,
    InternalError,
    ProviderError,
    StoreError,
    TalebearerError,
)

__all__ = [
    "CATALOGUE",
    "AlreadyRecorded",
    "BadModelOutput",
    "CampaignNotFound",
    "CostLimitReached",
    "CursorExpired",
    "Entry",
    "ForeignDatabase",
    "IllegalTransition",
    "InputError",
    "InputTruncated",
    "InternalError",
    "InvalidArtifact",
    "InvalidCampaign",
    "InvalidContent",
    "InvalidEvent",
    "InvalidId",
    "InvalidPack",
    "InvalidProvider",
    "InvalidRecord",
    "InvalidSave",
    "InvalidTranscript",
    "NoRecording",
    "NotFound",
    "PriceUnknown",
    "Problem",
    "ProviderBusy",
    "ProviderError",
    "ProviderFailed",
    "ProviderNotInstalled",
    "SchemaTooNew",
    "SchemaTooOld",
    "Severity",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "StoreUnavailable",
    "TalebearerError",
    "TranscriptTooLarge",
    "UnknownName",
    "UnknownProvider",
    "UnknownReference",
    "UnsafeSqlite",
    "UnsupportedPlacement",
    "UsageFault",
    "VersionConflict",
    "Where",
    "did_you_mean",
    "findings_content",
    "findings_extraction",
    "findings_store",
    "findings_transcripts",
    "nearest",
    "visible",
]
