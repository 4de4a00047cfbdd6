"""Lint never raises, and a pack depends on nothing but its content."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from talebearer.content import (
    compile_content,
    dump_baseline,
    lint,
    load_baseline,
    missing_facts,
    sarif,
)
from talebearer.lines import load_pack

SMALL = Path(__file__).parents[1] / "fixtures" / "content" / "small" / "content"
SMALL_FILES = {
    p.relative_to(SMALL).as_posix(): p.read_bytes() for p in sorted(SMALL.rglob("*.yaml"))
}
FILES = dict(SMALL_FILES)
POOL = FILES["campaigns/mire/dialogue/the-quay/bram-holt.yaml"].decode()
RICH = {
    "global/state.yaml": b"""\
timers: [{id: toll, scope: pair}]
counters: [{id: visits, scope: pair, initial: 2}]
values: [{id: weather, scope: world, type: text, initial: calm}]
classes: [{id: shout, interrupts: [shout], excluded_by: []}]
""",
    "global/conditions.yaml": b"""\
conditions:
  - {id: met, when: {all_of: [{interaction: {target: npc:a, count: {">=": 1}}}]}}
  - {id: new, when: {not: {conditions: [met]}}}
""",
    "global/enums/triggers.yaml": b"values: [{value: a, fields: [{name: item, type: text}]}]\n",
    "monologue/detective/a.yaml": b"""\
character: detective
location: a
strategy: bag
lines:
  - id: a_m_d_001
    text: Hm.
    variants: [Ah.]
    trigger: a
    once: pair
    class: shout
    aliases: [a_m_d_009]
    effects: [{add: {counter: visits, by: 1}}, {set: {value: weather, to: storm}}]
    prerequisites:
      any_of: [{chance: 0.5}, {event: {item: {"=": lamp}}}, {gossip: {about: npc:a}}]
      timers: [{timer: toll, within: 5, older_than: 1}]
      counters: [{counter: visits, ">": 1, "<": 4}]
      values: [{value: weather, "!=": calm}]
      reply_to: {line: a_m_d_001, after: 1, within: 2}
      entity_attributes: [{entity: npc:a, key: b, ">=": 1.5}]
      facts: [{fact_id: a.b, absent: true, fact_state: stale}]
      conditions: [met]
""",
}
FILES |= RICH
NAMES = (
    "dialogue/quay/a.yaml",
    "monologue/detective/a.yaml",
    "global/npcs/a.yaml",
    "global/enums/characters.yaml",
    "global/enums/moods.yaml",
    "global/knowledge/a.yaml",
    "global/state.yaml",
    "global/conditions.yaml",
)
INDICATORS = [
    "- ",
    "? ",
    ": ",
    ":",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "&a ",
    "*a",
    "!!set ",
    "'",
    '"',
    ">",
    "#",
    "%",
    "@",
    "\t",
    "\r",
    "\x85",
    "\u2028",
    "~",
    "<<",
]
WORDS = [
    "lines",
    "location",
    "role",
    "id",
    "text",
    "values",
    "value",
    "letter",
    "facts",
    "name",
    "prerequisites",
    "relationship",
    "states",
    "tolerance",
    "1e999",
    ".nan",
    "-.inf",
    "é",
    "😀",
]
PIECES = st.sampled_from([*INDICATORS, *WORDS, "\n", "\n  ", "\n  - ", "|\n ", "9" * 30])


def write(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def lint_bytes(name: str, data: bytes, **others: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder) / "content", {**others, name: data})
        found = lint(root)
        json.loads(sarif(root, found))
        assert len(load_baseline(dump_baseline(root, found))) == len(found)
        missing_facts(root)
        if not any(problem.severity == "error" for problem in found):
            load_pack(compile_content(root).data)  # what passes, the runtime takes
    places = [(p.where.file, p.where.line or 0, p.where.column or 0) for p in found]
    assert places == sorted(places)
    json.dumps([problem.as_json() for problem in found])


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(NAMES), st.lists(PIECES, max_size=40).map("".join))
@example(NAMES[0], "- " * 5000)
@example(NAMES[0], "? - : " * 5000)
def test_lint_of_what_looks_like_yaml_never_raises(name, text):
    lint_bytes(name, text.encode())


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(NAMES), st.binary(max_size=60))
def test_lint_of_any_bytes_never_raises(name, data):
    lint_bytes(name, data)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(POOL)), st.integers(0, 8), PIECES)
def test_lint_of_a_damaged_pool_never_raises(at, cut, piece):
    lint_bytes(NAMES[0], (POOL[:at] + piece + POOL[at + cut :]).encode())


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.just("npc:a"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.lists(st.integers(0, 20), max_size=9), JSON_VALUES)
def test_lint_of_a_value_in_any_place_never_raises(name, path, value):
    root = {"root": yaml.safe_load(FILES[name])}
    holder, key = root, "root"
    for step in path:
        if not isinstance(holder[key], dict | list) or not holder[key]:
            break
        holder = holder[key]
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = keys[step % len(keys)]
    holder[key] = value
    lint_bytes(name, json.dumps(root["root"]).encode(), **(RICH if name in RICH else {}))


@settings(max_examples=10, deadline=None)
@given(st.permutations(sorted(SMALL_FILES)))
def test_a_pack_does_not_depend_on_the_order_of_files(names):
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder) / "elsewhere", {name: SMALL_FILES[name] for name in names})
        assert compile_content(root).data == compile_content(SMALL).data


@pytest.mark.slow
def test_a_pack_and_findings_do_not_depend_on_the_hash_seed():
    program = (
        "import sys; from pathlib import Path; from talebearer.content import *;"
        "sys.stdout.buffer.write(compile_content(Path(sys.argv[1])).data);"
        "print(*lint(Path(sys.argv[2])), sep='\\n')"
    )
    faults = SMALL.parents[1] / "five-faults" / "content"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, str(SMALL), str(faults)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(outputs) == 1


def test_a_pack_round_trips_through_json():
    compiled = compile_content(SMALL)
    again = json.dumps(
        json.loads(compiled.data), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    assert again.encode() + b"\n" == compiled.data
