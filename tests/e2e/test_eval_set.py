"""A small labelled set of our own that has every kind and the steps from one to the next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import talebearer_here

from talebearer.vocabulary import OccurrenceKind

UNITS = (
    ("GM", "A woman in a wet coat stands by the ferry. Her name is Berra Quist. She says nothing."),
    ("Ana", "Berra, have you seen Hob Tarrow?"),
    ("GM", "“Not since the fair,” says Berra. “Ask Wim Harrow.”"),
    ("GM", "Wim Harrow jumps from the roof and attacks! Roll initiative."),
    ("Ana", "I hit Wim Harrow with my staff, seven damage."),
    ("GM", "Berra Quist draws a knife and stabs Wim Harrow beside you, four damage. He falls."),
    ("GM", "In the cabin lies the dead body of Hob Tarrow."),
    ("Ana", "And Sela Brook? Somebody has to tell Sela Brook."),
)
LABELLED = (
    ("Berra Quist", "noncombat_presence", 1, 1),
    ("Berra Quist", "dialogue", 2, 3),
    ("Hob Tarrow", "mentioned", 2, 2),
    ("Wim Harrow", "mentioned", 3, 3),
    ("Wim Harrow", "combat_opponent", 4, 6),
    ("Berra Quist", "combat_ally", 6, 6),
    ("Hob Tarrow", "other", 7, 7),
    ("Sela Brook", "mentioned", 8, 8),
)


def labelled(items: tuple[tuple[str, str, int, int], ...]) -> dict[str, object]:
    return {
        "id": "ferry",
        "source_id": "F",
        "license": "ours",
        "party": ["Nora Fell"],
        "players": {"Ana": "Nora Fell"},
        "gm": "GM",
        "units": [{"id": n, "speaker": s, "text": t} for n, (s, t) in enumerate(UNITS, 1)],
        "npcs": [
            {"name": name, "aliases": [name.split()[0]]}
            for name in dict.fromkeys(item[0] for item in LABELLED)
        ],
        "interactions": [
            {
                "name": name,
                "kind": kind,
                "source_refs": [{"source_id": "F", "start_unit_id": first, "end_unit_id": last}],
                "why": "It is told so.",
            }
            for name, kind, first, last in items
        ],
    }


@pytest.mark.spec("NI-eval-set")
def test_the_lane_is_scored_on_every_kind_and_transition_as_an_aid(tmp_path: Path) -> None:
    assert {item[1] for item in LABELLED} == {kind.value for kind in OccurrenceKind}
    path = tmp_path / "ferry.json"
    path.write_text(json.dumps(labelled(LABELLED)), encoding="utf-8")
    found = talebearer_here("eval", ".", "--json", cwd=tmp_path)
    assert found.code == 0, found.err
    strict = found.json["scores"]["strict"]
    by_kind = found.json["scores"]["by_kind"]
    assert strict["labelled"] == len(LABELLED)
    assert all(by_kind[kind]["labelled"] for kind in {item[1] for item in LABELLED})
    more = [kind for kind, score in by_kind.items() if score["matched"] and kind != "mentioned"]
    assert more, "it reads more than names"
    wrong = tuple((name, "other", first, last) for name, _, first, last in LABELLED[:2])
    path.write_text(json.dumps(labelled(wrong)), encoding="utf-8")
    low = talebearer_here("eval", ".", "--json", cwd=tmp_path)
    assert low.code == 0, "a low score is told and judges nothing"
    assert low.json["scores"]["strict"]["f1"] < strict["f1"]
