"""The previewer shows lines in another language, and decides nothing by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polib
import pytest
from campaigns import talebearer

from talebearer.content.sheets import export_translations
from talebearer.server.preview._answers import Answers
from talebearer.server.preview._query import Query

SCENE = "speaker=wick&location=chandlers-row&access=public&trust=surface&situation=social"


def answers(content: Path, language: str | None) -> Answers:
    made = Answers(content, cache=None, editor=None, language=language)
    made.read()
    return made


def translate(content: Path, prefix: str) -> None:
    path = content / "translations" / "de.po"
    file = polib.pofile(str(path), wrapwidth=0)
    for entry in file:
        entry.msgstr = f"{prefix} {entry.msgid}"
    file.save(str(path))


def texts_in(value: Any) -> list[str]:
    """Return the texts of lines in an answer."""
    if isinstance(value, list | tuple):
        return [text for part in value for text in texts_in(part)]
    if not isinstance(value, dict):
        return []
    own = [value["text"]] if {"text", "pool"} <= set(value) or "reference" in value else []
    return own + [text for part in value.values() for text in texts_in(part)]


def without(value: Any) -> Any:
    """Return an answer without any text."""
    if isinstance(value, list | tuple):
        return [without(part) for part in value]
    if isinstance(value, dict):
        return {k: without(part) for k, part in value.items() if k not in ("text", "variants")}
    return value


@pytest.mark.spec("LP-L8-languages")
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("ask", ""),
        ("line", "&pool={pool}&line={line}"),
        ("roll", "&draws=20"),
        ("talk", "&moves=say"),
    ],
)
def test_lines_are_shown_in_the_language_and_nothing_else_changes(
    bundled: Path, name: str, more: str
) -> None:
    content = bundled / "content"
    export_translations(content, "de")
    translate(content, "DE")
    plain, german = answers(content, None), answers(content, "de")
    scene = f"{SCENE}&situation=night_shift"
    row = plain.ask(Query(scene))["list"]["rows"][0]
    asked = Query(scene + more.format(pool=row["pool"], line=row["id"]))
    before, after = getattr(plain, name)(asked), german.shown(getattr(german, name)(asked))
    assert without(after) == without(before)
    assert texts_in(after) == [f"DE {text}" for text in texts_in(before)] != []


def test_translations_are_read_again_when_they_are_saved(bundled: Path) -> None:
    content = bundled / "content"
    export_translations(content, "de")
    german = answers(content, "de")
    scene = Query(
        "speaker=wick&location=chandlers-row&access=public&trust=surface&situation=social"
    )
    first = texts_in(german.shown(german.ask(scene)))
    translate(content, "DE")
    assert texts_in(german.shown(german.ask(scene))) == [f"DE {text}" for text in first]


def test_a_language_without_translations_is_refused_before_anything_is_served(
    bundled: Path,
) -> None:
    done = talebearer("preview", "content", "--language", "fr", "--no-browser", cwd=bundled)
    assert (done.code, "lines export --language fr" in done.err) == (2, True)
