"""The demo: what it shows, that it runs twice, and that it is the same everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import Result, run_python, talebearer, talebearer_here


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("demo")
    return folder, talebearer_here("demo", cwd=folder)


def test_the_demo_shows_the_whole_path(demo: tuple[Path, Result]) -> None:
    folder, result = demo
    assert result.code == 0, result.err
    for part in (
        "session-01.json, seriatim, 297 units",
        "session-02.vtt, webvtt, 275 units",
        "unknown speaker 'Priya'",
        "NPCs found: ",
        "What the party remembers of Maelis Brandt",
        "you walk out on Maelis Brandt",
        "detective (thinks): ",
        "Why that line?",
        "the gate “",
        "report:   talebearer-demo/runs/report.html",
    ):
        assert part in result.out, part
    assert (folder / "talebearer-demo" / "runs" / "report.html").is_file()


def test_a_second_run_says_what_was_there(demo: tuple[Path, Result]) -> None:
    folder, first = demo
    again = talebearer_here("demo", cwd=folder)
    assert again.code == 0, again.err
    assert "(was already there)" in again.out
    assert again.out.count("already there: nothing was changed") == 2
    assert "played before" in again.out
    said = [line for line in first.out.splitlines() if "Maelis Brandt: " in line]
    assert said
    assert said == [line for line in again.out.splitlines() if "Maelis Brandt: " in line]


def test_what_is_played_later_is_no_part_of_the_demo(demo: tuple[Path, Result]) -> None:
    """A conversation with somebody else afterwards leaves the demo's own as it was."""
    folder, first = demo
    campaign = folder / "talebearer-demo"
    assert talebearer_here("talk", "Wick", cwd=campaign, stdin="trust\n/leave\n").code == 0
    again = talebearer_here("demo", cwd=folder)

    def conversation(out: str) -> str:
        return out.split("before and after you walk out on her")[1].split("Where to look")[0]

    said = conversation(first.out).splitlines()[1:]
    assert [line for line in conversation(again.out).splitlines() if line in said] == said


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    result = talebearer_here("demo", "notes", cwd=tmp_path)
    assert result.code == 2
    assert "TB111" in result.err
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine.txt"]


@pytest.mark.slow
def test_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    """Two processes with other hash seeds print the same, and store the same records."""
    dumps = []
    for seed in ("1", "4242"):
        folder = tmp_path / seed
        folder.mkdir()
        result = talebearer("demo", "--json", cwd=folder, environment={"PYTHONHASHSEED": seed})
        assert result.code == 0, result.err
        script = (
            "import apsw, json\n"
            "c = apsw.Connection('talebearer-demo/talebearer.db')\n"
            "rows = c.execute('select scope_json, entity_type, entity_id, version, state, value_json"
            " from patchouli_entity_version order by 1, 2, 3, 4').fetchall()\n"
            "print(json.dumps(rows))\n"
        )
        stored = run_python(["-c", script], cwd=folder)
        page = (folder / "talebearer-demo" / "runs" / "report.html").read_bytes()
        dumps.append((result.out, stored.out, page))
    assert len(json.loads(dumps[0][1])) > 100
    assert dumps[0] == dumps[1]
