"""The state of review: what was extracted, with its evidence, beside what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from talebearer.campaign._quotes import quote_units, quotes_of
from talebearer.campaign.records import Book, SessionRecord
from talebearer.campaign.review._apply import (
    Key,
    Names,
    ReviewedOccurrence,
    apply_decisions,
    key_of,
    match_subjects,
    stale_names,
)
from talebearer.campaign.review._decisions import AUDIENCE, Decision, DecisionAction, in_force
from talebearer.campaign.review._session import Extracted, item_id, read_extracted
from talebearer.campaign.review._views import (
    DecisionView,
    NameReview,
    OccurrenceReview,
    Review,
    SessionQuote,
    decision_text,
    view_decision,
)
from talebearer.errors import Problem, Severity, Where, findings_extraction
from talebearer.memory import SourceRef

QUOTES_PER_NAME = 3
_STATES = {
    DecisionAction.ACCEPT: "accepted",
    DecisionAction.REJECT: "rejected",
    DecisionAction.RENAME: "renamed",
    DecisionAction.MERGE: "merged",
    DecisionAction.EDIT: "edited",
}
OPEN = "open"
JOURNAL = "review.json"
"""Where a decision on a name is read; one on an occurrence has its session."""


def list_review(
    book: Book, decisions: Sequence[Decision], *, sessions: Sequence[SessionRecord]
) -> Review:
    """Return the state of review of *sessions*; of the decisions, all."""
    everything = [read_extracted(book, record) for record in book.sessions()]
    stale = stale_decisions(everything, decisions)
    chosen = {record.id for record in sessions}
    shown = [one for one in everything if one.session.id in chosen]
    names = _names(shown, decisions)
    occurrences = tuple(view for one in shown for view in _occurrences(one, decisions))
    return Review(
        names=names,
        occurrences=occurrences,
        decisions=view_decisions(decisions, stale),
        open_names=sum(one.state == OPEN for one in names),
        open_occurrences=sum(one.state == OPEN for one in occurrences),
        stale=stale,
    )


def view_decisions(decisions: Iterable[Decision], stale: Iterable[int]) -> tuple[DecisionView, ...]:
    """Return all decisions as they are shown, by number."""
    listed = sorted(decisions, key=lambda one: one.number)
    held = {one.number for one in in_force(listed)}
    gone = set(stale)
    return tuple(
        view_decision(one, in_force=one.number in held, stale=one.number in gone) for one in listed
    )


def stale_decisions(
    sessions: Iterable[Extracted], decisions: Sequence[Decision]
) -> tuple[int, ...]:
    """Return the decisions in force that match nothing that is extracted now."""
    numbers: set[int] = set()
    registered: set[str] = set()
    recorded: set[str] = set()
    for one in sessions:
        recorded.add(one.session.id)
        registered.update(npc["name"] for npc in one.registry.payload["npcs"])
        numbers.update(_applied(one, decisions))
    numbers.update(stale_names(decisions, registered))
    numbers.update(
        one.number
        for one in in_force(decisions)
        if not one.subject.is_name and one.subject.session not in recorded
    )
    return tuple(sorted(numbers))


def stale_numbers(book: Book, decisions: Sequence[Decision]) -> tuple[int, ...]:
    """Return the decisions in force that match nothing in any recorded session."""
    return stale_decisions((read_extracted(book, one) for one in book.sessions()), decisions)


def stale_problems(book: Book, decisions: Sequence[Decision]) -> tuple[Problem, ...]:
    """Return a warning for each decision in force that matches nothing that is extracted now."""
    stale = set(stale_numbers(book, decisions))
    return tuple(
        Problem(
            code=findings_extraction.STALE_DECISION,
            severity=Severity.WARNING,
            where=Where(file=one.subject.session or JOURNAL),
            message=f"decision {one.number} matches nothing any more: {decision_text(one)}",
            hint=f"decide anew and undo {one.number}, or leave it for a later extraction",
        )
        for one in decisions
        if one.number in stale
    )


def _applied(one: Extracted, decisions: Sequence[Decision]) -> tuple[int, ...]:
    if not any(decision.subject.session == one.session.id for decision in decisions):
        return ()
    return _reviewed(one, decisions)[1]


def _reviewed(
    one: Extracted, decisions: Sequence[Decision]
) -> tuple[tuple[ReviewedOccurrence, ...], tuple[int, ...]]:
    reviewed = apply_decisions(
        one.session.id,
        npcs=one.registry.payload["npcs"],
        interactions=one.interactions.payload["interactions"],
        transcript=one.transcript,
        decisions=decisions,
    )
    return reviewed.occurrences, reviewed.stale


def _names(sessions: Sequence[Extracted], decisions: Sequence[Decision]) -> tuple[NameReview, ...]:
    names = Names(decisions)
    verdicts = {
        one.subject.name: one.action
        for one in in_force(decisions)
        if one.subject.is_name and one.action not in AUDIENCE
    }
    counts = Counter(
        item["name"] for one in sessions for item in one.interactions.payload["interactions"]
    )
    found: dict[str, list[str]] = {}
    quotes: dict[str, list[SessionQuote]] = {}
    for one in sessions:
        for npc in one.registry.payload["npcs"]:
            found.setdefault(npc["name"], []).append(one.session.id)
            quotes.setdefault(npc["name"], []).extend(_cited(one, npc["source_refs"]))
    views = []
    for name, where in found.items():
        resolved = names.resolve(name)
        views.append(
            NameReview(
                name=name,
                shown=resolved.name,
                state=_STATES[verdicts[name]] if name in verdicts else OPEN,
                hidden=resolved.hidden,
                sessions=tuple(where),
                decisions=resolved.decisions,
                occurrence_count=counts[name],
                quotes=tuple(quotes[name][:QUOTES_PER_NAME]),
            )
        )
    return tuple(views)


def _cited(one: Extracted, refs: Sequence[dict[str, Any]]) -> list[SessionQuote]:
    """Return the first units that *refs* cite, one of each range.

    A registry that was bound from outside cites another source, which is not quoted here.
    """
    own = [ref for ref in refs if ref["source_id"] == one.transcript.source_id]
    units = [one.transcript.unit(ref["start_unit_id"]) for ref in own[:QUOTES_PER_NAME]]
    return [SessionQuote(session=one.session.id, quote=quote) for quote in quote_units(units)]


def _occurrences(one: Extracted, decisions: Sequence[Decision]) -> Iterable[OccurrenceReview]:
    session = one.session.id
    items = one.interactions.payload["interactions"]
    keys = [key_of(item) for item in items]
    own = [decision for decision in in_force(decisions) if decision.subject.session == session]
    matched = match_subjects(session, keys, {decision.subject for decision in own}, one.transcript)
    verdicts: dict[int, Decision] = {}
    numbers: dict[int, set[int]] = {}
    for decision in own:
        if decision.subject in matched:
            index = matched[decision.subject]
            numbers.setdefault(index, set()).add(decision.number)
            if decision.action not in AUDIENCE:
                verdicts[index] = decision
    became: dict[Key, ReviewedOccurrence] = {
        key: reviewed for reviewed in _reviewed(one, decisions)[0] for key in reviewed.extracted
    }
    names = Names(decisions)
    for index, (item, key) in enumerate(zip(items, keys, strict=True)):
        now = became.get(key)
        state = OPEN
        if now is None:
            state = "rejected"
        elif index in verdicts:
            state = _STATES[verdicts[index].action]
        resolved = names.resolve(now.item["name"] if now else key[0])
        now_key = key_of(now.item) if now else None
        yield OccurrenceReview(
            id=item_id(session, item),
            session=session,
            name=key[0],
            kind=key[1],
            ranges=key[2],
            state=state,
            hidden=resolved.hidden
            or names.resolve(key[0]).hidden
            or (now.hidden if now else False),
            decisions=tuple(
                sorted(numbers.get(index, set()) | set(names.resolve(key[0]).decisions))
            ),
            now=item_id(session, now.item) if now else None,
            now_name=now_key[0] if now_key else None,
            now_kind=now_key[1] if now_key else None,
            now_ranges=now_key[2] if now_key else (),
            quotes=quotes_of([SourceRef(**ref) for ref in item["source_refs"]], one.transcript),
        )
