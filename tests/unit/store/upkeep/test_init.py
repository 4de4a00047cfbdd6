"""A root is made once, is its owner's only, and is looked at before anything is added to it."""

from __future__ import annotations

import io
import json
import stat
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from campaigns import Result
from stores import fill, open_store

from talebearer.cli._main import run

FOLDERS = [".", "data", "data/artifacts", "run"]
FILES = ["config.json", "providers.json", "policy.schema.json", "providers.schema.json"]


def command(*words: str) -> Result:
    """Run one command of the store in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["store", *words])
    return Result(code=code, out=out.getvalue(), err=err.getvalue())


def init(tmp_path: Path) -> Result:
    return command("init", str(tmp_path / "root"), "--json")


def check(tmp_path: Path) -> Result:
    return command("check", "--root", str(tmp_path / "root"), "--json")


@pytest.mark.spec("KM-op-init")
def test_a_root_is_made_private_and_in_order(tmp_path: Path) -> None:
    made = init(tmp_path)
    assert (made.code, made.json["made"]) == (0, [*FOLDERS, *FILES])
    root = tmp_path / "root"
    for name in FOLDERS:
        assert stat.S_IMODE((root / name).stat().st_mode) == 0o700
    for name in FILES:
        assert stat.S_IMODE((root / name).stat().st_mode) == 0o600
        json.loads((root / name).read_text())
    again = init(tmp_path)
    assert (again.code, again.json["made"], again.json["kept"]) == (0, [], [*FOLDERS, *FILES])
    checked = check(tmp_path)
    assert (checked.code, checked.json["facts"]["database_exists"]) == (0, False)


def everything(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda root: (root / "config.json").chmod(0o644), "config.json"),
        (lambda root: (root / "data").chmod(0o750), "data"),
        (lambda root: (root / "config.json").write_text("{"), "config.json"),
        (lambda root: (root / "config.json").write_text('{"version": 2}'), "config.json"),
        (lambda root: (root / "providers.json").write_text('{"version": 1}'), "providers.json"),
        (lambda root: replace(root / "run", lambda path: path.write_text("")), "run"),
        (lambda root: replace(root / "config.json", lambda path: path.mkdir()), "config.json"),
        (
            lambda root: replace(root / "config.json", lambda path: path.symlink_to("nowhere")),
            "config.json",
        ),
    ],
)
@pytest.mark.spec("KM-op-init")
def test_what_is_there_and_wrong_is_named_and_nothing_is_made(
    tmp_path: Path, spoil: Callable[[Path], None], named: str
) -> None:
    init(tmp_path)
    root = tmp_path / "root"
    spoil(root)
    (root / "policy.schema.json").unlink()
    before = everything(root)
    refused = init(tmp_path)
    assert (refused.code, refused.json["made"]) == (1, [])
    assert any(one["where"]["file"] == str(root / named) for one in refused.json["problems"])
    assert everything(root) == before
    assert check(tmp_path).code == 1


def replace(path: Path, make: Callable[[Path], object]) -> None:
    path.rmdir() if path.is_dir() else path.unlink()
    make(path)


def test_all_faults_of_the_settings_come_at_once(tmp_path: Path) -> None:
    init(tmp_path)
    root = tmp_path / "root"
    policy = json.loads((root / "config.json").read_text())
    policy["entity_identity"]["scope_by"] = ["nobody", "nowhere"]
    (root / "config.json").write_text(json.dumps(policy))
    (root / "providers.json").write_text('{"version": 1}')
    found = [one["where"]["file"] for one in check(tmp_path).json["problems"]]
    assert found.count(str(root / "config.json")) >= 2
    assert found.count(str(root / "providers.json")) >= 2


OF_ANOTHER = b"SQLite format 3\x00" + bytes(4_080)


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", 0, None),
        (b"notes", 1, "is no SQLite database"),
        (OF_ANOTHER, 1, "no SQLite database"),
        (b"x" * 9_000, 1, "is no SQLite database"),
    ],
)
def test_a_stray_file_in_the_place_of_the_database_is_named_and_left_alone(
    tmp_path: Path, data: bytes, code: int, words: str | None
) -> None:
    """An empty one counts as none: a writer would fill it."""
    init(tmp_path)
    stray = tmp_path / "root" / "data" / "talebearer.db"
    stray.write_bytes(data)
    stray.chmod(0o600)
    checked = check(tmp_path)
    found = [one["message"] for one in checked.json["problems"]]
    assert (checked.code, checked.json["sound"]) == (code, code == 0)
    assert [words is not None and words in one for one in found] == [True] * len(found)
    assert checked.json["facts"]["database_exists"] is bool(data)
    assert stray.read_bytes() == data


def test_a_campaigns_store_is_checked_too(tmp_path: Path) -> None:
    with open_store(tmp_path / "root") as store:
        fill(store)
        facts = check(tmp_path).json["facts"]
        assert (facts["layout"], facts["running"], facts["scopes"], facts["cursor"]) == (
            "campaign",
            True,
            2,
            "12",
        )
    (tmp_path / "root" / "talebearer.db").write_bytes(b"no database" * 100)
    broken = check(tmp_path)
    assert (broken.code, broken.json["sound"]) == (1, False)
    nothing = command("check", "--root", str(tmp_path / "nowhere"))
    assert (nothing.code, "TB210" in nothing.err) == (3, True)
