"""docs/rules.md and the tests' markers say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from spec_markers import markers

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?P<id>(?:IM|LP|NI|KM|PP)-\S+) \| (?P<rule>.+?) \| (?P<test>.+?) \|$")
PREFIXES = ("IM-", "LP-", "NI-", "KM-", "PP-")


def rules() -> dict[str, tuple[str, str]]:
    """Return rule id to (rule, test) as the table has them."""
    found: dict[str, tuple[str, str]] = {}
    for line in (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").splitlines():
        if line.startswith(tuple(f"| {prefix}" for prefix in PREFIXES)):
            match = ROW.match(line)
            assert match, f"not a row of three cells: {line}"
            assert match["id"] not in found, f"{match['id']} stands twice"
            found[match["id"]] = (match["rule"], match["test"])
    return found


def test_every_marker_names_a_rule() -> None:
    known = rules()
    unknown = {rule: places for rule, places in markers().items() if rule not in known}
    assert not unknown, f"docs/rules.md lacks {unknown}"


def test_every_rule_that_is_not_planned_names_a_test_that_carries_it() -> None:
    carried = markers()
    wrong = []
    for rule, (_, test) in rules().items():
        if test == "planned":
            if rule in carried:
                wrong.append(f"{rule} is planned, but {carried[rule][0]} proves it")
        elif rule not in carried:
            wrong.append(f"{rule} has no test")
        elif not set(re.findall(r"`([^`]+)`", test)) & set(carried[rule]):
            wrong.append(f"{rule} names {test}, but the marker is at {carried[rule][0]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_specification_has_rules(prefix: str) -> None:
    assert any(rule.startswith(prefix) for rule in rules())
