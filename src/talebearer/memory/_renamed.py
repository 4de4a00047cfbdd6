"""What a mind knows of characters under the names that they have now.

A log and a save keep the names that were current when they were written. Given the former names that
characters have now, references (``npc:{slug}``), the ids of conversations and stories and the speakers of
lines are read as being of the character of today; nothing else of an event or a save changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from talebearer.memory._events import Event
from talebearer.vocabulary import SLUG, EventKind

_NAMED = re.compile(rf"(npc:|interaction\.|gossip\.)({SLUG})((?:_[0-9]{{3,}})?)")
_WITHIN = re.compile(rf"(?<![\w.:/-]){_NAMED.pattern}(?![\w-])")
_SPEAKERS = ("speaker", "character")
# What authors and tables wrote there is theirs, whatever it looks like.
_VERBATIM = ("to", "attributes", "topics", "reason", "location")
_NUMBERS = ("numbers", "gossip_numbers")
_CELLS = ("counters", "values", "timers")
_NUMBERED = {EventKind.INTERACTION_STARTED: "target", EventKind.GOSSIP_HEARD: "about"}


class Renamer:
    """Puts the names of today for former ones, and notes which it came upon.

    Args:
        names: Former slugs to those of today.

    Attributes:
        seen: Slugs that were there, former ones and others.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.seen: set[str] = set()

    def slug(self, slug: str) -> str:
        """Return the slug of today."""
        self.seen.add(slug)
        return self._names.get(slug, slug)

    def word(self, text: str) -> str:
        """Return *text* with the name of today, if it is a reference or such an id."""
        found = _NAMED.fullmatch(text)
        if found is None or (found[1] == "npc:") is bool(found[3]):
            return text
        return f"{found[1]}{self.slug(found[2])}{found[3]}"

    def value(self, value: Any, key: str = "") -> Any:
        """Return a JSON value with the names of today; *key* is where it stands."""
        if key in _VERBATIM:
            return value
        if isinstance(value, str):
            return self.slug(value) if key in _SPEAKERS and value else self.word(value)
        if isinstance(value, Mapping):
            found = {self.word(name): self.value(part, name) for name, part in value.items()}
            return found | self._said(value) if "met" in value else found
        if isinstance(value, list | tuple):
            entry = self._read_cell if key == "cells" else self.value
            return [entry(part) for part in value]
        return value

    def _said(self, gate: Mapping[str, Any]) -> dict[str, str]:
        """Return what a gate's answer says in words with the names of today."""
        told = {name: gate[name] for name in ("text", "found") if isinstance(gate.get(name), str)}
        return {
            name: _WITHIN.sub(lambda one: self.word(one[0]), words) for name, words in told.items()
        }

    def _read_cell(self, entry: Any) -> Any:
        """Return [kind, mind, id, character, pool, line] with the names of today."""
        if not isinstance(entry, list) or len(entry) != 6:
            return entry
        kind, mind, name, character, *line = entry
        return [kind, self.word(mind), name, self.slug(character) if character else "", *line]

    def data(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the details of an event with the names of today."""
        return {name: self.value(part, name) for name, part in data.items()}

    def snapshot(self, snapshot: Mapping[str, Any]) -> dict[str, Any]:
        """Return a saved mind with the names of today."""
        found: dict[str, Any] = {}
        for name, part in snapshot.items():
            if name in _NUMBERS and isinstance(part, Mapping):
                found[name] = {self.slug(slug): number for slug, number in part.items()}
            elif name in _CELLS and isinstance(part, list):
                found[name] = [self._cell(entry) for entry in part]
            else:
                found[name] = self.value(part, name)
        return found

    def _cell(self, entry: Any) -> Any:
        """Return [id, character, pool, line, value] with the character's name of today."""
        if isinstance(entry, list) and len(entry) > 1 and isinstance(entry[1], str) and entry[1]:
            return [entry[0], self.slug(entry[1]), *entry[2:]]
        return entry


def renamed_snapshot(
    snapshot: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return *snapshot* under the names of today, and those of *names* that it was read by.

    A character that the mind knows under both names, as two, stays two: which of the two tells the
    truth is nothing that a save says.
    """
    renamer = Renamer(names)
    found = renamer.snapshot(snapshot)
    kept = {old: new for old, new in names.items() if not {old, new} <= renamer.seen}
    if len(kept) < len(names):
        found = Renamer(kept).snapshot(snapshot)
    return found, kept


def renamed_event(event: Event, names: Mapping[str, str]) -> Event:
    """Return *event* with the names that characters have now."""
    data = Renamer(names).data(event.data)
    return event if data == event.data else replace(event, data=data)


def renamed_log(events: Iterable[Event], names: Mapping[str, str]) -> list[Event]:
    """Return a log with the names that characters have now.

    Names under which the same number was given twice, as to two characters, stay apart.
    """
    log = list(events)
    names = dict(names)
    while names:
        found = [renamed_event(event, names) for event in log]
        apart = _twice(log, found, names)
        if not apart:
            return found
        names = {old: new for old, new in names.items() if new not in apart}
    return log


def _twice(log: list[Event], renamed: list[Event], names: Mapping[str, str]) -> set[str]:
    """Return the names of today that events of two names gave the same number to."""
    given: dict[tuple[EventKind, str, int], str] = {}
    apart: set[str] = set()
    for before, after in zip(log, renamed, strict=True):
        field = _NUMBERED.get(before.kind)
        number = None if field is None else before.data.get("number")
        if field is None or number is None:
            continue
        was, now = str(before.data.get(field)), str(after.data.get(field))
        if given.setdefault((before.kind, now, number), was) != was:
            apart.add(now.removeprefix("npc:"))
    return apart & set(names.values())
