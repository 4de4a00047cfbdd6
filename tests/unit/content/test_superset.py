"""Gates and effects beyond the line-pool spec: what the pack has of them, and what is a finding."""

from collections.abc import Callable

import pytest

from talebearer.content import compile_content, lint
from talebearer.errors import Problem
from talebearer.lines import load_pack

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
        compiled = compile_content(tree({**FILES, D: dialogue(), kind: text}))
        load_pack(compiled.data)  # the runtime takes whatever is compiled
        pools = compiled.pack["pools"]
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


# Code, level, fields of the line, line:column, what the message holds.
GATES = [
    ("TB456", "error", "timers: [{timer: tol, within: 5}]", "11:24", '"tol"'),
    ("TB456", "error", 'counters: [{counter: visit, ">": 1}]', "11:28", '"visit"'),
    ("TB456", "error", 'values: [{value: wether, "=": calm}]', "11:24", '"wether"'),
    ("TB456", "error", "conditions: [mett]", "11:20", '"mett"'),
    ("TB456", "error", "any_of: [{not: {conditions: [mett]}}]", "11:36", '"mett"'),
    ("TB457", "error", 'values: [{value: weather, "=": 3}]', "11:38", "compared with 3"),
    ("TB457", "error", 'values: [{value: paid, ">": 3}]', "11:35", "cannot order"),
    ("TB457", "error", 'values: [{value: depth, "=": true}]', "11:36", "compared with true"),
    ("TB458", "warning", 'counters: [{counter: visits, ">": 5, "<": 3}]', "11:18", "> 5"),
    ("TB458", "warning", 'counters: [{counter: visits, ">=": 5, "=": 3}]', "11:18", "= 3"),
    ("TB458", "warning", 'interaction: {target: npc:odo, count: {"<": 0}}', "11:45", "< 0"),
    ("TB458", "warning", "timers: [{timer: toll, within: 5, older_than: 5}]", "11:53", "within 5"),
    ("TB458", "warning", "reply_to: {line: odo_d_002, after: 9, within: 8}", "11:53", "after 9"),
    ("TB460", "error", "not: {}", "11:12", "says nothing"),
    ("TB460", "error", "any_of: [{facts: []}]", "11:16", "always holds"),
    ("TB460", "error", "counters: [{counter: visits}]", "11:18", "lacks a field"),
    ("TB460", "error", "event: {}", "11:14", "says nothing"),
    ("TB461", "error", "reply_to: {line: odo_d_003}", "11:24", '"odo_d_003"'),
    ("TB461", "error", "reply_to: {line: other/odo#odo_d_002}", "11:24", "odo_d_002"),
    ("TB453", "warning", "reply_to: {character: bram}", "11:29", "npc:bram"),
    ("TB453", "warning", "gossip: {about: npc:bram}", "11:23", "npc:bram"),
    ("TB453", "warning", "relationships: [{target: npc:bram, state: known}]", "11:32", "npc:bram"),
    ("TB420", "error", "reply_to: {}", "11:17", "'line' or 'character'"),
    ("TB420", "error", "entity_attributes: [{entity: npc:odo, key: a}]", "11:27", "comparison"),
    ("TB425", "error", "any_of: []", "11:15", "any_of"),
    ("TB429", "error", "chance: 0", "11:15", "not above 0"),
    ("TB429", "error", "chance: 1.5", "11:15", "1.5"),
    ("TB429", "error", "chance: 0.1234567", "11:15", "six decimals"),
    ("TB429", "error", "chance: .nan", "11:15", "finite"),
    ("TB429", "error", 'counters: [{counter: visits, ">": 99999999999999999999}]', "11:41", "922"),
    ("TB430", "error",
     "{interaction: {target: npc:odo}, interactions: [{target: npc:odo}]}", "11:40", "both"),
    ("TB430", "error", "interaction: {target: npc:odo, min_count: 1, count: 2}", "11:52", "count"),
    ("TB430", "error", 'entity_attributes: [{entity: npc:odo, key: a, value: x, "=": x}]', "11:63",
     "value and ="),
    ("TB430", "error",
     "facts: [{fact_id: sea.deep, min_confidence: direct, absent: true}]", "11:59", "absent"),
    ("TB423", "error", "facts: [{fact_id: sea.deep, absent: false}]", "11:43", "only be true"),
    ("TB422", "error", "timers: [nothing]", "11:16", "where a mapping belongs"),
    ("TB422", "error", "any_of: [[]]", "11:16", "where a mapping belongs"),
    ("TB445", "warning", "not: {facts: [{fact_id: sea.dep, absent: true}]}", "11:31", "sea.dep"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "level", "text", "place", "holds"), GATES)
@pytest.mark.spec("LP-L6-undeclared-is-an-error", "LP-L6-gates-linted")
def test_a_fault_in_a_gate_is_one_finding_at_its_place(found, code, level, text, place, holds):
    problems = found(gate(text))
    assert [problem.code for problem in problems] == [code], problems
    where = problems[0].where
    assert (problems[0].severity, f"{where.line}:{where.column}") == (level, place)
    assert holds in problems[0].message


FIELDS = [
    ("TB456", "error", "effects: [{add: {counter: visit}}]", "10:31", '"visit"'),
    ("TB456", "error", "effects: [{stamp: {timer: tol}}]", "10:31", '"tol"'),
    ("TB456", "error", "effects: [{set: {value: wether, to: calm}}]", "10:29", '"wether"'),
    ("TB456", "error", "class: whisper", "10:12", '"whisper"'),
    ("TB457", "error", "effects: [{set: {value: weather, to: 3}}]", "10:42", "set to 3"),
    ("TB457", "error", "effects: [{set: {value: paid, to: 1}}]", "10:39", "flag"),
    ("TB420", "error", "effects: [{add: {by: 2}}]", "10:21", "'counter'"),
    ("TB422", "error", "effects: [{add: {counter: visits, by: 1.5}}]", "10:43", "1.5"),
    ("TB430", "error", "effects: [{add: {counter: visits}, stamp: {timer: toll}}]", "10:15", "once"),
    ("TB430", "error",
     "effects: [{grant: {fact_id: sea.deep, confidence: direct}}, "
     "{grant: {fact_id: sea.deep, confidence: suspects}}]", "10:83", "twice"),
    ("TB448", "error",
     "effects: [{grant: {fact_id: interaction.odo_001, confidence: direct}}]", "10:33", "play"),
    ("TB445", "warning", "effects: [{grant: {fact_id: sea.dep, confidence: direct}}]", "10:33",
     "sea.dep"),
    ("TB460", "error", "effects: [{}]", "10:15", "says nothing"),
    ("TB421", "error", "effects: [{say: hm}]", "10:16", '"say"'),
    ("TB423", "error", "once: always", "10:11", '"always"'),
    ("TB463", "warning", "variants: [Well., Hm 001.]", "10:23", '"Hm 001."'),
    ("TB426", "error", "variants: [Well., Well.]", "10:23", '"Well."'),
    ("TB427", "error", 'variants: [" "]', "10:16", '" "'),
    ("TB404", "error", 'variants: ["a\\eb"]', "10:16", "control"),
    ("TB462", "error", "aliases: [odo_d_002]", "10:15", "another line"),
    ("TB462", "error", "aliases: [odo_d_001]", "10:15", "its own id"),
    ("TB429", "error", "cooldown: -1", "10:15", "-1"),
    ("TB421", "error", "priority: 3", "10:5", '"priority"'),
]  # fmt: skip


@pytest.mark.parametrize(("code", "level", "text", "place", "holds"), FIELDS)
@pytest.mark.spec("LP-L6-undeclared-is-an-error", "LP-L6-gates-linted")
def test_a_fault_in_a_further_field_is_one_finding_at_its_place(
    found, code, level, text, place, holds
):
    problems = found(f"    {text}\n")
    assert [problem.code for problem in problems] == [code], problems
    where = problems[0].where
    assert (problems[0].severity, f"{where.line}:{where.column}") == (level, place)
    assert holds in problems[0].message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("once: true", "allowed: line, pair, player, character, world"),
        ('cooldown: "10"', "without quotes: 10"),
        ("cooldown: soon", "digits only, such as 3"),
        ("cooldown: [3]", "one value, without brackets: 3"),
        ("variants: Well.", "write it as a list: [Well.]"),
        ("variants: {a: b}", "begin each entry with a dash and a blank"),
        ("effects: {stamp: {timer: toll}}", "begin each entry with a dash and a blank"),
        ("knowledge_grant: sea.deep", "its fields are: fact_id, confidence"),
        ("prerequisites: [{chance: 1}]", "write its fields without a dash or brackets"),
        ("class: 3", "put it in quotes"),
        ("mood:", "leave the field out if it has no value"),
        ("priority: 3", "only thoughts have one; what is said is scored by topic and mood"),
        (
            "prioritys: 3",
            "allowed: id, aliases, text, variants, role, access, trust, situation, topic,",
        ),
    ],
)
@pytest.mark.spec("LP-8-hints")
def test_a_hint_says_how_the_value_is_written(found, text, hint):
    problems = found(f"    {text}\n")
    assert [problem.hint[: len(hint)] for problem in problems] == [hint]


@pytest.mark.parametrize(
    ("code", "text", "place"),
    [
        ("TB456", "event: {itm: lamp}", "8:15"),
        ("TB457", "event: {item: 3}", "8:21"),
        ("TB457", 'event: {item: {"<": 3}}', "8:27"),
        ("TB457", 'event: {distance: {"<": 3, "=": near}}', "8:39"),
    ],
)
@pytest.mark.spec("LP-L6-undeclared-is-an-error")
def test_event_fields_are_those_of_the_line_s_trigger(found, code, text, place):
    problems = found(gate(text), kind=M)
    assert [(p.code, f"{p.where.line}:{p.where.column}") for p in problems] == [(code, place)]


@pytest.mark.spec("LP-L6-gates-linted")
def test_a_former_name_has_one_line_at_most(tree):
    """Also where one line names its pool and the other does not."""
    text = dialogue("    aliases: [m/dialogue/quay/odo#odo_d_900]\n").replace(
        "odo_d_002\n", "odo_d_002\n    aliases: [odo_d_900]\n"
    )
    problems = [one for one in lint(tree({**FILES, D: text})) if one.severity == "error"]
    assert [one.code for one in problems] == ["TB462"]
    assert "an alias of m/dialogue/quay/odo#odo_d_00" in problems[0].message


def test_a_trigger_without_fields_has_none(tree):
    text = thought(gate("event: {item: lamp}"), trigger="time_idle")
    codes = [p.code for p in lint(tree({**FILES, D: dialogue(), M: text})) if p.severity == "error"]
    assert codes == ["TB456"]


@pytest.mark.parametrize(
    ("code", "name", "text", "place"),
    [
        ("TB465", "global/state.yaml", "timers: [{id: a, scope: pair}, {id: a, scope: pair}]", "1:37"),
        ("TB423", "global/state.yaml", "timers: [{id: a, scope: all}]", "1:25"),
        ("TB420", "global/state.yaml", "values: [{id: a, scope: pair}]", "1:10"),
        ("TB457", "global/state.yaml",
         "values: [{id: a, scope: pair, type: flag, initial: 0}]", "1:52"),
        ("TB456", "global/state.yaml", "classes: [{id: a, interrupts: [b]}]", "1:32"),
        ("TB465", "global/conditions.yaml",
         "conditions: [{id: a, when: {chance: 1}}, {id: a, when: {chance: 1}}]", "1:47"),
        ("TB459", "global/conditions.yaml",
         "conditions: [{id: a, when: {conditions: [b]}}, {id: b, when: {not: {conditions: [a]}}}]",
         "1:62"),
        ("TB459", "global/conditions.yaml", "conditions: [{id: a, when: {conditions: [a]}}]", "1:28"),
        ("TB460", "global/conditions.yaml", "conditions: [{id: a, when: {facts: []}}]", "1:28"),
        ("TB460", "global/conditions.yaml", "conditions: [{id: a, when: {}}]", "1:28"),
        ("TB465", "global/enums/triggers.yaml",
         "values: [{value: a, fields: [{name: n, type: text}, {name: n, type: text}]}]", "1:60"),
        ("TB421", "global/enums/moods.yaml",
         "values: [{value: a, fields: [{name: n, type: text}]}]", "1:21"),
        ("TB413", "global/states.yaml", "timers: []", "None:None"),
        ("TB413", "global/state.yml", "timers: []", "None:None"),
    ],
)  # fmt: skip
@pytest.mark.spec("LP-L6-declarations")
def test_a_fault_in_a_declaration_is_one_finding_at_its_place(tree, code, name, text, place):
    found = [p for p in lint(tree({name: f"{text}\n"})) if p.severity != "note"]
    assert [(p.code, f"{p.where.line}:{p.where.column}") for p in found] == [(code, place)]


def test_many_conditions_in_a_circle_are_told_once_and_soon(tree):
    entries = "".join(
        f"  - {{id: c{n}, when: {{conditions: [c{(n + 1) % 5000}]}}}}\n" for n in range(5000)
    )
    found = lint(tree({"global/conditions.yaml": f"conditions:\n{entries}"}))
    assert [p.code for p in found] == ["TB459"]
    assert len(found[0].message) < 200


def test_an_undeclared_name_is_suggested(found):
    assert found(gate("timers: [{timer: tol, within: 5}]"))[0].hint.startswith("did you mean toll?")
    assert "did you mean met?" in found(gate("conditions: [mett]"))[0].hint


def test_a_line_may_have_what_the_spec_allows_and_more(found):
    everything = (
        "    variants: [Well.]\n    once: world\n    cooldown: 3\n    class: talk\n"
        "    notes: x\n    dual_lens: {detective: y}\n    prerequisites: {}\n"
        "    effects: [{add: {counter: visits, by: -2}}, {set: {value: paid, to: true}}]\n"
    )
    assert found(everything) == []


@pytest.mark.spec("LP-L8-authoring-fields")
def test_a_pool_s_header_takes_what_authors_need(tree):
    head = "tags: [a]\nnotes: x\ndual_lens: {detective: y}\nstrategy: weighted\n"
    root = tree({**FILES, D: head + dialogue()})
    assert [p for p in lint(root) if p.severity != "note"] == []
    pool = compile_content(root).pack["pools"][0]
    assert set(pool) == {"path", "kind", "location", "role", "strategy", "lines"}


def test_what_nothing_uses_or_writes_is_noted(tree):
    root = tree({**FILES, D: dialogue(gate("timers: [{timer: toll, within: 5}]"))})
    notes = {(p.code, p.message.split('"')[1]) for p in lint(root) if p.code in ("TB464", "TB466")}
    assert notes == {
        ("TB464", "toll"),
        ("TB466", "visits"),
        ("TB466", "weather"),
        ("TB466", "paid"),
        ("TB466", "depth"),
        ("TB466", "calm"),
    }


@pytest.mark.spec("LP-5.1-continuous-sequence")
def test_a_dialogue_id_of_two_files_is_noted_once(tree):
    root = tree({D: dialogue(), "m/dialogue/inn/odo.yaml": dialogue().replace("quay", "inn")})
    found = [p for p in lint(root) if p.code == "TB475"]
    assert [(p.where.file, p.severity) for p in found] == [
        ("content/m/dialogue/quay/odo.yaml", "note")
    ] * 2


def test_a_reply_to_an_id_of_two_files_says_which(tree):
    other = "m/dialogue/inn/odo.yaml"
    files = {D: dialogue(), other: dialogue().replace("quay", "inn")}
    asks = thought(gate("reply_to: {line: odo_d_002}"))
    found = [p for p in lint(tree({**FILES, **files, M: asks})) if p.severity == "error"]
    assert [p.code for p in found] == ["TB461"]
    assert "m/dialogue/inn/odo#odo_d_002" in found[0].hint
    tree({M: asks.replace("odo_d_002", "inn/odo#odo_d_002")})
    pools = compile_content(tree({})).pack["pools"]
    thoughts = next(pool for pool in pools if pool["kind"] == "monologue")
    assert thoughts["lines"][0]["when"]["reply_to"]["line"] == "m/dialogue/inn/odo#odo_d_002"


def test_a_reply_may_name_a_line_by_a_former_id(packed):
    extra = gate("reply_to: {line: odo_d_900}") + "    aliases: [odo_d_900]\n"
    assert packed(extra)["when"]["reply_to"]["line"] == "m/dialogue/quay/odo#odo_d_001"
