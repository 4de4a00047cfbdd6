"""The commands of `talebearer store`: words for people, JSON for programs, and their exit codes."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from campaigns import Result
from stores import FILES, META, NOTE, open_store

from talebearer.cli._app import COMMAND_NAMES
from talebearer.cli._main import run
from talebearer.store.upkeep import Place

SCOPE = ("--scope", "workspace_id=w", "--scope", "user_id=u")


def store(*words: str) -> Result:
    """Run one command of the store in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["store", *words])
    return Result(code=code, out=out.getvalue(), err=err.getvalue())


def test_history_tells_what_became_of_an_entity(place: Place) -> None:
    said = store("history", "knowledge", "note", "--root", str(place.root), *SCOPE)
    assert said.code == 0
    assert said.out.splitlines()[0].startswith("1 created")
    assert "head" in said.out.splitlines()[3]
    found = store("history", "knowledge", "note", "--root", str(place.root), *SCOPE, "--json").json
    assert [one["kind"] for one in found["versions"]] == ["created", "updated"]


def test_diff_shows_where_two_versions_differ(place: Place) -> None:
    words = (
        "diff",
        "knowledge",
        "note",
        "v00000001",
        "v00000002",
        "--root",
        str(place.root),
        *SCOPE,
    )
    assert '~ /content/text\n    before  "first"\n    after   "second"' in store(*words).out
    assert store(*words, "--json").json["differences"][0]["pointer"] == "/content/text"
    same = store("diff", "knowledge", "note", "v00000001", "v00000001", *words[5:])
    assert same.out == "the two versions have the same value\n"
    assert store("diff", "knowledge", "note", "v00000001", "v9", *words[5:]).code == 3


def test_as_of_takes_a_change_or_a_moment(place: Place) -> None:
    root = ("--root", str(place.root), *SCOPE)
    assert store("as-of", "--cursor", "1", *root).out.splitlines()[0].startswith("knowledge note")
    lines = store("as-of", "--cursor", "3", "--json", *root).json_lines
    assert [line["ref"]["id"] for line in lines] == ["note", "two"]
    moment = store("as-of", "--time", "2023-11-14T22:13:20Z", "--json", *root)
    assert (moment.code, moment.out) == (0, "")
    for wrong in (("--time", "soon"), ("--time", "2023-11-14T22:13:20"), ("--cursor", "99")):
        assert store("as-of", *wrong, *root).code == 2
    assert store("as-of", "--cursor", "1", "--time", "2023-11-14T22:13:20Z", *root).code == 2


def test_tail_goes_on_after_a_cursor(place: Place) -> None:
    root = ("--root", str(place.root), *SCOPE)
    whole = store("tail", *root).json_lines
    rest = store("tail", "--after", whole[3]["cursor"], *root).json_lines
    assert rest == whole[4:]
    assert len(store("tail", "--limit", "2", *root).json_lines) == 2
    gone = store("tail", "--after", "4000", "--json", *root)
    assert (gone.code, gone.json["error"]["code"]) == (3, "TB211")


@pytest.mark.parametrize(
    "scope", [("--scope", "w"), ("--scope", "=w"), ("--scope", "a=1", "--scope", "a=2")]
)
def test_a_scope_that_is_none_is_refused(place: Place, scope: tuple[str, ...]) -> None:
    said = store("tail", "--root", str(place.root), *scope)
    assert (said.code, "KEY=VALUE" in said.err) == (2, True)


def test_fsck_exits_with_one_on_damage_and_names_it(place: Place) -> None:
    root = ("--root", str(place.root))
    assert store("fsck", *root).out == "the store is sound\n"
    objects = [path for path in place.artifacts.rglob("*") if path.is_file()]
    big = max(objects, key=lambda path: path.stat().st_size)
    big.write_bytes(b"x")
    said = store("fsck", *root)
    assert (said.code, "TB707" in said.out, str(big) in said.out) == (1, True, True)
    found = store("fsck", *root, "--json")
    assert (found.code, found.json["sound"], found.json["counts"]) == (1, False, {"TB707": 1})


def test_a_backup_comes_back(place: Place, tmp_path: Path) -> None:
    target, again = tmp_path / "backup", tmp_path / "again"
    assert store("backup", str(target), "--root", str(place.root)).code == 0
    back = store("restore", str(target), "--root", str(again), "--verify", "--json").json
    assert (back["problems"], back["objects"], back["verified"]) == ([], len(FILES), True)
    twice = store("restore", str(target), "--root", str(again))
    assert (twice.code, "there already" in twice.err) == (2, True)
    (target / "talebearer.db").write_bytes(b"no database")
    bad = store("restore", str(target), "--root", str(tmp_path / "third"))
    assert (bad.code, "nothing was restored" in bad.out) == (1, True)


def test_a_type_that_is_none_is_refused_rather_than_shown_as_nothing(
    place: Place, tmp_path: Path
) -> None:
    root = ("--root", str(place.root), *SCOPE)
    path = tmp_path / "export.jsonl"
    for command in (("export", str(path)), ("as-of",)):
        said = store(*command, "--type", "knowlege", *root)
        assert (said.code, "knowledge_relation" in said.err) == (2, True)
        assert store(*command, "--type", "artifact", *root).code == 0
    assert path.exists()


def test_an_export_is_imported(place: Place, tmp_path: Path) -> None:
    path, empty = tmp_path / "all.jsonl", tmp_path / "empty"
    open_store(empty).close()
    made = store("export", str(path), "--root", str(place.root), "--json").json
    assert made["bytes"] == path.stat().st_size
    assert path.stat().st_mode & 0o077 == 0
    assert store("export", str(path), "--root", str(place.root)).code == 2
    dry = store("import", str(path), "--root", str(empty), "--dry-run")
    assert "dry run: nothing was imported" in dry.out
    taken = store("import", str(path), "--root", str(empty), "--json")
    assert (taken.code, taken.json["plan"], taken.json["objects"]) == (0, {"new": 8}, 3)
    assert store("import", str(path), "--root", str(empty), "--on-conflict", "guess").code == 2
    with open_store(empty, prefix="e") as opened:
        opened.update(
            {**META, "base_versions": list(opened.read(META, NOTE).versions)},
            NOTE,
            opened.read(META, NOTE).value | {"content": {"kind": "text", "text": "ours"}},
        )
    with open_store(place.root, prefix="p") as opened:
        opened.delete({**META, "base_versions": list(opened.read(META, NOTE).versions)}, NOTE)
    path.unlink()
    store("export", str(path), "--root", str(place.root))
    refused = store("import", str(path), "--root", str(empty))
    assert (refused.code, "TB722" in refused.out, "nothing was imported" in refused.out) == (
        1,
        True,
        True,
    )


def test_gc_tells_what_it_would_do(place: Place) -> None:
    said = store("gc", "--dry-run", "--root", str(place.root), "--json").json
    assert (said["dry_run"], said["removed"], said["kept"]) == (True, [], 3)
    with open_store(place.root, prefix="w"):
        held = store("gc", "--root", str(place.root), "--json")
    assert (held.code, held.json["error"]["code"]) == (3, "TB203")


def test_a_folder_without_a_store_is_told_how_to_make_one(tmp_path: Path) -> None:
    for command in ("fsck", "check", "gc", "tail"):
        said = store(command, "--root", str(tmp_path))
        assert (said.code, "talebearer store init" in said.err) == (3, True), command


@pytest.mark.parametrize("name", [one for one in COMMAND_NAMES if one.startswith("store ")])
def test_every_help_has_an_example_its_exit_codes_and_json(name: str) -> None:
    said = store(*name.split()[1:], "--help")
    assert said.code == 0
    for words in ("Example: talebearer store", "Exit codes:", "--json"):
        assert words in said.out, words


def test_findings_are_json_with_code_and_place(place: Place) -> None:
    (place.artifacts / "stray").write_text("x")
    found = json.loads(store("fsck", "--root", str(place.root), "--json").out)["problems"]
    assert [(one["code"], one["severity"]) for one in found] == [("TB714", "warning")]
    assert found[0]["where"]["file"].endswith("stray")
