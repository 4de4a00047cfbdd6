"""The tables of ``talebearer simulate``: what was reached, heard most, heard least, and never."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from talebearer.cli._output import plural, print_table, say

if TYPE_CHECKING:
    from talebearer.rehearsal.simulation import LineResult, SimulationResult

TEXT_CHARS = 60
LINES_MAX = 40
SILENCES_MAX = 10
FATES = {
    "undecided": "rare, or never so",
    "said": "rare",
    "needs_game": "only the game opens it",
    "beaten": "others come first",
    "never": "its gates exclude each other",
}


def print_simulation(
    result: SimulationResult,
    wanted: Sequence[LineResult] | None,
    missing: Sequence[LineResult],
    fates: Mapping[str, str],
    *,
    has_baseline: bool,
) -> None:
    """Print what the playthroughs came to.

    Args:
        result: The numbers.
        wanted: The lines that were asked for; None for those heard most and least.
        missing: The lines that were never heard.
        fates: What is decided of those without playing.
        has_baseline: Whether lines that were known of old are left out of *missing*.
    """
    tally = result.tally
    if result.interrupted:
        done = f"{tally.playthroughs} of {plural(result.wanted, 'playthrough')}"
        say(f"interrupted after {done}; this is what they came to", style="yellow")
    reached = len(result.lines) - len(result.never)
    silent, asked = result.silence()
    said_silent, said = result.silence(thoughts=False)
    say(f"{plural(tally.playthroughs, 'playthrough')}, seed {result.seed}")
    say(f"lines reached      {reached} of {len(result.lines)}")
    say(f"nothing came       {_share(silent, asked)}")
    say(f"nothing was said   {_share(said_silent, said)}")
    say(f"heard again        {_share(tally.again, result.heard)}, within {tally.window} lines")
    say(f"twice in a row     {_share(tally.in_a_row, result.heard)}")
    if wanted is not None:
        _lines("lines", wanted)
        return
    _lines("heard most", result.most_heard())
    _lines("heard least", result.least_heard())
    silences = [one for one in result.asked if one.silent][:SILENCES_MAX]
    if silences:
        rows = [
            (one.who, one.location, one.trigger or "talk", _share(one.silent, one.asked))
            for one in silences
        ]
        print_table(("silent", "where", "upon", "how often"), rows)
    if missing:
        title = "never heard, and not known of old" if has_baseline else "never heard"
        _lines(title, missing, fates)
    else:
        say("every line was heard" if not has_baseline else "no line is missing", style="green")


def _lines(title: str, lines: Sequence[LineResult], fates: Mapping[str, str] | None = None) -> None:
    """Print lines; those that were never heard with what is decided of them without playing."""
    rows = [
        (one.line, "/".join(one.pool.split("/")[-2:]), f"{one.heard}", _first(one), _cut(one.text))
        for one in lines[:LINES_MAX]
    ]
    if fates is None:
        print_table((title, "pool", "heard", "first", "text"), rows, wrap=("text", "pool"))
    else:
        why = [
            (name, pool, FATES.get(fates[one.reference], ""), text)
            for one, (name, pool, _, _, text) in zip(lines, rows, strict=False)
        ]
        print_table((title, "pool", "why", "text"), why, wrap=("text", "pool", "why"))
    if len(lines) > LINES_MAX:
        say(f"and {len(lines) - LINES_MAX} more; --json lists all", style="dim")


def _first(line: LineResult) -> str:
    return "never" if line.first is None else f"{line.first[0]}:{line.first[1]}"


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}…"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part} of {whole})" if whole else "never asked"
