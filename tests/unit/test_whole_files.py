"""Files are put in their places whole: what there was, or all of the new, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from talebearer._whole import StagedFiles, part_of, put_whole, stage
from talebearer.content import draft_facts, missing_facts, write_default_enums

ROOM_BYTES = 64 * 1024


def held(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@contextmanager
def files_no_longer_than(size_bytes: int) -> Iterator[None]:
    """What the system refuses beyond a limit; Python ignores the signal that goes with it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with little room, where mounting is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={ROOM_BYTES}", "tmpfs", str(disk)]
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, *options], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here; the limit of a file's size covers the case")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def put_both(folder: Path, first: bytes, second: bytes) -> None:
    with StagedFiles() as files:
        files.put(folder / "first.txt", first)
        files.put(folder / "more" / "second.txt", second)
        files.commit()


def test_both_are_there_after_the_commit_and_neither_before(tmp_path: Path) -> None:
    with StagedFiles() as files:
        files.put(tmp_path / "first.txt", b"1")
        files.put(tmp_path / "second.txt", b"2")
        assert not (tmp_path / "first.txt").exists()
        files.commit()
    assert held(tmp_path) == {"first.txt": b"1", "second.txt": b"2"}
    assert (tmp_path / "first.txt").stat().st_mode & 0o777 == 0o644


def test_a_file_that_is_too_long_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    put_both(tmp_path, b"old 1", b"old 2")
    with pytest.raises(OSError, match="too large") as caught, files_no_longer_than(1000):
        put_both(tmp_path, b"new 1", b"x" * 1001)
    assert (caught.value.errno, caught.value.filename) == (
        errno.EFBIG,
        str(tmp_path / "more" / "second.txt"),
    )
    assert held(tmp_path) == {"first.txt": b"old 1", "more/second.txt": b"old 2"}


def test_a_full_disk_in_the_middle_leaves_both_as_they_were(small_disk: Path) -> None:
    put_both(small_disk, b"old 1", b"old 2")
    with pytest.raises(OSError, match="No space left") as caught:
        put_both(small_disk, b"n" * (ROOM_BYTES // 2), b"x" * (ROOM_BYTES // 2))
    assert (caught.value.errno, caught.value.filename) == (
        errno.ENOSPC,
        str(small_disk / "more" / "second.txt"),
    )
    assert held(small_disk) == {"first.txt": b"old 1", "more/second.txt": b"old 2"}
    put_both(small_disk, b"new 1", b"new 2")
    assert held(small_disk) == {"first.txt": b"new 1", "more/second.txt": b"new 2"}


def test_a_reader_never_sees_a_part(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    put_whole(target, b"old")
    seen = []

    def pieces() -> Iterator[bytes]:
        for piece in (b"ne", b"w"):
            seen.append(target.read_bytes())
            yield piece
        seen.append(target.read_bytes())

    put_whole(target, pieces(), mode=0o600)
    assert seen == [b"old"] * 3
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_what_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put_whole(tmp_path / "file.txt", pieces())
    assert held(tmp_path) == {}


def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim.txt", tmp_path / "file.txt"
    victim.write_bytes(b"mine")
    target.symlink_to(victim)
    put_whole(target, b"new")
    assert (victim.read_bytes(), target.read_bytes()) == (b"mine", b"new")
    assert not target.is_symlink()


def test_a_link_where_the_bytes_lie_meanwhile_is_never_written_through(tmp_path: Path) -> None:
    victim, target = tmp_path / "victim.txt", tmp_path / "file.txt"
    victim.write_bytes(b"mine")
    part = part_of(target)
    part.symlink_to(victim)
    stage(target, b"second")
    assert not part.is_symlink()
    assert (victim.read_bytes(), part.read_bytes()) == (b"mine", b"second")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_refused_and_stays(tmp_path: Path, make) -> None:
    target = tmp_path / "thing"
    make(target)
    before = target.stat()
    with pytest.raises(OSError, match="no regular file") as caught:
        put_whole(target, b"new")
    assert caught.value.filename == str(target)
    assert target.stat().st_ino == before.st_ino
    assert list(tmp_path.iterdir()) == [target]


def test_a_name_as_long_as_names_may_be_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("鐘" * 85)
    put_whole(target, b"new")
    assert target.read_bytes() == b"new"


def test_drafted_facts_are_declared_in_all_catalogues_or_in_none(tmp_path: Path) -> None:
    write_default_enums(tmp_path / "global" / "enums")
    pool = tmp_path / "dialogue" / "quay" / "wick.yaml"
    pool.parent.mkdir(parents=True)
    lines = "".join(
        f"  - {{id: {place}, text: Heard {fact}., access: public, trust: surface,"
        f" situations: [social], knowledge_grant: {{fact_id: {fact}, confidence: knows_of}}}}\n"
        for place, fact in enumerate(("short.bell", *(f"wide.bell-{n:03}" for n in range(40))))
    )
    pool.write_text(f"role: wick\nlocation: quay\nlines:\n{lines}")
    facts = missing_facts(tmp_path)
    assert len(facts) == 41
    before = held(tmp_path)
    with pytest.raises(OSError, match="too large"), files_no_longer_than(1000):
        draft_facts(tmp_path, facts)
    assert held(tmp_path) == before
    assert len(draft_facts(tmp_path, facts)) == 2
