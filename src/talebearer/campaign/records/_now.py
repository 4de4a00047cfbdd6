"""What happens and when, before it has a place in a log: all that play asks of the records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.vocabulary import EventKind

Draft = tuple[EventKind, Mapping[str, Any]]
"""An event before it has a place in a log: its kind and data."""


@dataclass(slots=True, kw_only=True)
class Now:
    """The running tick and place of live play."""

    tick: int = 0
    location: str | None = None
