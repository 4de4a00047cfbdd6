"""``talebearer lines``: export, import and translations as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import talebearer_here
from sheets import DIALOGUE, SAID, changed_csv, tree


@pytest.fixture
def work(tmp_path: Path) -> Path:
    tree(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["lines.csv", "lines.xlsx"])
def test_a_sheet_goes_out_and_in(work: Path, name: str) -> None:
    done = talebearer_here("lines", "export", "--to", f"out/{name}", "--json", cwd=work)
    assert json.loads(done.out) == {"file": f"out/{name}", "pools": 2, "rows": 5}
    back = talebearer_here("lines", "import", "--from", f"out/{name}", cwd=work)
    assert back.code == 0, back.err
    assert back.out.strip() == "0 values changed, in 0 files, 5 rows read"


def test_findings_and_conflicts_are_printed_and_fail(work: Path) -> None:
    changed_csv(work / "content", lambda rows: rows[0].update(text="Sheet.", trust="realy"))
    done = talebearer_here("lines", "import", "--from", "lines.csv", cwd=work)
    assert done.code == 1
    assert 'lines.csv K2: error TB492: trust "realy" is not one of the values' in done.out
    assert "nothing was written" in done.out
    changed_csv(work / "content", lambda rows: rows[0].update(text="Sheet."))
    pool = work / "content" / f"{SAID}.yaml"
    pool.write_text(DIALOGUE.replace("Saved you a seat.", "Content."))
    done = talebearer_here("lines", "import", "--from", "lines.csv", cwd=work)
    assert done.code == 1
    expected = ("exported: Saved you a seat.", "content:  Content.", "sheet:    Sheet.")
    assert all(part in done.out for part in expected)
    value = json.loads(
        talebearer_here(
            "lines", "import", "--from", "lines.csv", "--theirs", "--json", cwd=work
        ).out
    )
    assert (value["written"], value["conflicts"]) == (True, [])
    assert value["changes"][0]["after"] == "Sheet."


def test_new_rows_are_told_and_added(work: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        new = {"pool": SAID, "text": "New.", "access": "peer", "trust": "real",
               "situation": "social"}  # fmt: skip
        rows.append(dict.fromkeys(rows[0], "") | new)

    changed_csv(work / "content", change)
    done = talebearer_here("lines", "import", "--from", "lines.csv", cwd=work)
    assert done.code == 1
    assert "--add makes it a line" in done.out
    done = talebearer_here("lines", "import", "--from", "lines.csv", "--add", "--dry-run", cwd=work)
    assert done.code == 0
    assert "+  - id: kael-davan_d_017" in done.out
    assert "dry run: nothing was written" in done.out
    done = talebearer_here("lines", "import", "--from", "lines.csv", "--add", cwd=work)
    assert "0 values changed, 1 line added, in 1 file" in done.out


def test_translations_go_out_and_in_and_are_checked(work: Path) -> None:
    done = talebearer_here("lines", "export", "--to", "sr@latin.po", cwd=work)
    assert done.code == 0, done.err
    path = work / "sr@latin.po"
    text = path.read_text(encoding="utf-8").replace('msgstr ""\n\n', 'msgstr "x"\n\n')
    path.write_text(text.removesuffix('msgstr ""\n') + 'msgstr "x"\n', encoding="utf-8")
    done = talebearer_here("lines", "import", "--from", "sr@latin.po", "--json", cwd=work)
    assert json.loads(done.out)["counts"]["translated"] == 5
    check = talebearer_here("lines", "translations", "--check", "--json", cwd=work)
    assert check.code == 0
    assert json.loads(check.out)["languages"][0]["language"] == "sr@latin"
    pool = work / "content" / f"{SAID}.yaml"
    pool.write_text(DIALOGUE.replace("Saved you a seat.", "Other."))
    check = talebearer_here("lines", "translations", "--check", cwd=work)
    assert check.code == 1
    assert f"sr@latin.po: stale: {SAID}#kael-davan_d_015" in check.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export"], "--to FILE says where"),
        (["export", "--to", "lines.ods"], "no sheets of format"),
        (["export", "--to", "content"], "is a folder"),
        (["export", "--to", "lines.csv", "--language", "de"], "exclude each other"),
        (["export", "--language", "de", "--takes", "content"], "for sheets"),
        (["export", "--language", "../x"], "language"),
        (["export", "nowhere", "--to", "lines.csv"], "is not a folder"),
        (["import"], "--from FILE says what"),
        (["import", "--from", "none.csv"], "there is no sheet"),
        (["import", "--from", "none.po"], "there is no file"),
        (["import", "--from", "none.po", "--add"], "are for sheets"),
        (["import", "--from", "x.csv", "--ours", "--theirs"], "exclude each other"),
        (["translations", "--language", "de"], "there is no content/translations/de.po"),
    ],
)
def test_wrong_calls_are_refused(work: Path, arguments: list[str], message: str) -> None:
    done = talebearer_here("lines", *arguments, cwd=work)
    assert done.code == 2
    assert message in done.err
