"""``talebearer simulate`` as people and build servers run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import FIXED, Result, talebearer_here
from playing import small_tree

FEW = ("--playthroughs", "12", "--turns", "20")


def _run(content: Path, *arguments: str) -> Result:
    command = ("simulate", str(content), "--no-cache", *arguments)
    return talebearer_here(*command, cwd=content.parent)


@pytest.mark.spec("LP-sim-deterministic")
def test_hash_seeds_and_processes_change_no_byte(tmp_path: Path) -> None:
    content = small_tree(tmp_path)
    (tmp_path / "campaign.toml").write_text(
        'id = "small"\nname = "Small"\nseed = 3\n[gossip]\ncircles = [["odo", "ida"]]\n'
        "[decay.facts]\ntold_by = 500\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "talebearer", "simulate", str(content), "--json"]
    command += ["--playthroughs", "45", "--turns", "25", "--no-cache"]
    printed = {
        subprocess.run(
            [*command, "--workers", workers],
            env={**os.environ, **FIXED, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            timeout=300,
        ).stdout
        for hash_seed, workers in (("0", "1"), ("1", "2"))
    }
    assert len(printed) == 1
    assert json.loads(printed.pop())["playthroughs"] == 45


PLAY = """
import sys
from pathlib import Path
from talebearer.content import compile_content
from talebearer.rehearsal.simulation import Simulation, simulate

data = compile_content(Path(sys.argv[1])).data
simulation = Simulation(playthroughs=1_000_000, turns=50)
simulate(data, simulation, workers=2, progress=lambda *told: print(*told, flush=True))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process there holds nobody's output open")
def test_no_worker_outlives_a_run_that_is_killed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PLAY, str(small_tree(tmp_path))], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"playing")
    process.kill()
    # The workers hold the output open, too: it ends when the last of them does.
    process.communicate(timeout=60)


def test_the_results_are_printed(tmp_path: Path) -> None:
    content = small_tree(tmp_path)
    found = _run(content, *FEW)
    assert found.code == 0
    for part in ("12 playthroughs, seed 4", "lines reached", "heard most", "heard least"):
        assert part in found.out
    value = _run(content, *FEW, "--json", "--line", "odo_d_001").json
    assert value["decisions"] == 240
    assert [line["line"] for line in value["lines"]] == ["odo_d_001", "odo_d_001"]


@pytest.mark.spec("LP-sim-ci")
def test_a_build_fails_on_lines_that_are_not_known_to_be_out_of_reach(tmp_path: Path) -> None:
    content, known = small_tree(tmp_path), tmp_path / "known.txt"
    player = tmp_path / "p.yaml"
    player.write_text("npcs: [ida]\ncharacters: [smuggler]\n", encoding="utf-8")
    asked = (*FEW, "--player", str(player), "--fail-on-unreached", "--json")
    failed = _run(content, *asked)
    assert failed.code == 1
    assert "c/dialogue/the-quay/odo#odo_d_002" in failed.json["unreached"]
    written = _run(content, *asked, "--baseline", str(known), "--write-baseline")
    assert (written.code, written.json["unreached"]) == (0, [])
    text = known.read_text(encoding="utf-8")
    known.write_text(text.replace("c/dialogue/the-quay/odo#odo_d_002\n", ""), encoding="utf-8")
    again = _run(content, *asked, "--baseline", str(known))
    assert (again.code, again.json["unreached"]) == (1, ["c/dialogue/the-quay/odo#odo_d_002"])
    assert again.json["fates"] == {"c/dialogue/the-quay/odo#odo_d_002": "said"}
    left = _run(content, *FEW, "--undecided", "--json").json["lines"]
    assert {"odo_d_003", "odo_d_008"} <= {line["line"] for line in left}
    assert "odo_d_002" not in {line["line"] for line in left}
    one = _run(content, *asked, "--line", "ida_d_001")
    assert (one.code, one.json["unreached"]) == (0, [])


@pytest.mark.spec("LP-sim-replay")
def test_one_playthrough_is_told_and_written_as_a_plan(tmp_path: Path) -> None:
    content = small_tree(tmp_path)
    plan = content / "c" / "p3.plan.yaml"
    told = _run(content, "--playthrough", "3", "--turns", "20", "--trace", "--plan", str(plan))
    assert told.code == 0
    assert "20. tick " in told.out
    tested = talebearer_here("test", str(content), "--no-cache", "--json", cwd=tmp_path)
    assert tested.json["passed"]
    assert len(tested.json["cases"][0]["lines"]) == 20
    value = _run(content, "--playthrough", "3", "--turns", "20", "--trace", "--json").json
    assert [step["turn"] for step in value["steps"]] == list(range(1, 21))


def test_the_page_is_written(tmp_path: Path) -> None:
    content, page = small_tree(tmp_path), tmp_path / "page.html"
    assert _run(content, *FEW, "--html", str(page)).code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "12 playthroughs" in text


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--trace",), "--playthrough goes with"),
        (("--playthrough", "3"), "--playthrough goes with"),
        (("--playthrough", "0", "--trace"), "playthrough is 0"),
        (("--write-baseline",), "needs a file"),
        (("--baseline", "none.txt", *FEW), "cannot be read"),
        (("--turns", "0"), "turns is 0"),
        (("--workers", "0", *FEW), "workers is 0"),
        (("--seed", str(2**63)), "seed is"),
        (("--line", "odo_d_999", *FEW), "no line"),
        (("--player", "none.yaml"), "none.yaml"),
    ],
)
def test_what_cannot_be_played_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], part: str
) -> None:
    found = _run(small_tree(tmp_path), *arguments)
    assert found.code == 2
    assert part in found.err
