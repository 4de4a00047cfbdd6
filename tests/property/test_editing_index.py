"""Names while one writes: places agree with libyaml, findings with lint, whatever is being typed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from talebearer.content import lint
from talebearer.content.index import Cursor, LiveTree, NameKind, cursor_at, rows_of
from talebearer.server.lsp._edits import difference, differences
from talebearer.server.lsp._positions import Text, column_of, units_of

BUNDLED = Path(__file__).resolve().parents[2] / "src/talebearer/bundled/drowned-bell/content"
ENCODINGS = ("utf-8", "utf-16", "utf-32")
SCALARS_MAX = 100
POOL = """\
location: quay
role: clerk
lines:
- id: odo_d_001
  text: "Hm: [really] {x}"
  role: clerk
  access: [public, "peer",
    hostile]
  trust: surface
  situation:
  - social
  -   'arrival'
  prerequisites:
    any_of:
      - facts:
          - fact_id: sea.deep
            min_confidence: suspects
      - {timers: [{timer: toll, never: true}], not: {conditions: [met]}}
    counters: [{counter: visits, ">=": 3}]   # often
  effects: [{add: {counter: visits, by: 2}}, {stamp: {timer: toll}}]
"""


def scalars(node: Any, path: tuple[str | None, ...] = ()) -> Iterator[tuple[Any, Any, bool]]:
    """Yield node, path and whether it is a key, of every scalar that is written in one row."""
    if isinstance(node, yaml.ScalarNode):
        if node.start_mark.line == node.end_mark.line and node.style not in ("|", ">"):
            yield node, path, False
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from scalars(item, (*path, None))
    else:
        for key, value in node.value:
            yield key, path, True
            yield from scalars(value, (*path, key.value))


def agrees(text: str) -> int:
    """Hold the places of all scalars of *text* against libyaml's; return how many there were."""
    rows, count = rows_of(text), 0
    found = list(scalars(yaml.compose(text, Loader=yaml.CSafeLoader)))
    for node, path, is_key in found[:: 1 + len(found) // SCALARS_MAX]:
        row, start, end = node.start_mark.line, node.start_mark.column, node.end_mark.column
        if start == end:
            continue
        for column in {start, (start + end) // 2, end - 1}:
            cursor = cursor_at(rows, row, column)
            assert (cursor.path, cursor.start, cursor.end) == (path, start, end), rows[row]
            assert cursor.is_key == is_key or cursor.is_open, rows[row]
            count += 1
    return count


@pytest.mark.spec("LP-tools-editor-names")
@pytest.mark.parametrize("path", sorted(BUNDLED.rglob("*.yaml")), ids=lambda path: path.stem)
def test_a_place_in_an_authored_file_has_its_path(path: Path) -> None:
    assert agrees(path.read_text(encoding="utf-8")) > 0


def test_a_place_has_its_path_in_either_way_of_writing() -> None:
    value = yaml.safe_load(POOL)
    assert agrees(POOL) > 60
    for flow in (True, False, None):
        assert agrees(yaml.safe_dump(value, default_flow_style=flow, width=60)) > 60


@settings(max_examples=150)
@given(data=st.data())
def test_what_is_cut_off_has_the_path_of_what_is_left(data: st.DataObject) -> None:
    """The path at the end of a text depends on nothing behind it."""
    nodes = [one for one in scalars(yaml.compose(POOL, Loader=yaml.CSafeLoader)) if not one[2]]
    node, path, _ = data.draw(st.sampled_from(nodes))
    at = data.draw(st.integers(node.start_mark.index, node.end_mark.index - 1))
    rows = rows_of(POOL[:at])
    cursor = cursor_at(rows, len(rows) - 1, len(rows[-1]))
    assert cursor.path == path


PIECES = st.sampled_from(
    ["- ", "-", ": ", ":", "[", "]", "{", "}", ", ", '"', "'", "#", " #", "\n", "\n  ", "\n    ", "a",
     "lines:", "id", "npc:odo", "\t", "\r\n", "😀", "|", ">", "*", "&", "%", "é", "\\"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=40).map("".join), st.data())
def test_no_text_is_too_strange_to_have_a_place_in(text: str, data: st.DataObject) -> None:
    rows = rows_of(text)
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(rows[row]) + 2))
    cursor = cursor_at(rows, row, column)
    assert isinstance(cursor, Cursor)
    assert 0 <= cursor.start <= cursor.end <= len(rows[row])
    assert cursor.start <= column


ROWS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\ufeff"), max_size=30)


@given(ROWS, st.sampled_from(ENCODINGS), st.data())
def test_columns_come_back_in_every_encoding(row: str, encoding: str, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(row)))
    units = units_of(row, column, encoding)
    assert column_of(row, units, encoding) == column
    sizes = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    assert units == len(row[:column].encode(codec)) // sizes[encoding]


@given(
    st.lists(ROWS, min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(ENCODINGS),
    st.data(),
)
def test_places_come_back_whatever_ends_rows(
    rows: list[str], newline: str, mark: str, encoding: str, data: st.DataObject
) -> None:
    text = Text(mark + newline.join(rows), encoding)
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(rows[row])))
    position = text.position(row + 1, column + 1)
    assert text.place(position) == (row, column)
    far = types.Position(line=2**31 - 1, character=2**31 - 1)
    assert text.place(far) == (len(rows) - 1, len(rows[-1]))


FILES = {
    "global/knowledge/sea.yaml": "category: sea\nfacts:\n  - {id: sea.deep, description: Deep.}\n",
    "global/npcs/odo.yaml": "name: Odo\n",
    "global/state.yaml": "counters:\n  - {id: visits, scope: pair}\n",
    "m/dialogue/quay/odo.yaml": POOL.replace("timer: toll", "counter: visits"),
    "m/monologue/detective/general.yaml": (
        "character: detective\nlocation: general\nlines:\n"
        "  - {id: pc_m_d_001, text: Hm., trigger: time_idle}\n"
    ),
}
EDITS = st.lists(
    st.tuples(
        st.sampled_from([*FILES, "m/dialogue/quay/new.yaml", "m/dialogue/quay/deep/er.yaml"]),
        st.sampled_from(["type", "type", "save", "drop"]),
        st.sampled_from(
            ["", "category: sea\n", POOL, POOL.replace("odo_d", "new_d"), "lines: [\n", "- x\n",
             POOL.replace("sea.deep", "sea.depe"), FILES["global/state.yaml"], "\ufeff" + POOL]
        ),
    ),
    max_size=6,
)  # fmt: skip


@pytest.mark.spec("LP-tools-editor-findings")
@settings(max_examples=25)
@given(EDITS)
def test_findings_are_those_of_lint_were_the_buffers_saved(
    edits: list[tuple[str, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        live, saved = Path(folder, "live", "content"), Path(folder, "saved", "content")
        for name, text in FILES.items():
            for root in (live, saved):
                put(root / name, text)
        tree, buffers = LiveTree(live), {}
        for name, how, text in edits:
            if how == "type":
                buffers[tree.root / name] = text.encode()
                put(saved / name, text)
            elif how == "save":
                put(live / name, text)
                if tree.root / name not in buffers:
                    put(saved / name, text)
            elif buffers.pop(tree.root / name, None) is not None:
                put(saved / name, (live / name).read_text() if (live / name).exists() else None)
            assert tree.check(buffers).problems == lint(saved)


def put(path: Path, text: str | None) -> None:
    """Write *text*, or see to it that there is no such file."""
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def test_a_broken_file_counts_as_it_was_before() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            put(Path(folder, "content", name), text)
        tree = LiveTree(Path(folder, "content"))
        assert tree.check().symbols.names(NameKind.FACT) == ("sea.deep",)
        path = tree.root / "global/knowledge/sea.yaml"
        analysis = tree.check({path: b"category: sea\nfacts: [\n"})
        assert [one.code for one in analysis.problems if "sea.yaml" in str(one.where)] == ["TB405"]
        assert analysis.symbols.names(NameKind.FACT) == ("sea.deep",)
        assert tree.check().symbols.names(NameKind.FACT) == ("sea.deep",)


def written(before: str, edits: list[types.TextEdit], encoding: str) -> str:
    """Return *before* with *edits*, as an editor that counts in *encoding* makes them."""
    text, starts = Text(before, encoding), [0]
    starts += [match.end() for match in re.finditer(r"\r\n|\n|\r", before)]
    mark = len(before) - len(before.removeprefix("\ufeff"))

    def offset(position: types.Position) -> int:
        row, column = text.place(position)
        return starts[row] + column + (mark if row == 0 else 0)

    for one in sorted(edits, key=lambda edit: -offset(edit.range.start)):
        start, end = offset(one.range.start), offset(one.range.end)
        before = before[:start] + one.new_text + before[end:]
    return before


CHANGED = st.lists(
    st.tuples(
        st.sampled_from(["a: 😀", "b: né", "", "  - x", "c"]), st.sampled_from(["\n", "\r\n"])
    ),
    max_size=8,
).map(lambda rows: "".join(row + end for row, end in rows))


@settings(max_examples=200)
@given(CHANGED, CHANGED, st.sampled_from(["", "end"]), st.sampled_from(ENCODINGS), st.booleans())
def test_edits_make_one_text_into_the_other(
    before: str, after: str, tail: str, encoding: str, marked: bool
) -> None:
    mark = "\ufeff" if marked else ""
    old, new = mark + before + tail, mark + after + tail
    edits = differences(old, new, encoding)
    assert written(old, edits, encoding) == new
    assert bool(edits) == (old != new)
    assert written(old, [difference(old, new, encoding)], encoding) == new
