"""What coverage promises, measured: counting, gaps and reach of a campaign's worth of lines.

All times are processor time, medians of rounds; the pages of the files are in memory.
The content has gates that clash, gates that wait for others, and strategies that prefer lines, so that
every part of the analysis has something to do.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import generated_content

from talebearer.content import compile_content
from talebearer.content.coverage import coverage, placed_findings, reach, read_targets
from talebearer.lines import load_pack

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

LINES, LINES_SMALL = 12_000, 240
SECONDS_MAX = 2
FMT_SECONDS_MAX = 4
"""Ours: every file is read twice, and most of the time libyaml reads it."""
SHOWN_MAX = 100
"""So many findings the command shows."""
STATE = """\
timers: [{id: rung, scope: player}]
counters: [{id: rings, scope: player}]
values: [{id: weather, scope: world, type: text, initial: calm}]
"""
GATES = (
    "counters: [{counter: rings, '>': %d}, {counter: rings, '<': 90}]",
    "any_of: [{timers: [{timer: rung, never: true}]}, {timers: [{timer: rung, older_than: %d}]}]",
    "values: [{value: weather, '!=': storm}]\n      counters: [{counter: rings, '<=': %d}]",
    "interactions: [{target: npc:clerk-1, count: {'>=': %d}}, {target: npc:clerk-1, state: completed}]",
)


def rows(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    from rows import limit

    lines = LINES_SMALL if small else LINES
    rounds = 1 if small else 5
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "content", Path(folder) / "cache"
        _write(root, lines)
        cold = _median(lambda: _cover(root, None), rounds)
        compile_content(root, cache=cache)
        warm = _median(lambda: _cover(root, cache), rounds)
        commands = Path(folder) / "commands"
        whole = _command_median(root, commands, "coverage", rounds=rounds + 1)
        anew = ("coverage", "--reach", "--json")
        unknown = _command_median(root, commands, *anew, rounds=rounds, forgets=True)
        shaped = _command_median(root, commands, "fmt", "--check", rounds=rounds, forgets=True)
    name = f"coverage of {lines:,} lines with reach"
    return [
        limit(f"{name}, nothing remembered", cold, SECONDS_MAX, "s"),
        limit(f"{name}, pack remembered", warm, SECONDS_MAX, "s"),
        limit(f"`talebearer coverage` of {lines:,} lines, all of it", whole, SECONDS_MAX, "s"),
        limit(
            f"`coverage --reach --json` of {lines:,} unknown lines, each finding placed",
            unknown,
            SECONDS_MAX,
            "s",
        ),
        limit(f"`fmt --check` of {lines:,} unknown lines", shaped, FMT_SECONDS_MAX, "s"),
    ]


def _cover(root: Path, cache: Path | None) -> object:
    """Do all that ``talebearer coverage --reach`` does but for printing."""
    compiled = compile_content(root, cache=cache)
    pack, targets = load_pack(compiled.data), read_targets(root)
    found = coverage(pack, targets, problems=compiled.problems)
    return found, placed_findings(root, reach(pack, targets).findings[:SHOWN_MAX], pack=pack)


def _command_median(
    root: Path, cache: Path, command: str, *options: str, rounds: int, forgets: bool = False
) -> float:
    """Return the median of the processor times of a command, with what earlier runs knew or without."""
    seconds = []
    for _ in range(rounds):
        if forgets:
            shutil.rmtree(cache, ignore_errors=True)
        seconds.append(_command_seconds([command, str(root), *options], cache))
    return statistics.median(seconds)


def _command_seconds(arguments: list[str], cache: Path) -> float:
    """Return the processor time of a whole command, start and printing included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "talebearer", *arguments],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        check=False,
    )
    # With 1, findings or files that would change are told.
    assert done.returncode in (0, 1), arguments
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write(root: Path, lines: int) -> None:
    """Write the generated content, with more gates and effects in every fourth line."""
    for number, path in enumerate(generated_content.write(root, lines)):
        entries = path.read_text(encoding="utf-8").split("  - id: ")
        for at in range(1, len(entries)):
            if at % 4 == 0 and "prerequisites" not in entries[at]:
                gate = GATES[at // 4 % len(GATES)]
                gate = gate % (at % 80) if "%d" in gate else gate
                entries[at] += f"    prerequisites:\n      {gate}\n"
            elif at % 9 == 0:
                entries[at] += "    effects: [{add: {counter: rings}}, {stamp: {timer: rung}}]\n"
        text = "  - id: ".join(entries)
        if number % 3 == 0:
            text = text.replace("lines:\n", "strategy: best_specific\nlines:\n", 1)
        path.write_text(text, encoding="utf-8")
    (root / "global" / "state.yaml").write_text(STATE)


def _median(task: Callable[[], object], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        started = time.process_time()
        task()
        seconds.append(time.process_time() - started)
    return statistics.median(seconds)
