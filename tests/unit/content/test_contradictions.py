"""Lint on gates that exclude each other, and on facts and state that nobody reads or writes."""

import pytest

from talebearer.content import LiveContent, lint
from talebearer.errors import findings_content as codes

STATE = """\
timers: [{id: rung, scope: world}]
counters: [{id: rings, scope: player}]
values: [{id: weather, scope: world, type: text, initial: calm}]
"""
CONDITIONS = "conditions:\n  - {id: dry, when: {values: [{value: weather, '!=': storm}]}}\n"
FACTS = "category: tide\nfacts:\n  - {id: tide.late, description: X.}\n"
D = "m/dialogue/quay/odo.yaml"
GLOBAL = {
    "global/state.yaml": STATE,
    "global/conditions.yaml": CONDITIONS,
    "global/knowledge/tide.yaml": FACTS,
}


def pool(when: str, **more: str) -> str:
    extra = "".join(f"    {name}: {value}\n" for name, value in more.items())
    return (
        "location: quay\nrole: clerk\nlines:\n  - id: odo_d_001\n    text: Hm.\n    role: clerk\n"
        "    access: [public]\n    trust: surface\n    situation: [social]\n"
        f"    prerequisites: {when}\n{extra}"
    )


def found(tree, when: str, *wanted: str, **more: str):
    problems = lint(tree(GLOBAL | {D: pool(when, **more)}))
    return [problem for problem in problems if problem.code in (wanted or (codes.CONTRADICTION,))]


@pytest.mark.spec("LP-8.2-contradiction")
@pytest.mark.parametrize(
    "when",
    [
        "{counters: [{counter: rings, '>': 3}, {counter: rings, '<': 2}]}",
        "{counters: [{counter: rings, '>': 3}], not: {counters: [{counter: rings, '>': 1}]}}",
        "{values: [{value: weather, =: storm}], conditions: [dry]}",
        "{facts: [{fact_id: tide.late, min_confidence: direct}, {fact_id: tide.late, absent: true}]}",
        "{timers: [{timer: rung, never: true}, {timer: rung, within: 5}]}",
        "{timers: [{timer: rung, within: 5}, {timer: rung, older_than: 5}]}",
        "{relationships: [{target: npc:odo, state: hostile}, {target: npc:odo, states: [known]}]}",
        "{interactions: [{target: npc:odo, count: 0}, {target: npc:odo, state: walked_away}]}",
        "{interactions: [{target: npc:odo, count: 1}, {target: npc:odo, state: completed}, "
        "{target: npc:odo, state: walked_away}]}",
        "{any_of: [{counters: [{counter: rings, '>': 3}]}, {timers: [{timer: rung, within: 1}]}], "
        "not: {any_of: [{counters: [{counter: rings, '>=': 1}]}, {timers: [{timer: rung, within: 9}]}]}}",
        "{reply_to: {character: odo, after: 4, within: 9}, "
        "not: {reply_to: {character: odo, within: 12}}}",
    ],
)
def test_gates_that_exclude_each_other_are_a_warning_at_the_line(tree, when):
    (problem,) = found(tree, when)
    assert (problem.severity, problem.where.line) == ("warning", 10)
    assert problem.where.pointer == "$.lines[0].prerequisites"
    assert problem.message.startswith("the line is never said: ")


@pytest.mark.spec("LP-8.2-contradiction")
@pytest.mark.parametrize(
    "when",
    [
        "{counters: [{counter: rings, '>': 1}, {counter: rings, '<': 3}]}",
        "{values: [{value: weather, =: calm}], conditions: [dry]}",
        "{timers: [{timer: rung, within: 6}, {timer: rung, older_than: 5}]}",
        "{facts: [{fact_id: tide.late, absent: true}, "
        "{fact_id: tide.late, fact_state: stale, min_confidence: suspects}]}",
        "{interactions: [{target: npc:odo, count: 1}, {target: npc:odo, state: confrontation}, "
        "{target: npc:odo, state: completed}]}",
        "{any_of: [{counters: [{counter: rings, '>': 3}]}, {timers: [{timer: rung, within: 1}]}], "
        "not: {counters: [{counter: rings, '>=': 1}]}}",
        "{chance: 0.5, not: {chance: 0.5}}",
        "{entity_attributes: [{entity: npc:odo, key: debt, '>': 3}, "
        "{entity: npc:odo, key: debt, '!=': '4'}]}",
    ],
)
def test_gates_that_can_be_met_together_are_none(tree, when):
    assert found(tree, when) == []


@pytest.mark.spec("LP-8.2-contradiction")
def test_the_gates_to_blame_are_named_and_no_others(tree):
    (problem,) = found(
        tree,
        "{facts: [{fact_id: tide.late, min_confidence: suspects}], "
        "counters: [{counter: rings, '>': 3}, {counter: rings, '<': 2}]}",
    )
    assert problem.message == (
        "the line is never said: never at once: the counter rings is > 3; the counter rings is < 2"
    )


def test_a_gate_that_is_impossible_by_itself_is_told_once(tree):
    when = "{counters: [{counter: rings, '>': 3, '<': 2}], timers: [{timer: rung, never: true}]}"
    problems = found(tree, when, codes.CONTRADICTION, codes.IMPOSSIBLE)
    assert [problem.code for problem in problems] == [codes.IMPOSSIBLE]


def test_a_file_with_errors_is_passed_over_and_the_others_are_not(tree):
    both = "{counters: [{counter: rings, '>': 3}, {counter: rings, '<': 2}]}"
    broken = pool(both).replace("access: [public]", "access: [pubic]")
    other = "m/dialogue/quay/wick.yaml"
    problems = lint(tree(GLOBAL | {D: broken, other: pool(both)}))
    clashes = [problem for problem in problems if problem.code == codes.CONTRADICTION]
    assert [problem.where.file for problem in clashes] == [f"content/{other}"]


def test_conditions_that_name_each_other_without_end_are_looked_at_in_bounded_time(tree):
    entries = ["conditions:", "  - {id: c0, when: {counters: [{counter: rings, '>': 3}]}}"]
    entries += [
        f"  - {{id: c{n}, when: {{any_of: [{{conditions: [c{n - 1}]}}, "
        f"{{not: {{conditions: [c{n - 1}]}}}}]}}}}"
        for n in range(1, 21)
    ]
    files = {**GLOBAL, "global/conditions.yaml": "\n".join(entries) + "\n"}
    problems = lint(tree({**files, D: pool("{conditions: [c20]}")}))
    assert [problem.severity for problem in problems if problem.severity != "note"] == []


def test_what_no_game_could_load_is_no_crash_of_lint(tree):
    entries = ["conditions:", "  - {id: c0, when: {counters: [{counter: rings, '>': 3}]}}"]
    entries += [f"  - {{id: c{n}, when: {{conditions: [c{n - 1}]}}}}" for n in range(1, 99)]
    files = {**GLOBAL, "global/conditions.yaml": "\n".join(entries) + "\n"}
    assert lint(tree({**files, D: pool("{conditions: [c98]}")}))


@pytest.mark.spec("LP-8.2-facts-used")
def test_a_fact_that_gates_want_and_no_line_grants_is_a_note(tree):
    wanted = "{facts: [{fact_id: tide.late, min_confidence: suspects}]}"
    (note,) = found(tree, wanted, codes.NEVER_GRANTED)
    assert (note.severity, note.where.file) == ("note", "content/global/knowledge/tide.yaml")
    absent = "{facts: [{fact_id: tide.late, absent: true}]}"
    assert found(tree, absent, codes.NEVER_GRANTED) == []


@pytest.mark.spec("LP-8.2-facts-used")
@pytest.mark.parametrize("name", ["tide.late", "'tide.*'"])
def test_a_fact_that_the_game_teaches_is_declared(tree, name):
    wanted = "{facts: [{fact_id: tide.late, min_confidence: suspects}]}"
    tree({"global/coverage.yaml": f"by_game: {{facts: [{name}]}}\n"})
    assert found(tree, wanted, codes.NEVER_GRANTED) == []


@pytest.mark.spec("LP-8.2-facts-used")
def test_a_fact_that_is_granted_and_never_asked_for_is_a_note(tree):
    grant = {"knowledge_grant": "{fact_id: tide.late, confidence: suspects}"}
    (note,) = found(tree, "{timers: [{timer: rung, never: true}]}", codes.NEVER_ASKED, **grant)
    assert note.severity == "note"


@pytest.mark.spec("LP-8.2-state-read")
def test_state_that_is_written_and_never_read_is_a_note(tree):
    effects = {"effects": "[{add: {counter: rings}}]"}
    (note,) = found(tree, "{timers: [{timer: rung, never: true}]}", codes.NEVER_READ, **effects)
    assert (note.severity, note.where.pointer) == ("note", "$.counters[0].id")


@pytest.mark.spec("LP-8.2-state-read")
def test_state_that_the_game_writes_is_not_missed(tree):
    read = "{counters: [{counter: rings, '>': 3}]}"
    assert len(found(tree, read, codes.NEVER_WRITTEN)) == 2
    tree({"global/coverage.yaml": "by_game: {counters: [rings], values: [weather]}\n"})
    assert found(tree, read, codes.NEVER_WRITTEN) == []


@pytest.mark.spec("LP-10-targets")
def test_all_that_is_wrong_with_targets_is_told_at_once(tree):
    text = """\
session_ticks: 0
volumes: {role: {least: 9, most: 3}}
roles:
  - {role: clark}
  - {role: clerk, place: quey, access: [pubic], each: -1}
thoughts: [{character: detective, place: attic}]
by_game: {facts: [tide.lat, 'sea.*'], counters: [ring]}
"""
    problems = lint(tree(GLOBAL | {D: pool("{conditions: [dry]}"), "global/coverage.yaml": text}))
    here = [p for p in problems if p.where.file == "content/global/coverage.yaml"]
    assert [(p.where.line, p.where.column, p.code, p.hint) for p in here] == [
        (1, 16, codes.OUT_OF_RANGE, "allowed: 1 to 4294967295"),
        (2, 25, codes.OUT_OF_RANGE, ""),
        (4, 12, codes.UNKNOWN_TARGET, "did you mean clerk?"),
        (5, 26, codes.UNKNOWN_TARGET, "did you mean quay?"),
        (5, 41, codes.UNKNOWN_VALUE, here[4].hint),
        (5, 55, codes.OUT_OF_RANGE, "allowed: 0 to 1000"),
        (6, 42, codes.UNKNOWN_TARGET, ""),
        (7, 19, codes.UNKNOWN_TARGET, "did you mean tide.late?"),
        (7, 29, codes.UNKNOWN_TARGET, ""),
        (7, 50, codes.UNKNOWN_TARGET, "did you mean rings?"),
    ]


@pytest.mark.spec("LP-8.2-contradiction")
def test_a_tree_that_is_checked_again_and_again_has_the_same_findings(tree):
    clash = "{counters: [{counter: rings, '>': 3}, {counter: rings, '<': 2}]}"
    fine = "{counters: [{counter: rings, '>': 3}, {counter: rings, '<': 9}]}"
    live = LiveContent(tree(GLOBAL | {D: pool(clash)}))
    other = "m/dialogue/quay/wick.yaml"
    for files in (
        {},
        {other: pool(fine)},
        {other: pool(clash)},
        {D: pool(fine)},
        {"global/state.yaml": STATE.replace("text, initial: calm", "text")},
        {D: pool(clash)},
    ):
        root = tree(files)
        assert live.read().problems == lint(root)
