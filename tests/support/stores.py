"""Small filled stores on disk, for the tests of what looks at whole stores."""

from __future__ import annotations

from pathlib import Path

from talebearer.store import EntityRef, Store
from talebearer.testing import (
    counting_ids,
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    sample_relation,
    sample_structured,
    stepping_clock,
)

META = sample_meta()
NOTE = EntityRef("knowledge", "note")
SCOPE = '{"user_id":"u","workspace_id":"w"}'
FILES = (b"bytes of a file", b"", bytes(range(256)) * 3_000)


def open_store(folder: Path, *, prefix: str = "v", read_only: bool = False) -> Store:
    """Open the store in a campaign's layout."""
    return Store.open(
        folder / "talebearer.db",
        artifacts=folder / "artifacts",
        now_ms=stepping_clock(),
        new_id=counting_ids(prefix),
        read_only=read_only,
    )


def fill(store: Store) -> None:
    """Write a little of everything: updates, a conflict, a tombstone, a relation, bytes."""
    first = store.create(META, "knowledge", sample_knowledge("first"), id="note")
    base = {**META, "base_versions": [first.version]}
    store.update(base, NOTE, sample_knowledge("second"))
    two = store.create(META, "knowledge", sample_structured({"n": 1}), id="two")
    mvcc = {**META, "base_versions": [two.version], "conflict_strategy": "mvcc"}
    store.update(mvcc, EntityRef("knowledge", "two"), sample_structured({"n": 2}))
    store.update(mvcc, EntityRef("knowledge", "two"), sample_structured({"n": 3}))
    gone = store.create(META, "knowledge", sample_knowledge("gone"), id="gone")
    store.delete({**META, "base_versions": [gone.version]}, EntityRef("knowledge", "gone"))
    store.create(META, "knowledge_relation", sample_relation("note", "two"), id="link")
    for number, data in enumerate(FILES):
        store.upload(
            META,
            data,
            media_type="text/plain",
            name=f"file {number}",
            metadata=sample_artifact_metadata(),
            id=f"file{number}",
        )
    store.create(sample_meta("other"), "knowledge", sample_knowledge("elsewhere"), id="note")
