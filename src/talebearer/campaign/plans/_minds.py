"""Minds that a writer makes up: what they were given to know, and what happens to them, in memory only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from talebearer.campaign.plans._given import told
from talebearer.campaign.records import Draft, Now
from talebearer.campaign.records.ids import WORLD
from talebearer.content import LineIndex
from talebearer.errors import TalebearerError
from talebearer.lines import Pack, Selector
from talebearer.memory import Applied, Event, EventDraft, Mind, numbered

GIVEN_STREAM = "plan"
_LIVE = "live"


class Ungivable(Exception):
    """What is given cannot have happened.

    Attributes:
        error: Why.
        path: The entry in ``given``.
    """

    def __init__(self, error: TalebearerError, path: tuple[str, int]) -> None:
        super().__init__(error.message)
        self.error = error
        self.path = path


class MadeUpMinds:
    """The minds of one case: one that listens or thinks, ``world``, and whoever is met.

    They keep what happens as a campaign's do, but nothing of it lasts longer than they.

    Attributes:
        pack: The content.
        mind_id: Who listens or thinks.

    Args:
        pack: The content.
        lines: Its lines.
        mind: Who listens or thinks.
    """

    def __init__(self, pack: Pack, lines: LineIndex, mind: str) -> None:
        self.pack = pack
        self._lines = lines
        self.mind_id = mind
        self._minds = {mind: Mind(mind), WORLD: Mind(WORLD)}
        self._now = Now()
        self._before: dict[str, Mind | None] | None = None

    # --- what was before -------------------------------------------------------------------------

    def give(self, given: Mapping[str, Any], *, tick: int) -> int:
        """Let the minds take in what *given* says, and return the latest tick of it, or *tick*.

        Args:
            given: As the schema of plans describes it; its names are known to be right.
            tick: When that happens which has no tick.

        Raises:
            Ungivable: It cannot have happened.
        """
        latest = tick
        found = told(given, mind=self.mind_id, pack=self.pack, lines=self._lines, tick=tick)
        for one in found:
            try:
                self.apply(one.draft, one.tick)
            except TalebearerError as error:
                raise Ungivable(error, one.path) from None
            latest = max(latest, one.tick)
        return latest

    def apply(self, draft: EventDraft, tick: int, *, stream: str = GIVEN_STREAM) -> Applied:
        """Let something happen to the mind that *draft* names."""
        mind = self.get(draft.mind)
        return mind.apply(draft.event(stream, mind.next_sequence(stream), tick=tick))

    def selector(self, seed: int) -> Selector:
        """Return a selector that follows these minds as they are now; a refused turn parts them."""
        return Selector(self.pack, self.get(self.mind_id), seed=seed, world=self.get(WORLD))

    def copy(self) -> MadeUpMinds:
        """Return minds that know the same and go their own way from now on."""
        twin = MadeUpMinds(self.pack, self._lines, self.mind_id)
        twin._minds = {name: mind.copy() for name, mind in self._minds.items()}
        twin._now = replace(self._now)
        return twin

    # --- what happens, as a campaign keeps it ----------------------------------------------------

    def get(self, mind: str) -> Mind:
        """Return the mind with that id; one that nothing happened to knows nothing."""
        if mind not in self._minds:
            self._minds[mind] = Mind(mind)
        return self._minds[mind]

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all minds that were asked for."""
        return tuple(sorted(self._minds))

    def now(self) -> Now:
        """Return the running clock, a copy."""
        return replace(self._now)

    def put_now(self, now: Now) -> None:
        """Set the running clock."""
        self._now = replace(now)

    @contextmanager
    def turn(self, now: Now) -> Iterator[None]:
        """Let all that is appended inside happen, and the clock move, or nothing."""
        self._before = {}
        try:
            yield
            self.put_now(now)
        except BaseException:
            for name, mind in self._before.items():
                if mind is None:
                    del self._minds[name]
                else:
                    self._minds[name] = mind
            raise
        finally:
            self._before = None

    def append(
        self, mind: str, draft: Draft, *, now: Now, pick: Mapping[str, Any] | None = None
    ) -> tuple[Event, Applied]:
        """Let one thing happen to *mind* now; inside :meth:`turn`. What it rests on is not kept."""
        del pick
        if self._before is not None and mind not in self._before:
            known = self._minds.get(mind)
            self._before[mind] = None if known is None else known.copy()
        kind, data = draft
        kept = self.get(mind)
        sequence = kept.next_sequence(_LIVE)
        event = Event(stream=_LIVE, sequence=sequence, tick=now.tick, kind=kind, data=data)
        change = kept.apply(event)
        return numbered(event, change), change
