"""The embedded rules over a whole session: time, growth, and memory for ten sessions in one.

Ten sessions are run in a process of their own, so that the peak is theirs: the program, the file's bytes, its
units and everything that the rules make of them.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import generated
from rows import MEBIBYTE, Row, limit, timed

from talebearer.extraction import Player, Roster, run
from talebearer.transcripts import Transcript, parse

UNITS_REAL = 4284
UNITS_SMALL = 120
SESSIONS = 10
ROUNDS = 3
ROSTER = Roster(
    game_masters=(Player(name="GM"),),
    players=(Player(name="Ana"), Player(name="Ben"), Player(name="Dee")),
)
WHOLE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import rules_rows
from talebearer.extraction import run
from talebearer.transcripts import load
run(load(Path(sys.argv[1]), source_id="bench")[1], rules_rows.ROSTER)
"""


def measure(*, small: bool) -> list[Row]:
    """Return the rows of the rules; *small* is for a test that they work."""
    units = UNITS_SMALL if small else UNITS_REAL
    one_s = seconds(units)
    ten_s = seconds(units * SESSIONS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ten.json"
        path.write_text(generated.seriatim(units * SESSIONS), encoding="utf-8")
        script = Path(folder) / "whole.py"
        script.write_text(WHOLE, encoding="utf-8")
        _, peak_bytes = timed([str(script), str(path), str(Path(__file__).parent)])
    name = f"rules, {units} units"
    return [
        limit(name, one_s, 1, "s"),
        limit(
            f"{name}, a unit of {SESSIONS} sessions over one of 1",
            ten_s / SESSIONS / one_s,
            1.3,
            "x",
        ),
        limit(f"rules, {SESSIONS} sessions in one, peak memory", peak_bytes / MEBIBYTE, 200, "MB"),
    ]


def seconds(units: int) -> float:
    """Return the median seconds of both lanes over a generated session.

    Of the processor: it is one thread that waits for nothing, and others may use the machine, too.
    """
    transcript: Transcript = parse(generated.seriatim(units).encode(), source_id="bench")
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        run(transcript, ROSTER)
        times.append(time.process_time() - started)
    return statistics.median(times)
