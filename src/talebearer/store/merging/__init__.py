"""Merging: concurrent edits of one value joined by a CRDT, their changes kept with the versions."""

from talebearer.store.merging._automerge import automerge_engine
from talebearer.store.merging._documents import Documents
from talebearer.store.merging._engine import (
    TEXT_CHARS_MAX,
    EngineRefusal,
    MergeEngine,
    StoredChange,
)
from talebearer.store.merging._resolve import Document, Merger, NotMergeable, Variant
from talebearer.store.merging._text import clusters, text_edits

__all__ = [
    "TEXT_CHARS_MAX",
    "Document",
    "Documents",
    "EngineRefusal",
    "MergeEngine",
    "Merger",
    "NotMergeable",
    "StoredChange",
    "Variant",
    "automerge_engine",
    "clusters",
    "text_edits",
]
