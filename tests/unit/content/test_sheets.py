"""Lines as sheets and back."""

from __future__ import annotations

import datetime
import io
import re
import sys
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from sheets import (
    DIALOGUE,
    SAID,
    THOUGHT,
    Rows,
    changed_csv,
    changed_xlsx,
    rows_of,
    texts,
    tree,
)

from talebearer.content import lint
from talebearer.content.sheets import (
    Choices,
    Filter,
    Imported,
    export_lines,
    export_translations,
    import_lines,
    recording_stem,
)
from talebearer.errors import EditRefused, InvalidContent, UsageFault

NEW_LINE = """\
  - id: kael-davan_d_001
    text: "Before."
    role: dock-worker
    access: [insider]
    trust: surface
    situation: [social]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path)


def column(sheet: Any, name: str) -> str:
    """Return the letter of the column *name*."""
    return next(cell.column_letter for cell in sheet[1] if cell.value == name)


def found(imported: Imported) -> list[tuple[str, str]]:
    return [(problem.code, problem.where.pointer or "") for problem in imported.problems]


@pytest.mark.spec("LP-L8-sheets")
def test_a_sheet_has_a_row_for_each_line_and_variant(root: Path) -> None:
    assert not [p for p in lint(root) if p.severity == "error"]
    rows = rows_of(export_lines(root, ".csv").data)
    assert [(row["id"], row["variant"], row["text"]) for row in rows] == [
        ("kael-davan_d_015", "", "Saved you a seat."),
        ("kael-davan_d_015", "1", "Your seat is free."),
        ("kael-davan_d_015", "2", "There's a seat."),
        ("kael-davan_d_016", "", "Lera knows more than she lets on."),
        ("pc-detective_m_d_001", "", "Smells of freight lubricant."),
    ]
    first, lera, thought = rows[0], rows[3], rows[4]
    assert (first["pool"], first["kind"], first["speaker"]) == (SAID, "dialogue", "dock-worker")
    assert (first["access"], first["tags"]) == ("insider, peer", "kael, greeting")
    assert (first["chars"], first["words"]) == ("17", "4")
    assert first["recording_file"] == recording_stem(SAID, "kael-davan_d_015", 0)
    assert rows[1]["recording_file"] == first["recording_file"] + "_v1"
    assert (lera["dual_lens.smuggler"], lera["cooldown"]) == ("A way in.", "600")
    assert lera["notes"] == "'=Low voice."  # no spreadsheet takes it for a formula
    assert lera["effects"] == "grant: {fact_id: knowledge.bar_ring, confidence: suspects}"
    assert (thought["speaker"], thought["trigger"]) == ("detective", "enter_location")
    assert thought["gates"].startswith("facts: [{fact_id: knowledge.bar_ring")


def test_a_filter_takes_whole_pools(root: Path) -> None:
    def pools(**only: str) -> set[str]:
        return {
            row["pool"] for row in rows_of(export_lines(root, ".csv", only=Filter(**only)).data)
        }

    assert pools(character="detective") == {THOUGHT}
    assert pools(role="dock-worker") == pools(role="kael-davan") == {SAID}
    assert pools(location="the-last-shift", pool="dialogue/") == {SAID}


def test_a_filter_that_takes_nothing_says_what_there_is(root: Path) -> None:
    with pytest.raises(UsageFault, match=r"no pool is of location 'the-last-shft'") as fault:
        export_lines(root, ".csv", only=Filter(location="the-last-shft"))
    assert "did you mean the-last-shift?" in fault.value.hint
    with pytest.raises(UsageFault, match="of role 'dock-worker', character 'detective'") as fault:
        export_lines(root, ".csv", only=Filter(role="dock-worker", character="detective"))
    assert fault.value.hint == "ask for less at once"


def test_recordings_that_are_there_are_told(root: Path, tmp_path: Path) -> None:
    takes = tmp_path / "takes" / "day-1"
    takes.mkdir(parents=True)
    (takes / f"{recording_stem(SAID, 'kael-davan_d_015', 1)}.WAV").touch()
    exported = export_lines(root, ".csv", takes=takes.parent)
    states = [row["recording"] for row in rows_of(exported.data)]
    assert states == ["missing", "recorded", "missing", "missing", "missing"]
    assert exported.missing == 4
    with pytest.raises(UsageFault, match="no folder"):
        export_lines(root, ".csv", takes=tmp_path / "nowhere")


@pytest.mark.spec("LP-L8-sheets")
@pytest.mark.parametrize("format", [".csv", ".xlsx"])
def test_a_sheet_that_nobody_changed_changes_nothing(root: Path, format: str) -> None:
    before = texts(root)
    exported = export_lines(root, format)
    assert exported.data == export_lines(root, format).data
    path = root.parent / f"lines{format}"
    path.write_bytes(exported.data)
    imported = import_lines(root, path)
    assert (imported.rows, imported.changes, imported.problems) == (5, (), [])
    assert not imported.is_written
    assert texts(root) == before


def swapped(root: Path, name: str, *pairs: tuple[str, str]) -> dict[str, str]:
    """Return the texts of the tree with parts of the file *name* put in the place of others."""
    wanted = texts(root)
    for old, new in pairs:
        assert wanted[name].count(old) == 1
        wanted[name] = wanted[name].replace(old, new)
    return wanted


@pytest.mark.spec("LP-L8-sheets")
def test_only_changed_cells_change(root: Path) -> None:
    def change(rows: Rows) -> None:
        rows[0]["text"] = "No seat: #1"
        rows[0]["access"] = "peer"
        rows[0]["mood"] = "warm, anxious"
        rows[1]["text"] = "Sit."
        rows[3]["cooldown"] = ""
        rows[3]["dual_lens.smuggler"] = ""
        rows[4]["priority"] = "9"
        rows.reverse()

    wanted = swapped(
        root, f"{SAID}.yaml",
        ('"Saved you a seat."  #', '"No seat: #1"  #'),
        ("[insider, peer]", "[peer]"),
        ('"Your seat is free."', '"Sit."'),
        ("[ bar_evening, social ]\n", "[ bar_evening, social ]\n    mood: [warm, anxious]\n"),
        ("    cooldown: 600\n", ""),
        ("smuggler: A way in.\n      ", ""),
    ) | {f"{THOUGHT}.yaml": texts(root)[f"{THOUGHT}.yaml"].replace("7", "9", 1)}  # fmt: skip
    imported = import_lines(root, changed_csv(root, change))
    assert not imported.problems
    assert len(imported.changes) == 7
    assert imported.is_written
    assert texts(root) == wanted


def test_a_workbook_that_a_person_changed_comes_in(root: Path) -> None:
    def change(book: openpyxl.Workbook) -> None:
        sheet = book["Lines"]
        sheet[f"{column(sheet, 'text')}2"] = "Sit down."
        sheet[f"{column(sheet, 'cooldown')}5"] = 700
        sheet["AD1"] = "x-actor"
        sheet["AD2"] = "Ana"

    wanted = swapped(
        root, f"{SAID}.yaml", ("Saved you a seat.", "Sit down."), ("600", "700")
    )  # fmt: skip
    imported = import_lines(root, changed_xlsx(root, change))
    assert found(imported) == []
    assert texts(root) == wanted


def test_a_workbook_is_framed(root: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(export_lines(root, ".xlsx").data))
    assert book.sheetnames == ["Lines", "Read me", "Words"]
    sheet = book["Lines"]
    assert sheet.freeze_panes == "D2"
    assert sheet.protection.sheet
    assert sheet[f"{column(sheet, 'id')}2"].protection.locked
    assert not sheet[f"{column(sheet, 'text')}2"].protection.locked
    assert sheet.column_dimensions[column(sheet, "exported")].hidden
    notes = sheet[f"{column(sheet, 'notes')}5"]
    assert (notes.value, notes.data_type, notes.number_format) == ("=Low voice.", "s", "@")
    rules = {str(rule.sqref).rstrip("0123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZ"): rule
             for rule in sheet.data_validations.dataValidation}  # fmt: skip
    assert rules
    trust = next(
        rule for rule in sheet.data_validations.dataValidation
        if str(rule.sqref).startswith(column(sheet, "trust") + "2")
    )  # fmt: skip
    words = trust.formula1.removeprefix("Words!").replace("$", "")
    assert [cell.value for (cell,) in book["Words"][words]] == ["surface", "real", "secret"]
    assert book["Words"].sheet_state == "hidden"


@pytest.mark.spec("LP-L8-sheets")
def test_all_faults_of_a_sheet_are_told_at_once_with_their_cells(root: Path) -> None:
    before = texts(root)

    def change(rows: Rows) -> None:
        rows[0]["access"] = "insidr"
        rows[0]["trust"] = ""
        rows[0]["trigger"] = "enter_location"
        rows[1]["notes"] = "a note"
        rows[2]["variant"] = "two"
        rows[3]["cooldown"] = "1e3"
        rows[3]["tags"] = '"open'
        rows[4]["pool"] = THOUGHT.replace("shift", "shfit")
        rows.append(dict(rows[3]))

    imported = import_lines(root, changed_csv(root, change))
    messages = {problem.where.pointer: problem for problem in imported.problems}
    assert list(messages) == ["I2", "K2", "N2", "T3", "C4", "P5", "S5", "A6", "B7", None]
    assert messages["I2"].message == 'access "insidr" is not one of the values'
    assert messages["I2"].hint == "did you mean insider?"
    assert messages["A6"].hint.startswith(f"did you mean {THOUGHT}")
    assert messages["B7"].message == "kael-davan_d_016 has a row already, 5:5"
    assert imported.is_refused
    assert texts(root) == before


def test_unknown_and_doubled_columns_are_told(root: Path) -> None:
    data = export_lines(root, ".csv").data.decode("utf-8-sig")
    head, _, rest = data.partition("\r\n")
    path = root.parent / "lines.csv"
    path.write_text(head.replace("mood", "moood").replace("topic", "tags") + "\n" + rest)
    imported = import_lines(root, path)
    assert found(imported) == [("TB491", "M1"), ("TB491", "S1")]
    assert imported.problems[0].hint == "did you mean mood?"


def test_cells_that_a_spreadsheet_made_something_of_are_told(root: Path) -> None:
    def change(book: openpyxl.Workbook) -> None:
        sheet = book["Lines"]
        text = column(sheet, "text")
        sheet[f"{text}2"] = datetime.date(2026, 1, 2)
        sheet[f"{text}3"] = 12
        sheet[f"{text}4"] = "=1+1"
        sheet[f"{text}5"] = True
        sheet.merge_cells("A6:B6")

    imported = import_lines(root, changed_xlsx(root, change))
    told = {p.where.pointer: p.message for p in imported.problems if p.code == "TB492"}
    assert told["Lines!G2"] == "text holds a date or time, which is no text"
    assert told["Lines!G3"] == "text holds the number 12, which is no text"
    assert told["Lines!G4"] == "text holds a formula, which is no text"
    assert told["Lines!G5"] == "text holds a truth value, which is no text"
    assert told["Lines!A6:B6"] == "cells are merged"
    assert imported.is_refused


@pytest.mark.spec("LP-L8-sheet-conflict")
def test_what_both_sides_changed_is_a_conflict(root: Path) -> None:
    path = changed_csv(root, lambda rows: rows[0].update(text="Sheet.", trust="real"))
    pool = root / f"{SAID}.yaml"
    pool.write_text(DIALOGUE.replace("Saved you a seat.", "Content.").replace("600", "900"))
    before = texts(root)
    imported = import_lines(root, path)
    assert [conflict.as_json() for conflict in imported.conflicts] == [
        {"cell": "G2", "pool": SAID, "id": "kael-davan_d_015", "column": "text",
         "exported": "Saved you a seat.", "content": "Content.", "sheet": "Sheet."}
    ]  # fmt: skip
    assert imported.is_refused
    assert texts(root) == before
    ours = import_lines(root, path, choices=Choices(ours=True, dry_run=True))
    assert [change.column for change in ours.changes] == ["trust"]
    assert "-    trust: surface" in ours.diff
    assert texts(root) == before
    theirs = import_lines(root, path, choices=Choices(theirs=True))
    assert theirs.is_written
    assert 'text: "Sheet."' in pool.read_text()
    assert "cooldown: 900" in pool.read_text()  # what only the content changed stays
    assert not import_lines(root, path).changes  # the same sheet again changes nothing
    with pytest.raises(UsageFault, match="exclude each other"):
        Choices(ours=True, theirs=True)


def test_without_a_record_of_the_export_the_sheet_is_taken_at_its_word(root: Path) -> None:
    def change(rows: Rows) -> None:
        for row in rows:
            row["exported"] = ""
        rows[0]["text"] = "Sheet."
        rows[3]["exported"] = "1.####"

    imported = import_lines(root, changed_csv(root, change))
    assert [change.after for change in imported.changes] == ["Sheet."]
    assert found(imported) == [("TB492", "AC5")]


@pytest.mark.spec("LP-L8-sheet-rows")
def test_new_rows_become_lines_only_if_asked(root: Path) -> None:
    def change(rows: Rows) -> None:
        empty = dict.fromkeys(rows[0], "")
        rows.append(empty | {"pool": SAID, "text": "New: one.", "access": "peer",
                             "trust": "real", "situation": "social", "notes": "a\nb"})  # fmt: skip
        rows.append(empty | {"pool": THOUGHT, "text": "Hm.", "trigger": "time_idle"})
        rows.append(
            empty | {"pool": SAID, "id": "kael-davan_d_015", "variant": "3", "text": "Sit!"}
        )

    path = changed_csv(root, change)
    refused = import_lines(root, path)
    assert [code for code, _ in found(refused)] == ["TB493"] * 3
    imported = import_lines(root, path, choices=Choices(adds=True))
    assert imported.problems == []
    assert [one["id"] for one in imported.added] == [
        "kael-davan_d_017", "pc-detective_m_d_002", "kael-davan_d_015",
    ]  # fmt: skip
    text = texts(root)[f"{SAID}.yaml"]
    assert text.endswith(
        'suspects\n\n  - id: kael-davan_d_017\n    text: "New: one."\n    role: dock-worker\n'
        '    access: [peer]\n    trust: real\n    situation: [social]\n    notes: "a\\nb"\n'
    )
    assert "- 'There''s a seat.'\n      - \"Sit!\"\n" in text
    assert not [p for p in lint(root) if p.severity == "error"]


@pytest.mark.spec("LP-L8-sheet-rows")
def test_lines_without_a_row_are_deleted_only_if_asked(root: Path) -> None:
    def change(rows: Rows) -> None:
        del rows[3], rows[1]

    before = texts(root)
    path = changed_csv(root, change)
    imported = import_lines(root, path)
    assert [code for code, _ in found(imported)] == ["TB496", "TB496"]
    assert not imported.is_refused
    assert texts(root) == before
    imported = import_lines(root, path, choices=Choices(removes=True))
    assert imported.removed == ((SAID, "kael-davan_d_015", 1), (SAID, "kael-davan_d_016", 0))
    text = texts(root)[f"{SAID}.yaml"]
    assert "kael-davan_d_016" not in text
    assert "Your seat is free" not in text
    assert text.endswith("- greeting\n")


def test_with_its_last_variant_the_field_goes(root: Path) -> None:
    def change(rows: Rows) -> None:
        del rows[1:3]

    imported = import_lines(root, changed_csv(root, change), choices=Choices(removes=True))
    assert imported.is_written
    assert "variants" not in texts(root)[f"{SAID}.yaml"]


def test_a_new_id_of_the_sheet_is_given_to_no_other_row(root: Path) -> None:
    def change(rows: Rows) -> None:
        new = {"pool": SAID, "text": "A.", "access": "peer", "trust": "real",
               "situation": "social"}  # fmt: skip
        empty = dict.fromkeys(rows[0], "")
        rows += [empty | new, empty | new | {"id": "kael-davan_d_017"}, empty | new]

    imported = import_lines(root, changed_csv(root, change), choices=Choices(adds=True))
    assert imported.problems == []
    given = [one["id"].rpartition("_")[2] for one in imported.added]
    assert given == ["018", "017", "019"]


def test_a_row_of_a_former_id_is_the_line_that_has_it_as_an_alias(root: Path) -> None:
    path = changed_csv(root, lambda rows: rows[3].update(id="kael-davan_d_001", text="Lera."))
    imported = import_lines(root, path)
    assert [(c.line_id, c.after) for c in imported.changes] == [("kael-davan_d_016", "Lera.")]


def test_content_with_new_errors_is_not_written(root: Path) -> None:
    before = texts(root)
    path = changed_csv(root, lambda rows: rows[4].update(text="x" * 161))
    imported = import_lines(root, path)
    assert [problem.code for problem in imported.problems] == ["TB428"]
    assert imported.is_refused
    assert texts(root) == before


def test_a_change_in_a_grey_column_is_told(root: Path) -> None:
    imported = import_lines(root, changed_csv(root, lambda rows: rows[0].update(speaker="Ana")))
    assert found(imported) == [("TB495", "2:2")]
    assert not imported.is_refused


@pytest.mark.parametrize(
    ("encoding", "separator"),
    [("utf-8", ","), ("utf-8-sig", ";"), ("utf-16", "\t"), ("cp1252", ";")],
)
def test_sheets_as_spreadsheets_save_them(root: Path, encoding: str, separator: str) -> None:
    import csv

    rows = rows_of(export_lines(root, ".csv").data)
    rows[0]["text"] = "Schöne „Plätze“ – è tardi"
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    path = root.parent / "lines.csv"
    path.write_bytes(stream.getvalue().encode(encoding))
    imported = import_lines(root, path)
    assert [change.after for change in imported.changes] == ["Schöne „Plätze“ – è tardi"]
    assert [code for code, _ in found(imported)] == (["TB499"] if encoding == "cp1252" else [])


def zipped(parts: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no row has the headings"),
        (b"a,b\n1,2\n", "no row has the headings"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "no CSV"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\r", "no CSV"),
        (b"PK\x03\x04 not a zip", "no workbook"),
        (zipped({"xl/workbook.xml": b"<x/>"}), "no workbook"),
        (zipped({"xl/a.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'}), "entities"),
        (zipped({f"{n}.bin": b"" for n in range(600)}), "600 parts"),
        (b'pool,id\n"x' + b"a" * 200_000, "no CSV from row 2"),
        (b"pool,id" + b",x-a" * 300 + b"\n", "200 columns"),
        (b"\xff\xfea", "cut off"),
    ],
)
def test_hostile_sheets_are_refused(root: Path, data: bytes, message: str) -> None:
    path = root.parent / "lines.csv"
    path.write_bytes(data)
    before = texts(root)
    imported = import_lines(root, path)
    assert imported.is_refused
    assert [problem.code for problem in imported.problems] == ["TB499"]
    assert re.search(message, imported.problems[0].message)
    assert texts(root) == before


def test_a_workbook_that_unfolds_to_too_much_is_refused(root: Path) -> None:
    data = bytearray(zipped({"xl/workbook.xml": b"x"}))
    size = data.index(b"PK\x01\x02") + 24  # of the entry, unfolded, in the directory at the end
    data[size : size + 4] = (0xF000_0000).to_bytes(4, "little")
    path = root.parent / "lines.xlsx"
    path.write_bytes(data)
    imported = import_lines(root, path)
    assert imported.problems[0].message == "lines.xlsx unfolds to 4026531840 bytes in 1 parts"


def test_a_record_that_unfolds_to_too_much_is_no_record(root: Path) -> None:
    import base64
    import zlib

    bomb = "1." + base64.urlsafe_b64encode(zlib.compress(b"a" * (8 << 20))).decode()
    imported = import_lines(root, changed_csv(root, lambda rows: rows[0].update(exported=bomb)))
    assert found(imported) == [("TB492", "AC2")]


def test_a_break_within_a_changed_cell_is_one_line_feed(root: Path) -> None:
    def change(rows: Rows) -> None:
        rows[0]["notes"] = "one\r\ntwo"

    found = import_lines(root, changed_csv(root, change))
    assert [one.value for one in found.changes] == ["one\ntwo"]
    assert "\\r" not in (root / f"{SAID}.yaml").read_text()


def test_a_file_that_is_saved_while_a_sheet_comes_in_is_left_as_saved(root: Path) -> None:
    def change(rows: Rows) -> None:
        rows[0]["text"] = "From the sheet."

    sheet, path = changed_csv(root, change), root / f"{SAID}.yaml"
    begin, _, rest = path.read_text().partition("lines:\n")
    saved = f"{begin}lines:\n{NEW_LINE}{rest}"

    def tell(stage: str, done: int, total: int) -> None:
        if stage == "checking" and path.read_text() != saved:
            path.write_text(saved)  # the line of the sheet is another one by its place now

    with pytest.raises(EditRefused, match="has changed since it was read"):
        import_lines(root, sheet, progress=tell)
    assert path.read_text() == saved


def test_content_that_cannot_be_told_apart_is_refused(root: Path) -> None:
    pool = root / f"{SAID}.yaml"
    pool.write_text(DIALOGUE.replace("kael-davan_d_016", "kael-davan_d_015"))
    with pytest.raises(InvalidContent, match="no id of its own"):
        export_lines(root, ".csv")
    pool.write_text(DIALOGUE.replace("trust: surface", "trust: surface\n    trust: real"))
    with pytest.raises(InvalidContent, match="twice"):
        export_lines(root, ".csv")
    pool.write_text("lines: [")
    with pytest.raises(InvalidContent):
        export_lines(root, ".csv")
    with pytest.raises(UsageFault, match="no sheet"):
        import_lines(root, root / "nowhere.csv")
    with pytest.raises(UsageFault, match=r"no sheets of format"):
        export_lines(root, ".ods")


@pytest.mark.parametrize(("library", "format"), [("openpyxl", ".xlsx"), ("polib", ".po")])
def test_a_missing_library_is_named_with_how_to_install_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, library: str, format: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    export = partial(export_translations, root, "de")
    if format == ".xlsx":
        export = partial(export_lines, root, format)
    with pytest.raises(UsageFault, match="extra 'authoring'") as raised:
        export()
    assert "pip install 'talebearer[authoring]'" in (raised.value.hint or "")
