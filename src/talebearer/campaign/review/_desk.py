"""The desk: what people decide becomes part of the journal, and memory follows.

The journal is the store's records ``decision:{number}``, one a decision, written in the same
transaction as the memory that follows from it. ``review.json`` in the campaign's folder is a copy
for people, version control and other copies of the campaign; it is read only when it is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from talebearer.campaign._layout import Layout, StagedFiles
from talebearer.campaign.records import KNOWLEDGE, Book, Minds, ids, values
from talebearer.campaign.review._apply import Names
from talebearer.campaign.review._asks import Ask, Asked, Known, understand
from talebearer.campaign.review._decisions import (
    NAME_CHARS_MAX,
    NOTE_CHARS_MAX,
    Decision,
    checked_text,
    in_force,
    journal_text,
    read_decision,
    read_journal,
)
from talebearer.campaign.review._session import (
    Derived,
    Profiles,
    derive,
    put_session,
    read_extracted,
)
from talebearer.errors import UnknownReference, UsageFault
from talebearer.extraction import Roster
from talebearer.store import moment
from talebearer.vocabulary import ArtifactKind

JOURNAL_BYTES_MAX = 64 * 1024 * 1024
PROFILE = {"epistemic": "knowledge", "ownership": "world", "persistence": "permanent"}


def read_decisions(book: Book) -> tuple[Decision, ...]:
    """Return all decisions of a campaign, by number."""
    return tuple(
        read_decision(values.content_of(version.value))
        for version in book.each(KNOWLEDGE, "decision:")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The review use cases of one open campaign.

    Attributes:
        book: The campaign's records.
        minds: The campaign's minds.
        layout: Where the campaign's files lie.
        roster: Nobody of it becomes an NPC.
        profiles: Slug to the profile's names.
    """

    book: Book
    minds: Minds
    layout: Layout
    roster: Roster
    profiles: Profiles

    def decide(self, asks: Sequence[Ask], *, by: str) -> tuple[Decision, ...]:
        """Decide all that is asked, or nothing; see :meth:`Campaign.decide`."""
        who = _checked(by)
        before = read_decisions(self.book)
        known = self.known(before)
        number = max((one.number for one in before), default=0)
        at = moment(self.book.now_ms())
        asked = understand(asks, known)
        fresh = tuple(
            _decision(one, number=number + place, by=who, at=at)
            for place, one in enumerate(asked, start=1)
        )
        if fresh:
            self._carry_out(before, (*before, *fresh), written=fresh)
        return fresh

    def undo(self, numbers: Sequence[int], *, by: str) -> tuple[Decision, ...]:
        """Withdraw decisions, all or none; see :meth:`Campaign.undo`."""
        who = _checked(by)
        before = read_decisions(self.book)
        at = moment(self.book.now_ms())
        by_number = {one.number: one for one in before}
        for number in numbers:
            if number not in by_number:
                raise UnknownReference(
                    f"there is no decision {number}",
                    hint="list them: talebearer review list --decisions",
                )
            if by_number[number].withdrawn:
                raise UsageFault(f"decision {number} is withdrawn already")
            one = by_number[number]
            by_number[number] = replace(one, withdrawn_by=who, withdrawn_at=at)
        withdrawn = tuple(by_number[number] for number in dict.fromkeys(numbers))
        after = tuple(by_number.values())
        if withdrawn:
            self._carry_out(before, after, written=withdrawn)
        return withdrawn

    def take_over(self, path: Path) -> tuple[Decision, ...]:
        """Add the decisions of a review.json that are not here yet, under new numbers."""
        if not path.is_file() or path.stat().st_size > JOURNAL_BYTES_MAX:
            raise UsageFault(
                f"{path} is no file of at most {JOURNAL_BYTES_MAX} bytes",
                hint="give a review.json that `talebearer review` wrote",
            )
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageFault(
                f"{path} is not UTF-8 at byte {error.start}", hint="give the file as it was written"
            ) from error
        before = read_decisions(self.book)
        known = self.known(before)
        here = {_identity(one): one for one in before}
        number = max((one.number for one in before), default=0)
        fresh: list[Decision] = []
        for one in sorted(read_journal(text, file=path.name), key=lambda one: one.number):
            if _identity(one) not in here:
                if one.change.name is not None:
                    known.refuse_seated(one.change.name)
                number += 1
                fresh.append(replace(one, number=number))
                here[_identity(one)] = one
        if fresh:
            self._carry_out(before, (*before, *fresh), written=tuple(fresh))
        return tuple(fresh)

    def known(self, decisions: Iterable[Decision]) -> Known:
        """Return what a person can decide on."""
        return Known(book=self.book, roster=self.roster, profiles=self.profiles, held=decisions)

    # --- writing -------------------------------------------------------------------------------

    def _carry_out(
        self,
        before: Sequence[Decision],
        after: Sequence[Decision],
        *,
        written: Sequence[Decision],
    ) -> None:
        """Write *written* and put every session that *after* changes in its new place."""
        names = Names(after)
        for name in names.decided:
            names.resolve(name)  # refuses what leads in a circle, before anything is written
        derived = self._changed(before, after)
        with StagedFiles() as files:
            text = journal_text(self.book.campaign, after)
            files.put(self.layout.review, text.encode("utf-8", "surrogatepass"))
            try:
                with self.book.batch():
                    for decision in written:
                        self._put(decision)
                    for one in derived:
                        put_session(self.book, self.minds, one, anew=False)
                        self.book.forget(one.extracted.session.id)
            finally:
                # Whether it was stored or rolled back, what is in memory may be out of date.
                for record in self.book.sessions():
                    self.book.forget(record.id)
                self.minds.forget()
            files.commit()

    def _put(self, decision: Decision) -> None:
        value = self.book.writer(session=decision.subject.session or None).knowledge(
            decision.as_json(), profile={**PROFILE, "retrieval": ["exact"]}, kind="asserted"
        )
        self.book.put(KNOWLEDGE, ids.decision_id(decision.number), value)

    def _changed(
        self, before: Sequence[Decision], after: Sequence[Decision]
    ) -> tuple[Derived, ...]:
        """Return the sessions that may be different after *after*, derived anew."""
        old, new = Names(before), Names(after)
        moved = {
            one.subject.session
            for one in {*in_force(before)} ^ {*in_force(after)}
            if not one.subject.is_name
        }
        given = {one.change.name: one.subject.session for one in in_force(after) if one.change.name}
        derived: list[Derived] = []
        slugs = self.book.npc_names()
        for record in self.book.sessions():
            registry = self.book.decoded(ArtifactKind.NPC_LIST, ids.registry_id(record.id))
            names = [npc["name"] for npc in registry.payload["npcs"]]
            names += [name for name, session in given.items() if session == record.id]
            if record.id not in moved and all(
                old.resolve(name) == new.resolve(name) for name in names
            ):
                continue
            one = derive(
                read_extracted(self.book, record),
                after,
                slugs=slugs,
                profiles=self.profiles,
            )
            slugs = _with(slugs, one)
            derived.append(one)
        return tuple(derived)


def _with(slugs: dict[str, tuple[str, ...]], derived: Derived) -> dict[str, tuple[str, ...]]:
    """Return *slugs* with those that *derived* gives."""
    more = dict(slugs)
    for name, slug in derived.slugs.items():
        more[slug] = tuple(dict.fromkeys((*more.get(slug, ()), name)))
    return more


def _decision(asked: Asked, *, number: int, by: str, at: str) -> Decision:
    return Decision(
        number=number,
        action=asked.action,
        subject=asked.subject,
        change=asked.change,
        by=by,
        at=at,
        note=_note(asked.note),
    )


def _identity(decision: Decision) -> tuple[Any, ...]:
    """What makes a decision the same in two copies of a campaign."""
    one = decision
    return (one.action, one.subject, one.change, one.by, one.at)


def _checked(by: str) -> str:
    try:
        return checked_text(by, "name of who decides", NAME_CHARS_MAX)
    except ValueError as error:
        raise UsageFault(str(error), hint="say who decides: --by NAME") from error


def _note(note: str) -> str:
    if not note:
        return ""
    try:
        return checked_text(note, "note", NOTE_CHARS_MAX)
    except ValueError as error:
        raise UsageFault(str(error), hint="one line of plain text") from error
