"""How much is written for what: matrices, volumes and gaps."""

import json

import pytest
from small_packs import pack, talk, thoughts

from talebearer.content import lint
from talebearer.content.coverage import (
    VOLUMES,
    CellKey,
    RoleTarget,
    Targets,
    ThoughtTarget,
    Volume,
    coverage,
    gaps_in_words,
    read_targets,
)
from talebearer.errors import UsageFault
from talebearer.errors import findings_content as codes

PUBLIC = {"access": ["public"], "situation": ["social"]}
REAL = {"access": ["public", "peer"], "situation": ["social", "alone"], "trust": "real"}


@pytest.mark.spec("LP-10-matrix")
def test_a_cell_counts_the_lines_that_name_it_and_those_that_can_be_heard_there():
    (matrix,) = coverage(pack(talk(PUBLIC, PUBLIC, REAL))).roles
    assert (matrix.role, matrix.place, matrix.lines) == ("clerk", "quay", 3)
    assert matrix.access == ("public", "peer")
    assert matrix.trust == {"public": ("surface", "real"), "peer": ("real",)}
    assert matrix.situations == ("social", "alone")
    assert matrix.at("public", "surface", "social") == (2, 2)
    assert matrix.at("public", "real", "social") == (1, 3)
    assert matrix.at("peer", "surface", "social") == (0, 0)
    assert matrix.at("peer", "real", "alone") == (1, 1)


@pytest.mark.spec("LP-10-matrix")
def test_a_line_counts_for_its_own_role_whoever_s_file_it_stands_in():
    cook = talk({"role": "cook"}, stem="cook") | {"role": "cook"}
    found = coverage(pack(talk(PUBLIC, {"role": "cook"}), cook))
    assert [(one.role, one.lines) for one in found.roles] == [("clerk", 1), ("cook", 2)]


@pytest.mark.spec("LP-10-matrix")
def test_thoughts_are_counted_by_trigger_and_place():
    quay = thoughts({}, {}, {"trigger": "go"}, strategy="weighted")
    found = coverage(pack(quay, thoughts({}, location="general")))
    assert [(one.place, one.lines, one.triggers) for one in found.thoughts] == [
        ("general", 1, {"come": 1, "go": 0}),
        ("quay", 3, {"come": 2, "go": 1}),
    ]


@pytest.mark.spec("LP-10-gaps")
def test_a_gap_is_a_scene_that_the_role_has_words_for_and_nothing_to_say_in():
    found = coverage(pack(talk(PUBLIC, {"access": ["peer"], "situation": ["alone"]})))
    assert {gap.at for gap in found.gaps} == {
        CellKey("public", "surface", "alone"),
        CellKey("peer", "surface", "social"),
    }
    assert gaps_in_words(found.gaps) == [
        "clerk at quay, access public, trust surface: nothing for alone",
        "clerk at quay, access peer, trust surface: nothing for social",
    ]


@pytest.mark.spec("LP-10-gaps")
def test_trust_that_no_line_of_the_tier_does_without_is_not_expected():
    found = coverage(pack(talk(PUBLIC, REAL)))
    assert {gap.at for gap in found.gaps} == {CellKey("public", "surface", "alone")}


@pytest.mark.spec("LP-10-gaps")
def test_scenes_that_the_game_does_not_have_are_no_gaps(tree):
    lines = pack(talk(PUBLIC, {"access": ["peer"], "situation": ["alone"]}))
    tree({"global/coverage.yaml": "scenes: {access: [public], situations: [social]}\n"})
    root = tree({})
    assert coverage(lines, read_targets(root)).gaps == ()
    tree({"global/coverage.yaml": "scenes: {access: [public]}\n"})
    assert [gap.at for gap in coverage(lines, read_targets(root)).gaps] == [
        CellKey("public", "surface", "alone")
    ]


@pytest.mark.spec("LP-10-gaps")
def test_a_role_s_targets_say_which_cells_and_how_many_lines():
    target = RoleTarget(
        role="clerk", access=("peer",), trust=("real",), situations=("social",), each=2
    )
    found = coverage(pack(talk(PUBLIC, REAL)), Targets(roles=(target,)))
    ((gap),) = found.gaps
    assert (gap.at, gap.found, gap.wanted) == (CellKey("peer", "real", "social"), 1, "2")
    assert gap.message == "clerk at quay: access peer, trust real, social: 1 of 2"
    elsewhere = RoleTarget(role="clerk", place="inn", access=("peer",), each=9)
    gaps = coverage(pack(talk(PUBLIC)), Targets(roles=(elsewhere,))).gaps
    assert [gap.message for gap in gaps] == ["clerk at inn: 0 lines where any are wanted"]


@pytest.mark.spec("LP-10-gaps")
def test_the_last_target_that_fits_counts():
    both = (
        RoleTarget(role="clerk", each=5),
        RoleTarget(role="clerk", place="quay", each=1),
        RoleTarget(role="cook", each=9),
    )
    assert coverage(pack(talk(PUBLIC)), Targets(roles=both)).gaps == ()


@pytest.mark.spec("LP-10-gaps")
def test_triggers_that_are_wanted_are_looked_for_at_every_place_but_general():
    lines = (thoughts({"trigger": "go"}, location="general"), thoughts({"trigger": "go"}))
    wanted = (ThoughtTarget(character="smuggler", triggers=("come", "go"), each=1),)
    found = coverage(pack(*lines), Targets(thoughts=wanted))
    assert gaps_in_words(found.gaps) == ["smuggler at quay: nothing for come"]
    inn = (ThoughtTarget(character="smuggler", place="inn", triggers=("come",), each=2),)
    found = coverage(pack(*lines), Targets(thoughts=inn))
    assert gaps_in_words(found.gaps) == ["smuggler at inn: 0 of 2 for come"]


@pytest.mark.spec("LP-10-estimates")
def test_the_specification_s_estimates_are_shown_and_are_no_gaps():
    found = coverage(pack(talk(PUBLIC), thoughts({})))
    assert {row.kind: (row.lines, row.volume, row.declared) for row in found.volumes} == {
        kind: (1, volume, False) for kind, volume in VOLUMES.items()
    }
    assert [VOLUMES[kind] for kind in ("role", "place", "district")] == [
        (165, 210),
        (500, 700),
        (2000, 3000),
    ]
    assert (VOLUMES["thoughts_of_place"], VOLUMES["thoughts_of_district"]) == ((20, 40), (100, 200))
    assert not any(row.fits for row in found.volumes)
    assert found.gaps == ()


@pytest.mark.spec("LP-10-estimates")
def test_a_volume_that_the_campaign_asks_for_is_a_gap_when_it_is_not_there():
    targets = Targets(volumes={"place": Volume(2, None), "role": Volume(None, 1)})
    found = coverage(pack(talk(PUBLIC)), targets)
    ((gap),) = found.gaps
    assert (gap.code, gap.message) == (
        codes.OFF_VOLUME,
        "quay: 1 lines where at least 2 are wanted",
    )


def test_one_role_place_or_character_can_be_asked_for():
    cook = talk({"role": "cook"}, stem="cook") | {"role": "cook"}
    lines = pack(talk(PUBLIC, REAL), cook, thoughts({}))
    found = coverage(lines, role="cook")
    assert [one.role for one in found.roles] == ["cook"]
    assert {row.whose for row in found.volumes} == {"cook"}
    assert found.gaps == ()
    assert coverage(lines, character="smuggler").thoughts[0].lines == 1
    with pytest.raises(UsageFault, match="no line has the location 'inn'"):
        coverage(lines, place="inn")


@pytest.mark.spec("LP-10-gaps")
def test_the_guidelines_are_those_that_lint_tells_of(tree):
    text = (
        "location: quay\nrole: clerk\nlines:\n  - id: odo_d_001\n    text: Hm.\n    role: clerk\n"
        "    access: [public]\n    trust: surface\n    situation: [social]\n"
    )
    problems = lint(tree({"m/dialogue/quay/odo.yaml": text}))
    found = coverage(pack(talk(PUBLIC)), problems=problems)
    assert [one.code for one in found.guidelines] == [codes.FEW_SURFACE_LINES]
    assert problems == found.guidelines


def test_the_json_has_every_cell_that_has_a_line_to_hear():
    found = json.loads(json.dumps(coverage(pack(talk(PUBLIC, REAL))).as_json()))
    assert found["roles"][0]["cells"][0] == {
        "access": "public",
        "trust": "surface",
        "situation": "social",
        "lines": 1,
        "heard": 1,
    }
    assert found["gaps"][0]["situation"] == "alone"


def test_content_without_lines_has_no_gaps():
    found = coverage(pack())
    assert (found.roles, found.thoughts, found.volumes, found.gaps) == ((), (), (), ())
