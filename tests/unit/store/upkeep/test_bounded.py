"""Upkeep of a store keeps no list of what is in it: ten times the records take hardly more memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from stores import META, open_store

from talebearer.store.upkeep import (
    ExportOptions,
    Place,
    Reading,
    as_of,
    export,
    find_place,
    fsck,
    gc,
    import_file,
    scope_of,
    tail,
)
from talebearer.testing import sample_artifact_metadata, sample_knowledge

FEW, MANY = 600, 2_200
BYTES_A_RECORD_MAX = 48
ABOUT = sample_artifact_metadata()
"""Less than any object that Python could keep of a record."""


def now_ms() -> int:
    return 1_800_000_000_000


def made(root: Path, count: int) -> Place:
    with open_store(root, prefix="m") as store:
        for start in range(0, count, 50):
            with store.batch():
                for number in range(start, start + 50):
                    store.create(META, "knowledge", sample_knowledge("x"), id=f"k{number}")
        for number in range(0, count, 10):
            store.upload(META, b"%d" % number, media_type="text/plain", name=None, metadata=ABOUT)
        store.keep_up()
    return find_place(root)


def whole_export(place: Place) -> None:
    with Reading(place) as reading:
        for _ in export(reading, ExportOptions()):
            pass


def whole_past(place: Place) -> None:
    with Reading(place) as reading:
        scope_json = scope_of(reading, None)
        for _ in as_of(reading, scope_json):
            pass
        for _ in tail(reading, scope_json):
            pass


def imported(place: Place) -> None:
    path = place.root.with_suffix(".jsonl")
    if not path.exists():
        with Reading(place) as reading, path.open("wb") as file:
            file.writelines(export(reading, ExportOptions()))
    fresh = place.root.with_name(f"{place.root.name}-{len(list(place.root.parent.iterdir()))}")
    with open_store(fresh, prefix="e"):
        pass
    assert import_file(find_place(fresh), path, now_ms=now_ms).problems == ()


def peak_bytes(act: Callable[[Place], object], place: Place) -> int:
    act(place)  # what is kept between calls is there
    tracemalloc.start()
    try:
        act(place)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Place]:
    folder = tmp_path_factory.mktemp("bounded")
    return made(folder / "few", FEW), made(folder / "many", MANY)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(fsck, id="fsck"),
        pytest.param(lambda place: gc(place, now_ms=now_ms, dry_run=True), id="gc"),
        pytest.param(whole_export, id="export"),
        pytest.param(imported, id="import"),
        pytest.param(whole_past, id="as-of and tail"),
    ],
)
def test_memory_does_not_grow_with_the_records(
    places: tuple[Place, Place], act: Callable[[Place], object]
) -> None:
    few, many = (peak_bytes(act, place) for place in places)
    assert many - few < (MANY - FEW) * BYTES_A_RECORD_MAX
