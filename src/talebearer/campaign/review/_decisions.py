"""Decisions: what a person settled about a name or an occurrence, by whom and when.

A decision is about content and never about a place in a list: a name is its canonical form, an
occurrence is its session, name, kind and the words of the units that it cites. So it finds what it
is about again after the session was extracted anew, by whatever extractor.

Two aspects of a subject are settled apart: what it is (accept, reject, rename, merge, edit), and
who may see it (hide, show). The latest decision of an aspect that is not withdrawn is in force.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from talebearer.errors import UsageFault
from talebearer.extraction import canonical_name
from talebearer.transcripts import Transcript
from talebearer.vocabulary import SOURCE_ID, OccurrenceKind, fullmatch

FORMAT = "talebearer.review"
VERSION = 1
NAME_CHARS_MAX = 200
NOTE_CHARS_MAX = 1_000
RANGES_MAX = 200
DECISIONS_MAX = 100_000
EVIDENCE_HEX = 16

Ranges = tuple[tuple[int, int], ...]
"""Inclusive (first, last) unit ids, ascending."""


class DecisionAction(StrEnum):
    """What a decision does."""

    ACCEPT = "accept"
    REJECT = "reject"
    RENAME = "rename"
    MERGE = "merge"
    EDIT = "edit"
    HIDE = "hide"
    SHOW = "show"


AUDIENCE = frozenset({DecisionAction.HIDE, DecisionAction.SHOW})
OF_NAMES = frozenset({DecisionAction.RENAME, DecisionAction.MERGE})
"""Actions that only a name can have; only an occurrence can be edited."""


class Subject(NamedTuple):
    """What a decision is about: a name, or an occurrence of a session.

    Attributes:
        name: The canonical name, as extracted.
        session: The occurrence's session; empty for a name.
        kind: The occurrence's kind, as extracted; empty for a name.
        ranges: Where it was when the decision was made; none for a name.
        evidence: :func:`evidence_of` its units; empty for a name.
    """

    name: str
    session: str = ""
    kind: str = ""
    ranges: Ranges = ()
    evidence: str = ""

    @property
    def is_name(self) -> bool:
        """Whether it is a name."""
        return not self.session


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a rename, a merge or an edit puts in the place of what was extracted.

    Attributes:
        name: The new name; ``None`` leaves it.
        kind: The new kind; ``None`` leaves it.
        ranges: The new ranges; ``None`` leaves them.
        evidence: :func:`evidence_of` the new ranges, if there are any.
    """

    name: str | None = None
    kind: str | None = None
    ranges: Ranges | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision.

    Attributes:
        number: Its place in the journal, from 1; never given twice.
        action: What it does.
        subject: What it is about.
        change: For rename, merge and edit: what comes instead.
        by: Who decided.
        at: When, RFC 3339.
        note: Why, in the decider's words.
        withdrawn_by: Who withdrew it; empty while it holds.
        withdrawn_at: When it was withdrawn, RFC 3339.
    """

    number: int
    action: DecisionAction
    subject: Subject
    change: Change = Change()
    by: str
    at: str
    note: str = ""
    withdrawn_by: str = ""
    withdrawn_at: str = ""

    @property
    def withdrawn(self) -> bool:
        """Whether it was withdrawn."""
        return bool(self.withdrawn_at)

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; what says nothing is left out."""
        subject, change = self.subject, self.change
        value: dict[str, Any] = {
            "number": self.number,
            "action": self.action.value,
            "subject": {"name": subject.name},
            "by": self.by,
            "at": self.at,
        }
        if not subject.is_name:
            value["subject"] = {
                "session": subject.session,
                "name": subject.name,
                "kind": subject.kind,
                "ranges": [list(one) for one in subject.ranges],
                "evidence": subject.evidence,
            }
        if change != Change():
            value["change"] = {
                **({"name": change.name} if change.name is not None else {}),
                **({"kind": change.kind} if change.kind is not None else {}),
                **(
                    {"ranges": [list(one) for one in change.ranges], "evidence": change.evidence}
                    if change.ranges is not None
                    else {}
                ),
            }
        if self.note:
            value["note"] = self.note
        if self.withdrawn:
            value["withdrawn"] = {"by": self.withdrawn_by, "at": self.withdrawn_at}
        return value


def evidence_of(transcript: Transcript, ranges: Ranges) -> str:
    """Return 16 hex digits over speakers and words of the units that *ranges* cite."""
    said = [
        [[unit.speaker, unit.text] for unit in transcript.quote(first, last)]
        for first, last in ranges
    ]
    data = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:EVIDENCE_HEX]


def in_force(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions that hold, by number: of each subject's aspect the latest."""
    latest: dict[tuple[Subject, bool], Decision] = {}
    for decision in sorted(decisions, key=lambda one: one.number):
        if not decision.withdrawn:
            latest[decision.subject, decision.action in AUDIENCE] = decision
    return tuple(sorted(latest.values(), key=lambda one: one.number))


def journal_text(campaign: str, decisions: Iterable[Decision]) -> str:
    """Return all decisions as a file for people and other copies of the campaign."""
    value = {
        "format": FORMAT,
        "version": VERSION,
        "campaign": campaign,
        "decisions": [one.as_json() for one in sorted(decisions, key=lambda one: one.number)],
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def read_journal(text: str, *, file: str) -> tuple[Decision, ...]:
    """Return the decisions of a file that :func:`journal_text` gave.

    Raises:
        UsageFault: It is no such file, or of a newer version (TB111).
    """
    try:
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise ValueError(f"its format is {value['format']!r}")
        if value["version"] != VERSION:
            raise ValueError(f"it is of version {value['version']!r}, this program reads {VERSION}")
        rows = value["decisions"]
        if not isinstance(rows, list) or len(rows) > DECISIONS_MAX:
            raise ValueError(f"decisions is no list of at most {DECISIONS_MAX}")
        return tuple(read_decision(row) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageFault(
            f"{file[:100]} holds no decisions: {str(error)[:200]}",
            hint="give a review.json that `talebearer review` wrote",
        ) from error


def read_decision(row: Mapping[str, Any]) -> Decision:
    """Return the decision that :meth:`Decision.as_json` gave; ValueError or KeyError if none."""
    action = DecisionAction(row["action"])
    subject = _subject(row["subject"])
    raw = row.get("change", {})
    ranges = _ranges(raw["ranges"]) if "ranges" in raw else None
    change = Change(
        name=checked_name(raw["name"]) if "name" in raw else None,
        kind=OccurrenceKind(raw["kind"]).value if "kind" in raw else None,
        ranges=ranges,
        evidence=_hex(raw["evidence"]) if ranges is not None else "",
    )
    _fitting(action, subject, change)
    withdrawn = row.get("withdrawn", {})
    number = row["number"]
    if type(number) is not int or number < 1:
        raise ValueError(f"number {str(number)[:20]!r}")
    return Decision(
        number=number,
        action=action,
        subject=subject,
        change=change,
        by=checked_text(row["by"], "by", NAME_CHARS_MAX),
        at=checked_text(row["at"], "at", 40),
        note=checked_text(row["note"], "note", NOTE_CHARS_MAX) if "note" in row else "",
        withdrawn_by=checked_text(withdrawn["by"], "by", NAME_CHARS_MAX) if withdrawn else "",
        withdrawn_at=checked_text(withdrawn["at"], "at", 40) if withdrawn else "",
    )


def _fitting(action: DecisionAction, subject: Subject, change: Change) -> None:
    needs_name = action in OF_NAMES
    if (needs_name and not subject.is_name) or (action is DecisionAction.EDIT and subject.is_name):
        raise ValueError(f"{action.value} does not go with its subject")
    if needs_name and (change.name is None or change.kind is not None or change.ranges is not None):
        raise ValueError(f"{action.value} needs a name and nothing else")
    if action is DecisionAction.EDIT and change == Change():
        raise ValueError("an edit that changes nothing")
    if action not in OF_NAMES | {DecisionAction.EDIT} and change != Change():
        raise ValueError(f"{action.value} changes nothing")


def _subject(raw: Mapping[str, Any]) -> Subject:
    name = checked_name(raw["name"])
    if "session" not in raw:
        return Subject(name)
    if not fullmatch(SOURCE_ID, raw["session"]):
        raise ValueError(f"session {str(raw['session'])[:60]!r}")
    kind = OccurrenceKind(raw["kind"]).value
    return Subject(name, raw["session"], kind, _ranges(raw["ranges"]), _hex(raw["evidence"]))


def checked_ranges(ranges: Sequence[tuple[int, int]]) -> Ranges:
    """Return *ranges* ascending and each once; ValueError if one is malformed or reversed."""
    for first, last in ranges:
        if type(first) is not int or type(last) is not int or not 1 <= first <= last:
            raise ValueError(f"the range {str(first)[:20]}-{str(last)[:20]}")
    if not 1 <= len(ranges) <= RANGES_MAX:
        raise ValueError(f"{len(ranges)} ranges; 1 to {RANGES_MAX} are allowed")
    return tuple(sorted(set(ranges)))


def _ranges(raw: Any) -> Ranges:
    return checked_ranges([(first, last) for first, last in raw])


def _hex(raw: Any) -> str:
    if not fullmatch(f"[0-9a-f]{{{EVIDENCE_HEX}}}", raw):
        raise ValueError(f"evidence {str(raw)[:40]!r}")
    return str(raw)


def checked_name(raw: Any) -> str:
    """Return *raw* in canonical form; ValueError if it can be no name."""
    return canonical_name(checked_text(raw, "name", NAME_CHARS_MAX))


def checked_text(raw: Any, what: str, chars_max: int) -> str:
    """Return *raw*; ValueError if it is not printable text of 1 to *chars_max* characters."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(f"the {what} is empty")
    if not raw.isprintable() or len(raw) > chars_max:
        raise ValueError(f"the {what} {raw[:40]!r} is not printable, or is over {chars_max} long")
    return raw
