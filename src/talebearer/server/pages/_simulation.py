"""The page of a simulation: how much was reached, how often lines were heard, and who fell silent."""

from __future__ import annotations

from talebearer.rehearsal.simulation import SimulationResult
from talebearer.server.pages._environment import environment_of
from talebearer.server.pages._simulation_svg import heard_svg, reached_svg

ROWS_SHOWN_MAX = 200
MOST_AND_LEAST = 20


def render_simulation(result: SimulationResult) -> str:
    """Return *result* as one HTML document without scripts or outside requests.

    All text of the content is escaped: it is data, never markup.
    """
    environment = environment_of()
    environment.filters["share"] = _share
    silent, asked = result.silence()
    said_silent, said = result.silence(thoughts=False)
    tally = result.tally
    return environment.get_template("simulation.html.j2").render(
        result=result,
        numbers=(
            ("playthroughs", f"{tally.playthroughs:,}"),
            ("lines asked for", f"{asked:,}"),
            (
                "lines reached",
                f"{len(result.lines) - len(result.never):,} of {len(result.lines):,}",
            ),
            ("nothing came", _share(silent, asked)),
            ("nothing was said", _share(said_silent, said)),
            (f"heard again within {tally.window}", _share(tally.again, result.heard)),
            ("twice in a row", _share(tally.in_a_row, result.heard)),
        ),
        reached_picture=reached_svg(result),
        heard_picture=heard_svg(line.heard for line in result.lines),
        most=result.most_heard(MOST_AND_LEAST),
        least=result.least_heard(MOST_AND_LEAST),
        silences=[one for one in result.asked if one.silent],
        rows_max=ROWS_SHOWN_MAX,
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
