"""The commands on content: lint in its formats and watching, build, facts, schemas, vendor."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import talebearer_here

import talebearer as talebearer_package

FIXTURES = Path(__file__).parents[1] / "fixtures" / "content"
POOL = "content/campaigns/mire/dialogue/the-quay/bram-holt.yaml"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(FIXTURES / "small", tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(FIXTURES / "five-faults", tmp_path / "work")
    return tmp_path / "work"


def test_build_writes_a_pack_and_says_so(small: Path) -> None:
    first = talebearer_here("build", "content", "-o", "game/pack.json", cwd=small)
    assert first.code == 0, first.err
    assert "game/pack.json written: 5 lines in 4 pools" in first.out
    again = talebearer_here("build", "content", "-o", "game/pack.json", "--json", cwd=small)
    value = json.loads(again.out)
    assert (value["written"], value["lines"], value["pools"]) == (False, 5, 4)
    assert (small / "game" / "pack.json.sha256").read_text().startswith(value["digest"][7:])


def test_build_refuses_faults(faults: Path) -> None:
    done = talebearer_here("build", "content", "-o", "pack.json", cwd=faults)
    assert done.code == 2
    assert "TB106" in done.err
    assert not (faults / "pack.json").exists()
    assert talebearer_here("build", "nowhere", cwd=faults).code == 2
    assert talebearer_here("build", "content", "-o", ".", cwd=faults).code == 2


def test_lint_prints_sarif(faults: Path) -> None:
    done = talebearer_here("lint", "content", "--format", "sarif", cwd=faults)
    assert done.code == 1
    log = json.loads(done.out)
    assert log["version"] == "2.1.0"
    assert len([r for r in log["runs"][0]["results"] if r["level"] == "error"]) == 5
    assert talebearer_here("lint", "content", "--format", "sarif", "--json", cwd=faults).code == 2


def test_a_baseline_lets_an_existing_tree_in(faults: Path) -> None:
    arguments = ("lint", "content", "--baseline", "known.json")
    missing = talebearer_here(*arguments, cwd=faults)
    assert (missing.code, "--write-baseline" in missing.err) == (2, True)
    assert talebearer_here(*arguments, "--write-baseline", cwd=faults).code == 0
    done = talebearer_here(*arguments, cwd=faults)
    assert done.code == 0
    assert "0 errors" in done.out
    assert "known of old" in done.out
    path = faults / "content/campaigns/mire/dialogue/the-quay/ferryman.yaml"
    path.write_text(path.read_text() + "    tropic: []\n")
    done = talebearer_here(*arguments, "--json", cwd=faults)
    assert done.code == 1
    assert [problem["code"] for problem in json.loads(done.out)["problems"]] == ["TB421"]


def test_facts_are_listed_and_drafted(small: Path) -> None:
    (small / "content/global/knowledge/ferry.yaml").unlink()
    listed = talebearer_here("facts", "content", "--missing", cwd=small)
    assert listed.code == 1
    assert "ferry.no_lantern" in listed.out
    done = talebearer_here("facts", "content", "--missing", "--write", "--json", cwd=small)
    assert done.code == 0, done.err
    assert json.loads(done.out)["written"] == ["content/global/knowledge/ferry.yaml"]
    assert talebearer_here("facts", "content", "--missing", cwd=small).code == 0
    assert talebearer_here("facts", "content", cwd=small).code == 2


def test_schemas_are_compared_and_written(small: Path) -> None:
    assert talebearer_here("schemas", "content", cwd=small).code == 1
    assert talebearer_here("schemas", "content", "--write", cwd=small).code == 0
    assert talebearer_here("schemas", "content", "--names", cwd=small).code == 1
    assert talebearer_here("schemas", "content", "--names", "--write", cwd=small).code == 0
    assert talebearer_here("schemas", "content", "--names", cwd=small).code == 0
    done = talebearer_here("schemas", "content", "--json", cwd=small)
    assert (done.code, json.loads(done.out)["stale"]) == (0, [])


def test_vendor_copies(small: Path) -> None:
    done = talebearer_here("vendor", "game", "--json", cwd=small)
    assert done.code == 0, done.err
    assert "talebearer/lines/__init__.py" in json.loads(done.out)["files"]
    (small / "other" / "talebearer").mkdir(parents=True)
    assert talebearer_here("vendor", "other", cwd=small).code == 2


@pytest.mark.slow
@pytest.mark.spec("LP-8.2-watch")
def test_watch_lints_again_at_a_change_and_ends_at_ctrl_c(small: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "talebearer", "lint", "content", "--watch", "--json"],
        cwd=small,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        first = json.loads(process.stdout.readline())
        assert "watching" in process.stderr.readline()
        assert first["counts"]["error"] == 0
        path = small / POOL
        path.write_text(path.read_text().replace("trust: surface", "trust: deep"))
        assert "changed" in process.stderr.readline()
        second = json.loads(process.stdout.readline())
        assert [p["code"] for p in second["problems"] if p["severity"] == "error"] == ["TB423"]
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 0


def test_lint_leaves_nothing_beside_what_the_program_brings_along(small: Path) -> None:
    bundled = Path(talebearer_package.__file__).parent / "bundled" / "drowned-bell"
    assert talebearer_here("lint", str(bundled / "content"), cwd=small).code == 0
    assert not (bundled / "runs").exists()
    assert (small.parent / "cache" / "talebearer").is_dir()
