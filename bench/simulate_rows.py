"""What `rehearsal.simulation` promises, measured: decisions of whole playthroughs in a second of one core.

A decision is a request for a line that the engine answers, with what the line does to the minds; the talks,
walks and game's events between are in the time. All times are processor time, the median of rounds.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import generated_content

from talebearer.content import compile_content
from talebearer.lines import load_pack
from talebearer.rehearsal.simulation import Simulation

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = ROOT / "src" / "talebearer" / "bundled" / "drowned-bell" / "content"
LINES, LINES_SMALL = 12_000, 240
DECISIONS_PER_S_MIN = 20_000
TURNS = 200


def rows(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    lines, playthroughs, rounds = (LINES_SMALL, 2, 1) if small else (LINES, 20, 5)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "content"
        generated_content.write(root, lines)
        generated = compile_content(root).data
    bundled = compile_content(BUNDLED).data
    return [
        _row("the bundled campaign", bundled, playthroughs, rounds),
        _row(f"{lines:,} generated lines", generated, playthroughs, rounds),
    ]


def _row(name: str, data: bytes, playthroughs: int, rounds: int) -> Row:
    from rows import limit

    pack = load_pack(data)
    simulation = Simulation(turns=TURNS)
    setting = simulation.setting(pack)
    simulation.played(setting, 1, playthroughs)  # what a pack remembers is part of a long run
    seconds = []
    for turn in range(rounds):
        first = turn * playthroughs + 1
        started = time.process_time()
        simulation.played(setting, first, first + playthroughs - 1)
        seconds.append(time.process_time() - started)
    each = statistics.median(seconds) / playthroughs / TURNS
    most = 1_000_000 / DECISIONS_PER_S_MIN
    return limit(f"a decision of a simulated playthrough of {name}", each * 1_000_000, most, "us")
