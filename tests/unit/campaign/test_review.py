"""Decisions of review: what they do to what was extracted, whatever comes in between."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.campaign.review import (
    Change,
    Decision,
    DecisionAction,
    Names,
    Subject,
    apply_decisions,
    evidence_of,
    in_force,
    journal_text,
    people_after_review,
    read_journal,
)
from talebearer.errors import UsageFault
from talebearer.transcripts import Transcript, Unit
from talebearer.vocabulary import OccurrenceKind

ACCEPT, REJECT, EDIT = DecisionAction.ACCEPT, DecisionAction.REJECT, DecisionAction.EDIT
RENAME, MERGE = DecisionAction.RENAME, DecisionAction.MERGE
HIDE, SHOW = DecisionAction.HIDE, DecisionAction.SHOW
TEXTS = tuple(f"Words of unit {number}." for number in range(1, 9))


def _transcript(*texts: str) -> Transcript:
    units = tuple(
        Unit(unit_id=number, speaker="GM", text=text) for number, text in enumerate(texts, 1)
    )
    return Transcript(source_id="s", digest="sha256:" + "0" * 64, format="text", units=units)


WHOLE = _transcript(*TEXTS)


def _item(name: str, kind: str, *ranges: tuple[int, int]) -> dict[str, Any]:
    refs = [
        {"source_id": "s", "start_unit_id": first, "end_unit_id": last} for first, last in ranges
    ]
    return {"name": name, "kind": kind, "source_refs": refs}


def _npc(name: str, unit: int) -> dict[str, Any]:
    return {
        "id": "npc-0",
        "name": name,
        "source_refs": _item(name, "", (unit, unit))["source_refs"],
    }


NPCS = (_npc("Bera", 1), _npc("Berra Quist", 2), _npc("Mill", 3))
ITEMS = (
    _item("Bera", "dialogue", (1, 2)),
    _item("Berra Quist", "mentioned", (3, 3)),
    _item("Mill", "mentioned", (4, 4)),
    _item("Berra Quist", "dialogue", (5, 7)),
)


def _decision(number: int, action: DecisionAction, subject: Subject, **change: Any) -> Decision:
    return Decision(
        number=number,
        action=action,
        subject=subject,
        change=Change(**change),
        by="Rosa",
        at="2026-01-01T20:00:00Z",
    )


def _subject(item: dict[str, Any], transcript: Transcript = WHOLE) -> Subject:
    ranges = tuple((ref["start_unit_id"], ref["end_unit_id"]) for ref in item["source_refs"])
    return Subject(item["name"], "s", item["kind"], ranges, evidence_of(transcript, ranges))


def _apply(*decisions: Decision, transcript: Transcript = WHOLE, items: Any = ITEMS) -> Any:
    return apply_decisions(
        "s", npcs=NPCS, interactions=items, transcript=transcript, decisions=decisions
    )


def _listed(reviewed: Any) -> list[tuple[str, str]]:
    return [(one.item["name"], one.item["kind"]) for one in reviewed.occurrences]


def test_without_decisions_nothing_changes() -> None:
    reviewed = _apply()
    assert [one.item for one in reviewed.occurrences] == list(ITEMS)
    assert not any(one.settled or one.hidden or one.decisions for one in reviewed.occurrences)


@pytest.mark.spec("NI-review-names")
def test_names_are_rejected_renamed_and_merged_with_all_their_occurrences() -> None:
    rejected = _apply(_decision(1, REJECT, Subject("Mill")))
    assert "Mill" not in [npc["name"] for npc in rejected.npcs]
    assert "Mill" not in [name for name, _ in _listed(rejected)]
    renamed = _apply(_decision(1, RENAME, Subject("Mill"), name="Old Mill"))
    assert ("Old Mill", "mentioned") in _listed(renamed)
    merged = _apply(_decision(1, MERGE, Subject("Bera"), name="Berra Quist"))
    assert [npc["name"] for npc in merged.npcs] == ["Berra Quist", "Mill"]
    first = next(npc for npc in merged.npcs if npc["name"] == "Berra Quist")
    assert [ref["start_unit_id"] for ref in first["source_refs"]] == [1, 2]
    assert [name for name, _ in _listed(merged)] == [*["Berra Quist"] * 2, "Mill", "Berra Quist"]


def test_what_becomes_equal_is_one_and_keeps_all_that_was_decided() -> None:
    twin = _item("Berra Quist", "dialogue", (1, 2))
    reviewed = _apply(
        _decision(1, MERGE, Subject("Bera"), name="Berra Quist"),
        _decision(2, ACCEPT, _subject(twin)),
        _decision(3, HIDE, _subject(ITEMS[0])),
        items=(*ITEMS, twin),
    )
    one = reviewed.occurrences[0]
    assert one.item == twin
    assert (one.settled, one.hidden, one.decisions) == (True, True, (1, 2, 3))
    assert len(one.extracted) == 2


@pytest.mark.spec("NI-review-occurrences")
def test_occurrences_are_accepted_rejected_and_edited() -> None:
    moved = ((6, 8),)
    reviewed = _apply(
        _decision(1, ACCEPT, _subject(ITEMS[0])),
        _decision(2, REJECT, _subject(ITEMS[1])),
        _decision(
            3,
            EDIT,
            _subject(ITEMS[3]),
            kind="combat_ally",
            name="Mill",
            ranges=moved,
            evidence=evidence_of(WHOLE, moved),
        ),
    )
    assert _listed(reviewed) == [
        ("Bera", "dialogue"),
        ("Mill", "mentioned"),
        ("Mill", "combat_ally"),
    ]
    assert [one.settled for one in reviewed.occurrences] == [True, False, True]
    assert reviewed.stale == ()


@pytest.mark.spec("NI-review-content-key")
def test_a_decision_finds_its_words_again_wherever_they_stand() -> None:
    """Two units more at the beginning: every range is another, every word the same."""
    later = _transcript("New.", "Also new.", *TEXTS)
    items = [
        _item(
            item["name"],
            item["kind"],
            *((ref["start_unit_id"] + 2, ref["end_unit_id"] + 2) for ref in item["source_refs"]),
        )
        for item in ITEMS
    ]
    edited = ((5, 8),)
    reviewed = _apply(
        _decision(1, REJECT, _subject(ITEMS[0])),
        _decision(
            2,
            EDIT,
            _subject(ITEMS[3]),
            ranges=edited,
            evidence=evidence_of(WHOLE, edited),
        ),
        transcript=later,
        items=items,
    )
    assert reviewed.stale == ()
    assert _listed(reviewed)[0] == ("Berra Quist", "mentioned")
    (ref,) = reviewed.occurrences[-1].item["source_refs"]
    assert (ref["start_unit_id"], ref["end_unit_id"]) == (7, 10)


@pytest.mark.spec("NI-review-stale")
def test_other_words_at_the_same_place_are_another_occurrence() -> None:
    other = _transcript(*("Other words." for _ in TEXTS))
    reviewed = _apply(_decision(1, REJECT, _subject(ITEMS[0])), transcript=other)
    assert reviewed.stale == (1,)
    assert len(reviewed.occurrences) == len(ITEMS)


def test_where_the_same_words_stand_twice_the_place_decides() -> None:
    twice = _transcript(*("Again." for _ in TEXTS))
    items = (_item("Mill", "mentioned", (1, 1)), _item("Mill", "mentioned", (4, 4)))
    decision = _decision(1, REJECT, _subject(items[1], twice))
    (left,) = _apply(decision, transcript=twice, items=items).occurrences
    assert left.item == items[0]
    elsewhere = _item("Mill", "mentioned", (6, 6))
    decision = _decision(1, REJECT, _subject(elsewhere, twice))
    assert _apply(decision, transcript=twice, items=items).stale == (1,)


def test_the_latest_decision_of_each_aspect_holds_and_undoing_it_brings_back_the_former() -> None:
    from dataclasses import replace

    subject = Subject("Bera")
    accepted, hidden = _decision(1, ACCEPT, subject), _decision(2, HIDE, subject)
    rejected = _decision(3, REJECT, subject)
    assert in_force([accepted, hidden, rejected]) == (hidden, rejected)
    gone = replace(rejected, withdrawn_by="Rosa", withdrawn_at="2026-01-02T00:00:00Z")
    assert in_force([gone, accepted, hidden]) == (accepted, hidden)
    assert Names([accepted, hidden, gone]).resolve("Bera") == ("Bera", (1, 2), True, True)


def test_renames_in_a_circle_are_refused() -> None:
    circle = [
        _decision(1, MERGE, Subject("Bera"), name="Mill"),
        _decision(2, MERGE, Subject("Mill"), name="Bera"),
    ]
    with pytest.raises(UsageFault, match="circle"):
        _apply(*circle)


def test_the_order_in_which_decisions_are_read_does_not_matter() -> None:
    decisions = [
        _decision(1, RENAME, Subject("Bera"), name="Berra"),
        _decision(2, MERGE, Subject("Berra"), name="Berra Quist"),
        _decision(3, EDIT, _subject(ITEMS[1]), kind="other"),
        _decision(4, HIDE, _subject(ITEMS[3])),
    ]
    results = {repr(_apply(*order)) for order in permutations(decisions)}
    assert len(results) == 1


def test_people_go_by_their_last_name_and_are_found_by_former_ones() -> None:
    met = {"bera": ("Bera", "Berra"), "mill": ("Mill",), "quist": ("Quist",), "x": ("X",)}
    people = people_after_review(
        met,
        [
            _decision(1, RENAME, Subject("Bera"), name="Berra"),
            _decision(2, MERGE, Subject("Quist"), name="Berra"),
            _decision(3, REJECT, Subject("Mill")),
            _decision(4, HIDE, Subject("Quist")),
        ],
    )
    assert people.names == {"bera": ("Berra", "Bera", "Quist"), "x": ("X",)}
    assert people.hidden == {"bera", "quist"}
    assert people.settled == {"bera"}


WORDS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
RANGES = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 3)), min_size=1, max_size=3).map(
    lambda pairs: tuple(sorted({(first, first + more) for first, more in pairs}))
)
HEX = st.text("0123456789abcdef", min_size=16, max_size=16)
KINDS = st.sampled_from([kind.value for kind in OccurrenceKind])
OCCURRENCES = st.builds(Subject, WORDS, st.just("s-1"), KINDS, RANGES, HEX)


def _made(action: DecisionAction, subject: Subject, name: str, kind: str) -> Decision:
    change: dict[str, Any] = {}
    if action in (RENAME, MERGE):
        subject, change = Subject(subject.name), {"name": name}
    elif action is EDIT:
        change = {"name": name, "kind": kind, "ranges": subject.ranges, "evidence": "0" * 16}
    return _decision(7, action, subject, **change)


@settings(max_examples=80)
@given(st.builds(_made, st.sampled_from(DecisionAction), OCCURRENCES, WORDS, KINDS))
def test_a_decision_comes_back_from_its_file_as_it_was(decision: Decision) -> None:
    from unicodedata import normalize

    text = journal_text("c", [decision])
    (read,) = read_journal(text, file="review.json")
    assert journal_text("c", [read]) == normalize("NFC", text) or read == decision


HOSTILE = [
    "",
    "[]",
    "{}",
    "[" * 100_000,
    '{"format": "other", "version": 1, "decisions": []}',
    '{"format": "talebearer.review", "version": 2, "decisions": []}',
    '{"format": "talebearer.review", "version": 1, "decisions": {}}',
    '{"format": "talebearer.review", "version": 1, "decisions": [1]}',
]
GOOD = {
    "number": 1,
    "action": "edit",
    "subject": {
        "session": "s",
        "name": "A",
        "kind": "dialogue",
        "ranges": [[1, 2]],
        "evidence": "0" * 16,
    },
    "change": {"kind": "other"},
    "by": "R",
    "at": "t",
}
WRONG: list[dict[str, Any]] = [
    {"number": 0},
    {"number": True},
    {"action": "eat"},
    {"action": "rename"},
    {"action": "accept"},
    {"change": {}},
    {"change": {"kind": "sung"}},
    {"change": {"ranges": [[2, 1]], "evidence": "0" * 16}},
    {"change": {"ranges": [], "evidence": "0" * 16}},
    {"change": {"ranges": [[1, 1]] * 500, "evidence": "0" * 16}},
    {"change": {"ranges": [[1, 1]], "evidence": "x"}},
    {"change": {"name": " "}},
    {"change": {"name": "x" * 300}},
    {"subject": {"name": "A\u0000"}},
    {"subject": {**GOOD["subject"], "session": "../etc"}},  # type: ignore[dict-item] # a test's table
    {"by": ""},
    {"by": 5},
    {"note": "x" * 2_000},
    {"withdrawn": {"by": "R"}},
]


@pytest.mark.parametrize(
    "text",
    HOSTILE
    + [
        json.dumps({"format": "talebearer.review", "version": 1, "decisions": [{**GOOD, **wrong}]})
        for wrong in WRONG
    ],
)
def test_a_file_that_holds_no_decisions_is_refused(text: str) -> None:
    good = {"format": "talebearer.review", "version": 1, "decisions": [GOOD]}
    assert read_journal(json.dumps(good), file="review.json")
    with pytest.raises(UsageFault) as caught:
        read_journal(text, file="review.json")
    assert len(str(caught.value)) < 600
