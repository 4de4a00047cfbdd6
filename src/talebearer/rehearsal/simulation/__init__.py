"""Whole playthroughs, by the thousand: what is heard how often, what never, and where first.

A player who is made up goes from place to place, talks, thinks and walks out; every line comes from
:class:`talebearer.lines.Selector`, what follows from memory. Same content, seed and options: same result.
"""

from talebearer.rehearsal.simulation._accepted import accepted_text, not_accepted, read_accepted
from talebearer.rehearsal.simulation._player import Does, Game, Player, Talk, Ticks, load_player
from talebearer.rehearsal.simulation._playthrough import Playthrough, Request, Watcher
from talebearer.rehearsal.simulation._result import AskedResult, LineResult, SimulationResult
from talebearer.rehearsal.simulation._run import (
    PLAYTHROUGHS_MAX,
    TURNS_MAX,
    WINDOW_MAX,
    WORKERS_MAX,
    Simulation,
    simulate,
)
from talebearer.rehearsal.simulation._setting import Setting, setting_of
from talebearer.rehearsal.simulation._trace import Step, plan_text, told, trace

__all__ = [
    "PLAYTHROUGHS_MAX",
    "TURNS_MAX",
    "WINDOW_MAX",
    "WORKERS_MAX",
    "AskedResult",
    "Does",
    "Game",
    "LineResult",
    "Player",
    "Playthrough",
    "Request",
    "Setting",
    "Simulation",
    "SimulationResult",
    "Step",
    "Talk",
    "Ticks",
    "Watcher",
    "accepted_text",
    "load_player",
    "not_accepted",
    "plan_text",
    "read_accepted",
    "setting_of",
    "simulate",
    "told",
    "trace",
]
