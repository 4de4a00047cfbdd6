"""What review shows: names and occurrences with their evidence, and what was decided on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from talebearer.campaign.review._decisions import Decision, DecisionAction
from talebearer.campaign.views import Quote

RangesView = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """One decision of a person.

    Attributes:
        number: Its number in the journal.
        action: accept, reject, rename, merge, edit, hide or show.
        name: The name that it is about, as extracted.
        session: The occurrence's session; ``None`` for a decision on a name.
        kind: The occurrence's kind, as extracted; ``None`` for a name.
        ranges: The occurrence's unit ranges, as extracted.
        new_name: The name that it puts in place; ``None`` leaves it.
        new_kind: The kind that it puts in place; ``None`` leaves it.
        new_ranges: The ranges that it puts in place; ``None`` leaves them.
        by: Who decided.
        at: When, RFC 3339.
        note: Why.
        withdrawn_by: Who withdrew it; ``None`` while it was not.
        withdrawn_at: When it was withdrawn.
        in_force: Whether it holds: not withdrawn, and none later on the same matter.
        stale: Whether it holds and matches nothing that is extracted now.
        text: All of it in a sentence.
    """

    number: int
    action: str
    name: str
    session: str | None
    kind: str | None
    ranges: RangesView
    new_name: str | None
    new_kind: str | None
    new_ranges: RangesView | None
    by: str
    at: str
    note: str
    withdrawn_by: str | None
    withdrawn_at: str | None
    in_force: bool
    stale: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuote:
    """A quote and the session that it is from.

    Attributes:
        session: Session id.
        quote: The unit.
    """

    session: str
    quote: Quote


@dataclass(frozen=True, slots=True, kw_only=True)
class NameReview:
    """One extracted name under review.

    Attributes:
        name: As extracted.
        shown: The name that it goes by now; ``None`` when it was rejected.
        state: open, accepted, rejected, renamed or merged.
        hidden: Whether it is for the game master only.
        sessions: The sessions whose extraction has it.
        decisions: Numbers of the decisions that hold for it.
        occurrence_count: How many extracted occurrences have the name.
        quotes: Up to three units that the registry cites for it.
    """

    name: str
    shown: str | None
    state: str
    hidden: bool
    sessions: tuple[str, ...]
    decisions: tuple[int, ...]
    occurrence_count: int
    quotes: tuple[SessionQuote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OccurrenceReview:
    """One extracted occurrence under review.

    Attributes:
        id: Its id as extracted, which decisions are given by.
        session: Its session.
        name: As extracted.
        kind: As extracted.
        ranges: As extracted.
        state: open, accepted, edited or rejected; rejected also with its name.
        hidden: Whether it, or its name, is for the game master only.
        decisions: Numbers of the decisions that hold for it or its name.
        now: The id that it has in memory; ``None`` when it was rejected.
        now_name: The name that it has now.
        now_kind: The kind that it has now.
        now_ranges: The ranges that it has now.
        quotes: The units that it cites as extracted.
    """

    id: str
    session: str
    name: str
    kind: str
    ranges: RangesView
    state: str
    hidden: bool
    decisions: tuple[int, ...]
    now: str | None
    now_name: str | None
    now_kind: str | None
    now_ranges: RangesView
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The state of review.

    Attributes:
        names: All extracted names, in order of first appearance.
        occurrences: All extracted occurrences, in campaign order.
        decisions: All decisions, by number.
        open_names: How many names nobody has settled.
        open_occurrences: How many occurrences nobody has settled.
        stale: Numbers of the decisions that match nothing that is extracted now.
    """

    names: tuple[NameReview, ...]
    occurrences: tuple[OccurrenceReview, ...]
    decisions: tuple[DecisionView, ...]
    open_names: int
    open_occurrences: int
    stale: tuple[int, ...]


def view_decision(decision: Decision, *, in_force: bool, stale: bool) -> DecisionView:
    """Return a decision as it is shown."""
    subject, change = decision.subject, decision.change
    return DecisionView(
        number=decision.number,
        action=decision.action.value,
        name=subject.name,
        session=subject.session or None,
        kind=subject.kind or None,
        ranges=subject.ranges,
        new_name=change.name,
        new_kind=change.kind,
        new_ranges=change.ranges,
        by=decision.by,
        at=decision.at,
        note=decision.note,
        withdrawn_by=decision.withdrawn_by or None,
        withdrawn_at=decision.withdrawn_at or None,
        in_force=in_force,
        stale=stale,
        text=decision_text(decision),
    )


_PAST: Mapping[DecisionAction, str] = {
    DecisionAction.ACCEPT: "accepted",
    DecisionAction.REJECT: "rejected",
    DecisionAction.RENAME: "renamed",
    DecisionAction.MERGE: "merged",
    DecisionAction.EDIT: "edited",
    DecisionAction.HIDE: "kept for the game master",
    DecisionAction.SHOW: "shown to all",
}


def decision_text(decision: Decision) -> str:
    """Return a decision in a sentence, with who and when."""
    subject, change = decision.subject, decision.change
    what = subject.name
    if not subject.is_name:
        what = f"{subject.kind} of {subject.name}, {subject.session} {spans(subject.ranges)}"
    into = {DecisionAction.RENAME: "to", DecisionAction.MERGE: "into"}.get(decision.action)
    news = [f"{into} {change.name}"] if into else []
    if decision.action is DecisionAction.EDIT:
        parts = (
            f"name {change.name}" if change.name is not None else "",
            f"kind {change.kind}" if change.kind is not None else "",
            f"units {spans(change.ranges)}" if change.ranges is not None else "",
        )
        news = [f"to {', '.join(part for part in parts if part)}"]
    note = f" ({decision.note})" if decision.note else ""
    gone = ""
    if decision.withdrawn:
        gone = f"; withdrawn by {decision.withdrawn_by} at {decision.withdrawn_at}"
    words = " ".join([what, _PAST[decision.action], *news])
    return f"{words} by {decision.by} at {decision.at}{note}{gone}"


def spans(ranges: RangesView) -> str:
    """Return ``3, 5–8``."""
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in ranges)
