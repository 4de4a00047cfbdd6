"""Lines in another language: said where translated, and never another line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polib
import pytest
from campaigns import open_fixed, talebearer
from sheets import FILES, SAID, THOUGHT

from talebearer.content import compile_content
from talebearer.content.editing import rename, write_changes
from talebearer.content.sheets import export_translations, said_in, texts_in
from talebearer.errors import InvalidPack, InvalidTranslations, UsageFault
from talebearer.lines import Pack, load_pack
from talebearer.lines.texts import Texts, load_texts


@pytest.fixture
def root(tree: Callable[..., Path]) -> Path:
    made = tree(FILES)
    export_translations(made, "de")
    fill(made, lambda entry: f"DE {entry.msgid}")
    return made


def fill(root: Path, say: Callable[[Any], str], language: str = "de") -> None:
    path = root / "translations" / f"{language}.po"
    file = polib.pofile(str(path), wrapwidth=0)
    for entry in file:
        entry.msgstr = say(entry)
    file.save(str(path))


def packed(root: Path) -> Pack:
    return load_pack(compile_content(root).data)


def german(root: Path) -> Texts:
    return load_texts(said_in(root, packed(root), "de").data)


@pytest.mark.spec("LP-L8-languages")
def test_a_text_is_said_in_the_language_and_each_variant_as_itself(root: Path) -> None:
    texts = german(root)
    assert texts.language == "de"
    assert len(texts) == 5
    for text in ("Saved you a seat.", "Your seat is free.", "There's a seat."):
        assert texts.of(SAID, "kael-davan_d_015", text) == f"DE {text}"
    assert texts.of(SAID, "kael-davan_d_016", "Your seat is free.") == "Your seat is free."
    assert texts.of("elsewhere", "kael-davan_d_015", "Saved you a seat.") == "Saved you a seat."


@pytest.mark.spec("LP-L8-languages")
def test_what_is_stale_open_or_missing_is_said_as_it_is_written(root: Path) -> None:
    old = german(root)
    pool = root / f"{SAID}.yaml"
    pool.write_text(pool.read_text().replace("Saved you a seat.", "Saved you one."))
    file = polib.pofile(str(root / "translations/de.po"), wrapwidth=0)
    file[1].flags.append("fuzzy")
    file[2].msgstr = ""
    file.save()
    said = said_in(root, packed(root), "de")
    assert (said.translated, said.stale, said.missing) == (2, 2, 1)
    texts = load_texts(said.data)
    assert texts.of(SAID, "kael-davan_d_015", "Saved you one.") == "Saved you one."
    assert texts.of(SAID, "kael-davan_d_015", "Your seat is free.") == "Your seat is free."
    # Texts that were built before the change do not say what was meant by another sentence.
    assert old.of(SAID, "kael-davan_d_015", "Saved you one.") == "Saved you one."


@pytest.mark.spec("LP-L8-languages")
def test_renamed_lines_and_pools_keep_their_translation(root: Path) -> None:
    write_changes(rename(root, "line", "kael-davan_d_015", "kael-davan_d_030").changes)
    write_changes(rename(root, "location", "the-last-shift", "the-bar").changes)
    texts = german(root)
    assert len(texts) == 5
    pool = SAID.replace("the-last-shift", "the-bar")
    assert texts.of(pool, "kael-davan_d_030", "There's a seat.") == "DE There's a seat."
    thought = THOUGHT.replace("the-last-shift", "the-bar")
    line = "Smells of freight lubricant."
    assert texts.of(thought, "pc-detective_m_d_001", line) == f"DE {line}"


def test_what_was_made_is_kept_while_nothing_changes(root: Path, tmp_path: Path) -> None:
    pack, cache = packed(root), tmp_path / "cache"
    first = texts_in(root, pack, "de", cache=cache)
    (kept,) = cache.iterdir()
    assert texts_in(root, pack, "de", cache=cache).of(
        SAID, "kael-davan_d_015", "Saved you a seat."
    ) == (first.of(SAID, "kael-davan_d_015", "Saved you a seat."))
    kept.write_bytes(b"{")
    assert len(texts_in(root, pack, "de", cache=cache)) == 5
    fill(root, lambda entry: "")
    assert len(texts_in(root, pack, "de", cache=cache)) == 0
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "expected 'talebearer.texts'"),
        ({"version": 2}, "of version 2"),
        ({"language": "../x"}, "language"),
        ({"texts": []}, "expected an object"),
        ({"texts": {"a#b": {"0": "x"}}}, "texts"),
        ({"texts": {"a#b": {"00000000": 1}}}, "expected"),
        ({"more": 1}, "no such member"),
    ],
)
def test_texts_that_are_none_are_refused(root: Path, change: dict[str, Any], message: str) -> None:
    value = json.loads(said_in(root, packed(root), "de").data) | change
    with pytest.raises(InvalidPack, match=message):
        load_texts(json.dumps(value).encode())


def test_a_language_without_translations_is_refused(root: Path, tmp_path: Path) -> None:
    for language in ("fr", "../de", "de/../de"):
        with pytest.raises(UsageFault):
            said_in(root, packed(root), language)
    (root / "translations/it.po").symlink_to(tmp_path / "it.po")
    with pytest.raises(UsageFault, match="leads out"):
        said_in(root, packed(root), "it")
    (root / "translations/de.po").write_bytes(b'msgid "')
    with pytest.raises(InvalidTranslations):
        said_in(root, packed(root), "de")


@pytest.mark.spec("LP-L8-languages")
def test_a_campaign_says_the_same_lines_in_its_language(recorded: Path, tmp_path: Path) -> None:
    content = recorded / "content"
    export_translations(content, "de")
    fill(content, lambda entry: f"DE {entry.msgid}" if int(entry.msgctxt[-1], 36) % 2 else "")
    other = Path(shutil.copytree(recorded, tmp_path / "german"))
    settings = other / "campaign.toml"
    settings.write_text(settings.read_text().replace("seed = 4\n", 'seed = 4\nlanguage = "de"\n'))

    def play(folder: Path) -> list[Any]:
        found: list[Any] = []
        with open_fixed(folder) as campaign:
            for name in ("odo-renn", "maelis-brandt", "wick"):
                talk = campaign.talk(name)
                for topic in ("", "money", "trust", ""):
                    reply = talk.say(*([topic] if topic else []))
                    found.append((reply.reference, reply.text, reply.tick, reply.probability))
                talk.walk_away()
                answer = campaign.game.line(name)
                assert answer.pick is not None
                value = answer.as_json()
                found.append(
                    (answer.pick.line_id, value.get("said", answer.pick.text), value["tick"], None)
                )
            reply = campaign.think("detective", "enter_location")
            found.append((reply.reference, reply.text, reply.tick, reply.probability))
            found.append(campaign.graph().heard)
        return found

    plain, said = play(recorded), play(other)
    assert plain.pop() == said.pop()
    assert [(one[0], one[2:]) for one in plain] == [(one[0], one[2:]) for one in said]
    told = [(before[1], after[1]) for before, after in zip(plain, said, strict=True)]
    assert all(after in (before, f"DE {before}") for before, after in told)
    assert {after == before for before, after in told} == {True, False}


def test_the_command_line_says_and_builds_languages(recorded: Path) -> None:
    content = recorded / "content"
    export_translations(content, "de")
    fill(content, lambda entry: f"DE {entry.msgid}")
    thought = ("think", "--character", "detective", "--trigger", "enter_location", "--json")
    plain = talebearer(*thought, cwd=recorded).json["text"]
    later = talebearer(*thought, "--tick", "99999999", "--language", "de", cwd=recorded)
    assert later.json["text"].startswith("DE ")
    assert not plain.startswith("DE ")
    refused = talebearer(*thought, "--language", "fr", cwd=recorded)
    assert (refused.code, "lines export --language fr" in refused.out + refused.err) == (2, True)
    built = talebearer(
        "build", "content", "-o", "p.json", "--language", "de", "--json", cwd=recorded
    )
    assert [one["file"] for one in built.json["texts"]] == ["p.de.json"]
    texts = load_texts((recorded / "p.de.json").read_bytes())
    assert len(texts) == built.json["texts"][0]["translated"] > 100
    bare = talebearer("build", "content", "-o", "q.json", "--language", "fr", cwd=recorded)
    assert (bare.code, (recorded / "q.json").exists()) == (2, False)
