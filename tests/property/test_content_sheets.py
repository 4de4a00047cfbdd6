"""Any text goes through a sheet or a translation and back as it was, or is refused clearly."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
import yaml_rs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sheets import SAID, Rows, changed_csv, rows_of, texts, tree

from talebearer.content.sheets import (
    Choices,
    export_lines,
    export_translations,
    import_lines,
    import_translations,
    translations,
)

# What content may hold: everything but control characters and halves of surrogate pairs.
CHARACTERS = st.characters(
    exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"
) | st.sampled_from("\n\r\t =+-@'\"\\,;:#|>&*%~_x\u202e\u200f\u2028\ufeff😀＝")
TEXTS = st.one_of(
    st.text(CHARACTERS, min_size=1, max_size=60),
    st.sampled_from(
        ["=1+1", "'=1", "''", "'tis", "-x", "@a", "+1", "\t=", "007", "1/2", "TRUE", "_x000D_",
         "a\r\nb", " lead", "trail ", "a: b", "# no", "null", "~", "\u202eabc", "x" * 5000]
    ),
).filter(lambda text: text.strip() != "")  # fmt: skip
TREES = settings(max_examples=25)


def pool_of(texts_of_lines: list[str], notes: list[str]) -> str:
    """Return a pool with these texts, written as JSON has them, which YAML reads."""
    lines = [
        f"  - id: kael-davan_d_{number:03}  # {number}\n    text: {json.dumps(text)}\n"
        f"    role: dock-worker\n    access: [peer]\n    trust: real\n    situation: [social]\n"
        f"    notes: {json.dumps(note)}\n"
        for number, (text, note) in enumerate(zip(texts_of_lines, notes, strict=True), 1)
    ]
    return "location: the-last-shift\nrole: dock-worker\nlines:\n" + "".join(lines)


@pytest.mark.spec("LP-L8-sheets")
@TREES
@given(data=st.data(), format=st.sampled_from([".csv", ".xlsx"]))
def test_any_text_survives_a_round_trip(data: st.DataObject, format: str) -> None:
    written = data.draw(st.lists(TEXTS, min_size=1, max_size=3))
    notes = data.draw(st.lists(TEXTS, min_size=len(written), max_size=len(written)))
    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder))
        (root / f"{SAID}.yaml").write_bytes(pool_of(written, notes).encode())
        before = texts(root)
        sheet = Path(folder) / f"lines{format}"
        sheet.write_bytes(export_lines(root, format).data)
        imported = import_lines(root, sheet)
        assert imported.problems == []
        assert imported.changes == ()
        assert texts(root) == before
        if format == ".csv":
            rows = rows_of(sheet.read_bytes())
            assert not any(
                cell[:1] in tuple("=+-@\t\r") for row in rows for cell in row.values() if cell
            )


@pytest.mark.spec("LP-L8-sheets")
@pytest.mark.spec("LP-L8-edit-in-place")
@TREES
@given(old=TEXTS, new=TEXTS, note=TEXTS)
def test_a_changed_cell_changes_its_value_and_no_other_byte(old: str, new: str, note: str) -> None:
    assume(old != new.replace("\r\n", "\n") and old != new)
    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder))
        pool = root / f"{SAID}.yaml"
        pool.write_bytes(pool_of([old, "other"], [note, "-"]).encode())
        before = pool.read_bytes().decode()
        others = {name: text for name, text in texts(root).items() if name != f"{SAID}.yaml"}
        start = before.index("text: ") + len("text: ")
        end = before.index("\n    role")

        def change(rows: Rows) -> None:
            text = new if new[:1] not in "=+-@'\t\r\n＝＋－＠" else f"'{new}"  # as export writes it
            next(row for row in rows if row["id"] == "kael-davan_d_001")["text"] = text

        imported = import_lines(root, changed_csv(root, change))
        assert imported.problems == []
        after = pool.read_bytes().decode()
        assert after[:start] == before[:start]
        assert after.endswith(before[end:])
        value = yaml_rs.loads(after, parse_datetime=False)
        assert [line["text"] for line in value["lines"]] == [new, "other"]
        assert others.items() <= texts(root).items()
        assert not import_lines(root, root.parent / "lines.csv", choices=Choices()).changes


@pytest.mark.spec("LP-L8-translations")
@TREES
@given(source=TEXTS, translation=TEXTS)
def test_any_text_survives_a_translation(source: str, translation: str) -> None:
    import polib

    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder))
        (root / f"{SAID}.yaml").write_bytes(pool_of([source], ["-"]).encode())
        found = export_translations(root, "de", target=Path(folder) / "de.po")
        file = polib.pofile(str(found.path), encoding="utf-8")
        entry = next(one for one in file if one.msgctxt == f"{SAID}#kael-davan_d_001")
        assert entry.msgid == source
        entry.msgstr = translation
        file.save(newline="\n")
        import_translations(root, found.path)
        (kept,) = translations(root)
        assert kept.translated == (f"{SAID}#kael-davan_d_001",)
        stored = polib.pofile(str(kept.path), encoding="utf-8")
        assert [(one.msgid, one.msgstr) for one in stored if one.msgstr] == [(source, translation)]


@settings(max_examples=80)
@given(data=st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_no_bytes_are_more_than_a_finding(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = tree(Path(folder))
        before = texts(root)
        sheet = Path(folder) / "lines.csv"
        sheet.write_bytes(data)
        assert import_lines(root, sheet).is_refused
        assert texts(root) == before
