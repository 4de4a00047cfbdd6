"""Saved scenes, plan cases and saves of content: what is written, what is refused, what follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rehearsed

from talebearer.content import lint
from talebearer.errors import (
    InvalidContent,
    StoreUnavailable,
    UnknownName,
    UsageFault,
)
from talebearer.rehearsal import Rehearsal, Setup

ODO_FILE = f"{rehearsed.ODO}.yaml"


@pytest.mark.spec("LP-rehearsal-saved")
def test_a_scene_is_saved_by_name_and_comes_back(rehearsal: Rehearsal, talk: Setup) -> None:
    setup = talk.but(given={"facts": ({"fact_id": "people.him", "confidence": "direct"},)}, seed=9)
    path = rehearsal.save("the-price", setup)
    assert path == rehearsal.root / "_scenes" / "the-price.json"
    rehearsal.save("arrival", talk)
    assert rehearsal.saved.names() == ("arrival", "the-price")
    assert rehearsal.load("the-price") == setup
    rehearsal.save("the-price", talk)
    assert rehearsal.load("the-price") == talk
    rehearsal.saved.remove("the-price")
    assert rehearsal.saved.names() == ("arrival",)
    assert lint(rehearsal.root) == rehearsal.problems
    assert not rehearsal.reload()


NAMES = ["", "../up", "a/b", "A", "a b", ".hidden", "x" * 65, "nul\0", "a.json", "é"]


@pytest.mark.spec("LP-rehearsal-saved")
@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_nowhere_else(rehearsal: Rehearsal, talk: Setup, name: str) -> None:
    with pytest.raises(UsageFault):
        rehearsal.save(name, talk)
    with pytest.raises(UsageFault):
        rehearsal.load(name)
    with pytest.raises(UsageFault):
        rehearsal.saved.remove(name)
    assert not (rehearsal.root / "_scenes").exists()


@pytest.mark.spec("LP-rehearsal-saved")
def test_no_link_is_followed(rehearsal: Rehearsal, talk: Setup, tmp_path: Path) -> None:
    folder, outside = rehearsal.root / "_scenes", tmp_path / "outside"
    outside.mkdir()
    folder.symlink_to(outside)
    with pytest.raises(UsageFault, match="link"):
        rehearsal.save("one", talk)
    assert rehearsal.saved.names() == ()
    folder.unlink()
    rehearsal.save("one", talk)
    secret = outside / "secret.json"
    secret.write_text((folder / "one.json").read_text())
    (folder / "two.json").symlink_to(secret)
    assert rehearsal.saved.names() == ("one",)
    with pytest.raises(UnknownName):
        rehearsal.load("two")
    with pytest.raises(UsageFault):
        rehearsal.save("two", talk)


@pytest.mark.spec("LP-rehearsal-saved")
@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"format": "other", "version": 1, "scene": {}}',
        '{"format": "talebearer.scene", "version": 2, "scene": {}}',
        '{"format": "talebearer.scene", "version": 1}',
        '{"format": "talebearer.scene", "version": 1, "scene": {"speaker": "odo", "tick": NaN}}',
        "[" * 100_000,
        " " * 300_000,
    ],
)
def test_a_damaged_scene_is_refused(rehearsal: Rehearsal, talk: Setup, text: str) -> None:
    rehearsal.save("one", talk).write_text(text)
    with pytest.raises(UsageFault):
        rehearsal.load("one")


@pytest.mark.spec("LP-rehearsal-saved")
def test_a_scene_that_the_content_outgrew_says_everything(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    path = rehearsal.save("one", talk)
    value = json.loads(path.read_text())
    value["scene"] |= {"access": "publik", "topics": ["weather"]}
    path.write_text(json.dumps(value))
    with pytest.raises(UsageFault) as refused:
        rehearsal.load("one")
    assert len(refused.value.data["problems"]) == 2
    assert "did you mean public?" in refused.value.hint
    with pytest.raises(UnknownName) as unknown:
        rehearsal.load("ona")
    assert "one" in unknown.value.hint


# --- plan cases ----------------------------------------------------------------------------------


@pytest.mark.spec("LP-rehearsal-cases")
def test_a_case_is_written_beside_the_pool_and_expects_what_is_drawn(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    first = rehearsal.add_case(talk.but(topics=("cargo",)), "The price")
    assert (first.file, first.is_new, first.line) == (f"{rehearsed.ODO}.plan.yaml", True, 2)
    second = rehearsal.add_case(talk.but(access="authority", situations=("arrival",)), "Nothing")
    assert (second.file, second.is_new) == (f"{rehearsed.CROWD}.plan.yaml", True)
    assert (rehearsal.root / first.file).read_text() == (
        "cases:\n"
        '  - name: "The price"\n'
        "    speaker: odo\n"
        "    location: quay\n"
        "    access: public\n"
        "    trust: surface\n"
        "    situations: [social]\n"
        "    topics: [cargo]\n"
        "    tick: 0\n"
        "    seed: 0\n"
        "    says: odo_d_002\n"
    )
    assert "nothing: true" in second.text
    rehearsal.reload()
    assert rehearsal.plans() == (second.file, first.file)


REFUSED = [
    ("x", "../out.plan.yaml"),
    ("x", "/tmp/out.plan.yaml"),
    ("x", "c/dialogue/quay/out.yaml"),
    ("x", "c/nowhere/out.plan.yaml"),
    ("x", "_hidden/out.plan.yaml"),
    ("x", "c/dialogue/quay/folder.plan.yaml"),
    ("x", "c/dialogue/quay/linked.plan.yaml"),
    ("x", "linked/out.plan.yaml"),
    ("x", "c\\out.plan.yaml"),
    ("", None),
    ("  ", None),
    ("a\nb", None),
    ("x" * 201, None),
    ("taken", "c/dialogue/quay/good.plan.yaml"),
    ("x", "c/dialogue/quay/flow.plan.yaml"),
    ("x", "c/dialogue/quay/broken.plan.yaml"),
    ("x", "c/dialogue/quay/latin.plan.yaml"),
]


@pytest.mark.spec("LP-rehearsal-cases")
@pytest.mark.parametrize(("name", "file"), REFUSED)
def test_a_case_goes_nowhere_else(
    rehearsal: Rehearsal, talk: Setup, tmp_path: Path, name: str, file: str | None
) -> None:
    quay = rehearsal.root / "c" / "dialogue" / "quay"
    outside = tmp_path / "outside"
    outside.mkdir()
    (rehearsal.root / "linked").symlink_to(outside)
    (quay / "folder.plan.yaml").mkdir()
    (quay / "linked.plan.yaml").symlink_to(outside / "there.plan.yaml")
    (quay / "good.plan.yaml").write_text("cases:\n- {name: taken, speaker: odo, nothing: true}\n")
    (quay / "flow.plan.yaml").write_text("cases: [{name: one, speaker: odo, nothing: true}]\n")
    (quay / "broken.plan.yaml").write_text("cases:\n- {name: one\n")
    (quay / "latin.plan.yaml").write_bytes(b"cases:\n- {name: \xe9}\n")
    before = {path: path.read_bytes() for path in quay.iterdir() if path.is_file()}
    with pytest.raises(UsageFault):
        rehearsal.add_case(talk, name, file=file)
    assert {path: path.read_bytes() for path in quay.iterdir() if path.is_file()} == before
    assert list(outside.iterdir()) == []


def test_a_folder_that_refuses_is_told(rehearsal: Rehearsal, talk: Setup) -> None:
    (rehearsal.root / "_scenes").write_text("in the way")
    with pytest.raises(StoreUnavailable):
        rehearsal.save("one", talk)
    assert rehearsal.saved.names() == ()


# --- saves ---------------------------------------------------------------------------------------


@pytest.mark.spec("LP-rehearsal-reload")
def test_a_save_is_taken_in_and_a_slip_leaves_the_last_good_pack(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    path = rehearsal.root / ODO_FILE
    good = path.read_text()
    assert not rehearsal.reload()
    path.write_text(good.replace("The tide.", "The ebb."))
    assert rehearsal.reload()
    assert rehearsal.ask(talk, rows=8).rows[1].verdict.text == "The ebb."
    path.write_text(good.replace("trust: surface", "trust: surfice", 1))
    assert rehearsal.reload()
    assert not rehearsal.is_current
    (problem,) = [one for one in rehearsal.problems if one.severity == "error"]
    assert (problem.where.file, problem.where.line) == (f"content/{ODO_FILE}", 8)
    answer = rehearsal.ask(talk)
    assert not answer.is_current
    assert "The ebb." in [row.verdict.text for row in answer.rows]
    path.write_text(good)
    assert rehearsal.reload()
    assert rehearsal.is_current
    assert "The tide." in [row.verdict.text for row in rehearsal.ask(talk).rows]


@pytest.mark.spec("LP-rehearsal-reload")
def test_a_remark_moves_lines_and_a_file_that_is_gone_leaves_no_place(
    rehearsal: Rehearsal, talk: Setup
) -> None:
    path = rehearsal.root / ODO_FILE
    assert rehearsal.loaded.where(rehearsed.ODO, "odo_d_002").line == 9
    path.write_text("# one more\n" + path.read_text())
    assert rehearsal.reload()
    assert rehearsal.loaded.where(rehearsed.ODO, "odo_d_002").line == 10
    path.unlink()
    (rehearsal.root / "global/npcs/odo.yaml").write_text("name: [\n")
    assert rehearsal.reload()
    assert not rehearsal.is_current
    gone = next(row for row in rehearsal.ask(talk).rows if row.verdict.pool == rehearsed.ODO)
    assert (gone.where.line, gone.findings) == (None, 0)
    assert rehearsal.loaded.authored(rehearsed.ODO, "odo_d_002") == {}


def test_what_the_cache_spared_is_read_without_a_difference(root: Path, tmp_path: Path) -> None:
    Rehearsal(root, cache=tmp_path / "cache")
    warm = Rehearsal(root, cache=tmp_path / "cache")
    setup = warm.first_setup(rehearsed.ODO)
    before, number = warm.ask(setup), warm.loaded.number
    warm.prepare()
    assert (warm.ask(setup), warm.loaded.number) == (before, number)
    assert not warm.reload()


def test_content_that_cannot_be_compiled_at_the_start_says_everything(root: Path) -> None:
    (root / ODO_FILE).write_text("location: quay\n")
    (root / "global/npcs/odo.yaml").write_text("nam: Odo\n")
    with pytest.raises(InvalidContent) as refused:
        Rehearsal(root)
    files = {one["where"]["file"] for one in refused.value.data["problems"]}
    assert {f"content/{ODO_FILE}", "content/global/npcs/odo.yaml"} <= files
