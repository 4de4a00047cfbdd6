"""Fixtures: the bundled campaign, recorded once a process and copied for each test."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A shell has its jobs in the background ignore interrupts, and what a test starts would inherit
# that; with a handler here, each program starts with the system's default.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The tests start hundreds of processes; each one reads the modules that one of them has compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Most tests make a store that waits for its disk at each commit, and few are about the disk: folders of
# tests lie in memory where there is enough of it.
MEMORY, ROOM_BYTES = Path("/dev/shm"), 4 << 30
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture(scope="session")
def recorded_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled campaign with both sessions recorded; never change it."""
    from campaigns import open_fixed, unpack_bundled

    folder = unpack_bundled(tmp_path_factory.mktemp("template") / "drowned-bell")
    with open_fixed(folder) as campaign:
        campaign.record(folder / "sessions" / "session-01.json")
        campaign.record(folder / "sessions" / "session-02.vtt")
    return folder


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `talebearer demo` was run; never change it."""
    from campaigns import talebearer_here

    folder = tmp_path_factory.mktemp("demo-template")
    done = talebearer_here("demo", cwd=folder)
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; one a module, since no other loop runs while its driver's does."""
    from browsers import chromium

    with chromium() as started:
        yield started


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    """The bundled campaign's folder with nothing recorded."""
    from campaigns import unpack_bundled

    return unpack_bundled(tmp_path / "drowned-bell")


@pytest.fixture
def recorded(recorded_template: Path, tmp_path: Path) -> Path:
    """The bundled campaign's folder with both sessions recorded."""
    return Path(shutil.copytree(recorded_template, tmp_path / "drowned-bell"))


LONG = os.environ.get("TALEBEARER_PROFILE") == "long"
LONG_FACTOR = 20
"""How many times the examples of an ordinary run the long profile (`make prop`) tries."""

# An ordinary run tries the same examples each time, so that what fails is the change and not the
# draw; the long profile draws anew.
settings.register_profile("ordinary", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("long", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("long" if LONG else "ordinary")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In the long profile, let every property try more examples than its own budget says."""
    if not LONG:
        return
    seen: set[object] = set()
    for item in items:
        machine = getattr(item, "cls", None)
        if isinstance(getattr(machine, "settings", None), settings) and machine not in seen:
            seen.add(machine)
            machine.settings = _longer(machine.settings)
        test = getattr(item, "obj", None)
        test = getattr(test, "__func__", test)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None and test not in seen:
            seen.add(test)
            test._hypothesis_internal_use_settings = _longer(own)


def _longer(own: settings) -> settings:
    return settings(own, max_examples=own.max_examples * LONG_FACTOR, derandomize=False)
