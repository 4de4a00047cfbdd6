"""What `content` promises, measured: reading, checking and compiling a campaign's worth of YAML.

The peer is check-jsonschema with our own schema and the same files, in an environment of its own:

    python3 -m venv .venv-bench && .venv-bench/bin/pip install check-jsonschema==0.39.0

All times are processor time, medians of interleaved rounds; another program on the machine is
none of ours. The pages of the files are in memory for everybody.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import generated_content
import yaml_rs

from talebearer.content import compile_content, schemas_for

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

ROOT = Path(__file__).resolve().parent.parent
LINES, LINES_SMALL = 12_000, 240
PEER = ROOT / ".venv-bench" / "bin" / "check-jsonschema"
TALEBEARER = Path(sys.executable).parent / "talebearer"
WARM_MS_MAX = 60


def content(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    lines = LINES_SMALL if small else LINES
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        pools = generated_content.write(work / "content", lines)
        rows = [*_cold(work / "content", pools, lines, rounds=2 if small else 7)]
        rows += _warm(work, lines, rounds=3 if small else 15)
        return rows + _peer(work, pools, lines, rounds=1 if small else 3)


def _cold(root: Path, pools: list[Path], lines: int, *, rounds: int) -> list[Row]:
    """Time building and checking against parsing the same files and doing nothing with them."""
    texts = [path.read_text(encoding="utf-8") for path in pools]
    parse, build = _interleaved(
        [
            lambda: [yaml_rs.loads(text, parse_datetime=False) for text in texts],
            lambda: compile_content(root),
        ],
        rounds,
    )
    name = f"build and validate {lines:,} lines cold, against parsing their YAML alone"
    return [_ratio(name, build, parse, least=1 / 10)]


def _warm(work: Path, lines: int, *, rounds: int) -> list[Row]:
    """Time building what did not change since an hour ago, as a campaign's commands do."""
    root, cache = work / "content", work / "cache"
    compile_content(root, cache=cache)
    record = cache / "content.json"
    later = record.stat().st_mtime_ns + 3_600 * 10**9
    os.utime(record, ns=(later, later))
    (warm,) = _interleaved([lambda: compile_content(root, cache=cache)], rounds)
    return [_limit(f"build {lines:,} unchanged lines", warm * 1000, WARM_MS_MAX, "ms")]


def _peer(work: Path, pools: list[Path], lines: int, *, rounds: int) -> list[Row]:
    """Time the whole command against check-jsonschema, which only validates."""
    if not PEER.is_file():
        return []
    schema = work / "dialogue.json"
    schema.write_text(schemas_for(work / "content")["dialogue-pool.schema.json"])
    output = work / "pack.json"
    theirs = [str(PEER), "--schemafile", str(schema), *map(str, pools)]
    ours = [str(TALEBEARER), "build", str(work / "content"), "-o", str(output), "--no-cache"]
    times = _interleaved([lambda: _run(ours), lambda: _run(theirs)], rounds, clock=_children)
    name = f"talebearer build, {lines:,} lines, against check-jsonschema"
    return [_ratio(name, times[0], times[1], least=8)]


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _interleaved(
    tasks: list[Callable[[], object]],
    rounds: int,
    *,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Return the median seconds of each of *tasks*, run in turns."""
    seconds: list[list[float]] = [[] for _ in tasks]
    for _ in range(rounds):
        for at, task in enumerate(tasks):
            started = clock()
            task()
            seconds[at].append(max(clock() - started, 1e-6))
    return [statistics.median(one) for one in seconds]


def _ratio(name: str, ours: float, other: float, *, least: float) -> Row:
    from rows import ratio

    return ratio(name, ours * 1000, other * 1000, "ms", least=least)


def _limit(name: str, ours: float, most: float, unit: str) -> Row:
    from rows import limit

    return limit(name, ours, most, unit)
