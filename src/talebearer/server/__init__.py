"""Pages for people: report, scores and coverage. A page decides nothing; it shows what it is given.

The daemon is in :mod:`talebearer.server.daemon` and needs none of that, so the pages are loaded
when they are first asked for; so are the methods that a campaign adds to a daemon.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from talebearer.server._coverage import coverage_svg, render_coverage
    from talebearer.server._game import game_methods
    from talebearer.server._report import render_report
    from talebearer.server._scores import render_scores

__all__ = ["coverage_svg", "game_methods", "render_coverage", "render_report", "render_scores"]

_PAGES = {
    "coverage_svg": "_coverage",
    "game_methods": "_game",
    "render_coverage": "_coverage",
    "render_report": "_report",
    "render_scores": "_scores",
}


def __getattr__(name: str) -> Any:
    if name in _PAGES:
        return getattr(import_module(f"{__name__}.{_PAGES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
