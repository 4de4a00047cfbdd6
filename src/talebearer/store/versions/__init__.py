"""Versions and heads: what is current, what a write replaces, and the rows that say so."""

from talebearer.store.versions._decide import (
    change_kind,
    check_bases,
    conflict,
    not_found,
    unit_conflict,
)
from talebearer.store.versions._rows import (
    NewVersion,
    Publication,
    Stored,
    Versions,
    entity_version,
    prefix_end,
    read_data,
)
from talebearer.store.versions._view import PublishedView, View

__all__ = [
    "NewVersion",
    "Publication",
    "PublishedView",
    "Stored",
    "Versions",
    "View",
    "change_kind",
    "check_bases",
    "conflict",
    "entity_version",
    "not_found",
    "prefix_end",
    "read_data",
    "unit_conflict",
]
