"""What trying out lines promises, measured: the first state, a changed control, a saved file.

The limits are those of the waits that writers see; what a page needs beyond them is not in here. All
times are processor time, medians of some rounds, so another program on the machine is none of ours.
A changed control counts in one pool that has all lines, a saved file in a tree of many pools.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import generated_content

from talebearer.rehearsal import ROWS_MAX, Rehearsal, Setup

if TYPE_CHECKING:  # rows may import this module
    from rows import Row

LINES, LINES_SMALL = 12_000, 240
FIRST_MS_MAX = 1_000
ASKED_MS_MAX = 50
SAVED_MS_MAX = 300


def rows(*, small: bool) -> list[Row]:
    """Return all rows; *small* shows that they run."""
    from rows import limit

    lines, rounds = (LINES_SMALL, 2) if small else (LINES, 9)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        many, one = work / "many" / "content", work / "one" / "content"
        pools = generated_content.write(many, lines)
        generated_content.write(one, lines, pools=1)
        cold, warm = _starts(many, work / "cache", rounds=2 if small else 5)
        control, past = _asked(Rehearsal(one), rounds)
        saved = _saved(Rehearsal(many), pools[0], rounds)
    return [
        limit(f"first answer of {lines:,} lines, cold", cold, FIRST_MS_MAX, "ms"),
        limit(f"first answer of {lines:,} lines, from the cache", warm, FIRST_MS_MAX, "ms"),
        limit(f"funnel and first screen of {lines:,} lines in a pool", control, ASKED_MS_MAX, "ms"),
        limit(f"the same with another past, {lines:,} lines", past, ASKED_MS_MAX, "ms"),
        limit(f"take in a saved file among {lines:,} lines", saved, SAVED_MS_MAX, "ms"),
    ]


def _timed(task: Callable[[], object]) -> float:
    """Return the milliseconds of *task*."""
    started = time.process_time()
    task()
    return (time.process_time() - started) * 1000


def _starts(root: Path, cache: Path, *, rounds: int) -> tuple[float, float]:
    """Return the median times of a first answer, with an empty cache and with a filled one."""

    def first() -> None:
        tried = Rehearsal(root, cache=cache)
        tried.ask(tried.first_setup())

    cold, warm = [], []
    for _ in range(rounds):
        shutil.rmtree(cache, ignore_errors=True)
        cold.append(_timed(first))
        warm.append(_timed(first))
    return statistics.median(cold), statistics.median(warm)


def _asked(tried: Rehearsal, rounds: int) -> tuple[float, float]:
    """Return the median times after a changed control, and after a change of what was before."""
    setup = tried.first_setup()
    tried.ask(setup)
    controls = _controls(tried, setup)
    control = [_timed(lambda: _screen(tried, next(controls))) for _ in range(4 * rounds)]
    past = [_timed(lambda n=n: _screen(tried, setup.but(given=_known(n)))) for n in range(rounds)]
    return statistics.median(control), statistics.median(past)


def _screen(tried: Rehearsal, setup: Setup) -> None:
    answer = tried.ask(setup, rows=ROWS_MAX)
    assert len(answer.rows) == min(ROWS_MAX, answer.matching)


def _controls(tried: Rehearsal, setup: Setup) -> Iterator[Setup]:
    """Yield *setup* with one control after the other set otherwise."""
    words = tried.words
    for number in cycle(range(60)):
        yield setup.but(
            access=words.access[number % len(words.access)],
            trust=words.trust[number % len(words.trust)],
            situations=(words.situations[number % len(words.situations)],),
            topics=(words.topics[number % len(words.topics)],),
            tick=number,
        )


def _known(number: int) -> dict[str, list[dict[str, str]]]:
    """Return a past that no setup had before."""
    fact = f"tide.f{number % generated_content.FACTS}"
    return {"facts": [{"fact_id": fact, "confidence": "direct"}]}


def _saved(tried: Rehearsal, pool: Path, rounds: int) -> float:
    """Return the median time from a saved file to the first screen of what it says."""
    setup = tried.first_setup(tried.pools[0].path)
    text = pool.read_text(encoding="utf-8")
    taken = []
    for number in range(rounds):
        pool.write_text(text.replace("The tide", f"The tide {number}", 1), encoding="utf-8")

        def follow() -> None:
            assert tried.reload()
            _screen(tried, setup)

        taken.append(_timed(follow))
    return statistics.median(taken)
