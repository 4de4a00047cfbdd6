"""Whether an event writes a counter, a value or a timer as the content declares it.

A mind takes any name, since it knows no content; a gate reads declared ones only, so that a slip in a
game's code would be kept and never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.campaign.records.ids import WORLD
from talebearer.errors import UsageFault, did_you_mean
from talebearer.lines import Declared, Scope
from talebearer.vocabulary import EventKind

_WORDS = {
    EventKind.COUNTER_ADDED: "counter",
    EventKind.VALUE_SET: "value",
    EventKind.TIMER_STAMPED: "timer",
}
_OWNERS = {
    Scope.LINE: ("pool", "line"),
    Scope.PAIR: ("character",),
    Scope.CHARACTER: ("character",),
}


def check_written(declared: Declared, mind: str, kind: EventKind, data: Mapping[str, Any]) -> None:
    """Refuse an event that writes what no gate would read; any other is let through.

    Args:
        declared: What the content declares.
        mind: In whose log the event belongs.
        kind: What happened.
        data: Its details, well formed.

    Raises:
        UsageFault: The name is not declared, the mind or the owner does not fit its scope, or the
            value is of another type (TB111).
    """
    word = _WORDS.get(kind)
    if word is None:
        return
    name = data[word]
    known: Mapping[str, Any] = getattr(declared, f"{word}s")
    if name not in known:
        hint = did_you_mean(name, known, otherwise="declare it in global/state.yaml")
        raise UsageFault(f"{word} {name!r} is declared nowhere", hint=hint)
    entry = known[name]
    scope: Scope = entry if isinstance(entry, Scope) else entry.scope
    if scope.shared and mind != WORLD:
        hint = f"apply it to the mind {WORLD}"
        raise UsageFault(f"{word} {name!r} is of the scope {scope.value}", hint=hint)
    owners = _OWNERS.get(scope, ())
    if owners != tuple(one for one in ("character", "pool", "line") if one in data):
        hint = f"give {' and '.join(owners)}" if owners else "give no character, pool or line"
        raise UsageFault(f"{word} {name!r} is of the scope {scope.value}", hint=hint)
    if kind is EventKind.VALUE_SET and not entry.type.fits(data["to"]):
        raise UsageFault(f"value {name!r} is a {entry.type.value}, and {data['to']!r} is none")
