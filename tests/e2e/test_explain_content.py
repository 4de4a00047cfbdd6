"""talebearer explain --content: a scene that is made up, on a folder that no campaign plays."""

from __future__ import annotations

from pathlib import Path

import pytest
import rehearsed
from campaigns import talebearer_here

from talebearer.rehearsal import Rehearsal


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return rehearsed.write(tmp_path / "content")


@pytest.mark.spec("LP-rehearsal-ask")
def test_a_made_up_scene_is_explained_with_odds_places_and_rolls(content: Path) -> None:
    words = ["explain", "odo", "--content", "content", "--topic", "cargo", "--roll", "7"]
    result = talebearer_here(*words, cwd=content.parent)
    assert result.code == 0, result.err
    assert "+ odo_d_002 “The price of it.”" in result.out
    assert "chance 100.0% (1)" in result.out
    assert "    content/c/dialogue/quay/odo.yaml:9:5\n" in result.out
    assert "7 draws in a row" in result.out
    address = next(row for row in result.out.splitlines() if row.startswith("this scene: "))
    again = ["explain", "--content", "content", "--scene", address.removeprefix("this scene: ")]
    told = talebearer_here(*again, "--json", cwd=content.parent).json
    tried = Rehearsal(content)
    setup = tried.read_address(told["address"])
    assert setup.topics == ("cargo",)
    assert [tuple(step) for step in told["funnel"]] == list(tried.ask(setup).funnel)
    assert told["rows"] == tried.ask(setup, rows=50).as_json()["rows"]


@pytest.mark.parametrize("name", ["odo", "Odo Renn", "renn", "npc:odo"])
def test_somebody_is_named_as_in_a_campaign(content: Path, name: str) -> None:
    result = talebearer_here("explain", name, "--content", "content", "--json", cwd=content.parent)
    assert result.code == 0, result.err
    assert result.json["setup"]["speaker"] == "odo"


def test_somebody_is_asked_where_nothing_of_theirs_is_said(content: Path) -> None:
    moor = content / "c/dialogue/moor/digger.yaml"
    moor.parent.mkdir()
    moor.write_text("location: moor\nrole: digger\nlines: []\n", encoding="utf-8")
    for option in ("--location", "--at"):  # the second is what it was called once
        words = ["explain", "odo", "--content", "content", option, "moor", "--json"]
        result = talebearer_here(*words, cwd=content.parent)
        assert result.code == 0, result.err
        assert (result.json["setup"]["location"], result.json["rows"]) == ("moor", [])


def test_a_saved_scene_and_one_line_of_it(content: Path) -> None:
    tried = Rehearsal(content)
    tried.save("the-price", tried.first_setup(rehearsed.ODO))
    words = ["explain", "--content", "content", "--scene", "the-price", "--line", "odo_d_006"]
    result = talebearer_here(*words, "--seed", "4", "--json", cwd=content.parent)
    assert result.code == 0, result.err
    (row,) = result.json["rows"]
    assert (row["line_id"], row["dropped_by"]) == ("odo_d_006", "access")
    assert result.json["setup"]["seed"] == 4


def test_a_thought_of_another_place_says_what_stops_it(content: Path) -> None:
    words = ["explain", "--character", "smuggler", "--trigger", "enter_location", "--content"]
    result = talebearer_here(
        *words,
        "content",
        "--location",
        "quay",
        "--line",
        "pc-detective_m_d_001",
        "--json",
        cwd=content.parent,
    )
    (row,) = result.json["rows"]
    assert (row["dropped_by"], row["probability"]) == ("character", None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody", "--content", "content"], "nobody is called 'nobody'"),
        (["--content", "content"], "needs somebody who speaks or thinks"),
        (["odo", "--content", "content", "--access", "publik"], "did you mean public?"),
        (["odo", "--content", "content", "--line", "odo_d_099"], "no line"),
        (["--content", "content", "--scene", "the-pirce"], "there is no scene"),
        (["--content", "content", "--scene", "tick=NaN&speaker=odo"], "no whole number"),
        (["odo", "--content", "nowhere"], "not a folder"),
        (["odo", "--roll", "5"], "name --content"),
    ],
)
def test_what_cannot_be_asked_is_refused(content: Path, words: list[str], said: str) -> None:
    result = talebearer_here("explain", *words, cwd=content.parent)
    assert result.code == 2, result.out
    assert said in result.err


@pytest.mark.spec("LP-rehearsal-ask")
def test_a_past_is_made_up_with_options(content: Path) -> None:
    """What the mind knows and what happened with whom: alone, and beside what a scene gives."""

    def drawable(*options: str) -> set[str]:
        words = ["explain", "odo", "--content", "content", "--json", *options]
        told = talebearer_here(*words, cwd=content.parent)
        assert told.code == 0, told.err
        return {row["line_id"] for row in told.json["rows"][: told.json["eligible"]]}

    nothing = drawable()
    assert "odo_d_004" in drawable("--happened", "odo:walked_away") - nothing
    assert "odo_d_005" in drawable("--happened", "npc:odo:friendly@4", "--tick", "9") - nothing
    both = ["--happened", "odo:walked_away", "--happened", "odo:friendly"]
    assert {"odo_d_004", "odo_d_005"} <= drawable(*both)
    thought = ["explain", "--content", "content", "--character", "detective", "--json"]
    asked = [*thought, "--trigger", "post_conversation", "--location", "quay"]
    assert talebearer_here(*asked, cwd=content.parent).json["eligible"] == 0
    known = talebearer_here(
        *asked, "--knows", "people.him:suspects@2", "--tick", "3", cwd=content.parent
    )
    assert known.json["eligible"] == 1
    scene = known.json["address"]
    again = talebearer_here(
        *("explain", "--content", "content", "--scene", scene, "--knows", "people.her", "--json"),
        cwd=content.parent,
    ).json
    assert [one["fact_id"] for one in again["setup"]["given"]["facts"]] == [
        "people.him",
        "people.her",
    ]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--knows", "people.him:surely"), "no confidence"),
        (("--knows", "people.hmi"), "people.him"),
        (("--knows", "people.him@soon"), "is no tick"),
        (("--knows", ":knows_of"), "names no fact"),
        (("--happened", "pc:detective:walked_away"), "is no NPC"),
        (("--happened", "walked_away"), "with whom"),
        (("--happened", "odo:walked_out"), "walked_away"),
        (("--happened", "ood:walked_away"), "npc:odo"),
        (("--happened", "odo:walked_away@7"), "7 or later"),
    ],
)
def test_a_past_that_cannot_be_is_refused(
    content: Path, option: tuple[str, str], said: str
) -> None:
    told = talebearer_here("explain", "odo", "--content", "content", *option, cwd=content.parent)
    assert told.code == 2
    assert said in told.err.replace("\n", " ")
    elsewhere = talebearer_here("explain", "odo", *option, cwd=content.parent)
    assert "name --content, too" in elsewhere.err
