"""Scaffolds: the next free id, and files that lint takes at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from talebearer.content import lint
from talebearer.content.editing import (
    LineIds,
    format_text,
    new_line,
    new_location,
    new_npc,
    next_line_id,
    write_changes,
)
from talebearer.errors import EditRefused, InvalidContent, UnknownReference, UsageFault

ODO = """\
# Odo
location: quay
role: clerk
lines:
  - id: odo_d_004   # kept
    text: 'One.'
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
"""
GREY = ODO.replace("quay", "mill").replace("odo_d_004", "odo_d_007")
THOUGHTS = """\
character: detective
location: quay
lines:
  - {id: pc-detective_m_d_002, text: Hm., trigger: time_idle}
"""
FILES = {
    "m/dialogue/quay/odo.yaml": ODO,
    "m/dialogue/mill/odo.yaml": GREY,
    "m/dialogue/mill/clerk.yaml": "location: mill\nrole: clerk\nlines: []\n",
    "m/monologue/detective/quay.yaml": THOUGHTS,
    "m/monologue/detective/mill.yaml": "character: detective\nlocation: mill\nlines: []\n",
    "m/monologue/smuggler/mill.yaml": "character: smuggler\nlocation: mill\nlines: []\n",
}
SAID = {"text": "Two.", "access": ["public"], "trust": "surface", "situation": ["social"]}


@pytest.mark.spec("LP-5.1-next-id")
@pytest.mark.parametrize(
    ("pool", "line_id"),
    [
        ("quay/odo", "odo_d_008"),
        ("m/dialogue/mill/odo", "odo_d_008"),
        ("mill/clerk.yaml", "clerk_d_001"),
        ("detective/quay", "pc-detective_m_d_003"),
        ("detective/mill", "pc-detective_m_d_001"),
        ("smuggler/mill", "pc-smuggler_m_s_001"),
    ],
)
def test_the_next_id_runs_on_for_speech_and_begins_anew_for_thoughts(
    tree, pool: str, line_id: str
) -> None:
    assert next_line_id(tree(FILES), pool) == line_id


@pytest.mark.spec("LP-5.1-next-id")
def test_former_ids_count_as_taken(tree) -> None:
    aliases = "    aliases: [odo_d_011, m/dialogue/old/odo#odo_d_012]\n    text"
    root = tree({**FILES, "m/dialogue/quay/odo.yaml": ODO.replace("    text", aliases)})
    ids = LineIds(root)
    assert [ids.take("quay/odo"), ids.take("mill/odo")] == ["odo_d_013", "odo_d_014"]


def test_no_number_is_given_twice_and_none_beyond_the_last(tree) -> None:
    root = tree({**FILES, "m/dialogue/quay/odo.yaml": ODO.replace("004", "999")})
    with pytest.raises(UsageFault, match="odo_d_999 is taken"):
        next_line_id(root, "mill/odo")
    with pytest.raises(UnknownReference, match="several pools"):
        next_line_id(root, "odo")
    with pytest.raises(UnknownReference, match="no pool"):
        next_line_id(root, "quay/odd")


@pytest.mark.spec("LP-8.3-new-line")
def test_a_line_is_added_and_every_other_byte_stays(tree) -> None:
    root = tree(FILES)
    made = new_line(root, "quay/odo", {**SAID, "tags": ["late"], "mood": None})
    write_changes((made.change,))
    assert made.id == "odo_d_008"
    assert (root / "m/dialogue/quay/odo.yaml").read_text() == ODO + (
        '  - id: odo_d_008\n    text: "Two."\n    role: clerk\n    access: [public]\n'
        "    trust: surface\n    situation: [social]\n    tags: [late]\n"
    )
    assert [p for p in lint(root) if p.severity == "error"] == []


@pytest.mark.spec("LP-8.3-new-line")
def test_a_line_with_errors_is_refused_with_all_of_them(tree) -> None:
    root = tree(FILES)
    with pytest.raises(InvalidContent) as caught:
        new_line(root, "detective/quay", {"text": "x" * 161, "trigger": "no_such", "mood": []})
    messages = [problem["message"] for problem in caught.value.data["problems"]]
    assert len(messages) == 3
    assert (root / "m/monologue/detective/quay.yaml").read_text() == THOUGHTS


def test_other_faults_of_the_tree_do_not_bar_a_line(tree, tmp_path: Path) -> None:
    root = tree({**FILES, "global/npcs/odo.yaml": "nmae: Odo\n"})
    assert new_line(root, "mill/clerk", {**SAID, "role": "clerk"}).id == "clerk_d_001"


@pytest.mark.spec("LP-8.3-new-npc")
def test_somebody_new_has_a_profile_and_a_pool_that_lint_takes(tree) -> None:
    root = tree(FILES)
    changes = new_npc(
        root, "berra-quist", name="Berra: Quist", role="miller", location="mill", aliases=["B, Q"]
    )
    assert [change.name for change in changes] == [
        "content/global/npcs/berra-quist.yaml",
        "content/m/dialogue/mill/berra-quist.yaml",
    ]
    write_changes(changes)
    assert [p for p in lint(root) if p.severity != "note"] == []
    assert changes[0].after == (
        b"# yaml-language-server: $schema=../../_schema/npc-profile.schema.json\n"
        b'# Berra: Quist\nname: "Berra: Quist"\naliases: ["B, Q"]\nrole: miller\nlocation: mill\n'
    )
    assert next_line_id(root, "mill/berra-quist") == "berra-quist_d_001"
    for change in changes:
        name = change.path.relative_to(root).as_posix()
        assert format_text(name, change.after) == (change.after, ())


@pytest.mark.spec("LP-8.3-new-npc")
def test_everything_in_the_way_of_somebody_new_is_named_at_once(tree) -> None:
    root = tree({**FILES, "global/npcs/odo.yaml": "name: Odo\n"})
    with pytest.raises(UsageFault) as caught:
        new_npc(root, "odo", name="Odo", role="clerk", location="quay")
    assert "global/npcs/odo.yaml is there" in caught.value.message
    assert "m/dialogue/quay/odo.yaml is there" in caught.value.message
    with pytest.raises(UsageFault) as caught:
        new_npc(root, "O d", name=" ", role="X", location="-")
    assert caught.value.message.count("is no slug") == 3
    assert "blank" in caught.value.message
    with pytest.raises(UsageFault, match="no location is called moon"):
        new_npc(root, "bram", name="Bram", role="clerk", location="moon")


@pytest.mark.spec("LP-8.3-new-location")
def test_a_new_location_has_pools_for_roles_and_characters(tree) -> None:
    root = tree(FILES)
    changes = new_location(root, "moor", roles=["shepherd", "digger"])
    assert sorted(change.name for change in changes) == [
        "content/m/dialogue/moor/digger.yaml",
        "content/m/dialogue/moor/shepherd.yaml",
        "content/m/monologue/detective/moor.yaml",
        "content/m/monologue/smuggler/moor.yaml",
    ]
    write_changes(changes)
    assert [p for p in lint(root) if p.severity != "note"] == []
    for change in changes:
        name = change.path.relative_to(root).as_posix()
        assert format_text(name, change.after) == (change.after, ())
    with pytest.raises(UsageFault, match="there already"):
        new_location(root, "moor", roles=["shepherd"])


@pytest.mark.spec("LP-8.3-new-location")
def test_where_a_location_goes_is_asked_for_when_it_is_not_plain(tree) -> None:
    empty = tree({"global/npcs/bram.yaml": "name: Bram\n"})
    with pytest.raises(UsageFault, match="no folder for it yet"):
        new_location(empty, "moor", roles=["digger"])
    for within in ("../out", "/tmp/../..", "_schema", "a/.b"):
        with pytest.raises(UsageFault, match="no folder of content"):
            new_location(empty, "moor", roles=["digger"], within=within)
    made = new_location(empty, "moor", roles=["digger"], within="campaigns/c")
    assert made[0].name == "content/campaigns/c/dialogue/moor/digger.yaml"
    root = tree({**FILES, "n/dialogue/hill/odo.yaml": ODO.replace("quay", "hill")})
    with pytest.raises(UsageFault, match=r"several folders for it, name one with --in: m, n"):
        new_location(root, "general", roles=[])


@pytest.mark.spec("LP-8.3-new-npc")
def test_nothing_new_is_written_through_a_link_out_of_the_folder(tree, tmp_path: Path) -> None:
    root, outside = tree({**FILES, "global/npcs/odo.yaml": "name: Odo\n"}), tmp_path / "outside"
    outside.mkdir()
    (root / "global/npcs/bram.yaml").symlink_to(outside / "bram.yaml")  # which is not there yet
    with pytest.raises(UsageFault, match=r"bram\.yaml is there already"):
        new_npc(root, "bram", name="Bram", role="clerk", location="quay")
    (root / "m/dialogue/moor").symlink_to(outside)
    with pytest.raises(EditRefused, match=r"m/dialogue/moor/digger\.yaml"):
        new_location(root, "moor", roles=["digger"])
    with pytest.raises(EditRefused, match="not UTF-8"):
        new_location(root, "hill", roles=["digger"], within="camp\udcff")
    assert not [*outside.iterdir()]
