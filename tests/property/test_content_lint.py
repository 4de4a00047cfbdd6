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

from talebearer.content import compile_content, lint

SMALL = Path(__file__).parents[1] / "fixtures" / "content" / "small" / "content"
FILES = {p.relative_to(SMALL).as_posix(): p.read_bytes() for p in sorted(SMALL.rglob("*.yaml"))}
POOL = FILES["campaigns/mire/dialogue/the-quay/bram-holt.yaml"].decode()
NAMES = (
    "dialogue/quay/a.yaml",
    "monologue/detective/a.yaml",
    "global/npcs/a.yaml",
    "global/enums/characters.yaml",
    "global/enums/moods.yaml",
    "global/knowledge/a.yaml",
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


def lint_bytes(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = lint(write(Path(folder) / "content", {name: data}))
    assert list(found) == sorted(found, key=lambda p: (p.where.line or 0, p.where.column or 0))
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
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FILES)), st.lists(st.integers(0, 20), max_size=5), JSON_VALUES)
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
    lint_bytes(name, json.dumps(root["root"]).encode())


@settings(max_examples=10, deadline=None)
@given(st.permutations(sorted(FILES)))
def test_a_pack_does_not_depend_on_the_order_of_files(names):
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder) / "elsewhere", {name: FILES[name] for name in names})
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
