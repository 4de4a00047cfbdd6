"""Clearing up: what nothing names goes, once it is old; all else stays."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import apsw
import pytest
from stores import FILES, META, open_store

from talebearer.errors import StoreCorrupt, StoreLocked
from talebearer.store import EntityRef
from talebearer.store.upkeep import GcReport, Place, fsck, gc

NOW_MS = 2_000_000_000_000
HOUR_MS = 3_600_000


def put(place: Place, data: bytes, *, age_ms: int) -> Path:
    digest = hashlib.sha256(data).hexdigest()
    path = place.artifacts / "objects" / "sha256" / digest[:2] / digest[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    age(path, age_ms)
    return path


def age(path: Path, age_ms: int) -> None:
    moment_ns = (NOW_MS - age_ms) * 1_000_000
    os.utime(path, ns=(moment_ns, moment_ns))


def collect(place: Place, *, dry_run: bool = False) -> GcReport:
    return gc(place, now_ms=lambda: NOW_MS, grace_seconds=3_600, dry_run=dry_run)


@pytest.mark.spec("KM-op-gc")
def test_old_bytes_that_nothing_names_go_and_all_else_stays(place: Place) -> None:
    for path in place.artifacts.rglob("*"):
        age(path, 9 * HOUR_MS)
    old, young = put(place, b"old", age_ms=HOUR_MS), put(place, b"young", age_ms=HOUR_MS - 1)
    part = place.artifacts / "uploads" / "x.part"
    part.write_bytes(b"unfinished")
    age(part, 2 * HOUR_MS)
    would = collect(place, dry_run=True)
    assert old.exists()
    assert part.exists()
    report = collect(place)
    assert report.removed == would.removed
    assert report.removed == (old.relative_to(place.artifacts).as_posix(), "uploads/x.part")
    assert (report.removed_bytes, report.young, report.kept) == (13, 1, 3)
    assert (old.exists(), young.exists(), part.exists()) == (False, True, False)
    assert fsck(place).sound
    with open_store(place.root, prefix="w") as store:
        assert [store.download(META, f"file{n}") for n in range(3)] == list(FILES)


def test_bytes_of_a_superseded_or_deleted_version_stay(place: Place) -> None:
    with open_store(place.root, prefix="w") as store:
        ref = EntityRef("artifact", "file0")
        base = {**META, "base_versions": store.read(META, ref).versions}
        store.delete({**base, "base_versions": [*base["base_versions"]]}, ref)
    for path in place.artifacts.rglob("*"):
        age(path, 9 * HOUR_MS)
    assert collect(place).removed == ()


def test_bytes_that_a_staged_version_names_stay(place: Place) -> None:
    staged = put(place, b"staged", age_ms=9 * HOUR_MS)
    digest = f"sha256:{staged.parent.name}{staged.name}"
    connection = apsw.Connection(str(place.database))
    connection.execute(
        "INSERT INTO patchouli_work_unit VALUES ('{}', '{}', 'open', '{}', 'discard', 1, 2, 0, NULL)"
    )
    connection.execute(
        "INSERT INTO patchouli_entity_version (scope_json, entity_type, entity_id, version, state, "
        "value_json, work_unit_json, recorded_at_unix_ms) "
        "SELECT scope_json, entity_type, 'staged', 'staged', state, replace(replace(value_json, "
        "json_extract(value_json, '$.digest'), ?1), json_extract(value_json, '$.placement.key'), "
        "replace(?1, ':', '/')), '{}', 1 FROM patchouli_entity_version WHERE entity_id = 'file0'",
        (digest,),
    )
    connection.close()
    collect(place)
    assert staged.exists()


def test_it_never_runs_beside_a_writer_but_may_look(place: Place) -> None:
    old = put(place, b"old", age_ms=9 * HOUR_MS)
    with open_store(place.root, prefix="w"):
        with pytest.raises(StoreLocked) as refused:
            collect(place)
        assert "--dry-run" in refused.value.hint
        assert old.exists()
        assert len(collect(place, dry_run=True).removed) == 1


def test_nothing_goes_while_it_cannot_be_read_what_is_named(place: Place) -> None:
    old = put(place, b"old", age_ms=9 * HOUR_MS)
    data = bytearray(place.database.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    place.database.write_bytes(data)
    with pytest.raises(StoreCorrupt):
        collect(place)
    assert old.exists()
