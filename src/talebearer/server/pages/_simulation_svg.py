"""Pictures of a simulation: lines reached playthrough by playthrough, and how often they are heard."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from talebearer.rehearsal.simulation import SimulationResult

WIDTH_PX, HEIGHT_PX = 720, 220
LEFT_PX, RIGHT_PX, TOP_PX, AXIS_PX = 56, 8, 8, 34
BAR_ROOM_PX = 16
"""Room above the highest bar for its number."""

FLOOR_PX = HEIGHT_PX - AXIS_PX
INNER_PX = WIDTH_PX - RIGHT_PX - LEFT_PX


def reached_svg(result: SimulationResult) -> Markup:
    """Return how many lines had been heard after each playthrough, as a curve."""
    total, count = len(result.lines), result.tally.playthroughs
    high = FLOOR_PX - TOP_PX
    points = [(LEFT_PX, float(FLOOR_PX))]
    y = points[0][1]
    for playthrough, reached in result.reach():
        x = round(LEFT_PX + INNER_PX * playthrough / max(count, 1))
        before, y = y, FLOOR_PX - high * reached / max(total, 1)
        points += [(x, before), (x, y)]
    points.append((WIDTH_PX - RIGHT_PX, y))
    path = " ".join(f"{x},{y:.1f}" for x, y in points)
    label = f"{len(result.lines) - len(result.never)} of {total} lines after {count} playthroughs"
    curve = f'<polyline class="curve" points="{path}"/>'
    return _frame(label, curve, foot=f"{count:,} playthroughs", top=f"{total:,}")


def heard_svg(counts: Iterable[int]) -> Markup:
    """Return how many lines were heard how often, as bars of which each reaches twice as far."""
    bars = buckets(counts)
    most = max((number for _, number in bars), default=0)
    wide = INNER_PX / max(len(bars), 1)
    high = FLOOR_PX - TOP_PX - BAR_ROOM_PX
    parts = []
    for at, (name, number) in enumerate(bars):
        tall = high * number / max(most, 1)
        x, y = LEFT_PX + at * wide + 3, FLOOR_PX - tall
        middle = x + wide / 2 - 3
        parts.append(
            f'<rect class="{"bar" if at else "none"}" x="{x:.1f}" y="{y:.1f}" width="{wide - 6:.1f}" '
            f'height="{tall:.1f}"><title>heard {name} times: {number:,} lines</title></rect>'
            f'<text x="{middle:.1f}" y="{y - 4:.1f}" text-anchor="middle">{number:,}</text>'
            f'<text x="{middle:.1f}" y="{FLOOR_PX + 14}" text-anchor="middle">{name}</text>'
        )
    label = "; ".join(f"heard {name} times: {number} lines" for name, number in bars)
    return _frame(label, "".join(parts), foot="times heard", top=f"{most:,}")


def buckets(counts: Iterable[int]) -> list[tuple[str, int]]:
    """Return how many of *counts* are 0, 1, 2 to 3, 4 to 7 and so on, up to the largest."""
    found: dict[int, int] = {}
    for count in counts:
        found[count.bit_length()] = found.get(count.bit_length(), 0) + 1
    names = []
    for size in range(max(found, default=0) + 1):
        least, most = (1 << size) >> 1, (1 << size) - 1
        name = f"{least:,}" if least >= most else f"{least:,}–{most:,}"
        names.append((name, found.get(size, 0)))
    return names


def _frame(label: str, inside: str, *, foot: str, top: str) -> Markup:
    right = WIDTH_PX - RIGHT_PX
    return Markup(  # noqa: S704 - all text in it is this module's own, with numbers
        f'<svg viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}" role="img" aria-label="{escape(label)}" class="plot">'
        f'<line class="rail" x1="{LEFT_PX}" y1="{FLOOR_PX}" x2="{right}" y2="{FLOOR_PX}"/>'
        f'<line class="rail" x1="{LEFT_PX}" y1="{TOP_PX}" x2="{LEFT_PX}" y2="{FLOOR_PX}"/>'
        f'<text x="{LEFT_PX - 6}" y="{TOP_PX + 8}" text-anchor="end">{top}</text>'
        f'<text x="{LEFT_PX - 6}" y="{FLOOR_PX}" text-anchor="end">0</text>'
        f'<text x="{right}" y="{HEIGHT_PX - 4}" text-anchor="end">{escape(foot)}</text>'
        f"{inside}</svg>"
    )
