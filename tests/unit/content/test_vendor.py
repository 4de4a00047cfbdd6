"""The copy that a game ships stands alone."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from talebearer import __version__
from talebearer.content import compile_content, vendor, vendored_files
from talebearer.errors import UsageFault

SMALL = Path(__file__).parents[2] / "fixtures" / "content" / "small" / "content"
PLAYER = Path(__file__).parents[2] / "support" / "selection_player.py"
CORPUS = Path(__file__).parents[2] / "fixtures" / "selection" / "corpus.jsonl"
GAME = Path(__file__).parents[2] / "support" / "vendored_game.py"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    vendor(tmp_path / "game")
    return tmp_path / "game"


@pytest.mark.spec("LP-9-vendored")
def test_the_copy_alone_plays_saves_and_goes_back(copy, tmp_path):
    pack = tmp_path / "pack.json"
    pack.write_bytes(compile_content(SMALL).data)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(GAME), str(copy), str(pack)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "No",
        "You left in the middle of a sentence. The sentence is still here.",
    ]


@pytest.mark.spec("LP-9-vendored")
def test_the_copy_alone_answers_as_the_corpus_says(copy):
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PLAYER), str(copy), str(CORPUS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cases, asked = map(int, done.stdout.split())
    assert asked > cases == len(CORPUS.read_bytes().splitlines()) - 1


def test_it_has_its_licence_version_and_digests(copy):
    stamp = json.loads((copy / "talebearer" / "VENDORED.json").read_bytes())
    assert stamp["version"] == __version__
    assert "MIT License" in (copy / "talebearer" / "LICENSE").read_text()
    for name, digest in stamp["files"].items():
        assert hashlib.sha256((copy / "talebearer" / name).read_bytes()).hexdigest() == digest
    assert {"lines", "memory", "errors", "vocabulary"} == set(stamp["packages"])


def test_it_is_the_same_bytes_each_time(copy, tmp_path):
    vendor(tmp_path / "again")
    files = sorted(path.relative_to(copy) for path in copy.rglob("*") if path.is_file())
    for name in files:
        assert (copy / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    assert {str(name) for name in files} == set(vendored_files())


def test_an_earlier_copy_is_replaced_as_a_whole(copy):
    (copy / "talebearer" / "lines" / "gone.py").write_text("old = 1\n")
    vendor(copy)
    assert not (copy / "talebearer" / "lines" / "gone.py").exists()
    assert [path.name for path in copy.iterdir()] == ["talebearer"]


def test_what_is_no_copy_is_left_alone(tmp_path):
    (tmp_path / "talebearer").mkdir()
    (tmp_path / "talebearer" / "mine.py").write_text("mine = 1\n")
    with pytest.raises(UsageFault, match="no vendored copy"):
        vendor(tmp_path)
    assert (tmp_path / "talebearer" / "mine.py").exists()
