"""The heat map of coverage as one picture: a panel for each role at each place, and one for thoughts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from talebearer.content.coverage import CellKey, Coverage, RoleMatrix, ThoughtTable
from talebearer.errors import visible

LEFT_PX = 190
CELL_PX = 78
ROW_PX = 24
HEAD_PX = 62
GAP_PX = 30
WIDTH_PX_MIN = 520
LEVELS = (1, 2, 4, 8, 16)
"""From so many lines on a cell has level 1, 2, ... ; without a line it has level 0."""

STYLE = """
svg.heat { --ink: #22262b; --soft: #5d6670; --paper: #fbfaf7; --miss: #b23a36;
 --l0: #f1efe9; --l1: #dcebe0; --l2: #b5d8c0; --l3: #86bf99;
 --l4: #3c7f56; --l5: #1f5a39; --on: #ffffff; }
@media (prefers-color-scheme: dark) { svg.heat {
  --ink: #e6e3dc; --soft: #a2a9b0; --paper: #17191c;
 --miss: #f0928d; --l0: #22262b; --l1: #20382a; --l2: #265038; --l3: #2c6b47;
 --l4: #7cc79b; --l5: #b4e6c8; --on: #10261a; } }
svg.heat { background: var(--paper); font: 12px system-ui, sans-serif; }
svg.heat text { fill: var(--ink); }
svg.heat .title { font-size: 15px; font-weight: 600; }
svg.heat .soft { fill: var(--soft); }
svg.heat .end { text-anchor: end; }
svg.heat .mid { text-anchor: middle; }
svg.heat rect { stroke: var(--paper); stroke-width: 2; }
svg.heat .l0 { fill: var(--l0); }
svg.heat .l1 { fill: var(--l1); }
svg.heat .l2 { fill: var(--l2); }
svg.heat .l3 { fill: var(--l3); }
svg.heat .l4 { fill: var(--l4); }
svg.heat .l5 { fill: var(--l5); }
svg.heat text.on { fill: var(--on); }
svg.heat rect.gap { fill: none; stroke: var(--miss); stroke-dasharray: 4 3; }
svg.heat text.gap { fill: var(--miss); font-weight: 600; }
"""


def level_of(lines: int) -> int:
    """Return how deep the colour of a cell with so many lines is, 0 to 5."""
    return sum(lines >= bound for bound in LEVELS)


def coverage_svg(found: Coverage, *, title: str) -> Markup:
    """Return the heat map as an SVG file that stands alone, light and dark.

    Every cell has its number, and its words as a tooltip; a gap is marked by a frame and the word.
    """
    parts: list[str] = []
    top, width = 34, WIDTH_PX_MIN
    gaps = _gap_places(found)
    for matrix in found.roles:
        missing = gaps.get((matrix.role, matrix.place), frozenset())
        columns, rows = matrix.columns(missing), matrix.rows(missing)
        parts += _role(matrix, rows, columns, missing, top)
        top += HEAD_PX + ROW_PX * len(rows) + GAP_PX
        width = max(width, LEFT_PX + CELL_PX * len(columns) + 20)
    for table in found.thought_tables():
        parts += _thoughts(table, top)
        top += HEAD_PX + ROW_PX * len(table.rows) + GAP_PX
        width = max(width, LEFT_PX + CELL_PX * len(table.triggers) + 20)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" '
        f'height="{top}" class="heat" role="img" aria-label="{escape(visible(title))}">'
        f"<title>{escape(visible(title))}</title><style>{STYLE}</style>"
        f'<text x="12" y="22" class="title">{escape(visible(title))}</text>'
    )
    return Markup(head + "".join(parts) + "</svg>\n")  # noqa: S704 - every text in it went through escape


Gaps = frozenset[CellKey]


def _gap_places(found: Coverage) -> dict[tuple[str, str | None], Gaps]:
    places: dict[tuple[str, str | None], set[CellKey]] = {}
    for gap in found.gaps:
        if gap.at is not None:
            places.setdefault((gap.whose, gap.place), set()).add(gap.at)
    return {key: frozenset(one) for key, one in places.items()}


def _role(
    matrix: RoleMatrix,
    rows: Sequence[tuple[str, str]],
    columns: Sequence[str],
    gaps: Gaps,
    top: int,
) -> Iterator[str]:
    lines = f"{matrix.lines} line{'s' if matrix.lines != 1 else ''}"
    yield from _heading(f"{matrix.role} at {matrix.place}", lines, columns, top)
    for n, (access, trust) in enumerate(rows):
        y = top + HEAD_PX + n * ROW_PX
        yield _label(f"{access}, {trust}", y)
        for column, situation in enumerate(columns):
            cell = matrix.at(access, trust, situation)
            words = f"{access}, {trust}, {situation}: {cell.lines} written, {cell.heard} to hear"
            is_gap = CellKey(access, trust, situation) in gaps
            yield _cell(column, y, cell.lines, words, is_gap=is_gap)


def _thoughts(table: ThoughtTable, top: int) -> Iterator[str]:
    yield from _heading(
        f"thoughts of {table.character}", f"{table.lines} in all", table.triggers, top
    )
    for n, matrix in enumerate(table.rows):
        y = top + HEAD_PX + n * ROW_PX
        yield _label(matrix.place, y)
        for column, trigger in enumerate(table.triggers):
            count = matrix.triggers[trigger]
            words = f"{matrix.place}, {trigger}: {count}"
            yield _cell(column, y, count, words, is_gap=False)


def _heading(title: str, more: str, columns: Sequence[str], top: int) -> Iterator[str]:
    yield (
        f'<text x="12" y="{top + 22}" class="title">{escape(visible(title))}'
        f'<tspan class="soft" dx="8" font-size="12" font-weight="400">{escape(more)}</tspan></text>'
    )
    for column, name in enumerate(columns):
        x = LEFT_PX + column * CELL_PX + CELL_PX / 2
        first, _, second = visible(name).partition("_")
        y = top + HEAD_PX - (20 if second else 7)
        yield f'<text x="{x:g}" y="{y}" class="mid soft" font-size="10">{escape(first)}</text>'
        if second:
            yield (
                f'<text x="{x:g}" y="{y + 13}" class="mid soft" font-size="10">'
                f"{escape(second.replace('_', ' '))}</text>"
            )


def _label(text: str, y: float) -> str:
    return f'<text x="{LEFT_PX - 10}" y="{y + 16:g}" class="end">{escape(visible(text))}</text>'


def _cell(column: int, y: float, lines: int, words: str, *, is_gap: bool) -> str:
    x = LEFT_PX + column * CELL_PX
    level = level_of(lines)
    kind = "gap" if is_gap else f"l{level}"
    inset = 2 if is_gap else 0
    text = " ".join([*([str(lines)] if lines else []), *(["gap"] if is_gap else [])]) or "·"
    ink = "gap" if is_gap else "on" if level >= 4 else "" if lines else "soft"
    tip = f"{words}{'; a gap' if is_gap else ''}"
    return (
        f"<g><title>{escape(visible(tip))}</title>"
        f'<rect x="{x + inset}" y="{y + inset:g}" width="{CELL_PX - 2 * inset}" '
        f'height="{ROW_PX - 2 * inset}" rx="3" class="{kind}"/>'
        f'<text x="{x + CELL_PX / 2:g}" y="{y + 16:g}" class="mid {ink}">{escape(text)}</text></g>'
    )
