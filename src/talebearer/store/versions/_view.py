"""What a request sees: the published heads, or a work unit's overlay on its fixed baseline.

Source: the protocol sheet, sections 5.2 and 5.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from talebearer.store._model import EntityRef
from talebearer.store.versions._rows import Stored, Versions


class View(Protocol):
    """The entities of one scope as one request sees them."""

    scope_json: str

    def heads(self, ref: EntityRef) -> dict[str, Stored]:
        """Return the heads of *ref* in the order of their version text."""
        ...

    def head_versions(self, ref: EntityRef) -> tuple[str, ...]:
        """Return the head versions of *ref*, sorted."""
        ...

    def unknown_bases(self, ref: EntityRef, bases: Iterable[str]) -> tuple[str, ...]:
        """Return those of *bases* that are no version of *ref* in this view."""
        ...

    def is_active(self, ref: EntityRef) -> bool:
        """Return whether *ref* has a live head."""
        ...


class PublishedView:
    """The published heads, now."""

    def __init__(self, versions: Versions, scope_json: str) -> None:
        self.scope_json = scope_json
        self._versions = versions

    def heads(self, ref: EntityRef) -> dict[str, Stored]:
        """Return the heads of *ref* in the order of their version text."""
        return self._versions.heads(self.scope_json, ref)

    def head_versions(self, ref: EntityRef) -> tuple[str, ...]:
        """Return the head versions of *ref*, sorted."""
        return self._versions.head_versions(self.scope_json, ref)

    def unknown_bases(self, ref: EntityRef, bases: Iterable[str]) -> tuple[str, ...]:
        """Return those of *bases* that were never published for *ref*."""
        return tuple(base for base in bases if not self._published(ref, base))

    def is_active(self, ref: EntityRef) -> bool:
        """Return whether *ref* has a live head."""
        return self._versions.is_active(self.scope_json, ref)

    def _published(self, ref: EntityRef, version: str) -> bool:
        stored = self._versions.version(self.scope_json, ref, version)
        return stored is not None and stored.cursor is not None
