"""Pages for people: report and scores. A page decides nothing; it shows what it is given."""

from talebearer.server._report import render_report
from talebearer.server._scores import render_scores

__all__ = ["render_report", "render_scores"]
