"""What a person asks for, understood: which subjects are meant, and whether it makes sense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from talebearer.campaign.records import Book, ids
from talebearer.campaign.review._apply import Key, Names, key_of
from talebearer.campaign.review._decisions import (
    AUDIENCE,
    OF_NAMES,
    Change,
    Decision,
    DecisionAction,
    Ranges,
    Subject,
    checked_name,
    checked_ranges,
    evidence_of,
    in_force,
)
from talebearer.campaign.review._session import Profiles, item_id
from talebearer.errors import (
    Problem,
    Severity,
    TalebearerError,
    UnknownName,
    UnknownReference,
    UsageFault,
    did_you_mean,
)
from talebearer.extraction import Roster, canonical_name, fold_label
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

OCCURRENCE = "occurrence:"
SHORT = "@"
NAMED = "name:"
SHORT_HEX_MIN = 4
ASKS_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One thing that a person asks for.

    Attributes:
        action: What is to be done.
        subject: A name, an occurrence's id, or ``@`` and the first digits of its hex part. ``name:`` in
            front says that all that follows is a name, also one that begins with ``@``.
        name: The new name, for rename, merge and edit; ``name:`` in front is left out here too.
        kind: The new kind, for edit.
        ranges: The new ranges, for edit.
        new: Whether an edit's name may be one that the campaign does not know.
        note: Why.
    """

    action: DecisionAction
    subject: str
    name: str | None = None
    kind: str | None = None
    ranges: Sequence[tuple[int, int]] | None = None
    new: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An ask that was understood."""

    action: DecisionAction
    subject: Subject
    change: Change
    note: str


class Known:
    """What a campaign has to decide on: names, occurrences, and what was decided before."""

    def __init__(
        self, *, book: Book, roster: Roster, profiles: Profiles, held: Iterable[Decision]
    ) -> None:
        self.book = book
        self.held = in_force(held)
        self.names = Names(self.held)
        self._profiles = profiles
        self._seats = {
            fold_label(text): person.name
            for person in (*roster.players, *roster.game_masters, *roster.guests)
            for text in (person.name, *person.labels, *person.characters)
        }

    @cached_property
    def extracted(self) -> dict[str, tuple[str, ...]]:
        """Every extracted name with the sessions that have it, in order of appearance."""
        found: dict[str, list[str]] = {}
        for record in self.book.sessions():
            registry = self.book.decoded(ArtifactKind.NPC_LIST, ids.registry_id(record.id))
            for npc in registry.payload["npcs"]:
                found.setdefault(npc["name"], []).append(record.id)
        return {name: tuple(sessions) for name, sessions in found.items()}

    @cached_property
    def given(self) -> frozenset[str]:
        """Every name that a decision in force gives."""
        return frozenset(one.change.name for one in self.held if one.change.name is not None)

    def items(self, session: str) -> list[tuple[str, Key]]:
        """Return the extracted occurrences of *session* as (id, key)."""
        listed = self.book.decoded(ArtifactKind.NPC_INTERACTION_LIST, ids.interactions_id(session))
        return [(item_id(session, one), key_of(one)) for one in listed.payload["interactions"]]

    def name(self, asked: str) -> str:
        """Return the name that *asked* means, as extracted or as a decision gave it.

        Raises:
            UnknownName: No session and no decision has it (TB105).
        """
        canonical = canonical_name(asked.removeprefix(NAMED))
        names = {*self.extracted, *self.given}
        if canonical in names:
            return canonical
        alike = sorted(name for name in names if name.casefold() == canonical.casefold())
        if len(alike) == 1:
            return alike[0]
        hint = did_you_mean(canonical, names, otherwise="list them: talebearer review list")
        raise UnknownName(f"no session has the name {asked[:80]!r}", hint=hint)

    def occurrences(self, asked: str) -> tuple[tuple[Subject, bool], ...]:
        """Return the occurrences that an id means, and whether it is the id that it has now.

        Raises:
            UnknownReference: There is none, or several have those digits (TB113).
        """
        if asked.startswith(SHORT):
            asked = self._whole(asked.removeprefix(SHORT))
        session = asked.removeprefix(OCCURRENCE).rpartition(":")[0]
        if self.book.session(session) is None:
            raise self._nothing(asked)
        items = dict(self.items(session))
        wanted, current = ([asked], False) if asked in items else ([], True)
        if not wanted:
            now = self.book.occurrence(asked)
            wanted = [] if now is None else list(now.extracted)
        if not wanted:
            raise self._nothing(asked)
        transcript = self.book.transcript(session)
        return tuple(
            (
                Subject(key[0], session, key[1], key[2], evidence_of(transcript, key[2])),
                current,
            )
            for key in (items[one] for one in wanted)
        )

    def _whole(self, digits: str) -> str:
        ids_of_all = {
            one
            for record in self.book.sessions()
            for one in (
                *(identity for identity, _ in self.items(record.id)),
                *(item.id for item in self.book.occurrences(record.id)),
            )
        }
        found = sorted(one for one in ids_of_all if one.rpartition(":")[2].startswith(digits))
        if len(digits) < SHORT_HEX_MIN or len(found) != 1:
            count = len(found) if len(digits) >= SHORT_HEX_MIN else "too few digits for"
            raise UnknownReference(
                f"{SHORT}{digits[:40]} is {count} occurrences",
                hint=f"at least {SHORT_HEX_MIN} digits that only one has, or the whole id; "
                f"for a name that begins so, {NAMED}{SHORT}...",
            )
        return found[0]

    def _nothing(self, asked: str) -> UnknownReference:
        return UnknownReference(
            f"there is no occurrence {asked[:120]!r}", hint="list them: talebearer review list"
        )

    def verdict(self, subject: Subject) -> Decision | None:
        """Return what was decided that *subject* is, if anything."""
        return next(
            (one for one in self.held if one.subject == subject and one.action not in AUDIENCE),
            None,
        )

    def refuse_seated(self, name: str) -> None:
        """Refuse a name of the table: its people are never NPCs."""
        person = self._seats.get(fold_label(name))
        if person is not None:
            raise UsageFault(
                f"{name!r} is {person}'s, at the table, and no NPC",
                hint="reject the name, or correct the roster",
            )

    def met(self, name: str) -> bool:
        """Whether somebody goes by *name* now, or a profile has it."""
        profiled = any(name in names for names in self._profiles.values())
        return profiled or any(
            self.names.resolve(one).name == name for one in (*self.extracted, *self.given)
        )


def understand(asks: Sequence[Ask], known: Known) -> tuple[Asked, ...]:
    """Return what *asks* mean, each subject on its own.

    Raises:
        TalebearerError: One cannot be done; when several cannot, all are listed (TB111).
    """
    if len(asks) > ASKS_MAX:
        raise UsageFault(f"{len(asks)} decisions at once", hint=f"at most {ASKS_MAX} at a time")
    done: list[Asked] = []
    faults: list[TalebearerError] = []
    for ask in asks:
        try:
            done += _understand(ask, known)
        except TalebearerError as error:
            faults.append(error)
    if len(faults) == 1:
        raise faults[0]
    if faults:
        problems = [
            Problem(
                code=fault.code, severity=Severity.ERROR, message=fault.message, hint=fault.hint
            )
            for fault in faults
        ]
        raise UsageFault(
            f"{len(faults)} of {len(asks)} decisions cannot be made; nothing was changed",
            data={"problems": [problem.as_json() for problem in problems]},
        )
    return tuple(done)


def _understand(ask: Ask, known: Known) -> Iterator[Asked]:
    if ask.subject.startswith((OCCURRENCE, SHORT)):
        if ask.action in OF_NAMES:
            raise UsageFault(
                f"{ask.action.value} is for names",
                hint="to give an occurrence to somebody else, edit its --name",
            )
        for subject, current in known.occurrences(ask.subject):
            yield _of_occurrence(ask, subject, known, current=current)
        return
    if ask.action is DecisionAction.EDIT:
        raise UsageFault("edit is for occurrences", hint="give an id that `review list` shows")
    name = known.name(ask.subject)
    change = Change()
    if ask.action in OF_NAMES:
        change = Change(name=_target(ask, name, known))
    elif ask.action is DecisionAction.ACCEPT:
        known.refuse_seated(name)
    yield Asked(action=ask.action, subject=Subject(name), change=change, note=ask.note)


def _target(ask: Ask, name: str, known: Known) -> str:
    """Return the name that *name* is renamed to or merged into."""
    target = _name(ask.name)
    known.refuse_seated(target)
    if ask.action is DecisionAction.MERGE:
        target = known.name(target) if not known.met(target) else target
    if target == name:
        raise UsageFault(f"{name!r} has that name", hint="give another name")
    now = known.names.resolve(target).name
    if ask.action is DecisionAction.RENAME and known.met(target) and now == target:
        if target in {*known.extracted, *known.given}:
            raise UsageFault(
                f"{target!r} is somebody already", hint=f"merge {name!r} into {target!r} instead"
            )
    elif now != target:
        goes_by = "was rejected" if now is None else f"goes by {now!r}"
        raise UsageFault(
            f"{target!r} {goes_by}", hint="undo that first, or give the name it has now"
        )
    return target


def _name(raw: str | None) -> str:
    try:
        return checked_name(raw if raw is None else raw.removeprefix(NAMED))
    except ValueError as error:
        raise UsageFault(str(error), hint="give the name that it shall have") from error


def _of_occurrence(ask: Ask, subject: Subject, known: Known, *, current: bool) -> Asked:
    before = known.verdict(subject)
    edited = before is not None and before.action is DecisionAction.EDIT
    if ask.action is DecisionAction.ACCEPT and edited and current:
        assert before is not None, "an edit is a decision"
        raise UsageFault(
            f"decision {before.number} has settled it by an edit",
            hint=f"to go back to what was extracted, undo {before.number}",
        )
    change = Change()
    if ask.action is DecisionAction.EDIT:
        change = _edit(ask, subject, known, before.change if edited and before else Change())
    return Asked(action=ask.action, subject=subject, change=change, note=ask.note)


def _edit(ask: Ask, subject: Subject, known: Known, before: Change) -> Change:
    """Return the change of an edit, on top of what an earlier edit changed."""
    name, kind, ranges, evidence = before.name, before.kind, before.ranges, before.evidence
    if ask.name is not None:
        name = _edited_name(ask, known)
    if ask.kind is not None:
        if ask.kind not in [one.value for one in OccurrenceKind]:
            kinds = [one.value for one in OccurrenceKind]
            raise UsageFault(f"{ask.kind[:40]!r} is no kind", hint=did_you_mean(ask.kind, kinds))
        kind = ask.kind
    if ask.ranges is not None:
        ranges = _edited_ranges(ask.ranges, subject, known)
        evidence = evidence_of(known.book.transcript(subject.session), ranges)
    change = Change(name=name, kind=kind, ranges=ranges, evidence=evidence)
    if change == before:
        raise UsageFault(
            "the edit changes nothing", hint="give another --kind, --name or --range A-B"
        )
    return change


def _edited_name(ask: Ask, known: Known) -> str:
    name = _name(ask.name)
    known.refuse_seated(name)
    if not known.met(name):
        if not ask.new:
            names = {*known.extracted, *known.given}
            near = did_you_mean(name, names, otherwise="") if names else ""
            raise UnknownName(
                f"nobody goes by {name!r}",
                hint=f"{near} To register somebody new, add --new.".strip(),
            )
        if known.names.resolve(name).name != name:
            raise UsageFault(f"{name!r} was renamed or rejected", hint="undo that first")
    return name


def _edited_ranges(asked: Sequence[tuple[int, int]], subject: Subject, known: Known) -> Ranges:
    try:
        ranges = checked_ranges(asked)
    except ValueError as error:
        raise UsageFault(str(error), hint="ranges are FIRST-LAST, units from 1") from error
    count = len(known.book.transcript(subject.session).units)
    if ranges[-1][1] > count or max(last for _, last in ranges) > count:
        raise UsageFault(
            f"{subject.session} has the units 1 to {count}", hint="cite units that it has"
        )
    return ranges
