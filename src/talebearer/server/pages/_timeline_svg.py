"""A picture of a session: who was met when, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from talebearer.campaign import OccurrenceView
from talebearer.errors import visible

LEFT_PX = 150
WIDTH_PX = 900
ROW_PX = 24
TOP_PX = 8
AXIS_PX = 26
BAR_PX_MIN = 3.0
NAME_CHARS_MAX = 20
TICKS_MAX = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One NPC's row: its name and its occurrences."""

    name: str
    occurrences: tuple[OccurrenceView, ...]


def timeline_svg(
    occurrences: Sequence[OccurrenceView], *, labels: Sequence[str], title: str
) -> Markup:
    """Return a picture with a row for each NPC and a bar for each cited range.

    *labels* has one text for each unit, for the axis: its time, or its number. Rows stand in order
    of first appearance. Colours come from the page's classes, so that they
    follow its light and dark scheme; every bar also has its words as a tooltip.
    """
    rows = _rows(occurrences)
    unit_count = len(labels)
    height = TOP_PX + ROW_PX * len(rows) + AXIS_PX
    scale = (WIDTH_PX - LEFT_PX - 10) / max(unit_count, 1)
    parts = [
        f'<svg viewBox="0 0 {WIDTH_PX} {height}" role="img" aria-label="{escape(title)}" '
        f'class="timeline"><title>{escape(title)}</title>'
    ]
    for index, row in enumerate(rows):
        parts += _row(row, TOP_PX + index * ROW_PX, scale)
    parts += _axis(labels, TOP_PX + ROW_PX * len(rows), scale)
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - every text in it went through escape


def _rows(occurrences: Sequence[OccurrenceView]) -> list[Row]:
    names = dict.fromkeys(item.name for item in occurrences)
    return [Row(name, tuple(item for item in occurrences if item.name == name)) for name in names]


def _row(row: Row, y: float, scale: float) -> list[str]:
    short = row.name if len(row.name) <= NAME_CHARS_MAX else row.name[: NAME_CHARS_MAX - 1] + "…"
    middle = y + ROW_PX / 2
    parts = [
        f'<text x="{LEFT_PX - 8}" y="{middle + 4:.1f}" class="name">{escape(visible(short))}</text>',
        f'<line x1="{LEFT_PX}" x2="{WIDTH_PX - 10}" y1="{middle:.1f}" y2="{middle:.1f}" '
        'class="rail"/>',
    ]
    for item in row.occurrences:
        for first, last in item.ranges:
            x = LEFT_PX + (first - 1) * scale
            width = max((last - first + 1) * scale, BAR_PX_MIN)
            words = f"{item.kind.replace('_', ' ')}: {item.name}, units {first}–{last}"
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 5:.1f}" width="{width:.1f}" height="{ROW_PX - 10}" '
                f'rx="2" class="k-{escape(item.kind)}"><title>{escape(words)}</title></rect>'
            )
    return parts


def _axis(labels: Sequence[str], y: float, scale: float) -> list[str]:
    step = max(1, round(len(labels) / TICKS_MAX / 10) * 10 or 1)
    parts = []
    for unit in range(step, len(labels) + 1, step):
        x = LEFT_PX + (unit - 0.5) * scale
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + 4}" class="rail"/>')
        label = escape(labels[unit - 1])
        parts.append(f'<text x="{x:.1f}" y="{y + 18}" class="tick">{label}</text>')
    return parts
