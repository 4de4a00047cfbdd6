"""How results look: JSON for programs, tables and trees for people."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from talebearer.errors import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from talebearer.campaign import Evidence, OccurrenceView, Quote

PLAIN_WIDTH = 100
KIND_STYLES = {
    "dialogue": "green",
    "combat_opponent": "red",
    "combat_ally": "cyan",
    "noncombat_presence": "yellow",
    "mentioned": "dim",
    "other": "magenta",
}


def print_json(value: Any) -> None:
    """Print *value* as one JSON document on a line of its own."""
    from talebearer.campaign import to_json

    # Escapes are JSON in any encoding; what only UTF-8 can hold stays as it is there.
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(to_json(value), ensure_ascii=not utf8, sort_keys=True)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def console(*, stderr: bool = False) -> Console:
    """Return a console; into a pipe it prints plain text of a fixed width."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else PLAIN_WIDTH
    return Console(file=stream, width=width, highlight=False, emoji=False, soft_wrap=False)


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, wrap: Sequence[str] = ()
) -> None:
    """Print a table whose cells are shown as they are; only the columns in *wrap* may break.

    What fits into the width needs no measuring of parts, so it is laid out here; it looks the same,
    and takes a twentieth of the time.
    """
    from rich.text import Text

    out = console()
    cells = [[visible(cell) for cell in row] for row in rows]
    heads = [column.split("\n") for column in columns]
    widths = _widths(heads, cells)
    if sum(widths) + 3 * len(widths) - 1 > out.width:
        _print_folded(out, columns, cells, wrap)
        return
    blank = " " * (sum(widths) + 3 * len(widths) - 1)
    head, lines = [], []
    tall = max(map(len, heads))
    for parts in zip(*([""] * (tall - len(one)) + one for one in heads), strict=True):
        head.append(_row(parts, widths))
    for row in cells:
        lines.append(_row(row, widths))
    text = Text(f"{blank}\n")
    for line in head:
        text.append(line, style="bold").append("\n")
    text.append("\n".join((f" {'─' * (len(blank) - 2)} ", *lines, blank)))
    out.print(text, soft_wrap=True)


def _widths(heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return how many columns of a terminal the widest cell of each column takes."""
    from rich.cells import cell_len

    parts: list[Iterable[str]] = [
        (*head, *(row[place] for row in rows)) for place, head in enumerate(heads)
    ]
    return [max(map(cell_len, part)) for part in parts]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    from rich.cells import cell_len

    filled = (
        cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)
    )
    return f" {'   '.join(filled)} "


def _print_folded(
    out: Console, columns: Sequence[str], rows: Iterable[Sequence[str]], wrap: Sequence[str]
) -> None:
    """Print a table that is wider than the console."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column not in wrap)
    for row in rows:
        table.add_row(*map(Text, row))
    out.print(table)


def say(text: str = "", style: str = "") -> None:
    """Print one paragraph; *text* is data, so brackets in it are no markup."""
    console().print(visible(text), style=style or None, markup=False)


def quote_line(quote: Quote, *, chars_max: int = 400) -> str:
    """Return a quote as ``[1:02:44] 12 GM: text``; a long one is cut in its middle, marked."""
    text = quote.text
    if len(text) > chars_max:
        half = chars_max // 2
        # At spaces, so that no word is shown in part; a text without any is cut where it must.
        head = text[:half].rpartition(" ")[0] or text[:half]
        tail = text[-half:].partition(" ")[2] or text[-half:]
        text = f"{head} […] {tail}"
    time = f"[{quote.time}] " if quote.time else ""
    return f"{time}{quote.unit_id} {quote.speaker or '?'}: {text}"


def indented(text: str, columns: int, style: str = "") -> None:
    """Print *text* so that its further lines start where its first one does."""
    from rich.text import Text

    _print_wrapped(Text(visible(text), style=style), columns)


def _print_wrapped(text: Text, columns: int) -> None:
    """Print *text* in lines without blanks at their ends."""
    from rich.text import Text

    out = console()
    for line in text.wrap(out, max(out.width - columns, 20)):
        line.rstrip()
        out.print(Text(" " * columns) + line, soft_wrap=True)


def print_occurrence(view: OccurrenceView, *, quotes_max: int = 3) -> None:
    """Print an occurrence: kind, name, ranges, and its first and last cited units."""
    from rich.text import Text

    ranges = ", ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in view.ranges)
    head = Text()
    head.append(f"{view.kind:<18}", style=KIND_STYLES.get(view.kind, ""))
    head.append(f" {visible(view.name)}", style="bold")
    marks = "  draft" if view.draft else "  reviewed" if view.decisions else ""
    marks += "  GM only" if view.game_master_only else ""
    head.append(f"  {view.session} {ranges}{marks}", style="dim")
    _print_wrapped(head, 2)
    for quote in _ends(view.quotes, quotes_max):
        line = "…" if quote is None else quote_line(quote, chars_max=220)
        indented(line, 6, "italic")


def short_reference(reference: str) -> str:
    """Return ``POOL:LINE`` with the last two parts of the pool's path, which ``why`` accepts."""
    pool, _, line_id = reference.rpartition(":")
    return f"{'/'.join(pool.split('/')[-2:])}:{line_id}"


def _ends(quotes: Sequence[Quote], count_max: int) -> Iterator[Quote | None]:
    """Yield the first quotes and the last, with ``None`` for what is left out between."""
    if len(quotes) <= count_max:
        yield from quotes
        return
    yield from quotes[: count_max - 1]
    yield None
    yield quotes[-1]


def print_evidence(evidence: Evidence) -> None:
    """Print a chain of evidence as a tree."""
    from rich.tree import Tree

    def label(node: Evidence) -> Any:
        from rich.text import Text

        text = Text(visible(node.text))
        if node.id:
            text.append(f"  {visible(_short_id(node))}", style="dim")
        return text

    tree = Tree(label(evidence))

    def grow(parent: Tree, node: Evidence) -> None:
        for child in node.children:
            grow(parent.add(label(child)), child)

    grow(tree, evidence)
    console().print(tree)


def _short_id(node: Evidence) -> str:
    """Return an id as people need it; ``--json`` has it whole."""
    assert node.id is not None, "the caller has looked"
    if node.kind == "line":
        return short_reference(node.id)
    if node.kind == "transcript":
        return f"{node.id[:19]}…"
    return node.id


def program() -> str:
    """Return how a person here runs this program again."""
    if shutil.which("talebearer"):
        return "talebearer"
    path = Path(sys.argv[0])
    if path.name != "talebearer":
        return f"{shlex.quote(sys.executable)} -m talebearer"
    return shlex.quote(os.path.relpath(path))


def plural(count: int, noun: str) -> str:
    """Return ``1 unit``, ``2 units``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def print_plain(text: str, style: str = "") -> None:
    """Print *text* on one line however long it is, so that it can be copied and searched."""
    from rich.text import Text

    console().print(Text(visible(text), style=style), soft_wrap=True)


@contextmanager
def progress(title: str, *, quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield a callback ``(stage, done, total)`` that draws a bar on a terminal's standard error."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def advance(stage: str, done: int, total: int) -> None:
            bar.update(task, description=f"{title}: {stage}", completed=done, total=total or None)

        yield advance
