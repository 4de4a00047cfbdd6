"""Export and import: the same bytes for the same store, all of it back, whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from stores import FILES, META, NOTE, SCOPE, fill, open_store

from talebearer.errors import ForeignDatabase, SchemaTooNew, StoreCorrupt, StoreLocked, UsageFault
from talebearer.store import EntityRef, Store
from talebearer.store.upkeep import (
    ExportOptions,
    ImportReport,
    OnConflict,
    Place,
    Reading,
    export,
    find_place,
    fsck,
    history,
    import_file,
)
from talebearer.testing import SAMPLE_NOW_MS, sample_knowledge


def exported(place: Place, **options: Any) -> bytes:
    with Reading(place) as reading:
        return b"".join(export(reading, ExportOptions(**options)))


def write(place: Place, path: Path, **options: Any) -> Path:
    path.write_bytes(exported(place, **options))
    return path


@pytest.fixture
def empty(tmp_path: Path) -> Place:
    open_store(tmp_path / "empty").close()
    return find_place(tmp_path / "empty")


def take(place: Place, path: Path, **options: Any) -> ImportReport:
    return import_file(place, path, now_ms=lambda: SAMPLE_NOW_MS, **options)


@pytest.mark.spec("KM-op-export-round-trip")
def test_everything_comes_back_and_is_exported_as_the_same_bytes(
    place: Place, empty: Place, tmp_path: Path
) -> None:
    path = write(place, tmp_path / "all.jsonl")
    report = take(empty, path)
    assert report.problems == ()
    assert dict(report.plan) == {"new": 8}
    assert (report.versions, report.changes, report.objects) == (12, 12, 3)
    assert exported(empty) == path.read_bytes()
    assert fsck(empty).problems == ()
    with Reading(place) as one, Reading(empty) as other:
        for ref in (NOTE, EntityRef("knowledge", "two"), EntityRef("knowledge", "gone")):
            assert history(one, SCOPE, ref) == history(other, SCOPE, ref)
    with open_store(empty.root, prefix="w") as store:
        assert [store.download(META, f"file{n}") for n in range(3)] == list(FILES)
        assert len(store.changes(META)) == 11


@pytest.mark.spec("KM-op-export-deterministic")
def test_the_same_content_gives_the_same_bytes(place: Place, tmp_path: Path) -> None:
    with open_store(tmp_path / "twin") as store:
        fill(store)
    assert exported(place) == exported(find_place(tmp_path / "twin"))
    assert exported(place) == exported(place)


def test_every_line_is_canonical_json(place: Place) -> None:
    for line in exported(place).splitlines():
        assert (
            json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            == line.decode()
        )


def test_heads_alone_come_without_their_past(place: Place, empty: Place, tmp_path: Path) -> None:
    path = write(place, tmp_path / "heads.jsonl", heads_only=True)
    assert dict(take(empty, path).plan) == {"new": 8}
    assert exported(empty, heads_only=True) == path.read_bytes()
    with Reading(empty) as reading:
        assert [one.value["content"]["text"] for one in history(reading, SCOPE, NOTE)] == ["second"]
    with open_store(empty.root, prefix="w") as store:
        assert store.read(META, EntityRef("knowledge", "two")).state == "conflicted"
        assert store.read(META, EntityRef("knowledge", "gone")).state == "deleted"


def test_a_part_can_be_exported(place: Place) -> None:
    lines = [
        json.loads(line)
        for line in exported(place, scope_json=SCOPE, type="knowledge").splitlines()
    ]
    moves = [line for line in lines if line["line"] == "transition"]
    assert {(one["type"], one["scope"]["workspace_id"]) for one in moves} == {("knowledge", "w")}
    assert lines[-1]["lines"] == len(lines) - 1


@pytest.mark.parametrize("heads_only", [False, True])
def test_an_endpoint_that_was_deleted_since_is_no_fault(
    place: Place, empty: Place, tmp_path: Path, heads_only: bool
) -> None:
    with open_store(place.root, prefix="d") as store:
        ref = EntityRef("knowledge", "two")
        heads = [head.version for head in store.read(META, ref).variants]
        store.delete({**META, "base_versions": heads}, ref)
    path = write(place, tmp_path / "all.jsonl", heads_only=heads_only)
    assert take(empty, path).problems == ()


def test_what_was_imported_is_indexed(place: Place, empty: Place, tmp_path: Path) -> None:
    take(empty, write(place, tmp_path / "all.jsonl"))
    with open_store(empty.root, prefix="i") as store:
        assert store.keep_up() == 0


def test_importing_again_changes_nothing(place: Place, empty: Place, tmp_path: Path) -> None:
    path = write(place, tmp_path / "all.jsonl")
    take(empty, path)
    before = exported(empty)
    report = take(empty, path)
    assert (dict(report.plan), report.changes) == ({"same": 8}, 0)
    assert take(place, path).changes == 0
    assert exported(empty) == before


def test_a_later_export_continues_an_earlier_one(
    place: Place, empty: Place, tmp_path: Path
) -> None:
    take(empty, write(place, tmp_path / "early.jsonl"))
    with open_store(place.root, prefix="later") as store:
        update(store, "third")
    report = take(empty, write(place, tmp_path / "late.jsonl"))
    assert (dict(report.plan), report.versions) == ({"continue": 1, "same": 7}, 1)
    assert exported(empty) == exported(place)


def update(store: Store, text: str) -> None:
    bases = store.read(META, NOTE).versions
    store.update({**META, "base_versions": list(bases)}, NOTE, sample_knowledge(text))


@pytest.fixture
def split(place: Place, empty: Place, tmp_path: Path) -> tuple[Place, Path]:
    """A store, and an export of another one, that both went on from the same history."""
    take(empty, write(place, tmp_path / "early.jsonl"))
    with open_store(place.root, prefix="theirs") as store:
        update(store, "theirs")
    with open_store(empty.root, prefix="ours") as store:
        update(store, "ours")
    return empty, write(place, tmp_path / "split.jsonl")


def contents(place: Place) -> list[str]:
    with open_store(place.root, read_only=True) as store:
        return sorted(one.value["content"]["text"] for one in store.read(META, NOTE).variants)


@pytest.mark.spec("KM-op-import-conflict")
@pytest.mark.parametrize(
    ("choice", "left"),
    [
        (OnConflict.FAIL, ["ours"]),
        (OnConflict.SKIP, ["ours"]),
        (OnConflict.REPLACE, ["theirs"]),
        (OnConflict.KEEP_BOTH, ["ours", "theirs"]),
    ],
)
def test_what_both_sides_changed_is_decided_by_the_caller(
    split: tuple[Place, Path], choice: OnConflict, left: list[str]
) -> None:
    place, path = split
    report = take(place, path, on_conflict=choice)
    assert dict(report.plan) == {"same": 7, choice.value: 1}
    assert bool(report.problems) == (choice is OnConflict.FAIL)
    assert contents(place) == left
    assert fsck(place).problems == ()
    if choice is not OnConflict.FAIL:
        assert take(place, path, on_conflict=choice).changes == 0


def test_a_dry_run_tells_the_plan_beside_a_writer_and_writes_nothing(
    split: tuple[Place, Path],
) -> None:
    place, path = split
    before = exported(place)
    with open_store(place.root, prefix="w"):
        report = take(place, path, on_conflict=OnConflict.REPLACE, dry_run=True)
        with pytest.raises(StoreLocked):
            take(place, path, on_conflict=OnConflict.REPLACE)
    assert dict(report.plan) == {"same": 7, "replace": 1}
    assert exported(place) == before


def change(path: Path, edit: Callable[[list[dict[str, Any]]], None]) -> None:
    """Edit the lines of an export and give it an honest last line."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()][:-1]
    edit(lines)
    data = b"".join(
        json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        for line in lines
    )
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    end = {"line": "end", "lines": len(lines), "digest": digest}
    path.write_bytes(data + json.dumps(end).encode() + b"\n")


def drop(lines: list[dict[str, Any]], **wanted: Any) -> None:
    lines[:] = [one for one in lines if any(one.get(key) != wanted[key] for key in wanted)]


def bury(transition: dict[str, Any]) -> None:
    """Make tombstones of all versions of a transition."""
    for version in transition["versions"]:
        version["state"] = "deleted"
        version.pop("value", None)
        version.pop("merge", None)


DIGEST = f"sha256:{hashlib.sha256(FILES[0]).hexdigest()}"


def first(lines: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    return next(one for one in lines if all(one.get(key) == wanted[key] for key in wanted))


@pytest.mark.parametrize(
    ("edit", "code", "words"),
    [
        (lambda lines: first(lines, id="note")["heads"].append("v99"), "TB723", "'v99'"),
        (lambda lines: first(lines, id="note").pop("heads"), "TB721", "heads"),
        (lambda lines: first(lines, id="note").update(extra=1), "TB721", "extra"),
        (lambda lines: first(lines, id="note").update(type="song"), "TB721", "'song'"),
        (lambda lines: first(lines, id="note")["scope"].update(more=1), "TB721", "fields"),
        (
            lambda lines: first(lines, id="note")["versions"][0]["value"].pop("profile"),
            "TB721",
            "profile",
        ),
        (lambda lines: lines.append(first(lines, id="note")), "TB721", "twice"),
        (lambda lines: drop(lines, digest=DIGEST), "TB723", DIGEST),
        (
            lambda lines: first(lines, line="bytes").update(base64=base64.b64encode(b"x").decode()),
            "TB721",
            "do not make up",
        ),
        (lambda lines: first(lines, line="bytes").update(base64="%"), "TB721", "does not follow"),
        (
            lambda lines: first(lines, line="merge_change").update(base64="AAAA"),
            "TB721",
            "merge change",
        ),
        (
            lambda lines: lines.remove(first(lines, line="merge_change")),
            "TB723",
            "merge change",
        ),
        (lambda lines: drop(lines, id="two"), "TB723", "endpoint knowledge two"),
        (
            lambda lines: [bury(one) for one in lines if one.get("id") == "two"],
            "TB723",
            "endpoint knowledge two",
        ),
        (
            lambda lines: [
                one.update(scope={**one["scope"], "user_id": "other"})
                for one in lines
                if one.get("id") == "two"
            ],
            "TB723",
            "endpoint knowledge two",
        ),
        (lambda lines: lines.append({"line": "poem"}), "TB721", "'poem'"),
        (lambda lines: lines.append(lines[0]), "TB721", "header"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_nothing_is_imported(
    place: Place,
    empty: Place,
    tmp_path: Path,
    edit: Callable[[list[dict[str, Any]]], None],
    code: str,
    words: str,
) -> None:
    path = write(place, tmp_path / "all.jsonl")
    change(path, edit)
    before = exported(empty)
    report = take(empty, path)
    found = [str(one) for one in report.problems if one.code == code]
    assert any(words in one for one in found), [str(one) for one in report.problems]
    assert all(one.where.line for one in report.problems)
    assert exported(empty) == before
    assert not [one for one in empty.artifacts.rglob("*") if one.is_file()]


@pytest.mark.spec("KM-op-import-all-problems")
def test_all_problems_come_at_once(place: Place, empty: Place, tmp_path: Path) -> None:
    path = write(place, tmp_path / "all.jsonl")
    data = path.read_bytes().splitlines(keepends=True)
    data[3] = b"{\n"
    data[5] = b"[]\n"
    data[7] = b'{"line":"poem"}\n'
    path.write_bytes(b"".join(data[:-1]))
    report = take(empty, path)
    lines = [one.where.line for one in report.problems]
    assert {4, 6, 8, len(data) - 1} <= set(lines)
    assert "cut off" in " ".join(one.message for one in report.problems)


def test_an_edited_file_is_known_by_its_last_line(
    place: Place, empty: Place, tmp_path: Path
) -> None:
    path = write(place, tmp_path / "all.jsonl")
    path.write_bytes(path.read_bytes().replace(b"elsewhere", b"elsewhen!"))
    assert "not as they were written" in str(take(empty, path).problems[0])


@pytest.mark.parametrize("data", [b"", b"{", b"[]\n", b'{"format":"x"}\n', b"\xff\n"])
def test_what_is_no_export_is_refused(empty: Place, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd").write_bytes(data)
    with pytest.raises(ForeignDatabase):
        take(empty, tmp_path / "odd")


def test_a_newer_export_is_refused(empty: Place, tmp_path: Path) -> None:
    (tmp_path / "new").write_text('{"format":"talebearer.export","version":2}\n')
    with pytest.raises(SchemaTooNew):
        take(empty, tmp_path / "new")


def test_damaged_bytes_are_not_exported_but_the_rest_can_be(place: Place) -> None:
    objects = [path for path in place.artifacts.rglob("*") if path.is_file()]
    max(objects, key=lambda path: path.stat().st_size).write_bytes(b"other")
    with pytest.raises(StoreCorrupt, match="digest"):
        exported(place)
    assert exported(place, with_bytes=False).count(b"\n") > 10


def test_a_full_disk_leaves_nothing_of_an_import(
    place: Place, empty: Place, tmp_path: Path
) -> None:
    """The last write fails; what went before it is undone, bytes included."""
    path = write(place, tmp_path / "all.jsonl")
    before = exported(empty)
    connection = apsw.Connection(str(empty.database))
    pages = connection.pragma("page_count")
    connection.close()
    with open_store(tmp_path / "limited") as store:
        store.checkpoint()
    script = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from talebearer.errors import StoreFull\n"
        "from talebearer.store.upkeep import find_place, import_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({(pages + 2) * 4096}, -1))\n"
        "try:\n"
        f"    import_file(find_place(Path({str(empty.root)!r})), Path({str(path)!r}), now_ms=lambda: 1)\n"
        "except StoreFull:\n"
        "    sys.exit(42)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 42
    assert exported(empty) == before
    assert not [one for one in empty.artifacts.rglob("*") if one.is_file()]
    assert take(empty, path).problems == ()


@pytest.mark.parametrize("kind", ["standard input", "pipe", "folder"])
def test_what_cannot_be_read_twice_is_refused_at_once(
    empty: Place, tmp_path: Path, kind: str
) -> None:
    path = Path("-") if kind == "standard input" else tmp_path / "given"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(UsageFault, match="read twice"):
        take(empty, path)
