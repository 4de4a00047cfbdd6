"""Text edits of YAML: what is asked for changes, and every other byte stays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from talebearer.content.editing import Change, Edits, fresh_errors, write_changes
from talebearer.errors import EditRefused

POOL = """\
# Kael at the bar.
location: the-last-shift   # where
role: dock-worker

lines:
  # the greeting
  - id: kael-davan_d_015
    text: "Saved you a seat."  # warm
    role: dock-worker
    access: [insider, peer]
    trust: surface
    situation: [ bar_evening, social ]
    tags:
      - kael   # himself
      # a greeting
      - greeting

  - id: kael-davan_d_016
    text: >-
      Lera knows more
      than she lets on.
    role: dock-worker
    access: [insider]
    trust: real   # for now
    situation: [social]
    notes: |
      Low voice.
      No eye contact.

  # the end
  - id: kael-davan_d_017
    text: Nils wants to talk
    role: dock-worker
    access: [insider]
    trust: real
    situation: [social]
# after all lines
"""


def edited(*calls: tuple[Any, ...], text: str = POOL) -> str:
    edits = Edits(text.encode())
    for name, *arguments in calls:
        getattr(edits, name)(*arguments)
    return edits.result()


def swapped(old: str, new: str, text: str = POOL) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.spec("LP-L8-edit-in-place")
@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("lines", 0, "text"), "No seat: #1", '"Saved you a seat."', '"No seat: #1"'),
        (("lines", 0, "trust"), "real", "trust: surface", "trust: real"),
        (("lines", 2, "text"), "Nils: no", "text: Nils wants to talk", 'text: "Nils: no"'),
        (("lines", 2, "text"), "Nils is here", "Nils wants to talk", "Nils is here"),
        (("lines", 0, "access"), ["insider"], "[insider, peer]", "[insider]"),
        (("lines", 0, "access"), ["peer"], "[insider, peer]", "[peer]"),
        (("lines", 0, "access"), ["insider", "peer", "hostile"], "r, peer]", "r, peer, hostile]"),
        (("lines", 0, "situation"), ["social"], "[ bar_evening, social ]", "[ social ]"),
        (("lines", 0, "situation"), ["alone", "social"], "bar_evening", "alone"),
        (("lines", 0, "tags"), ["kael"], "      - greeting\n", ""),
        (("lines", 0, "tags"), ["greeting"], "      - kael   # himself\n", ""),
        (("lines", 0, "tags"), ["kael", "greeting", "b"], "- greeting\n", "- greeting\n      - b\n"),
        (("lines", 0, "tags"), ["a", "kael", "greeting"], "- kael ", "- a\n      - kael "),
        (("lines", 1, "text"), "Lera is silent.", "Lera knows more\n      than she lets on.",
         "Lera is silent."),
        (("lines", 1, "notes"), "Loud.\nQuick.\n", "Low voice.\n      No eye contact.",
         "Loud.\n      Quick."),
        (("lines", 1, "notes"), "Loud.", "|\n      Low voice.\n      No eye contact.",
         "|-\n      Loud."),
        (("lines", 1, "notes"), " \x07", "|\n      Low voice.\n      No eye contact.",
         '" \\u0007"'),
        (("location",), "the-quay", "location: the-last-shift", "location: the-quay"),
    ],
)  # fmt: skip
def test_a_value_is_put_in_the_place_of_another(
    path: tuple[str | int, ...], value: Any, old: str, new: str
) -> None:
    assert edited(("replace", path, value)) == swapped(old, new)


def test_keys_are_added_and_removed() -> None:
    assert edited(("add", ("lines", 0), "mood", ["warm"])) == swapped(
        "      - greeting\n", "      - greeting\n    mood: [warm]\n"
    )
    edits = Edits(POOL.encode())
    edits.add(("lines", 0), "mood", ["warm"], after=["id", "text", "topic"])
    assert edits.result() == swapped("# warm\n", "# warm\n    mood: [warm]\n")
    assert edited(("remove", ("lines", 1, "trust"))) == swapped("    trust: real   # for now\n", "")
    assert edited(("remove", ("lines", 2, "id"))) == swapped(
        "- id: kael-davan_d_017\n    text", "- text"
    )
    lens = {"smuggler": "A way in.", "detective": "A lie."}
    assert edited(("add", ("lines", 2), "dual_lens", lens)) == swapped(
        "[social]\n# after",
        '[social]\n    dual_lens:\n      smuggler: "A way in."\n      detective: "A lie."\n# after',
    )


def test_a_key_is_renamed() -> None:
    assert edited(("rename", ("lines", 2, "text"), "words")) == swapped("text: Nils", "words: Nils")


def test_entries_are_put_in_and_taken_out() -> None:
    line = {"id": "kael-davan_d_018", "text": "Well.", "access": ["peer"], "notes": "x: y"}
    written = (
        '\n  - id: kael-davan_d_018\n    text: "Well."\n    access: [peer]\n    notes: "x: y"\n'
    )
    assert edited(("insert", ("lines",), 3, line)) == swapped(
        "# after all", written + "# after all"
    )
    first = edited(("insert", ("lines",), 0, {"id": "a"}))
    assert first == swapped("  # the greeting", "  - id: a\n\n  # the greeting")
    gone = edited(("remove", ("lines", 1)))
    assert "kael-davan_d_016" not in gone
    assert "# the end\n  - id: kael-davan_d_017" in gone
    assert "\n\n\n" not in gone
    both = edited(("remove", ("lines", 1)), ("insert", ("lines",), 2, {"id": "new"}))
    assert "      - greeting\n\n  - id: new\n\n  # the end" in both


def test_changes_in_one_text_are_told_by_the_places_before_them() -> None:
    text = edited(
        ("remove", ("lines", 0)),
        ("replace", ("lines", 2, "trust"), "secret"),
        ("insert", ("lines",), 3, {"id": "x"}),
        ("add", ("lines", 1), "once", "mind"),
    )
    value = Edits(text.encode()).value
    assert [line.get("trust") for line in value["lines"]] == ["real", "secret", None]
    assert value["lines"][0]["once"] == "mind"


def test_what_is_put_in_at_one_place_keeps_its_nesting() -> None:
    text = "lines:\n- id: x\n  tags:\n  - a\n"
    edits = Edits(text.encode())
    edits.insert(("lines",), 1, {"id": "y"})
    edits.add(("lines", 0), "once", "mind")
    edits.replace(("lines", 0, "tags"), ["a", "b"])
    assert edits.result() == f"{text}  - b\n  once: mind\n- id: y\n"


@pytest.mark.parametrize(
    ("before", "call", "after"),
    [
        ("a: {b: 1, c: 2}\n", ("remove", ("a", "b")), "a: {c: 2}\n"),
        ("a: {b: 1, c: 2}\n", ("remove", ("a", "c")), "a: {b: 1}\n"),
        ("a: {b: 1}\n", ("add", ("a",), "c", ["x"]), "a: {b: 1, c: [x]}\n"),
        ("a: {}\n", ("add", ("a",), "c", 1), "a: {c: 1}\n"),
        ("a:\n", ("replace", ("a",), "x"), "a: x\n"),
        ("a:\n- 1\n- 2\nb: 3\n", ("remove", ("a", 1)), "a:\n- 1\nb: 3\n"),
        ("a:\n- 1\nb: 3\n", ("remove", ("a", 0)), "a: []\nb: 3\n"),
        ("a: []\n", ("insert", ("a",), 0, {"id": "x", "n": 1}), "a:\n  - id: x\n    n: 1\n"),
        ("a: []\n", ("insert", ("a",), 0, "x"), "a: [x]\n"),
        ("a:\r\n  - 1\r\nb: 2\r\n", ("insert", ("a",), 1, "x"), "a:\r\n  - 1\r\n  - x\r\nb: 2\r\n"),
        ("a: [\n  1, # one\n  2,\n]\n", ("remove", ("a", 1)), "a: [\n  1,\n]\n"),
        ("a: [x, y]", ("replace", ("a",), ["y", "z"]), "a: [y, z]"),
        ("a: 'it''s'\n", ("replace", ("a",), "it's so"), "a: 'it''s so'\n"),
        ("😀: 1\na: \u2028x\nb: 1\n", ("replace", ("b",), 2), "😀: 1\na: \u2028x\nb: 2\n"),
        ('a: "\\ud83d\\ude00"\n', ("replace", ("a",), "x"), 'a: "x"\n'),
        ("a: No\n", ("replace", ("a",), "yes"), 'a: "yes"\n'),
        ("a: x\n", ("replace", ("a",), "1.0"), 'a: "1.0"\n'),
        ("- 1\n", ("replace", (0,), 2), None),
        ("a: &x 1\nb: *x\n", ("replace", ("a",), 2), None),
        ("a: 1\na: 2\n", ("replace", ("a",), 2), None),
        ("a: 1\n", ("replace", ("b",), 2), None),
        ("a: 1\n", ("remove", ("b",)), None),
        ("a: [1]\n", ("remove", ("a", 1)), None),
        ("a: 1\n", ("add", (), "a", 2), None),
        ("a: 1\n", ("add", ("a",), "b", 2), None),
        ("a: 1\nb: 2\n", ("rename", ("a",), "b"), None),
        ("? a\n: 1\nb: 2\n", ("remove", ("b",)), "? a\n: 1\n"),
    ],
)
def test_other_layouts(before: str, call: tuple[Any, ...], after: str | None) -> None:
    if after is None:
        with pytest.raises(EditRefused):
            edited(call, text=before)
    else:
        assert edited(call, text=before) == after


def test_two_changes_of_one_place_are_refused() -> None:
    with pytest.raises(EditRefused, match="same place"):
        edited(("replace", ("location",), "a"), ("replace", ("location",), "b"))


def test_a_byte_order_mark_stays() -> None:
    edits = Edits(b"\xef\xbb\xbfa: 1\n")
    edits.replace(("a",), 2)
    assert edits.data() == b"\xef\xbb\xbfa: 2\n"
    assert edits.span(("a",)) == (3, 4)


def _change(path: Path, before: str | None, after: str) -> Change:
    data = None if before is None else before.encode()
    return Change(path=path, name=path.name, before=data, after=after.encode())


def test_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    one, two, new = tmp_path / "one.yaml", tmp_path / "two.yaml", tmp_path / "sub" / "new.yaml"
    one.write_text("1")
    one.chmod(0o640)
    two.write_text("2")
    with pytest.raises(EditRefused, match=r"two\.yaml has changed"):
        write_changes([_change(one, "1", "x"), _change(two, "other", "y")])
    assert one.read_text() == "1"
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    changes = [_change(one, "1", "x"), _change(new, None, "n"), _change(two, "2", "y")]
    write_changes(changes)
    assert [one.read_text(), new.read_text(), two.read_text()] == ["x", "n", "y"]
    assert one.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "folder.yaml", "one.yaml", "sub", "two.yaml",
    ]  # fmt: skip


def test_what_was_written_is_taken_back_when_the_next_cannot_be(tmp_path: Path) -> None:
    one, new = tmp_path / "one.yaml", tmp_path / "new.yaml"
    one.write_text("1")
    bad = tmp_path / "one.yaml" / "below-a-file.yaml"
    with pytest.raises(OSError, match=r"directory|exists"):
        write_changes([_change(one, "1", "x"), _change(new, None, "n"), _change(bad, None, "y")])
    assert one.read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["one.yaml"]


def interrupted(at: int, work: Callable[[], None]) -> bool:
    """Do *work*, interrupt the writing of changes at its line number *at*; return whether it got there."""
    left = at

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        nonlocal left
        if frame.f_code.co_filename != write_changes.__code__.co_filename:
            return None
        left -= event == "line"
        if event == "line" and left == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_an_interrupt_leaves_all_files_old_or_all_new(tmp_path: Path) -> None:
    seen = []
    for at in count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "one.yaml").write_text("1")
        (folder / "one.yaml").chmod(0o600)
        (folder / "gone.yaml").write_text("g")
        changes = [
            _change(folder / "one.yaml", "1", "x"),
            _change(folder / "new.yaml", None, "n"),
            Change(path=folder / "gone.yaml", name="gone", before=b"g", after=None),
        ]
        was_interrupted = interrupted(at, partial(write_changes, changes))
        found = {path.name: path.read_text() for path in sorted(folder.iterdir())}
        assert found in ({"gone.yaml": "g", "one.yaml": "1"}, {"new.yaml": "n", "one.yaml": "x"})
        assert (folder / "one.yaml").stat().st_mode & 0o777 == 0o600
        seen.append(len(found) == 2 and "new.yaml" in found)
        if not was_interrupted:
            break
    assert seen[-1]
    assert not seen[0]


def test_files_marked_read_only_are_all_named_and_left(tmp_path: Path) -> None:
    one, two, three = (tmp_path / f"{name}.yaml" for name in ("one", "two", "three"))
    for path in (one, two, three):
        path.write_text("1")
    one.chmod(0o444)
    three.chmod(0o440)
    with pytest.raises(EditRefused, match=r"read-only: one\.yaml, three\.yaml"):
        write_changes([_change(path, "1", "x") for path in (one, two, three)])
    assert [path.read_text() for path in (one, two, three)] == ["1", "1", "1"]


def test_errors_of_a_changed_tree_are_known_before_it_is_written(bundled: Path) -> None:
    content = bundled / "content"
    path = next(p for p in sorted(content.rglob("dialogue/*/*.yaml")) if "plan" not in p.name)
    data = path.read_bytes()
    edits = Edits(data)
    edits.replace(("lines", 0, "trust"), "realy")
    change = Change(path=path, name=path.name, before=data, after=edits.data())
    assert [problem.code for problem in fresh_errors(content, [change])] == ["TB423"]
    assert path.read_bytes() == data
    path.write_bytes(edits.data())
    assert not fresh_errors(content, [change])  # it was there before
