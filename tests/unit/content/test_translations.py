"""Texts for translators, and what becomes of translations when texts change."""

from __future__ import annotations

from pathlib import Path

import polib
import pytest
from sheets import DIALOGUE, MONOLOGUE, SAID, THOUGHT, tree

from talebearer.content import lint
from talebearer.content.sheets import (
    Filter,
    export_translations,
    import_translations,
    translations,
)
from talebearer.errors import InvalidTranslations, UsageFault

KEY = f"{SAID}#kael-davan_d_015"
LERA = f"{SAID}#kael-davan_d_016"
THINKS = f"{THOUGHT}#pc-detective_m_d_001"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path)


def entries(path: Path) -> dict[str, polib.POEntry]:
    return {entry.msgctxt: entry for entry in polib.pofile(str(path), encoding="utf-8")}


def translate(path: Path, **by_context: str) -> None:
    """Fill in the file at *path* as a translator does: one text a context."""
    file = polib.pofile(str(path), encoding="utf-8")
    for entry in file:
        if entry.msgctxt in by_context:
            entry.msgstr = by_context[entry.msgctxt]
            entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]
            entry.previous_msgid = None
    file.save(newline="\n")


@pytest.mark.spec("LP-L8-translations")
def test_every_text_is_an_entry_with_a_stable_id(root: Path) -> None:
    found = export_translations(root, "de")
    assert found.path == root / "translations" / "de.po"
    made = entries(found.path)
    assert list(made) == [KEY, f"{KEY}~1", f"{KEY}~2", LERA, THINKS]
    assert found.missing == tuple(made)
    assert made[f"{KEY}~1"].msgid == "Your seat is free."
    assert made[KEY].occurrences == [("content/dialogue/the-last-shift/kael-davan.yaml", "7")]
    assert made[LERA].comment.splitlines() == [
        "dock-worker, the-last-shift", "=Low voice.", "smuggler: A way in.",
        "detective: She hides", "something.",
    ] or made[LERA].comment.splitlines()[-1] == "detective: She hides something."  # fmt: skip
    assert made[THINKS].comment == "detective, the-last-shift, at most 160 characters"
    assert not [problem for problem in lint(root) if "translations" in str(problem.where.file)]
    before = found.path.read_bytes()
    assert not export_translations(root, "de").is_written
    assert found.path.read_bytes() == before


@pytest.mark.spec("LP-L8-translations")
def test_a_changed_text_makes_its_translation_stale(root: Path) -> None:
    path = export_translations(root, "de").path
    translate(path, **{KEY: "Platz ist frei.", LERA: "Lera weiß mehr."})
    pool = root / f"{SAID}.yaml"
    pool.write_text(DIALOGUE.replace("Saved you a seat.", "I saved you a seat."))
    (before,) = translations(root)
    assert (before.translated, before.stale) == ((LERA,), (KEY,))
    export_translations(root, "de")
    entry = entries(path)[KEY]
    assert (entry.fuzzy, entry.msgid, entry.previous_msgid, entry.msgstr) == (
        True, "I saved you a seat.", "Saved you a seat.", "Platz ist frei.",
    )  # fmt: skip
    pool.write_text(DIALOGUE.replace("Saved you a seat.", "I saved you one."))
    export_translations(root, "de")
    assert entries(path)[KEY].previous_msgid == "Saved you a seat."  # what it was made from
    pool.write_text(DIALOGUE)
    export_translations(root, "de")
    assert not entries(path)[KEY].fuzzy  # the text is again what was translated


@pytest.mark.spec("LP-L8-translations")
def test_a_renamed_or_moved_line_keeps_its_translation(root: Path) -> None:
    path = export_translations(root, "de").path
    translate(path, **{LERA: "Lera weiß mehr.", f"{KEY}~1": "Frei.", f"{KEY}~2": "Da."})
    pool = root / f"{SAID}.yaml"
    renamed = DIALOGUE.replace("kael-davan_d_016", "kael-davan_d_090").replace(
        "[kael-davan_d_001]", "[kael-davan_d_016]"
    )
    one = '      - "Your seat is free."  # plainly\n'
    pool.write_text(renamed.replace(one, "").replace("a seat.'\n", f"a seat.'\n{one}"))
    (found,) = translations(root)
    assert found.translated == (f"{KEY}~1", f"{KEY}~2", f"{SAID}#kael-davan_d_090")
    assert not found.obsolete
    export_translations(root, "de")
    assert [entries(path)[f"{KEY}~{n}"].msgstr for n in (1, 2)] == ["Da.", "Frei."]


@pytest.mark.spec("LP-L8-translations")
def test_what_is_gone_is_obsolete_and_comes_back(root: Path) -> None:
    path = export_translations(root, "de").path
    translate(path, **{THINKS: "Riecht nach Öl."})
    pool = root / f"{THOUGHT}.yaml"
    pool.write_text("character: detective\nlocation: the-last-shift\nlines: []\n")
    found = export_translations(root, "de")
    assert found.obsolete == (THINKS,)
    assert '#~ msgstr "Riecht nach Öl."' in path.read_text(encoding="utf-8")
    pool.write_text(MONOLOGUE)
    assert export_translations(root, "de").translated == (THINKS,)


def test_translators_send_a_file_back(root: Path, tmp_path: Path) -> None:
    own = export_translations(root, "de").path
    translate(own, **{KEY: "alt", LERA: "bleibt"})
    sent = export_translations(root, "de", target=tmp_path / "sent.po").path
    assert entries(sent)[KEY].msgstr == "alt"
    translate(sent, **{KEY: "neu", THINKS: "x" * 161})
    before = own.read_bytes()
    dry = import_translations(root, sent, dry_run=True)
    assert '+msgstr "neu"' in dry.diff
    assert own.read_bytes() == before
    found = import_translations(root, sent)
    assert (found.path, found.is_written) == (own, True)
    assert [problem.code for problem in found.problems] == ["TB497"]  # too long for a thought
    assert [entries(own)[key].msgstr for key in (KEY, LERA)] == ["neu", "bleibt"]


def test_a_doubt_of_the_translator_stays(root: Path) -> None:
    path = export_translations(root, "de").path
    file = polib.pofile(str(path), encoding="utf-8")
    file[0].msgstr, file[0].flags, file[0].tcomment = "Platz?", ["fuzzy", "c-format"], "ask Ana"
    file.header = "made by hand"
    file.metadata["Last-Translator"] = "Ana"
    file.save(newline="\n")
    found = export_translations(root, "de")
    kept = polib.pofile(str(path), encoding="utf-8")
    assert found.stale == (KEY,)
    assert (kept[0].flags, kept[0].tcomment) == (["fuzzy", "c-format"], "ask Ana")
    assert (kept.header, kept.metadata["Last-Translator"]) == ("made by hand", "Ana")


def test_a_part_of_the_pools_goes_into_a_file_of_its_own(root: Path, tmp_path: Path) -> None:
    only = Filter(character="detective")
    found = export_translations(root, "de", target=tmp_path / "part.po", only=only)
    assert found.missing == (THINKS,)
    with pytest.raises(UsageFault, match="all texts"):
        export_translations(root, "de", only=only)


@pytest.mark.parametrize("language", ["", "../de", "DE", "de/x", "d", "de_" + "x" * 40])
def test_a_language_is_a_code(root: Path, language: str) -> None:
    with pytest.raises(UsageFault, match="language"):
        export_translations(root, language)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'msgid "a"\nmsgstr "b', "not closed in line 2"),
        (b'msgid "a"\nmsgstr "b"\n', "no line"),
        (b"nothing of the kind", "no PO file"),
        (b'msgid "\xff"\nmsgstr ""\n', "not UTF-8"),
        (b'msgctxt "a"\nmsgid "a"\nmsgstr "x"\n\nmsgctxt "a"\nmsgid "b"\nmsgstr "y"\n', "once"),
        (f'msgctxt "{KEY}"\nmsgid "Saved you a seat."\nmsgstr "\\b"\n'.encode(), "control"),
    ],
)
def test_files_that_are_no_translations_are_refused(
    root: Path, tmp_path: Path, data: bytes, message: str
) -> None:
    path = tmp_path / "de.po"
    path.write_bytes(data)
    with pytest.raises(InvalidTranslations, match=message):
        import_translations(root, path, language="de")
    assert not (root / "translations").exists()


def test_there_may_be_no_translations(root: Path) -> None:
    assert translations(root) == ()
    with pytest.raises(UsageFault, match=r"there is no .*fr\.po"):
        translations(root, language="fr")


@pytest.mark.parametrize("link", ["translations", "translations/de.po"])
def test_translations_are_neither_read_nor_written_through_a_link_out_of_the_content(
    root: Path, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / link).parent.mkdir(exist_ok=True)
    (root / link).symlink_to(outside if link == "translations" else outside / "de.po")
    with pytest.raises(UsageFault, match="leads out of the content folder"):
        export_translations(root, "de")
    given = tmp_path / "given.po"
    given.write_text('msgid ""\nmsgstr ""\n')
    with pytest.raises(UsageFault, match="leads out of the content folder"):
        import_translations(root, given, language="de")
    assert not [*outside.iterdir()]
    (outside / "de.po").write_text('msgid ""\nmsgstr ""\n')
    with pytest.raises(UsageFault, match="leads out of the content folder"):
        translations(root)
