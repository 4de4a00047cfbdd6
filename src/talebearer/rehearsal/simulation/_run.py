"""Many playthroughs, in one process or several; the same result for any number of them.

Playthroughs are told apart by their number alone, and counted in the order of it. So a run that was
interrupted after the first N gives what a run of N does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from multiprocessing import connection
from typing import Any

from talebearer.campaign import CampaignConfig
from talebearer.errors import UsageFault
from talebearer.extraction import Roster
from talebearer.lines import Pack, load_pack
from talebearer.rehearsal.simulation._garbage import rare_collections
from talebearer.rehearsal.simulation._player import Player
from talebearer.rehearsal.simulation._playthrough import Playthrough, Watcher
from talebearer.rehearsal.simulation._result import SimulationResult
from talebearer.rehearsal.simulation._setting import Setting, setting_of
from talebearer.rehearsal.simulation._tally import Tally

PLAYTHROUGHS_MAX = 1_000_000
TURNS_MAX = 100_000
WORKERS_MAX = 64
WINDOW_MAX = 1_000
_CHUNK_DECISIONS = 2_000
_AHEAD = 3
"""Chunks that each worker has waiting, so that none runs dry and few are lost on an interrupt."""

Progress = Callable[[str, int, int], None]


def no_campaign() -> CampaignConfig:
    """Return the rules where content belongs to no campaign: no circles, no fading, no scene."""
    return CampaignConfig(id="rehearsal", name="Rehearsal", roster=Roster())


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What is simulated.

    Attributes:
        player: Who plays.
        config: The campaign's rules.
        seed: Any integer of 64 bits.
        playthroughs: How many, 1 to 1,000,000.
        turns: Lines that each asks for, 1 to 100,000.
        window: How many lines back a line counts as heard again, 1 to 1,000.
    """

    player: Player = field(default_factory=Player)
    config: CampaignConfig = field(default_factory=no_campaign)
    seed: int = 0
    playthroughs: int = 200
    turns: int = 200
    window: int = 10

    def __post_init__(self) -> None:
        bounds = (
            ("playthroughs", self.playthroughs, PLAYTHROUGHS_MAX),
            ("turns", self.turns, TURNS_MAX),
            ("window", self.window, WINDOW_MAX),
        )
        for name, value, most in bounds:
            if not 1 <= value <= most:
                raise UsageFault(f"{name} is {value}", hint=f"1 to {most}")

    def setting(self, pack: Pack) -> Setting:
        """Return what all its playthroughs of *pack* share.

        Raises:
            UsageFault: There is no line that the player could ask for (TB111).
        """
        player = self.player
        return setting_of(
            pack, characters=player.characters, npcs=player.npcs, places=player.places
        )

    def playthrough(
        self, setting: Setting, number: int, watcher: Watcher | None = None
    ) -> Playthrough:
        """Return playthrough *number*, from 1, ready to run."""
        return Playthrough(
            setting,
            self.player,
            self.config,
            seed=self.seed,
            number=number,
            turns=self.turns,
            watcher=watcher,
        )

    def played(self, setting: Setting, first: int, last: int) -> Tally:
        """Return what the playthroughs *first* to *last* come to."""
        tally = Tally(window=self.window)
        with rare_collections():
            for number in range(first, last + 1):
                tally.add(number, self.playthrough(setting, number).run())
        return tally


def simulate(
    pack_data: bytes,
    simulation: Simulation,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> SimulationResult:
    """Play, and return what it came to. Ctrl-C ends it with the result so far.

    Args:
        pack_data: The bytes of a pack, as :func:`talebearer.content.compile_content` gives them.
        simulation: What to play.
        workers: How many processes; the result does not depend on it.
        progress: Called with (stage, playthroughs done, playthroughs in all).

    Raises:
        UsageFault: There is no line that the player could ask for, or *workers* is out of bounds
            (TB111).
    """
    if not 1 <= workers <= WORKERS_MAX:
        raise UsageFault(f"workers is {workers}", hint=f"1 to {WORKERS_MAX}")
    pack = load_pack(pack_data)
    setting = simulation.setting(pack)
    tally = Tally(window=simulation.window)
    chunks = _chunks(simulation)
    if workers == 1 or len(chunks) == 1:
        parts = _here(setting, simulation, chunks)
    else:
        parts = _elsewhere(pack_data, simulation, chunks, min(workers, len(chunks)))
    try:
        with closing(parts):
            for part in parts:
                # One assignment, so that an interrupt finds whole playthroughs.
                tally = tally.joined(part)
                if progress is not None:
                    progress("playing", tally.playthroughs, simulation.playthroughs)
    except KeyboardInterrupt:
        pass  # the result says how many playthroughs there were
    return SimulationResult(pack, tally, simulation.seed, simulation.turns, simulation.playthroughs)


def _chunks(simulation: Simulation) -> list[tuple[int, int]]:
    """Return first and last playthrough of each part, none of which takes long."""
    size = max(1, _CHUNK_DECISIONS // simulation.turns)
    last = simulation.playthroughs
    return [(first, min(first + size - 1, last)) for first in range(1, last + 1, size)]


def _here(
    setting: Setting, simulation: Simulation, chunks: list[tuple[int, int]]
) -> Generator[Tally, None, None]:
    for first, last in chunks:
        yield simulation.played(setting, first, last)


# --- several processes ---------------------------------------------------------------------------

_of_this_process: list[tuple[Setting, Simulation]] = []
"""What a worker plays; it is sent once, when the process starts."""


def _elsewhere(
    pack_data: bytes, simulation: Simulation, chunks: list[tuple[int, int]], workers: int
) -> Generator[Tally, None, None]:
    """Yield the tallies of *chunks* in their order, played by *workers* processes."""
    # A fresh interpreter for each: a fork would copy threads of whoever calls this.
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(pack_data, *_sent(simulation)),
    )
    try:
        waiting: list[Future[Tally]] = []
        for chunk in chunks:
            waiting.append(pool.submit(_play, chunk))
            if len(waiting) >= workers * _AHEAD:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_RULES = ("scene", "circles", "decay")
"""What of a campaign's settings playthroughs depend on; the rest of them cannot be sent."""


def _sent(simulation: Simulation) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return *simulation* as values that another process can be sent."""
    names = (one.name for one in fields(simulation) if one.name != "config")
    rules = {name: getattr(simulation.config, name) for name in _RULES}
    return {name: getattr(simulation, name) for name in names}, rules


def _begin(pack_data: bytes, members: dict[str, Any], rules: dict[str, Any]) -> None:
    # Ctrl-C reaches every process of the terminal; the one that was started by a person decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # One that is ended any other way cannot tell its workers, and none of them would see it: each
    # holds both ends of the queue that it waits at.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    simulation = Simulation(config=replace(no_campaign(), **rules), **members)
    _of_this_process.append((simulation.setting(load_pack(pack_data)), simulation))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _play(chunk: tuple[int, int]) -> Tally:
    setting, simulation = _of_this_process[0]
    return simulation.played(setting, *chunk)
