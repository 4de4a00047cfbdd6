"""Pages for people, and the methods that a campaign adds to a daemon.

A page decides nothing; it shows what it is given. The daemon is in :mod:`talebearer.server.daemon` and
needs none of that, so both are loaded when they are first asked for.
"""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.server._game import game_methods
    from talebearer.server.pages._coverage import coverage_svg, render_coverage
    from talebearer.server.pages._report import render_report
    from talebearer.server.pages._scores import render_scores
    from talebearer.server.pages._simulation import render_simulation

__all__ = [
    "coverage_svg",
    "game_methods",
    "render_coverage",
    "render_report",
    "render_scores",
    "render_simulation",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_game": "game_methods",
        "pages._coverage": "coverage_svg render_coverage",
        "pages._report": "render_report",
        "pages._scores": "render_scores",
        "pages._simulation": "render_simulation",
    },
)
