"""Fixtures: the bundled campaign, recorded once a process and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def recorded_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled campaign with both sessions recorded; never change it."""
    from campaigns import open_fixed, unpack_bundled

    folder = unpack_bundled(tmp_path_factory.mktemp("template") / "drowned-bell")
    with open_fixed(folder) as campaign:
        campaign.record(folder / "sessions" / "session-01.json")
        campaign.record(folder / "sessions" / "session-02.vtt")
    return folder


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    """The bundled campaign's folder with nothing recorded."""
    from campaigns import unpack_bundled

    return unpack_bundled(tmp_path / "drowned-bell")


@pytest.fixture
def recorded(recorded_template: Path, tmp_path: Path) -> Path:
    """The bundled campaign's folder with both sessions recorded."""
    return Path(shutil.copytree(recorded_template, tmp_path / "drowned-bell"))
