"""What merging needs of a CRDT engine, whichever it is.

A document is an opaque object of the engine. Nothing changes a document that was returned: every
operation gives a new one.

Source: the protocol sheet, section 5.5.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

TEXT_CHARS_MAX = 16_384
"""More text than this in one document is not merged."""


class EngineRefusal(Exception):  # it is caught here and turned into a fallback
    """The engine cannot hold or join this; the store falls back to keeping versions apart."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StoredChange(NamedTuple):
    """One change as it is stored.

    Attributes:
        hash: Lower-case hex of its SHA-256, its address.
        parents: The hashes that it depends on.
        data: The bytes of the change chunk.
    """

    hash: str
    parents: tuple[str, ...]
    data: bytes


class MergeEngine(Protocol):
    """A CRDT engine. Every method raises EngineRefusal for what it cannot do."""

    @property
    def name(self) -> str:
        """Name and version."""
        ...

    def new(self, value: Any, *, actor: bytes) -> Any:
        """Return a fresh document that holds *value*, written by *actor*."""
        ...

    def load(self, changes: Iterable[bytes]) -> Any:
        """Return the document that *changes*, in any order, make."""
        ...

    def join(self, documents: Iterable[Any]) -> Any:
        """Return the join of one or more documents."""
        ...

    def edit(self, document: Any, value: Any, *, actor: bytes) -> Any:
        """Return *document* changed by *actor* so that it holds *value*."""
        ...

    def value(self, document: Any) -> Any:
        """Return the JSON value that *document* holds."""
        ...

    def heads(self, document: Any) -> tuple[str, ...]:
        """Return the hashes of the changes that nothing follows, sorted."""
        ...

    def changes(self, document: Any, *, since: Iterable[str] = ()) -> list[StoredChange]:
        """Return the changes of *document* after the heads *since*, parents before children."""
        ...
