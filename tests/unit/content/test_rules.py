"""What is allowed, and the rules that look across fields and files."""

import json
import os
import re
import shutil
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from talebearer.content import SCHEMAS, compile_content, lint, write_default_enums, write_schemas
from talebearer.errors import InvalidContent, findings_content

FIXTURES = Path(__file__).parents[2] / "fixtures" / "content"
BUNDLED = Path(__file__).parents[3] / "src" / "talebearer" / "bundled" / "drowned-bell" / "content"

STRONG = "{fact_id: a.b, confidence: knows_details}"


def pool(*, location: str = "quay", role: str = "clerk", lines: int = 1, **fields: str) -> str:
    entry = {"role": role, "access": "[public]", "trust": "surface", "situation": "[social]"}
    body = "".join(f"    {name}: {value}\n" for name, value in (entry | fields).items())
    return f"location: {location}\nrole: {role}\nlines:\n" + "".join(
        f"  - id: x_d_{n:03d}\n    text: Hm {n}.\n{body}" for n in range(1, lines + 1)
    )


def thoughts(*, character: str = "detective", location: str = "quay", letter: str = "d") -> str:
    return (
        f"character: {character}\nlocation: {location}\nlines:\n"
        f"  - id: pc_m_{letter}_001\n    text: Hm.\n    trigger: enter_location\n"
    )


def codes(root: Path, *, notes: bool = False) -> list[str]:
    return [problem.code for problem in lint(root) if notes or problem.severity != "note"]


@pytest.mark.spec("LP-3.3-role-of-location")
def test_a_line_may_have_the_role_of_another_file_at_its_location(tree):
    borrowed = pool().replace("    role: clerk", "    role: cook")
    root = tree({"m/dialogue/quay/odo.yaml": borrowed})
    assert codes(root) == [findings_content.UNKNOWN_ROLE]
    tree({"other/dialogue/quay/cook.yaml": pool(role="cook")})
    assert codes(root) == []


@pytest.mark.parametrize(
    ("stem", "location", "is_fine"),
    [
        ("quay", "quay", True),
        ("quay", "general", True),
        ("quay", "inn", False),
        ("general", "general", True),
        ("general", "quay", False),
        ("tells", "general", True),
        ("tells", "quay", True),
        ("tells", "inn", True),
    ],
)
@pytest.mark.spec("LP-L12-monologue-location")
def test_where_a_monologue_file_may_be_set(tree, stem, location, is_fine):
    root = tree(
        {
            "m/dialogue/quay/odo.yaml": pool(),
            "m/dialogue/inn/odo.yaml": pool(location="inn"),
            f"m/monologue/detective/{stem}.yaml": thoughts(location=location),
        }
    )
    assert codes(root) == ([] if is_fine else [findings_content.LOCATION_MISMATCH])


@pytest.mark.spec("LP-4.2-character")
def test_the_header_confirms_the_folder_of_a_character(tree):
    root = tree({"m/monologue/smuggler/quay.yaml": thoughts()})
    assert codes(root) == [findings_content.CHARACTER_MISMATCH]


@pytest.mark.spec("LP-L7-letter")
def test_a_campaign_gives_its_characters_their_letters(tree):
    enums = "values:\n  - {value: abbess, letter: b}\n"
    root = tree(
        {
            "global/enums/characters.yaml": enums,
            "m/monologue/abbess/quay.yaml": thoughts(character="abbess", letter="b"),
        }
    )
    assert codes(root) == []
    tree({"m/monologue/abbess/quay.yaml": thoughts(character="abbess")})
    assert codes(root) == [findings_content.WRONG_LETTER]


@pytest.mark.spec("LP-L7-own-enums")
def test_a_campaign_declares_its_own_values(tree):
    root = tree({"m/dialogue/quay/odo.yaml": pool(mood="[giddy]")})
    assert codes(root) == [findings_content.UNKNOWN_VALUE]
    tree({"global/enums/moods.yaml": "values: [{value: giddy}]\n"})
    assert codes(root) == []
    assert compile_content(root).pack["enums"]["moods"] == ["giddy"]


@pytest.mark.spec("LP-L7-default-enums")
def test_the_default_enumerations_are_in_force_without_files_and_can_be_written(tree):
    root = tree({"m/dialogue/quay/odo.yaml": pool(mood="[warm]")})
    before = compile_content(root)
    write_default_enums(root / "global" / "enums")
    assert compile_content(root).data == before.data
    assert len(list((root / "global" / "enums").iterdir())) == 7


@pytest.mark.spec("LP-5.3-not-global")
def test_two_files_may_have_lines_with_one_id(tree):
    root = tree({"m/dialogue/quay/odo.yaml": pool(), "m/dialogue/quay/bram.yaml": pool()})
    assert codes(root) == []


@pytest.mark.spec("LP-5.3-gaps")
def test_sequences_may_have_gaps_and_any_order(tree):
    text = pool(lines=3).replace("_002", "_907")
    assert codes(tree({"m/dialogue/quay/odo.yaml": text})) == []


@pytest.mark.spec("LP-L12-any-depth")
def test_pools_are_found_at_any_depth_and_plans_are_none(tree):
    deep = "campaigns/a/systems/b/stations/c/districts/d/dialogue/quay/odo"
    root = tree(
        {
            f"{deep}.yaml": pool(),
            "dialogue/quay/odo.yaml": pool(),
            "dialogue/quay/odo.plan.yaml": "[not, a, pool]",
            "dialogue/quay/.odo.yaml": ": broken",
            "_schema/dialogue/quay/odo.yaml": ": broken",
            "campaigns/a/locations/quay.yaml": "name: not ours",
        }
    )
    assert codes(root) == []
    assert [p["path"] for p in compile_content(root).pack["pools"]] == [deep, "dialogue/quay/odo"]


@pytest.mark.spec("LP-L6-interaction-never-looked-up")
def test_facts_of_conversations_are_never_looked_up(tree):
    gate = "\n      facts: [{fact_id: interaction.odo_001, min_confidence: suspects}]"
    assert codes(tree({"m/dialogue/quay/odo.yaml": pool(prerequisites=gate)})) == []


def test_a_mistyped_fact_is_suggested(tree):
    gate = "\n      facts: [{fact_id: sea.dep, min_confidence: suspects}]"
    root = tree(
        {
            "m/dialogue/quay/odo.yaml": pool(prerequisites=gate),
            "global/knowledge/sea.yaml": (
                "category: sea\nfacts: [{id: sea.deep, description: It is deep.}]\n"
            ),
        }
    )
    found = [p for p in lint(root) if p.code == findings_content.UNKNOWN_FACT]
    assert found[0].hint == "did you mean sea.deep?"
    assert compile_content(root).problems


def test_a_gate_on_a_stranger_is_noted(tree):
    gate = "\n      interaction: {target: npc:odd}"
    root = tree({"m/dialogue/quay/odo.yaml": pool(prerequisites=gate)})
    assert findings_content.UNKNOWN_ENTITY in codes(root, notes=True)
    tree({"global/npcs/odd.yaml": "name: Odd\n"})
    assert findings_content.UNKNOWN_ENTITY not in codes(root, notes=True)


def test_two_profiles_with_one_name_are_told_apart_by_nobody(tree):
    root = tree(
        {
            "global/npcs/odo.yaml": "name: Odo\naliases: [the clerk, Odo]\n",
            "global/npcs/bram.yaml": "name: Bram\naliases: [the clerk]\n",
        }
    )
    found = lint(root)
    assert [(p.code, p.severity) for p in found] == [(findings_content.SHARED_NAME, "warning")] * 2


@pytest.mark.spec("LP-L8-authoring-fields")
def test_notes_and_dual_lens_are_accepted_and_dropped():
    pack = compile_content(FIXTURES / "small" / "content")
    assert b"dual_lens" not in pack.data
    assert b"notes" not in pack.data


@pytest.mark.parametrize(
    ("code", "files"),
    [
        (findings_content.FEW_SURFACE_LINES, {"m/dialogue/quay/odo.yaml": pool(lines=4)}),
        (findings_content.FEW_ARRIVAL_LINES, {"m/monologue/detective/quay.yaml": thoughts()}),
        (findings_content.STRONG_GRANT, {"m/dialogue/quay/odo.yaml": pool(knowledge_grant=STRONG)}),
        (
            findings_content.STRONG_GRANT,
            {"m/dialogue/quay/odo.yaml": pool(effects=f"[{{grant: {STRONG}}}]")},
        ),
        (
            findings_content.ONE_TRUST_TIER,
            {"m/dialogue/quay/odo.yaml": pool(), "global/npcs/odo.yaml": "name: Odo\n"},
        ),
        (findings_content.NO_BASELINE, {"m/dialogue/quay/odo.yaml": pool(tags="[phase-5]")}),
        (findings_content.UNKNOWN_LOCATION, {"m/monologue/detective/quay.yaml": thoughts()}),
    ],
)
@pytest.mark.spec("LP-8.2-surface-lines", "LP-8.2-arrival-lines", "LP-8.2-baseline")
@pytest.mark.spec("LP-8.2-grant", "LP-8.2-trust-tiers")
def test_guidelines_are_notes(tree, code, files):
    """Advice never bars a pack, not even with --strict."""
    found = [p for p in lint(tree(files)) if p.code == code]
    assert [p.severity for p in found] == ["note"]
    assert found[0].where.line is not None


@pytest.mark.spec("LP-8.2-arrival-lines")
def test_a_place_without_thoughts_is_noted_for_each_character_that_has_any(tree):
    files = {
        "m/dialogue/quay/odo.yaml": pool(lines=5),
        "m/monologue/detective/general.yaml": thoughts(location="general"),
    }
    found = [p for p in lint(tree(files)) if p.code == findings_content.FEW_ARRIVAL_LINES]
    assert [(p.where.file.rpartition("/")[2], p.where.line) for p in found] == [("odo.yaml", 1)]
    assert found[0].message == "enter_location lines of 'detective' for 'quay': 0"


def test_good_content_gets_no_notes(tree):
    lines = pool(lines=5) + (
        "  - id: x_d_006\n    text: Hm.\n    role: clerk\n    access: [peer]\n"
        "    trust: real\n    situation: [social]\n"
    )
    arrivals = thoughts() + "".join(
        f"  - {{id: pc_m_d_00{n}, text: Hm {n}., trigger: enter_location}}\n" for n in (2, 3)
    )
    root = tree(
        {
            "m/dialogue/quay/odo.yaml": lines,
            "m/monologue/detective/quay.yaml": arrivals,
            "global/npcs/odo.yaml": "name: Odo\nlocation: quay\n",
        }
    )
    assert lint(root) == ()


def test_what_is_missing_or_unreadable_is_a_finding(tree, tmp_path):
    assert [p.code for p in lint(tmp_path / "nowhere")] == [findings_content.NO_CONTENT]
    root = tree({"dialogue/quay/odo.yaml": pool()})
    os.mkfifo(root / "dialogue" / "quay" / "pipe.yaml")
    (root / "dialogue" / "quay" / "gone.yaml").symlink_to("nowhere")
    (root / "dialogue" / "quay" / os.fsdecode(b"b\xff.yaml")).write_text(pool())
    (root / "dialogue" / "quay" / "big.yaml").write_bytes(b"#" * (4 * 1024 * 1024 + 1))
    found = {p.where.file.rpartition("/")[2]: p.code for p in lint(root) if p.severity == "error"}
    assert found == {
        "pipe.yaml": findings_content.UNREADABLE_FILE,
        "gone.yaml": findings_content.UNREADABLE_FILE,
        "b\ufffd.yaml": findings_content.BAD_FILE_NAME,
        "big.yaml": findings_content.FILE_TOO_LARGE,
    }


def test_links_out_of_the_folder_and_in_circles_are_not_followed(tree, tmp_path):
    root = tree({"a/dialogue/quay/odo.yaml": pool()})
    outside = tmp_path / "secret.yaml"
    outside.write_text("password: hunter2\n")
    (root / "a" / "dialogue" / "quay" / "out.yaml").symlink_to(outside)
    (root / "a" / "dialogue" / "away").symlink_to(tmp_path)
    (root / "a" / "loop").symlink_to(root)
    (root / "b").symlink_to(root / "a")
    found = [p for p in lint(root) if p.severity == "error"]
    assert {p.code for p in found} == {findings_content.SYMLINK}
    assert "hunter2" not in str(found)
    paths = [p.where.file for p in found if p.where.file.startswith("content/a/")]
    assert paths == [
        "content/a/dialogue/away",
        "content/a/dialogue/quay/out.yaml",
        "content/a/loop",
    ]


def test_a_link_to_a_pool_inside_is_followed(tree):
    root = tree({"a/dialogue/quay/odo.yaml": pool()})
    (root / "b").symlink_to(root / "a")
    found = compile_content(root).pack["pools"]
    assert [p["path"] for p in found] == ["a/dialogue/quay/odo", "b/dialogue/quay/odo"]


def test_paths_that_differ_in_encoding_only_are_one_pool(tree):
    root = tree({"é/dialogue/quay/odo.yaml": pool(), "e\u0301/dialogue/quay/odo.yaml": pool()})
    assert codes(root) == [findings_content.DUPLICATE_POOL]


def test_folders_nested_beyond_the_recursion_limit_are_walked(tree):
    root = tree({})
    path = root
    for _ in range(600):
        path = path / "d"
        path.mkdir()
    assert lint(root) == ()


@pytest.mark.spec("LP-11-schemas")
def test_schemas_are_written_with_the_campaigns_own_values(tree):
    root = tree({"global/enums/moods.yaml": "values: [{value: giddy}]\n"})
    write_schemas(root / "_schema")
    written = sorted(path.name for path in (root / "_schema").iterdir())
    assert written == [f"{name}.schema.json" for name in SCHEMAS]
    text = (root / "_schema" / "dialogue-pool.schema.json").read_text()
    assert '"giddy"' in text
    assert '"anxious"' not in text


def test_errors_bar_the_pack_and_are_all_listed():
    with pytest.raises(InvalidContent) as caught:
        compile_content(FIXTURES / "five-faults" / "content")
    assert caught.value.code == "TB106"
    assert "ferryman.yaml:8:14" in caught.value.message
    problems = caught.value.data["problems"]
    assert [p["severity"] for p in problems].count("error") == 5


@pytest.mark.skipif(not BUNDLED.is_dir(), reason="no bundled campaign")
@pytest.mark.slow
def test_the_bundled_content_has_neither_errors_nor_warnings():
    assert [str(p) for p in lint(BUNDLED) if p.severity != "note"] == []


def test_every_data_file_tells_editors_its_schema(tmp_path):
    """The way to the schema leads to one that is there, and whose schema the file keeps."""
    content = tmp_path / "content"
    shutil.copytree(BUNDLED, content)
    write_schemas(content / "_schema")
    write_default_enums(tmp_path / "new" / "global" / "enums")
    write_schemas(tmp_path / "new" / "_schema")
    checked = 0
    for path in sorted(tmp_path.rglob("*.yaml")):
        first, _, rest = path.read_text().partition("\n")
        found = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
        assert found, path
        schema = json.loads((path.parent / found[1]).resolve().read_text())
        jsonschema_rs.Draft202012Validator(schema).validate(yaml.safe_load(rest))
        checked += 1
    assert checked > 40
