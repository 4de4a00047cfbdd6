"""Every kind of fault has a code, a level, a place and the offending value in its message."""

import re
from pathlib import Path

import pytest
import yaml

from talebearer.content import lint
from talebearer.errors import CATALOGUE, findings_content
from talebearer.vocabulary import DIALOGUE_ID, LINE_ID, MONOLOGUE_ID, fullmatch

FIXTURES = Path(__file__).parents[2] / "fixtures" / "content"
D = "m/dialogue/quay/odo.yaml"
M = "m/monologue/detective/quay.yaml"
CHARACTERS = "global/enums/characters.yaml"
FACTS = "global/knowledge/sea.yaml"
NPC = "global/npcs/odo.yaml"
HEAD = "location: quay\nrole: clerk\nlines:\n"
LINE = (
    "  - id: odo_d_001\n    text: Hm.\n    role: clerk\n    access: [public]\n"
    "    trust: surface\n    situation: [social]\n"
)
THOUGHTS = "character: detective\nlocation: quay\nlines:\n"
THOUGHT = "  - id: pc_m_d_001\n    text: Hm.\n    trigger: time_idle\n"
VALUES = "values:\n  - {value: smuggler, letter: s}\n"


def gates(text: str) -> str:
    return f"{HEAD}{LINE}    prerequisites:\n      {text}\n"


# Code, level, file, its text, line:column, what the message holds.
CASES = [
    ("TB403", "error", D, b"location: quay\nrole: \xff\n", "2:7", "0xff"),
    ("TB404", "error", D, "location: a\x07b\n", "1:12", "U+0007"),
    ("TB404", "error", D, "location: a\x7fb\n", "1:12", "U+007F"),
    ("TB404", "error", D, "location: é\x86\n", "1:12", "U+0086"),
    ("TB404", "error", D, HEAD + LINE.replace("Hm.", '"a\\eb"'), "5:11", "u001b"),
    ("TB405", "error", D, "location: he said: no\n", "1:18", "mapping values"),
    ("TB406", "error", D, "lines:\n\t- id: x\n", "2:2", "tab"),
    ("TB407", "error", D, HEAD + LINE + "    text: Two.\n", "10:5", "'text'"),
    ("TB408", "error", D, "location: &a quay\nrole: *a\n", "2:7", "*a"),
    ("TB409", "error", D, "lines: " + "[" * 300, "1:1", "64 levels"),
    ("TB409", "error", D, "- " * 60_000 + "x\n", "1:1", "64 levels"),
    ("TB409", "error", D, "? - " * 60_000 + "x\n", "1:1", "64 levels"),
    ("TB409", "error", D, "# " + "-" * 90 + "\n" + "-  " * 65 + "x\n", "1:1", "64 levels"),
    ("TB409", "error", D, "".join(" " * n + "a:\n" for n in range(200)), "1:1", "64 levels"),
    ("TB409", "error", D, "".join(" " * n + "a:\n" for n in range(70)) + "? {}", "1:1", "64"),
    ("TB410", "error", D, "# nothing yet\n", "1:1", "empty"),
    ("TB411", "error", D, "- one\n", "1:1", "a list"),
    ("TB411", "error", D, "location: a\n---\nlocation: b\n", "1:1", "a list"),
    ("TB413", "warning", "m/dialogue/quay/odo.yml", HEAD, "", "'odo.yml'"),
    ("TB413", "warning", "m/Dialogues/quay/odo.yaml", HEAD, "", "'Dialogues'"),
    ("TB413", "warning", "global/enums/situation.yaml", VALUES, "", "situation.yaml"),
    ("TB413", "warning", "global/npcs/far/odo.yaml", "name: Odo", "", "odo.yaml"),
    ("TB414", "error", "m/dialogue/odo.yaml", HEAD, "", "folder"),
    ("TB414", "error", "m/dialogue/quay/old/odo.yaml", HEAD, "", "folder"),
    ("TB415", "error", "global/npcs/Odo Renn.yaml", "name: Odo", "", "'Odo Renn.yaml'"),
    ("TB420", "error", D, "location: quay\nrole: clerk\n", "1:1", "'lines'"),
    ("TB420", "error", D, HEAD + LINE.replace("    trust: surface\n", ""), "4:5", "'trust'"),
    ("TB420", "error", NPC, "aliases: []\n", "1:1", "'name'"),
    ("TB420", "error", D, gates("interaction: {state: active}"), "11:20", "'target'"),
    ("TB420", "error", D, gates("facts: [{fact_id: a.b}]"), "11:15", "'min_confidence'"),
    ("TB420", "error", D, gates("entity_attributes: [{key: a}]"), "11:27", "'entity'"),
    (
        "TB420",
        "error",
        D,
        HEAD + LINE + "    knowledge_grant: {fact_id: a.b}\n",
        "10:22",
        "'confidence'",
    ),
    ("TB421", "error", D, HEAD + LINE + "    topics: []\n", "10:5", '"topics"'),
    ("TB421", "error", D, gates("fact: []"), "11:7", '"fact"'),
    ("TB421", "error", D, HEAD + LINE + "    location: quay\n", "10:5", '"location"'),
    ("TB421", "error", D, gates("interaction: {target: npc:a, min: 1}"), "11:36", '"min"'),
    ("TB422", "error", D, HEAD + LINE.replace("Hm.", "42"), "5:11", "42"),
    ("TB422", "error", D, HEAD + LINE.replace("Hm.", "true"), "5:11", "true"),
    ("TB422", "error", D, HEAD + LINE.replace("[public]", "public"), "7:13", '"public"'),
    ("TB422", "error", D, "location: quay\nrole: clerk\nlines:\n", "3:7", "nothing"),
    ("TB422", "error", NPC, "name: Odo\nattributes: {age: [9]}\n", "2:19", "9"),
    ("TB422", "error", NPC, "name: Odo\naliases: !!set {a}\n", "2:10", "a mapping"),
    ("TB423", "error", D, HEAD + LINE.replace("[social]", "[socal]"), "9:17", '"socal"'),
    ("TB423", "error", D, HEAD + LINE.replace("surface", "deep"), "8:12", '"deep"'),
    ("TB423", "error", D, HEAD + LINE + "    dual_lens: {detektive: x}\n", "10:17", "detektive"),
    ("TB423", "error", M, THOUGHTS + THOUGHT.replace("time_idle", "idle"), "6:14", '"idle"'),
    ("TB423", "error", D, gates("interaction: {target: npc:a, state: done}"), "11:43", '"done"'),
    (
        "TB423",
        "error",
        D,
        gates("facts: [{fact_id: a.b, min_confidence: sure}]"),
        "11:46",
        '"sure"',
    ),
    ("TB424", "error", D, HEAD.replace("clerk", "Clerk"), "2:7", '"Clerk"'),
    ("TB424", "error", D, gates("relationship: {target: odo, state: known}"), "11:30", '"odo"'),
    ("TB424", "error", NPC, "name: Odo\nattributes: {Bad Key: x}\n", "2:14", '"Bad Key"'),
    ("TB424", "error", CHARACTERS, VALUES.replace("smuggler", "old_one"), "2:13", '"old_one"'),
    ("TB425", "error", D, HEAD + LINE.replace("[public]", "[]"), "7:13", "access"),
    ("TB425", "error", D, HEAD + LINE.replace("[social]", "[]"), "9:16", "situation"),
    ("TB425", "error", NPC, "name: O\ntolerance: {walk_away_penalty: [0.1]}\n", "2:32", "penalty"),
    ("TB426", "error", D, HEAD + LINE.replace("[public]", "[public, public]"), "7:22", "public"),
    ("TB426", "error", D, HEAD + LINE + "    tags: [a, b, a]\n", "10:18", '"a"'),
    ("TB427", "error", D, HEAD + LINE.replace("Hm.", '"  "'), "5:11", '"  "'),
    ("TB427", "error", M, THOUGHTS + THOUGHT.replace("Hm.", '""'), "5:11", '""'),
    ("TB428", "error", M, THOUGHTS + THOUGHT.replace("Hm.", "é" * 161), "5:11", "161"),
    ("TB429", "error", M, THOUGHTS + THOUGHT + "    priority: 11\n", "7:15", "11"),
    ("TB429", "error", M, THOUGHTS + THOUGHT + "    cooldown: -1\n", "7:15", "-1"),
    ("TB429", "error", M, THOUGHTS + THOUGHT + f"    priority: {'9' * 5000}\n", "7:15", "92233"),
    ("TB429", "error", D, gates("interaction: {target: npc:a, min_count: 0}"), "11:47", "0"),
    ("TB429", "error", NPC, "name: O\ntolerance: {walk_away_threshold: 6}\n", "2:34", "6"),
    ("TB429", "error", NPC, "name: O\ntolerance: {walk_away_penalty: [0.3, 0.2]}\n", "2:32", "0.3"),
    ("TB429", "error", NPC, "name: O\ntolerance: {walk_away_penalty: 0.6}\n", "2:32", "0.6"),
    ("TB420", "error", D, gates("relationship: {target: npc:odo}"), "11:21", "'states'"),
    (
        "TB430",
        "error",
        D,
        gates("relationship: {target: npc:odo, state: known, states: [known]}"),
        "11:53",
        "both",
    ),
    ("TB431", "error", D, HEAD + LINE.replace("odo_d_001", "odo_d_01"), "4:9", '"odo_d_01"'),
    ("TB431", "error", D, HEAD + LINE.replace("odo_d_001", "odo_d_00١"), "4:9", "odo_d_00"),
    ("TB431", "error", D, HEAD + LINE.replace("odo_d_001", '"odo_d_001\\n"'), "4:9", "odo_d_001"),
    ("TB431", "error", M, THOUGHTS + THOUGHT.replace("_m_d_", "_m_"), "4:9", '"pc_m_001"'),
    ("TB440", "error", D, HEAD + LINE + LINE, "10:9", "first in line 4"),
    ("TB441", "error", D, HEAD.replace("quay", "inn") + LINE, "1:11", '"inn"'),
    ("TB442", "error", M, THOUGHTS.replace("detective", "smuggler"), "1:12", '"smuggler"'),
    ("TB443", "error", D, HEAD + LINE.replace("clerk", "cook"), "6:11", '"cook"'),
    ("TB444", "error", M, THOUGHTS + THOUGHT.replace("_m_d_", "_m_s_"), "4:9", '"pc_m_s_001"'),
    (
        "TB445",
        "warning",
        D,
        gates("facts: [{fact_id: sea.deep, min_confidence: suspects}]"),
        "11:25",
        "sea.deep",
    ),
    (
        "TB445",
        "warning",
        D,
        HEAD + LINE + "    knowledge_grant: {fact_id: sea.deep, confidence: suspects}\n",
        "10:32",
        "sea.deep",
    ),
    (
        "TB446",
        "error",
        FACTS,
        "category: sea\nfacts:\n- {id: sea.a, description: x}\n- {id: sea.a, description: y}\n",
        "4:8",
        "first in line 3",
    ),
    ("TB447", "error", FACTS, "category: air\nfacts: []\n", "1:11", '"air"'),
    (
        "TB447",
        "error",
        FACTS,
        "category: sea\nfacts:\n- {id: air.a, description: x}\n",
        "3:8",
        '"air.a"',
    ),
    (
        "TB448",
        "error",
        "global/knowledge/interaction.yaml",
        "category: interaction\nfacts: []\n",
        "1:11",
        "play",
    ),
    (
        "TB448",
        "error",
        D,
        HEAD + LINE + "    knowledge_grant: {fact_id: interaction.odo_001, confidence: direct}\n",
        "10:32",
        "cannot grant",
    ),
    ("TB449", "error", CHARACTERS, VALUES + "  - {value: smuggler, letter: d}\n", "3:13", "line 2"),
    ("TB450", "error", CHARACTERS, "values:\n  - value: smuggler\n", "2:5", "no letter"),
    ("TB450", "error", CHARACTERS, VALUES + "  - {value: thief, letter: s}\n", "2:31", '"s"'),
    ("TB450", "error", "global/enums/moods.yaml", VALUES, "2:23", "moods"),
    ("TB452", "warning", D, HEAD + LINE.replace("_001", "_000"), "4:9", "000"),
]


@pytest.mark.parametrize(("code", "level", "name", "text", "place", "holds"), CASES)
@pytest.mark.spec("LP-8.1-levels")
@pytest.mark.spec("LP-2-structure", "LP-2-file-names", "LP-2-implicit-tags")
@pytest.mark.spec("LP-3.2-slugs", "LP-3.3-types", "LP-3.3-role", "LP-3.3-catalogue")
@pytest.mark.spec("LP-3.3-grant-fields", "LP-4.3-gate-fields", "LP-4.3-cooldown-range")
@pytest.mark.spec("LP-M5-one-of-state-and-states", "LP-5.1-sequence", "LP-L7-full-match")
@pytest.mark.spec("LP-8.1-required", "LP-8.1-id-form", "LP-8.1-id-unique", "LP-8.1-enums")
@pytest.mark.spec("LP-8.1-access-one", "LP-8.1-situation-one", "LP-8.1-text-not-empty")
@pytest.mark.spec("LP-8.1-text-length", "LP-8.1-character", "LP-8.1-location", "LP-8.1-priority")
@pytest.mark.spec("LP-8.1-grant-fact-exists", "LP-8.1-gate-fact-exists", "LP-8.1-unique-items")
@pytest.mark.spec("LP-11-unknown-fields", "LP-11-catalogue", "IM-6-gate-is-linted")
@pytest.mark.spec("IM-8.1-tolerance-ranges", "LP-M11-profile-stem", "LP-L7-dual-lens-keys")
def test_a_fault_has_its_code_level_place_and_value(
    lint_one, code, level, name, text, place, holds
):
    found = [problem for problem in lint_one(name, text) if problem.code == code]
    assert found, lint_one(name, text)
    where = found[0].where
    assert found[0].severity == level
    assert where.file == f"content/{name}" or holds == "'Dialogues'"
    assert f"{where.line}:{where.column}" == place or (not place and where.line is None)
    assert holds in found[0].message


def test_a_valid_pool_of_the_cases_has_no_findings(lint_one):
    assert lint_one(D, HEAD + LINE) == []
    assert lint_one(M, THOUGHTS + THOUGHT) == []


@pytest.mark.spec("LP-8.1-all-at-once")
def test_five_faults_are_five_findings_each_at_its_place():
    found = lint(FIXTURES / "five-faults" / "content")
    file = "content/campaigns/mire/dialogue/the-quay/ferryman.yaml"
    assert [(p.code, str(p.where)) for p in found if p.severity == "error"] == [
        (findings_content.UNKNOWN_VALUE, f"{file}:8:14"),
        (findings_content.BAD_LINE_ID, f"{file}:12:9"),
        (findings_content.WRONG_TYPE, f"{file}:20:11"),
        (findings_content.UNKNOWN_FIELD, f"{file}:25:5"),
        (findings_content.DUPLICATE_LINE_ID, f"{file}:27:9"),
    ]


def test_findings_carry_a_json_pointer_and_what_was_meant():
    found = lint(FIXTURES / "five-faults" / "content")
    access = next(p for p in found if p.code == findings_content.UNKNOWN_VALUE)
    field = next(p for p in found if p.code == findings_content.UNKNOWN_FIELD)
    assert access.where.pointer == "$.lines[0].access[0]"
    assert access.hint.startswith("did you mean public?")
    assert field.hint.startswith("did you mean mood?")


def test_faults_of_several_files_come_sorted_by_place(tree):
    found = lint(tree({M: "character: nobody\n", D: HEAD + LINE + LINE, NPC: "nam: Odo\n"}))
    places = [(p.where.file, p.where.line or 0, p.where.column or 0, p.code) for p in found]
    assert places == sorted(places)
    assert {p.where.file for p in found} == {f"content/{name}" for name in (M, D, NPC)}


def test_a_duplicate_key_hides_no_other_fault(lint_one):
    codes = [p.code for p in lint_one(D, HEAD + LINE + "    text: Two.\n    oops: 1\n")]
    assert codes == [findings_content.DUPLICATE_KEY, findings_content.UNKNOWN_FIELD]


def test_an_alias_bomb_is_refused_before_it_expands(lint_one):
    bomb = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert {p.code for p in lint_one(D, bomb)} == {findings_content.ALIAS}


def test_many_dashes_in_a_text_are_no_nesting(lint_one):
    text = HEAD + LINE.replace("Hm.", f'"{"- " * 40}"') + "    notes: |\n" + " " * 120 + "x\n"
    assert lint_one(D, text) == []


def test_a_byte_order_mark_is_no_fault(lint_one):
    assert lint_one(D, b"\xef\xbb\xbf" + (HEAD + LINE).encode()) == []


def test_keys_that_are_no_text_are_unknown_fields(lint_one):
    found = lint_one(D, HEAD + LINE + "    1: x\n    [a]: y\n    ~: z\n")
    assert [p.code for p in found] == [findings_content.UNKNOWN_FIELD] * 3


def test_messages_stay_short_whatever_the_value(lint_one):
    found = lint_one(D, HEAD + LINE.replace("surface", "x" * 9000))
    assert len(found[0].message) < 200


@pytest.mark.parametrize("line_id", ["odo-renn_d_001", "pc-2_m_s_999", "x_d_120"])
@pytest.mark.spec("LP-5.1-general-form")
def test_every_line_id_passes_the_general_check(line_id):
    assert fullmatch(f"{DIALOGUE_ID}|{MONOLOGUE_ID}", line_id)
    assert fullmatch(LINE_ID, line_id)


@pytest.mark.parametrize(
    "tolerance",
    [
        "{threshold: 0, walk_away_threshold: 1, walk_away_penalty: 0.1}",
        "{walk_away_threshold: [1, 5], walk_away_penalty: [0.1, 0.5], walk_away_stress_delta: 9}",
        "{permanent_confrontation_memory: true}",
    ],
)
@pytest.mark.spec("IM-8.1-tolerance-range-or-value")
def test_a_tolerance_is_a_number_or_a_range(lint_one, tolerance):
    assert lint_one(NPC, f"name: O\ntolerance: {tolerance}\n") == []


def test_every_content_code_is_registered_with_texts():
    codes = [value for name, value in vars(findings_content).items() if name.isupper()]
    assert len(codes) == len(set(codes))
    for code in codes:
        entry = CATALOGUE[code]
        assert code.startswith("TB4")
        assert all((entry.title, entry.text, entry.fix))


ODD_SHAPES = {
    "no indent": HEAD + "- {id: x, text: a, role: clerk}\n",
    "header after": "lines:\n  - {id: x}\nlocation: quay\nrole: Clerk\n",
    "comments between": "role: clerk # x\nlocation: quay\nlines: # y\n\n  # z\n\n  - id: x\n  # w\n",
    "folded text": HEAD + "  - id: x\n    text: >\n      a\n\n      - b\n  - id: 3\n",
    "flow": "location: quay\nrole: clerk\nlines: [{id: x}, {id: 3}]\n",
    "crlf": "location: quay\r\nrole: clerk\r\nlines:\r\n  - id: x\r\n  - id: 3\r\n",
    "old breaks": "location: quay\rrole: clerk\rlines:\r  - id: x\r  - id: 3\r",
    "mixed breaks": HEAD + "  - id: x\r    text: 3\n  - id: 3\n",
    "separators": HEAD + "  - id: x\n    text: \"a\u2028b\x85\"\n  - id: 3\n",
    "dash alone": HEAD + "  -\n    id: x\n  -\n    id: 3\n",
    "quoted key": "location: quay\nrole: clerk\n\"lines\":\n  - id: 3\n",
    "a text like lines": "location: quay\nnotes: |\n lines:\n   - id: 1\nlines:\n  - id: 3\n",
    "empty entries": HEAD + "  -\n  - \n  - id: 3\n",
}  # fmt: skip


@pytest.mark.parametrize("shape", ODD_SHAPES)
def test_places_are_right_however_a_file_is_laid_out(lint_one, shape):
    """Each place is that of PyYAML's own nodes for the finding's pointer."""
    text = ODD_SHAPES[shape]
    found = [p for p in lint_one(D, text) if p.code not in ("TB420", "TB405", "TB421")]
    assert found
    for problem in found:
        node = yaml.compose(text.replace("\u2028", " ").replace("\x85", " "))
        for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", problem.where.pointer or ""):
            if index:
                node = node.value[int(index)]
            else:
                node = next(value for name, value in node.value if name.value == key)
        mark = (node.start_mark.line + 1, node.start_mark.column + 1)
        assert (problem.where.line, problem.where.column) == mark, problem
