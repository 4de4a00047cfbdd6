"""The measurements, one function a promise."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import generated

BIN = Path(sys.executable).parent
TALEBEARER = str(BIN / "talebearer")
PEAK = Path(__file__).with_name("peak.py")
UNITS_REAL = 4284
UNITS_SMALL = 120
MEBIBYTE = 1024 * 1024


class Row(TypedDict):
    """One measured promise."""

    name: str
    ours: float
    other: float | None
    unit: str
    ratio: float | None
    goal: str
    met: bool


def limit(name: str, ours: float, most: float, unit: str) -> Row:
    """Return a row whose goal is a limit."""
    return Row(
        name=name,
        ours=ours,
        other=None,
        unit=unit,
        ratio=None,
        goal=f"<= {most:g} {unit}",
        met=ours <= most,
    )


def ratio(name: str, ours: float, other: float, unit: str, *, least: float) -> Row:
    """Return a row that compares two times; the ratio is of speeds."""
    speed = other / ours
    return Row(
        name=name,
        ours=ours,
        other=other,
        unit=unit,
        ratio=speed,
        goal=f">= {least:g}",
        met=speed >= least,
    )


def more(name: str, ours: float, least: float, unit: str) -> Row:
    """Return a row whose goal is a rate that is at least reached."""
    goal = f">= {least:g} {unit}"
    return Row(
        name=name, ours=ours, other=None, unit=unit, ratio=None, goal=goal, met=ours >= least
    )


def beside(name: str, ours: float, other: float) -> Row:
    """Return a row that shows two times beside each other and promises nothing."""
    return Row(
        name=name, ours=ours, other=other, unit="s", ratio=other / ours, goal="shown", met=True
    )


def shown(name: str, ours: float, unit: str) -> Row:
    """Return a row that shows a number and promises nothing."""
    return Row(name=name, ours=ours, other=None, unit=unit, ratio=None, goal="shown", met=True)


def measure(transcript: Path | None, *, small: bool) -> list[Row]:
    """Return all rows."""
    rounds = 1 if small else 15
    return [
        *recording(transcript, small=small),
        *start_up(rounds),
        *demo(),
    ]


def recording(transcript: Path | None, *, small: bool) -> list[Row]:
    """Time ``record`` of a whole session, in a process of its own, and its peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if transcript is None:
            transcript = work / "generated.json"
            count = UNITS_SMALL if small else UNITS_REAL
            transcript.write_text(generated.seriatim(count), encoding="utf-8")
            name = f"record, {count} generated units"
        else:
            name = f"record {transcript.name}"
        campaign = work / "campaign"
        run([TALEBEARER, "init", str(campaign)])
        seconds, peak_bytes = timed(
            [TALEBEARER, "record", str(transcript.resolve()), "--campaign", str(campaign), "--json"]
        )
    return [
        limit(name, seconds, 5, "s"),
        limit(f"{name}, peak memory", peak_bytes / MEBIBYTE, 300, "MB"),
    ]


def start_up(rounds: int) -> list[Row]:
    """Time ``--version`` against an empty Python, interleaved, and ``--help``."""
    bare, version, help_text = interleaved(
        [[sys.executable, "-c", "pass"], [TALEBEARER, "--version"], [TALEBEARER, "--help"]], rounds
    )
    return [
        ratio("talebearer --version against python -c pass", version, bare, "ms", least=1 / 3),
        limit("talebearer --help", help_text, 250, "ms"),
    ]


def demo() -> list[Row]:
    """Time the demo in a new folder, set-up apart."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, _ = timed([TALEBEARER, "demo", str(Path(folder) / "demo")])
    return [limit("talebearer demo", seconds, 10, "s")]


def run(command: Sequence[str]) -> None:
    """Run *command* and fail with what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def timed(command: Sequence[str]) -> tuple[float, int]:
    """Run a Python script with its arguments; return wall seconds and its peak resident bytes."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(PEAK), *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    seconds = time.perf_counter() - started
    printed, _, peak_kib = done.stderr.decode().rpartition("peak-kib ")
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{printed}")
    return seconds, int(peak_kib) * 1024


def interleaved(commands: Sequence[Sequence[str]], rounds: int) -> list[float]:
    """Return the median milliseconds of each command, run in turns so that load hits all alike."""
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(rounds):
        for index, command in enumerate(commands):
            started = time.perf_counter()
            run(command)
            times[index].append((time.perf_counter() - started) * 1000)
    return [statistics.median(values) for values in times]
