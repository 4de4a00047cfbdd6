"""The page of coverage: one HTML file without scripts or outside requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from talebearer.content.coverage import Coverage, Reach, gaps_in_words
from talebearer.errors import Problem
from talebearer.server.pages._coverage_svg import coverage_svg, level_of
from talebearer.server.pages._environment import environment_of

GAPS_SHOWN_MAX = 2_000
FINDINGS_SHOWN_MAX = 2_000


def render_coverage(
    found: Coverage, *, title: str, reach: Reach | None = None, findings: Sequence[Problem] = ()
) -> str:
    """Return the page of *found*, on demand with what can be said of lines that are never said.

    The tables are the heat map: every cell has its number, so colour only repeats it. All text of the
    content is escaped: it is data, never markup.

    Args:
        found: The coverage.
        title: What the page is about.
        reach: The fates of the lines; None leaves them out.
        findings: The findings of *reach* with their places.
    """
    environment = environment_of()
    gaps = gaps_in_words(found.gaps)
    environment.globals["level_of"] = level_of
    cells = {(gap.whose, gap.place, *gap.at) for gap in found.gaps if gap.at is not None}
    return environment.get_template("coverage.html.j2").render(
        title=title,
        found=found,
        panels=[_panel(found, n, cells) for n in range(len(found.roles))],
        thoughts=found.thought_tables(),
        counts=None if reach is None else reach.counts(),
        findings=findings[:FINDINGS_SHOWN_MAX],
        findings_left=max(len(findings) - FINDINGS_SHOWN_MAX, 0),
        gaps=gaps[:GAPS_SHOWN_MAX],
        gaps_left=max(len(gaps) - GAPS_SHOWN_MAX, 0),
    )


def _panel(found: Coverage, place: int, gaps: set[tuple[Any, ...]]) -> dict[str, Any]:
    """Return a role's table: its rows by access and trust, its columns by situation."""
    matrix, wanted = found.roles[place], found.wanted[place]
    columns = matrix.columns(wanted)
    return {
        "role": matrix.role,
        "place": matrix.place,
        "lines": matrix.lines,
        "columns": columns,
        "rows": [
            {
                "access": access,
                "trust": trust,
                "cells": [
                    {
                        "cell": matrix.at(access, trust, situation),
                        "gap": (matrix.role, matrix.place, access, trust, situation) in gaps,
                    }
                    for situation in columns
                ],
            }
            for access, trust in matrix.rows(wanted)
        ],
    }


__all__ = ["coverage_svg", "render_coverage"]
