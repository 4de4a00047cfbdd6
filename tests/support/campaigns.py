"""Campaigns for tests: the bundled one, recorded or not, and small ones written on the spot."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.resources import as_file, files
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from talebearer import Campaign
from talebearer.cli import main

NOW = "2026-01-01T20:00:00+00:00"
NOW_MS = 1_767_297_600_000
SALT = "tests"
FIXED = {"TALEBEARER_NOW": NOW, "TALEBEARER_SEED": "4", "COLUMNS": "100", "TERM": "dumb"}
SUPPORT = str(Path(__file__).resolve().parent)


def open_fixed(folder: Path, *, read_only: bool = False) -> Campaign:
    """Open a campaign with a clock and ids that repeat."""
    return Campaign.open(folder, read_only=read_only, now_ms=lambda: NOW_MS, id_salt=SALT)


def create_fixed(folder: Path) -> Campaign:
    """Make a campaign with a clock and ids that repeat."""
    return Campaign.create(folder, now_ms=lambda: NOW_MS, id_salt=SALT)


def unpack_bundled(folder: Path) -> Path:
    """Copy the bundled campaign to *folder* and return it."""
    with as_file(files("talebearer").joinpath("bundled", "drowned-bell")) as bundled:
        shutil.copytree(bundled, folder)
    return folder


def seriatim(*lines: tuple[str, str]) -> str:
    """Return a seriatim transcript of (speaker, text) units, three seconds each."""
    segments = [
        {"id": n, "start": n * 3.0, "end": n * 3.0 + 2.5, "speaker": speaker, "text": text}
        for n, (speaker, text) in enumerate(lines, start=1)
    ]
    metadata = {"application": "seriatim", "version": "1.1.0", "output_schema": "minimal"}
    return json.dumps({"metadata": metadata, "segments": segments}, ensure_ascii=False)


MEETING = (
    ("GM", "The woman behind the counter is Berra Quist. Berra looks up and says, “You are late.”"),
    ("Ana", "Berra, I am sorry. The ferry was slow."),
    ("GM", "“The ferry is always slow,” Berra says. “Sit down.”"),
    ("Ana", "I sit down. What do you hear from the mill, Berra?"),
    ("GM", "“Nothing good,” Berra says, and pours."),
)
"""Five units in which the party talks with one NPC, Berra Quist."""

LABELLED_MEETING: dict[str, Any] = {
    "id": "a-meeting",
    "source_id": "A",
    "license": "ours",
    "party": ["Nora Fell"],
    "players": {"Ana": "Nora Fell"},
    "gm": "GM",
    "units": [
        {"id": n, "speaker": speaker, "text": text} for n, (speaker, text) in enumerate(MEETING, 1)
    ],
    "npcs": [{"name": "Berra Quist", "aliases": ["Berra"]}],
    "interactions": [
        {
            "name": "Berra Quist",
            "kind": "dialogue",
            "source_refs": [{"source_id": "A", "start_unit_id": 1, "end_unit_id": 5}],
            "why": "They talk.",
        }
    ],
}
"""The same, labelled: who is met in it, and how."""


@dataclass(frozen=True)
class Result:
    """What a run of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def json_lines(self) -> list[Any]:
        """The JSON documents on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def talebearer(
    *arguments: str, cwd: Path, stdin: str = "", environment: dict[str, str] | None = None
) -> Result:
    """Run the command line in a process of its own, with clock and seed fixed."""
    return run_python(
        ["-m", "talebearer", *arguments], cwd=cwd, stdin=stdin, environment=environment
    )


def talebearer_here(
    *arguments: str, cwd: Path, stdin: str = "", environment: dict[str, str] | None = None
) -> Result:
    """Run the command line in this process: the same words and streams without a start of Python.

    For what a process of its own does not prove; ``PYTHONPATH`` of *environment* is honoured.
    """
    settings = {**FIXED, **(environment or {})}
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["talebearer", *arguments])
        patch.setattr(sys, "stdin", StringIO(stdin))
        for name, value in settings.items():
            patch.setenv(name, value)
        for path in filter(None, settings.get("PYTHONPATH", "").split(os.pathsep)):
            patch.syspath_prepend(path)
        with pytest.raises(SystemExit) as ended:
            main()
    shown = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]  # BytesIO
    assert isinstance(ended.value.code, int)
    return Result(ended.value.code, *shown)


def run_python(
    arguments: Sequence[str],
    *,
    cwd: Path,
    stdin: str = "",
    environment: dict[str, str] | None = None,
) -> Result:
    """Run this Python in a process of its own, with clock and seed fixed."""
    settings = dict(FIXED)
    settings["PYTHONPATH"] = os.pathsep.join([SUPPORT, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **settings, **(environment or {})},
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)
