"""What was made before is used again when nothing changed, and never changes a result."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from talebearer.content import compile_content, lint
from talebearer.errors import InvalidContent

SMALL = Path(__file__).parents[2] / "fixtures" / "content" / "small" / "content"
POOL = "campaigns/mire/dialogue/the-quay/bram-holt.yaml"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """Return a copy of the small content that was at rest for an hour."""
    root = tmp_path / "content"
    shutil.copytree(SMALL, root)
    return root


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def settle(cache: Path) -> None:
    """Make the cache look as if it had been recorded long after the files."""
    path = cache / "content.json"
    later = path.stat().st_mtime_ns + 60 * 10**9
    os.utime(path, ns=(later, later))


def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that will hold the name of every YAML file that is opened."""
    names: list[str] = []
    real = Path.open

    def watch(path: Path, *args, **kwargs):
        if path.suffix == ".yaml":
            names.append(path.name)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", watch)
    return names


@pytest.mark.spec("LP-10-unchanged-not-read")
def test_unchanged_files_are_not_read_again(content, cache, monkeypatch):
    first = compile_content(content, cache=cache)
    settle(cache)
    names = opened(monkeypatch)
    again = compile_content(content, cache=cache)
    assert names == []
    assert (again.data, again.problems) == (first.data, first.problems)
    assert (again.pools, again.lines) == (first.pools, first.lines)
    assert lint(content, cache=cache) == lint(content)


@pytest.mark.spec("LP-10-unchanged-not-read")
def test_only_the_changed_file_is_read(content, cache, monkeypatch):
    compile_content(content, cache=cache)
    settle(cache)
    path = content / POOL
    path.write_text(path.read_text().replace("role: ferryman\n", "role: ferryman\n# new\n", 1))
    names = opened(monkeypatch)
    with_cache = compile_content(content, cache=cache)
    assert "bram-holt.yaml" in names
    assert "ferry-tells.yaml" not in names, "it has no finding to place"
    assert with_cache.data == compile_content(content).data


def test_a_file_touched_just_before_the_recording_is_compared_by_its_bytes(content, cache):
    compile_content(content, cache=cache)
    path = content / POOL
    stat = path.stat()
    path.write_text(path.read_text().replace("Does", "Dose").replace("quay", "quay"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert compile_content(content, cache=cache).data == compile_content(content).data


@pytest.mark.parametrize("change", ["new", "gone", "moved", "broken"])
def test_every_change_of_the_tree_is_seen(content, cache, change):
    compile_content(content, cache=cache)
    settle(cache)
    path = content / POOL
    if change == "new":
        shutil.copy(path, path.with_name("other.yaml"))
    elif change == "gone":
        path.unlink()
    elif change == "moved":
        path.rename(path.with_name("other.yaml"))
    else:
        path.write_text("lines: nothing\n")
    assert lint(content, cache=cache) == lint(content)


def test_errors_are_remembered_too(content, cache):
    (content / POOL).write_text("lines: nothing\n")
    expected = lint(content)
    for _ in range(2):
        assert lint(content, cache=cache) == expected
        with pytest.raises(InvalidContent) as caught:
            compile_content(content, cache=cache)
        assert len(caught.value.data["problems"]) == len(expected)


@pytest.mark.parametrize("damage", [b"", b"x" * 100, b"0" * 64 + b"\n{}", None])
@pytest.mark.parametrize("name", ["content.json", "pack.json", "parsed"])
def test_a_damaged_cache_is_as_none(content, cache, name, damage):
    expected = compile_content(content, cache=cache).data
    settle(cache)
    files = [*(cache / "parsed").iterdir()] if name == "parsed" else [cache / name]
    for path in files:
        path.unlink() if damage is None else path.write_bytes(damage)
    if name == "parsed":  # they are asked only when something changed
        (content / POOL).touch()
    assert compile_content(content, cache=cache).data == expected
    assert compile_content(content, cache=cache).data == expected


def test_another_version_s_cache_is_as_none(content, cache):
    """The record says whose it is; one by anybody else is not believed, whatever it holds."""
    compile_content(content, cache=cache)
    path = cache / "content.json"
    record = json.loads(path.read_bytes()[65:])
    record |= {"made_by": "another", "counts": [99, 99]}
    data = json.dumps(record).encode()
    path.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
    settle(cache)
    assert compile_content(content, cache=cache).pools < 99


def test_a_cache_that_cannot_be_written_is_no_fault(content, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert compile_content(content, cache=tmp_path / "cache").data == compile_content(content).data


def test_what_is_no_longer_needed_is_removed(content, cache):
    compile_content(content, cache=cache)
    count = len([*(cache / "parsed").iterdir()])
    (content / POOL).write_text((content / POOL).read_text() + "# more\n")
    compile_content(content, cache=cache)
    assert len([*(cache / "parsed").iterdir()]) == count


def test_a_cache_belongs_to_one_folder(content, cache, tmp_path):
    compile_content(content, cache=cache)
    other = tmp_path / "other"
    shutil.copytree(content, other)
    (other / POOL).unlink()
    assert compile_content(other, cache=cache).data == compile_content(other).data


def test_a_reader_uses_the_cache_and_leaves_it_as_it_is(content, cache):
    compile_content(content, cache=cache, keeps=False)
    assert not cache.exists()
    compile_content(content, cache=cache)
    before = {path: path.stat().st_mtime_ns for path in cache.rglob("*")}
    (content / POOL).write_text((content / POOL).read_text() + "# more\n")
    found = compile_content(content, cache=cache, keeps=False)
    assert found.data == compile_content(content).data
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*")} == before
