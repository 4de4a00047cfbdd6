"""The front door for review: what was extracted, and what people decided on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from talebearer.campaign.front._opened import Opened
from talebearer.campaign.review import (
    Ask,
    Decision,
    DecisionView,
    Desk,
    Review,
    list_review,
    read_decisions,
    stale_numbers,
    view_decisions,
)
from talebearer.errors import UnknownReference, did_you_mean


class ReviewPart(Opened):
    """What is done with what was extracted."""

    def review(self, *sessions: str) -> Review:
        """Return what was extracted, with its evidence, and what people decided on it.

        Args:
            sessions: The sessions to list; all by default.

        Raises:
            UnknownReference: A session is not recorded (TB113).
        """
        recorded = {record.id: record for record in self._book.sessions()}
        for session in sessions:
            if session not in recorded:
                hint = did_you_mean(session, recorded)
                raise UnknownReference(f"no session {session[:80]!r} is recorded", hint=hint)
        chosen = [record for record in recorded.values() if record.id in (sessions or recorded)]
        return list_review(self._book, read_decisions(self._book), sessions=chosen)

    def decide(self, *asks: Ask, by: str) -> tuple[DecisionView, ...]:
        """Decide on names and occurrences; memory follows. All that is asked is done, or nothing.

        What was extracted stays as it is. Decisions are kept apart from it, find what they are about
        again after the session is recorded anew, and can be withdrawn.

        Args:
            asks: What to decide.
            by: Who decides.

        Raises:
            UnknownName: No session has the name (TB105).
            UnknownReference: There is no such occurrence (TB113).
            UsageFault: A decision makes no sense; of several, all are listed (TB111).
        """
        self._must_write()
        made = self._desk().decide(asks, by=by)
        return self._decided(made)

    def undo(self, *numbers: int, by: str) -> tuple[DecisionView, ...]:
        """Withdraw decisions, all or none; what was decided before them holds again.

        A withdrawn decision stays in the journal, with who withdrew it and when.

        Raises:
            UnknownReference: There is no decision of that number (TB113).
            UsageFault: It is withdrawn already (TB111).
        """
        self._must_write()
        return self._decided(self._desk().undo(numbers, by=by))

    def import_decisions(self, path: str | Path) -> tuple[DecisionView, ...]:
        """Add the decisions of another copy's review.json; those that are here already are not.

        Raises:
            UsageFault: The file holds no decisions (TB111).
        """
        self._must_write()
        return self._decided(self._desk().take_over(Path(path)))

    def _decided(self, decisions: Sequence[Decision]) -> tuple[DecisionView, ...]:
        numbers = {one.number for one in decisions}
        everything = read_decisions(self._book)
        stale = stale_numbers(self._book, everything)
        return tuple(view for view in view_decisions(everything, stale) if view.number in numbers)

    def _desk(self) -> Desk:
        return Desk(
            book=self._book,
            minds=self._minds,
            layout=self._layout,
            roster=self.config.roster,
            profiles={
                slug: (profile.name, *profile.aliases)
                for slug, profile in self._shown.profiles.items()
            },
        )
