"""Applying decisions to what was extracted; pure, and the same whatever their order of reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from talebearer.campaign.review._decisions import (
    AUDIENCE,
    Decision,
    DecisionAction,
    Ranges,
    Subject,
    evidence_of,
    in_force,
)
from talebearer.errors import UsageFault
from talebearer.extraction import normalise_interactions, normalise_npcs
from talebearer.transcripts import Transcript

Item = Mapping[str, Any]
Key = tuple[str, str, Ranges]
"""Name, kind and ranges of an occurrence."""


class Resolved(NamedTuple):
    """What has become of an extracted name.

    Attributes:
        name: The name that it goes by; ``None`` when it was rejected.
        decisions: Numbers of the decisions that led there.
        accepted: Whether a person has settled it.
        hidden: Whether it is for the game master only.
    """

    name: str | None
    decisions: tuple[int, ...]
    accepted: bool
    hidden: bool


class Names:
    """What has become of every name, by the decisions that are in force."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._verdicts: dict[str, Decision] = {}
        self._audience: dict[str, Decision] = {}
        for decision in in_force(decisions):
            if decision.subject.is_name:
                table = self._audience if decision.action in AUDIENCE else self._verdicts
                table[decision.subject.name] = decision

    @property
    def decided(self) -> tuple[str, ...]:
        """Every name that a decision is about, or leads to, sorted."""
        targets = {one.change.name for one in self._verdicts.values() if one.change.name}
        return tuple(sorted({*self._verdicts, *self._audience, *targets}))

    def resolve(self, name: str) -> Resolved:
        """Follow renames and merges from *name* to their end.

        Raises:
            UsageFault: They lead in a circle (TB111).
        """
        numbers: list[int] = []
        seen = [name]
        accepted = hidden = False
        while True:
            audience = self._audience.get(seen[-1])
            if audience is not None:
                hidden = hidden or audience.action is DecisionAction.HIDE
                numbers.append(audience.number)
            verdict = self._verdicts.get(seen[-1])
            if verdict is not None:
                numbers.append(verdict.number)
                accepted = True
            if verdict is None or verdict.action is DecisionAction.ACCEPT:
                return Resolved(seen[-1], tuple(sorted(numbers)), accepted, hidden)
            if verdict.action is DecisionAction.REJECT:
                return Resolved(None, tuple(sorted(numbers)), True, hidden)
            assert verdict.change.name is not None, "a rename or merge has a name"
            if verdict.change.name in seen:
                circle = " to ".join(repr(one) for one in (*seen, verdict.change.name))
                raise UsageFault(f"the names lead in a circle: {circle}", hint="undo one of them")
            seen.append(verdict.change.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedOccurrence:
    """One occurrence after review.

    Attributes:
        item: Name, kind and source_refs, in normal form.
        decisions: Numbers of the decisions that are about it or its name.
        settled: Whether a person has accepted or edited it, so that it is no draft.
        hidden: Whether a decision on the occurrence itself keeps it for the game master.
        extracted: The name, kind and ranges that it was extracted with; several after a merge.
    """

    item: dict[str, Any]
    decisions: tuple[int, ...]
    settled: bool
    hidden: bool
    extracted: tuple[Key, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A session after review.

    Attributes:
        npcs: The registry's entries, in normal form.
        occurrences: In artifact order.
        sources: Reviewed name to the extracted names that became it.
        stale: Numbers of the decisions on this session that match nothing in it.
    """

    npcs: list[dict[str, Any]]
    occurrences: tuple[ReviewedOccurrence, ...]
    sources: Mapping[str, tuple[str, ...]]
    stale: tuple[int, ...]


def key_of(item: Item) -> Key:
    """Return name, kind and ranges of a record of the contract's shape."""
    refs = item["source_refs"]
    return (
        item["name"],
        item["kind"],
        tuple((ref["start_unit_id"], ref["end_unit_id"]) for ref in refs),
    )


def match_subjects(
    session: str, keys: Sequence[Key], subjects: Iterable[Subject], transcript: Transcript
) -> dict[Subject, int]:
    """Return which of *keys* each occurrence subject of *session* means.

    Name, kind and the words cited must be equal. Where several occurrences have all of it, the
    ranges decide.
    """
    evidence: dict[tuple[str, str, str], list[int]] = {}
    exact: dict[tuple[str, str, str, Ranges], int] = {}
    for index, (name, kind, ranges) in enumerate(keys):
        words = evidence_of(transcript, ranges)
        evidence.setdefault((name, kind, words), []).append(index)
        exact[name, kind, words, ranges] = index
    found: dict[Subject, int] = {}
    for subject in subjects:
        if subject.session != session:
            continue
        same = (subject.name, subject.kind, subject.evidence)
        index_or_none = exact.get((*same, subject.ranges))
        if index_or_none is not None:
            found[subject] = index_or_none
        elif len(evidence.get(same, ())) == 1:
            found[subject] = evidence[same][0]
    return found


def apply_decisions(
    session: str,
    *,
    npcs: Sequence[Item],
    interactions: Sequence[Item],
    transcript: Transcript,
    decisions: Iterable[Decision],
) -> Reviewed:
    """Return what the extracted lists of *session* are after review.

    First what was decided on each occurrence, then what was decided on names, then normal form:
    what has become equal in name, kind and evidence is one.

    Raises:
        UsageFault: Renames and merges lead in a circle (TB111).
    """
    held = in_force(decisions)
    names = Names(held)
    own = [one for one in held if one.subject.session == session]
    keys = [key_of(item) for item in interactions]
    matched = match_subjects(session, keys, {one.subject for one in own}, transcript)
    by_index: dict[int, list[Decision]] = {}
    stale = [one.number for one in own if one.subject not in matched]
    for one in own:
        if one.subject in matched:
            by_index.setdefault(matched[one.subject], []).append(one)
    groups: dict[Key, _Group] = {}
    for index, key in enumerate(keys):
        edited = _edit(key, by_index.get(index, ()), transcript)
        stale += edited.lost
        resolved = names.resolve(edited.key[0])
        if edited.rejected or resolved.name is None:
            continue
        final = (resolved.name, *edited.key[1:])
        group = groups.setdefault(final, _Group())
        group.add(key, edited, resolved)
    registry, sources = _registry(npcs, names, groups, source_id=transcript.source_id)
    items = normalise_interactions(
        (_item(key, transcript.source_id) for key in groups),
        names=[one["name"] for one in registry],
    )
    return Reviewed(
        npcs=registry,
        occurrences=tuple(groups[key_of(item)].occurrence(item) for item in items),
        sources=sources,
        stale=tuple(sorted(set(stale))),
    )


@dataclass(slots=True)
class _Group:
    """What became one occurrence."""

    numbers: set[int] = field(default_factory=set)
    settled: bool = False
    hidden: bool = False
    extracted: list[Key] = field(default_factory=list)

    def add(self, key: Key, edited: _Edited, resolved: Resolved) -> None:
        self.numbers.update(edited.numbers, resolved.decisions)
        self.settled = self.settled or edited.settled
        self.hidden = self.hidden or edited.hidden
        self.extracted.append(key)

    def occurrence(self, item: dict[str, Any]) -> ReviewedOccurrence:
        return ReviewedOccurrence(
            item=item,
            decisions=tuple(sorted(self.numbers)),
            settled=self.settled,
            hidden=self.hidden,
            extracted=tuple(self.extracted),
        )


@dataclass(slots=True)
class _Edited:
    """One occurrence with what was decided on it alone."""

    key: Key
    numbers: tuple[int, ...] = ()
    rejected: bool = False
    settled: bool = False
    hidden: bool = False
    lost: tuple[int, ...] = ()


def _edit(key: Key, decisions: Sequence[Decision], transcript: Transcript) -> _Edited:
    done = _Edited(key, numbers=tuple(one.number for one in decisions))
    for one in decisions:
        if one.action is DecisionAction.REJECT:
            done.rejected = True
        elif one.action is DecisionAction.ACCEPT:
            done.settled = True
        elif one.action is DecisionAction.HIDE:
            done.hidden = True
        elif one.action is DecisionAction.EDIT:
            ranges = _moved(key, one, transcript)
            if ranges is None:
                done.lost = (*done.lost, one.number)
                done.numbers = tuple(number for number in done.numbers if number != one.number)
                continue
            name = key[0] if one.change.name is None else one.change.name
            kind = key[1] if one.change.kind is None else one.change.kind
            done.key, done.settled = (name, kind, ranges), True
    return done


def _moved(key: Key, decision: Decision, transcript: Transcript) -> Ranges | None:
    """Return the edited ranges where their words are now, or ``None`` if they are not there."""
    ranges = decision.change.ranges
    if ranges is None:
        return key[2]
    # The same words may stand elsewhere now; then the whole passage has moved by as much.
    shift = key[2][0][0] - decision.subject.ranges[0][0]
    last = len(transcript.units)
    for by in dict.fromkeys((shift, 0)):
        there = tuple((first + by, end + by) for first, end in ranges)
        inside = there[0][0] >= 1 and max(end for _, end in there) <= last
        if inside and evidence_of(transcript, there) == decision.change.evidence:
            return there
    return None


def _registry(
    npcs: Sequence[Item], names: Names, groups: Mapping[Key, _Group], *, source_id: str
) -> tuple[list[dict[str, Any]], dict[str, tuple[str, ...]]]:
    entries: list[dict[str, Any]] = []
    sources: dict[str, dict[str, None]] = {}
    for item in npcs:
        resolved = names.resolve(item["name"])
        if resolved.name is not None:
            entries.append({"name": resolved.name, "source_refs": item["source_refs"]})
            sources.setdefault(resolved.name, {})[item["name"]] = None
    # A name that only an edit gave is proved by the occurrences that it was given to.
    for key in groups:
        if key[0] not in sources:
            entries.append({"name": key[0], "source_refs": _item(key, source_id)["source_refs"]})
    return normalise_npcs(entries), {name: tuple(found) for name, found in sources.items()}


def _item(key: Key, source_id: str) -> dict[str, Any]:
    name, kind, ranges = key
    refs = [
        {"source_id": source_id, "start_unit_id": first, "end_unit_id": last}
        for first, last in ranges
    ]
    return {"name": name, "kind": kind, "source_refs": refs}


def stale_names(decisions: Iterable[Decision], registered: Iterable[str]) -> tuple[int, ...]:
    """Return the decisions in force on names that no session's registry has as extracted.

    A name that a rename, merge or edit leads to counts as there.
    """
    held = in_force(decisions)
    there = {*registered, *(one.change.name for one in held if one.change.name is not None)}
    return tuple(
        one.number for one in held if one.subject.is_name and one.subject.name not in there
    )


def counted(decisions: Iterable[Decision]) -> Mapping[str, int]:
    """Return how many decisions of each action are in force."""
    return dict(sorted(Counter(one.action.value for one in in_force(decisions)).items()))
