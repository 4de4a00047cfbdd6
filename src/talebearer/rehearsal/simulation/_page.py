"""The results as one HTML page that needs nothing else: curves, bars and tables, dark and light."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from talebearer.rehearsal.simulation._result import AskedResult, LineResult, SimulationResult

ROWS_MAX = 200
WIDTH, HEIGHT, LEFT, BOTTOM = 720, 220, 56, 34
_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5b6775; --paper: #ffffff; --rule: #d5dbe2;
  --mark: #1f6fb2; --poor: #b3402e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaef; --dim: #9aa7b5; --paper: #14181d; --rule: #333c47;
    --mark: #6fb3ea; --poor: #f08a76; }
}
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1rem 0; }
dl div { border: 1px solid var(--rule); border-radius: .4rem; padding: .5rem .8rem; }
dt { color: var(--dim); font-size: .85rem; } dd { margin: 0; font-size: 1.35rem; }
svg { width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--dim); }
.axis { stroke: var(--rule); } .curve { fill: none; stroke: var(--mark); stroke-width: 2; }
.bar { fill: var(--mark); } .none { fill: var(--poor); }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; white-space: nowrap;
  border-bottom: 1px solid var(--rule); padding: .3rem .8rem .3rem 0; }
td:first-child { white-space: normal; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.dim { color: var(--dim); font-size: .85rem; } caption { text-align: left; color: var(--dim); }
"""


def page(result: SimulationResult) -> str:
    """Return the page. What content says stands in it as text only, whatever it is."""
    body = [
        "<h1>Simulated playthroughs</h1>",
        f'<p class="dim">seed {result.seed}, {result.turns} lines asked for in each; '
        f"content {escape(result.pack.digest)}</p>",
        *_interrupted(result),
        _numbers(result),
        "<h2>Lines reached, playthrough by playthrough</h2>",
        _curve(result),
        "<h2>How often lines are heard</h2>",
        _bars(result),
        *_table("Never heard", result.never),
        *_table("Heard most", result.most_heard(20)),
        *_table("Heard least", result.least_heard(20)),
        *_silences(result.asked),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>Simulated playthroughs</title>"
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _interrupted(result: SimulationResult) -> Iterable[str]:
    if result.interrupted:
        done = result.tally.playthroughs
        yield f"<p><strong>Interrupted after {done:,} of {result.wanted:,} playthroughs.</strong></p>"


def share(part: int, whole: int) -> str:
    """Return *part* of *whole* in percent."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _numbers(result: SimulationResult) -> str:
    tally = result.tally
    reached = len(result.lines) - len(result.never)
    silent, asked = result.silence()
    said_silent, said = result.silence(thoughts=False)
    cells = (
        ("playthroughs", f"{tally.playthroughs:,}"),
        ("lines asked for", f"{asked:,}"),
        ("lines reached", f"{reached:,} of {len(result.lines):,}"),
        ("nothing came", share(silent, asked)),
        ("nothing was said", share(said_silent, said)),
        (f"heard again within {tally.window}", share(tally.again, result.heard)),
        ("twice in a row", share(tally.in_a_row, result.heard)),
    )
    items = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in cells)
    return f"<dl>{items}</dl>"


# --- pictures ------------------------------------------------------------------------------------


def _frame(label: str, inside: str, foot: str, top: str) -> str:
    right, floor = WIDTH - 8, HEIGHT - BOTTOM
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<line class="axis" x1="{LEFT}" y1="{floor}" x2="{right}" y2="{floor}"/>'
        f'<line class="axis" x1="{LEFT}" y1="8" x2="{LEFT}" y2="{floor}"/>'
        f'<text x="{LEFT - 6}" y="16" text-anchor="end">{top}</text>'
        f'<text x="{LEFT - 6}" y="{floor}" text-anchor="end">0</text>'
        f'<text x="{right}" y="{HEIGHT - 4}" text-anchor="end">{escape(foot)}</text>'
        f"{inside}</svg>"
    )


def _curve(result: SimulationResult) -> str:
    """Draw how many lines had been heard after each playthrough."""
    total, count = len(result.lines), result.tally.playthroughs
    wide, high = WIDTH - 8 - LEFT, HEIGHT - BOTTOM - 8
    points = [(LEFT, float(HEIGHT - BOTTOM))]
    y = points[0][1]
    for playthrough, reached in result.reach():
        x = round(LEFT + wide * playthrough / max(count, 1))
        before, y = y, HEIGHT - BOTTOM - high * reached / max(total, 1)
        points += [(x, before), (x, y)]
    points.append((WIDTH - 8, y))
    path = " ".join(f"{x},{y:.1f}" for x, y in points)
    label = f"{len(result.lines) - len(result.never)} of {total} lines after {count} playthroughs"
    inside = f'<polyline class="curve" points="{path}"/>'
    return _frame(label, inside, f"{count:,} playthroughs", f"{total:,}")


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


def _bars(result: SimulationResult) -> str:
    """Draw how many lines were heard how often, each bar twice as far."""
    bars = buckets(line.heard for line in result.lines)
    most = max(number for _, number in bars) if bars else 0
    wide = (WIDTH - 8 - LEFT) / max(len(bars), 1)
    high = HEIGHT - BOTTOM - 24
    parts = []
    for at, (name, number) in enumerate(bars):
        tall = high * number / max(most, 1)
        x, y = LEFT + at * wide + 3, HEIGHT - BOTTOM - tall
        kind = "bar" if at else "none"
        parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{wide - 6:.1f}" height="{tall:.1f}">'
            f"<title>heard {name} times: {number:,} lines</title></rect>"
            f'<text x="{x + wide / 2 - 3:.1f}" y="{y - 4:.1f}" text-anchor="middle">{number:,}</text>'
            f'<text x="{x + wide / 2 - 3:.1f}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{name}</text>'
        )
    label = "; ".join(f"heard {name} times: {number} lines" for name, number in bars)
    return _frame(label, "".join(parts), "times heard", f"{most:,}")


# --- tables --------------------------------------------------------------------------------------


def _table(title: str, lines: Sequence[LineResult]) -> Iterable[str]:
    yield f"<h2>{title}: {len(lines):,}</h2>" if title == "Never heard" else f"<h2>{title}</h2>"
    if not lines:
        yield "<p>None.</p>"
        return
    yield "<table>"
    if len(lines) > ROWS_MAX:
        yield f"<caption>The first {ROWS_MAX}; --json lists all.</caption>"
    yield '<tr><th>line</th><th class="n">heard</th><th>first</th></tr>'
    for line in lines[:ROWS_MAX]:
        first = "never"
        if line.first is not None:
            first = f"playthrough {line.first[0]:,}, turn {line.first[1]:,}"
        yield (
            f"<tr><td>{escape(line.text)}<br>"
            f'<span class="dim">{escape(line.line)} in {escape(line.pool)}</span></td>'
            f'<td class="n">{line.heard:,}</td><td>{first}</td></tr>'
        )
    yield "</table>"


def _silences(asked: Sequence[AskedResult]) -> Iterable[str]:
    silent = [one for one in asked if one.silent]
    yield "<h2>Who had nothing to say</h2>"
    if not silent:
        yield "<p>Nobody.</p>"
        return
    yield '<table><tr><th>who</th><th>where</th><th>upon</th><th class="n">silent</th></tr>'
    for one in silent[:ROWS_MAX]:
        yield (
            f"<tr><td>{escape(one.who)}</td><td>{escape(one.location)}</td>"
            f"<td>{escape(one.trigger or 'talk')}</td>"
            f'<td class="n">{one.silent:,} of {one.asked:,} ({share(one.silent, one.asked)})</td></tr>'
        )
    yield "</table>"
