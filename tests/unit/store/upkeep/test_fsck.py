"""Damage is found, named with its place, and leaves the rest served."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from stores import FILES, META, NOTE, fill, open_store

from talebearer.errors import StoreCorrupt
from talebearer.errors.findings_store import (
    BROKEN_REFERENCE,
    DAMAGED_BYTES,
    DAMAGED_CHANGE,
    DAMAGED_PAGE,
    DAMAGED_VALUE,
    MISSING_BYTES,
    NOT_CHECKED,
    OPEN_MODE,
    STRAY_FILE,
    UNNAMED_BYTES,
    WRONG_DOCUMENT,
    WRONG_HEADS,
    WRONG_LOG,
    WRONG_PARENTS,
    WRONG_UNIT,
)
from talebearer.store import EntityRef
from talebearer.store.upkeep import FsckReport, Place, find_place, fsck
from talebearer.store.upkeep.fsck import DamagedChange, read_change
from talebearer.testing import sample_knowledge

CHANGE = bytes.fromhex(
    "856f4a835bde47d401350010010101010101010101010101010101010101000000061507340142025602570370"
    "027f0576616c7565017f017f366162637f00"
)
CHANGE_HASH = "5bde47d456cbf75bfb604746ffb3804032ddace72e4dc68888dd80e8e443acdb"
"""A change made by the merge engine: it sets ``value`` to ``abc`` and has no parents."""


def change(place: Place, *statements: str, bindings: tuple[object, ...] = ()) -> None:
    """Change the database behind the store's back."""
    connection = apsw.Connection(str(place.database))
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    for statement in statements:
        connection.execute(statement, bindings).fetchall()
    connection.close()


def codes(report: FsckReport) -> list[str]:
    return sorted(Counter(problem.code for problem in report.problems))


def messages(report: FsckReport, code: str) -> str:
    return "\n".join(str(problem) for problem in report.problems if problem.code == code)


def object_of(place: Place, data: bytes) -> Path:
    digest = hashlib.sha256(data).hexdigest()
    return place.artifacts / "objects" / "sha256" / digest[:2] / digest[2:]


def test_a_sound_store_has_no_findings(place: Place) -> None:
    report = fsck(place)
    assert report.problems == ()
    assert report.sound


def test_it_runs_beside_the_writer(place: Place) -> None:
    with open_store(place.root, prefix="w") as store:
        store.create(META, "knowledge", sample_knowledge())
        assert fsck(place).problems == ()


@pytest.mark.spec("KM-fault-corrupt-blob")
def test_damaged_bytes_are_named_with_who_needs_them_and_the_rest_is_served(place: Place) -> None:
    path = object_of(place, FILES[0])
    path.write_bytes(b"bytes of a lie!")
    report = fsck(place)
    assert codes(report) == [DAMAGED_BYTES]
    assert str(path) in messages(report, DAMAGED_BYTES)
    assert 'needed by artifact "file0"' in messages(report, DAMAGED_BYTES)
    with open_store(place.root, prefix="w") as store:
        with pytest.raises(StoreCorrupt, match="digest"):
            store.download(META, "file0")
        assert store.download(META, "file2") == FILES[2]
        assert store.read(META, NOTE).state == "active"


def test_missing_bytes_are_named(place: Place) -> None:
    object_of(place, FILES[2]).unlink()
    report = fsck(place)
    assert codes(report) == [MISSING_BYTES]
    assert 'artifact "file2"' in messages(report, MISSING_BYTES)


def test_bytes_of_another_node_are_not_asked_for(place: Place) -> None:
    object_of(place, FILES[2]).unlink()
    assert codes(fsck(place, node_id="elsewhere")) == [UNNAMED_BYTES]


@pytest.mark.spec("KM-fault-corrupt-page")
def test_a_damaged_page_names_what_lies_on_it_and_the_rest_is_served(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        fill(store)
        for number in range(60):
            store.create(META, "knowledge", sample_knowledge("x" * 900), id=f"many{number:02}")
    place = find_place(tmp_path / "store")
    lost = damage_page_of(place, "many30")
    report = fsck(place)
    assert DAMAGED_PAGE in codes(report)
    for entity_id in lost:
        assert f'knowledge "{entity_id}"' in messages(report, DAMAGED_PAGE)
    with open_store(place.root, prefix="w") as store:
        with pytest.raises(StoreCorrupt):
            store.read(META, EntityRef("knowledge", "many30"))
        served = {f"many{number:02}" for number in range(60)} - lost
        assert len(served) > 40
        for entity_id in sorted(served):
            assert store.read(META, EntityRef("knowledge", entity_id)).state == "active"
        store.create(META, "knowledge", sample_knowledge(), id="written after")


@pytest.mark.spec("KM-fault-corrupt-page")
@pytest.mark.parametrize("damage", ["a flipped bit", "a page of zeros"])
@pytest.mark.parametrize(
    "tree",
    ["patchouli_entity_version_recorded", "patchouli_causal_frontier", "patchouli_entity_head"],
)
def test_a_damaged_page_is_found_whatever_it_belongs_to(
    tmp_path: Path, tree: str, damage: str
) -> None:
    """Also one of an index, which no other check reads, and also where every page can be read."""
    with open_store(tmp_path / "store") as store:
        for number in range(200):
            store.create(META, "knowledge", sample_knowledge(), id=f"many{number:03}")
    place = find_place(tmp_path / "store")
    connection = apsw.Connection(str(place.database))
    offset, size = connection.execute(
        "SELECT pgoffset, pgsize FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path",
        (tree,),
    ).fetchall()[1]
    connection.close()
    data = bytearray(place.database.read_bytes())
    if damage == "a flipped bit":
        data[data.index(b"workspace_id", offset)] ^= 1
    else:
        data[offset : offset + size] = bytes(size)
    place.database.write_bytes(data)
    assert not fsck(place).sound
    if tree.endswith("recorded") and damage == "a flipped bit":
        assert tree in messages(fsck(place), DAMAGED_PAGE)


def damage_page_of(place: Place, entity_id: str) -> set[str]:
    """Overwrite the table page that holds an entity's value; return all ids with values on it."""
    connection = apsw.Connection(str(place.database))
    pages = connection.execute(
        "SELECT pageno, pgoffset, pgsize, path FROM dbstat "
        "WHERE name = 'patchouli_entity_version' AND pagetype = 'leaf' ORDER BY path"
    ).fetchall()
    rows = connection.execute(
        "SELECT row_id, entity_id FROM patchouli_entity_version ORDER BY row_id"
    ).fetchall()
    connection.close()
    data = bytearray(place.database.read_bytes())
    for _, offset, size, _ in pages:
        page = data[offset : offset + size]
        if f'"{entity_id}"'.encode() in page or entity_id.encode() in page:
            lost = {one for _, one in rows if one.encode() in page and one.startswith("many")}
            data[offset : offset + size] = b"\xa5" * size
            place.database.write_bytes(data)
            return lost
    raise AssertionError("no page has it")


def test_a_file_that_is_no_database_any_more_is_one_finding(place: Place) -> None:
    data = bytearray(place.database.read_bytes())
    data[100:4096] = b"\xa5" * 3996
    place.database.write_bytes(data)
    assert codes(fsck(place)) == [DAMAGED_PAGE, NOT_CHECKED]


@pytest.mark.parametrize(
    ("sql", "code", "named"),
    [
        ("DELETE FROM patchouli_entity_head WHERE entity_id = 'note'", WRONG_HEADS, '"note"'),
        (
            "UPDATE patchouli_entity_head SET version = 'v99' WHERE entity_id = 'link'",
            WRONG_HEADS,
            '"link" version v99',
        ),
        (
            "UPDATE patchouli_entity_head_history SET head_versions_json = '[\"v98\"]' "
            "WHERE entity_id = 'gone' AND cursor = 7",
            WRONG_HEADS,
            '"gone" version v98',
        ),
        (
            "DELETE FROM patchouli_entity_head_history WHERE entity_id = 'link'",
            WRONG_LOG,
            '"link"',
        ),
        ("UPDATE patchouli_scope_frontier SET cursor = 2", WRONG_LOG, "workspace_id"),
        ("DELETE FROM patchouli_causal_frontier WHERE cursor = 3", WRONG_LOG, "change 3"),
        ("UPDATE sqlite_sequence SET seq = 3", WRONG_LOG, "sqlite_sequence"),
        (
            "UPDATE patchouli_entity_version SET value_json = '{' WHERE entity_id = 'link'",
            DAMAGED_VALUE,
            '"link"',
        ),
        (
            "UPDATE patchouli_entity_version SET value_json = '{\"b\": 1}' WHERE entity_id = 'link'",
            DAMAGED_VALUE,
            "canonical",
        ),
        (
            "UPDATE patchouli_entity_version SET value_json = NULL WHERE entity_id = 'link'",
            DAMAGED_VALUE,
            "no value",
        ),
        (
            "INSERT INTO patchouli_entity_crdt_head "
            "SELECT scope_json, entity_type, entity_id, version, '/content', 'ff' "
            "FROM patchouli_entity_version WHERE version = 'v00000001'",
            DAMAGED_CHANGE,
            '"note" version v00000001 at /content, change ff',
        ),
        (
            "UPDATE patchouli_scope_frontier SET causal_token = 'nowhere'",
            BROKEN_REFERENCE,
            "patchouli_causal_frontier",
        ),
        (
            "INSERT INTO patchouli_work_unit_head VALUES ('{}', '{}', 'knowledge', 'x', 'v97')",
            WRONG_UNIT,
            "v97",
        ),
    ],
)
def test_rows_that_contradict_each_other_are_named(
    place: Place, sql: str, code: str, named: str
) -> None:
    change(place, sql)
    report = fsck(place)
    assert not report.sound
    assert named in messages(report, code), [str(one) for one in report.problems]


def test_what_is_no_damage_is_only_told(place: Place) -> None:
    stray = place.artifacts / "objects" / "README"
    stray.write_text("hello")
    unnamed = object_of(place, b"nobody's")
    unnamed.parent.mkdir(parents=True, exist_ok=True)
    unnamed.write_bytes(b"nobody's")
    place.database.chmod(0o644)
    report = fsck(place)
    assert codes(report) == [UNNAMED_BYTES, STRAY_FILE, OPEN_MODE]
    assert report.sound


@pytest.mark.spec("KM-fault-corrupt-change")
def test_a_damaged_merge_change_is_named_and_the_rest_is_served(place: Place) -> None:
    damaged = bytearray(CHANGE)
    damaged[-8] ^= 1
    insert_change(place, CHANGE_HASH, bytes(damaged))
    report = fsck(place)
    assert codes(report) == [DAMAGED_CHANGE]
    assert CHANGE_HASH in messages(report, DAMAGED_CHANGE)
    with open_store(place.root, prefix="w") as store:
        assert store.read(META, NOTE).value["content"]["text"] == "second"


@pytest.mark.spec("KM-fault-corrupt-change")
def test_a_damaged_change_of_the_engine_stops_joining_on_it_and_nothing_else(place: Place) -> None:
    with open_store(place.root, prefix="w") as store:
        store.create(META, "knowledge", sample_knowledge("one two"), id="sound")
        store.create(META, "knowledge", sample_knowledge("one two"), id="hurt")
    damage_change_of(place, "hurt")
    report = fsck(place)
    assert codes(report) == [DAMAGED_CHANGE, WRONG_DOCUMENT]
    assert "knowledge 'hurt'" in messages(report, DAMAGED_CHANGE)
    assert 'knowledge "hurt"' in messages(report, WRONG_DOCUMENT)
    with open_store(place.root, prefix="x") as store:
        assert (
            store.read(META, EntityRef("knowledge", "hurt")).value["content"]["text"] == "one two"
        )
        for text in ("one two three", "zero one two"):
            base = {**META, "base_versions": ["w00000001"], "conflict_strategy": "merge"}
            store.update(base, EntityRef("knowledge", "sound"), sample_knowledge(text))
        heads = store.read(META, EntityRef("knowledge", "sound")).variants
        assert {one.value["content"]["text"] for one in heads} == {"zero one two three"}


def damage_change_of(place: Place, entity_id: str) -> None:
    connection = apsw.Connection(str(place.database))
    ((change_hash, data),) = connection.execute(
        "SELECT change_hash, change_bytes FROM patchouli_crdt_change WHERE change_hash IN ("
        "SELECT change_hash FROM patchouli_entity_crdt_head WHERE entity_id = ?)",
        (entity_id,),
    ).fetchall()
    damaged = bytearray(data)
    damaged[-3] ^= 1
    connection.execute(
        "UPDATE patchouli_crdt_change SET change_bytes = ? WHERE change_hash = ?",
        (bytes(damaged), change_hash),
    )
    connection.close()


def test_a_document_that_gives_another_value_is_named(place: Place) -> None:
    change(
        place,
        "UPDATE patchouli_entity_version SET value_json = replace(value_json, 'second', 'forged') "
        "WHERE entity_id = 'note'",
    )
    assert "another value" in messages(fsck(place), WRONG_DOCUMENT)


def test_a_change_under_another_hash_is_named(place: Place) -> None:
    insert_change(place, "ab" * 32, CHANGE)
    assert f"holds the bytes of change {CHANGE_HASH}" in messages(fsck(place), DAMAGED_CHANGE)


def test_parents_that_the_bytes_do_not_have_are_named(place: Place) -> None:
    insert_change(place, CHANGE_HASH, CHANGE)
    change(place, f"INSERT INTO patchouli_crdt_change_parent VALUES ('{CHANGE_HASH}', 'ff')")
    assert CHANGE_HASH in messages(fsck(place), WRONG_PARENTS)


def insert_change(place: Place, change_hash: str, chunk: bytes) -> None:
    change(
        place,
        "INSERT OR REPLACE INTO patchouli_crdt_change VALUES (?, ?)",
        bindings=(change_hash, chunk),
    )


def with_parent(chunk: bytes, parent: str) -> tuple[str, bytes]:
    """Return a change like *chunk* that stands on *parent*, and its hash."""
    content = b"\x01" + bytes.fromhex(parent) + chunk[11:]
    body = bytes([1, len(content)]) + content
    digest = hashlib.sha256(body).digest()
    return digest.hex(), chunk[:4] + digest[:4] + body


def test_a_change_is_read_without_the_engine() -> None:
    assert read_change(CHANGE).hash == CHANGE_HASH
    assert read_change(CHANGE).parents == ()
    child_hash, child = with_parent(CHANGE, CHANGE_HASH)
    assert read_change(child).hash == child_hash
    assert read_change(child).parents == (CHANGE_HASH,)


def test_a_missing_parent_is_named(place: Place) -> None:
    child_hash, child = with_parent(CHANGE, CHANGE_HASH)
    insert_change(place, child_hash, child)
    report = fsck(place)
    assert "which is missing" in messages(report, WRONG_PARENTS)


def test_a_compressed_change_has_the_hash_of_the_plain_one() -> None:
    deflater = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = deflater.compress(CHANGE[10:]) + deflater.flush()
    compressed = CHANGE[:8] + bytes([2, len(packed)]) + packed
    assert read_change(compressed).hash == CHANGE_HASH


@pytest.mark.parametrize(
    "spoil",
    [
        lambda chunk: b"",
        lambda chunk: chunk[:-1],
        lambda chunk: b"\x00" + chunk[1:],
        lambda chunk: chunk[:8] + b"\x09" + chunk[9:],
        lambda chunk: chunk[:9] + b"\xff" * 12,
        lambda chunk: chunk[:8] + b"\x02" + chunk[9:],
        lambda chunk: chunk[:10] + b"\x7f" + chunk[11:],
    ],
)
def test_bytes_that_are_no_change_are_refused(spoil: Callable[[bytes], bytes]) -> None:
    with pytest.raises(DamagedChange):
        read_change(spoil(CHANGE))
