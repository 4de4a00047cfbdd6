"""Stores on disk for the tests of upkeep."""

from __future__ import annotations

from pathlib import Path

import pytest
from stores import fill, open_store

from talebearer.store.upkeep import Place, find_place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a filled store that is closed."""
    with open_store(tmp_path / "store") as store:
        fill(store)
    return tmp_path / "store"


@pytest.fixture
def place(folder: Path) -> Place:
    """The paths of a filled store that is closed."""
    return find_place(folder)
