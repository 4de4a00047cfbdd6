"""``talebearer test``: the plans of a content folder from the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import rehearsed
from campaigns import talebearer_here

FIXTURES = Path(__file__).parents[1] / "fixtures" / "content"
PLAN = "small/content/campaigns/mire/dialogue/the-quay/bram-holt.plan.yaml"
CASE = """\
defaults: {location: the-quay, access: public, trust: surface, situations: [social]}
cases:
  - {name: nobody is there, speaker: bram-holt, access: authority, nothing: true}
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(FIXTURES / "small", tmp_path / "small")
    for plan in tmp_path.rglob("*.plan.yaml"):
        plan.unlink()
    return tmp_path


def test_plans_pass_fail_and_are_counted(work: Path) -> None:
    none = talebearer_here("test", "small/content", cwd=work)
    assert (none.code, none.out.split(":")[0]) == (0, "no plans")
    (work / PLAN).write_text(CASE, encoding="utf-8")
    done = talebearer_here("test", "small/content", "--no-cache", cwd=work)
    assert (done.code, done.out.strip()) == (0, "1 case of 1 plan passed"), done.err
    wrong = CASE.replace("nothing: true", "says: bram-holt_d_001")
    (work / PLAN).write_text(wrong, encoding="utf-8")
    failed = talebearer_here("test", "small/content", cwd=work)
    assert failed.code == 1
    assert "bram-holt.plan.yaml:3:74: error TB480: case 'nobody is there'" in failed.out
    assert "0 cases of 1 plan passed, 1 failed" in failed.out
    assert talebearer_here("test", "small/content", "--only", "someone", cwd=work).code == 0


def test_a_faulty_plan_fails_and_faulty_pools_are_refused(work: Path) -> None:
    (work / PLAN).write_text("cases: []\n", encoding="utf-8")
    done = talebearer_here("test", "small/content", "--json", cwd=work)
    value = json.loads(done.out)
    assert (done.code, value["files"], value["passed"], value["cases"]) == (1, 1, False, [])
    assert value["problems"][0]["code"] == "TB425"
    (work / PLAN.replace(".plan", "")).write_text("lines: 3\n", encoding="utf-8")
    assert talebearer_here("test", "small/content", cwd=work).code == 2
    assert talebearer_here("test", "nowhere", cwd=work).code == 2


@pytest.mark.spec("LP-plans-lint")
def test_lint_finds_what_is_wrong_in_a_plan_once_the_pools_are_right(tmp_path: Path) -> None:
    content = rehearsed.write(tmp_path / "content")
    plan = content / "c/dialogue/quay/odo.plan.yaml"
    plan.write_text("cases:\n  - {name: one, speaker: odo, location: quay, access: public,\n"
                    "     trust: surface, situations: [social], says: odo_d_999}\n")  # fmt: skip
    found = talebearer_here("lint", "content", "--json", cwd=content.parent)
    assert found.code == 1
    (error,) = [one for one in found.json["problems"] if one["severity"] == "error"]
    assert error["where"]["file"] == "content/c/dialogue/quay/odo.plan.yaml"
    assert (error["where"]["line"], error["code"]) == (3, "TB461")
    pool = content / f"{rehearsed.ODO}.yaml"
    pool.write_text(pool.read_text().replace("trust: surface", "trust: surfice", 1))
    found = talebearer_here("lint", "content", "--json", cwd=content.parent)
    errors = [one for one in found.json["problems"] if one["severity"] == "error"]
    assert {one["where"]["file"] for one in errors} == {f"content/{rehearsed.ODO}.yaml"}
