"""A new name in what stands around the content: saved scenes, plans, the campaign's settings."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from talebearer.content import lint, lint_plans
from talebearer.content.editing import Change, barring, rename, write_changes
from talebearer.errors import EditRefused, InvalidContent

LINE = """\
  - id: {id}
    text: "Said."
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
"""
POOL = "location: quay\nrole: clerk\nlines:\n"
SCENE = {
    "format": "talebearer.scene",
    "version": 1,
    "scene": {
        "speaker": "odo",
        "location": "quay",
        "situations": ["social"],
        "mind": "npc:odo",
        "given": {
            "heard": [{"line": "quay/odo#odo_d_001", "speaker": "odo", "tick": 0}],
            "relationships": [{"target": "npc:odo", "state": "known"}],
        },
    },
}
SETTINGS = """\
id = "x"  # odo stays in prose
name = "odo"

[gossip]
circles = [["odo", 'bram'],   # who talks
           ["bram", "odo"]]
[scene]
location = "quay" # here
"""
PLAN = """\
defaults: {location: quay, access: public, trust: surface, situations: [social]}
cases:
  - name: one
    given: {heard: [{line: "%s", speaker: odo, tick: 0}]}
    speaker: odo
    nothing: true
"""


@pytest.fixture
def played(tree) -> Path:
    root: Path = tree(
        {
            "m/dialogue/quay/odo.yaml": POOL + LINE.format(id="odo_d_001"),
            "m/dialogue/quay/bram.yaml": POOL + LINE.format(id="odo_d_007"),
            "m/monologue/detective/quay.yaml": "character: detective\nlocation: quay\nlines: []\n",
            "global/npcs/odo.yaml": "name: Odo\nrole: clerk\nlocation: quay\n",
            "_scenes/one.json": json.dumps(SCENE, indent=2),
        }
    )
    (root.parent / "campaign.toml").write_text(
        SETTINGS + f'[content]\npath = "{root.name}"\n', encoding="utf-8"
    )
    return root


@pytest.mark.spec("LP-8.3-rename-around")
def test_saved_scenes_follow(played: Path) -> None:
    text = (played / "_scenes/one.json").read_text()
    write_changes(rename(played, "npc", "odo", "renn").changes)
    after = (played / "_scenes/one.json").read_text()
    assert after == text.replace("odo", "renn").replace("renn_d_", "odo_d_")
    write_changes(rename(played, "line", "odo_d_001", "odo_d_009").changes)
    assert json.loads((played / "_scenes/one.json").read_text())["scene"]["given"]["heard"] == [
        {"line": "quay/renn#odo_d_009", "speaker": "renn", "tick": 0}
    ]


@pytest.mark.spec("LP-8.3-rename-around")
def test_the_settings_beside_the_content_follow(played: Path) -> None:
    settings = played.parent / "campaign.toml"
    before = settings.read_text()
    write_changes(rename(played, "npc", "odo", "renn").changes)
    assert settings.read_text() == before.replace('["odo"', '["renn"').replace(
        ', "odo"]', ', "renn"]'
    )
    write_changes(rename(played, "location", "quay", "pier").changes)
    assert 'location = "pier" # here' in settings.read_text()


@pytest.mark.parametrize(
    "text", ["id = ", '[content]\npath = "other"\n[gossip]\ncircles = [["odo"]]\n']
)
def test_settings_of_something_else_stay(played: Path, text: str) -> None:
    (played.parent / "campaign.toml").write_text(text)
    write_changes(rename(played, "npc", "odo", "renn").changes)
    assert (played.parent / "campaign.toml").read_text() == text


def test_a_scene_that_is_a_link_or_no_json_is_not_touched(played: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps(SCENE))
    (played / "_scenes/two.json").symlink_to(elsewhere)
    write_changes(rename(played, "npc", "odo", "renn").changes)
    assert elsewhere.read_text() == json.dumps(SCENE)
    (played / "_scenes/three.json").write_text("{")
    with pytest.raises(EditRefused, match=r"three\.json"):
        rename(played, "npc", "renn", "odo")


@pytest.mark.spec("LP-8.3-rename-around")
def test_a_plan_names_a_line_by_its_pool_where_its_new_id_would_mean_two(played: Path) -> None:
    plan = played / "m/dialogue/quay/bram.plan.yaml"
    plan.write_text(PLAN % "odo_d_001")
    write_changes(rename(played, "line", "odo_d_001", "odo_d_002").changes)
    assert plan.read_text() == PLAN % "odo_d_002"
    write_changes(rename(played, "line", "odo_d_002", "odo_d_007").changes)
    assert plan.read_text() == PLAN % "m/dialogue/quay/odo#odo_d_007"
    assert lint_plans(played) == ()


@pytest.mark.spec("LP-8.3-rename-around")
def test_what_breaks_a_plan_is_refused_and_its_old_faults_are_none(played: Path) -> None:
    plan = played / "m/dialogue/quay/bram.plan.yaml"
    plan.write_text(PLAN % "odo_d_001" + "  - {name: two, speaker: odo, says: odo_d_099}\n")
    pool = played / "m/dialogue/quay/odo.yaml"
    before = pool.read_bytes()
    gone = Change(path=pool, name="odo.yaml", before=before, after=before.replace(b"_001", b"_002"))
    with pytest.raises(InvalidContent) as caught:
        barring(played, [gone], what="it", plans=True)
    problems = caught.value.data["problems"]
    assert [(one["where"]["file"], one["where"]["line"]) for one in problems] == [
        (f"{played.name}/m/dialogue/quay/bram.plan.yaml", 4)
    ]
    barring(played, [gone], what="it")


@pytest.mark.spec("LP-8.3-rename-at-once")
@pytest.mark.parametrize("_", range(6))
def test_of_two_renames_at_once_one_is_made_whole_and_the_other_refused(
    played: Path, _: int
) -> None:
    both = [rename(played, "npc", "odo", name) for name in ("renn", "marsh")]
    begin = threading.Barrier(2)

    def write(number: int) -> bool:
        begin.wait()
        try:
            write_changes(both[number].changes)
        except EditRefused:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(write, (0, 1)))
    assert sorted(made) == [False, True]
    assert [p for p in lint(played) if p.severity == "error"] == []
    held = {p.relative_to(played).as_posix() for p in played.rglob("*") if p.is_file()}
    assert ("global/npcs/renn.yaml" in held, "global/npcs/marsh.yaml" in held) == tuple(made)
    assert not [name for name in held if name.rpartition("/")[2].startswith(".")]
    others = [name for name, is_there in zip(("marsh", "renn"), made, strict=True) if is_there]
    texts = "".join((played / name).read_text() for name in sorted(held) if name.endswith("l"))
    assert not any(name in texts for name in others)


@pytest.mark.spec("LP-8.3-rename-full")
@pytest.mark.parametrize("room_bytes", [0, 100, 400, 900])
def test_a_disk_that_fills_in_the_middle_of_a_rename_leaves_all_as_it_was(
    played: Path, room_bytes: int
) -> None:
    long = POOL + "".join(LINE.format(id=f"odo_d_{n:03d}") for n in range(1, 12))
    (played / "m/dialogue/quay/odo.yaml").write_text(long)
    before = {p: p.read_bytes() for p in sorted(played.rglob("*")) if p.is_file()}
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from talebearer.content.editing import rename, write_changes\n"
        "made = rename(Path(sys.argv[1]), 'npc', 'odo', 'renn')\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))\n"
        "write_changes(made.changes)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(played), str(room_bytes)], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "File too large" in done.stderr
    assert {p: p.read_bytes() for p in sorted(played.rglob("*")) if p.is_file()} == before


@pytest.mark.spec("LP-8.3-rename")
def test_a_fault_that_a_file_has_moves_with_it_and_bars_nothing(played: Path) -> None:
    pool = played / "m/dialogue/quay/odo.yaml"
    pool.write_text(pool.read_text().replace("    trust: surface\n", ""))
    write_changes(rename(played, "npc", "odo", "renn").changes)
    found = [p.where.file for p in lint(played) if p.severity == "error"]
    assert found == [f"{played.name}/m/dialogue/quay/renn.yaml"]
