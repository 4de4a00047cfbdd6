"""Generated trees: every valid one lints clean and comes back from its pack; every fault is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.content import compile_content, lint
from talebearer.lines import load_pack
from talebearer.vocabulary import (
    DEFAULT_ENUMS,
    Confidence,
    FactState,
    InteractionState,
    RelationshipState,
)

DIALOGUE = "m/dialogue/quay/odo.yaml"
MONOLOGUE = "m/monologue/detective/quay.yaml"
SCOPES = ("line", "pair", "player", "character", "world")
STATE = {
    "timers": [{"id": "toll", "scope": "player"}, {"id": "bell", "scope": "world"}],
    "counters": [{"id": "visits", "scope": "pair", "initial": 2}],
    "values": [
        {"id": "weather", "scope": "world", "type": "text", "initial": "calm"},
        {"id": "paid", "scope": "player", "type": "flag"},
        {"id": "depth", "scope": "character", "type": "number"},
    ],
    "classes": [{"id": "talk"}, {"id": "shout", "interrupts": ["talk"]}],
}
CONDITIONS = {"conditions": [{"id": "met", "when": {"interaction": {"target": "npc:odo"}}}]}
TRIGGERS = {
    "values": [
        {"value": "time_idle"},
        {"value": "observe_npc", "fields": [{"name": "item", "type": "text"}]},
    ]
}
SHARED: dict[str, Any] = {
    "global/state.yaml": STATE,
    "global/conditions.yaml": CONDITIONS,
    "global/enums/triggers.yaml": TRIGGERS,
    "global/npcs/odo.yaml": {"name": "Odo", "attributes": {"debt": 3}},
    "global/knowledge/sea.yaml": {
        "category": "sea",
        "facts": [{"id": "sea.deep", "description": "Deep."}],
    },
}


def values(stem: str) -> list[str]:
    return [one.value for one in DEFAULT_ENUMS[stem]]


def some(words: list[str], least: int = 1) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(words), min_size=least, max_size=3, unique=True)


def spelled(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


TICKS = st.integers(0, 10_000)
TEXTS = st.text(st.characters(categories=("L", "N", "P", "Zs"), exclude_characters="\ufeff\x85"),
                min_size=1, max_size=20).map(lambda text: f"x{text}x")  # fmt: skip
NUMBERS = st.integers(-1000, 1000) | st.sampled_from([0.5, -2.25, 3.0])
COMPARE_NUMBERS = st.one_of(
    st.fixed_dictionaries({">=": NUMBERS}),
    st.fixed_dictionaries({"<": NUMBERS, "!=": NUMBERS}),
    st.fixed_dictionaries({"=": NUMBERS}),
    st.just({">": 0, "<=": 5}),
)
COUNTS = st.integers(0, 5) | st.integers(0, 5).map(lambda n: {">=": n}) | st.just({"<": 3, ">": 0})
TARGET = {"target": st.just("npc:odo")}
FACTS = st.one_of(
    st.fixed_dictionaries({"min_confidence": st.sampled_from([*map(str, Confidence)])}),
    st.fixed_dictionaries({"confidence": st.sampled_from([*map(str, Confidence)])}),
    st.just({"absent": True}),
    st.fixed_dictionaries({"min_confidence": st.just("direct"),
                           "fact_state": st.sampled_from([*map(str, FactState)])}),
).map(lambda gate: {"fact_id": "sea.deep"} | gate)  # fmt: skip
RELATIONSHIPS = st.one_of(
    st.fixed_dictionaries({**TARGET, "state": st.sampled_from([*map(str, RelationshipState)])}),
    st.fixed_dictionaries({**TARGET, "states": some([*map(str, RelationshipState)])}),
)
INTERACTIONS = st.one_of(
    st.fixed_dictionaries(TARGET, optional={
        "state": st.sampled_from([*map(str, InteractionState)]), "count": COUNTS, "within": TICKS}),
    st.fixed_dictionaries(TARGET, optional={"min_count": st.integers(1, 9), "older_than": TICKS}),
)  # fmt: skip
GOSSIP = st.fixed_dictionaries(
    {"about": st.just("npc:odo")}, optional={"target": st.just("npc:odo")}
)
LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "facts": st.lists(FACTS, min_size=1, max_size=2, unique_by=spelled),
    "gossip": GOSSIP | GOSSIP.map(lambda gate: [gate]),
    "entity_attributes": (
        st.just([{"entity": "npc:odo", "key": "debt", "value": "high"}])
        | COMPARE_NUMBERS.map(lambda c: [{"entity": "npc:odo", "key": "debt", **c}])
    ),
    "timers": st.one_of(
        TICKS.map(lambda n: [{"timer": "toll", "within": n}]),
        TICKS.map(lambda n: [{"timer": "bell", "older_than": n}]),
        st.just([{"timer": "toll", "never": True}]),
    ),
    "counters": COMPARE_NUMBERS.map(lambda c: [{"counter": "visits", **c}]),
    "values": st.one_of(
        st.sampled_from(["calm", "storm"]).map(lambda word: [{"value": "weather", "!=": word}]),
        st.booleans().map(lambda flag: [{"value": "paid", "=": flag}]),
        COMPARE_NUMBERS.map(lambda c: [{"value": "depth", **c}]),
    ),
    "conditions": st.just(["met"]),
    "reply_to": st.just({"line": "odo_d_001", "within": 9}) | st.just({"character": "odo"}),
    "chance": st.integers(1, 1_000_000).map(lambda n: n / 1_000_000),
    "relationship": RELATIONSHIPS,
    "interaction": INTERACTIONS,
}
MANY = {
    "relationships": st.lists(RELATIONSHIPS, min_size=1, max_size=2, unique_by=spelled),
    "interactions": st.lists(INTERACTIONS, min_size=1, max_size=2, unique_by=spelled),
}
SIMPLE = st.fixed_dictionaries({}, optional=LEAVES).filter(bool) | st.fixed_dictionaries(
    {}, optional=MANY
).filter(bool)
GATES = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"all_of": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"any_of": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=4,
)
EFFECTS = st.lists(
    st.one_of(
        st.just({"stamp": {"timer": "toll"}}),
        st.just({"add": {"counter": "visits"}}),
        st.integers(-9, 9).map(lambda n: {"add": {"counter": "visits", "by": n}}),
        st.sampled_from(["calm", "storm"]).map(
            lambda word: {"set": {"value": "weather", "to": word}}
        ),
        st.booleans().map(lambda flag: {"set": {"value": "paid", "to": flag}}),
    ),
    min_size=1,
    max_size=3,
)
FURTHER = {
    "prerequisites": GATES,
    "effects": EFFECTS,
    "once": st.sampled_from(SCOPES),
    "cooldown": TICKS,
    "class": st.sampled_from(["talk", "shout"]),
    "variants": st.lists(TEXTS, min_size=1, max_size=3, unique_by=lambda t: t.casefold().split()[0]),
    "tags": st.just(["a"]),
    "notes": TEXTS,
}  # fmt: skip
GRANT = st.just({"fact_id": "sea.deep", "confidence": "suspects"})
SAID = st.fixed_dictionaries(
    {"access": some(values("access")), "trust": st.sampled_from(values("trust")),
     "situation": some(values("situations"))},
    optional={"topic": some(values("topics"), 0), "mood": some(values("moods"), 0),
              "knowledge_grant": GRANT, **FURTHER},
)  # fmt: skip
THOUGHT = st.fixed_dictionaries(
    {"trigger": st.just("observe_npc")},
    optional={"priority": st.integers(0, 10), **FURTHER},
)


def pool(head: dict[str, Any], lines: list[dict[str, Any]], stem: str) -> dict[str, Any]:
    numbered = [
        {"id": f"{stem}_{n:03d}", "text": f"Words of line {n}.", **line}
        for n, line in enumerate(lines, 1)
    ]
    return {**head, "lines": numbered}


def tree_of(said: list[dict[str, Any]], thought: list[dict[str, Any]]) -> dict[str, Any]:
    lines = [{"role": "clerk", **line} for line in said]
    return {
        **SHARED,
        DIALOGUE: pool({"location": "quay", "role": "clerk"}, lines, "odo_d"),
        MONOLOGUE: pool({"character": "detective", "location": "quay"}, thought, "pc_m_d"),
    }


TREES = st.builds(
    tree_of, st.lists(SAID, min_size=1, max_size=4), st.lists(THOUGHT, min_size=1, max_size=3)
)


class Plain(yaml.CSafeDumper):
    """Writes everything out, as a person does."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def written(folder: str, tree: dict[str, Any]) -> Path:
    root = Path(folder) / "content"
    for name, value in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = yaml.dump(value, Dumper=Plain, allow_unicode=True, sort_keys=False, width=10_000)
        path.write_text(text, encoding="utf-8")
    return root


def without_trailing(condition: dict[str, Any]) -> dict[str, Any]:
    """Return a condition of a pack as an author could write it."""
    found: dict[str, Any] = {}
    for name, part in condition.items():
        if name in ("all_of", "any_of"):
            found[name] = [without_trailing(one) for one in part]
        elif name == "not":
            found[name] = without_trailing(part)
        elif name == "chance":
            found[name] = part / 1_000_000
        else:
            found[name] = part
    return found


def authored(pack: dict[str, Any]) -> dict[str, Any]:
    """Return the pools of *pack* as files."""
    files: dict[str, Any] = {}
    for compiled in pack["pools"]:
        head = {k: v for k, v in compiled.items() if k not in ("path", "kind", "lines")}
        lines = []
        for line in compiled["lines"]:
            fields = {k: v for k, v in line.items() if k != "when"}
            if "when" in line:
                fields["prerequisites"] = without_trailing(line["when"])
            lines.append(fields)
        files[f"{compiled['path']}.yaml"] = {**head, "lines": lines}
    return files


@settings(max_examples=60, deadline=None)
@given(TREES)
@pytest.mark.spec("LP-L6-superset", "LP-L6-round-trip")
def test_a_valid_tree_lints_clean_and_comes_back_from_its_pack(tree):
    with tempfile.TemporaryDirectory() as folder:
        root = written(folder, tree)
        assert [str(p) for p in lint(root) if p.severity == "error"] == []
        compiled = compile_content(root)
        load_pack(compiled.data)
        written(folder, authored(compiled.pack))
        assert compile_content(root).data == compiled.data


def turned(value: Any) -> Any:
    """Return *value* with the keys of every mapping the other way round."""
    if isinstance(value, list):
        return [turned(one) for one in value]
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return value


@settings(max_examples=15, deadline=None)
@given(TREES)
def test_the_order_of_files_and_keys_is_nothing_to_a_pack(tree):
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        ordered, other = written(first, tree), written(second, turned(tree))
        assert compile_content(ordered).data == compile_content(other).data


# A fault, how it is made in a line, and the path of the finding in the line.
Spoil = Callable[[dict[str, Any]], None]
SPOILED: dict[str, tuple[str, Spoil, tuple[str | int, ...], bool]] = {
    "no trust": ("TB420", lambda line: line.pop("trust"), (), False),
    "unknown field": ("TB421", lambda line: line.update(tropic=[]), ("tropic",), True),
    "text is a number": ("TB422", lambda line: line.update(text=42), ("text",), False),
    "one word for a list": ("TB422", lambda line: line.update(access="public"), ("access",), False),
    "undeclared access": ("TB423", lambda line: line.update(access=["nobody"]), ("access", 0), False),
    "undeclared trust": ("TB423", lambda line: line.update(trust="deep"), ("trust",), False),
    "no access": ("TB425", lambda line: line.update(access=[]), ("access",), False),
    "twice in a list": (
        "TB426", lambda line: line.update(situation=["social", "social"]), ("situation", 1), False),
    "blank text": ("TB427", lambda line: line.update(text=" "), ("text",), False),
    "bad id": ("TB431", lambda line: line.update(id="odo_d_1"), ("id",), False),
    "unknown role": ("TB443", lambda line: line.update(role="cook"), ("role",), False),
    "negative cooldown": ("TB429", lambda line: line.update(cooldown=-1), ("cooldown",), False),
    "undeclared timer": (
        "TB456", lambda line: line.update(effects=[{"stamp": {"timer": "tol"}}]),
        ("effects", 0, "stamp", "timer"), False),
    "undeclared condition": (
        "TB456", lambda line: line.update(prerequisites={"conditions": ["mett"]}),
        ("prerequisites", "conditions", 0), False),
    "wrong type": (
        "TB457", lambda line: line.update(effects=[{"set": {"value": "paid", "to": "yes"}}]),
        ("effects", 0, "set", "to"), False),
    "empty condition": (
        "TB460", lambda line: line.update(prerequisites={"not": {}}), ("prerequisites", "not"), False),
    "unknown line": (
        "TB461", lambda line: line.update(prerequisites={"reply_to": {"line": "odo_d_900"}}),
        ("prerequisites", "reply_to", "line"), False),
    "alias of its own": (
        "TB462", lambda line: line.update(aliases=[line["id"]]), ("aliases", 0), False),
    "unknown class": ("TB456", lambda line: line.update({"class": "sing"}), ("class",), False),
    "unknown scope": ("TB423", lambda line: line.update(once="never"), ("once",), False),
}  # fmt: skip


def place_of(text: str, path: tuple[str | int, ...], *, on_key: bool) -> tuple[int, int]:
    """Return line and column of the value at *path*, by PyYAML's own nodes."""
    node: Any = yaml.compose(text)
    for depth, part in enumerate(path):
        if isinstance(node, yaml.SequenceNode):
            node = node.value[int(part)]
            continue
        key, value = next(pair for pair in node.value if pair[0].value == part)
        node = key if on_key and depth == len(path) - 1 else value
    return node.start_mark.line + 1, node.start_mark.column + 1


@settings(max_examples=80, deadline=None)
@given(TREES, st.sampled_from(sorted(SPOILED)), st.data())
@pytest.mark.spec("LP-8.1-each-fault-alone")
def test_a_spoiled_tree_has_exactly_that_finding_at_its_place(tree, name, data):
    code, spoil, path, on_key = SPOILED[name]
    tree = {
        **tree,
        DIALOGUE: {**tree[DIALOGUE], "lines": [dict(x) for x in tree[DIALOGUE]["lines"]]},
    }
    lines = tree[DIALOGUE]["lines"]
    for line in lines:  # what answers a line would lose it with its id
        line.pop("prerequisites", None)
    tree[MONOLOGUE] = {**tree[MONOLOGUE], "lines": []}
    at = data.draw(st.integers(0, len(lines) - 1))
    spoil(lines[at])
    with tempfile.TemporaryDirectory() as folder:
        root = written(folder, tree)
        found = [p for p in lint(root) if p.severity == "error"]
        text = (root / DIALOGUE).read_text(encoding="utf-8")
    assert [p.code for p in found] == [code]
    where = found[0].where
    assert (where.line, where.column) == place_of(text, ("lines", at, *path), on_key=on_key)


@pytest.mark.slow
@pytest.mark.spec("LP-9.3-deterministic")
def test_a_rich_pack_does_not_depend_on_the_hash_seed(tmp_path):
    gates = {"any_of": [{"facts": [{"fact_id": "sea.deep", "absent": True}]}, {"chance": 0.5}]}
    line = {"access": ["public"], "trust": "real", "situation": ["social"], "prerequisites": gates}
    root = written(str(tmp_path), tree_of([line], [{"trigger": "time_idle"}]))
    program = (
        "import sys; from pathlib import Path; from talebearer.content import *;"
        "r = Path(sys.argv[1]); sys.stdout.buffer.write(compile_content(r).data + sarif(r, lint(r)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, str(root)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
