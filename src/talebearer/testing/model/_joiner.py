"""A merge engine as the plain model uses it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from talebearer.store.merging import EngineRefusal, MergeEngine


class EngineJoiner:
    """Joins documents by a merge engine; what it refuses is None."""

    def __init__(self, engine: MergeEngine) -> None:
        self._engine = engine

    def new(self, value: Any, *, version: str) -> Any:
        """Return a document of *value*."""
        try:
            return self._engine.new(value, actor=_actor(version))
        except EngineRefusal:
            return None

    def edit(self, documents: Sequence[Any], value: Any, *, version: str) -> Any:
        """Return the join of *documents*, edited to *value*."""
        try:
            joined = self._engine.join(documents)
            return self._engine.edit(joined, value, actor=_actor(version))
        except EngineRefusal:
            return None

    def join(self, documents: Sequence[Any]) -> Any:
        """Return the join of *documents*."""
        try:
            joined = self._engine.join(documents)
            self._engine.value(joined)
        except EngineRefusal:
            return None
        return joined

    def heads(self, document: Any) -> tuple[str, ...]:
        """Return the hashes of the document's last changes."""
        return self._engine.heads(document)

    def json(self, document: Any) -> Any:
        """Return the value that a document holds."""
        return self._engine.value(document)


def _actor(version: str) -> bytes:
    return hashlib.sha256(version.encode()).digest()[:16]
