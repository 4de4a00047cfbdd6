"""The minds of one playthrough, in memory only: no logs are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from talebearer.campaign import Draft, Now
from talebearer.memory import Applied, Event, Mind

LIVE = "live"
Listener = Callable[[str, Event], None]


class RehearsedMinds:
    """Minds by their ids; each begins with nothing when it is asked for first.

    Args:
        listener: Told of every event: whose it is, and the event.
    """

    __slots__ = ("_listener", "_minds", "_turn")

    def __init__(self, listener: Listener | None = None) -> None:
        self._minds: dict[str, Mind] = {}
        self._listener = listener
        self._turn: AbstractContextManager[None] = nullcontext()

    def get(self, mind: str) -> Mind:
        """Return what *mind* knows now."""
        found = self._minds.get(mind)
        if found is None:
            found = self._minds[mind] = Mind(mind)
        return found

    def append(
        self,
        mind: str,
        draft: Draft,
        *,
        now: Now,
        pick: Mapping[str, Any] | None = None,  # noqa: ARG002 - nothing is kept of it
    ) -> tuple[Event, Applied]:
        """Apply one event, which the engine or the simulated player made."""
        known = self._minds.get(mind) or self.get(mind)
        kind, data = draft
        happened = known.next_own(kind, data, stream=LIVE, tick=now.tick)
        if self._listener is not None:
            self._listener(mind, happened[0])
        return happened

    def turn(self, now: Now) -> AbstractContextManager[None]:  # noqa: ARG002 - a store keeps it, memory need not
        """Nothing has to be undone: what a playthrough does is allowed."""
        return self._turn
