"""Gates and effects beyond the line-pool spec: what the pack has of them, and what is a finding."""

from collections.abc import Callable

import pytest

from talebearer.content import compile_content, lint
from talebearer.errors import Problem

D = "m/dialogue/quay/odo.yaml"
M = "m/monologue/detective/quay.yaml"
STATE = """\
timers: [{id: toll, scope: player}]
counters: [{id: visits, scope: pair, initial: 2}]
values:
  - {id: weather, scope: world, type: text, initial: calm}
  - {id: paid, scope: player, type: flag}
  - {id: depth, scope: world, type: number}
classes: [{id: talk}, {id: shout, interrupts: [talk], excluded_by: [shout]}]
"""
CONDITIONS = """\
conditions:
  - {id: met, when: {interaction: {target: npc:odo}}}
  - {id: calm, when: {not: {conditions: [met]}}}
"""
TRIGGERS = """\
values:
  - value: time_idle
  - value: observe_npc
    fields: [{name: item, type: text}, {name: distance, type: number}]
"""
FILES = {
    "global/state.yaml": STATE,
    "global/conditions.yaml": CONDITIONS,
    "global/enums/triggers.yaml": TRIGGERS,
    "global/npcs/odo.yaml": "name: Odo\nattributes: {debt: 3}\n",
    "global/knowledge/sea.yaml": "category: sea\nfacts: [{id: sea.deep, description: Deep.}]\n",
}


def dialogue(extra: str = "", *, second: str = "") -> str:
    head = "location: quay\nrole: clerk\nlines:\n"
    line = (
        "  - id: odo_d_{n}\n    text: Hm {n}.\n    role: clerk\n    access: [public]\n"
        "    trust: surface\n    situation: [social]\n"
    )
    return head + line.format(n="001") + extra + line.format(n="002") + second


def thought(extra: str, trigger: str = "observe_npc") -> str:
    return (
        "character: detective\nlocation: quay\nlines:\n"
        f"  - id: pc_m_d_001\n    text: Hm.\n    trigger: {trigger}\n{extra}"
    )


def gate(text: str) -> str:
    return f"    prerequisites:\n      {text}\n"


@pytest.fixture
def packed(tree) -> Callable[..., dict]:
    """Return a function from the further fields of a line to that line in the pack."""

    def run(extra: str, *, kind: str = D) -> dict:
        text = dialogue(extra) if kind == D else thought(extra)
        pools = compile_content(tree({**FILES, D: dialogue(), kind: text})).pack["pools"]
        return next(pool for pool in pools if pool["kind"] in kind)["lines"][0]

    return run


@pytest.fixture
def found(tree) -> Callable[..., list[Problem]]:
    """Return a function that lints a line with further fields; notes are left out."""

    def run(extra: str, *, kind: str = D, **others: str) -> list[Problem]:
        text = dialogue(extra) if kind == D else thought(extra)
        root = tree({**FILES, D: dialogue(), kind: text, **others})
        return [problem for problem in lint(root) if problem.severity != "note"]

    return run


@pytest.mark.parametrize(
    ("written", "in_the_pack"),
    [
        ("relationship: {target: npc:odo, state: known}",
         {"relationships": [{"target": "npc:odo", "state": "known"}]}),
        ("interaction: {target: npc:odo}",
         {"interactions": [{"target": "npc:odo", "count": {">=": 1}}]}),
        ("interactions: [{target: npc:odo, count: 0}, {target: npc:odo, min_count: 2.0, within: 9}]",
         {"interactions": [{"target": "npc:odo", "count": {"=": 0}},
                           {"target": "npc:odo", "count": {">=": 2}, "within": 9}]}),
        ("gossip: {about: npc:odo}", {"gossip": [{"about": "npc:odo"}]}),
        ("entity_attributes: [{entity: npc:odo, key: debt, value: high}]",
         {"entity_attributes": [{"entity": "npc:odo", "key": "debt", "=": "high"}]}),
        ('entity_attributes: [{entity: npc:odo, key: debt, ">": 2.0, "<": 5.5}]',
         {"entity_attributes": [{"entity": "npc:odo", "key": "debt", ">": 2, "<": 5.5}]}),
        ("chance: 0.25", {"chance": 250_000}),
        ("reply_to: {line: odo_d_002, within: 5}",
         {"reply_to": {"line": "m/dialogue/quay/odo#odo_d_002", "within": 5}}),
        ("reply_to: {line: quay/odo#odo_d_002}",
         {"reply_to": {"line": "m/dialogue/quay/odo#odo_d_002"}}),
        ("facts: [{fact_id: sea.deep, absent: true, fact_state: stale}]",
         {"facts": [{"fact_id": "sea.deep", "absent": True, "fact_state": "stale"}]}),
        ("{any_of: [{not: {conditions: [met]}}, {all_of: [{relationship: "
         "{target: npc:odo, states: [known]}}]}]}",
         {"any_of": [{"not": {"conditions": ["met"]}}, {"all_of": [
             {"relationships": [{"target": "npc:odo", "states": ["known"]}]}]}]}),
        ('timers: [{timer: toll, within: 5}, {timer: toll, never: true}]',
         {"timers": [{"timer": "toll", "within": 5}, {"timer": "toll", "never": True}]}),
        ('counters: [{counter: visits, ">=": 3}]', {"counters": [{"counter": "visits", ">=": 3}]}),
        ('values: [{value: weather, "!=": calm}]', {"values": [{"value": "weather", "!=": "calm"}]}),
    ],
)  # fmt: skip
@pytest.mark.spec("LP-L6-one-form")
def test_a_gate_has_one_form_in_the_pack(packed, written, in_the_pack):
    assert packed(gate(written))["when"] == in_the_pack


def test_event_fields_become_comparisons(packed):
    when = packed(gate('event: {item: lamp, distance: {"<": 5}}'), kind=M)["when"]
    assert when == {"event": {"item": {"=": "lamp"}, "distance": {"<": 5}}}


@pytest.mark.parametrize("nothing", ["{}", "{facts: [], entity_attributes: []}"])
def test_gates_that_ask_nothing_are_left_out(packed, nothing):
    assert "when" not in packed(gate(nothing))


def test_effects_are_in_one_list_with_the_grant_first(packed):
    line = packed(
        "    effects: [{stamp: {timer: toll}}, {add: {counter: visits}},"
        " {set: {value: depth, to: 3.0}}]\n"
        "    knowledge_grant: {fact_id: sea.deep, confidence: suspects}\n"
    )
    assert line["effects"] == [
        {"grant": {"fact_id": "sea.deep", "confidence": "suspects"}},
        {"stamp": {"timer": "toll"}},
        {"add": {"counter": "visits", "by": 1}},
        {"set": {"value": "depth", "to": 3}},
    ]


def test_further_fields_of_a_line(packed):
    line = packed(
        "    variants: [Well., So.]\n    once: pair\n    cooldown: 40\n    class: shout\n"
        "    aliases: [odo_d_900, old/odo#odo_d_003]\n"
    )
    assert line["variants"] == ["Well.", "So."]
    assert (line["once"], line["cooldown"], line["class"]) == ("pair", 40, "shout")
    assert line["aliases"] == ["m/dialogue/quay/odo#odo_d_900", "old/odo#odo_d_003"]


def test_declarations_are_in_the_pack(tree):
    pack = compile_content(tree({**FILES, D: "strategy: bag\n" + dialogue()})).pack
    assert pack["state"] == {
        "timers": {"toll": {"scope": "player"}},
        "counters": {"visits": {"scope": "pair", "initial": 2}},
        "values": {
            "weather": {"scope": "world", "type": "text", "initial": "calm"},
            "paid": {"scope": "player", "type": "flag"},
            "depth": {"scope": "world", "type": "number"},
        },
        "classes": {
            "talk": {"interrupts": [], "excluded_by": []},
            "shout": {"interrupts": ["talk"], "excluded_by": ["shout"]},
        },
    }
    assert pack["conditions"]["calm"] == {"not": {"conditions": ["met"]}}
    assert pack["triggers"] == {
        "time_idle": {"fields": {}},
        "observe_npc": {"fields": {"distance": "number", "item": "text"}},
    }
    assert pack["pools"][0]["strategy"] == "bag"
