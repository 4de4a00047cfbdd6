"""Plans are read with findings at their places, and played with the engine that games ask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from talebearer.campaign import PlanReport, run_plans
from talebearer.content import write_default_enums

POOL = """\
location: the-quay
role: docker
lines:
  - {id: odo_d_001, text: "The tide.", role: docker,
     access: [public], trust: surface, situation: [social], topic: [routine]}
  - {id: odo_d_002, text: "The price.", role: docker,
     access: [public], trust: surface, situation: [social], topic: [cargo],
     effects: [{add: {counter: asked}}]}
  - {id: odo_d_003, text: "Asked twice.", role: docker,
     access: [public], trust: surface, situation: [social], topic: [cargo],
     prerequisites: {counters: [{counter: asked, ">=": 2}]}}
  - {id: odo_d_004, text: "You know him.", role: docker,
     access: [public], trust: surface, situation: [social], topic: [money],
     prerequisites: {facts: [{fact_id: people.him, min_confidence: suspects}],
       relationship: {target: "npc:odo", state: friendly},
       interaction: {target: "npc:odo", state: walked_away},
       gossip: {about: "npc:odo"}, entity_attributes: [{entity: "npc:odo", key: hat, value: red}],
       values: [{value: weather, "=": rain}], timers: [{timer: rang, within: 5}],
       reply_to: {line: odo_d_001}}}
  - {id: odo_d_005, text: "Trusted.", role: docker,
     access: [insider], trust: secret, situation: [social], topic: [money]}
"""
THOUGHTS = """\
character: detective
location: the-quay
lines:
  - {id: pc-detective_m_d_001, text: "Rope.", trigger: enter_location}
  - {id: pc-detective_m_d_002, text: "A bell.", trigger: hear_sound, cooldown: 10}
"""
FILES = {
    "c/dialogue/the-quay/odo.yaml": POOL,
    "c/monologue/detective/the-quay.yaml": THOUGHTS,
    "global/npcs/odo.yaml": "name: Odo\nrole: docker\n",
    "global/knowledge/people.yaml": (
        "category: people\nfacts:\n  - {id: people.him, description: Him.}\n"
    ),
    "global/state.yaml": (
        "counters: [{id: asked, scope: pair}]\nvalues: [{id: weather, scope: world, type: text}]\n"
        "timers: [{id: rang, scope: world}]\n"
    ),
}
DEFAULTS = (
    "defaults: {location: the-quay, access: public, trust: surface, situations: [social]}\ncases:\n"
)
Played = Callable[[str], PlanReport]


@pytest.fixture
def played(tmp_path: Path) -> Played:
    """Return a function that plays a plan of the cases it is given."""

    def play(cases: str) -> PlanReport:
        root = tmp_path / "content"
        write_default_enums(root / "global" / "enums")
        for name, text in {**FILES, "c/dialogue/the-quay/odo.plan.yaml": DEFAULTS + cases}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return run_plans(root)

    return play


def _texts(report: PlanReport) -> list[str]:
    problems = [*report.problems, *(one for case in report.cases for one in case.problems)]
    return [f"{one.where.line}:{one.where.column} {one.message} | {one.hint}" for one in problems]


@pytest.mark.spec("LP-plans-played")
def test_steps_play_lines_on(played: Played) -> None:
    report = played(
        "- name: twice\n  steps:\n"
        "  - {speaker: odo, topics: [cargo], eligible: [odo_d_002], dropped: {odo_d_003: prerequisites}}\n"
        "  - {speaker: odo, topics: [routine], says: odo_d_001, text: The tide.}\n"
        "  - {speaker: odo, topics: [cargo], says: odo_d_002}\n"
        "  - {speaker: odo, topics: [cargo], wait: 3, says: odo_d_003, never: [odo_d_002]}\n"
    )
    assert _texts(report) == []
    assert report.cases[0].lines == ("odo_d_002", "odo_d_001", "odo_d_002", "odo_d_003")


@pytest.mark.spec("LP-plans-given")
def test_a_case_gives_a_mind_everything_that_gates_ask(played: Played) -> None:
    report = played(
        "- name: knows\n  tick: 10\n  speaker: odo\n  topics: [money]\n  says: odo_d_004\n"
        "  given:\n    facts: [{fact_id: people.him, confidence: suspects}]\n"
        "    relationships: [{target: 'npc:odo', state: friendly}]\n"
        "    interactions: [{target: 'npc:odo', state: walked_away, tick: 2, ended: 3}]\n"
        "    gossip: [{about: 'npc:odo', teller: 'npc:odo', fact_id: people.him}]\n"
        "    attributes: [{entity: 'npc:odo', key: hat, value: red}]\n"
        "    values: [{value: weather, to: rain}]\n    timers: [{timer: rang, tick: 6}]\n"
        "    heard: [{line: odo_d_001, tick: 9}]\n"
        "- name: counted\n  speaker: odo\n  topics: [cargo]\n  eligible: [odo_d_002, odo_d_003]\n"
        "  given: {counters: [{counter: asked, by: 2, character: odo}]}\n"
        "- name: a thought rests\n  character: detective\n  trigger: hear_sound\n  tick: 9\n"
        "  given: {heard: [{line: 'the-quay#pc-detective_m_d_002'}]}\n  nothing: true\n"
        "  dropped: {pc-detective_m_d_002: cooldown}\n"
    )
    assert _texts(report) == []
    assert not report.failed


@pytest.mark.spec("LP-plans-failures")
def test_a_failure_says_what_came_and_what_stopped_the_expected_line(played: Played) -> None:
    report = played(
        "- name: wrong\n  speaker: odo\n  topics: [cargo]\n  says: odo_d_003\n"
        "- name: many\n  speaker: odo\n  topics: [routine]\n  one_of: [odo_d_002, odo_d_005]\n"
        "  eligible: [odo_d_002]\n  never: [odo_d_001]\n  dropped: {odo_d_005: trust}\n  text: The price.\n"
        "- name: not empty\n  speaker: odo\n  topics: [routine]\n  nothing: true\n"
    )
    first, *others = _texts(report)
    assert first.startswith("6:9 case 'wrong': expected odo_d_003, got odo_d_002 “The price.” | ")
    assert "odo_d_003 was stopped by prerequisites: needs: " in first
    assert others == [
        "10:11 case 'many': expected one of odo_d_002, odo_d_005, got odo_d_001 “The tide.” | "
        + others[0].partition(" | ")[2],
        "11:14 case 'many': expected that odo_d_002 can be drawn | "
        + others[1].partition(" | ")[2],
        "11:13 case 'many': odo_d_001 can be drawn, too | it has no gate; one of 1 in the draw",
        "12:11 case 'many': expected odo_d_001 never, but it can be drawn | "
        "it has no gate; one of 1 in the draw",
        "13:13 case 'many': expected odo_d_005 to be dropped by trust | "
        + others[4].partition(" | ")[2],
        "14:9 case 'many': expected “The price.”, got odo_d_001 “The tide.” | ",
        "18:12 case 'not empty': expected nothing, got odo_d_001 “The tide.” | 1 can be drawn",
    ]
    assert "odo_d_002 was stopped by score" in others[0]
    assert "odo_d_005 was stopped by access" in others[4]
    assert report.failed


@pytest.mark.spec("LP-plans-findings")
@pytest.mark.parametrize(
    ("case", "code", "place", "part", "hint"),
    [
        ("{name: a, speaker: odo, says: odo_d_01}", "TB461", "odo_d_01", "odo_d_01", "odo_d_001"),
        ("{name: a, speaker: oda, says: odo_d_001}", "TB453", "oda", "oda", "odo"),
        ("{name: a, speaker: odo, sys: odo_d_001, nothing: true}", "TB421", "sys", "sys", "says"),
        (
            "{name: a, speaker: odo, topics: [cargos], nothing: true}",
            "TB423",
            "cargos",
            "cargos",
            "cargo",
        ),
        (
            "{name: a, speaker: odo, location: the-key, nothing: true}",
            "TB454",
            "the-key",
            "the-key",
            "the-quay",
        ),
        ("{name: a, speaker: odo}", "TB420", "{name", "expects nothing", "says"),
        (
            "{name: a, speaker: odo, nothing: true, says: odo_d_001}",
            "TB430",
            "says",
            "both",
            "keep",
        ),
        (
            "{name: a, speaker: odo, tick: 1, wait: 2, nothing: true}",
            "TB430",
            "wait",
            "both",
            "keep",
        ),
        (
            "{name: a, character: detective, nothing: true}",
            "TB481",
            "{name",
            "no trigger",
            "trigger",
        ),
        (
            "{name: a, character: detective, trigger: hear_sound, topics: [cargo], nothing: true}",
            "TB430",
            "topics",
            "topics",
            "conversation",
        ),
        ("{name: a, speaker: odo, event: {what: 1}, nothing: true}", "TB456", "what", "what", ""),
        (
            "{name: a, speaker: odo, given: {facts: [{fact_id: people.her, confidence: direct}]}, "
            "nothing: true}",
            "TB445",
            "people.her",
            "people.her",
            "people.him",
        ),
        (
            "{name: a, speaker: odo, given: {counters: [{counter: asked, by: 1}]}, nothing: true}",
            "TB481",
            "{counter:",
            "character is missing",
            "whose",
        ),
        (
            "{name: a, speaker: odo, given: {values: [{value: weather, to: 3}]}, nothing: true}",
            "TB457",
            "3}",
            "weather",
            "",
        ),
        (
            "{name: a, speaker: odo, given: {timers: [{timer: rung, tick: 3}]}, nothing: true}",
            "TB456",
            "rung",
            "rung",
            "rang",
        ),
        (
            "{name: a, steps: [{speaker: odo, nothing: true}], says: odo_d_001}",
            "TB430",
            "says",
            "says",
            "step",
        ),
    ],
)
def test_every_fault_is_a_finding_at_its_place(
    played: Played, case: str, code: str, place: str, part: str, hint: str
) -> None:
    report = played(f"- {case}\n")
    (problem,) = report.problems
    at = f"- {case}".rindex(place) + 1
    assert (problem.code, problem.where.line, problem.where.column) == (code, 3, at), str(problem)
    assert part in problem.message
    assert hint in problem.hint
    assert report.cases == ()
    assert report.failed


def test_all_faults_of_all_files_come_at_once(played: Played) -> None:
    report = played(
        "- {name: a, speaker: oda, says: odo_d_01}\n- {name: a, speaker: odo, nothing: true}\n"
    )
    assert [line.partition(" ")[0] for line in _texts(report)] == ["3:22", "3:33", "4:10"]


def test_what_cannot_have_happened_stops_the_case(played: Played) -> None:
    report = played(
        "- name: a\n  speaker: odo\n  nothing: true\n  given:\n    interactions:\n"
        "    - {target: 'npc:odo', state: active}\n    - {target: 'npc:odo', state: completed}\n"
    )
    ((problem,),) = [case.problems for case in report.cases]
    assert problem.code == "TB481"
    assert problem.where.line == 9


@pytest.mark.spec("LP-plans-bundled")
def test_the_bundled_campaign_keeps_its_plan() -> None:
    root = Path(__file__).parents[3] / "src/talebearer/bundled/drowned-bell/content"
    report = run_plans(root)
    assert _texts(report) == []
    assert len(report.cases) >= 4


def test_a_conversation_is_given_step_by_step_as_events(played: Played) -> None:
    """It is quiet while they talk, and the line comes that somebody who was left has."""
    report = played(
        "- name: a\n  steps:\n"
        "  - {speaker: odo, topics: [money], never: [odo_d_004], given: {events: [\n"
        "      {kind: interaction_started,\n"
        "       data: {target: 'npc:odo', player_initiated: true, location: the-quay}}]}}\n"
        "  - {speaker: odo, topics: [cargo], wait: 5, eligible: [odo_d_002, odo_d_003], given: {events: [\n"
        "      {kind: interaction_walked_away, data: {target: 'npc:odo'}, tick: 3},\n"
        "      {kind: counter_added, data: {counter: asked, by: 2, character: odo}, tick: 4},\n"
        "      {kind: value_set, data: {value: weather, to: rain}, mind: world, tick: 4}]}}\n"
    )
    assert _texts(report) == []


def test_an_event_that_cannot_happen_stops_the_case_at_its_place(played: Played) -> None:
    report = played(
        "- name: a\n  speaker: odo\n  nothing: true\n  given:\n    events:\n"
        "    - {kind: interaction_completed, data: {target: 'npc:odo', topics: []}}\n"
    )
    ((problem,),) = [case.problems for case in report.cases]
    assert (problem.code, problem.where.line) == ("TB481", 8)
