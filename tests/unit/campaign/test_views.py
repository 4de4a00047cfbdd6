"""Views become JSON that only holds JSON types."""

from __future__ import annotations

import json
from fractions import Fraction

from talebearer.campaign import Evidence, Quote, to_json
from talebearer.errors import Problem, Severity, Where
from talebearer.vocabulary import Confidence


def test_views_nest_and_enumerations_become_text() -> None:
    leaf = Evidence(kind="unit", text="said")
    tree = Evidence(kind="fact", id="a.b", text="known", children=(leaf,))
    value = to_json({"tree": tree, "how": Confidence.DIRECT, "odds": Fraction(1, 4), "set": {1}})
    assert json.loads(json.dumps(value)) == {
        "tree": {
            "kind": "fact",
            "id": "a.b",
            "text": "known",
            "children": [{"kind": "unit", "id": None, "text": "said", "children": []}],
        },
        "how": "direct",
        "odds": 0.25,
        "set": [1],
    }


def test_a_problem_keeps_its_place() -> None:
    problem = Problem(
        code="TB103",
        severity=Severity.WARNING,
        where=Where(file="a.vtt", line=3, column=1, first_unit=2),
        message="odd",
    )
    assert to_json(problem)["where"] == {"file": "a.vtt", "line": 3, "column": 1, "first_unit": 2}
    assert str(problem) == "a.vtt:3:1 unit 2: warning TB103: odd"


def test_a_quote_without_a_time_says_so() -> None:
    quote = Quote(unit_id=1, speaker="GM", text="x", time=None)
    assert to_json(quote) == {"unit_id": 1, "speaker": "GM", "text": "x", "time": None}
