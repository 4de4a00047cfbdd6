"""One question: what becomes of every line in a setup, told for as many rows as a screen shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.errors import UsageFault, Where
from talebearer.lines import Pick, Selector, Verdict, Verdicts
from talebearer.rehearsal._content import Loaded
from talebearer.rehearsal._search import Search
from talebearer.rehearsal._setup import Setup

ROWS_MAX = 200
"""The most rows that one answer has."""

ORDERS = ("odds", "file")
"""``odds``: what can be drawn first, likeliest first, then what came farthest. ``file``: as written."""

TEXT_CHARS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which lines are shown; the funnel counts all the same.

    Attributes:
        stage: Only those that this stage dropped; ``draw`` is those that can be drawn.
        text: Only those that these words find, in texts, ids, tags, situations, topics, moods and
            triggers, or as ``topic:cargo`` in one of them.
        line: Only those with this id.
        pool: Only those of this pool.
        every_pool: Of a thought: also the lines of other places and characters.
        order: One of :data:`ORDERS`.
    """

    stage: str | None = None
    text: str = ""
    line: str | None = None
    pool: str | None = None
    every_pool: bool = False
    order: str = "odds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line and what became of it.

    Attributes:
        verdict: The engine's own.
        where: The line's place in the files.
        findings: How many findings are about it.
    """

    verdict: Verdict
    where: Where
    findings: int

    def as_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        value = self.verdict.as_json()
        value["file"] = self.where.file
        value["line"] = self.where.line
        value["column"] = self.where.column
        value["findings"] = self.findings
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What becomes of the lines in one setup.

    Attributes:
        setup: What was asked.
        funnel: Each stage with the number of lines left after it; ``lines`` is before any.
        eligible: How many lines can be drawn.
        dropped: Stage to the number of lines that it dropped, those that dropped some.
        pools: The pools that were asked, with their numbers of lines.
        pick: What is drawn with the setup's seed; None when no line is left.
        matching: How many lines the filter lets through.
        first_row: The number of the first of *rows*, from 0.
        rows: The window.
        is_current: Whether the lines are those of the files as they are now.
    """

    setup: Setup
    funnel: tuple[tuple[str, int], ...]
    eligible: int
    dropped: Mapping[str, int]
    pools: tuple[tuple[str, int], ...]
    pick: Pick | None
    matching: int
    first_row: int
    rows: tuple[Row, ...]
    is_current: bool

    def as_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        return {
            "setup": self.setup.as_json(),
            "funnel": [list(step) for step in self.funnel],
            "eligible": self.eligible,
            "dropped": dict(self.dropped),
            "pools": [list(pool) for pool in self.pools],
            "pick": None if self.pick is None else self.pick.as_json(),
            "matching": self.matching,
            "first_row": self.first_row,
            "rows": [row.as_json() for row in self.rows],
            "is_current": self.is_current,
        }


def ask(
    loaded: Loaded,
    selector: Selector,
    setup: Setup,
    *,
    shown: Filter,
    first_row: int,
    rows: int,
    search: Search,
) -> Answer:
    """Return what becomes of the lines in *setup*, and one window of them.

    Raises:
        UsageFault: The window or the filter is not one (TB111).
    """
    _check_window(shown, first_row, rows)
    verdicts = judged(selector, setup, every_pool=shown.every_pool)
    if shown.stage not in (None, "draw", *verdicts.stages):
        hint = f"one of: draw, {', '.join(verdicts.stages)}"
        raise UsageFault(f"there is no stage {shown.stage!r} here", hint=hint)
    found = _shown(loaded, verdicts, shown, search)
    window = found[first_row : first_row + rows]
    funnel = verdicts.funnel
    left = [count for _, count in funnel.steps]
    dropped = {
        name: before - after
        for (name, _), before, after in zip(funnel.steps[1:], left, left[1:], strict=False)
        if before > after
    }
    return Answer(
        setup=setup,
        funnel=funnel.steps,
        eligible=funnel.eligible,
        dropped=dropped,
        pools=verdicts.pools,
        pick=picked(selector, setup),
        matching=len(found),
        first_row=first_row,
        rows=tuple(_row(loaded, verdicts[index]) for index in window),
        is_current=loaded.is_current,
    )


def _check_window(shown: Filter, first_row: int, rows: int) -> None:
    if type(first_row) is not int or first_row < 0 or type(rows) is not int:
        raise UsageFault(f"row {first_row!r} of {rows!r} is no window", hint="whole numbers from 0")
    if not 0 <= rows <= ROWS_MAX:
        raise UsageFault(f"a window has {rows} rows", hint=f"0 to {ROWS_MAX}")
    if shown.order not in ORDERS:
        raise UsageFault(f"there is no order {shown.order!r}", hint=f"one of: {', '.join(ORDERS)}")
    if len(shown.text) > TEXT_CHARS_MAX:
        raise UsageFault(f"the text looked for has more than {TEXT_CHARS_MAX} characters")


def _row(loaded: Loaded, verdict: Verdict) -> Row:
    return Row(
        verdict=verdict,
        where=loaded.where(verdict.pool, verdict.line_id),
        findings=len(loaded.findings_of(verdict.pool, verdict.line_id)),
    )


def arguments(setup: Setup) -> dict[str, Any]:
    """Return what *setup* asks beyond who and where, as a selector takes it."""
    return {
        "tick": setup.tick,
        "strategy": setup.strategy,
        "event": setup.event,
        "speaking": setup.speaking,
    }


def judged(selector: Selector, setup: Setup, *, every_pool: bool = False) -> Verdicts:
    """Return the verdicts of the engine on *setup*."""
    if setup.speaker is not None:
        return selector.judge_dialogue(setup.speaker, setup.scene, **arguments(setup))
    assert setup.character is not None, "somebody speaks or thinks"
    assert setup.trigger is not None, "a thought has a trigger"
    return selector.judge_monologue(
        setup.character,
        setup.trigger,
        location=setup.location,
        every_pool=every_pool,
        **arguments(setup),
    )


def picked(selector: Selector, setup: Setup) -> Pick | None:
    """Return what the engine draws in *setup*."""
    if setup.speaker is not None:
        return selector.pick_dialogue(setup.speaker, setup.scene, **arguments(setup))
    assert setup.character is not None, "somebody speaks or thinks"
    assert setup.trigger is not None, "a thought has a trigger"
    return selector.pick_monologue(
        setup.character, setup.trigger, location=setup.location, **arguments(setup)
    )


# --- which lines, in which order -----------------------------------------------------------------


def _shown(loaded: Loaded, verdicts: Verdicts, shown: Filter, search: Search) -> list[int]:
    """Return the indexes of the lines that *shown* lets through, in its order."""
    if shown.stage is not None:
        found = list(verdicts.dropped_by(None if shown.stage == "draw" else shown.stage))
        found = _by_odds(verdicts, found) if shown.stage == "draw" else found
        found = sorted(found) if shown.order == "file" else found
    elif shown.order == "file":
        found = list(range(len(verdicts)))
    else:
        found = list(_farthest_first(verdicts))
    if shown.pool is not None:
        own = _of_pool(verdicts, shown.pool)
        found = [index for index in found if index in own]
    if shown.line is not None:
        places = _called(loaded, verdicts, shown.line)
        found = [index for index in found if index in places]
    if shown.text:
        pools = [loaded.pack.pool(path) for path, _ in verdicts.pools]
        wanted = frozenset(search.found(pools, shown.text))
        found = [index for index in found if index in wanted]
    return found


def _farthest_first(verdicts: Verdicts) -> Iterator[int]:
    yield from _by_odds(verdicts, list(verdicts.dropped_by(None)))
    for stage in reversed(verdicts.stages):
        yield from verdicts.dropped_by(stage)


def _by_odds(verdicts: Verdicts, drawable: list[int]) -> list[int]:
    """Return *drawable* likeliest first; the order of the files decides between equals."""
    return sorted(drawable, key=lambda index: -verdicts.weight(index))


def _called(loaded: Loaded, verdicts: Verdicts, line_id: str) -> set[int]:
    """Return the indexes of the lines with this id, one a pool at most."""
    found, start = set(), 0
    for path, size in verdicts.pools:
        position = loaded.pack.pool(path).position_of(line_id)
        if position is not None:
            found.add(start + position)
        start += size
    return found


def _of_pool(verdicts: Verdicts, path: str) -> range:
    start = 0
    for pool, size in verdicts.pools:
        if pool == path:
            return range(start, start + size)
        start += size
    return range(0)
