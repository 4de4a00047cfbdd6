"""Where new rows go, what the order of rows does, and what changed since an earlier sheet."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from sheets import FILES, SAID, THOUGHT, Rows, changed_csv, rows_of, texts

from talebearer.content.editing import rename, write_changes
from talebearer.content.sheets import Choices, export_lines, import_lines
from talebearer.content.sheets._xlsx import load
from talebearer.errors import UsageFault

ADD = Choices(adds=True)
NEW = {"access": "peer", "trust": "real", "situation": "social"}


@pytest.fixture
def root(tree: Callable[..., Path]) -> Path:
    return tree(FILES)


def ids(root: Path, pool: str = SAID) -> list[str]:
    rows = texts(root)[f"{pool}.yaml"].splitlines()
    return [row.partition("id: ")[2][-3:] for row in rows if "- id: " in row]


def new(rows: Rows, pool: str, text: str) -> dict[str, str]:
    return dict.fromkeys(rows[0], "") | NEW | {"pool": pool, "text": text}


@pytest.mark.spec("LP-L8-sheet-order")
@pytest.mark.parametrize(
    ("places", "order"),
    [
        ((0,), ["017", "015", "016"]),
        ((1,), ["015", "017", "016"]),  # between a line and its first variant
        ((3,), ["015", "017", "016"]),
        ((4,), ["015", "016", "017"]),
        ((3, 4), ["015", "017", "018", "016"]),
        ((0, 1, 5), ["017", "018", "015", "019", "016"]),
        ((5,), ["015", "016", "017"]),  # below the rows of another pool: no neighbour
    ],
)
def test_a_new_row_stands_beside_its_neighbour(
    root: Path, places: tuple[int, ...], order: list[str]
) -> None:
    before = texts(root)[f"{SAID}.yaml"]

    def change(rows: Rows) -> None:
        for place in places:
            rows.insert(place, new(rows, SAID, f"At {place}."))

    imported = import_lines(root, changed_csv(root, change), choices=ADD)
    assert imported.problems == []
    assert imported.reordered == ()
    assert ids(root) == order
    after = texts(root)[f"{SAID}.yaml"].splitlines()
    rest = iter(after)
    assert all(row in rest for row in before.splitlines())  # every row stays, in its order
    comment = after.index("  # the greeting")
    assert after[comment + 1] == "  - id: kael-davan_d_015"


@pytest.mark.spec("LP-L8-sheet-order")
def test_rows_in_another_order_change_no_order(root: Path) -> None:
    before = texts(root)

    def change(rows: Rows) -> None:
        rows.reverse()

    imported = import_lines(root, changed_csv(root, change))
    assert (imported.reordered, imported.files, imported.problems) == ((SAID,), (), [])
    assert texts(root) == before

    def more(rows: Rows) -> None:
        rows.reverse()
        rows.insert(1, new(rows, SAID, "New."))

    imported = import_lines(root, changed_csv(root, more), choices=ADD)
    assert ids(root) == ["015", "016", "017"]
    assert imported.as_json()["reordered"] == [SAID]


def test_a_line_that_a_plan_names_is_not_removed(root: Path) -> None:
    scene = "location: the-last-shift, access: peer, trust: real, situations: [social]"
    plan = f"cases:\n  - {{name: a, speaker: kael-davan, {scene}, says: kael-davan_d_016}}\n"
    (root / f"{SAID}.plan.yaml").write_text(plan)

    def change(rows: Rows) -> None:
        del rows[3]

    path = changed_csv(root, change)
    imported = import_lines(root, path, choices=Choices(removes=True))
    assert imported.is_refused
    assert [one.where.file for one in imported.problems] == [f"{root.name}/{SAID}.plan.yaml"]
    assert "kael-davan_d_016" in texts(root)[f"{SAID}.yaml"]


@pytest.mark.spec("LP-L8-sheet-since")
@pytest.mark.parametrize("format", [".csv", ".xlsx"])
def test_what_changed_since_an_earlier_sheet(root: Path, tmp_path: Path, format: str) -> None:
    earlier = tmp_path / f"earlier{format}"
    earlier.write_bytes(export_lines(root, format).data)
    same = export_lines(root, format, changed_since=earlier)
    assert (same.rows, same.gone) == (0, ())
    pool = root / f"{SAID}.yaml"
    text = (
        pool.read_text()
        .replace("Your seat is free", "It is free")
        .replace("trust: real", "trust: secret")
    )
    text = text.replace(
        "role: dock-worker\n    access: [insider]", "role: dock-worker\n    access: [insider, peer]"
    )
    pool.write_text(text.replace("      - 'There''s a seat.'\n", ""))
    write_changes(rename(root, "line", "kael-davan_d_015", "kael-davan_d_030").changes)
    thoughts = root / f"{THOUGHT}.yaml"
    thoughts.write_text(
        thoughts.read_text()
        + '  - id: pc-detective_m_d_002\n    text: "Hm."\n    trigger: time_idle\n'
    )
    found = export_lines(root, ".csv", changed_since=earlier)
    assert [(one["id"], one["variant"], one["x-changed"]) for one in rows_of(found.data)] == [
        ("kael-davan_d_030", "1", "text"),
        ("kael-davan_d_016", "", "access, trust"),
        ("pc-detective_m_d_002", "", "new"),
    ]
    assert found.gone == ((SAID, "kael-davan_d_030", 2),)
    # What is in it comes in again like any sheet.
    sheet = tmp_path / "since.csv"
    sheet.write_bytes(found.data)
    assert import_lines(root, sheet).files == ()


def test_an_edited_sheet_still_says_what_was_exported(root: Path) -> None:
    def change(rows: Rows) -> None:
        rows[0]["text"] = "Edited in the sheet."

    assert export_lines(root, ".csv", changed_since=changed_csv(root, change)).rows == 0

    def forget(rows: Rows) -> None:
        change(rows)
        rows[0]["exported"] = ""

    found = export_lines(root, ".csv", changed_since=changed_csv(root, forget))
    assert [one["x-changed"] for one in rows_of(found.data)] == ["text"]


@pytest.mark.parametrize("data", [b"", b"a,b\r\n1,2\r\n", b"\xff\xfe\x00", b"PK\x03\x04"])
def test_what_is_no_earlier_sheet_is_refused(root: Path, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    with pytest.raises(UsageFault):
        export_lines(root, ".csv", changed_since=path)


ODD = (
    "=SUM(A1)",
    "+7",
    "-3",
    "@noon",
    "'=x",
    "''",
    "'quoted'",
    "_x41_ and _x7_",
    "00123",
    "a\u00a0b",
)


@pytest.mark.spec("LP-L8-sheets")
def test_sheets_that_a_spreadsheet_saved_in_another_format_change_nothing(
    root: Path, tmp_path: Path
) -> None:
    """A CSV that was saved as a workbook keeps its apostrophes, a workbook saved as CSV has none."""
    pool = root / f"{SAID}.yaml"
    variants = "".join(f"      - {json.dumps(text)}\n" for text in ODD)
    pool.write_text(pool.read_text().replace("    variants:\n", f"    variants:\n{variants}"))
    before = texts(root)
    written = export_lines(root, ".csv").data.decode("utf-8-sig")
    cells = list(csv.reader(io.StringIO(written, newline="")))
    book = openpyxl.Workbook()
    for row in cells:
        book.active.append(row)
    for row in book.active.iter_rows():
        for cell in row:
            cell.data_type = "s"
    book.save(tmp_path / "was.xlsx")
    grid = load(export_lines(root, ".xlsx").data, "x", tell=lambda *_: None)
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(row for _, row in grid.rows)
    (tmp_path / "was.csv").write_text(stream.getvalue(), newline="")
    for name in ("was.xlsx", "was.csv"):
        imported = import_lines(root, tmp_path / name)
        assert (imported.changes, imported.problems, imported.rows) == ((), [], 4 + len(ODD) + 1)
        assert export_lines(root, ".csv", changed_since=tmp_path / name).rows == 0
    assert texts(root) == before


def test_a_record_has_nothing_that_a_spreadsheet_takes_for_a_character(root: Path) -> None:
    rows = rows_of(export_lines(root, ".csv").data)
    assert rows
    for row in rows:
        assert row["exported"]
        assert "_" not in row["exported"]


@pytest.mark.spec("LP-L8-sheets")
def test_a_sheet_of_before_a_rename_still_comes_in(root: Path) -> None:
    def change(rows: Rows) -> None:
        rows[0]["text"] = "Kept you a seat."
        rows[4]["text"] = "Smells of lubricant."

    path = changed_csv(root, change)
    write_changes(rename(root, "line", "kael-davan_d_015", "kael-davan_d_030").changes)
    write_changes(rename(root, "location", "the-last-shift", "the-bar").changes)
    imported = import_lines(root, path)
    assert (imported.problems, len(imported.changes), imported.gone) == ([], 2, ())
    now = texts(root)
    assert "Kept you a seat." in now[f"{SAID.replace('the-last-shift', 'the-bar')}.yaml"]
    assert "Smells of lubricant." in now[f"{THOUGHT.replace('the-last-shift', 'the-bar')}.yaml"]


def test_recordings_are_found_after_a_rename(root: Path, tmp_path: Path) -> None:
    takes = tmp_path / "takes"
    takes.mkdir()
    names = [row["recording_file"] for row in rows_of(export_lines(root, ".csv").data)]
    for name in names[:4]:
        (takes / f"{name}.wav").write_bytes(b"")
    write_changes(rename(root, "line", "kael-davan_d_015", "kael-davan_d_030").changes)
    write_changes(rename(root, "location", "the-last-shift", "the-bar").changes)
    write_changes(rename(root, "location", "the-bar", "the-inn").changes)
    exported = export_lines(root, ".csv", takes=takes)
    rows = rows_of(exported.data)
    assert exported.missing == 1
    assert [row["recording_file"] for row in rows] == names
    # A line that is recorded after its rename is so under its new id.
    assert {row["recording_file"][:16] for row in rows_of(export_lines(root, ".csv").data)[:3]} == {
        "kael-davan_d_030"
    }


def test_the_same_in_other_words_is_no_change(root: Path) -> None:
    def change(rows: Rows) -> None:
        rows[0]["access"] = " insider;peer , "
        rows[0]["tags"] = '"kael",greeting'
        rows[4]["priority"] = "07"

    imported = import_lines(root, changed_csv(root, change))
    assert (imported.changes, imported.problems, imported.files) == ((), [], ())


def test_a_text_that_a_spreadsheet_cut_is_told(root: Path) -> None:
    pool = root / f"{SAID}.yaml"
    pool.write_text(pool.read_text().replace("Saved you a seat.", "x" * 33_000))

    def change(rows: Rows) -> None:
        rows[0]["text"] = rows[0]["text"][:32_767]

    imported = import_lines(root, changed_csv(root, change))
    assert [(one.code, one.where.pointer) for one in imported.problems] == [("TB492", "G2")]
    assert "was cut" in imported.problems[0].message


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_a_note_for_excel_says_the_separator(root: Path, tmp_path: Path, separator: str) -> None:
    rows = rows_of(export_lines(root, ".csv").data)
    rows[0]["text"] = "a;b,c\td;;,,;;,,;"
    stream = io.StringIO(newline="")
    stream.write(f"sep={separator}\r\n")
    writer = csv.writer(stream, delimiter=separator)
    writer.writerow(list(rows[0]))
    writer.writerows(list(row.values()) for row in rows)
    path = tmp_path / "noted.csv"
    path.write_text(stream.getvalue(), newline="")
    imported = import_lines(root, path)
    assert [(one.place, one.after) for one in imported.changes] == [("G3", "a;b,c\td;;,,;;,,;")]


@pytest.mark.parametrize(
    ("part", "message"),
    [("content.xml", "an OpenDocument sheet"), ("word/document.xml", "no workbook")],
)
def test_another_kind_of_archive_says_what_to_save_it_as(
    root: Path, tmp_path: Path, part: str, message: str
) -> None:
    path = tmp_path / "lines.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(part, "<x/>")
    (problem,) = import_lines(root, path).problems
    assert message in problem.message
    assert ".xlsx" in problem.hint
