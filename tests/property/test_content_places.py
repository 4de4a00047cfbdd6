"""A finding stands where YAML says that its value begins, however the file is written."""

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from talebearer.content import lint
from talebearer.errors import findings_content as codes

HEAD = "location: quay\nrole: clerk\nlines:\n"
VALUES = ("deep", "[deep]", '"deep"', "'de''ep'", "  deep  # a remark", "\n      deep", "", "~")
"""What no field takes, so that each one has a finding."""
OTHERS = (
    'text: "a # is no remark: \\"[x"',
    "text: |\n      role: x\n\n        more\n      # no remark",
    "text: 'it''s'",
    "text: one\n      more",
    "# a remark\n    class: {a: [b, 'c]'], \"d}\": e}",
    'prerequisites:\n      counters:\n        - counter: rings\n          ">": 5',
    "effects: [{add: {counter: rings}}]  # ] a remark",
    "variants:\n      - >-\n        folded\n        role: x\n      - two",
    "effects:\n    - stamp: {timer: rung}",
    "topic: [a,\n    b]",
    'topic: ["a\n    role: x"]',
)
JUNK = (
    *"\"'[]{}#,\\|>&!*?",
    "- ",
    ": ",
    "\n",
    "\n    ",
    "\n    role: x",
    "\r\n",
    "\t",
    "\x85",
    "é",
)
FIELDS = ("id", "role", "access", "trust", "situation", "topic", "mood", "tags", "cooldown")
POINTER = re.compile(r"^\$\.lines\[(\d+)\](?:\.(\w+))?$")
fields = st.one_of(
    st.sampled_from(OTHERS),
    st.builds("{}: {}".format, st.sampled_from(FIELDS), st.sampled_from(VALUES)),
)
entries = st.lists(fields, min_size=1, max_size=7).map(lambda some: "  - " + "\n    ".join(some))
edits = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True), st.sampled_from(JUNK), st.sampled_from([0, 0, 1, 3])
    ),
    max_size=2,
)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pool is written, each time anew."""
    path = tmp_path_factory.mktemp("places") / "content" / "dialogue" / "quay" / "clerk.yaml"
    path.parent.mkdir(parents=True)
    return path


@settings(max_examples=300)
@given(lines=st.lists(entries, min_size=1, max_size=4), changes=edits)
def test_a_finding_stands_where_its_value_begins(
    pool: Path, lines: list[str], changes: list[tuple[float, str, int]]
) -> None:
    text = HEAD + "\n".join(lines) + "\n"
    for share, junk, gone in changes:
        at = int(share * len(text))
        text = text[:at] + junk + text[at + gone :]
    pool.write_text(text, encoding="utf-8", newline="")
    marks = marks_of(text.removeprefix("\ufeff"))
    assume(marks)
    for problem in lint(pool.parents[2]):
        found = POINTER.match(problem.where.pointer or "")
        path = (int(found[1]), found[2]) if found else None
        if path in marks and problem.code != codes.DUPLICATE_KEY:  # that is about the second one
            assert (problem.where.line, problem.where.column) in marks[path], problem


def marks_of(text: str) -> dict[tuple[int, str | None], list[tuple[int, int]]]:
    """Return where each line and each of its fields begins, by key and by value."""
    try:
        # The line breaks that YAML 1.1 has and 1.2 has not.
        root = yaml.compose(re.sub("[\x85\u2028\u2029]", " ", text), Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return {}
    if not isinstance(root, yaml.MappingNode):
        return {}
    listed = next((one for key, one in root.value if key.value == "lines"), None)
    found: dict[tuple[int, str | None], list[tuple[int, int]]] = {}
    for at, entry in enumerate(listed.value if isinstance(listed, yaml.SequenceNode) else ()):
        found[at, None] = [mark_of(entry)]
        for key, value in entry.value if isinstance(entry, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                found.setdefault((at, key.value), [mark_of(key), mark_of(value)])
    return found


def mark_of(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
