"""Pages for people: the HTML report. A page decides nothing; it shows what the campaign returns."""

from talebearer.server._report import render_report

__all__ = ["render_report"]
