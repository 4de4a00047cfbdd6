"""A rehearsal of content that has one of everything."""

from pathlib import Path

import pytest
import rehearsed

from talebearer.rehearsal import Rehearsal, Setup


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a content folder."""
    return rehearsed.write(tmp_path / "content")


@pytest.fixture
def rehearsal(root: Path) -> Rehearsal:
    """Return its rehearsal."""
    return Rehearsal(root)


@pytest.fixture
def talk(rehearsal: Rehearsal) -> Setup:
    """Return a setup in which Odo speaks to a stranger."""
    return rehearsal.read_json(rehearsed.TALK)
