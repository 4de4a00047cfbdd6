"""What lines leave behind in a mind: what was heard, and counters, values and timers.

What was heard is kept for each (character, pool path, line id): two characters who speak from one
file are kept apart, and nothing depends on where a line stands in its file. The character of a
thought, and of what an older save holds, is the empty text.

Counters, values and timers are cells. A cell's key is its id and, as far as its scope asks for
them, the character who speaks, and the pool path and id of the line; the rest are empty texts. Which
scope asks for what is the content's to say, see :mod:`talebearer.lines`.

* ``counter_added`` adds to a counter, from 0 on; the total stays within plus or minus 2**53 - 1.
* ``value_set`` replaces a value: a text, a number, true or false.
* ``timer_stamped`` moves a timer to its tick, and never back.

Source: LP-L1, LP-L6, IM-M10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from talebearer.memory import _checks
from talebearer.memory._checks import Malformed
from talebearer.memory._events import Event
from talebearer.memory._fold import Applied
from talebearer.memory._state import Cell, Heard, MindState, Said
from talebearer.vocabulary import SLUG

COUNT_MAX = 2**53 - 1
"""Numbers that every JSON reader keeps exactly."""

VALUE_CHARS_MAX = 4096

Scalar: TypeAlias = str | int | float | bool
HeardKey: TypeAlias = tuple[str, str, str]
"""Character (empty for a thought), pool path and line id."""

_SLUG = re.compile(SLUG)
_VARIANT = re.compile("[0-9a-f]{8}")
_FIRED = frozenset({"pool", "line"})
_FIRED_ALLOWED = _FIRED | {"speaker", "variant", "round"}
_SCOPED = frozenset({"character", "pool", "line"})
_ADDED = frozenset({"counter", "by"})
_SET = frozenset({"value", "to"})
_STAMPED = frozenset({"timer"})


class Shown(NamedTuple):
    """The parts of ``line_fired`` that say how the line was shown."""

    variant: str = ""
    round: int = 0


PLAINLY = Shown()
_new = tuple.__new__
"""What the constructors of named tuples come to, without a call in between: each line goes here."""


def line_fired(state: MindState, event: Event) -> Applied:
    """Remember that the mind heard a line.

    ``variant`` is the first 8 hex digits of the SHA-256 of the text that was heard, for a line with
    several; one that was heard in this turn of the bag begins the next turn. ``round`` is the turn
    of the strategy ``bag``, for which see :mod:`talebearer.lines`.

    Source: LP-L1 (the key), LP-L3 (last heard), LP-L5 (picks in a tick).
    """
    data = _checks.members(event.data, "", _FIRED, _FIRED_ALLOWED)
    pool = _checks.text(data["pool"], "pool")
    line = _checks.text(data["line"], "line")
    character = _checks.formed(data["speaker"], "speaker", _SLUG) if "speaker" in data else ""
    shown = Shown(
        _checks.formed(data["variant"], "variant", _VARIANT) if "variant" in data else "",
        _checks.whole(data["round"], "round", 1) if "round" in data else 0,
    )
    return remember(state, (character, pool, line), event.tick, shown)


def own_line_fired(state: MindState, event: Event) -> Applied:
    """Remember that the mind heard a line; the details of the event are a pick's, so they are right."""
    data = event.data
    shown = PLAINLY
    if "variant" in data or "round" in data:
        shown = Shown(data.get("variant", ""), data.get("round", 0))
    return remember(state, (data.get("speaker", ""), data["pool"], data["line"]), event.tick, shown)


def remember(state: MindState, key: HeardKey, tick: int, shown: Shown) -> Applied:
    """Count a hearing, and how many there are in this tick."""
    hear(state, key, tick, shown)
    latest, count = state.picks
    if tick > latest:
        state.picks = (tick, 1)
    elif tick == latest:
        state.picks = (tick, count + 1)
    return _new(Applied, ((), (), None, False, key, ()))


def remember_plainly(state: MindState, key: HeardKey, tick: int) -> Applied:
    """Do what :func:`remember` does for a line of one text, in one go: most hearings are such."""
    order = state.heard_count = state.heard_count + 1
    character, pool, line = key
    said = last = tick
    place = (pool, line)
    before = state.fired.get(place)
    if before is not None and before[1] > tick:
        last = before[1]
    state.fired[place] = (order, last)
    old = state.heard.get(key)
    if old is None:
        state.heard[key] = _new(Heard, (order, tick, 1, (), 0))
    else:
        _, latest, times, variants, turn = old
        said = latest if latest > tick else tick
        state.heard[key] = _new(Heard, (order, said, times + 1, variants, turn))
    if character:
        state.said = _new(Said, (said, character, pool, line))
    latest, count = state.picks
    if tick > latest:
        state.picks = (tick, 1)
    elif tick == latest:
        state.picks = (tick, count + 1)
    return _new(Applied, ((), (), None, False, key, ()))


def hear(state: MindState, key: HeardKey, tick: int, shown: Shown) -> None:
    """Count one hearing of *key*."""
    order = state.heard_count = state.heard_count + 1
    old = state.heard.get(key)
    line = key[1:]
    before = state.fired.get(line)
    state.fired[line] = (order, tick if before is None or before[1] < tick else before[1])
    if old is None:
        variants = (shown.variant,) if shown.variant else ()
        heard = _new(Heard, (order, tick, 1, variants, shown.round))
    else:
        heard = Heard(
            order,
            max(old.tick, tick),
            old.times + 1,
            _bag(old.variants, shown.variant),
            max(old.round, shown.round),
        )
    state.heard[key] = heard
    if key[0]:
        state.said = _new(Said, (heard.tick, *key))


def _bag(bag: tuple[str, ...], variant: str) -> tuple[str, ...]:
    """Return the variants of this turn of the bag, the last heard at the end."""
    if not variant:
        return bag
    return (variant,) if variant in bag else (*bag, variant)


def counter_added(state: MindState, event: Event) -> Applied:
    """Add to a counter."""
    data = _checks.members(event.data, "", _ADDED, _ADDED | _SCOPED)
    cell = _cell(data, "counter")
    by = _checks.signed(data["by"], "by", COUNT_MAX)
    total = state.counters.get(cell, 0) + by
    state.counters[cell] = max(-COUNT_MAX, min(COUNT_MAX, total))
    return Applied(cells=(("counter", cell),))


def value_set(state: MindState, event: Event) -> Applied:
    """Replace a value."""
    data = _checks.members(event.data, "", _SET, _SET | _SCOPED)
    cell = _cell(data, "value")
    state.values[cell] = scalar(data["to"], "to")
    return Applied(cells=(("value", cell),))


def timer_stamped(state: MindState, event: Event) -> Applied:
    """Stamp a timer."""
    data = _checks.members(event.data, "", _STAMPED, _STAMPED | _SCOPED)
    cell = _cell(data, "timer")
    state.timers[cell] = max(event.tick, state.timers.get(cell, 0))
    return Applied(cells=(("timer", cell),))


def _cell(data: Mapping[str, Any], kind: str) -> Cell:
    name = _checks.text(data[kind], kind)
    character = ""
    if "character" in data:
        character = _checks.formed(data["character"], "character", _SLUG)
    if ("pool" in data) is not ("line" in data):
        raise Malformed("line" if "pool" in data else "pool", "is missing", "both pool and line")
    if "pool" not in data:
        return Cell(name, character)
    pool, line = _checks.text(data["pool"], "pool"), _checks.text(data["line"], "line")
    return Cell(name, character, pool, line)


def scalar(value: object, field: str) -> Scalar:
    """Check for a text, a number or a flag; a whole number becomes an integer.

    Otherwise 1.0 and 1 would be one number in a save and two in memory.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _checks.signed(value, field, COUNT_MAX)
    if isinstance(value, float) and math.isfinite(value) and abs(value) <= COUNT_MAX:
        return int(value) if value.is_integer() else float(value)
    if isinstance(value, str) and len(value) <= VALUE_CHARS_MAX:
        return _checks.text(value, field) if value else ""
    allowed = f"a text of up to {VALUE_CHARS_MAX} characters, a number of up to 2^53-1, or a flag"
    raise Malformed(field, f"{_checks.show(value)} is no value", allowed)


def is_plain(state: MindState) -> bool:
    """Whether an older schema version can say all that was heard."""
    return all(
        not key[0] and item.times == 1 and not item.variants and not item.round
        for key, item in state.heard.items()
    )


def encode(state: MindState) -> dict[str, Any]:
    """Return the members that schema version 3 adds, those that say something."""
    extras: dict[str, Any] = {
        "counters": _cells(state.counters),
        "values": _cells(state.values),
        "timers": _cells(state.timers),
    }
    if not is_plain(state):
        ordered = sorted(state.heard.items(), key=lambda item: item[1].order)
        extras["heard"] = [_heard_json(key, item) for key, item in ordered]
    return {name: item for name, item in extras.items() if item}


def _cells(cells: Mapping[Cell, Any]) -> list[Any]:
    return [[*cell, cells[cell]] for cell in sorted(cells)]


def _heard_json(key: HeardKey, item: Heard) -> dict[str, Any]:
    value: dict[str, Any] = {"pool": key[1], "line": key[2], "tick": item.tick, "count": item.times}
    if key[0]:
        value["character"] = key[0]
    if item.variants:
        value["variants"] = list(item.variants)
    if item.round:
        value["round"] = item.round
    return value


_HEARD = frozenset({"pool", "line", "tick", "count"})
_HEARD_ALLOWED = _HEARD | {"character", "variants", "round"}


def decode(state: MindState, given: Mapping[str, Any]) -> None:
    """Check the members of :func:`encode` and put them into *state*."""
    for index, item in enumerate(_checks.listed(given.get("heard", ()), "heard")):
        _add_heard(state, item, f"heard[{index}]")
    if given.get("heard") and given["fired"]:
        raise Malformed("fired", "stands beside heard", "an empty list")
    for cell, item, field in _read_cells(given, "counters"):
        state.counters[cell] = _checks.signed(item, field, COUNT_MAX)
    for cell, item, field in _read_cells(given, "values"):
        state.values[cell] = scalar(item, field)
    for cell, item, field in _read_cells(given, "timers"):
        state.timers[cell] = _checks.whole(item, field)


def _add_heard(state: MindState, value: object, field: str) -> None:
    data = _checks.members(value, field, _HEARD, _HEARD_ALLOWED)
    character = ""
    if "character" in data:
        character = _checks.formed(data["character"], f"{field}.character", _SLUG)
    pool = _checks.text(data["pool"], f"{field}.pool")
    line = _checks.text(data["line"], f"{field}.line")
    key = (character, pool, line)
    if key in state.heard:
        raise Malformed(field, "the line stands here twice")
    variants = enumerate(_checks.listed(data.get("variants", ()), f"{field}.variants"))
    bag = tuple(_checks.formed(one, f"{field}.variants[{n}]", _VARIANT) for n, one in variants)
    if len(set(bag)) != len(bag):
        raise Malformed(f"{field}.variants", "one stands here twice")
    tick = _checks.whole(data["tick"], f"{field}.tick")
    hear(state, key, tick, PLAINLY)
    state.heard[key] = Heard(
        state.heard_count,
        tick,
        _checks.whole(data["count"], f"{field}.count", 1),
        bag,
        _checks.whole(data.get("round", 0), f"{field}.round"),
    )


def _read_cells(given: Mapping[str, Any], name: str) -> list[tuple[Cell, Any, str]]:
    found: dict[Cell, tuple[Any, str]] = {}
    for index, item in enumerate(_checks.listed(given.get(name, ()), name)):
        field = f"{name}[{index}]"
        entry = _checks.listed(item, field)
        if len(entry) != 5:
            raise Malformed(field, f"{_checks.show(item)} is not [id, character, pool, line, ...]")
        texts = [_text_or_none(one, f"{field}[{n}]") for n, one in enumerate(entry[:4])]
        cell = Cell(*texts)
        if not cell.id or bool(cell.pool) is not bool(cell.line):
            raise Malformed(field, f"{_checks.show(item)} lacks an id, a pool or a line")
        if cell.character:
            _checks.formed(cell.character, f"{field}[1]", _SLUG)
        if cell in found:
            raise Malformed(field, "stands here twice")
        found[cell] = (entry[4], field)
    return [(cell, item, field) for cell, (item, field) in found.items()]


def _text_or_none(value: object, field: str) -> str:
    return "" if value == "" else _checks.text(value, field)
