"""The benchmark picture: how far each promise is from its goal."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

WIDTH_PX = 820
LEFT_PX = 330
ROW_PX = 34
GOAL_SHARE = 0.6


def svg(results: Sequence[Any]) -> str:
    """Return an SVG: a bar for each row with a goal, the goal as one line; a shorter bar is better."""
    results = [row for row in results if row["goal"].startswith(("<=", ">="))]
    height = ROW_PX * len(results) + 50
    span = WIDTH_PX - LEFT_PX - 90
    goal_x = LEFT_PX + span * GOAL_SHARE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} {height}" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f'<rect width="{WIDTH_PX}" height="{height}" fill="#fbfaf7"/>',
    ]
    for index, row in enumerate(results):
        y = 30 + index * ROW_PX
        share = min(used(row), 1 / GOAL_SHARE)
        colour = "#2b7a4b" if row["met"] else "#b23a36"
        parts.append(
            f'<text x="{LEFT_PX - 10}" y="{y + 16}" text-anchor="end">{escape(row["name"])}</text>'
        )
        parts.append(
            f'<rect x="{LEFT_PX}" y="{y + 2}" width="{share * span * GOAL_SHARE:.1f}" height="18" '
            f'fill="{colour}"/>'
        )
        value = f"{row['ours']:.3g} {row['unit']}"
        parts.append(
            f'<text x="{LEFT_PX + share * span * GOAL_SHARE + 6:.1f}" y="{y + 16}">{escape(value)}</text>'
        )
    parts.append(f'<line x1="{goal_x}" x2="{goal_x}" y1="22" y2="{height - 16}" stroke="#22262b"/>')
    parts.append(f'<text x="{goal_x}" y="16" text-anchor="middle">goal</text></svg>')
    return "\n".join(parts) + "\n"


def used(row: Any) -> float:
    """Return the share of the goal that is used up: 1 is just met."""
    target = float(row["goal"].split()[1])
    value = float(row["ours"] if row["ratio"] is None else row["ratio"])
    return value / target if row["goal"].startswith("<=") else target / value
