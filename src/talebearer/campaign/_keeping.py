"""What talking asks of whoever keeps the minds and the clock: a campaign's store, or nobody for long."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from talebearer.campaign.records import Draft, Now
from talebearer.memory import Applied, Event, Mind


class KeepsClock(Protocol):
    """Keeps the running tick and place."""

    def now(self) -> Now:
        """Return the running clock."""

    def put_now(self, now: Now) -> None:
        """Set the running clock."""


class KeepsMinds(Protocol):
    """Keeps minds, and lets things happen to them."""

    def get(self, mind: str) -> Mind:
        """Return what *mind* knows."""

    def turn(self, now: Now) -> AbstractContextManager[None]:
        """Keep all that is appended inside, and the clock after it, or nothing."""

    def append(
        self, mind: str, draft: Draft, *, now: Now, pick: Mapping[str, Any] | None = None
    ) -> tuple[Event, Applied]:
        """Apply one live event to *mind* and keep it; inside :meth:`turn`."""
